// Package calibration finds the parameters of a scoring mode on data: the paper's
// threshold, which needs no labels, or the one that agrees best with people. What
// was fitted is measured on changes that it was not fitted on, and comes with an
// interval.
//
// It works on values: a Table, which is filled from blocks of similarity matrices.
// Files, flags, texts, encoders and models may not come in; the engine that made
// the similarities is not known here. Statistics of finished scores are in package
// agreement.
package calibration

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/montanaflynn/stats"

	"crscore/eval/agreement"
	"crscore/eval/resample"
	"crscore/score"
)

// Rule says what makes a threshold a good one.
type Rule string

const (
	// Paper takes for τ the mean of each sentence's best similarity. It needs no
	// labels, and is for mode hard.
	Paper Rule = "paper"
	// F1 finds best what annotators linked: most of the linked pairs are above τ,
	// and most pairs above it are linked. It is for mode hard. (F1 of expected
	// values is highest where mode ramp or calibrated is hard, so it cannot choose
	// their other parameter.)
	F1 Rule = "f1"
	// Spearman agrees best with the order that people's labels for rel put reviews in.
	Spearman Rule = "spearman"
	// Likelihood makes what annotators linked most probable (Platt scaling). It is
	// for mode calibrated.
	Likelihood Rule = "likelihood"
)

// Rules are those of a mode, the default first; none for a mode without
// parameters.
func Rules(m score.Mode) []Rule {
	switch m {
	case score.Hard:
		return []Rule{Paper, F1, Spearman}
	case score.Ramp:
		return []Rule{Spearman}
	case score.Calibrated:
		return []Rule{Likelihood, Spearman}
	}
	return nil
}

// Options say what is fitted and how. Mode is required.
type Options struct {
	Mode score.Mode
	Rule Rule // empty: the first of Rules
	// System restricts rule paper to the reviews of one system ("best system
	// only"); empty: all but the human reference.
	System string
	// Folds is the number of parts that changes are dealt to; 0: DefaultFolds.
	Folds int
	// Resamples is the number of draws of the bootstrap; 0: as agreement has it.
	Resamples int
	// Seed is that of folds and draws.
	Seed uint64
	// Weights are candidates for the weights of references, among which rule
	// spearman chooses; the first of them is the others'. Empty: all weigh alike.
	Weights []score.Weights
}

// DefaultFolds is the number of folds when nobody says otherwise.
const DefaultFolds = 5

// MaxFolds bounds the folds: each is one more fit.
const MaxFolds = 1000

// Report is what was found. Its JSON names are stable; numbers are not rounded
// (parameters are, to four digits, before anything is measured with them), and
// an undefined number is null with the reason beside it.
type Report struct {
	Mode score.Mode `json:"mode"`
	Rule Rule       `json:"rule"`
	// Explained says in a sentence how the rule chose.
	Explained string     `json:"explained"`
	Chosen    Parameters `json:"chosen"`
	// Intervals are 95% percentile intervals by the bootstrap over changes.
	Intervals Intervals `json:"intervals"`
	// Measure names what Fitted, HeldOut and the folds are values of.
	Measure string  `json:"measure"`
	Fitted  float64 `json:"fitted"`
	HeldOut HeldOut `json:"held_out"`
	Folds   []Fold  `json:"folds"`
	Seed    uint64  `json:"seed"`

	Counts Counts `json:"counts"`
	// Modes compares all modes; empty where there are no labels to compare by.
	Modes *Modes `json:"modes,omitempty"`
	// ModesUndefined says why there are labels and no comparison.
	ModesUndefined string `json:"modes_undefined,omitempty"`
	// Sweep has the chosen rule at every threshold.
	Sweep []Threshold `json:"sweep"`
	// Similarities are counted in equal bins.
	Similarities Histogram `json:"similarities"`
}

// Parameters are those of a rule; the ones that its mode lacks are nil.
type Parameters struct {
	Tau     *float64 `json:"tau,omitempty"`
	Low     *float64 `json:"low,omitempty"`
	Slope   *float64 `json:"slope,omitempty"`
	Weights string   `json:"weights,omitempty"`
	rule    score.Rule
}

