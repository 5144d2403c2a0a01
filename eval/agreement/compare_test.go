package agreement

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	ctx, o := context.Background(), Options{Bootstrap: Bootstrap{Resamples: 400}}
	good, bad := study(60, 0.5, 1), study(60, 6, 1)
	for i := range bad { // the same reviews, the same labels
		bad[i].Human = nil
		if good[i].Metric == nil || bad[i].Metric == nil {
			good[i].Metric, bad[i].Metric = nil, nil
		}
	}
	c, err := Compare(ctx, bad, good, o)
	if err != nil {
		t.Fatal(err)
	}
	d := c.Rel.Spearman
	if *d.Difference.Value != *d.B.Value-*d.A.Value || d.Difference.Interval[0] < 0.1 || *d.Difference.P != 2/401. {
		t.Errorf("%+v", d)
	}
	if s := d.Sentence("bad", "good"); !strings.HasPrefix(s, "good is better than bad by 0.") || !strings.HasSuffix(s, ", p = 0.005") {
		t.Error(s)
	}
	// The other way round everything changes its sign, and the sentence stays.
	back, err := Compare(ctx, good, bad, o)
	if err != nil {
		t.Fatal(err)
	}
	e := back.Rel.Spearman
	if *e.Difference.Value != -*d.Difference.Value || !near(e.Difference.Interval[0], -d.Difference.Interval[1]) || *e.Difference.P != *d.Difference.P {
		t.Errorf("turned round: %v, %v", d.Difference, e.Difference)
	}
	if a, b := d.Sentence("bad", "good"), e.Sentence("good", "bad"); a != b {
		t.Errorf("%q and %q", a, b)
	}
	// The pairing makes the interval of a small difference narrower than either's.
	near := study(60, 1, 1)
	for i := range near {
		near[i].Human = good[i].Human
		if near[i].Metric != nil {
			m := *near[i].Metric
			m.Rel += 0.01 * float64(i%3)
			near[i].Metric = &m
		}
	}
	c, err = Compare(ctx, study(60, 1, 1), near, o)
	if err != nil {
		t.Fatal(err)
	}
	width := func(e Estimate) float64 { return e.Interval[1] - e.Interval[0] }
	if d := c.Rel.Spearman; width(d.Difference) > width(d.A)/2 {
		t.Errorf("A %v, difference %v", d.A, d.Difference)
	}

	same, err := Compare(ctx, good, good, o)
	if err != nil {
		t.Fatal(err)
	}
	if d := same.Con.Pearson; *d.Difference.Value != 0 || *d.Difference.P != 1 {
		t.Errorf("with itself: %+v", d.Difference)
	}
	if s := same.Con.Pearson.Sentence("x", "y"); s != "y is not shown to be better than x: 0.000 [0.000, 0.000], p = 1" {
		t.Error(s)
	}
}

// However the draws fall, the interval leaves out 0 just where p is at most 0.05, and
// turned round it is its own mirror: nobody is better in one order of the files only.
func TestIntervalGoesWithP(t *testing.T) {
	for _, n := range []int{100, 101, 150, 399, 400, 1000, 2000} {
		for below := range n/20 + 5 {
			a, b := make([]float64, n), make([]float64, n)
			for i := range a {
				b[i] = float64(i - below) // so many are below 0, and one is 0
			}
			zero := 0.0
			d, back := Difference{A: Estimate{Value: &zero}, B: Estimate{Value: &zero}}, Difference{A: Estimate{Value: &zero}, B: Estimate{Value: &zero}}
			d.subtract(a, b, 9)
			back.subtract(b, a, 9)
			in, ni := d.Difference.Interval, back.Difference.Interval
			if excludes := in[0] > 0; excludes != (*d.Difference.P <= 0.05) {
				t.Errorf("%d of %d draws are not above 0: p = %g, interval %v", below+1, n, *d.Difference.P, *in)
			}
			if in[0] != -ni[1] || in[1] != -ni[0] || *d.Difference.P != *back.Difference.P {
				t.Errorf("%d of %d draws: %v one way and %v the other", below+1, n, *in, *ni)
			}
		}
	}
}

