// Package score is stage 3: from the matrix of similarities between the
// sentences of a review and the pseudo-references of a change to the three
// numbers of CRScore, with the evidence for them.
//
// It is arithmetic over values. Texts, encoders and changes may not come in.
package score

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Mode names a rule that turns similarities into Con and Comp.
type Mode string

const (
	// Hard is the paper's rule: a sentence is on topic, and a reference is
	// covered, where the best similarity is strictly greater than τ.
	Hard Mode = "hard"
	// Soft uses no threshold: Con is the mean over sentences of the best
	// similarity, Comp the mean over references.
	Soft Mode = "soft"
)

// ParseMode reads a flag's value.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); m {
	case Hard, Soft:
		return m, nil
	}
	return "", fmt.Errorf("unknown mode %q: choose hard or soft", s)
}

// UsesTau tells whether the mode depends on τ.
func (m Mode) UsesTau() bool { return m == Hard }

// Rule is a mode with its parameters.
type Rule struct {
	Mode Mode
	Tau  float64 // in [0,1]; ignored by modes that do not use it
}

// Check returns an error for an unknown mode or a τ outside its range.
func (r Rule) Check() error {
	if _, err := ParseMode(string(r.Mode)); err != nil {
		return err
	}
	if r.Mode.UsesTau() {
		return CheckTau(r.Tau)
	}
	return nil
}

// Signature names the rule: "mode=hard tau=0.3".
func (r Rule) Signature() string {
	if !r.Mode.UsesTau() {
		return "mode=" + string(r.Mode)
	}
	return "mode=" + string(r.Mode) + " tau=" + strconv.FormatFloat(r.Tau, 'g', -1, 64)
}

// ErrNoRefs is returned where there is nothing to compare a review with. Such
// a review has no score: 0 would say that it is bad.
var ErrNoRefs = errors.New("the change has no pseudo-references")

// Best is the evidence for one sentence or one reference: its most similar
// partner on the other side.
type Best struct {
	// Index is the partner's position, counted from 0; the first of several
	// equally similar ones; -1 where the other side is empty.
	Index int
	// Similarity is in [0,1].
	Similarity float64
	// Matched tells whether Similarity > τ. In a mode without τ it is false
	// everywhere and says nothing.
	Matched bool
}

// Result is a review's score. The numbers are in [0,1].
type Result struct {
	// Con is conciseness: the share of sentences that are on topic (eq. 1 of
	// Naik et al. 2024, a precision).
	Con float64
	// Comp is comprehensiveness: the share of references that are covered
	// (eq. 2, a recall).
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

// Score applies the paper's equations 1 to 3 to a matrix of similarities:
// sim[i][j] is that of sentence i and reference j. Every row has refs values,
// at most 1; values below 0 count as 0 and nothing is rescaled.
//
// It returns ErrNoRefs when refs is 0, and an error for a row of another
// length, a similarity that is NaN or above 1, or a rule that Check refuses.
func Score(sim [][]float32, refs int, rule Rule) (Result, error) {
	if err := rule.Check(); err != nil {
		return Result{}, err
	}
	if refs == 0 {
		return Result{}, ErrNoRefs
	}
	r := Result{Sentences: none(len(sim)), Refs: none(refs), Empty: len(sim) == 0}
	for i, row := range sim {
		if len(row) != refs {
			return Result{}, fmt.Errorf("row %d of the matrix has %d similarities, not %d", i, len(row), refs)
		}
		for j, v := range row {
			s := float64(v)
			if math.IsNaN(s) || s > 1+1e-5 {
				return Result{}, fmt.Errorf("the similarity of sentence %d and reference %d is %v, not in [0,1]", i, j, v)
			}
			s = min(max(s, 0), 1) // clamped at 0, and at 1 for what rounding adds
			r.Sentences[i].offer(j, s)
			r.Refs[j].offer(i, s)
		}
	}
	r.Con = gain(r.Sentences, rule)
	r.Comp = gain(r.Refs, rule)
	r.Rel = HarmonicMean(r.Con, r.Comp)
	return r, nil
}

// CheckTau returns an error unless tau is a number in [0,1].
func CheckTau(tau float64) error {
	if math.IsNaN(tau) || tau < 0 || tau > 1 {
		return fmt.Errorf("tau is %v, but must be a number from 0 to 1", tau)
	}
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

// gain is the mean over one side of what each best similarity counts under the
// rule, and marks the matches. It is 0 for an empty side.
func gain(side []Best, rule Rule) float64 {
	if len(side) == 0 {
		return 0
	}
	sum := 0.0
	for i := range side {
		b := &side[i]
		switch {
		case !rule.Mode.UsesTau():
			sum += b.Similarity
		// Similarities are float32: 0.3 as such is greater than 0.3 as float64.
		case b.Index >= 0 && float32(b.Similarity) > float32(rule.Tau):
			b.Matched = true
			sum++
		}
	}
	return sum / float64(len(side))
}

// HarmonicMean is 2ab/(a+b), and 0 where both are 0 (eq. 3).
func HarmonicMean(a, b float64) float64 {
	if a+b == 0 {
		return 0
	}
	return 2 * a * b / (a + b)
}
