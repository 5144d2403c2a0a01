// Package compare tells which review systems have better scores: means with intervals,
// differences with tests that are corrected for their number, and groups of systems that
// are not shown to differ, over all changes and by language. It draws and tests changes,
// not single reviews. Report lays the result out as a page.
//
// The scores may be of any metric. Whether a metric agrees with people is the question of
// package agreement. The package knows no files and no flags.
package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"crscore/eval/resample"
	"crscore/internal/dataset"
)

// dimensions are the numbers of a score.
var dimensions = [3]string{"con", "comp", "rel"}

// Metrics are the names of the numbers that can be compared.
func Metrics() []string { return []string{"rel", "con", "comp"} }

// ChangeSet tells which changes the means are over.
type ChangeSet string

const (
	// Common are the changes that every system has a score for.
	Common ChangeSet = "common"
	// Own are, for a mean, the changes that the system has a score for, and for a
	// difference the changes that both systems have a score for.
	Own ChangeSet = "own"
)

// ChangeSets lists the values of ChangeSet.
func ChangeSets() []string { return []string{string(Common), string(Own)} }

// Options say what is compared and how.
type Options struct {
	// Metric is the number that systems are ordered and tested by; empty: rel, or the only
	// number of the scores.
	Metric string
	// Baseline is a system that all others are compared with; empty: all pairs.
	Baseline string
	// Correction is for the number of p-values; empty: Holm.
	Correction resample.Correction
	// Over tells which changes the means are over; empty: Common.
	Over ChangeSet
	// Mixed allows scores of different signatures.
	Mixed bool
	// Bootstrap says how changes are drawn for intervals.
	Bootstrap resample.Bootstrap
	// Flips says how scores are exchanged for tests.
	Flips resample.Flips
}

// Level is the level of significance of corrected p-values.
const Level = 0.05

// Report is what a study finds. Its JSON names are stable; numbers are not rounded,
// and an undefined number is null with the reason beside it.
type Report struct {
	// Metric is the number that systems are ordered and tested by.
	Metric string `json:"metric"`
	// LowerIsBetter marks distances. The best system has the lowest mean.
	LowerIsBetter bool `json:"lower_is_better,omitempty"`
	// Baseline is the system that all others are compared with.
	Baseline string `json:"baseline,omitempty"`
	// Correction is how p-values were corrected.
	Correction resample.Correction `json:"correction"`
	// Over tells which changes the means are over.
	Over  ChangeSet `json:"changes"`
	Group           // of all changes
	// Languages are sorted by name.
	Languages []Group `json:"languages,omitempty"`
	// Signatures are those of the scores, the most frequent first; none where no score
	// has one.
	Signatures []Signature `json:"signatures,omitempty"`
	// Warnings say what a reader has to know before the numbers.
	Warnings []string `json:"warnings,omitempty"`
	// Resamples is the number of draws behind the intervals.
	Resamples int `json:"resamples"`
	// Flips is the number of exchanges behind the tests.
	Flips int `json:"flips"`
	// Seed is the seed of draws and exchanges.
	Seed uint64 `json:"seed"`
}

// Group compares the systems over some of the changes.
type Group struct {
	// Name is the language; empty for all changes.
	Name string `json:"name,omitempty"`
	// All is the number of changes that some system has a review of.
	All int `json:"changes_all"`
	// Compared is the number of changes that the means are over.
	Compared int `json:"changes_compared"`
	// Systems are ordered by their mean, the best first.
	Systems []System `json:"systems"`
	// Pairs are ordered as Systems are. With a baseline, it is each pair's B.
	Pairs []Pair `json:"pairs"`
	// NoLetters says why systems have no letters, where there are all pairs.
	NoLetters string `json:"letters_undefined,omitempty"`
}

