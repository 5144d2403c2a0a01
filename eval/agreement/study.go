// Package agreement measures how well a metric agrees with people, and how sure that is.
// Study does all of it:
//
//   - Tabulate: correlations of scores with human labels, over all reviews, by language
//     and by system;
//   - Rank: the correlation of the systems' means;
//   - MeasureSensitivity: the mean score at each label;
//   - Match: how well similarities find the pairs that annotators linked;
//   - FindWorst: the reviews that the metric is most wrong about.
//
// Compare tells which of two metrics agrees better. Results lays everything out as a page.
// The package works on values: it knows no files, flags, changes or models. Thresholds are
// chosen in package calibration.
package agreement

import (
	"context"
	"slices"

	"crscore/eval/resample"
)

type (
	// Bootstrap says how changes are drawn for intervals.
	Bootstrap = resample.Bootstrap
	// Estimate is a number with its interval.
	Estimate = resample.Estimate
)

// Input has the data of a study. Its slices may be in any order.
type Input struct {
	// Rows are the reviews.
	Rows []Row
	// Links are the pairs that annotators checked; none where they checked none.
	Links []Link
	// Points are the references that annotators marked as necessary.
	Points []Point
	// Tau is the threshold of the scores; nil in a mode without one, and where it is not
	// known.
	Tau *float64
	// Metric is the name of the number that stands for con, comp and rel in all rows; empty
	// where they are three numbers.
	Metric string
	// Turned tells that lower numbers were better, and that the rows have them with the
	// sign turned.
	Turned bool
}

// Report is the agreement of a metric with people. Its JSON names are stable;
// numbers are not rounded, and an undefined number is null with the reason
// beside it.
type Report struct {
	Counted // unscored reviews are left out
	// AsZero takes 0 for the score of unscored reviews. It is nil where every review has a
	// score, and where NoZero says why 0 would be no score.
	AsZero *Counted `json:"unscored_as_zero,omitempty"`
	// NoZero says why there is no AsZero although reviews are unscored.
	NoZero string `json:"unscored_as_zero_undefined,omitempty"`
	// Worst are the reviews that the metric is most wrong about.
	Worst Worst `json:"worst"`
	// Matching is nil without links.
	Matching *Matching `json:"matching,omitempty"`
	// Coverage has, for each kind of necessary references, how many match a reference of the
	// change; empty where annotators marked none.
	Coverage []Coverage `json:"coverage,omitempty"`
}

// Counted has the numbers that depend on the treatment of unscored reviews.
type Counted struct {
	// Agreement has the correlations with the labels.
	Agreement Table `json:"agreement"`
	// Ranking has the order of the systems.
	Ranking Ranking `json:"ranking"`
	// Sensitivity has the mean score at each label.
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
		switch {
		case in.Turned:
			r.NoZero = "0 is the best value where lower is better"
		case slices.ContainsFunc(in.Rows, below):
			r.NoZero = "the metric has values below 0"
		default:
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
