// Package score is stage 3: from the matrix of similarities between the
// sentences of a review and the pseudo-references of a change to the three
// numbers of CRScore, with the evidence for them.
//
// It is arithmetic over values. Texts, encoders and changes may not come in. The
// equations stand in docs/modes.md.
package score

import (
	"errors"
	"fmt"
	"math"
)

// ErrNoRefs is returned where there is nothing to compare a review with. Such
// a review has no score: 0 would say that it is bad.
var ErrNoRefs = errors.New("the change has no pseudo-references")

// ErrNoWeight is returned where there are references but all of them weigh 0.
// Such a review has no score either.
var ErrNoWeight = errors.New("all pseudo-references of the change weigh 0")

// Best is the evidence for one sentence or one reference: its most similar
// partner on the other side.
type Best struct {
	// Index is the partner's position, counted from 0; the first of several
	// equally similar ones; -1 where the other side is empty.
	Index int
	// Similarity is in [0,1].
	Similarity float64
	// Credit is what it counts under the rule, in [0,1]: Con is the mean over the
	// sentences, Comp the weighted mean over the references.
	Credit float64
	// Matched tells whether Similarity > τ. In a mode without τ it is false
	// everywhere and says nothing.
	Matched bool
}

// Result is a review's score. The numbers are in [0,1].
type Result struct {
	// Con is conciseness: the share of sentences that are on topic (eq. 1 of
	// Naik et al. 2024, a precision), in the mode's sense.
	Con float64
	// Comp is comprehensiveness: the share of references that are covered
	// (eq. 2, a recall), by weight.
	Comp float64
	// Rel is relevance: the harmonic mean of both (eq. 3), 0 where both are 0.
	Rel float64
	// Sentences and Refs hold the evidence, one Best a sentence and one a
	// reference, in matrix order.
	Sentences, Refs []Best
	// Empty is set for a review without sentences. It says nothing, so all
	// three numbers are 0.
	Empty bool
}

// Ref is what this stage has to know of a pseudo-reference beside its
// similarities: what Weights go by.
type Ref struct{ Kind, Source string }

// Score applies a rule that weighs all references alike to a matrix of
// similarities: sim[i][j] is that of sentence i and reference j. Every row has
// refs values, at most 1; values below 0 count as 0 and nothing is rescaled.
//
// It returns ErrNoRefs when refs is 0, and an error for a row of another
// length, a similarity that is NaN, infinite or above 1, a rule that Check
// refuses, or one with weights, which are for ScoreRefs.
func Score(sim [][]float32, refs int, rule Rule) (Result, error) {
	if w := rule.Weights.String(); w != "" {
		return Result{}, fmt.Errorf("the rule weighs references (%s), but their kinds and sources are not given", w)
	}
	rule.Weights = nil
	return ScoreRefs(sim, make([]Ref, refs), rule)
}

// ScoreRefs is Score with the rule's weights: column j of the matrix belongs to
// refs[j]. It returns ErrNoWeight where all of them weigh 0.
func ScoreRefs(sim [][]float32, refs []Ref, rule Rule) (Result, error) {
	r := Result{Sentences: none(len(sim)), Refs: none(len(refs)), Empty: len(sim) == 0}
	for i, row := range sim {
		if len(row) != len(refs) {
			return Result{}, fmt.Errorf("row %d of the matrix has %d similarities, not %d", i, len(row), len(refs))
		}
		for j, v := range row {
			s := float64(v)
			if math.IsNaN(s) || math.IsInf(s, 0) || s > 1+1e-5 {
				return Result{}, fmt.Errorf("the similarity of sentence %d and reference %d is %v, not in [0,1]", i, j, v)
			}
			s = min(max(s, 0), 1) // clamped at 0, and at 1 for what rounding adds
			r.Sentences[i].offer(j, s)
			r.Refs[j].offer(i, s)
		}
	}
	if err := r.Rescore(refs, rule); err != nil {
		return Result{}, err
	}
	return r, nil
}

// Rescore replaces the numbers of a result by those of another rule, as ScoreRefs
// would find them with the same matrix and references. The best partners are the
// same under every rule, so a sweep of thresholds needs the matrix only once. The
// evidence is changed in place, which copies of the result share.
func (r *Result) Rescore(refs []Ref, rule Rule) error {
	if err := rule.Check(); err != nil {
		return err
	}
	if len(refs) != len(r.Refs) {
		return fmt.Errorf("the result has %d references, not %d", len(r.Refs), len(refs))
	}
	if len(refs) == 0 {
		return ErrNoRefs
	}
	heaviest := 0.0
	for _, ref := range refs {
		heaviest = max(heaviest, rule.Weights.Of(ref.Kind, ref.Source))
	}
	if heaviest == 0 {
		return ErrNoWeight
	}
	r.Con = mean(r.Sentences, rule, func(int) float64 { return 1 })
	r.Comp = mean(r.Refs, rule, func(j int) float64 { return rule.Weights.Of(refs[j].Kind, refs[j].Source) })
	r.Rel = HarmonicMean(r.Con, r.Comp)
	return nil
}

func none(n int) []Best {
	b := make([]Best, n)
	for i := range b {
		b[i].Index = -1
	}
	return b
}

func (b *Best) offer(index int, similarity float64) {
	if b.Index < 0 || similarity > b.Similarity {
		b.Index, b.Similarity = index, similarity
	}
}

// mean is the weighted mean over one side of what each best similarity counts
// under the rule, which it notes down. It is 0 for an empty side, and what has no
// partner counts 0 in every mode.
func mean(side []Best, rule Rule, weight func(int) float64) float64 {
	if len(side) == 0 {
		return 0
	}
	sum, whole := 0.0, 0.0
	for i := range side {
		b, w := &side[i], weight(i)
		if b.Index >= 0 {
			b.Credit = rule.Credit(b.Similarity)
			b.Matched = rule.Mode.UsesTau() && above(b.Similarity, rule.Tau)
		}
		sum += float64(w * b.Credit) // rounded here: no fused operation, so never above whole
		whole += w
	}
	return sum / whole
}

// HarmonicMean is 2ab/(a+b), and 0 where both are 0 (eq. 3).
func HarmonicMean(a, b float64) float64 {
	if a+b == 0 {
		return 0
	}
	return 2 * a * b / (a + b)
}
