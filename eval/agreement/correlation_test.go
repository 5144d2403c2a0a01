package agreement

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/montanaflynn/stats"
)

// tolerance is what the results may differ from scipy's by.
const tolerance = 1e-12

func near(a, b float64) bool { return math.Abs(a-b) <= tolerance }

func TestEqualToScipy(t *testing.T) {
	data, err := os.ReadFile("testdata/fixtures.json")
	if err != nil {
		t.Fatal(err)
	}
	var fixtures struct {
		Correlations []struct {
			Name      string
			X, Y      []float64
			Spearman  float64
			SpearmanP *float64 `json:"spearman_p"`
			Kendall   float64  `json:"kendall_tau_b"`
			KendallP  *float64 `json:"kendall_p"`
			Pearson   float64
			PearsonP  *float64 `json:"pearson_p"`
		}
		PValues []struct {
			R, P float64
			N    int
		} `json:"p_values"`
		AUCs []struct {
			Name   string
			Scores []float64
			Labels []bool
			AUC    float64
		}
	}
	if err := json.Unmarshal(data, &fixtures); err != nil {
		t.Fatal(err)
	}
	if len(fixtures.Correlations) == 0 || len(fixtures.PValues) == 0 || len(fixtures.AUCs) == 0 {
		t.Fatal("no fixtures")
	}
	for _, f := range fixtures.Correlations {
		rho, err := Spearman(f.X, f.Y)
		if err != nil || !near(rho, f.Spearman) {
			t.Errorf("%s: Spearman is %v, %v; scipy has %v", f.Name, rho, err, f.Spearman)
		}
		p, err := SpearmanP(rho, len(f.X))
		sameP(t, f.Name+": Spearman", p, err, f.SpearmanP)

		if got, err := KendallTauB(f.X, f.Y); err != nil || !near(got, f.Kendall) {
			t.Errorf("%s: Kendall is %v, %v; scipy has %v", f.Name, got, err, f.Kendall)
		}
		xy := newPairs(f.X, f.Y, nil)
		sameP(t, f.Name+": Kendall", xy.kendallP(), nil, f.KendallP)

		r := xy.correlate(nil, xy.scratch()).pearson
		if !near(r, f.Pearson) {
			t.Errorf("%s: Pearson is %v; scipy has %v", f.Name, r, f.Pearson)
		}
		p, err = PearsonP(r, len(f.X))
		sameP(t, f.Name+": Pearson", p, err, f.PearsonP)
	}
	for _, f := range fixtures.PValues {
		p, err := PearsonP(f.R, f.N)
		sameP(t, fmt.Sprintf("r = %v, n = %d", f.R, f.N), p, err, &f.P)
		p, err = SpearmanP(f.R, f.N)
		sameP(t, fmt.Sprintf("ρ = %v, n = %d", f.R, f.N), p, err, &f.P)
	}
	for _, f := range fixtures.AUCs {
		if got, err := ROCAUC(f.Scores, f.Labels); err != nil || !near(got, f.AUC) {
			t.Errorf("%s: AUC is %v, %v; scipy has %v", f.Name, got, err, f.AUC)
		}
	}
}

// sameP compares a p-value with scipy's, which is nil where scipy has NaN. Small
// ones must agree in their digits, too, but where scipy has 0: there 1-r² may be a
// rounding away from it.
func sameP(t *testing.T, name string, got float64, err error, want *float64) {
	t.Helper()
	if want == nil {
		if !errors.Is(err, ErrTooFew) {
			t.Errorf("%s: p is %v, %v; scipy has NaN", name, got, err)
		}
		return
	}
	tolerance := 1e-9 * *want
	if *want == 0 {
		tolerance = 1e-30
	}
	if err != nil || !(math.Abs(got-*want) <= tolerance) {
		t.Errorf("%s: p is %v, %v; scipy has %v", name, got, err, *want)
	}
}

// The weighted pass equals the plain definitions: all pairs for τ-b, Pearson's
// correlation of the ranks for ρ; also of observations that occur more than once
// or not at all.
func TestWeightsEqualRepetition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 2; n < 80; n++ {
		x, y, clusters, drawn := make([]float64, n), make([]float64, n), make([]int32, n), make([]int32, 1+n/2)
		for i := range x {
			x[i], y[i], clusters[i] = float64(rng.IntN(6)), float64(rng.IntN(1+n)), int32(rng.IntN(len(drawn)))
		}
		for i := range drawn {
			drawn[i] = int32(rng.IntN(4))
		}
		var xs, ys []float64
		for i := range x {
			for range drawn[clusters[i]] {
				xs, ys = append(xs, x[i]), append(ys, y[i])
			}
		}
		p := newPairs(x, y, clusters)
		s := p.scratch()
		s.xs[0], s.tree[0] = 99, 99 // what an earlier pass left does no harm
		got := p.correlate(drawn, s)
		rho, rhoErr := stats.Spearman(xs, ys)
		tau, tauErr := stats.KendallTau(xs, ys)
		r, rErr := stats.Pearson(xs, ys)
		if rhoErr != nil || tauErr != nil || rErr != nil {
			if !math.IsNaN(got.spearman) || !math.IsNaN(got.kendall) || !math.IsNaN(got.pearson) {
				t.Errorf("n = %d: %v; the definitions have %v, %v, %v", n, got, rhoErr, tauErr, rErr)
			}
			continue
		}
		if !near(got.spearman, rho) || !near(got.kendall, tau) || !near(got.pearson, r) {
			t.Errorf("n = %d: %v; the definitions give %v, %v, %v", n, got, rho, tau, r)
		}
	}
}

