package crscore

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"crscore/change"
	"crscore/internal/syntax"
	"crscore/pseudoref"
	"crscore/score"
	"crscore/sts"
	"crscore/sts/builtin"
)

// Limits of one review. What is larger is unscored, and the reason names them.
const (
	// MaxReviewBytes is the size above which a review is not read.
	MaxReviewBytes = 4 << 20
	// MaxPairs bounds the matrix: sentences times references.
	MaxPairs = 1 << 25
)

// Options choose the parts of an Engine. The zero value is the default engine:
// symbolic claims, in-process smells, the built-in encoder with cosine, the
// Markdown splitter, hard mode and the τ that belongs to the built-in encoder.
type Options struct {
	// Claims and Smells are where pseudo-references come from. nil means the
	// default; an empty list, none.
	Claims, Smells []Source
	// Similarity compares texts; nil means the cosine of the built-in encoder.
	Similarity sts.Similarity
	// Splitter cuts reviews into sentences; nil means sts.Markdown.
	Splitter sts.Splitter
	// Mode is the scoring rule; empty means score.Hard.
	Mode score.Mode
	// Tau is the threshold in [0,1]. nil means the default profile's, which
	// exists only for what that profile was made with; giving it to a mode
	// without a threshold is an error.
	Tau *float64
	// Workers bounds how many changes Stream works on at a time; 0 means one a
	// processor.
	Workers int
}

// Engine scores reviews of changes. It is safe for concurrent use.
type Engine struct {
	claims, smells []Source
	similarity     sts.Similarity
	splitter       sts.Splitter
	mode           score.Mode
	tau            float64
	workers        int
	signature      string
	truncated      func() uint64
	close          func() error
}

// New makes an engine. Loading the built-in encoder, where it is used, is the
// only slow part of it. Close the engine after use.
func New(ctx context.Context, opts Options) (*Engine, error) {
	opts.defaultSources()
	e := &Engine{
		claims: opts.Claims, smells: opts.Smells, similarity: opts.Similarity, splitter: opts.Splitter,
		mode: opts.Mode, workers: opts.Workers, truncated: func() uint64 { return 0 }, close: func() error { return nil },
	}
	if e.mode == "" {
		e.mode = score.Hard
	}
	if _, err := score.ParseMode(string(e.mode)); err != nil {
		return nil, err
	}
	if opts.Tau != nil {
		if !e.mode.UsesTau() {
			return nil, fmt.Errorf("mode %s does not use tau: leave tau out or choose mode hard", e.mode)
		}
		if err := score.CheckTau(*opts.Tau); err != nil {
			return nil, err
		}
	}
	if e.splitter == nil {
		e.splitter = sts.Markdown{}
	}
	if e.workers < 1 {
		e.workers = runtime.GOMAXPROCS(0)
	}
	if e.similarity == nil {
		enc, err := sts.NewBuiltin(ctx, sts.EncoderOptions{})
		if err != nil {
			return nil, err
		}
		e.similarity, e.close = sts.Cosine{Encoder: enc}, enc.Close
		e.truncated = func() uint64 { return enc.Stats().Cut }
	}
	if err := e.setTau(opts.Tau); err != nil {
		return nil, errors.Join(err, e.close())
	}
	e.signature = e.sign()
	return e, nil
}

func (o *Options) defaultSources() {
	if o.Claims == nil {
		o.Claims = []Source{SymbolicClaims()}
	}
	if o.Smells == nil {
		o.Smells = []Source{BuiltinSmells()}
	}
}

// setTau takes the given τ, or that of the default profile if it was made with
// the same similarity and splitter: τ is a point on their scale.
func (e *Engine) setTau(given *float64) error {
	if !e.mode.UsesTau() {
		return nil
	}
	if given != nil {
		e.tau = *given
		return nil
	}
	p, err := score.ParseProfile(builtin.Profile())
	if err != nil {
		return err
	}
	if !p.Fits(e.similarity.Signature(), e.splitter.Signature()) {
		return fmt.Errorf("there is no default tau for %s with splitter %s: give one (the default profile was made with %s and %s)",
			e.similarity.Signature(), e.splitter.Signature(), p.Similarity, p.Splitter)
	}
	e.tau = p.Tau
	return nil
}

func (e *Engine) sign() string {
	var b strings.Builder
	fmt.Fprintf(&b, "crscore/%s %s splitter=%s mode=%s", Version, e.similarity.Signature(), e.splitter.Signature(), e.mode)
	if e.mode.UsesTau() {
		fmt.Fprintf(&b, " tau=%s", strconv.FormatFloat(e.tau, 'g', -1, 64))
	}
	fmt.Fprintf(&b, " claims=%s smells=%s", signatures(e.claims), signatures(e.smells))
	return b.String()
}

