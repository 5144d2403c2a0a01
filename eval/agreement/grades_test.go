package agreement

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestGrade(t *testing.T) {
	got, err := Grade([]float64{1, 1, 2, 3}, []float64{1, 1, 1, 3})
	// Grade 1: precision 1, recall 2/3. Grade 3: both 1. Nobody gave a 2.
	want := Graded{Items: 4, Exact: .75, Constant: .75, ConstantGrade: 1, MacroF1: (.8 + 1) / 2}
	if err != nil || math.Abs(got.MacroF1-want.MacroF1) > 1e-12 || got.Exact != want.Exact || got.Constant != want.Constant || got.ConstantGrade != 1 {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	for _, bad := range []struct {
		a, b []float64
		why  error
	}{{nil, nil, ErrTooFew}, {[]float64{1}, nil, ErrLength}, {[]float64{math.NaN()}, []float64{1}, ErrNaN}} {
		if _, err := Grade(bad.a, bad.b); !errors.Is(err, bad.why) {
			t.Errorf("%v, %v: error %v, want %v", bad.a, bad.b, err, bad.why)
		}
	}
}

func TestFitCuts(t *testing.T) {
	c, err := FitCuts([]float64{.1, .2, .3, .6, .7, .9}, []float64{1, 1, 2, 2, 5, 5})
	if err != nil || !slices.Equal(c.Grades, []float64{1, 2, 5}) || c.Grade(.2) != 1 || c.Grade(.3) != 2 || c.Grade(.6) != 2 || c.Grade(.7) != 5 {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := FitCuts([]float64{1, 2}, []float64{3, 3}); !errors.Is(err, ErrConstant) {
		t.Errorf("one grade: %v", err)
	}
}

// FuzzFitCuts holds the search against every pair of cuts.
func FuzzFitCuts(f *testing.F) {
	f.Add(uint64(1), uint8(12), uint8(5))
	f.Fuzz(func(t *testing.T, seed uint64, items, values uint8) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := int(items % 24)
		scores, people := make([]float64, n), make([]float64, n)
		for i := range n {
			scores[i], people[i] = float64(r.IntN(1+int(values)%20)), float64(1+r.IntN(3))
		}
		c, err := FitCuts(scores, people)
		if err != nil {
			return
		}
		given := slices.Compact(slices.Sorted(slices.Values(people)))
		if len(given) != 3 {
			return
		}
		if len(c.At) != len(c.Grades)-1 || slices.ContainsFunc(c.At, func(v float64) bool { return math.IsInf(v, 0) }) ||
			!slices.IsSorted(c.At) || len(slices.Compact(slices.Clone(c.At))) < len(c.At) {
			t.Fatalf("scores %v, grades %v: cuts %+v", scores, people, c)
		}
		f1 := func(c Cuts) float64 {
			var given []float64
			for _, s := range scores {
				given = append(given, c.Grade(s))
			}
			g, err := Grade(given, people)
			if err != nil {
				t.Fatal(err)
			}
			return g.MacroF1
		}
		found, places := f1(c), cutPlaces(scores)
		for i, low := range places {
			for _, high := range places[i:] {
				if other := f1(Cuts{Grades: given, At: []float64{low, high}}); other > found+1e-9 {
					t.Fatalf("scores %v, grades %v: cuts %v have %v, cuts %v %v have %v", scores, people, c.At, found, low, high, other)
				}
			}
		}
	})
}
