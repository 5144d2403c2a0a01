// Package calibration chooses a scoring mode and its parameters on labelled data, measures
// the choice on held-out changes, and compares it with the rule in force.
//
//	var t calibration.Table
//	t.Add(block) // for each change
//	report, err := t.Calibrate(ctx, calibration.Options{InForce: ...})
//
// Without labels only the paper's threshold can be found. The package works on values: it
// knows no files, flags, texts, encoders or models. Package agreement has the statistics
// of finished scores.
package calibration

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/montanaflynn/stats"

	"crscore/eval/agreement"
	"crscore/eval/resample"
	"crscore/internal/limits"
	"crscore/score"
)

// Rule is a criterion by which parameters are fitted.
type Rule string

const (
	// Paper sets τ to the mean of each sentence's best similarity. It needs no labels
	// and is for mode hard.
	Paper Rule = "paper"
	// F1 takes the τ with the best F1 of the pairs above τ against the pairs that
	// annotators linked. It is for mode hard. (F1 of expected values is highest where
	// mode ramp or calibrated is hard, so it cannot choose their other parameter.)
	F1 Rule = "f1"
	// Spearman takes the best rank agreement of rel with the human labels.
	Spearman Rule = "spearman"
	// Likelihood makes the annotators' links most probable (Platt scaling). It is for
	// mode calibrated.
	Likelihood Rule = "likelihood"
)

// Rules lists the rules of a mode, the default first; none for a mode without parameters.
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

// Options select the rule to fit and the way to fit it.
type Options struct {
	// Mode is the mode to fit. Empty means the mode that agrees best with people on
	// held-out changes, among the modes that have the rule.
	Mode score.Mode
	// Comp is how Comp credits a reference in the modes that have a choice; empty: by the best
	// sentence. With score.CoverNoisyOr these modes are compared in both forms.
	Comp score.Coverage
	// Rule is how the mode is fitted; empty: the first of Rules, or any where the mode
	// is selected.
	Rule Rule
	// InForce is the rule to compare with; nil for none.
	InForce *InForce
	// System restricts rule paper to the reviews of one system ("best system
	// only"); empty: all but the human reference.
	System string
	// Folds is the number of parts that changes are dealt to; 0: DefaultFolds.
	Folds int
	// Resamples is the number of draws of the bootstrap; 0: as agreement has it.
	Resamples int
	// Seed is the seed of folds and draws.
	Seed uint64
	// Labels names the labels where they are not people's, such as "labels of judged.jsonl";
	// empty: human labels.
	Labels string
	// Weights are candidates for the weights of references, among which rule
	// spearman chooses; the first of them is the others'. Empty: all weigh alike.
	Weights []score.Weights
}

// DefaultFolds is the number of folds when nobody says otherwise.
const DefaultFolds = 5

// Report is the result of a calibration. Its JSON names are stable. Numbers are not
// rounded, but parameters are, to four digits, before anything is measured with them. An
// undefined number is null with the reason beside it.
type Report struct {
	// Mode is the mode that was fitted.
	Mode score.Mode `json:"mode"`
	// Rule is the criterion; empty for mode soft.
	Rule Rule `json:"rule"`
	// Explained says in a sentence how the rule chose.
	Explained string `json:"explained"`
	// Chosen has the parameters fitted on all changes.
	Chosen Parameters `json:"chosen"`
	// Intervals are 95% percentile intervals by the bootstrap over changes.
	Intervals Intervals `json:"intervals"`
	// Measure names the measure of Fitted, HeldOut and the folds.
	Measure string `json:"measure"`
	// Fitted is the measure on the changes that Chosen was fitted on.
	Fitted float64 `json:"fitted"`
	// HeldOut is the measure on held-out changes.
	HeldOut HeldOut `json:"held_out"`
	// Folds has the parameters and values of each fold.
	Folds []Fold `json:"folds"`
	// Seed is the seed of folds and draws.
	Seed uint64 `json:"seed"`

	// Counts has the numbers of changes, reviews and pairs.
	Counts Counts `json:"counts"`
	// Modes compares all modes; nil where that is not possible.
	Modes *Modes `json:"modes,omitempty"`
	// ModesUndefined says why the modes are not compared.
	ModesUndefined string `json:"modes_undefined,omitempty"`
	// Selection says how the mode was selected; nil where the mode was given.
	Selection *Selection `json:"selection,omitempty"`
	// Comparison sets the calibrated rule beside the rule in force.
	Comparison *Comparison `json:"comparison"`
	// Sweep has the chosen rule at every threshold.
	Sweep []Threshold `json:"sweep"`
	// Similarities are counted in equal bins.
	Similarities Histogram `json:"similarities"`

	labels string // their name
}

