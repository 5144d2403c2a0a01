package agreement

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func isNear(t *testing.T, what string, got float64, err error, want float64) {
	t.Helper()
	if err != nil || math.Abs(got-want) > 0.00006 {
		t.Errorf("%s: %.4f, %v; want %.4f", what, got, err, want)
	}
}

// TestICC has the example of Shrout and Fleiss (1979), Table 2.
func TestICC(t *testing.T) {
	table := [][]float64{{9, 2, 5, 8}, {6, 1, 3, 2}, {8, 4, 6, 8}, {7, 1, 2, 6}, {10, 5, 6, 9}, {6, 2, 4, 7}}
	got, err := ICC(table)
	isNear(t, "ICC(2,1)", got.Agreement1, err, .2898)
	isNear(t, "ICC(3,1)", got.Consistency1, err, .7148)
	isNear(t, "ICC(2,k)", got.AgreementK, err, .6201)
	isNear(t, "ICC(3,k)", got.ConsistencyK, err, .9093)
	for _, bad := range []struct {
		table [][]float64
		why   error
	}{
		{nil, ErrTooFew},
		{[][]float64{{1, 2}}, ErrTooFew},
		{[][]float64{{1}, {2}}, ErrTooFew},
		{[][]float64{{1, 2}, {1}}, ErrLength},
		{[][]float64{{1, 2}, {1, math.NaN()}}, ErrNaN},
		{[][]float64{{3, 3}, {3, 3}}, ErrConstant},
		{[][]float64{{1, 2}, {2, 1}}, ErrConstant},
	} {
		if _, err := ICC(bad.table); !errors.Is(err, bad.why) {
			t.Errorf("%v: error %v, want %v", bad.table, err, bad.why)
		}
	}
}

func TestKappas(t *testing.T) {
	k, err := FleissKappa([][]float64{{1, 1, 1}, {1, 2, 1}, {2, 2, 3}, {4, 4, 4}, {5, 5, 5}, {1, 1, 2}})
	isNear(t, "Fleiss", k, err, .55)
	a, b := []float64{1, 1, 2, 4, 5, 3}, []float64{1, 2, 2, 4, 5, 1}
	k, err = CohenKappa(a, b, Nominal)
	isNear(t, "Cohen", k, err, .5714)
	k, err = CohenKappa(a, b, Interval)
	isNear(t, "Cohen, quadratic", k, err, .8148)
	if _, err := CohenKappa([]float64{1, 1}, []float64{1, 1}, Nominal); !errors.Is(err, ErrConstant) {
		t.Errorf("one rating throughout: %v", err)
	}
	if _, err := FleissKappa([][]float64{{1, 2}, {1}}); !errors.Is(err, ErrLength) {
		t.Errorf("a rating is missing: %v", err)
	}
}

// TestKrippendorffAlpha has the example of Krippendorff, "Computing Krippendorff's
// Alpha-Reliability" (2011), section C.
func TestKrippendorffAlpha(t *testing.T) {
	none := math.NaN()
	raters := [][]float64{
		{1, 2, 3, 3, 2, 1, 4, 1, 2, none, none, none},
		{1, 2, 3, 3, 2, 2, 4, 1, 2, 5, none, 3},
		{none, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, none},
		{1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, none},
	}
	table := make([][]float64, 12)
	for _, r := range raters {
		for i, v := range r {
			table[i] = append(table[i], v)
		}
	}
	for d, want := range map[Distance]float64{Nominal: .743, Ordinal: .815, Interval: .849} {
		got, err := KrippendorffAlpha(table, d)
		if err != nil || math.Abs(got-want) > 0.0006 {
			t.Errorf("%s: %.4f, %v; want %.3f", d, got, err, want)
		}
	}
	if _, err := KrippendorffAlpha([][]float64{{1, none}, {none, 2}}, Nominal); !errors.Is(err, ErrTooFew) {
		t.Errorf("no pair: %v", err)
	}
}

func TestKolmogorovSmirnov(t *testing.T) {
	d, err := KolmogorovSmirnov([]float64{1, 1, 2, 3}, []float64{2, 3, 3, 4})
	isNear(t, "with ties", d, err, .5)
	d, err = KolmogorovSmirnov([]float64{.1, .2, .2, .4, .9}, []float64{.3, .5, .9})
	isNear(t, "of two sizes", d, err, .6)
	if _, err := KolmogorovSmirnov(nil, []float64{1}); !errors.Is(err, ErrTooFew) {
		t.Errorf("an empty sample: %v", err)
	}
}

