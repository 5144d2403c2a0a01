package agreement

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"crscore/internal/dataset"
)

// HumanReference is the id of the review that a person wrote for the change. This
// package leaves it out of all numbers.
const HumanReference = dataset.HumanReference

// MinReviews is the smallest number of reviews with scores and labels that a study
// reports on.
const MinReviews = 10

// Scores are the three dimensions of one review: a metric's values (any scale, higher is
// better) or human labels (1 to 5, with fractions for the mean of several annotators). A
// metric that lacks a dimension has NaN there in all of its scores.
type Scores struct {
	// Con is conciseness, Comp comprehensiveness, Rel relevance.
	Con, Comp, Rel float64
}

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
	// Change and Review are ids. The review's id is the system that wrote it.
	Change, Review string
	// Language is the language of the change. Only Tabulate uses it.
	Language string
	// Metric is nil when the review is unscored.
	Metric *Scores
	// Human is nil when nobody labelled the review.
	Human *Scores
	// Pull is the pull request of the change, empty for none. Only MeasureValidity uses it
	// and what follows.
	Pull string
	// Valid says whether people found the comment right; nil where nobody judged it.
	Valid *bool
	// Other has the scores against the change of another repository, nil without.
	Other *Scores
}

// Link is one pair of a review and a reference that annotators checked.
type Link struct {
	// Change and Review are ids.
	Change, Review string
	// Reference is its number from 1, which only errors use.
	Reference int
	// Similarity is between the reference and the review's most similar sentence.
	Similarity float64
	// Addressed tells that a person found the reference in the review.
	Addressed bool
}

// LeftOut has the numbers of reviews that a study did not use.
type LeftOut struct {
	// HumanReference is the number of reviews that people wrote for the change.
	HumanReference int `json:"human_reference"`
	// Unlabelled is the number of reviews without labels.
	Unlabelled int `json:"unlabelled"`
	// Unscored is the number of reviews without a score.
	Unscored int `json:"unscored"`
}

// Unscored tells how a study treats reviews without a score.
type Unscored int

const (
	// LeaveOut leaves unscored reviews out.
	LeaveOut Unscored = iota
	// AsZero takes 0 for the score. It is for metrics whose lowest value is 0.
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
	// Change is the id of the change.
	Change string `json:"id"`
	// Review is the id of the review within the change.
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
