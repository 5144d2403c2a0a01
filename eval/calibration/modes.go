package calibration

import (
	"context"
	"fmt"
	"math"

	"crscore/eval/agreement"
	"crscore/score"
)

// Modes compares all modes by how well the order of rel agrees with the human labels
// on held-out changes. All modes are fitted within the same folds.
type Modes struct {
	// Reviews is the number of reviews with both a score and labels.
	Reviews int `json:"reviews"`
	// Best is the index of the contender with the highest mean over the folds, -1
	// where none has a value. The mean of the folds decides because within a fold
	// one rule scores all reviews, as it will score later reviews. Pooling the folds
	// mixes the scores of rules that differ a little.
	Best int `json:"best"`
	// Results has the contenders, hard first.
	Results []Contender `json:"results"`
}

// Contender is a mode with the rule that fitted it.
type Contender struct {
	// Mode is the scoring mode.
	Mode score.Mode `json:"mode"`
	// Comp is how Comp credits a reference; empty: by the best sentence.
	Comp score.Coverage `json:"comp,omitempty"`
	// Rule is empty for mode soft, which has no parameters.
	Rule Rule `json:"rule,omitempty"`
	// Chosen has the parameters fitted on all changes.
	Chosen *Parameters `json:"chosen"`
	// Fitted is Spearman's ρ of rel on all changes, with Chosen.
	Fitted *float64 `json:"fitted"`
	// HeldOut is Spearman's ρ of rel on the folds, each with the rule fitted without it.
	HeldOut HeldOut `json:"held_out"`
	// Interval is the 95% interval of HeldOut.Mean, by a bootstrap over changes that
	// keeps folds and fitted rules as they are.
	Interval *[2]float64 `json:"interval"`
	// Behind is the best contender's HeldOut.Mean less this one's; nil for the best.
	Behind *float64 `json:"behind_best"`
	// BehindInterval is the 95% interval of Behind, by the same bootstrap.
	BehindInterval *[2]float64 `json:"behind_interval"`
	// OverBest is HeldOut.Mean less that of the same mode and rule by the best sentence; nil
	// for contenders by the best sentence.
	OverBest *float64 `json:"over_best_sentence,omitempty"`
	// OverBestInterval is the 95% interval of OverBest, by the same bootstrap.
	OverBestInterval *[2]float64 `json:"over_best_sentence_interval,omitempty"`
	// Undefined says why HeldOut has no value.
	Undefined string `json:"undefined,omitempty"`

	rules  []score.Rule // of each fold; fitted without it
	scores levels       // held out; empty where some fold has no rule
	// inner has for each fold the mean agreement on the other folds, each measured
	// with the rule that was fitted without both; NaN where a rule is missing. It is
	// nil where no mode is selected.
	inner []float64
}

// labelledFolds are the reviews with labels, and the folds that their changes are in.
type labelledFolds struct {
	*labelled
	fold  []int
	folds int
	held  []weights // of each fold
	used  []bool
}

// labelledFolds returns the reviews with labels in folds, or why there are none.
func (t *Table) labelledFolds(o Options) (*labelledFolds, string) {
	weights := o.Weights
	if o.InForce != nil && o.InForce.Rule != nil {
		weights = append(weights[:len(weights):len(weights)], o.InForce.Rule.Weights)
	}
	l := t.rankedBy(weights)
	used := l.used()
	switch n := len(l.reviews); {
	case n == 0:
		return nil, "no scored review has " + o.labels()
	case n < agreement.MinReviews:
		return nil, fmt.Sprintf("%d reviews have both scores and %s, need at least %d", n, o.labels(), agreement.MinReviews)
	case l.human[rel].count < 2:
		return nil, fmt.Sprintf("the label for rel is the same for all %d reviews", n)
	}
	fold, err := t.assignFolds(used, o.Folds, o.Seed)
	if err != nil {
		return nil, "of the changes with labels, " + err.Error()
	}
	_, _, held := foldWeights(fold, o.Folds)
	return &labelledFolds{l, fold, o.Folds, held, used}, ""
}

// contenders fits every mode by each of its rules.
func (t *Table) contenders(ctx context.Context, l *labelledFolds, o Options) ([]Contender, error) {
	var out []Contender
	for _, mode := range []score.Mode{score.Hard, score.Soft, score.Ramp, score.Calibrated} {
		rules := Rules(mode)
		if len(rules) == 0 {
			rules = []Rule{""}
		}
		forms := []score.Coverage{""}
		if mode.CanNoisyOr() && (o.Comp == score.CoverNoisyOr || o.InForce != nil && o.InForce.Rule != nil && o.InForce.Rule.NoisyOr()) {
			forms = append(forms, score.CoverNoisyOr)
		}
		for _, rule := range rules {
			for _, form := range forms {
				part := o
				part.Mode, part.Comp, part.Rule, part.System = mode, form, rule, ""
				part.Weights = o.weightsFor(rule)
				c, err := t.contend(ctx, l, part, o.eligible(mode, form, rule))
				if err != nil {
					return nil, err
				}
				out = append(out, c)
			}
		}
	}
	return out, nil
}