// FuzzRaters takes tables of grades: a statistic is in its range or says why there is
// none, and the order of the raters moves no digit that is shown.
func FuzzRaters(f *testing.F) {
	f.Add(uint64(1), uint8(6), uint8(4), uint8(5))
	f.Add(uint64(2), uint8(2), uint8(2), uint8(1))
	f.Fuzz(func(t *testing.T, seed uint64, items, raters, grades uint8) {
		r := rand.New(rand.NewPCG(seed, 1))
		n, k := int(items%40), 1+int(raters%6)
		table, turned := make([][]float64, n), make([][]float64, n)
		for i := range table {
			for range k {
				table[i] = append(table[i], float64(1+r.IntN(1+int(grades%10))))
			}
			for j := range k {
				turned[i] = append(turned[i], table[i][k-1-j])
			}
		}
		type statistic func([][]float64) (float64, error)
		for name, of := range map[string]statistic{
			"icc21":    func(t [][]float64) (float64, error) { v, err := ICC(t); return v.Agreement1, err },
			"icc31":    func(t [][]float64) (float64, error) { v, err := ICC(t); return v.Consistency1, err },
			"fleiss":   FleissKappa,
			"nominal":  func(t [][]float64) (float64, error) { return KrippendorffAlpha(t, Nominal) },
			"ordinal":  func(t [][]float64) (float64, error) { return KrippendorffAlpha(t, Ordinal) },
			"interval": func(t [][]float64) (float64, error) { return KrippendorffAlpha(t, Interval) },
		} {
			a, err := of(table)
			b, errTurned := of(turned)
			if (err == nil) != (errTurned == nil) {
				t.Fatalf("%s of %v: %v, turned %v", name, table, err, errTurned)
			}
			if err == nil && (math.IsNaN(a) || a > 1+1e-9 || math.Abs(a-b) > 1e-6*max(1, math.Abs(a))) {
				t.Fatalf("%s of %v: %v, turned %v", name, table, a, b)
			}
		}
	})
}

// TestChanceOfManyRatings computes the disagreement of chance pair by pair, over numbers that
// are far from 0, for which sums of squares would lose digits.
func TestChanceOfManyRatings(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var a, b []float64
	var table [][]float64
	for range 60 {
		a, b = append(a, 1e6+r.NormFloat64()), append(b, 1e6+float64(r.IntN(5)))
		table = append(table, []float64{a[len(a)-1], b[len(b)-1]})
	}
	all := slices.Concat(a, b)
	place := func(v float64) (p float64) {
		for _, other := range all {
			if other < v {
				p++
			} else if other == v {
				p += .5
			}
		}
		return p
	}
	apart := map[Distance]func(x, y float64) float64{
		Nominal: Nominal.of, Interval: Interval.of, Ordinal: func(x, y float64) float64 { return square(place(x) - place(y)) },
	}
	for d, of := range apart {
		observed, kappa, alpha := 0.0, 0.0, 0.0
		for i, x := range a {
			observed += of(x, b[i])
			for _, y := range b {
				kappa += of(x, y)
			}
		}
		for _, x := range all {
			for _, y := range all {
				alpha += of(x, y)
			}
		}
		got, err := KrippendorffAlpha(table, d)
		isNear(t, "α, "+string(d), got, err, 1-float64(len(all)-1)*2*observed/alpha)
		if d != Ordinal {
			got, err = CohenKappa(a, b, d)
			isNear(t, "κ, "+string(d), got, err, 1-observed*float64(len(a))/kappa)
		}
	}
}

// TestStudyRaters has the numbers of the examples above, an interval for each, and leaves a
// rater out of the mean that the rater is compared with.
func TestStudyRaters(t *testing.T) {
	table := [][]float64{{9, 2, 5, 8}, {6, 1, 3, 2}, {8, 4, 6, 8}, {7, 1, 2, 6}, {10, 5, 6, 9}, {6, 2, 4, 7}}
	var items []RatedItem
	for i, row := range table {
		items = append(items, RatedItem{Change: string(rune('a' + i)), Ratings: row})
	}
	items = append(items, RatedItem{Change: "z", Ratings: []float64{9, math.NaN(), 5, 8}})
	rep, err := StudyRaters(t.Context(), []string{"p", "q", "r", "s"}, items, Bootstrap{Resamples: 100})
	if err != nil {
		t.Fatal(err)
	}
	isNear(t, "ICC(2,1)", *rep.ICC21.Value, nil, .2898)
	isNear(t, "ICC(3,k)", *rep.ICC3K.Value, nil, .9093)
	if in := rep.ICC21.Interval; in == nil || !(in[0] <= .2898 && .2898 <= in[1]) {
		t.Errorf("interval %v", in)
	}
	if rep.Items != 7 || rep.Complete != 6 || rep.Changes != 7 || len(rep.Pairs) != 6 || len(rep.Each) != 4 {
		t.Errorf("%+v", rep)
	}
	alone, err := ICC([][]float64{{9, 5}, {6, 2}, {8, 6}, {7, 3}, {10, 20. / 3}, {6, 13. / 3}})
	isNear(t, "p beside the others", *rep.Each[0].ICC.Value, err, alone.Agreement1)
	if p := rep.Pairs[1]; p.A != "p" || p.B != "r" || p.Graded.Items != 7 {
		t.Errorf("pair %+v", p)
	}
	for _, bad := range []struct {
		raters []string
		items  []RatedItem
	}{{[]string{"p"}, items}, {[]string{"p", "q"}, items}, {[]string{"p", "q"}, []RatedItem{{"a", []float64{1, math.Inf(1)}}}}} {
		if _, err := StudyRaters(t.Context(), bad.raters, bad.items, Bootstrap{}); err == nil {
			t.Errorf("%v: no error", bad.raters)
		}
	}
}