// Where both scorers are as good, p is below 0.05 in about one of twenty trials.
func TestCompareUnderNoDifference(t *testing.T) {
	rejected := 0
	const trials = 200
	for trial := range trials {
		rng := rand.New(rand.NewPCG(uint64(trial), 3))
		a := study(30, 0, uint64(trial))
		b := make([]Row, len(a))
		for i := range a {
			b[i] = a[i]
			label := a[i].Human.Rel
			a[i].Metric = &Scores{Rel: label + 3*rng.NormFloat64()}
			b[i].Metric = &Scores{Rel: label + 3*rng.NormFloat64()}
		}
		c, err := Compare(context.Background(), a, b, Options{Bootstrap: Bootstrap{Resamples: 200}})
		if err != nil {
			t.Fatal(err)
		}
		if *c.Rel.Spearman.Difference.P < 0.05 {
			rejected++
		}
	}
	if rejected < 2 || rejected > 22 {
		t.Errorf("%d of %d trials find a difference", rejected, trials)
	}
}

func TestCompareMismatch(t *testing.T) {
	ctx, o := context.Background(), Options{Bootstrap: Bootstrap{Resamples: 100}}
	a, b := study(20, 1, 1), study(20, 1, 1)
	a[10].Metric, b[10].Metric = &Scores{}, nil
	a[11].Metric, b[11].Metric = nil, &Scores{}
	unscored := 0
	for i := 3; i < 98; i++ {
		if a[i].Metric == nil || b[i].Metric == nil {
			unscored++
		}
	}
	c, err := Compare(ctx, a[3:], b[:98], o)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.OnlyA) != 2 || len(c.OnlyB) != 3 || c.OnlyB[0] != (ReviewID{"c0", "system0"}) || c.OnlyA[1] != (ReviewID{"c19", "system4"}) {
		t.Errorf("only in one: %v, %v", c.OnlyA, c.OnlyB)
	}
	if c.LeftOut.Unscored != unscored || c.Reviews != 95-unscored {
		t.Errorf("%d reviews, left out %+v, unscored %d", c.Reviews, c.LeftOut, unscored)
	}
	o.Unscored = AsZero
	if c, err = Compare(ctx, a[3:], b[:98], o); err != nil || c.Reviews != 95 || c.LeftOut.Unscored != 0 {
		t.Errorf("as zero: %d reviews, left out %+v, %v", c.Reviews, c.LeftOut, err)
	}

	one := study(20, 1, 1)
	for i := range one {
		one[i].Change, one[i].Review = "one", fmt.Sprint(i)
	}
	c, err = Compare(ctx, one, one, o)
	if err != nil {
		t.Fatal(err)
	}
	if e := c.Rel.Spearman.Difference; *e.Value != 0 || e.Interval != nil || e.P != nil || e.Undefined != "no interval: fewer than two changes" {
		t.Errorf("one change: %+v", e)
	}
	if s := c.Rel.Spearman.Sentence("x", "y"); strings.Contains(s, "better") {
		t.Error(s)
	}

	if c, err = Compare(ctx, one, b, o); err == nil || len(c.OnlyA) != len(one) || len(c.OnlyB) != len(b) {
		t.Errorf("no review in both: only in one %d and %d, %v", len(c.OnlyA), len(c.OnlyB), err)
	}

	tied := study(20, 1, 1)
	for i := range tied {
		tied[i].Metric = &Scores{Con: 1, Comp: 1, Rel: 1}
	}
	if c, err = Compare(ctx, b, tied, o); err != nil || c.Rel.Spearman.Difference.Value != nil {
		t.Fatalf("tied: %v, %v", c.Rel.Spearman.Difference, err)
	}
	if s := c.Rel.Spearman.Sentence("x", "y"); s != "x and y cannot be compared: B: all scores are tied" {
		t.Error(s)
	}

	other := study(20, 1, 1)
	other[5].Human = &Scores{1, 1, 1}
	other[6].Human = &Scores{5, 5, 5}
	if _, err := Compare(ctx, a, other, o); err == nil || !strings.Contains(err.Error(), "two different human labels") {
		t.Errorf("two labels: %v", err)
	}
	if _, err := Compare(ctx, append(a, a[4]), b, o); err == nil || !strings.Contains(err.Error(), "occurs twice") {
		t.Errorf("twice: %v", err)
	}
	if _, err := Compare(ctx, a, nil, o); err == nil || !strings.Contains(err.Error(), "0 reviews") {
		t.Errorf("nothing in common: %v", err)
	}
}
