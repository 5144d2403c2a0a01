package agreement

import (
	"encoding/json"
	"errors"
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
			Name     string
			X, Y     []float64
			Spearman float64
			Kendall  float64 `json:"kendall_tau_b"`
		}
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
	if len(fixtures.Correlations) == 0 || len(fixtures.AUCs) == 0 {
		t.Fatal("no fixtures")
	}
	for _, f := range fixtures.Correlations {
		if got, err := Spearman(f.X, f.Y); err != nil || !near(got, f.Spearman) {
			t.Errorf("%s: Spearman is %v, %v; scipy has %v", f.Name, got, err, f.Spearman)
		}
		if got, err := KendallTauB(f.X, f.Y); err != nil || !near(got, f.Kendall) {
			t.Errorf("%s: Kendall is %v, %v; scipy has %v", f.Name, got, err, f.Kendall)
		}
	}
	for _, f := range fixtures.AUCs {
		if got, err := ROCAUC(f.Scores, f.Labels); err != nil || !near(got, f.AUC) {
			t.Errorf("%s: AUC is %v, %v; scipy has %v", f.Name, got, err, f.AUC)
		}
	}
}

// The quick τ-b equals the plain comparison of all pairs.
func TestKendallEqualsAllPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 2; n < 80; n++ {
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = float64(rng.IntN(6)), float64(rng.IntN(1+n))
		}
		want, undefined := stats.KendallTau(x, y)
		got, err := KendallTauB(x, y)
		if (err != nil) != (undefined != nil) || !near(got, want) {
			t.Errorf("n = %d: %v, %v; all pairs give %v, %v", n, got, err, want, undefined)
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
		for name, f := range map[string]func(x, y []float64) (float64, error){"Spearman": Spearman, "Kendall": KendallTauB} {
			if got, err := f(tt.x, tt.y); !errors.Is(err, tt.want) {
				t.Errorf("%s, %s: %v, %v; want %v", tt.name, name, got, err, tt.want)
			}
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
	b.Run("merge sort", func(b *testing.B) {
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
