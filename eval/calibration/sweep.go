package calibration

import (
	"context"
	"fmt"
	"math"

	"crscore/eval/agreement"
	"crscore/eval/resample"
	"crscore/score"
)

// Threshold has the figures of the rule with another τ.
type Threshold struct {
	// Tau is the threshold.
	Tau float64 `json:"tau"`
	// Con, as Comp and Rel, is the mean over the scored reviews of all systems.
	Con *float64 `json:"con"`
	// Comp is the mean comprehensiveness.
	Comp *float64 `json:"comp"`
	// Rel is the mean relevance.
	Rel *float64 `json:"rel"`
	// Spearman is the rank agreement of each dimension with its labels; nil
	// without labels.
	Spearman *agreement.ByDimension[*float64] `json:"spearman,omitempty"`
	// Links says how well the pairs above τ are those that annotators linked; nil
	// without links.
	Links *LinkQuality `json:"links,omitempty"`
}

// LinkQuality compares the pairs above τ with the linked pairs; a number is nil where it is
// undefined.
type LinkQuality struct {
	// Precision is the share of the pairs above τ that are linked.
	Precision *float64 `json:"precision"`
	// Recall is the share of the linked pairs that are above τ.
	Recall *float64 `json:"recall"`
	// F1 is the harmonic mean of both.
	F1 *float64 `json:"f1"`
}

// withTau returns the rule with another τ. Mode ramp keeps its lower threshold as long as that
// is lower.
func withTau(r score.Rule, tau float64) score.Rule {
	r.Tau, r.Low = tau, min(r.Low, tau)
	return r
}

// sweep applies the rule at every threshold of the grid.
func (t *Table) sweep(ctx context.Context, rule score.Rule) ([]Threshold, error) {
	labels := t.rankedBy([]score.Weights{rule.Weights})
	links := t.linkedPairs()
	out := make([]Threshold, grid)
	err := resample.Parallel(ctx, 0, grid, func() func(int) {
		w := sweeper{t: t, labels: labels, links: links}
		return func(k int) { out[k] = w.at(withTau(rule, threshold(k))) }
	})
	if err != nil {
		return nil, fmt.Errorf("sweeping thresholds: %w", err)
	}
	return out, nil
}

type sweeper struct {
	t      *Table
	labels *labelled
	links  *linked
	ranker ranker
	sorter sorter
	values [3][]float64
}

func (w *sweeper) at(rule score.Rule) Threshold {
	out := Threshold{Tau: rule.Tau}
	s := w.t.scorer(rule)
	var sum agreement.Scores
	n := 0
	w.t.each(func(_ int, c *change, r *review) {
		if r.system == agreement.HumanReference {
			return
		}
		if v, ok := s.score(c, r); ok {
			sum.Con, sum.Comp, sum.Rel = sum.Con+v.Con, sum.Comp+v.Comp, sum.Rel+v.Rel
			n++
		}
	})
	out.Con, out.Comp, out.Rel = defined(sum.Con/float64(n)), defined(sum.Comp/float64(n)), defined(sum.Rel/float64(n))
	if len(w.labels.reviews) > 0 {
		out.Spearman = w.rank(&s)
	}
	if w.links.count > 0 {
		var f found
		for _, p := range w.links.pairs {
			f.add(count(p, rule.Tau), 1)
		}
		out.Links = &LinkQuality{defined(f.precision()), defined(f.recall()), defined(f.f1())}
	}
	return out
}

// rank is the agreement of each dimension with its labels.
func (w *sweeper) rank(s *scorer) *agreement.ByDimension[*float64] {
	var values [3][]float64
	for d := range dimensions {
		values[d] = w.values[d][:0]
	}
	all := make(weights, len(w.t.changes))
	for i := range all {
		all[i] = 1
	}
	for i, r := range w.labels.reviews {
		v, _ := s.score(w.labels.changes[i], r)
		for d, of := range dimensions {
			values[d] = append(values[d], of(v))
		}
	}
	w.values = values
	var rho [3]*float64
	for d := range dimensions {
		rho[d] = defined(w.ranker.spearman(w.sorter.levels(values[d]), w.labels.human[d], w.labels.of, all))
	}
	return &agreement.ByDimension[*float64]{Con: rho[0], Comp: rho[1], Rel: rho[2]}
}

// Histogram counts similarities in equal bins from 0 to 1.
type Histogram struct {
	// Edges are the limits of the bins, one more than there are bins.
	Edges []float64 `json:"edges"`
	// Sentences has the numbers of sentences by their best similarity.
	Sentences []int `json:"sentences"`
	// Linked has the numbers of pairs that annotators linked; empty without links.
	Linked []int `json:"linked,omitempty"`
	// NotLinked has the numbers of the other pairs.
	NotLinked []int `json:"not_linked,omitempty"`
}

const bins = 40

func (t *Table) histogram() Histogram {
	h := Histogram{Sentences: make([]int, bins)}
	for k := range bins + 1 {
		h.Edges = append(h.Edges, float64(k)/bins)
	}
	bin := func(v float32) int { return min(int(math.Floor(float64(v)*bins)), bins-1) }
	linked, other := make([]int, bins), make([]int, bins)
	pairs := 0
	t.each(func(_ int, _ *change, r *review) {
		if r.system == agreement.HumanReference {
			return
		}
		if !r.unscored {
			for _, v := range r.sentences {
				h.Sentences[bin(v)]++
			}
		}
		for _, p := range r.pairs {
			if pairs++; p.addressed {
				linked[bin(p.similarity)]++
			} else {
				other[bin(p.similarity)]++
			}
		}
	})
	if pairs > 0 {
		h.Linked, h.NotLinked = linked, other
	}
	return h
}

func (t *Table) counts(used []bool) Counts {
	c := Counts{Changes: len(t.changes)}
	for _, u := range used {
		if u {
			c.Used++
		}
	}
	t.each(func(_ int, _ *change, r *review) {
		switch {
		case r.system == agreement.HumanReference:
			c.HumanReference++
			return
		case r.unscored:
			c.Unscored++
		default:
			c.Reviews++
			if r.human != nil {
				c.Labelled++
			}
		}
		c.Pairs += len(r.pairs)
		for _, p := range r.pairs {
			if p.addressed {
				c.Linked++
			}
		}
	})
	return c
}
