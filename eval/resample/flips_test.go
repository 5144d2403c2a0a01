package resample

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"crscore/internal/limits"
)

// Forty pairs of numbers with two digits.
var (
	fortyA = []float64{0.51, 0.95, 0.14, 0.95, 0.31, 0.42, 0.83, 0.41, 0.55, 0.03, 0.75, 0.54, 0.33, 0.79, 0.3, 0.45, 0.13, 0.4, 0.2, 0.26, 0.75, 0.28, 0.49, 0.98, 0.96, 0.72, 0.54, 0.28, 0.16, 0.97, 0.52, 0.12, 0.62, 0.78, 0.61, 0.92, 0.04, 0.53, 0.46, 0.06}
	fortyB = []float64{0.59, 0.76, 0.06, 1.0, 0.18, 0.46, 0.91, 0.48, 0.51, 0.21, 0.99, 0.66, 0.23, 1.0, 0.26, 0.69, 0.0, 0.64, 0.26, 0.07, 0.75, 0.35, 0.6, 0.84, 0.8, 0.82, 0.51, 0.39, 0.37, 0.7, 0.63, 0.42, 0.62, 0.68, 0.82, 1.0, 0.28, 0.52, 0.22, 0.1}
)

// The exact p-values are those of scipy.stats.permutation_test (permutation_type
// "samples", all permutations).
func TestFlipsExact(t *testing.T) {
	a := []float64{0.5, 0.25, 1, 0.75, 1. / 3, 0.6, 0.8, 0.1}
	b := []float64{0.25, 0.5, 0.5, 0.7, 1. / 3, 0.2, 0.9, 0.05}
	for _, tt := range []struct {
		name string
		a, b []float64
		want float64
	}{
		{"eight", a, b, 0.28125},
		{"turned round", b, a, 0.28125},
		{"five", a[:5], b[:5], 0.5},
		{"the same", a, a, 1},
		{"all above", []float64{1.5, 1.25, 2}, b[:3], 0.25},
		{"one", a[:1], b[:1], 1},
		{"six of one sign", []float64{1, 2, 3, 4, 5, 6}, make([]float64, 6), 2. / 64},
		// Sums that are the same in other digits: 0.1+0.2 and 0.3 beside 0.3 and 0.
		{"the same by another way", []float64{0.1 + 0.2, 0.3}, []float64{0.3, 0.1 + 0.2}, 1},
		{"ties of sums", []float64{0.1, 0.2, 0.3}, []float64{0, 0, 0.6}, 1},
	} {
		got, err := Flips{}.Test(t.Context(), [][]float64{tt.a, tt.b}, []Test{{0, 1}})
		if err != nil {
			t.Fatal(err)
		}
		if !got[0].Exact || got[0].P != tt.want {
			t.Errorf("%s: %+v, want %g", tt.name, got[0], tt.want)
		}
	}
}

// Drawn p-values are near to those of scipy, which drew two million times: 0.16258.
func TestFlipsDrawn(t *testing.T) {
	differences := make([]float64, len(fortyA))
	for i := range differences {
		differences[i] = fortyA[i] - fortyB[i]
	}
	vectors := [][]float64{fortyA, fortyB, differences}
	for draws, within := range map[int]float64{0: 0.015, 200_000: 0.004} {
		got, err := Flips{Draws: draws, Seed: 3}.Test(t.Context(), vectors, []Test{{0, 1}, {1, 0}, {2, -1}})
		if err != nil {
			t.Fatal(err)
		}
		if got[0].Exact || math.Abs(got[0].P-0.16258) > within {
			t.Errorf("%d draws: %+v", draws, got[0])
		}
		if got[1] != got[0] || got[2] != got[0] {
			t.Errorf("%d draws: %v turned round, %v of the differences, %v", draws, got[1], got[2], got[0])
		}
	}
}

// What is drawn is what would be counted: a sample that is small enough for both.
func TestFlipsDrawnLikeExact(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	for trial := range 20 {
		v := make([]float64, 11+trial%3) // with whole eights and without
		for i := range v {
			v[i] = math.Round(8*rnd.NormFloat64()+3) / 8 // many ties
		}
		exact, err := Flips{Draws: 10_000}.Test(t.Context(), [][]float64{v}, []Test{{0, -1}})
		if err != nil {
			t.Fatal(err)
		}
		drawn, err := Flips{Draws: 1000, Seed: uint64(trial)}.Test(t.Context(), [][]float64{v}, []Test{{0, -1}})
		if err != nil {
			t.Fatal(err)
		}
		p := exact[0].P
		if !exact[0].Exact || math.Abs(drawn[0].P-p) > 4.5*math.Sqrt(p*(1-p)/1000)+0.002 {
			t.Errorf("trial %d: exact %+v, drawn %+v", trial, exact[0], drawn[0])
		}
	}
}