// Scoring is the rule with these parameters.
func (p Parameters) Scoring() score.Rule { return p.rule }

func parameters(r score.Rule) Parameters {
	p := Parameters{Weights: r.Weights.String(), rule: r}
	p.Tau, p.Low, p.Slope = r.Parameters()
	return p
}

// Intervals are those of the parameters.
type Intervals struct {
	Resamples int         `json:"resamples"`
	Tau       *[2]float64 `json:"tau"`
	Low       *[2]float64 `json:"low,omitempty"`
	Slope     *[2]float64 `json:"slope,omitempty"`
	// Degenerate counts the draws on which nothing can be fitted.
	Degenerate int    `json:"degenerate_resamples,omitempty"`
	Undefined  string `json:"undefined,omitempty"`
}

// HeldOut is the value on changes that the rule was fitted without.
type HeldOut struct {
	// Pooled is the value over all of them together, each measured with the rule
	// of its fold; Mean the mean of the folds' values.
	Pooled *float64 `json:"pooled"`
	Mean   *float64 `json:"mean"`
	// Undefined counts the folds without a value, which Mean leaves out.
	Undefined int `json:"undefined_folds,omitempty"`

	defined int
}

// add takes the value of the next fold, nil where there is none.
func (h *HeldOut) add(v *float64) {
	if v == nil {
		h.Undefined++
		return
	}
	mean := *v
	if h.defined++; h.Mean != nil {
		mean = *h.Mean + (*v-*h.Mean)/float64(h.defined)
	}
	h.Mean = &mean
}

// Fold is one part of the changes.
type Fold struct {
	Changes int `json:"changes"` // held out
	Parameters
	Fitted  *float64 `json:"fitted"` // without the fold
	HeldOut *float64 `json:"held_out"`
}

// Counts say what there was.
type Counts struct {
	Changes  int `json:"changes"`
	Reviews  int `json:"reviews"` // scored, without the human reference
	Labelled int `json:"labelled"`
	Pairs    int `json:"pairs"`
	Linked   int `json:"linked"`
	// Used counts the changes that the rule was fitted on.
	Used           int `json:"used_changes"`
	Unscored       int `json:"unscored"`
	HumanReference int `json:"human_reference"`
}

// maxSteps bounds the work of the bootstrap; it draws less often before it
// takes longer.
const maxSteps = 5e9

// Calibrate fits a rule. The same table, in whatever order it was filled, and
// options give the same report.
//
// The error says what is missing: labels or links, or two classes of them, 10
// reviews, as many changes as folds, a system of that name, values that differ.
func (t *Table) Calibrate(ctx context.Context, o Options) (Report, error) {
	t.prepare()
	if err := o.complete(); err != nil {
		return Report{}, err
	}
	f, err := t.fitter(o)
	if err != nil {
		return Report{}, err
	}
	used := f.used()
	fold, err := t.deal(used, o.Folds, o.Seed)
	if err != nil {
		return Report{}, fmt.Errorf("rule %s: %w", o.Rule, err)
	}
	rep := Report{Mode: o.Mode, Rule: o.Rule, Explained: o.explain(), Measure: f.name(), Seed: o.Seed, Counts: t.counts(used)}
	if err := rep.fit(ctx, f, fold, o); err != nil {
		return Report{}, err
	}
	drawn, err := f.fit(ctx, draws(used, o.draws(f), o.Seed))
	if err != nil {
		return Report{}, err
	}
	rep.Intervals = intervals(o.Mode, drawn, rep.Counts.Used)
	if rep.Modes, rep.ModesUndefined, err = t.modes(ctx, o); err != nil {
		return Report{}, err
	}
	rep.Sweep, err = t.sweep(ctx, rep.Chosen.rule)
	rep.Similarities = t.histogram()
	return rep, err
}

// Check returns what is wrong with options, before any data is there.
func (o Options) Check() error { return o.complete() }