// Parameters are the parameters of a scoring rule; nil where the mode lacks one.
type Parameters struct {
	// Tau is the threshold, in ramp the upper one.
	Tau *float64 `json:"tau,omitempty"`
	// Low is the lower threshold of ramp.
	Low *float64 `json:"low,omitempty"`
	// Slope is the slope of calibrated.
	Slope *float64 `json:"slope,omitempty"`
	// Comp is how Comp credits a reference; empty: by the best sentence.
	Comp score.Coverage `json:"comp,omitempty"`
	// Weights are the weights of references, as score.ParseWeights reads them.
	Weights string `json:"weights,omitempty"`
	rule    score.Rule
}

// noisyOr leaves the form out that is the default.
func noisyOr(c score.Coverage) score.Coverage {
	if c == score.CoverNoisyOr {
		return c
	}
	return ""
}

// comp is the form of a mode.
func (o *Options) comp(m score.Mode) score.Coverage {
	if m.CanNoisyOr() {
		return noisyOr(o.Comp)
	}
	return ""
}

// Scoring returns the scoring rule with these parameters.
func (p Parameters) Scoring() score.Rule { return p.rule }

func parameters(r score.Rule) Parameters {
	p := Parameters{Comp: noisyOr(r.Comp), Weights: r.Weights.String(), rule: r}
	p.Tau, p.Low, p.Slope = r.Parameters()
	return p
}

// Intervals are the 95% intervals of the parameters.
type Intervals struct {
	// Resamples is the number of draws.
	Resamples int `json:"resamples"`
	// Tau is the interval of the threshold.
	Tau *[2]float64 `json:"tau"`
	// Low is the interval of the lower threshold of ramp.
	Low *[2]float64 `json:"low,omitempty"`
	// Slope is the interval of the slope of calibrated.
	Slope *[2]float64 `json:"slope,omitempty"`
	// Degenerate is the number of draws on which nothing can be fitted.
	Degenerate int `json:"degenerate_resamples,omitempty"`
	// Undefined says why there are no intervals.
	Undefined string `json:"undefined,omitempty"`
}

// HeldOut is the value on held-out changes.
type HeldOut struct {
	// Pooled is the value over all folds together, each scored by its own rule.
	Pooled *float64 `json:"pooled"`
	// Mean is the mean of the folds' values.
	Mean *float64 `json:"mean"`
	// Undefined is the number of folds without a value, which Mean leaves out.
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
	// Changes is the number of held-out changes.
	Changes int `json:"changes"`
	Parameters
	// Fitted is the measure on the changes outside the fold.
	Fitted *float64 `json:"fitted"`
	// HeldOut is the measure on the changes of the fold.
	HeldOut *float64 `json:"held_out"`
}

// Counts has the numbers of changes, reviews and pairs.
type Counts struct {
	// Changes is the number of all changes.
	Changes int `json:"changes"`
	// Reviews is the number of scored reviews without human references.
	Reviews int `json:"reviews"`
	// Labelled is the number of these with human labels.
	Labelled int `json:"labelled"`
	// Pairs is the number of pairs of a review and an annotators' reference.
	Pairs int `json:"pairs"`
	// Linked is the number of pairs that annotators linked.
	Linked int `json:"linked"`
	// Used is the number of changes that the rule was fitted on.
	Used int `json:"used_changes"`
	// Unscored is the number of unscored reviews.
	Unscored int `json:"unscored"`
	// HumanReference is the number of reviews that people wrote for the changes.
	HumanReference int `json:"human_reference"`
}

