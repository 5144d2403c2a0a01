package crscore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"crscore/chat"
	"crscore/pseudoref"
	"crscore/pseudoref/llm"
	"crscore/score"
	"crscore/sts"
)

// ModelOptions shape the claims of a language model.
type ModelOptions struct {
	llm.Options
	// Fallback makes the claims of a change for which the model failed; the signature of
	// the results names both. nil leaves the reviews of such a change without a score.
	Fallback Source
}

// ModelClaims makes claims with a language model. Each claim is checked against the
// change; RefSet.Dropped has the claims that fail the check.
func ModelClaims(m chat.Model, opts ModelOptions) (Source, error) {
	c, err := llm.New(m, opts.Options)
	if err != nil {
		return nil, err
	}
	return &modelSource{m.Name(), c, opts.Fallback}, nil
}

type modelSource struct {
	name     string
	claimer  *llm.Claimer
	fallback Source
}

func (m *modelSource) Signature() string { return m.claimer.Signature() }

func (m *modelSource) Refs(ctx context.Context, run *ChangeRun) (Found, error) {
	found, err := m.claimer.Claims(ctx, run.Change)
	if err == nil {
		out := Found{Refs: found.Refs, Dropped: found.Dropped, Warnings: found.Warnings}
		if found.Thought {
			out.Signature = m.Signature() + "(reasoning_content)"
		}
		return out, nil
	}
	if m.fallback == nil || ctx.Err() != nil {
		return Found{}, err
	}
	other, err2 := m.fallback.Refs(ctx, run)
	if err2 != nil {
		return Found{}, errors.Join(err, fmt.Errorf("and instead of it: %s: %w", m.fallback.Signature(), err2))
	}
	other.Warnings = append(slices.Clip(other.Warnings), fmt.Sprintf("%s: %v; %s takes its place", m.Signature(), err, m.fallback.Signature()))
	other.Fallback = true
	other.Signature = fmt.Sprintf("%s(instead-of:%s)", m.fallback.Signature(), m.Signature())
	return other, nil
}

// Prepare implements Preparer: it asks the model's server for the version that the
// signature names.
func (m *modelSource) Prepare(ctx context.Context) error { return m.claimer.Prepare(ctx) }

// Paraphrases implements Paraphraser.
func (m *modelSource) Paraphrases() bool { return true }

// Gives implements Named.
func (m *modelSource) Gives(name string) bool {
	return m.fallback != nil && gives(m.fallback, name) || m.name == name
}

// A claim repeats another claim from these similarities on: sameClaim if both name the
// same code, sameProse if neither names code. They are values of the hybrid similarity.
// Changing one means raising llm.CheckVersion.
const (
	sameClaim = 0.65
	sameProse = 0.9
)

// dedupeSimilarity returns the similarity that finds repeated claims: hybrid with the built-in
// encoder, so that a change has the same references for every similarity. It is nil if no source
// paraphrases.
func (e *Engine) dedupeSimilarity(ctx context.Context) (sts.Similarity, error) {
	if !slices.ContainsFunc(e.claims, paraphrases) {
		return nil, nil
	}
	return e.own.hybrid(ctx, e.similarity)
}

// Vectors returns the vectors of texts by the built-in encoder, whatever the engine's similarity.
func (e *Engine) Vectors(ctx context.Context, texts []string) ([][]float32, error) {
	h, err := e.own.hybrid(ctx, e.similarity)
	if err != nil {
		return nil, err
	}
	return h.Encoder().Encode(ctx, texts)
}

// ownSimilarity is hybrid with the built-in encoder, for what does not depend on the similarity that a
// user chose. It is opened when it is first needed.
type ownSimilarity struct {
	mu   sync.Mutex
	made *sts.Hybrid
	enc  io.Closer // nil if it is the similarity's
}

// hybrid returns the similarity, or its part, if it is hybrid with the built-in encoder; or else a
// new one.
func (b *ownSimilarity) hybrid(ctx context.Context, similarity sts.Similarity) (*sts.Hybrid, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.made != nil {
		return b.made, nil
	}
	switch s := similarity.(type) {
	case *sts.Pair:
		b.made = s.Hybrid()
	case *sts.Hybrid:
		defaults, err := defaultProfiles()
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(defaults, func(p score.Profile) bool { return p.Fits(score.Signature(s.Signature()), p.Splitter) }) {
			b.made = s
		}
	}
	if b.made != nil {
		return b.made, nil
	}
	enc, err := sts.NewBuiltin(ctx, sts.EncoderOptions{})
	if err != nil {
		return nil, err
	}
	s, err := sts.NewSimilarity(sts.SimilarityHybrid, enc)
	if err != nil {
		return nil, errors.Join(err, enc.Close())
	}
	b.made, b.enc = s.(*sts.Hybrid), enc
	return b.made, nil
}

// Close closes the encoder, if one was opened.
func (b *ownSimilarity) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.enc == nil {
		return nil
	}
	return b.enc.Close()
}

// paraphrases reports whether a source may repeat another source in other words.
func paraphrases(s Source) bool {
	p, ok := s.(Paraphraser)
	return ok && p.Paraphrases()
}

// dedupe removes claims that repeat a claim in other words, in the same list or another.
// It only changes the paraphrased lists.
func dedupe(ctx context.Context, similarity sts.Similarity, lists [][]pseudoref.Ref, paraphrased []bool) ([]pseudoref.Dropped, error) {
	if similarity == nil {
		return nil, nil
	}
	var there []pseudoref.Ref
	for i, list := range lists {
		if !paraphrased[i] {
			there = append(there, list...)
		}
	}
	var dropped []pseudoref.Dropped
	for i, list := range lists {
		if !paraphrased[i] || len(list) == 0 {
			continue
		}
		kept, again, err := dedupeList(ctx, similarity, there, list)
		if err != nil {
			return nil, err
		}
		lists[i], dropped, there = kept, append(dropped, again...), append(there, kept...)
	}
	return dropped, nil
}

func dedupeList(ctx context.Context, similarity sts.Similarity, there, list []pseudoref.Ref) (kept []pseudoref.Ref, dropped []pseudoref.Dropped, err error) {
	all := slices.Concat(there, list)
	texts, subjects := make([]string, len(all)), make([]llm.Subject, len(all))
	for i := range all {
		texts[i], subjects[i] = all[i].Text, llm.SubjectOf(all[i].Text)
	}
	m, err := similarity.Matrix(ctx, texts[len(there):], texts)
	if err != nil {
		return nil, nil, err
	}
	again := make([]bool, len(all))
	for i, r := range list {
		at := len(there) + i
		for j, other := range all[:at] {
			if again[j] || m[i][j] < sameClaim || r.Kind != other.Kind || subjects[at] != subjects[j] || !subjects[at].Named() && m[i][j] < sameProse {
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