// Where there is no difference, p is at most 0.05 in at most one of twenty trials.
func TestFlipsLevel(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	const trials, n = 400, 25
	vectors := make([][]float64, 2*trials)
	tests := make([]Test, trials)
	for i := range trials {
		a, b := make([]float64, n), make([]float64, n)
		for k := range n {
			hard := rnd.Float64() // for both
			a[k], b[k] = math.Max(0, hard-rnd.Float64()), math.Max(0, hard-rnd.Float64())
		}
		vectors[2*i], vectors[2*i+1], tests[i] = a, b, Test{2 * i, 2*i + 1}
	}
	got, err := Flips{Draws: 2000}.Test(t.Context(), vectors, tests)
	if err != nil {
		t.Fatal(err)
	}
	rejected := 0
	for _, p := range got {
		if p.P <= 0.05 {
			rejected++
		}
	}
	if rejected < 8 || rejected > 34 { // 20, and three and a bit standard deviations
		t.Errorf("%d of %d trials find a difference", rejected, trials)
	}
}

// The number of workers changes nothing, the seed does; the smallest p-value is that of
// the observation alone.
func TestFlipsDeterministic(t *testing.T) {
	vectors := [][]float64{fortyA, fortyB, make([]float64, 40), slices.Repeat([]float64{1}, 40), slices.Repeat([]float64{1, -1}, 20)}
	tests := []Test{{0, 1}, {0, 2}, {3, 2}, {2, 2}, {4, -1}}
	of := func(f Flips) []PValue {
		t.Helper()
		got, err := f.Test(t.Context(), vectors, tests)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	want := of(Flips{Draws: 5000, Seed: 7, Workers: 1})
	for _, workers := range []int{2, 7, 0} {
		if got := of(Flips{Draws: 5000, Seed: 7, Workers: workers}); !slices.Equal(got, want) {
			t.Errorf("%d workers: %v, want %v", workers, got, want)
		}
	}
	if got := of(Flips{Draws: 5000, Seed: 8}); got[0] == want[0] {
		t.Error("another seed gives the same p-value")
	}
	if want[2].P != 1./5001 || want[3] != (PValue{1, true}) || want[4] != (PValue{1, false}) {
		t.Errorf("%+v", want)
	}
}

func TestFlipsErrors(t *testing.T) {
	for _, n := range []int{-1, MinFlips - 1, limits.Flips + 1} {
		if _, err := (Flips{Draws: n}).Test(t.Context(), [][]float64{fortyA, fortyB}, []Test{{0, 1}}); err == nil {
			t.Errorf("%d draws are taken", n)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Flips{}).Test(ctx, [][]float64{fortyA, fortyB}, []Test{{0, 1}}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if got, err := (Flips{}).Test(t.Context(), nil, nil); err != nil || len(got) != 0 {
		t.Errorf("no tests: %v, %v", got, err)
	}
}

// The interval of a mean is near to scipy.stats.bootstrap's (percentile, 200,000
// draws): [0.413, 0.590].
func TestInterval(t *testing.T) {
	samples, err := Bootstrap{Resamples: 20_000}.Draw(t.Context(), len(fortyA), 1, func() func([]int32, []float64) {
		return func(drawn []int32, out []float64) {
			out[0] = 0
			for i, w := range drawn {
				out[0] += float64(w) * fortyA[i] / 40
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	mean := 0.501
	e := Estimate{Value: &mean}
	e.SetInterval(samples[0], len(fortyA))
	if i := e.Interval; math.Abs(i[0]-0.413) > 0.004 || math.Abs(i[1]-0.59) > 0.004 {
		t.Errorf("%v", *i)
	}
}

func TestCorrection(t *testing.T) {
	nan := math.NaN()
	p := []float64{0.01, 0.04, nan, 0.03, 0.005, 0.5, 0.04}
	for _, tt := range []struct {
		c    Correction
		p    []float64
		want []float64
	}{
		// 6·0.005, 5·0.01, 4·0.03, then no smaller: 3·0.04 and 2·0.04; 1·0.5.
		{Holm, p, []float64{0.05, 0.12, nan, 0.12, 0.03, 0.5, 0.12}},
		// From the largest: 0.5, 6/5·0.04 for both, which 6/3·0.03 is not below, 6/2·0.01, 6·0.005.
		{BH, p, []float64{0.03, 0.048, nan, 0.048, 0.03, 0.5, 0.048}},
		{Uncorrected, p, p},
		{Holm, []float64{0.4, 0.5, 1}, []float64{1, 1, 1}},
		{BH, []float64{0.4, 0.5, 1}, []float64{0.75, 0.75, 1}},
		{Holm, []float64{0.2}, []float64{0.2}},
		{BH, nil, nil},
		{Holm, []float64{nan}, []float64{nan}},
	} {
		got, err := tt.c.Adjust(tt.p)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(got, tt.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-15 || math.IsNaN(a) && math.IsNaN(b) }) {
			t.Errorf("%s of %v: %v, want %v", tt.c, tt.p, got, tt.want)
		}
	}
	if _, err := Correction("bonferroni").Adjust(nil); err == nil {
		t.Error("another correction is taken")
	}
}

func BenchmarkFlips(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 1))
	vectors := make([][]float64, 20)
	var tests []Test
	for i := range vectors {
		for range 10_000 {
			vectors[i] = append(vectors[i], rnd.Float64())
		}
		for k := range i {
			tests = append(tests, Test{i, k})
		}
	}
	for b.Loop() {
		if _, err := (Flips{}).Test(b.Context(), vectors, tests); err != nil {
			b.Fatal(err)
		}
	}
}
