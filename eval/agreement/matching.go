package agreement

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"crscore/eval/resample"
	"crscore/internal/limits"
)

// Matching tells how well the similarity finds the pairs that annotators linked. A pair is
// found if its similarity is above τ (the paper's Table 4).
type Matching struct {
	// Linked is the number of pairs that annotators linked.
	Linked int `json:"linked"`
	// Other is the number of pairs that they did not link.
	Other int `json:"other"`
	// Changes is the number of changes that the pairs are of.
	Changes int `json:"changes"`
	// LeftOut is the number of pairs of human references.
	LeftOut int `json:"left_out"`
	// ROCAUC is the probability that a linked pair is more similar than another.
	ROCAUC Estimate `json:"roc_auc"`
	// Thresholds are in ascending order of τ.
	Thresholds []Threshold `json:"thresholds"`
}

// Threshold is the quality of the matches above one τ.
type Threshold struct {
	// Tau is the threshold.
	Tau float64 `json:"tau"`
	// Matched is the number of pairs above Tau.
	Matched int `json:"matched"`
	// Precision is the share of the matched pairs that are linked; undefined without matches.
	Precision Estimate `json:"precision"`
	// Recall is the share of the linked pairs that are matched.
	Recall Estimate `json:"recall"`
	// F1 is the harmonic mean of both; 0 where no match is right.
	F1 Estimate `json:"f1"`
}

// Match measures the links over the thresholds, which may be in any order, with
// intervals by the bootstrap over changes. Links may be in any order, too. It is
// an error when a similarity or a τ is no finite number.
func Match(ctx context.Context, links []Link, taus []float64, b Bootstrap) (Matching, error) {
	var m Matching
	if len(taus) > limits.Taus {
		return m, fmt.Errorf("agreement: %d thresholds: at most %d", len(taus), limits.Taus)
	}
	if i := slices.IndexFunc(taus, notFinite); i >= 0 {
		return m, fmt.Errorf("agreement: threshold %d is %g, not a finite number", i+1, taus[i])
	}
	taus = slices.Compact(slices.Sorted(slices.Values(taus)))
	var used []Link
	for _, l := range links {
		switch err := l.check(); {
		case err != nil:
			return m, fmt.Errorf("agreement: %w", err)
		case l.Review == HumanReference:
			m.LeftOut++
			continue
		case l.Addressed:
			m.Linked++
		default:
			m.Other++
		}
		used = append(used, l)
	}
	slices.SortFunc(used, func(a, b Link) int {
		return cmp.Or(cmp.Compare(a.Change, b.Change), cmp.Compare(a.Similarity, b.Similarity))
	})
	cluster, changes := resample.Clusters(used, func(l Link) string { return l.Change })
	m.Changes = changes
	scores, labels := make([]float64, len(used)), make([]bool, len(used))
	for i, l := range used {
		scores[i], labels[i] = l.Similarity, l.Addressed
	}
	c := newClassified(scores, labels, cluster, taus)
	estimates, err := b.Estimates(ctx, changes, 1+3*len(taus), c.drawn, func(i int) string {
		switch {
		case i == 0 && m.Linked > 0:
			return "every pair is linked"
		case i%3 == 1:
			return "no similarity is above τ"
		}
		return "no pair is linked"
	})
	if err != nil {
		return Matching{}, fmt.Errorf("agreement: %w", err)
	}
	matched := c.worker()(nil, make([]float64, len(estimates)))
	m.ROCAUC = estimates[0]
	for i, tau := range taus {
		of := estimates[1+3*i:]
		m.Thresholds = append(m.Thresholds, Threshold{Tau: tau, Matched: int(matched[i]), Precision: of[0], Recall: of[1], F1: of[2]})
	}
	return m, nil
}

func notFinite(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }

// check returns what is wrong with a link's number.
func (l Link) check() error {
	if notFinite(l.Similarity) {
		return fmt.Errorf("%s: the similarity to reference %d is %g, not a finite number", name(l.Change, l.Review), l.Reference, l.Similarity)
	}
	return nil
}

// classified are scores with labels, in the order of the scores and prepared for
// many weighted passes.
type classified struct {
	items []classifiedItem
	taus  int
}

type classifiedItem struct {
	positive bool
	level    int32 // equal scores have equal levels
	above    int32 // how many of the thresholds the score is above
	cluster  int32
}