// System is one system's reviews.
type System struct {
	// Name is the id of its reviews, with the file where two files have it.
	Name string `json:"name"`
	// Human marks the reviews of people that came with the changes. They are compared
	// like those of any system.
	Human bool `json:"human_reference,omitempty"`
	// Scored is the number of its reviews with a score.
	Scored int `json:"scored"`
	// Unscored is the number of its reviews without a score.
	Unscored int `json:"unscored"`
	// Absent is the number of changes that it has no review of.
	Absent int `json:"absent"`
	// Changes is the number of changes that the means are over.
	Changes int `json:"changes"`
	// Con is the mean conciseness.
	Con resample.Estimate `json:"con,omitzero"`
	// Comp is the mean comprehensiveness.
	Comp resample.Estimate `json:"comp,omitzero"`
	// Rel is the mean relevance.
	Rel resample.Estimate `json:"rel,omitzero"`
	// Score is the mean of Report.Metric, in the place of Con, Comp and Rel, where the
	// scores are one number. It is nil elsewhere.
	Score *resample.Estimate `json:"score,omitempty"`
	// Letters: two systems that share one are not shown to differ; two that share none
	// are. There are none with a baseline.
	Letters string `json:"letters,omitempty"`
	// Values are the numbers of the metric that the mean is of.
	Values []float64 `json:"-"`

	at int // its place among the columns
}

// means are in the order of dimensions. Score is in the place of Rel.
func (s *System) means() [3]*resample.Estimate {
	if s.Score != nil {
		return [3]*resample.Estimate{&s.Con, &s.Comp, s.Score}
	}
	return [3]*resample.Estimate{&s.Con, &s.Comp, &s.Rel}
}

// Mean is the mean of one of Metrics, or Score.
func (s *System) Mean(metric string) resample.Estimate {
	if s.Score != nil {
		return *s.Score
	}
	return *s.means()[slices.Index(dimensions[:], metric)]
}

// Pair is the difference of two systems over the changes that both have a score for.
type Pair struct {
	// A is the first system.
	A string `json:"a"`
	// B is the second system, the baseline where there is one.
	B string `json:"b"`
	// Changes is the number of changes that both have a score for.
	Changes int `json:"changes"`
	// Difference is A's mean less B's, with the p-value of no difference, which is not
	// corrected.
	Difference resample.Estimate `json:"difference"`
	// Corrected is the p-value corrected for the number of the group's pairs.
	Corrected *float64 `json:"p_corrected"`
	// Exact tells that all exchanges were tried, not a sample.
	Exact bool `json:"exact,omitempty"`
	// Better is the number of changes where A's score is better than B's.
	Better int `json:"better"`
	// Tied is the number of changes where the scores are the same.
	Tied int `json:"tied"`
	// Worse is the number of changes where A's score is worse than B's.
	Worse int `json:"worse"`
}

// Differs reports whether the difference is significant.
func (p *Pair) Differs() bool { return p.Corrected != nil && *p.Corrected <= Level }

// ErrNothing means that no review has a score.
var ErrNothing = errors.New("no review has a score")

// Study compares the systems of an input. It is an error when no review has a score,
// a review occurs twice, scores have different signatures (a *MixedError), or no change
// has a score from every system.
func Study(ctx context.Context, in *Input, o Options) (Report, error) {
	o.Correction, o.Over = cmp.Or(o.Correction, resample.Holm), cmp.Or(o.Over, Common)
	systems, err := in.close()
	if err != nil {
		return Report{}, err
	}
	if in.metric == nil {
		return Report{}, ErrNothing
	}
	s := study{Options: o, baseline: -1, single: *in.metric != "", lower: in.lower, ids: slices.Sorted(maps.Keys(in.changes))}
	if err := s.choose(*in.metric); err != nil {
		return Report{}, err
	}
	o.Metric = s.Metric
	if !slices.Contains(ChangeSets(), string(o.Over)) {
		return Report{}, fmt.Errorf("unknown choice of changes %q: choose %s", o.Over, strings.Join(ChangeSets(), " or "))
	}
	s.columns = columnsOf(systems, len(in.changes))
	lacks := s.lacking()
	switch {
	case lacks[s.metric]:
		return Report{}, fmt.Errorf("no score has a %s: choose another metric", o.Metric)
	}
	if s.baseline, err = baseline(systems, o.Baseline); err != nil {
		return Report{}, err
	}
	r := Report{Metric: o.Metric, LowerIsBetter: s.lower, Correction: o.Correction, Over: o.Over, Signatures: in.signed(), Seed: o.Bootstrap.Seed}
	if len(r.Signatures) > 1 && !o.Mixed {
		return Report{}, &MixedError{r.Signatures}
	}
	if s.baseline >= 0 {
		r.Baseline = systems[s.baseline].label
		if !s.columns[s.baseline].has(s.metric) {
			return Report{}, fmt.Errorf("the baseline %s has no score to compare with", r.Baseline)
		}
	}
	if r.Resamples, err = o.Bootstrap.Draws(); err != nil {
		return Report{}, err
	}
	if r.Flips, err = o.Flips.Number(); err != nil {
		return Report{}, err
	}
	all := make([]int32, len(in.changes))
	for i := range all {
		all[i] = int32(i)
	}
	if r.Group, err = s.group(ctx, "", all); err != nil {
		return Report{}, err
	}
	if o.Over == Common && r.Compared == 0 {
		return Report{}, s.nothingInCommon(systems)
	}
	byLanguage, none := map[string][]int32{}, 0
	for c, l := range in.langs {
		if l == "" {
			none++
			continue
		}
		byLanguage[l] = append(byLanguage[l], int32(c))
	}
	for _, l := range slices.Sorted(maps.Keys(byLanguage)) {
		g, err := s.group(ctx, l, byLanguage[l])
		if err != nil {
			return Report{}, fmt.Errorf("%s: %w", l, err)
		}
		r.Languages = append(r.Languages, g)
	}
	r.warn(in, &s, none)
	return r, nil
}

