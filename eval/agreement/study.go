// Package agreement tells how well a metric agrees with people, and how sure that
// is: correlations of its scores with human labels, over all reviews, languages
// and systems (Tabulate), of the order of the systems (Rank), beside another
// metric's (Compare); its mean at each label (MeasureSensitivity); and how well
// its similarities find what annotators linked (Match). It takes values and gives
// values; files, flags and the way to the scores stay outside, and so does
// everything about changes, claims and models. Thresholds are calibrated
// elsewhere.
package agreement

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

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
// several annotators).
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

// Report is the agreement of a metric with people. Its JSON names are stable;
// numbers are not rounded, and an undefined number is null with the reason
// beside it.
type Report struct {
	// Reviews counts the reviews with scores and labels: what Con, Comp and Rel
	// are computed on.
	Reviews int `json:"reviews"`
	// LeftOut counts the others, by the first reason that holds.
	LeftOut LeftOut `json:"left_out"`

	// Con, Comp and Rel compare the metric's value with the human label of the
	// same dimension over all reviews. The paper's values on its 2,619 reviews, at
	// τ = 0.7314 with claims of a 6.7B model and mxbai-embed-large, are ρ 0.5049,
	// 0.5754, 0.5431 and τ-b 0.4491, 0.4974, 0.4567 (Table 9). For Rel, chrF++
	// reaches ρ 0.2057, BLEU none, and GPT-4o as a judge 0.605 (Table 3).
	Con  Correlation `json:"con"`
	Comp Correlation `json:"comp"`
	Rel  Correlation `json:"rel"`

	// Links says how well the similarity finds what a review talks about; nil
	// without any link. It needs no threshold, unlike the paper's Table 4
	// (precision, recall and F1 over τ for the same links).
	Links *LinkReport `json:"links,omitempty"`
	// Coverage says, for each kind of point that people marked as necessary, how
	// many the references match; empty where nobody marked any.
	Coverage []Coverage `json:"coverage,omitempty"`
}

// LeftOut counts the reviews that a study did not use.
type LeftOut struct {
	HumanReference int `json:"human_reference"`
	Unlabelled     int `json:"unlabelled"`
	Unscored       int `json:"unscored"`
}

// Correlation is the rank agreement in one dimension.
type Correlation struct {
	// Spearman (ρ) and KendallTauB (τ-b) are in [-1, 1]: 1 when metric and people
	// order all reviews alike, 0 when the orders are unrelated. Labels from 1 to 5
	// are full of ties, so that not even a perfect metric with finer values gets 1.
	// Both are nil when they are undefined.
	Spearman    *float64 `json:"spearman"`
	KendallTauB *float64 `json:"kendall_tau_b"`
	// N is the number of reviews.
	N int `json:"n"`
	// Undefined is the reason why the two are nil.
	Undefined string `json:"undefined,omitempty"`
}

// LinkReport is the agreement of similarities with the annotators' links.
type LinkReport struct {
	// ROCAUC is the probability that a linked pair is more similar than another
	// pair; 0.5 is chance. Nil when it is undefined.
	ROCAUC *float64 `json:"roc_auc"`
	// Linked and Other count the pairs of a review and a reference that it
	// addresses, and those that it does not.
	Linked int `json:"linked"`
	Other  int `json:"other"`
	// LeftOut counts the pairs of human references.
	LeftOut int `json:"left_out"`
	// Undefined is the reason why ROCAUC is nil.
	Undefined string `json:"undefined,omitempty"`
}

