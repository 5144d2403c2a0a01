package calibration

import (
	"context"
	"fmt"
	"math"

	"crscore/eval/resample"
	"crscore/score"
)

// InForce is the rule that scores without a new profile.
type InForce struct {
	// Name says where the rule comes from, such as "the default profile".
	Name string
	// Rule is nil where there is none.
	Rule *score.Rule
	// Missing says why there is no Rule.
	Missing string
	// SameData says that this rule was fitted on the same data. No data is then held out,
	// and the value of the rule is too high.
	SameData bool
	// FittedBy is how it was fitted; empty where that is not known. With SameData it is
	// fitted again without each fold, so that both sides are held out.
	FittedBy Rule
}

// Selection says how the mode and its rule were selected.
type Selection struct {
	// Fallback says why nothing could be compared, so that mode hard was fitted by the
	// paper's rule, which needs no labels.
	Fallback string `json:"fallback,omitempty"`
	// Folds names for each fold the contender that won on the other folds alone.
	Folds []string `json:"folds,omitempty"`
	// HeldOut measures the whole procedure: select a contender without the fold, fit it
	// without the fold, score the fold. It is the mean of the folds' Spearman's ρ of rel.
	// (Pooled folds would mix the scores of different modes.)
	HeldOut *float64 `json:"held_out"`

	scores levels
}

// Comparison compares the calibrated rule with the rule in force: Spearman's ρ of Rel with
// the human labels on held-out changes, as the mean over the folds. If the mode was
// selected, each fold is scored by the mode that was selected without the fold.
type Comparison struct {
	// Name says where the rule in force comes from.
	Name string `json:"in_force,omitempty"`
	// Signature is the signature of the rule in force; empty if there is none.
	Signature string `json:"rule_in_force,omitempty"`
	// SameData says that the rule in force was fitted on the same data.
	SameData bool `json:"in_force_fitted_on_the_same_data,omitempty"`
	// Refitted says that each fold uses the rule in force as fitted without the fold,
	// because of SameData.
	Refitted bool `json:"in_force_refitted,omitempty"`
	// Same says that the calibrated rule has the parameters of the rule in force.
	Same bool `json:"same_parameters,omitempty"`
	// Calibrated is the value of the calibrated rule. Intervals are from a bootstrap over
	// changes that keeps folds and fitted rules.
	Calibrated resample.Estimate `json:"calibrated"`
	// InForce is the value of the rule in force, on the same folds.
	InForce resample.Estimate `json:"in_force_value"`
	// Difference is Calibrated less InForce.
	Difference resample.Estimate `json:"difference"`
	// Undefined says why there is no comparison.
	Undefined string `json:"undefined,omitempty"`
}

// Verdict is the result of a comparison.
type Verdict string

const (
	// Better: the 95% interval of the difference is above 0.
	Better Verdict = "better"
	// Worse: the 95% interval of the difference is below 0.
	Worse Verdict = "worse"
	// Unclear: the interval holds 0, or both have the same parameters.
	Unclear Verdict = "unclear"
	// NotCompared: there is no difference, or no interval of it.
	NotCompared Verdict = "not compared"
)

// Verdict reports whether the calibrated rule is better than the rule in force.
func (c Comparison) Verdict() Verdict {
	switch in := c.Difference.Interval; {
	case c.Same:
		return Unclear
	case in == nil:
		return NotCompared
	case in[0] > 0:
		return Better
	case in[1] < 0:
		return Worse
	}
	return Unclear
}

// selects reports whether the mode is left open.
func (o Options) selects() bool { return o.Mode == "" }

// eligible reports whether a mode in a form, with a rule, may be selected.
func (o Options) eligible(m score.Mode, form score.Coverage, rule Rule) bool {
	return o.selects() && (o.Rule == "" || o.Rule == rule) && form == o.comp(m)
}

// weightsFor are the candidates for weights that a rule can choose among. Rules that do
// not look at scores cannot choose.
func (o Options) weightsFor(rule Rule) []score.Weights {
	if rule == Spearman || rule == "" {
		return o.Weights
	}
	return o.Weights[:1]
}

