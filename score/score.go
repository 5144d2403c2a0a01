// Package score is stage 3. It computes Con, Comp and Rel, with their evidence, from the
// similarities between the sentences of a review and the references of a change:
//
//	result, err := score.Score(similarities, references, score.Rule{Mode: score.Hard, Tau: 0.3})
//
// docs/modes.md has the equations. The package knows no texts, encoders or changes.
package score

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// ErrNoRefs means that the change has no references. A review of it has no score: 0 would
// say that the review is bad.
var ErrNoRefs = errors.New("the change has no pseudo-references")

// ErrNoWeight means that all references of the change weigh 0, so that its reviews have no
// score.
var ErrNoWeight = errors.New("all pseudo-references of the change weigh 0")

// Best is the evidence for one sentence or one reference: its most similar
// partner on the other side.
type Best struct {
	// Index is the partner's position, counted from 0; the first of several
	// equally similar ones; -1 where the other side is empty.
	Index int
	// Similarity is in [0,1].
	Similarity float64
	// Credit is the credit under the rule, in [0,1]: of Similarity, and by CoverNoisyOr of the
	// similarities to all sentences. Con is the mean credit of the sentences, Comp the weighted
	// mean credit of the references.
	Credit float64
	// Matched reports whether Similarity > τ. In a mode without τ it is false
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

	sim      [][]float32 // the caller's matrix, for Rescore
	repeated []bool      // by sentence; nil before it is needed
}

// Ref is a reference without its text. Weights depend on its kind and source.
type Ref struct {
	// Kind is claim, implication or smell; Source is the name of its source.
	Kind, Source string
}

// Score applies a rule without weights to a matrix of similarities: sim[i][j] is the
// similarity of sentence i and reference j. Every row has refs values, at most 1. Values
// below 0 are taken as 0.
//
// It returns ErrNoRefs when refs is 0, and an error for a row of another
// length, a similarity that is NaN, infinite or above 1, a rule that Check
// refuses, or one with weights, which are for ScoreRefs. The result keeps the matrix for
// Rescore, and copies nothing: the caller must not change it.
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
	r := Result{Sentences: none(len(sim)), Refs: none(len(refs)), Empty: len(sim) == 0, sim: sim}
	for i, row := range sim {
		if len(row) != len(refs) {
			return Result{}, fmt.Errorf("row %d of the matrix has %d similarities, not %d", i, len(row), len(refs))
		}
		for j, v := range row {
			s := float64(v)
			if math.IsNaN(s) || math.IsInf(s, 0) || s > 1+1e-5 {
				return Result{}, fmt.Errorf("the similarity of sentence %d and reference %d is %v, not in [0,1]", i, j, v)
			}
			s = float64(cut(v))
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
// same under every rule, so a sweep of thresholds reads the matrix only once, and
// again only for CoverNoisyOr. The evidence is changed in place, which copies of the
// result share.
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
	if rule.NoisyOr() && len(r.sim) != len(r.Sentences) {
		return errors.New("comp noisy-or needs all similarities, and the result has none: ScoreRefs keeps them")
	}
	credit(r.Sentences, &rule)
	credit(r.Refs, &rule)
	if rule.NoisyOr() {
		r.cover(&rule)
	}
	r.Con = mean(r.Sentences, func(int) float64 { return 1 })
	r.Comp = mean(r.Refs, func(j int) float64 { return rule.Weights.Of(refs[j].Kind, refs[j].Source) })
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

// cut cuts a similarity to [0,1]: what rounding adds to 1 counts no more than 1.
func cut(s float32) float32 { return min(max(s, 0), 1) }

// credit sets the credits of one side. A sentence or reference without a partner has the
// credit 0.
func credit(side []Best, rule *Rule) {
	for i := range side {
		if b := &side[i]; b.Index >= 0 {
			b.Credit = rule.credit(b.Similarity)
			b.Matched = rule.Mode.UsesTau() && above(b.Similarity, rule.Tau)
		}
	}
}

// Repeated reports which rows of a matrix equal an earlier row in every value: the same sentence
// again. CoverNoisyOr takes their similarities as 0, so that repeating a review does not pay.
func Repeated(sim [][]float32) []bool {
	out := make([]bool, len(sim))
	seen := make(map[string]bool, len(sim))
	var key []byte
	for i, row := range sim {
		key = key[:0]
		for _, v := range row {
			key = binary.LittleEndian.AppendUint32(key, math.Float32bits(v))
		}
		out[i] = seen[string(key)]
		seen[string(key)] = true
	}
	return out
}

// cover sets the credits of the references by all sentences.
func (r *Result) cover(rule *Rule) {
	if r.repeated == nil {
		r.repeated = Repeated(r.sim)
	}
	column := make([]float32, len(r.sim))
	for j := range r.Refs {
		for i, row := range r.sim {
			column[i] = 0
			if !r.repeated[i] {
				column[i] = cut(row[j])
			}
		}
		r.Refs[j].Credit = rule.Cover(column)
	}
}

// mean is the weighted mean of the credits of one side: 0 for an empty side.
func mean(side []Best, weight func(int) float64) float64 {
	if len(side) == 0 {
		return 0
	}
	sum, whole := 0.0, 0.0
	for i := range side {
		w := weight(i)
		sum += float64(w * side[i].Credit) // rounded here: no fused operation, so never above whole
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