// Study compares a metric with people. Rows and links may be in any order.
//
// It is an error, naming the review, when a label is outside 1 to 5, a score or
// similarity is not a finite number, or a review occurs twice; and when fewer
// than MinReviews reviews have both scores and labels. A number that cannot be
// computed (all values tied, one class of links only) is not an error: the
// report says why it is undefined.
func Study(rows []Row, links []Link) (Report, error) {
	used, leftOut, err := choose(rows, LeaveOut)
	if err != nil {
		return Report{}, err
	}
	r := Report{Reviews: len(used), LeftOut: leftOut}
	var metric, human []Scores
	for _, row := range used {
		metric, human = append(metric, *row.Metric), append(human, *row.Human)
	}
	for i, c := range r.correlations() {
		if *c, err = correlate(values(metric, dimensions[i].of), values(human, dimensions[i].of)); err != nil {
			return Report{}, fmt.Errorf("agreement: %s: %w", dimensions[i].name, err)
		}
	}
	if r.Links, err = studyLinks(links); err != nil {
		return Report{}, fmt.Errorf("agreement: %w", err)
	}
	return r, nil
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
	seen := make(map[ReviewID]bool, len(rows))
	for _, row := range rows {
		if err := row.check(); err != nil {
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

// ReviewID names a review.
type ReviewID struct {
	Change string `json:"id"`
	Review string `json:"review"`
}

// correlations returns the three dimensions in the order of dimensions.
func (r *Report) correlations() [3]*Correlation {
	return [3]*Correlation{&r.Con, &r.Comp, &r.Rel}
}

// check returns what is wrong with a row's numbers.
func (row Row) check() error {
	for _, d := range dimensions {
		if row.Human != nil {
			if label := d.of(*row.Human); !(label >= 1 && label <= 5) {
				return fmt.Errorf("the human label for %s is %g, not between 1 and 5", d.name, label)
			}
		}
		if row.Metric != nil {
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

func values(scores []Scores, of func(Scores) float64) []float64 {
	out := make([]float64, len(scores))
	for i, s := range scores {
		out[i] = of(s)
	}
	return out
}

// correlate compares one dimension. Both statistics are defined for the same
// vectors, so that one reason serves both.
func correlate(metric, human []float64) (Correlation, error) {
	c := Correlation{N: len(metric)}
	switch {
	case !varies(metric):
		c.Undefined = "all scores are tied"
		return c, nil
	case !varies(human):
		c.Undefined = "all human labels are tied"
		return c, nil
	}
	rho, err := Spearman(metric, human)
	if err != nil {
		return c, err
	}
	tau, err := KendallTauB(metric, human)
	if err != nil {
		return c, err
	}
	c.Spearman, c.KendallTauB = &rho, &tau
	return c, nil
}

func studyLinks(links []Link) (*LinkReport, error) {
	if len(links) == 0 {
		return nil, nil
	}
	var r LinkReport
	var scores []float64
	var labels []bool
	for _, l := range links {
		if err := l.check(); err != nil {
			return nil, err
		}
		switch {
		case l.Review == HumanReference:
			r.LeftOut++
			continue
		case l.Addressed:
			r.Linked++
		default:
			r.Other++
		}
		scores, labels = append(scores, l.Similarity), append(labels, l.Addressed)
	}
	switch {
	case r.Linked == 0:
		r.Undefined = "no pair is linked"
		return &r, nil
	case r.Other == 0:
		r.Undefined = "every pair is linked"
		return &r, nil
	}
	auc, err := ROCAUC(scores, labels)
	if err != nil {
		return nil, err
	}
	r.ROCAUC = &auc
	return &r, nil
}

// WriteText prints the report as a small table for people, with numbers rounded
// to four digits.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Agreement with human labels: %d reviews (left out: human reference: %d, without labels: %d, unscored: %d)\n\n",
		r.Reviews, r.LeftOut.HumanReference, r.LeftOut.Unlabelled, r.LeftOut.Unscored)
	t := tabwriter.NewWriter(&b, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tSpearman ρ\tKendall τ-b\tn\t")
	for i, c := range r.correlations() {
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t\n", dimensions[i].name, text(c.Spearman), text(c.KendallTauB), c.N)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for i, c := range r.correlations() {
		if c.Undefined != "" {
			fmt.Fprintf(&b, "%s is undefined: %s\n", dimensions[i].name, c.Undefined)
		}
	}
	if l := r.Links; l != nil {
		fmt.Fprintf(&b, "\nSimilarity of linked pairs: ROC-AUC %s, %d linked and %d other pairs (left out: human reference: %d)\n",
			text(l.ROCAUC), l.Linked, l.Other, l.LeftOut)
		if l.Undefined != "" {
			fmt.Fprintf(&b, "ROC-AUC is undefined: %s\n", l.Undefined)
		}
	}
	for _, c := range r.Coverage {
		fmt.Fprintf(&b, "\nPoints that people marked as necessary (%s): %d, mean similarity of the nearest reference %.4f", cmp.Or(c.Kind, "of no kind"), c.Points, c.Mean)
		if c.Matched != nil {
			fmt.Fprintf(&b, ", matched %d (%.1f%%)", *c.Matched, 100*float64(*c.Matched)/float64(c.Points))
		}
	}
	if len(r.Coverage) > 0 {
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func text(v *float64) string {
	if v == nil {
		return "undefined"
	}
	return fmt.Sprintf("%.4f", *v)
}