func TestUndefined(t *testing.T) {
	nan, third := math.NaN(), []float64{0.1, 0.1, 0.1}
	tests := []struct {
		name string
		x, y []float64
		want error
	}{
		{"none", nil, nil, ErrTooFew},
		{"one", []float64{1}, []float64{2}, ErrTooFew},
		{"lengths", []float64{1, 2}, []float64{2}, ErrLength},
		{"first tied", third, []float64{1, 2, 3}, ErrConstant},
		{"second tied", []float64{1, 2, 3}, third, ErrConstant},
		{"NaN", []float64{1, nan, 3}, []float64{1, 2, 3}, ErrNaN},
		{"only NaN", []float64{1, 2}, []float64{nan, nan}, ErrNaN},
	}
	for _, tt := range tests {
		for name, f := range map[string]func(x, y []float64) (float64, error){
			"Spearman": Spearman, "Kendall": KendallTauB,
		} {
			if got, err := f(tt.x, tt.y); !errors.Is(err, tt.want) {
				t.Errorf("%s, %s: %v, %v; want %v", tt.name, name, got, err, tt.want)
			}
		}
	}
	equal := newPairs([]float64{0, 5e-324, 1}, []float64{1, 1 + 1e-16, 1}, nil)
	if got := equal.correlate(nil, equal.scratch()).pearson; !math.IsNaN(got) {
		t.Errorf("Pearson of equal numbers: %v", got)
	}
	for _, r := range []float64{math.NaN(), 1.5} {
		if got, err := SpearmanP(r, 9); err == nil {
			t.Errorf("the p-value of %v is %v", r, got)
		}
	}
	for want, labels := range map[error][]bool{ErrOneClass: {true, true}, ErrLength: {true}} {
		if _, err := ROCAUC([]float64{1, 2}, labels); !errors.Is(err, want) {
			t.Errorf("ROCAUC gives %v, want %v", err, want)
		}
	}
	if _, err := ROCAUC(nil, nil); !errors.Is(err, ErrOneClass) {
		t.Errorf("ROCAUC of nothing gives %v", err)
	}
	if _, err := ROCAUC([]float64{nan, 1}, []bool{true, false}); !errors.Is(err, ErrNaN) {
		t.Errorf("ROCAUC of NaN gives %v", err)
	}
}

// The statistics leave their arguments as they are.
func TestArgumentsAreKept(t *testing.T) {
	x, y := []float64{3, 1, 2}, []float64{2, 3, 1}
	if _, err := Spearman(x, y); err != nil {
		t.Fatal(err)
	}
	if _, err := KendallTauB(x, y); err != nil {
		t.Fatal(err)
	}
	if _, err := ROCAUC(x, []bool{true, false, true}); err != nil {
		t.Fatal(err)
	}
	if x[0] != 3 || x[1] != 1 || y[0] != 2 || y[1] != 3 {
		t.Errorf("arguments became %v, %v", x, y)
	}
}

func BenchmarkKendallTauB20000(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := make([]float64, 20000), make([]float64, 20000)
	for i := range x {
		x[i], y[i] = float64(rng.IntN(5)), rng.Float64()
	}
	b.Run("levels", func(b *testing.B) {
		for b.Loop() {
			if _, err := KendallTauB(x, y); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("all pairs", func(b *testing.B) {
		for b.Loop() {
			if _, err := stats.KendallTau(x, y); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// TestDrawn: a draw is the statistic of the observations that were drawn, each as often.
func TestDrawn(t *testing.T) {
	x, y := []float64{3, 1, 1, 5, 2, 3}, []float64{2, 2, 1, 3, 3, 1}
	labels, cluster := []bool{true, false, false, true, true, false}, []int32{0, 0, 1, 1, 2, 2}
	rho, auc := DrawnSpearman(x, y, cluster), DrawnROCAUC(x, labels, cluster)
	for _, drawn := range [][]int32{nil, {1, 1, 1}, {2, 0, 1}, {0, 3, 0}, {1, 2, 5}, {0, 0, 0}} {
		var xs, ys []float64
		var ls []bool
		for i, c := range cluster {
			for k := int32(0); drawn == nil && k < 1 || drawn != nil && k < drawn[c]; k++ {
				xs, ys, ls = append(xs, x[i]), append(ys, y[i]), append(ls, labels[i])
			}
		}
		wantRho, err := Spearman(xs, ys)
		if got := rho(drawn); err == nil && got != wantRho || (err != nil) != math.IsNaN(got) {
			t.Errorf("ρ of draw %v is %v, want %v, %v", drawn, got, wantRho, err)
		}
		wantAUC, err := ROCAUC(xs, ls)
		if got := auc(drawn); err == nil && got != wantAUC || (err != nil) != math.IsNaN(got) {
			t.Errorf("the area of draw %v is %v, want %v, %v", drawn, got, wantAUC, err)
		}
	}
}
