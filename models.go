package crscore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"crscore/pseudoref"
	"crscore/pseudoref/llm"
	"crscore/sts"
)

// ModelOptions shape the claims of a language model.
type ModelOptions struct {
	// Format is how the model answers; empty means llm.JSON.
	Format llm.Format
	// Cache keeps its raw answers; nil means none.
	Cache llm.Cache
	// Timeout is the deadline of a call; 0 means llm.DefaultTimeout.
	Timeout time.Duration
	// Fallback takes the place of the model for a change where that failed, and
	// the signature of the results says so. nil leaves them without a score.
	Fallback Source
}

// ModelClaims makes claims with a language model. They are checked against the
// change, and those that do not pass are in RefSet.Dropped.
func ModelClaims(m llm.Model, opts ModelOptions) (Source, error) {
	c, err := llm.New(m, llm.Options{Format: opts.Format, Cache: opts.Cache, Timeout: opts.Timeout})
	if err != nil {
		return nil, err
	}
	return &modelSource{c, opts.Fallback}, nil
}

type modelSource struct {
	claimer  *llm.Claimer
	fallback Source
}

func (m *modelSource) Signature() string { return m.claimer.Signature() }

func (m *modelSource) Refs(ctx context.Context, in Input) (Found, error) {
	found, err := m.claimer.Claims(ctx, in.Change)
	if err == nil {
		return Found{Refs: found.Refs, Dropped: found.Dropped, Warnings: found.Warnings}, nil
	}
	if m.fallback == nil || ctx.Err() != nil {
		return Found{}, err
	}
	other, err2 := m.fallback.Refs(ctx, in)
	if err2 != nil {
		return Found{}, errors.Join(err, fmt.Errorf("and instead of it: %s: %w", m.fallback.Signature(), err2))
	}
	other.Warnings = append(slices.Clip(other.Warnings), fmt.Sprintf("%s: %v; %s takes its place", m.Signature(), err, m.fallback.Signature()))
	other.Signature = fmt.Sprintf("%s(instead-of:%s)", m.fallback.Signature(), m.Signature())
	return other, nil
}

// prepare lets models tell what their signature needs.
func (m *modelSource) prepare(ctx context.Context) error { return m.claimer.Prepare(ctx) }

// From these similarities on, a model's claim says again what another says, if
// both name the same code (sameClaim) or none (sameProse). They are points on the
// scale of the default similarity; a change of them is one of llm.CheckVersion.
const (
	sameClaim = 0.65
	sameProse = 0.9
)

// folding returns the similarity to fold by: the default one, whatever scores are
// made with, so that a change has the same references for every encoder.
func (e *Engine) folding(ctx context.Context) (sts.Similarity, error) {
	if !slices.ContainsFunc(e.claims, isModel) {
		return nil, nil
	}
	defaults, err := defaultProfiles()
	if err != nil {
		return nil, err
	}
	if p := defaults[0]; p.Fits(e.similarity.Signature(), p.Splitter) {
		return e.similarity, nil
	}
	enc, err := sts.NewBuiltin(ctx, sts.EncoderOptions{})
	if err != nil {
		return nil, err
	}
	e.closers = append(e.closers, enc)
	return sts.NewSimilarity(sts.SimilarityHybrid, enc)
}

func isModel(s Source) bool {
	_, ok := s.(*modelSource)
	return ok
}

// fold takes out of the lists of models the claims that another list, or the same
// one, has in other words. The lists that no model made stay as they are.
func fold(ctx context.Context, similarity sts.Similarity, lists [][]pseudoref.Ref, byModel []bool) ([]pseudoref.Dropped, error) {
	if similarity == nil {
		return nil, nil
	}
	var there []pseudoref.Ref
	for i, list := range lists {
		if !byModel[i] {
			there = append(there, list...)
		}
	}
	var dropped []pseudoref.Dropped
	for i, list := range lists {
		if !byModel[i] || len(list) == 0 {
			continue
		}
		kept, again, err := foldList(ctx, similarity, there, list)
		if err != nil {
			return nil, err
		}
		lists[i], dropped, there = kept, append(dropped, again...), append(there, kept...)
	}
	return dropped, nil
}

func foldList(ctx context.Context, similarity sts.Similarity, there, list []pseudoref.Ref) (kept []pseudoref.Ref, dropped []pseudoref.Dropped, err error) {
	all := slices.Concat(there, list)
	texts, points := make([]string, len(all)), make([]llm.Point, len(all))
	for i := range all {
		texts[i], points[i] = all[i].Text, llm.PointOf(all[i].Text)
	}
	m, err := similarity.Matrix(ctx, texts[len(there):], texts)
	if err != nil {
		return nil, nil, err
	}
	again := make([]bool, len(all))
	for i, r := range list {
		at := len(there) + i
		for j, other := range all[:at] {
			if again[j] || m[i][j] < sameClaim || r.Kind != other.Kind || points[at] != points[j] || !points[at].Named() && m[i][j] < sameProse {
				continue
			}
			again[at] = true
			dropped = append(dropped, pseudoref.Dropped{Ref: r, Reason: llm.Duplicate, Detail: fmt.Sprintf("says what %q says", other.Text)})
			break
		}
		if !again[at] {
			kept = append(kept, r)
		}
	}
	return kept, dropped, nil
}
