package consistency

import (
	"context"
	"strings"

	"crscore"
	"crscore/eval/evidence"
	"crscore/eval/perturb"
	"crscore/eval/perturb/stability"
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

// moves are the scores of outcomes of a perturbation, as package stability measures them.
func moves(p perturb.Perturbation, of []*Outcome) *stability.Moves {
	m := &stability.Moves{Perturbation: p, Fits: len(of), Left: map[string]int{}}
	for _, one := range of {
		switch r := one.Scores; {
		case r[0].Status != crscore.Scored:
			m.Left["the change: "+r[0].Reason]++
		case r[1].Status != crscore.Scored:
			m.Left["the variant: "+r[1].Reason]++
		default:
			m.Pairs = append(m.Pairs, stability.Pair{Change: one.Change, Before: stability.ScoresOf(r[0]), After: stability.ScoresOf(r[1])})
		}
	}
	m.Unscored = len(of) - len(m.Pairs)
	return m
}