// Calibrate fits a rule. Equal tables and options give equal reports; the order in which
// the table was filled does not matter.
//
// The error names the missing data: labels or links, or two classes of them, 10 reviews, as
// many changes as folds, a system of that name, values that differ.
func (t *Table) Calibrate(ctx context.Context, o Options) (Report, error) {
	t.prepare()
	if err := o.complete(); err != nil {
		return Report{}, err
	}
	if !o.selects() { // report missing data before fitting
		if _, err := t.fitter(o); err != nil {
			return Report{}, err
		}
	}
	var rep Report
	if err := rep.compareModes(ctx, t, &o); err != nil {
		return Report{}, err
	}
	f, err := t.fitter(o)
	if err != nil {
		return Report{}, err
	}
	used := f.used()
	fold, err := t.assignFolds(used, o.Folds, o.Seed)
	if err != nil {
		return Report{}, fmt.Errorf("rule %s: %w", o.Rule, err)
	}
	rep.Mode, rep.Rule, rep.Explained, rep.Measure = o.Mode, o.Rule, o.explain(), f.name()
	rep.Seed, rep.Counts, rep.labels = o.Seed, t.counts(used), o.labels()
	if err := rep.fit(ctx, f, fold, o); err != nil {
		return Report{}, err
	}
	if f := o.InForce; f != nil && f.Rule != nil {
		rep.Comparison.Same = f.Rule.Signature() == rep.Chosen.rule.Signature()
	}
	rep.Similarities = t.histogram()
	if !o.Mode.UsesTau() {
		return rep, nil
	}
	drawn, err := f.fit(ctx, bootstrapWeights(used, o.draws(f), o.Seed))
	if err != nil {
		return Report{}, err
	}
	rep.Intervals = intervals(o.Mode, drawn, rep.Counts.Used)
	rep.Sweep, err = t.sweep(ctx, rep.Chosen.rule)
	return rep, err
}

// Check reports errors in options. It needs no data.
func (o Options) Check() error { return o.complete() }

// complete sets the defaults of empty options and checks the others.
func (o *Options) complete() error {
	if o.Comp != "" {
		if _, err := score.ParseCoverage(string(o.Comp)); err != nil {
			return err
		}
	}
	rules := Rules(o.Mode)
	switch {
	case o.selects():
		if err := o.selectable(); err != nil {
			return err
		}
	case len(rules) == 0:
		if _, err := score.ParseMode(string(o.Mode)); err != nil {
			return err
		}
		return fmt.Errorf("mode %s has no parameters: there is nothing to calibrate", o.Mode)
	default:
		if o.Rule == "" {
			o.Rule = rules[0]
		}
		if err := o.fits(rules); err != nil {
			return err
		}
		if o.Comp == score.CoverNoisyOr && !o.Mode.CanNoisyOr() {
			return fmt.Errorf("mode %s does not use comp noisy-or: leave it out or choose mode %s", o.Mode, score.Ramp)
		}
	}
	if o.System != "" && o.Rule != Paper {
		return fmt.Errorf("one system alone is for rule paper, not for rule %s", o.Rule)
	}
	if o.Folds == 0 {
		o.Folds = DefaultFolds
	}
	if o.Folds < 2 || o.Folds > limits.Folds {
		return fmt.Errorf("%d folds: need 2 to %d", o.Folds, limits.Folds)
	}
	if o.selects() && o.Folds > limits.SelectionFolds {
		return fmt.Errorf("%d folds: to select a mode, each pair of folds is one more fit of every mode; give at most %d folds, or a mode", o.Folds, limits.SelectionFolds)
	}
	if o.Resamples == 0 {
		o.Resamples = resample.DefaultResamples
	}
	if o.Resamples < resample.MinResamples || o.Resamples > limits.Resamples {
		return fmt.Errorf("%d resamples: need %d to %d", o.Resamples, resample.MinResamples, limits.Resamples)
	}
	if len(o.Weights) == 0 {
		o.Weights = []score.Weights{nil}
	}
	for _, w := range o.Weights {
		if err := w.Check(); err != nil {
			return err
		}
	}
	if len(o.Weights) > 1 && o.Rule != Spearman && !o.selects() {
		return fmt.Errorf("rule %s does not look at scores, so it cannot choose weights", o.Rule)
	}
	return nil
}

