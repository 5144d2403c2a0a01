package evidence

import (
	"context"
	"fmt"
	"math"

	"crscore"
	"crscore/eval/agreement"
	"crscore/eval/refmetrics"
	"crscore/internal/dataset"
	"crscore/score"
)

// Contenders collects the scores of several metrics of the reviews of a dataset: of CRScore
// in all modes, from the same similarities, and of metrics that compare a review with the
// human references of its change. It is for one goroutine.
type Contenders struct {
	own      string // the contender that has the rule of the engine
	modes    []*crscore.Engine
	metrics  []refmetrics.Named
	all      []agreement.Contender // the modes, then the metrics
	unscored int
}

// NewContenders starts without reviews. e has judged the reviews that come. Modes that have
// no default rule for the engine's similarity are left out; the warnings name them. It is an
// error when a metric must see all references before the first score.
func NewContenders(e *crscore.Engine, metrics []refmetrics.Named) (c *Contenders, warnings []string, err error) {
	c = &Contenders{metrics: metrics}
	for _, mode := range []score.Mode{score.Hard, score.Soft, score.Ramp, score.Calibrated} {
		other, err := e.WithRule(mode, "", nil, nil, nil)
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("CRScore in mode %s is left out: %v", mode, err))
			continue
		}
		one := agreement.Contender{Name: "CRScore, " + string(mode), Signature: other.Signature(), Own: true}
		if mode == e.Rule().Mode {
			c.own = one.Name
		}
		c.modes, c.all = append(c.modes, other), append(c.all, one)
	}
	if first := (refmetrics.Set{Metrics: metrics}).Observers(); len(first) > 0 {
		return nil, nil, fmt.Errorf("the metric %s must see all references before the first score: "+
			"score with crscore metrics, and give its output with --scores", first[0].Spec)
	}
	for _, m := range metrics {
		c.all = append(c.all, agreement.Contender{
			Name: m.Spec, Signature: m.Signature, Control: m.Info.Control, Turned: m.Turned,
		})
	}
	return c, warnings, nil
}

// Add takes the reviews of a record with the engine's outcome. It returns why reviews have no
// score of a metric that needs references. It returns only errors of ctx.
func (c *Contenders) Add(ctx context.Context, rec *dataset.Record, o crscore.Outcome) (why []string, err error) {
	refs, others := rec.Split(dataset.IsHumanReference)
	for _, i := range others {
		review := &rec.Reviews[i]
		row := agreement.Row{Change: rec.ID, Review: review.ID, Human: (*agreement.Scores)(review.Human)}
		if review.Human == nil {
			continue
		}
		for k, mode := range c.modes {
			c.all[k].Rows = append(c.all[k].Rows, scored(row, mode, o.Results[i].Match))
		}
		if len(refs) == 0 || review.Err != nil {
			c.unscored++
			continue
		}
		pair := refmetrics.Pair{Hypothesis: review.Text, References: refs}
		if err := (refmetrics.Set{Metrics: c.metrics}).Score(ctx, &pair); err != nil {
			return nil, err
		}
		for k, v := range pair.Values {
			one := &c.all[len(c.modes)+k]
			switch {
			case v.Err != nil:
				c.unscored++
				why = append(why, fmt.Sprintf("change %s, review %s: no %s: %v", rec.ID, review.ID, one.Name, v.Err))
				continue
			case one.Turned:
				v.Score = 0 - v.Score // 0, not -0
			}
			row.Metric = &agreement.Scores{Con: math.NaN(), Comp: math.NaN(), Rel: v.Score}
			one.Rows = append(one.Rows, row)
		}
	}
	if len(refs) == 0 {
		why = append(why, fmt.Sprintf(
			"change %s: it has no human reference (a review called %s, not empty), which metrics need",
			rec.ID, dataset.HumanReference))
	}
	return why, nil
}

// scored is a review with the score of an engine, if it has one.
func scored(row agreement.Row, e *crscore.Engine, m *crscore.Match) agreement.Row {
	if m == nil {
		return row
	}
	if r := e.Score(*m); r.Status == crscore.Scored {
		row.Metric = &agreement.Scores{Con: r.Con, Comp: r.Comp, Rel: r.Rel}
	}
	return row
}

// Own is the name of the contender that has the rule of the engine.
func (c *Contenders) Own() string { return c.own }

// All returns the metrics with the scores of all reviews that have labels.
func (c *Contenders) All() []agreement.Contender { return c.all }

// Unscored is the number of labelled reviews without a score of some metric that needs
// references, for each such metric if there were references.
func (c *Contenders) Unscored() int { return c.unscored }