func signatures(sources []Source) string {
	if len(sources) == 0 {
		return "none"
	}
	s := make([]string, len(sources))
	for i := range sources {
		s[i] = sources[i].Signature()
	}
	return strings.Join(s, ",")
}

// Signature is one line that names everything that shapes a score.
func (e *Engine) Signature() string { return e.signature }

// Mode returns the scoring rule.
func (e *Engine) Mode() score.Mode { return e.mode }

// Tau returns the threshold, and false in a mode without one.
func (e *Engine) Tau() (float64, bool) { return e.tau, e.mode.UsesTau() }

// Truncated counts the texts of which the built-in encoder did not read the
// end, because they are longer than its maximum (maxtokens in the signature).
func (e *Engine) Truncated() uint64 { return e.truncated() }

// Close releases the built-in encoder. A Similarity that was given stays open.
func (e *Engine) Close() error { return e.close() }

// Input is a change with what stands beside it.
type Input struct {
	Change *change.Change
	// Claims are ready claims by name, for the source DataClaims.
	Claims map[string][]string
	// Smells are ready smells, for the source DataSmells; nil where none are
	// given, which is not the same as an empty list.
	Smells []string

	parsed *parsed // set while the sources run
}

// parsed parses a change when the first source asks for its trees.
type parsed struct {
	trees *syntax.Trees
	err   error
}

// trees returns the syntax trees of the change, the same for every source.
func (in Input) trees(ctx context.Context) (*syntax.Trees, error) {
	if p := in.parsed; p.trees == nil && p.err == nil {
		p.trees, p.err = syntax.Parse(ctx, in.Change)
	}
	return in.parsed.trees, in.parsed.err
}

// RefSet is what stage 1 found.
type RefSet struct {
	Refs []pseudoref.Ref
	// Warnings are for a person: what was mended or left out on the way.
	Warnings []string
}

// Refs makes the pseudo-references of a change: the claims of every source,
// then the smells, without repetitions. Files are parsed once for all sources.
// The error says which source failed; there is no partial result.
func (e *Engine) Refs(ctx context.Context, in Input) (RefSet, error) {
	return makeRefs(ctx, in, slices.Concat(e.claims, e.smells))
}

// Refs is Engine.Refs without an engine, for those who need no encoder. Only
// the sources of opts are used.
func Refs(ctx context.Context, in Input, opts Options) (RefSet, error) {
	opts.defaultSources()
	return makeRefs(ctx, in, slices.Concat(opts.Claims, opts.Smells))
}

func makeRefs(ctx context.Context, in Input, sources []Source) (RefSet, error) {
	if in.Change == nil {
		return RefSet{}, errors.New("there is no change")
	}
	in.parsed = &parsed{}
	defer func() {
		if t := in.parsed.trees; t != nil {
			t.Close()
		}
	}()
	var lists [][]pseudoref.Ref
	for _, s := range sources {
		refs, err := s.Refs(ctx, in)
		if err != nil {
			return RefSet{}, fmt.Errorf("%s: %w", s.Signature(), err)
		}
		lists = append(lists, refs)
	}
	set := RefSet{Refs: pseudoref.Merge(lists...), Warnings: in.Change.Warnings}
	if t := in.parsed.trees; t != nil {
		set.Warnings = slices.Concat(set.Warnings, t.Warnings)
	}
	return set, nil
}

// Match is a review beside the references of its change.
type Match struct {
	Review    string
	Sentences []sts.Sentence
	Refs      []pseudoref.Ref
	// Sim[i][j] is the similarity in [0,1] of sentence i and reference j.
	Sim [][]float32
}

// Match splits reviews of one change into sentences and compares each with
// every reference. The result has one Match a review, in order. Reviews beyond
// the limits give an error that names them.
func (e *Engine) Match(ctx context.Context, refs []pseudoref.Ref, reviews ...string) ([]Match, error) {
	texts := make([]string, len(refs))
	for i := range refs {
		texts[i] = refs[i].Text
	}
	out := make([]Match, len(reviews))
	var sentences []string
	for i, review := range reviews {
		if len(review) > MaxReviewBytes {
			return nil, fmt.Errorf("the review has %d bytes, more than the limit of %d MiB", len(review), MaxReviewBytes>>20)
		}
		out[i] = Match{Review: review, Refs: refs, Sentences: e.splitter.Split(review)}
		if n := len(out[i].Sentences); n*len(refs) > MaxPairs {
			return nil, fmt.Errorf("the review has %d sentences for %d references, more than the limit of %d pairs", n, len(refs), MaxPairs)
		}
		for _, s := range out[i].Sentences {
			sentences = append(sentences, s.Text)
		}
	}
	sim, err := e.similarity.Matrix(ctx, sentences, texts)
	if err != nil {
		return nil, err
	}
	for i := range out {
		n := len(out[i].Sentences)
		out[i].Sim, sim = sim[:n:n], sim[n:]
	}
	return out, nil
}