// selectable completes options that leave the mode open. The mode stays open where more
// than one has the rule.
func (o *Options) selectable() error {
	if o.System != "" && o.Rule == "" {
		o.Rule = Paper
	}
	var modes []score.Mode
	for _, m := range []score.Mode{score.Hard, score.Ramp, score.Calibrated} {
		if o.Rule == "" || slices.Contains(Rules(m), o.Rule) {
			modes = append(modes, m)
		}
	}
	switch len(modes) {
	case 0:
		return o.fits(nil)
	case 1:
		o.Mode = modes[0]
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
	case "":
		return "none: mode soft has no parameters to fit"
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
	return spearmanExplained + o.labels()
}

const spearmanExplained = "spearman: best rank agreement of rel with "

// labels names the labels.
func (o *Options) labels() string { return cmp.Or(o.Labels, "human labels") }

// RuleOf is the rule that a report's Explained names, empty where it is none of Rules or
// was for one system alone.
func RuleOf(explained string) Rule {
	for _, r := range []Rule{Paper, F1, Spearman, Likelihood} {
		o := Options{Rule: r}
		if r == Spearman {
			o.Labels = strings.TrimPrefix(explained, spearmanExplained)
		}
		if o.explain() == explained {
			return r
		}
	}
	return ""
}

// fitter returns the fitter of the mode by the rule. The error names the missing data.
func (t *Table) fitter(o Options) (fitter, error) {
	switch o.Rule {
	case Paper:
		if o.System != "" && t.names[o.System] == "" {
			return fitter{}, fmt.Errorf("there is no system %q: there are %s", o.System, strings.Join(t.Systems(), ", "))
		}
		n := t.nearestMean(o.System)
		if n.reviews < agreement.MinReviews {
			return fitter{}, fmt.Errorf("rule paper: %d scored reviews with sentences, need at least %d", n.reviews, agreement.MinReviews)
		}
		return n.fitter().weighing(o.Weights[0]), nil
	case F1, Likelihood:
		l := t.linkedPairs()
		switch {
		case l.count == 0:
			return fitter{}, fmt.Errorf("rule %s: no review is linked to an annotators' reference in these data (fields refs_edited and addressed)", o.Rule)
		case l.positives == 0 || l.positives == l.count:
			return fitter{}, fmt.Errorf("rule %s: of %d pairs %d are linked, so there is only one class", o.Rule, l.count, l.positives)
		case l.reviews < agreement.MinReviews:
			return fitter{}, fmt.Errorf("rule %s: %d reviews with links, need at least %d", o.Rule, l.reviews, agreement.MinReviews)
		}
		if o.Rule == Likelihood {
			return likelihood{l}.fitter().weighing(o.Weights[0]), nil
		}
		return searched(matching{l}, t.candidates(score.Hard, "", o.Weights)), nil
	}
	l := t.rankedBy(o.Weights)
	switch n := len(l.reviews); {
	case o.Mode == score.Soft: // selected among modes that people's labels compare
	case n < agreement.MinReviews:
		return fitter{}, fmt.Errorf("rule spearman: %d reviews have both scores and %s, need at least %d", n, o.labels(), agreement.MinReviews)
	case l.human[rel].count < 2:
		return fitter{}, fmt.Errorf("rule spearman: the rank agreement is undefined: the label for rel is the same for all %d reviews", n)
	}
	return searched(l, t.candidates(o.Mode, o.comp(o.Mode), o.Weights)), nil
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
	most := int(limits.CalibrationSteps / float64(max(f.steps, 1)))
	return min(o.Resamples, max(most, resample.MinResamples))
}

// fit fits the rule on everything and without each fold.
func (rep *Report) fit(ctx context.Context, f fitter, fold []int, o Options) error {
	all, train, test := foldWeights(fold, o.Folds)
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

// defined returns nil for a NaN.
func defined(v float64) *float64 {
	if notFinite(v) {
		return nil
	}
	return &v
}

// degenerateShare is the share of draws without a rule above which there is no
// interval: it would speak of the others only.
const degenerateShare = 0.05

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
	case float64(in.Degenerate) > degenerateShare*float64(len(drawn)):
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