// compareModes fits all modes within folds, selects a mode where o leaves it open, and
// sets the result beside the rule in force.
func (rep *Report) compareModes(ctx context.Context, t *Table, o *Options) error {
	l, why := t.labelledFolds(*o)
	if l == nil {
		rep.ModesUndefined = why
		if o.selects() {
			rep.Selection = &Selection{Fallback: why}
			o.fallBack()
		}
		rep.Comparison = notCompared(o.InForce, why)
		return nil
	}
	results, err := t.contenders(ctx, l, *o)
	if err != nil {
		return err
	}
	rep.Modes = &Modes{Reviews: len(l.reviews), Best: -1, Results: results}
	var calibrated levels
	missing := "nothing can be fitted without some of the folds"
	switch own := rep.contender(*o); {
	case o.selects():
		rep.selectMode(l, o)
		calibrated, missing = rep.Selection.scores, notMeasured
	case own != nil && o.System == "":
		calibrated = own.scores
	default:
		alone, err := t.contend(ctx, l, *o, false)
		if err != nil {
			return err
		}
		calibrated = alone.scores
	}
	inForce, refitted := rep.scoresInForce(l, o.InForce)
	var scores []levels
	for _, c := range results {
		if c.Undefined != "" {
			c.scores = levels{}
		}
		scores = append(scores, c.scores)
	}
	samples := l.bootstrap(append(scores, calibrated, inForce), uint64(o.Resamples), o.Seed)
	rep.Modes.rank(samples[:len(results)])
	n := len(results)
	rep.Comparison = l.beside(o.InForce, missing, calibrated, inForce, samples[n], samples[n+1])
	rep.Comparison.Refitted = refitted
	return nil
}

// scoresInForce returns the scores by the rule in force. refitted reports whether the rule
// was fitted again without each fold.
func (rep *Report) scoresInForce(l *labelledFolds, f *InForce) (scores levels, refitted bool) {
	if f == nil || f.Rule == nil {
		return levels{}, false
	}
	if f.SameData && f.FittedBy != "" && f.Rule.Weights.String() == "" {
		again := rep.contender(Options{Mode: f.Rule.Mode, Comp: f.Rule.Comp, Rule: f.FittedBy})
		if again != nil && again.Undefined == "" {
			return again.scores, true
		}
	}
	rules := make([]score.Rule, l.folds)
	for k := range rules {
		rules[k] = *f.Rule
	}
	return l.scoresOf(rules, l.fold), false
}

// contender is the result of the mode and the rule of o, nil where there is none.
func (rep *Report) contender(o Options) *Contender {
	for i := range rep.Modes.Results {
		if c := &rep.Modes.Results[i]; c.Mode == o.Mode && c.Comp == o.comp(o.Mode) && c.Rule == o.Rule {
			return c
		}
	}
	return nil
}

// fallBack takes the mode and the rule that need no labels.
func (o *Options) fallBack() {
	o.Mode = score.Hard
	if o.Rule == "" {
		o.Rule = Paper
	}
	o.Weights = o.weightsFor(o.Rule)
}

// notMeasured says why a selection has no held-out value.
const notMeasured = "the selection is not measured, because no mode can be fitted without some pairs of folds (give more folds, or a mode)"

// selectMode takes the eligible contender with the best mean over the folds, and measures
// the same selection within the folds.
func (rep *Report) selectMode(l *labelledFolds, o *Options) {
	rep.Selection = &Selection{}
	best := rep.bestBy(*o, func(c *Contender) float64 { return *c.HeldOut.Mean })
	if best == nil {
		rep.Selection.Fallback = "no mode can be fitted within the folds"
		o.fallBack()
		return
	}
	rules := make([]score.Rule, o.Folds)
	for k := range rules {
		winner := rep.bestBy(*o, func(c *Contender) float64 { return c.inner[k] })
		if winner == nil {
			rules, rep.Selection.Folds = nil, nil
			break
		}
		rules[k] = winner.rules[k]
		rep.Selection.Folds = append(rep.Selection.Folds, winner.name())
	}
	if rules != nil {
		s := l.scoresOf(rules, l.fold)
		rep.Selection.HeldOut = defined(l.foldsMean(new(ranker), s, l.held))
		rep.Selection.scores = s
	}
	o.Mode, o.Rule = best.Mode, best.Rule
	o.Weights = o.weightsFor(o.Rule)
}

// bestBy is the first of the eligible contenders with the largest value, nil without any.
func (rep *Report) bestBy(o Options, value func(*Contender) float64) *Contender {
	var best *Contender
	largest := math.Inf(-1)
	for i := range rep.Modes.Results {
		c := &rep.Modes.Results[i]
		if c.Undefined != "" || !o.eligible(c.Mode, c.Comp, c.Rule) {
			continue
		}
		if v := value(c); v > largest { // not for NaN
			best, largest = c, v
		}
	}
	return best
}