// Status tells a review with a score from one without.
type Status string

// The two states of a Result.
const (
	Scored   Status = "scored"
	Unscored Status = "unscored"
)

// Result is what the engine says of one review.
type Result struct {
	Status Status
	// Reason says why an unscored review has no score; else it is empty.
	Reason string
	// Failed tells that a stage failed, and not only that the change gives
	// nothing to compare with.
	Failed bool
	score.Result
	// Match is the matrix behind the score, nil for an unscored review.
	Match *Match
}

// Score turns a match into numbers by the engine's mode and τ.
func (e *Engine) Score(m Match) Result {
	r, err := score.Score(m.Sim, len(m.Refs), e.mode, e.tau)
	if err != nil {
		return unscored(err)
	}
	return Result{Status: Scored, Result: r, Match: &m}
}

func unscored(err error) Result {
	return Result{Status: Unscored, Reason: err.Error(), Failed: !errors.Is(err, score.ErrNoRefs)}
}

// Judge does all three steps for the reviews of one change: one Result a
// review, in order. A stage that fails makes reviews unscored, with the reason;
// the error is only ever ctx's own.
func (e *Engine) Judge(ctx context.Context, in Input, reviews ...string) (RefSet, []Result, error) {
	set, err := e.Refs(ctx, in)
	if err != nil {
		if ctx.Err() != nil {
			return RefSet{}, nil, ctx.Err()
		}
		return RefSet{}, repeat(unscored(err), len(reviews)), nil
	}
	if len(set.Refs) == 0 {
		return set, repeat(unscored(score.ErrNoRefs), len(reviews)), nil
	}
	matches, err := e.Match(ctx, set.Refs, reviews...)
	if err != nil && len(reviews) > 1 && ctx.Err() == nil {
		// One bad review must not take the others with it.
		results := make([]Result, len(reviews))
		for i, review := range reviews {
			if results[i], err = e.judgeOne(ctx, set.Refs, review); err != nil {
				return RefSet{}, nil, err
			}
		}
		return set, results, nil
	}
	if err != nil {
		if ctx.Err() != nil {
			return RefSet{}, nil, ctx.Err()
		}
		return set, repeat(unscored(err), len(reviews)), nil
	}
	results := make([]Result, len(reviews))
	for i := range matches {
		results[i] = e.Score(matches[i])
	}
	return set, results, nil
}

func (e *Engine) judgeOne(ctx context.Context, refs []pseudoref.Ref, review string) (Result, error) {
	m, err := e.Match(ctx, refs, review)
	switch {
	case err != nil && ctx.Err() != nil:
		return Result{}, ctx.Err()
	case err != nil:
		return unscored(err), nil
	}
	return e.Score(m[0]), nil
}

func repeat(r Result, n int) []Result {
	out := make([]Result, n)
	for i := range out {
		out[i] = r
	}
	return out
}

// Job is one change of a dataset with its reviews.
type Job struct {
	// Load makes the Input; it runs in a worker, so that diffs are parsed in
	// parallel. Its error makes the reviews unscored.
	Load    func() (Input, error)
	Reviews []string
	// Tag is handed through to the Outcome.
	Tag any
}

// Outcome is what became of a Job.
type Outcome struct {
	Tag any
	RefSet
	Results []Result // one a review
}

// Stream judges the jobs that next returns until its error is io.EOF, several
// at a time, and gives their outcomes to emit one by one in the order of the
// jobs. Memory is bounded by the number of workers, not of jobs. It ends with
// the first error of next or emit, or when ctx is done; a call of next that
// blocks for ever is then left behind.
func (e *Engine) Stream(ctx context.Context, next func() (Job, error), emit func(Outcome) error) error {
	work := func(ctx context.Context, j Job) (Outcome, error) {
		out := Outcome{Tag: j.Tag}
		in, err := j.Load()
		if err != nil {
			out.Results = repeat(unscored(err), len(j.Reviews))
			return out, nil
		}
		out.RefSet, out.Results, err = e.Judge(ctx, in, j.Reviews...)
		return out, err
	}
	return ordered(ctx, e.workers, next, work, emit)
}