// contend fits one mode within the folds; with inner also without each pair of folds.
func (t *Table) contend(ctx context.Context, l *labelledFolds, o Options, inner bool) (Contender, error) {
	c := Contender{Mode: o.Mode, Comp: o.comp(o.Mode), Rule: o.Rule}
	f, err := t.fitter(o)
	if err != nil {
		c.Undefined = err.Error()
		return c, nil
	}
	all, train, _ := foldWeights(l.fold, o.Folds)
	on := append([]weights{all}, train...)
	if inner {
		on = append(on, withoutPairs(l.fold, o.Folds)...)
	}
	found, err := f.fit(ctx, on)
	if err != nil {
		return c, err
	}
	w := l.worker()
	measured := func(f fitted, on weights) float64 {
		if math.IsNaN(f.value) {
			return math.NaN()
		}
		w.set(f.rule)
		return w.value(on)
	}
	if !math.IsNaN(found[0].value) {
		p := parameters(found[0].rule)
		c.Chosen, c.Fitted = &p, defined(measured(found[0], all))
	}
	c.rules = make([]score.Rule, o.Folds)
	whole := true
	for k, part := range found[1 : o.Folds+1] {
		c.rules[k] = part.rule
		whole = whole && !math.IsNaN(part.value)
		c.HeldOut.add(defined(measured(part, l.held[k])))
	}
	if whole {
		c.scores = l.scoresOf(c.rules, l.fold)
		c.HeldOut.Pooled = defined(new(ranker).spearman(c.scores, l.human[rel], l.of, inFolds(l.fold)))
	}
	if !whole || c.HeldOut.Mean == nil {
		c.Undefined = "nothing can be fitted without some of the folds, or all scores or labels of a fold are the same"
	}
	if inner {
		c.inner = innerMeans(found[o.Folds+1:], o.Folds, func(f fitted, k int) float64 { return measured(f, l.held[k]) })
	}
	return c, nil
}

// innerMeans returns for each fold the mean value on the other folds. pairs are fitted
// without two folds each, in the order of withoutPairs.
func innerMeans(pairs []fitted, folds int, on func(f fitted, fold int) float64) []float64 {
	means := make([]float64, folds)
	n := 0
	for k := range folds {
		for j := range k {
			means[k] += on(pairs[n], j) / float64(folds-1)
			means[j] += on(pairs[n], k) / float64(folds-1)
			n++
		}
	}
	return means
}

// rank finds the best contender and compares the others with it. samples are draws of each
// contender's scores.
func (m *Modes) rank(samples [][]float64) {
	for i, c := range m.Results {
		if c.Undefined == "" && (m.Best < 0 || *c.HeldOut.Mean > *m.Results[m.Best].HeldOut.Mean) {
			m.Best = i
		}
	}
	for i := range m.Results {
		c := &m.Results[i]
		if c.Undefined != "" {
			continue
		}
		c.Interval = definedInterval(samples[i])
		if c.Comp == score.CoverNoisyOr {
			m.overBest(i, samples)
		}
		if i == m.Best {
			continue
		}
		c.Behind = defined(*m.Results[m.Best].HeldOut.Mean - *c.HeldOut.Mean)
		c.BehindInterval = definedInterval(differences(samples[m.Best], samples[i]))
	}
}

// overBest compares a contender with the one before, which is its form by the best sentence.
func (m *Modes) overBest(i int, samples [][]float64) {
	c, best := &m.Results[i], &m.Results[i-1]
	if best.Undefined != "" {
		return
	}
	c.OverBest = defined(*c.HeldOut.Mean - *best.HeldOut.Mean)
	c.OverBestInterval = definedInterval(differences(samples[i], samples[i-1]))
}

func differences(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for k := range a {
		out[k] = a[k] - b[k]
	}
	return out
}

// bootstrap draws changes and returns for each list of held-out scores the mean over the
// folds of their agreement with the labels; nil for a list that is empty.
func (l *labelledFolds) bootstrap(scores []levels, draws, seed uint64) [][]float64 {
	samples := make([][]float64, len(scores))
	var r ranker
	for _, w := range bootstrapWeights(l.used, int(draws), seed) {
		parts := within(l.held, w)
		for i, s := range scores {
			if len(s.of) > 0 {
				samples[i] = append(samples[i], l.foldsMean(&r, s, parts))
			}
		}
	}
	return samples
}

// foldsMean is the mean of the agreement on each part, without the parts where it is
// undefined.
func (l *labelled) foldsMean(r *ranker, scores levels, parts []weights) float64 {
	sum, n := 0.0, 0
	for _, part := range parts {
		if v := r.spearman(scores, l.human[rel], l.of, part); !math.IsNaN(v) {
			sum, n = sum+v, n+1
		}
	}
	return sum / float64(n)
}

// within restricts the weights w to each part.
func within(parts []weights, w weights) []weights {
	out := make([]weights, len(parts))
	for k, p := range parts {
		out[k] = make(weights, len(w))
		for i := range w {
			out[k][i] = w[i] * p[i]
		}
	}
	return out
}

// definedInterval is the interval of the samples that are defined, nil where too many
// are not.
func definedInterval(samples []float64) *[2]float64 {
	var ok []float64
	for _, v := range samples {
		if !math.IsNaN(v) {
			ok = append(ok, v)
		}
	}
	if float64(len(samples)-len(ok)) > degenerateShare*float64(len(samples)) {
		return nil
	}
	return interval(ok)
}
