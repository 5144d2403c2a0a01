package agreement

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"crscore/internal/dataset"
)

// HumanReference is the id of the review that a person wrote for the change. It
// is no system under test, and is left out of every number here.
const HumanReference = dataset.HumanReference

// MinReviews is the smallest number of reviews with both scores and labels that
// a study reports on. Below it a rank correlation says next to nothing.
const MinReviews = 10

// Scores are the three dimensions of one review, as a metric's values (higher is
// better, any scale) or as human labels (1 to 5, fractions allowed for means of
// several annotators). A metric that lacks a dimension has NaN there, in all of its
// scores.
type Scores struct{ Con, Comp, Rel float64 }

// dimensions name the parts of Scores, in the order in which they are reported.
var dimensions = [3]struct {
	name string
	of   func(Scores) float64
}{
	{"con", func(s Scores) float64 { return s.Con }},
	{"comp", func(s Scores) float64 { return s.Comp }},
	{"rel", func(s Scores) float64 { return s.Rel }},
}

// Row is one review of one change.
type Row struct {
	Change, Review string  // ids; Review is the system that wrote it
	Language       string  // of the change; only a Table asks for it
	Metric         *Scores // nil when the review is unscored
	Human          *Scores // nil when nobody labelled it
}

// Link is one pair of a review and a reference that annotators checked.
type Link struct {
	Change, Review string
	Reference      int     // counted from 1; only to name the pair in errors
	Similarity     float64 // of the reference to the review's most similar sentence
	Addressed      bool    // a person says that the review talks about the reference
}

// LeftOut counts the reviews that a study did not use.
type LeftOut struct {
	HumanReference int `json:"human_reference"`
	Unlabelled     int `json:"unlabelled"`
	Unscored       int `json:"unscored"`
}

// Unscored says what becomes of reviews without a score.
type Unscored int

const (
	// LeaveOut leaves unscored reviews out: the agreement of the scores there are.
	LeaveOut Unscored = iota
	// AsZero counts unscored reviews as 0: the agreement of a metric that has to
	// answer. It is for metrics whose lowest value is 0.
	AsZero
)

// choose returns the rows that a study uses, in the order of changes and
// reviews, so that the order of the input moves no digit of a sum; and counts the
// others.
func choose(rows []Row, unscored Unscored) ([]Row, LeftOut, error) {
	var used []Row
	var left LeftOut
	lacks, err := lacking(rows)
	if err != nil {
		return nil, left, err
	}
	seen := make(map[ReviewID]bool, len(rows))
	for _, row := range rows {
		if err := row.check(lacks); err != nil {
			return nil, left, fmt.Errorf("agreement: %s: %w", name(row.Change, row.Review), err)
		}
		id := ReviewID{row.Change, row.Review}
		if seen[id] {
			return nil, left, fmt.Errorf("agreement: %s occurs twice", name(row.Change, row.Review))
		}
		seen[id] = true
		switch {
		case row.Review == HumanReference:
			left.HumanReference++
		case row.Human == nil:
			left.Unlabelled++
		case row.Metric == nil && unscored == LeaveOut:
			left.Unscored++
		default:
			if row.Metric == nil {
				row.Metric = &Scores{}
				for d, field := range row.Metric.fields() {
					if lacks[d] {
						*field = math.NaN()
					}
				}
			}
			used = append(used, row)
		}
	}
	if len(used) < MinReviews {
		return nil, left, fmt.Errorf("agreement: %d reviews have both scores and human labels, need at least %d (left out: human reference: %d, without labels: %d, unscored: %d)",
			len(used), MinReviews, left.HumanReference, left.Unlabelled, left.Unscored)
	}
	slices.SortFunc(used, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Change, b.Change), cmp.Compare(a.Review, b.Review))
	})
	return used, left, nil
}

func (s *Scores) fields() [3]*float64 { return [3]*float64{&s.Con, &s.Comp, &s.Rel} }

// lacking tells which dimensions the metric does not have: those that are NaN
// throughout. A metric without any is an error.
func lacking(rows []Row) (lacks [3]bool, err error) {
	scored := 0
	lacks = [3]bool{true, true, true}
	for _, row := range rows {
		if row.Metric == nil {
			continue
		}
		scored++
		for i, d := range dimensions {
			lacks[i] = lacks[i] && math.IsNaN(d.of(*row.Metric))
		}
	}
	switch {
	case scored == 0:
		return [3]bool{}, nil
	case lacks == [3]bool{true, true, true}:
		return lacks, errors.New("agreement: no score is a number")
	}
	return lacks, nil
}

// lacked says why the rows of choose have no numbers in a dimension, "" where they do.
func lacked(rows []Row, dimension int) string {
	if d := dimensions[dimension]; len(rows) > 0 && math.IsNaN(d.of(*rows[0].Metric)) {
		return "the metric has no " + d.name
	}
	return ""
}

// ReviewID names a review.
type ReviewID struct {
	Change string `json:"id"`
	Review string `json:"review"`
}

// check returns what is wrong with a row's numbers.
func (row Row) check(lacks [3]bool) error {
	for i, d := range dimensions {
		if row.Human != nil {
			if label := d.of(*row.Human); !(label >= 1 && label <= 5) {
				return fmt.Errorf("the human label for %s is %g, not between 1 and 5", d.name, label)
			}
		}
		if row.Metric != nil && !lacks[i] {
			if v := d.of(*row.Metric); math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("the score for %s is %g, not a finite number", d.name, v)
			}
		}
	}
	return nil
}

func name(change, review string) string {
	return fmt.Sprintf("review %q of change %q", review, change)
}
