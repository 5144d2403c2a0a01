package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"crscore"
	"crscore/eval/agreement"
	"crscore/eval/evidence"
	"crscore/internal/dataset"
	"crscore/internal/matrices"
	"crscore/score"
	"crscore/sts"
	"crscore/sts/builtin"
)

// The marks of what cannot be taken as it stands; the page explains them.
const (
	seen   = "†" // the annotators saw these claims while they rated
	oracle = "‡" // the claims are the annotators' own
)

// setting is one way to make similarities.
type setting struct {
	name     string
	claims   crscore.Source // nil for the default sources; else smells are the data's
	noSmells bool
	cosine   bool           // the paper's similarity and splitter, not ours
	compat   crscore.Compat // with cosine
}

// measured are the similarities of all changes, from which every rule's scores
// are made.
type measured struct {
	setting
	rule     score.Rule // the default one, which cosine does not have
	hard     score.Rule // that of the default profile for hard mode, likewise
	links    []agreement.Link
	matched  map[agreement.ReviewID]*matched // without the unscored
	unscored map[string]int                  // reviews of systems, by reason
	made     string                          // the signature, without what may differ by rounding
}

// matched is a review's best similarities.
type matched struct {
	refs   []score.Ref
	result score.Result
}

// options are those of the engine. With cosine there is no default τ, so the mode
// is one without.
func (s setting) options(ctx context.Context) (crscore.Options, error) {
	var o crscore.Options
	if s.claims != nil {
		o.Claims, o.Smells = []crscore.Source{s.claims}, []crscore.Source{crscore.DataSmells()}
	}
	if s.noSmells {
		o.Smells = []crscore.Source{}
	}
	if s.cosine {
		encoder, err := sts.NewBuiltin(ctx, sts.EncoderOptions{})
		if err != nil {
			return o, err
		}
		o.Closer, o.Similarity, o.Splitter, o.Mode = encoder, sts.Cosine{Encoder: encoder}, sts.Paper{}, score.Soft
		o.Compat = s.compat
	}
	return o, nil
}

func (s setting) measure(ctx context.Context, set labelled) (m measured, err error) {
	opts, err := s.options(ctx)
	if err != nil {
		return m, err
	}
	e, err := crscore.New(ctx, opts)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	m = measured{setting: s, rule: e.Rule(), matched: map[agreement.ReviewID]*matched{}, unscored: map[string]int{}, made: e.Signed(e.Provenance().Sources).Portable().String()}
	if !s.cosine {
		if m.hard, err = hardRule(); err != nil {
			return m, err
		}
	}
	at := 0
	next := func() (crscore.Job, error) {
		if at == len(set.records) {
			return crscore.Job{}, io.EOF
		}
		at++
		return evidence.Job(&set.records[at-1]), nil
	}
	err = e.Stream(ctx, next, func(o crscore.Outcome) error {
		b, err := evidence.Block(ctx, e, o.Tag.(*dataset.Record), o)
		if err != nil {
			return err
		}
		return m.add(b)
	})
	return m, err
}

func (m *measured) add(b *matrices.Block) error {
	m.links = append(m.links, evidence.Links(b)...)
	refs := make([]score.Ref, len(b.Refs))
	for j, r := range b.Refs {
		refs[j] = score.Ref{Kind: r.Kind, Source: r.Source}
	}
	for i := range b.Reviews {
		if why := b.Reviews[i].Unscored; why != "" {
			if b.Reviews[i].ID != dataset.HumanReference {
				m.unscored[why]++
			}
			continue
		}
		sim, _ := b.Rows(i)
		r, err := score.ScoreRefs(sim, refs, score.Rule{Mode: score.Soft})
		if err != nil {
			return fmt.Errorf("change %s, review %s: %w", b.ID, b.Reviews[i].ID, err)
		}
		m.matched[agreement.ReviewID{Change: b.ID, Review: b.Reviews[i].ID}] = &matched{refs, r}
	}
	return nil
}

// hardRule is what the default engine has in hard mode, which may not be its default
// mode.
func hardRule() (score.Rule, error) {
	list, err := score.ParseProfiles(builtin.Profiles())
	if err != nil {
		return score.Rule{}, err
	}
	i := slices.IndexFunc(list, func(p score.Profile) bool { return p.Mode == score.Hard })
	if i < 0 {
		return score.Rule{}, errors.New("the built-in profiles have none for hard mode, which is the paper's")
	}
	return list[i].Scoring()
}

// rows scores all reviews by a rule.
func (m *measured) rows(set *labelled, rule score.Rule) ([]agreement.Row, error) {
	var bad error
	rows := set.rows(func(id agreement.ReviewID) *agreement.Scores {
		r := m.matched[id]
		if r == nil {
			return nil
		}
		if err := r.result.Rescore(r.refs, rule); err != nil {
			if !errors.Is(err, score.ErrNoWeight) {
				bad = err
			}
			return nil
		}
		return &agreement.Scores{Con: r.result.Con, Comp: r.result.Comp, Rel: r.result.Rel}
	})
	return rows, bad
}

// paperTau is τ by the paper's rule, from the reviews of one system.
func (m *measured) paperTau(set *labelled, system string) (float64, error) {
	var all score.Aggregate
	for i := range set.records {
		if r := m.matched[agreement.ReviewID{Change: set.records[i].ID, Review: system}]; r != nil {
			all.Add(r.result)
		}
	}
	tau, ok := all.PaperTau()
	if !ok {
		return 0, fmt.Errorf("%s: the reviews of %s have no sentences to find τ by", m.name, system)
	}
	return tau, nil
}
