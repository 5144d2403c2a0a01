package consistency

import (
	"context"
	"strings"

	"crscore"
	"crscore/eval/evidence"
	"crscore/eval/resample"
	"crscore/internal/comments"
	"crscore/internal/dataset"
)

// Scorer scores a bot's comments on a change, joined as one review. It is for one goroutine.
type Scorer struct {
	// Engine judges the reviews.
	Engine *crscore.Engine

	original *dataset.Record // that of the last variant, with its result
	before   crscore.Result
}

// Score returns the results of the comments on a change and of those on its variant. Variants of one
// original follow each other, so that it is judged once. The error is ctx's own.
func (s *Scorer) Score(
	ctx context.Context, original, variant *dataset.Record, before, after []comments.Comment,
) (*[2]crscore.Result, error) {
	if s.original != original {
		r, err := s.judge(ctx, original, before)
		if err != nil {
			return nil, err
		}
		s.original, s.before = original, r
	}
	r, err := s.judge(ctx, variant, after)
	return &[2]crscore.Result{s.before, r}, err
}

func (s *Scorer) judge(ctx context.Context, rec *dataset.Record, all []comments.Comment) (crscore.Result, error) {
	var texts []string
	for _, c := range all {
		texts = append(texts, c.Body)
	}
	in, err := evidence.Input(rec)
	if err != nil {
		return crscore.Result{Status: crscore.Unscored, Reason: err.Error()}, nil
	}
	_, results, err := s.Engine.Judge(ctx, in, strings.Join(texts, "\n\n"))
	if err != nil {
		return crscore.Result{}, err
	}
	results[0].Match = nil // its matrix would stay in memory
	return results[0], nil
}

// Scores are the means of a bot's scores, over variants. Comments on a change are one review.
type Scores struct {
	// Scored counts the variants with both scores, Unscored others by the reason.
	Scored   int            `json:"scored"`
	Unscored map[string]int `json:"unscored"`
	// Con, Comp and Rel are the three scores.
	Con  Difference `json:"con"`
	Comp Difference `json:"comp"`
	Rel  Difference `json:"rel"`
}

func (s *Scores) list() [3]Difference { return [3]Difference{s.Con, s.Comp, s.Rel} }

// Difference has the means of a score before and after the rewriting, and Delta, after minus before.
type Difference struct {
	// Before, After and Delta are means over variants.
	Before resample.Estimate `json:"before"`
	After  resample.Estimate `json:"after"`
	Delta  resample.Estimate `json:"delta"`
}

// newScores sums up the scores of outcomes; nil where none was asked for.
func newScores(ctx context.Context, of []*Outcome, o Options) (*Scores, error) {
	if of[0].Scores == nil {
		return nil, nil
	}
	out := &Scores{Unscored: map[string]int{}}
	var scored []*Outcome
	for _, one := range of {
		switch r := one.Scores; {
		case r[0].Status != crscore.Scored:
			out.Unscored["the change: "+r[0].Reason]++
		case r[1].Status != crscore.Scored:
			out.Unscored["the variant: "+r[1].Reason]++
		default:
			scored = append(scored, one)
		}
	}
	out.Scored = len(scored)
	add := func(one *Outcome, s *sums) {
		b, a := one.Scores[0], one.Scores[1]
		for i, v := range [...]float64{1, b.Con, b.Comp, b.Rel, a.Con, a.Comp, a.Rel} {
			s[i] += v
		}
	}
	e, err := o.estimates(ctx, scored, 9, "no variant has both scores", add, func(s *sums, out []float64) {
		for k := range 3 {
			before, after := s[1+k], s[4+k]
			out[3*k], out[3*k+1], out[3*k+2] = before/s[0], after/s[0], (after-before)/s[0]
		}
	})
	if err != nil {
		return nil, err
	}
	for k, to := range []*Difference{&out.Con, &out.Comp, &out.Rel} {
		*to = Difference{e[3*k], e[3*k+1], e[3*k+2]}
	}
	return out, nil
}
