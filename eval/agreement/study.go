// Package agreement tells how well a metric agrees with people, and how sure that
// is: correlations of its scores with human labels, over all reviews, languages
// and systems (Tabulate), of the order of the systems (Rank), beside another
// metric's (Compare); its mean at each label (MeasureSensitivity); how well its
// similarities find what annotators linked (Match); and the reviews that it is most
// wrong about (FindWorst). Study asks all of it. It takes values and gives values;
// files, flags and the way to the scores stay outside, and so does everything about
// changes, claims and models. Thresholds are calibrated elsewhere.
package agreement

import (
	"context"
	"slices"

	"crscore/eval/resample"
)

// How sure numbers are is said as in every study.
type (
	Bootstrap = resample.Bootstrap
	Estimate  = resample.Estimate
)

// Input is what a study is made of. Its slices may be in any order.
type Input struct {
	Rows   []Row
	Links  []Link
	Points []Point
	Tau    *float64 // of the scores; nil in a mode without one, and where it is not known
}

// Report is the agreement of a metric with people. Its JSON names are stable;
// numbers are not rounded, and an undefined number is null with the reason
// beside it.
type Report struct {
	Counted // unscored reviews are left out
	// AsZero counts unscored reviews as 0 instead. It is nil where every review has a
	// score, and where 0 would be no score: NoZero says so.
	AsZero *Counted `json:"unscored_as_zero,omitempty"`
	NoZero string   `json:"unscored_as_zero_undefined,omitempty"`
	Worst  Worst    `json:"worst"`
	// Matching is nil without links.
	Matching *Matching `json:"matching,omitempty"`
	// Coverage says, for each kind of point that people marked as necessary, how
	// many the references match; empty where nobody marked any.
	Coverage []Coverage `json:"coverage,omitempty"`
}

// Counted are the numbers that depend on how unscored reviews count.
type Counted struct {
	Agreement   Table       `json:"agreement"`
	Ranking     Ranking     `json:"ranking"`
	Sensitivity Sensitivity `json:"sensitivity"`
}

// Study compares a metric with people in every way, with at most worst cases at
// each end.
//
// It is an error, naming the review, when a label is outside 1 to 5, a score or
// similarity is not a finite number, or a review occurs twice; and when fewer
// than MinReviews reviews have both scores and labels. A number that cannot be
// computed (all values tied, one class of links only) is not an error: the
// report says why it is undefined.
func Study(ctx context.Context, in Input, worst int, b Bootstrap) (Report, error) {
	var r Report
	var err error
	if r.Counted, err = count(ctx, in.Rows, Options{b, LeaveOut}); err != nil {
		return Report{}, err
	}
	if r.Agreement.LeftOut.Unscored > 0 {
		below := func(row Row) bool {
			return row.Metric != nil && (row.Metric.Con < 0 || row.Metric.Comp < 0 || row.Metric.Rel < 0)
		}
		if slices.ContainsFunc(in.Rows, below) {
			r.NoZero = "the metric has values below 0"
		} else {
			zero, err := count(ctx, in.Rows, Options{b, AsZero})
			if err != nil {
				return Report{}, err
			}
			r.AsZero = &zero
		}
	}
	if r.Worst, err = FindWorst(in.Rows, worst); err != nil {
		return Report{}, err
	}
	if len(in.Links) > 0 {
		m, err := Match(ctx, in.Links, thresholds(in.Tau), b)
		if err != nil {
			return Report{}, err
		}
		r.Matching = &m
	}
	r.Coverage, err = Cover(in.Points, in.Tau)
	return r, err
}

func count(ctx context.Context, rows []Row, o Options) (c Counted, err error) {
	if c.Agreement, err = Tabulate(ctx, rows, o); err != nil {
		return c, err
	}
	if c.Ranking, err = Rank(ctx, rows, o); err != nil {
		return c, err
	}
	c.Sensitivity, err = MeasureSensitivity(ctx, rows, o)
	return c, err
}

// thresholds are those at which a study looks at the links: every fiftieth of the
// scale, and the one of the scores.
func thresholds(tau *float64) (taus []float64) {
	for i := 1; i < 50; i++ {
		taus = append(taus, float64(2*i)/100)
	}
	if tau != nil {
		taus = append(taus, *tau)
	}
	return taus
}