// newClassified prepares scores; a nil cluster makes each its own, and taus are
// in ascending order.
func newClassified(scores []float64, labels []bool, cluster []int32, taus []float64) classified {
	c := classified{taus: len(taus), items: make([]classifiedItem, len(scores))}
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	for i, from := range order {
		above, _ := slices.BinarySearch(taus, scores[from])
		item := classifiedItem{positive: labels[from], above: int32(above), cluster: int32(from)}
		if cluster != nil {
			item.cluster = cluster[from]
		}
		if i > 0 {
			item.level = c.items[i-1].level
			if scores[order[i-1]] != scores[from] {
				item.level++
			}
		}
		c.items[i] = item
	}
	return c
}

// worker returns a function for draw with memory of its own. It fills in the
// area under the ROC curve, then precision, recall and F1 for each threshold, NaN
// where one is undefined; and returns the weight above each threshold.
func (c classified) worker() func(drawn []int32, out []float64) []int64 {
	matched, right := make([]int64, c.taus), make([]int64, c.taus)
	return func(drawn []int32, out []float64) []int64 {
		clear(matched)
		clear(right)
		var positives, negatives, doubled int64 // doubled: twice the pairs won, so that ties stay whole
		for i := 0; i < len(c.items); {
			var p, n int64
			for level := c.items[i].level; i < len(c.items) && c.items[i].level == level; i++ {
				item, w := c.items[i], int64(1)
				if drawn != nil {
					w = int64(drawn[item.cluster])
				}
				if item.positive {
					p += w
				} else {
					n += w
				}
				if item.above > 0 {
					matched[item.above-1] += w
					if item.positive {
						right[item.above-1] += w
					}
				}
			}
			doubled += p * (2*negatives + n)
			positives, negatives = positives+p, negatives+n
		}
		for i := c.taus - 2; i >= 0; i-- { // what is above a threshold is above those below it
			matched[i] += matched[i+1]
			right[i] += right[i+1]
		}
		// 0/0 is NaN
		out[0] = float64(doubled) / 2 / (float64(positives) * float64(negatives))
		for i := range c.taus {
			out[1+3*i] = float64(right[i]) / float64(matched[i])
			out[2+3*i] = float64(right[i]) / float64(positives)
			out[3+3*i] = math.NaN()
			if positives > 0 {
				out[3+3*i] = 2 * float64(right[i]) / float64(matched[i]+positives)
			}
		}
		return matched
	}
}

// drawn is worker for a bootstrap.
func (c classified) drawn() func(drawn []int32, out []float64) {
	compute := c.worker()
	return func(drawn []int32, out []float64) { compute(drawn, out) }
}

// ROCAUC returns the area under the ROC curve in [0, 1]: the probability that a
// positive observation scores higher than a negative one, where a tie counts one
// half. 0.5 is chance. It equals the Mann-Whitney U of the positive scores over
// the number of pairs. Errors: ErrLength, ErrNaN, and ErrOneClass without
// positive or without negative labels.
func ROCAUC(scores []float64, labels []bool) (float64, error) {
	if len(scores) != len(labels) {
		return 0, fmt.Errorf("ROCAUC is undefined: %w: %d scores and %d labels", ErrLength, len(scores), len(labels))
	}
	if i := slices.IndexFunc(scores, math.IsNaN); i >= 0 {
		return 0, fmt.Errorf("ROCAUC is undefined: %w: score %d", ErrNaN, i+1)
	}
	out := make([]float64, 1)
	newClassified(scores, labels, nil, nil).worker()(nil, out)
	if math.IsNaN(out[0]) {
		return 0, fmt.Errorf("ROCAUC is undefined: %w: all %d are the same", ErrOneClass, len(labels))
	}
	return out[0], nil
}

// DrawnROCAUC returns a function for the draws of a bootstrap: ROCAUC where every score occurs
// as often as its cluster was drawn, NaN where that is undefined. It sorts once, and has memory
// of its own. There are as many scores as labels, and none is NaN.
func DrawnROCAUC(scores []float64, labels []bool, cluster []int32) func(drawn []int32) float64 {
	compute, out := newClassified(scores, labels, cluster, nil).worker(), make([]float64, 1)
	return func(drawn []int32) float64 {
		compute(drawn, out)
		return out[0]
	}
}