// notCompared is a comparison that is not possible.
func notCompared(f *InForce, why string) *Comparison {
	c := &Comparison{Undefined: why, Calibrated: resample.None(why), InForce: resample.None(why), Difference: resample.None(why)}
	c.describe(f)
	return c
}

// describe fills in the description of the rule in force.
func (c *Comparison) describe(f *InForce) {
	if f == nil {
		return
	}
	c.Name, c.SameData = f.Name, f.SameData
	if f.Rule != nil {
		c.Signature = f.Rule.Signature()
	}
}

// beside compares held-out scores with the scores of the rule in force. missing says why
// there are no such scores.
func (l *labelledFolds) beside(f *InForce, missing string, calibrated, inForce levels, samplesCalibrated, samplesInForce []float64) *Comparison {
	switch {
	case f == nil:
		return notCompared(f, "no rule in force was given")
	case f.Rule == nil:
		return notCompared(f, f.Missing)
	case len(calibrated.of) == 0:
		return notCompared(f, missing)
	}
	c := &Comparison{}
	c.describe(f)
	changes := 0
	for _, u := range l.used {
		if u {
			changes++
		}
	}
	estimate := func(scores levels, samples []float64) resample.Estimate {
		v := l.foldsMean(new(ranker), scores, l.held)
		if math.IsNaN(v) {
			return resample.None("all scores or all labels of each fold are the same")
		}
		e := resample.Estimate{Value: &v}
		e.SetInterval(samples, changes)
		return e
	}
	c.Calibrated, c.InForce = estimate(calibrated, samplesCalibrated), estimate(inForce, samplesInForce)
	for _, e := range []resample.Estimate{c.Calibrated, c.InForce} {
		if e.Value == nil {
			c.Undefined = e.Undefined
			c.Difference = resample.None(e.Undefined)
			return c
		}
	}
	c.Difference = resample.Difference(*c.InForce.Value, *c.Calibrated.Value, samplesInForce, samplesCalibrated, changes)
	return c
}

// Conclusion says in a sentence which rule was chosen and how it compares with the rule in
// force.
func (r Report) Conclusion() string {
	chosen := r.choice()
	if p := r.Chosen.short(); p != "" {
		chosen += " (" + p + ")"
	}
	if s := r.Selection; s != nil && s.Fallback != "" {
		chosen += ", which needs no labels,"
	}
	if r.Comparison == nil {
		return chosen
	}
	return chosen + " " + r.Comparison.sentence(r.labels)
}

// Doubtful reports whether the rule in force may be the better choice: the comparison says
// so, or the mode could not be selected.
func (r Report) Doubtful() bool {
	return r.Comparison != nil && r.Comparison.Verdict() == Worse || r.Selection != nil && r.Selection.Fallback != ""
}

// choice names the mode and its rule.
func (r Report) choice() string {
	mode := "mode " + string(r.Mode)
	if c := r.Chosen.Comp; c != "" {
		mode += " with comp " + string(c)
	}
	if r.Rule == "" {
		return mode
	}
	return mode + " by rule " + string(r.Rule)
}

// sentence continues a sentence that begins with the name of the calibrated rule.
func (c *Comparison) sentence(labels string) string {
	inForce := "the rule in force"
	switch {
	case c.Signature != "":
		inForce += fmt.Sprintf(" (%s, %s)", c.Name, c.Signature)
	case c.Name != "":
		inForce += fmt.Sprintf(" (%s)", c.Name)
	}
	verdict := c.Verdict()
	if c.Undefined != "" {
		return fmt.Sprintf("is not compared with %s: %s", inForce, c.Undefined)
	}
	text := map[Verdict]string{
		Better: "is better than %s", Worse: "is worse than %s",
		Unclear: "is neither better nor worse than %s by more than chance", NotCompared: "is beside %s",
	}[verdict]
	if c.Same {
		text = "has the parameters of %s"
	}
	text = fmt.Sprintf(text+": ρ of rel with the %s on held-out changes %.3f against %.3f, difference %s",
		inForce, labels, *c.Calibrated.Value, *c.InForce.Value, c.Difference)
	if c.Difference.P != nil {
		text += fmt.Sprintf(", p = %.3f", *c.Difference.P)
	}
	switch {
	case c.Refitted:
		text += "; the rule in force was found on these same data, so it is fitted again without each fold"
	case c.SameData:
		text += "; the rule in force was fitted on these same data, which flatters it"
	}
	return text
}
