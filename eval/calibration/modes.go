package calibration

import (
	"context"
	"fmt"
	"math"

	"crscore/eval/agreement"
	"crscore/score"
)

// Modes compares all modes by the rank agreement of rel on changes that they were
// not fitted on. All have the same folds.
type Modes struct {
	Reviews int `json:"reviews"`
	// Best is the index of the one that agrees best, -1 where none has a value: by
	// the folds' mean, which is about the reviews that one rule scores, as later
	// reviews will be. All folds together mix the scores of several rules, which a
	// rule that is fitted a little differently each time loses by.
	Best    int         `json:"best"`
	Results []Contender `json:"results"`
}

// Contender is a mode with the rule that it was fitted by.
type Contender struct {
	Mode score.Mode `json:"mode"`
	Rule Rule       `json:"rule,omitempty"` // none for a mode without parameters
	// Chosen is fitted on everything.
	Chosen *Parameters `json:"chosen"`
	// Fitted is Spearman's ρ of rel there, HeldOut where the fold was left out.
	Fitted  *float64 `json:"fitted"`
	HeldOut HeldOut  `json:"held_out"`
	// Interval is the 95% interval of the folds' mean, and Behind what that lacks
	// to the best one's, with its interval: both by a bootstrap over changes with
	// folds and rules as they are.
	Interval       *[2]float64 `json:"interval"`
	Behind         *float64    `json:"behind_best"`
	BehindInterval *[2]float64 `json:"behind_interval"`
	Undefined      string      `json:"undefined,omitempty"`

	scores levels // held out; empty where some fold has no rule
}

// modes compares the modes; nil without labels, or with too few, and then why.
func (t *Table) modes(ctx context.Context, o Options) (m *Modes, why string, err error) {
	l := t.rankedBy(o.Weights)
	used := l.used()
	switch n := len(l.reviews); {
	case n == 0:
		return nil, "", nil
	case n < agreement.MinReviews:
		return nil, fmt.Sprintf("%d reviews have both scores and human labels, need at least %d", n, agreement.MinReviews), nil
	case l.human[rel].count < 2:
		return nil, fmt.Sprintf("the label for rel is the same for all %d reviews", n), nil
	}
	fold, err := t.deal(used, o.Folds, o.Seed)
	if err != nil {
		return nil, "of those with labels, " + err.Error(), nil
	}
	m = &Modes{Reviews: len(l.reviews), Best: -1}
	for _, mode := range []score.Mode{score.Hard, score.Soft, score.Ramp, score.Calibrated} {
		rules := Rules(mode)
		if len(rules) == 0 {
			rules = []Rule{""}
		}
		for _, rule := range rules {
			part := o
			part.Mode, part.Rule, part.System = mode, rule, ""
			if rule != Spearman && rule != "" {
				part.Weights = o.Weights[:1]
			}
			c, err := t.contend(ctx, l, fold, part)
			if err != nil {
				return nil, "", err
			}
			m.Results = append(m.Results, c)
		}
	}
	_, _, held := parts(fold, o.Folds)
	m.rank(l, held, draws(used, o.Resamples, o.Seed))
	return m, "", nil
}

// contend fits one mode within the folds.
func (t *Table) contend(ctx context.Context, l *labelled, fold []int, o Options) (Contender, error) {
	c := Contender{Mode: o.Mode, Rule: o.Rule}
	f := searched(l, t.candidates(o.Mode, o.Weights))
	if o.Rule != "" {
		var err error
		if f, err = t.fitter(o); err != nil {
			c.Undefined = err.Error()
			return c, nil
		}
	}
	all, train, held := parts(fold, o.Folds)
	found, err := f.fit(ctx, append([]weights{all}, train...))
	if err != nil {
		return c, err
	}
	w := l.worker()
	measured := func(f fitted, on weights) *float64 {
		if math.IsNaN(f.value) {
			return nil
		}
		w.set(f.rule)
		return defined(w.value(on))
	}
	if !math.IsNaN(found[0].value) {
		p := parameters(found[0].rule)
		c.Chosen, c.Fitted = &p, measured(found[0], all)
	}
	rules := make([]score.Rule, o.Folds)
	whole := true
	for k, part := range found[1:] {
		rules[k] = part.rule
		whole = whole && !math.IsNaN(part.value)
		c.HeldOut.add(measured(part, held[k]))
	}
	if whole {
		c.scores = l.scoresOf(rules, fold)
		c.HeldOut.Pooled = defined(new(ranker).spearman(c.scores, l.human[rel], l.of, inFolds(fold)))
	}
	if !whole || c.HeldOut.Mean == nil {
		c.Undefined = "nothing can be fitted without some of the folds, or all scores or labels of a fold are the same"
	}
	return c, nil
}

// rank finds the best one and sets the others beside it.
func (m *Modes) rank(l *labelled, held, drawn []weights) {
	for i, c := range m.Results {
		if c.Undefined == "" && (m.Best < 0 || *c.HeldOut.Mean > *m.Results[m.Best].HeldOut.Mean) {
			m.Best = i
		}
	}
	if m.Best < 0 {
		return
	}
	samples := make([][]float64, len(m.Results))
	for _, w := range drawn {
		parts := within(held, w)
		var r ranker
		for i, c := range m.Results {
			if c.Undefined != "" {
				continue
			}
			sum, n := 0.0, 0
			for _, part := range parts {
				if v := r.spearman(c.scores, l.human[rel], l.of, part); !math.IsNaN(v) {
					sum, n = sum+v, n+1
				}
			}
			samples[i] = append(samples[i], sum/float64(n))
		}
	}
	best := samples[m.Best]
	for i := range m.Results {
		c := &m.Results[i]
		if c.Undefined != "" {
			continue
		}
		c.Interval = ofDefined(samples[i])
		if i == m.Best {
			continue
		}
		c.Behind = defined(*m.Results[m.Best].HeldOut.Mean - *c.HeldOut.Mean)
		differences := make([]float64, len(best))
		for k := range best {
			differences[k] = best[k] - samples[i][k]
		}
		c.BehindInterval = ofDefined(differences)
	}
}

// within are the weights w of each part alone.
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

// ofDefined is the interval of samples of which few may be undefined.
func ofDefined(samples []float64) *[2]float64 {
	var ok []float64
	for _, v := range samples {
		if !math.IsNaN(v) {
			ok = append(ok, v)
		}
	}
	if float64(len(samples)-len(ok)) > maxDegenerate*float64(len(samples)) {
		return nil
	}
	return interval(ok)
}