// choose finds the metric among the numbers of the scores: those of one metric, or con,
// comp and rel where its name is empty.
func (s *study) choose(of string) error {
	s.Metric = cmp.Or(s.Metric, of, "rel")
	s.metric = slices.Index(dimensions[:], s.Metric)
	switch {
	case s.single && (s.Metric == of || of == anyScore && s.metric >= 0):
		s.Metric, s.metric = of, 2
	case s.single:
		return fmt.Errorf("no score has a %s: they are of %s", s.Metric, of)
	case s.metric < 0:
		return fmt.Errorf("unknown metric %q: choose %s", s.Metric, strings.Join(Metrics(), ", "))
	}
	return nil
}

// baseline finds a system by its label, or by its name where that is the only one.
func baseline(systems []*system, name string) (int, error) {
	if name == "" {
		return -1, nil
	}
	found := -1
	var labels []string
	for i, s := range systems {
		labels = append(labels, s.label)
		switch {
		case s.label == name:
			return i, nil
		case s.name != name:
		case found >= 0:
			return 0, fmt.Errorf("there are several systems %s: choose %s", name, strings.Join(slices.DeleteFunc(labelsOf(systems), func(l string) bool { return !strings.HasPrefix(l, name+" (") }), ", "))
		default:
			found = i
		}
	}
	if found < 0 {
		const most = 10
		if more := len(labels) - most; more > 0 {
			labels = append(labels[:most], fmt.Sprintf("and %d more", more))
		}
		return 0, fmt.Errorf("there is no system %s, but: %s", name, strings.Join(labels, ", "))
	}
	return found, nil
}

func labelsOf(systems []*system) (labels []string) {
	for _, s := range systems {
		labels = append(labels, s.label)
	}
	return labels
}

// column is a system's scores over all changes of the input.
type column struct {
	label  string
	human  bool
	values [3][]float64 // NaN without a score
	state  []state
	scored int
}

type state uint8

const (
	absent state = iota
	unscored
	scored
)

func columnsOf(systems []*system, changes int) []column {
	out := make([]column, len(systems))
	for i, s := range systems {
		c := column{label: s.label, human: s.name == dataset.HumanReference, state: make([]state, changes)}
		for d := range c.values {
			c.values[d] = make([]float64, changes)
		}
		for k := range s.rows {
			r := &s.rows[k]
			c.state[r.change] = unscored
			if r.scored() {
				c.state[r.change] = scored
				c.scored++
			}
			for d, v := range r.values {
				c.values[d][r.change] = v
			}
		}
		out[i] = c
	}
	return out
}

// study is what the groups have in common.
type study struct {
	Options
	ids              []string // of the changes, sorted
	columns          []column
	metric, baseline int
	single           bool // there is one number, in the place of rel
	lower            bool // is better
}

// lacking tells which numbers no score has.
func (s *study) lacking() [3]bool {
	lacks := [3]bool{true, true, true}
	for i := range s.columns {
		for d := range lacks {
			lacks[d] = lacks[d] && !s.columns[i].has(d)
		}
	}
	return lacks
}

// has reports whether the system's scores have a number in a dimension. All of a file
// have it, or none, so that one speaks for all.
func (c *column) has(dimension int) bool {
	i := slices.Index(c.state, scored)
	return i >= 0 && !math.IsNaN(c.values[dimension][i])
}