// complete fills in what is left open and checks the rest.
func (o *Options) complete() error {
	rules := Rules(o.Mode)
	if len(rules) == 0 {
		if _, err := score.ParseMode(string(o.Mode)); err != nil {
			return err
		}
		return fmt.Errorf("mode %s has no parameters: there is nothing to calibrate", o.Mode)
	}
	if o.Rule == "" {
		o.Rule = rules[0]
	}
	if err := o.fits(rules); err != nil {
		return err
	}
	if o.System != "" && o.Rule != Paper {
		return fmt.Errorf("one system alone is for rule paper, not for rule %s", o.Rule)
	}
	if o.Folds == 0 {
		o.Folds = DefaultFolds
	}
	if o.Folds < 2 || o.Folds > MaxFolds {
		return fmt.Errorf("%d folds: need 2 to %d", o.Folds, MaxFolds)
	}
	if o.Resamples == 0 {
		o.Resamples = resample.DefaultResamples
	}
	if o.Resamples < resample.MinResamples || o.Resamples > resample.MaxResamples {
		return fmt.Errorf("%d resamples: need %d to %d", o.Resamples, resample.MinResamples, resample.MaxResamples)
	}
	if len(o.Weights) == 0 {
		o.Weights = []score.Weights{nil}
	}
	for _, w := range o.Weights {
		if err := w.Check(); err != nil {
			return err
		}
	}
	if len(o.Weights) > 1 && o.Rule != Spearman {
		return fmt.Errorf("rule %s does not look at scores, so it cannot choose weights", o.Rule)
	}
	return nil
}

// fits returns an error for a rule that the mode cannot be fitted by.
func (o *Options) fits(rules []Rule) error {
	var names []string
	for _, r := range rules {
		if r == o.Rule {
			return nil
		}
		names = append(names, string(r))
	}
	choose := fmt.Sprintf("choose %s for mode %s", strings.Join(names, " or "), o.Mode)
	switch o.Rule {
	case Paper, F1:
		return fmt.Errorf("rule %s finds one threshold, and mode %s has two parameters: %s", o.Rule, o.Mode, choose)
	case Likelihood:
		return fmt.Errorf("rule %s fits probabilities, which mode %s does not have: %s", o.Rule, o.Mode, choose)
	case Spearman:
		return errors.New(choose)
	}
	return fmt.Errorf("unknown rule %q: choose paper, f1, spearman or likelihood", o.Rule)
}

func (o *Options) explain() string {
	switch o.Rule {
	case Paper:
		if o.System != "" {
			return fmt.Sprintf("paper: mean over all sentences of the reviews of %s of the similarity to the nearest reference", o.System)
		}
		return "paper: mean over all sentences of all systems' reviews of the similarity to the nearest reference"
	case F1:
		return "f1: best F1 of the pairs above tau on the pairs that annotators linked"
	case Likelihood:
		return "likelihood: logistic regression of annotators' links on the similarity (Platt scaling)"
	}
	return "spearman: best rank agreement of rel with human labels"
}

// fitter returns what fits the mode by the rule, or says what is missing.
func (t *Table) fitter(o Options) (fitter, error) {
	switch o.Rule {
	case Paper:
		if o.System != "" && t.names[o.System] == "" {
			return fitter{}, fmt.Errorf("there is no system %q: there are %s", o.System, strings.Join(t.Systems(), ", "))
		}
		n := t.nearestOf(o.System)
		if n.reviews < agreement.MinReviews {
			return fitter{}, fmt.Errorf("rule paper: %d scored reviews with sentences, need at least %d", n.reviews, agreement.MinReviews)
		}
		return n.fitter().weighing(o.Weights[0]), nil
	case F1, Likelihood:
		l := t.linkedPairs()
		switch {
		case l.count == 0:
			return fitter{}, fmt.Errorf("rule %s: nobody linked reviews to points in this data (refs_edited and addressed)", o.Rule)
		case l.positives == 0 || l.positives == l.count:
			return fitter{}, fmt.Errorf("rule %s: of %d pairs %d are linked, so there is only one class", o.Rule, l.count, l.positives)
		case l.reviews < agreement.MinReviews:
			return fitter{}, fmt.Errorf("rule %s: %d reviews with links, need at least %d", o.Rule, l.reviews, agreement.MinReviews)
		}
		if o.Rule == Likelihood {
			return likelihood{l}.fitter().weighing(o.Weights[0]), nil
		}
		return searched(matching{l}, t.candidates(score.Hard, o.Weights)), nil
	}
	l := t.rankedBy(o.Weights)
	switch n := len(l.reviews); {
	case n < agreement.MinReviews:
		return fitter{}, fmt.Errorf("rule spearman: %d reviews have both scores and human labels, need at least %d", n, agreement.MinReviews)
	case l.human[rel].count < 2:
		return fitter{}, fmt.Errorf("rule spearman: the rank agreement is undefined: the label for rel is the same for all %d reviews", n)
	}
	return searched(l, t.candidates(o.Mode, o.Weights)), nil
}

