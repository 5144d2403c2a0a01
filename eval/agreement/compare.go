package agreement

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"crscore/eval/resample"
)

// Comparison tells which of two metrics agrees better with people, over the reviews that
// both scored.
type Comparison struct {
	// Reviews is the number of reviews that both metrics scored.
	Reviews int `json:"reviews"`
	// Changes is the number of changes that the reviews are of.
	Changes int `json:"changes"`
	// LeftOut has the reviews that were not compared.
	LeftOut LeftOut `json:"left_out"`
	ByDimension[Differences]
	// OnlyA are the reviews that only A's rows have, in order. The comparison leaves them out.
	OnlyA []ReviewID `json:"only_a,omitempty"`
	// OnlyB are the reviews that only B's rows have.
	OnlyB []ReviewID `json:"only_b,omitempty"`
}

// Differences are those of one dimension, by coefficient.
type Differences struct {
	// Spearman compares ρ.
	Spearman Difference `json:"spearman"`
	// KendallTauB compares τ-b.
	KendallTauB Difference `json:"kendall_tau_b"`
	// Pearson compares r.
	Pearson Difference `json:"pearson"`
}

func (d *Differences) all() [3]*Difference {
	return [3]*Difference{&d.Spearman, &d.KendallTauB, &d.Pearson}
}

// Difference compares one coefficient of two metrics.
type Difference struct {
	// A is the first metric's coefficient.
	A Estimate `json:"a"`
	// B is the second metric's coefficient.
	B Estimate `json:"b"`
	// Difference is B's value less A's. Both are computed on the same draws of
	// changes, so that what is hard for both cancels out. P is the two-sided
	// p-value of no difference: twice the share of draws on the rarer side of 0,
	// 0 itself on both sides, where the observation counts as one more draw (so
	// that it is never 0).
	Difference Estimate `json:"difference"`
}

// Sentence says in words which of the two named scorers agrees better: "B is
// better than A by 0.030 [0.010, 0.050]", or that the interval holds 0.
func (d Difference) Sentence(a, b string) string {
	e := d.Difference
	if e.Value == nil {
		return fmt.Sprintf("%s and %s cannot be compared: %s", a, b, e.Undefined)
	}
	value, low, high := *e.Value, math.NaN(), math.NaN()
	if e.Interval != nil {
		low, high = e.Interval[0], e.Interval[1]
	}
	better, worse := b, a
	if value < 0 {
		better, worse, value, low, high = a, b, -value, 0-high, 0-low // 0, not -0
	}
	p := ""
	if e.P != nil {
		p = fmt.Sprintf(", p = %.2g", *e.P)
	}
	switch {
	case e.Interval == nil:
		return fmt.Sprintf("%s agrees more than %s by %.3f, and it is not known how sure that is: %s", better, worse, value, e.Undefined)
	case low <= 0: // high is not below 0, nor is value
		return fmt.Sprintf("%s is not shown to be better than %s: %.3f [%.3f, %.3f]%s", better, worse, value, low, high, p)
	default:
		return fmt.Sprintf("%s is better than %s by %.3f [%.3f, %.3f]%s", better, worse, value, low, high, p)
	}
}

// Compare compares the scorers a and b of the same reviews by a paired bootstrap
// over changes. Rows may be in any order. A review that either scorer left
// unscored is left out of both, or counts as 0 for that one, as o says. Labels
// may be with either or both, but not contradict each other. Errors are those of
// Study; with that of too few reviews come OnlyA and OnlyB, which may be why.
func Compare(ctx context.Context, a, b []Row, o Options) (Comparison, error) {
	var c Comparison
	a, b, err := c.pair(a, b, o.Unscored)
	if err != nil {
		return Comparison{}, err
	}
	rowsA, left, err := choose(a, o.Unscored)
	if err != nil {
		return c, err
	}
	rowsB, _, err := choose(b, o.Unscored)
	if err != nil {
		return c, err
	}
	c.LeftOut, c.Reviews = left, len(rowsA)
	cluster, changes := resample.Clusters(rowsA, func(r Row) string { return r.Change })
	c.Changes = changes
	observedA, observedB := correlations(rowsA, cluster), correlations(rowsB, cluster)
	samples, err := o.Draw(ctx, changes, 18, func() func([]int32, []float64) {
		drawA, drawB := observedA.resampler(), observedB.resampler()
		return func(drawn []int32, out []float64) {
			drawA(drawn, out[:9])
			drawB(drawn, out[9:])
		}
	})
	if err != nil {
		return Comparison{}, fmt.Errorf("agreement: %w", err)
	}
	for i, d := range c.ByDimension.all() {
		ofA, ofB := observedA.estimates(rowsA, i), observedB.estimates(rowsB, i)
		for k, d := range d.all() {
			d.A, d.B = *ofA.all()[k], *ofB.all()[k]
			samplesA, samplesB := samples[3*i+k], samples[9+3*i+k]
			d.A.SetInterval(samplesA, changes)
			d.B.SetInterval(samplesB, changes)
			d.subtract(samplesA, samplesB, changes)
		}
	}
	return c, nil
}

// subtract fills in the difference; A and B are there.
func (d *Difference) subtract(samplesA, samplesB []float64, changes int) {
	switch {
	case d.A.Value == nil:
		d.Difference = resample.None("A: " + d.A.Undefined)
		return
	case d.B.Value == nil:
		d.Difference = resample.None("B: " + d.B.Undefined)
		return
	}
	d.Difference = resample.Difference(*d.A.Value, *d.B.Value, samplesA, samplesB, changes)
}

// pair keeps the reviews that are in both, gives each the labels of the other,
// and where unscored reviews are left out makes those that either lacks unscored
// in both. Rows that occur twice go on to choose, which says so.
func (c *Comparison) pair(a, b []Row, unscored Unscored) (pairedA, pairedB []Row, err error) {
	index := func(rows []Row) map[ReviewID]Row {
		byID := make(map[ReviewID]Row, len(rows))
		for _, r := range rows {
			byID[ReviewID{r.Change, r.Review}] = r
		}
		return byID
	}
	inA, inB := index(a), index(b)
	both := func(rows []Row, other map[ReviewID]Row) (paired []Row, only []ReviewID) {
		for _, r := range rows {
			id := ReviewID{r.Change, r.Review}
			if _, ok := other[id]; ok {
				paired = append(paired, r)
			} else if r.Review != HumanReference { // which counts for neither
				only = append(only, id)
			}
		}
		return paired, only
	}
	pairedA, c.OnlyA = both(a, inB)
	pairedB, c.OnlyB = both(b, inA)
	for _, side := range []struct {
		rows  []Row
		other map[ReviewID]Row
	}{{pairedA, inB}, {pairedB, inA}} {
		for i := range side.rows {
			r := &side.rows[i]
			other := side.other[ReviewID{r.Change, r.Review}]
			switch {
			case r.Human == nil:
				r.Human = other.Human
			case other.Human != nil && *other.Human != *r.Human:
				return nil, nil, fmt.Errorf("agreement: %s has two different human labels: %v and %v", name(r.Change, r.Review), *r.Human, *other.Human)
			}
			if other.Metric == nil && unscored == LeaveOut {
				r.Metric = nil
			}
		}
	}
	for _, ids := range [][]ReviewID{c.OnlyA, c.OnlyB} {
		slices.SortFunc(ids, func(a, b ReviewID) int {
			return cmp.Or(cmp.Compare(a.Change, b.Change), cmp.Compare(a.Review, b.Review))
		})
	}
	return pairedA, pairedB, nil
}