// weighing gives the rules that f finds the weights of references.
func (f fitter) weighing(w score.Weights) fitter {
	plain := f.fit
	f.fit = func(ctx context.Context, ws []weights) ([]fitted, error) {
		found, err := plain(ctx, ws)
		for i := range found {
			found[i].rule.Weights = w
		}
		return found, err
	}
	return f
}

// draws is how often the bootstrap draws.
func (o *Options) draws(f fitter) int {
	most := int(maxSteps / float64(max(f.steps, 1)))
	return min(o.Resamples, max(most, resample.MinResamples))
}

// fit fits the rule on everything and without each fold.
func (rep *Report) fit(ctx context.Context, f fitter, fold []int, o Options) error {
	all, train, test := parts(fold, o.Folds)
	found, err := f.fit(ctx, append([]weights{all}, train...))
	if err != nil {
		return err
	}
	if math.IsNaN(found[0].value) {
		return fmt.Errorf("rule %s: nothing can be fitted: %s", o.Rule, f.nothing)
	}
	rep.Chosen, rep.Fitted = parameters(found[0].rule), found[0].value
	rules := make([]score.Rule, o.Folds)
	worker := f.worker()
	whole := true
	for k, part := range found[1:] {
		held := Fold{Parameters: parameters(part.rule), Fitted: defined(part.value)}
		for i := range test[k] {
			held.Changes += int(test[k][i])
		}
		if held.Fitted == nil {
			whole = false
			held.Parameters = Parameters{}
		} else {
			rules[k] = part.rule
			worker.set(part.rule)
			held.HeldOut = defined(worker.value(test[k]))
		}
		rep.HeldOut.add(held.HeldOut)
		rep.Folds = append(rep.Folds, held)
	}
	if whole {
		rep.HeldOut.Pooled = defined(f.heldOut(rules, fold))
	}
	return nil
}

// defined is nil for what is not a number.
func defined(v float64) *float64 {
	if notFinite(v) {
		return nil
	}
	return &v
}

// maxDegenerate is the share of draws without a rule above which there is no
// interval: it would speak of the others only.
const maxDegenerate = 0.05

func intervals(mode score.Mode, drawn []fitted, changes int) Intervals {
	in := Intervals{Resamples: len(drawn)}
	var tau, low, slope []float64
	for _, d := range drawn {
		if math.IsNaN(d.value) {
			in.Degenerate++
			continue
		}
		tau, low, slope = append(tau, d.rule.Tau), append(low, d.rule.Low), append(slope, d.rule.Slope)
	}
	switch {
	case changes < 2:
		in.Undefined = "fewer than two changes"
		return in
	case float64(in.Degenerate) > maxDegenerate*float64(len(drawn)):
		in.Undefined = fmt.Sprintf("nothing can be fitted on %d of %d draws", in.Degenerate, len(drawn))
		return in
	}
	in.Tau = interval(tau)
	switch mode {
	case score.Ramp:
		in.Low = interval(low)
	case score.Calibrated:
		in.Slope = interval(slope)
	}
	return in
}

// interval is the middle 95% of the samples, nil without any.
func interval(samples []float64) *[2]float64 {
	low, errLow := stats.Percentile(samples, 2.5)
	high, errHigh := stats.Percentile(samples, 97.5)
	if errors.Join(errLow, errHigh) != nil {
		return nil
	}
	return &[2]float64{low, high}
}
