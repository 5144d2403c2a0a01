package crscore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"

	"crscore/change"
	"crscore/internal/syntax"
	"crscore/pseudoref"
	"crscore/score"
	"crscore/smells"
	"crscore/sts"
)

// Limits of the reviews of one change. A review beyond them is unscored, and
// the reason names the limit.
const (
	// MaxReviewBytes is the size above which a review is not read.
	MaxReviewBytes = 4 << 20
	// MaxSentences bounds the sentences of all reviews of a change together.
	MaxSentences = 50_000
	// MaxPairs bounds the similarities: sentences of all reviews times references.
	MaxPairs = 1 << 24
)

// Options choose the parts of an Engine. The zero value is the default engine:
// symbolic claims, in-process smells, the hybrid similarity of the built-in
// encoder, the Markdown splitter, and the mode and τ that belong to the built-in encoder.
type Options struct {
	// Claims and Smells are where pseudo-references come from. nil means the
	// default; an empty list, none.
	Claims, Smells []Source
	// Similarity compares texts; nil means sts.Hybrid with the built-in encoder.
	Similarity sts.Similarity
	// Closer is closed with the engine, and when New fails: what Similarity and
	// the sources work with, if nobody else uses it.
	Closer io.Closer
	// Splitter cuts reviews into sentences; nil means sts.Markdown.
	Splitter sts.Splitter
	// Mode is the scoring rule; empty means that of the default profile.
	Mode score.Mode
	// Tau is the threshold in [0,1], Low the lower one of score.Ramp, Slope that of
	// score.Calibrated. nil means the default profile's for the mode, which exists
	// only for what that was made with; giving one to a mode without it is an error.
	Tau, Low, Slope *float64
	// Weights say how much references count in Comp. nil means the default profile's,
	// where that fits, else that all count alike; an empty map, that all do.
	Weights score.Weights
	// Profile gives the mode with its parameters and weights, none of which may stand
	// beside it. It must have been made with the same similarity and splitter.
	Profile *score.Profile
	// Compat is for figures that are to be compared with those of another program;
	// empty means none. CompatCode needs a cosine similarity.
	Compat Compat
	// Workers bounds how many changes Stream works on at a time; 0 means one a
	// processor.
	Workers int
}

// Engine scores reviews of changes. It is safe for concurrent use.
type Engine struct {
	claims, smells []Source
	similarity     sts.Similarity
	compat         *sts.CompatCosine // the similarity, with Options.Compat
	splitter       sts.Splitter
	rule           score.Rule
	weights        score.Weights // that were given, and not those of a profile
	workers        int
	made           Made
	signature      string
	warnings       []string
	same           sts.Similarity // finds claims that say the same; nil without models
	closers        []io.Closer
}

// New makes an engine. Loading the built-in encoder, where it is used, is the
// only slow part of it. Close the engine after use.
func New(ctx context.Context, opts Options) (_ *Engine, err error) {
	opts.defaultSources()
	e := &Engine{
		claims: opts.Claims, smells: opts.Smells, similarity: opts.Similarity, splitter: opts.Splitter,
		workers: opts.Workers,
	}
	if opts.Closer != nil {
		e.closers = append(e.closers, opts.Closer)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.Close())
		}
	}()
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
		e.closers = append(e.closers, enc)
		if e.similarity, err = sts.NewSimilarity(sts.SimilarityHybrid, enc); err != nil {
			return nil, err
		}
	}
	if err := e.follow(opts.Compat); err != nil {
		return nil, err
	}
	defaults, err := defaultProfiles()
	if err != nil {
		return nil, err
	}
	if e.rule, err = opts.rule(defaults, e.similarity.Signature(), e.splitter.Signature()); err != nil {
		return nil, err
	}
	if e.same, err = e.folding(ctx); err != nil {
		return nil, err
	}
	if e.warnings, err = prepare(ctx, slices.Concat(e.claims, e.smells)); err != nil {
		return nil, err
	}
	e.weights = opts.Weights
	e.made = Made{
		Version: Version, Similarity: e.similarity.Signature(), Splitter: e.splitter.Signature(),
		Claims: orNone(signatures(e.claims), ","), Smells: orNone(signatures(e.smells), ","),
	}
	e.signature = e.signed(e.made.Sources())
	e.warnings = slices.Concat(e.warnings, otherSources(opts.Profile, e.made), e.otherWeights())
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

func signatures(sources []Source) []string {
	s := make([]string, len(sources))
	for i := range sources {
		s[i] = sources[i].Signature()
	}
	return s
}

// Signature is one line that names everything that shapes a score. A Result has
// its own, which differs where a source did not work as it was asked to.
func (e *Engine) Signature() string { return e.signature }

// signed is the signature of a score with references of these sources.
func (e *Engine) signed(sources string) string {
	return e.made.stem() + " " + e.rule.Signature() + " " + sources
}

// Made says what the engine makes similarities with.
func (e *Engine) Made() Made { return e.made }

// Warnings say what a person should know before any change is judged: which
// models cannot be reached, and that a profile was made for other references.
func (e *Engine) Warnings() []string { return e.warnings }

// Rule returns the scoring rule.
func (e *Engine) Rule() score.Rule { return e.rule }

// Truncated counts the texts of which the encoder did not read the end, because
// they are longer than its maximum; 0 where the similarity does not count them.
func (e *Engine) Truncated() uint64 {
	if s, ok := e.similarity.(interface{ Truncated() uint64 }); ok {
		return s.Truncated()
	}
	return 0
}

// Close releases the built-in encoder and closes Options.Closer. A Similarity
// that was given without one stays open.
func (e *Engine) Close() error {
	var errs []error
	for _, c := range e.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// Input is a change with what stands beside it.
type Input struct {
	Change *change.Change
	// Claims are ready claims by name, for the source DataClaims.
	Claims map[string][]string
	// Smells are ready smells, for the source DataSmells; nil where none are
	// given, which is not the same as an empty list.
	Smells []string
	// Project is the source tree of the change, for the analyzers that need the
	// whole of it; nil where it is not known.
	Project *smells.Project

	parsed   *parsed  // set while the sources run
	examined examined // set before they do, where there are tools
}

// parsed parses a change when the first source asks for its trees.
type parsed struct {
	trees *syntax.Trees
	err   error
}

// trees returns the syntax trees of the change, the same for every source.
func (in Input) trees(ctx context.Context) (*syntax.Trees, error) {
	if in.parsed == nil {
		return nil, errors.New("a source works inside Refs only, which parses the change and frees its trees")
	}
	if p := in.parsed; p.trees == nil && p.err == nil {
		p.trees, p.err = syntax.Parse(ctx, in.Change)
	}
	return in.parsed.trees, in.parsed.err
}

// RefSet is what stage 1 found.
type RefSet struct {
	Refs []pseudoref.Ref
	// Dropped are the claims of models that do not count, with the reasons.
	Dropped []pseudoref.Dropped
	// Warnings are for a person: what was mended or left out on the way.
	Warnings []string
	// Tools are the answers of external analyzers, also where there are no references
	// for want of one.
	Tools []ToolAnswer
	// Signature names the sources that made the references: "claims=… smells=…".
	Signature string
}

// Empty tells why there is nothing to score by, nil where there is something.
func (s RefSet) Empty() error {
	switch {
	case len(s.Refs) > 0:
		return nil
	case len(s.Dropped) > 0:
		return fmt.Errorf("%w: none of the model's claims passed the check (%d)", score.ErrNoRefs, len(s.Dropped))
	}
	return score.ErrNoRefs
}

// Refs makes the pseudo-references of a change: the claims of every source,
// then the smells, without repetitions. Files are parsed once for all sources.
// The error says which source failed; beside it are the tools' answers alone.
func (e *Engine) Refs(ctx context.Context, in Input) (RefSet, error) {
	set, err := makeRefs(ctx, in, e.claims, e.smells, e.same)
	if err == nil {
		set.Refs = orEmpty(e, set.Refs, emptyRef)
	}
	return set, err
}

// Refs is Engine.Refs without an engine, for those who need no encoder. Only
// the sources of opts are used. Claims of a model that another source has made in
// other words are not found.
func Refs(ctx context.Context, in Input, opts Options) (RefSet, error) {
	opts.defaultSources()
	return makeRefs(ctx, in, opts.Claims, opts.Smells, nil)
}

func makeRefs(ctx context.Context, in Input, claims, smells []Source, same sts.Similarity) (RefSet, error) {
	if in.Change == nil {
		return RefSet{}, errors.New("there is no change")
	}
	in.parsed = &parsed{}
	defer func() {
		if t := in.parsed.trees; t != nil {
			t.Close()
		}
	}()
	if tools := toolsOf(smells); len(tools) > 0 && in.examined == nil {
		if err := examine(ctx, tools, []*Input{&in}); err != nil {
			return RefSet{}, err
		}
	}
	set := RefSet{Warnings: slices.Clip(in.Change.Warnings), Tools: answers(smells, in)}
	var lists [][]pseudoref.Ref
	var byModel []bool // not by what took a model's place
	var signed []string
	for _, s := range slices.Concat(claims, smells) {
		found, err := ask(ctx, s, in)
		if err != nil {
			return RefSet{Tools: set.Tools}, fmt.Errorf("%s: %w", s.Signature(), err)
		}
		lists, byModel = append(lists, found.Refs), append(byModel, isModel(s) && found.Signature == "")
		set.Dropped = append(set.Dropped, found.Dropped...)
		set.Warnings = append(set.Warnings, found.Warnings...)
		signed = append(signed, cmp.Or(found.Signature, s.Signature()))
	}
	folded, err := fold(ctx, same, lists[:len(claims)], byModel)
	if err != nil {
		return RefSet{}, fmt.Errorf("comparing the claims of several sources: %w", err)
	}
	set.Dropped = append(set.Dropped, folded...)
	refs, dropped := pseudoref.Merge(lists...)
	set.Refs, set.Signature = refs, Made{Claims: orNone(signed[:len(claims)], ","), Smells: orNone(signed[len(claims):], ",")}.Sources()
	if dropped > 0 {
		set.Warnings = append(set.Warnings, fmt.Sprintf("references beyond the limit of %d were left out: %d", pseudoref.MaxRefs, dropped))
	}
	if t := in.parsed.trees; t != nil {
		set.Warnings = append(set.Warnings, t.Warnings...)
	}
	return set, nil
}

// ask has a source look at a change. A panic there is a bug, and costs that change
// its score, not the whole run.
func ask(ctx context.Context, s Source, in Input) (found Found, err error) {
	defer func() {
		if r := recover(); r != nil {
			found, err = Found{}, fmt.Errorf("a bug in crscore, please report it with the change: %v\n%s", r, debug.Stack())
		}
	}()
	return s.Refs(ctx, in)
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
	matches, errs := e.split(refs, reviews)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return matches, e.compare(ctx, refs, matches)
}

// split starts a Match a review, without similarities. A review beyond the
// limits has an error in its place, and no sentences.
func (e *Engine) split(refs []pseudoref.Ref, reviews []string) ([]Match, []error) {
	matches, errs := make([]Match, len(reviews)), make([]error, len(reviews))
	total := 0
	for i, review := range reviews {
		matches[i] = Match{Review: review, Refs: refs}
		if len(review) > MaxReviewBytes {
			errs[i] = fmt.Errorf("the review has %d bytes, more than the limit of %d MiB", len(review), MaxReviewBytes>>20)
			continue
		}
		sentences := orEmpty(e, e.splitter.Split(review), sts.Sentence{})
		n := total + len(sentences)
		switch {
		case n > MaxSentences:
			errs[i] = fmt.Errorf("the reviews have more sentences than the limit of %d", MaxSentences)
		case n*len(refs) > MaxPairs:
			errs[i] = fmt.Errorf("the reviews have %d sentences for %d references, more than the limit of %d pairs", n, len(refs), MaxPairs)
		default:
			total, matches[i].Sentences = n, sentences
		}
	}
	return matches, errs
}

// compare fills in the similarities of matches with the same references.
func (e *Engine) compare(ctx context.Context, refs []pseudoref.Ref, matches []Match) error {
	var sentences []string
	for i := range matches {
		for _, s := range matches[i].Sentences {
			sentences = append(sentences, s.Text)
		}
	}
	if len(sentences) == 0 {
		return nil
	}
	texts := make([]string, len(refs))
	for j := range refs {
		texts[j] = refs[j].Text
	}
	if e.compat != nil {
		if err := e.compareLists(ctx, texts, matches); err != nil {
			return err
		}
	} else {
		sim, err := e.similarity.Matrix(ctx, sentences, texts)
		if err != nil {
			return err
		}
		for i := range matches {
			n := len(matches[i].Sentences)
			matches[i].Sim, sim = sim[:n:n], sim[n:]
		}
	}
	for i := range matches {
		sts.CarryBack(matches[i].Sentences, matches[i].Sim)
	}
	return nil
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
	score.Result
	// Match is the matrix behind the score. An unscored review has one only where
	// weights are the reason: another rule would score it.
	Match *Match
	// Signature names everything that shaped this result.
	Signature string
	// Tools are the answers of external analyzers, where some were asked for.
	Tools []ToolAnswer
}

// Score turns a match into numbers by the engine's rule.
func (e *Engine) Score(m Match) Result {
	refs := make([]score.Ref, len(m.Refs))
	for j, r := range m.Refs {
		refs[j] = score.Ref{Kind: string(r.Kind), Source: r.Source}
	}
	r, err := score.ScoreRefs(m.Sim, refs, e.rule)
	if err != nil {
		res := e.unscored(err)
		if errors.Is(err, score.ErrNoWeight) {
			res.Match = &m
		}
		return res
	}
	return Result{Status: Scored, Result: r, Match: &m, Signature: e.signature}
}

func (e *Engine) unscored(err error) Result {
	return Result{Status: Unscored, Reason: err.Error(), Signature: e.signature}
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
		results := repeat(e.unscored(err), len(reviews))
		for i := range results {
			results[i].Tools = set.Tools
		}
		return set, results, nil
	}
	results, err := e.judge(ctx, set, reviews)
	signature := e.signed(set.Signature)
	for i := range results {
		results[i].Signature, results[i].Tools = signature, set.Tools
	}
	return set, results, err
}

func (e *Engine) judge(ctx context.Context, set RefSet, reviews []string) ([]Result, error) {
	if err := set.Empty(); err != nil {
		return repeat(e.unscored(err), len(reviews)), nil
	}
	matches, errs := e.split(set.Refs, reviews)
	if err := e.compare(ctx, set.Refs, matches); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return repeat(e.unscored(err), len(reviews)), nil
	}
	results := make([]Result, len(reviews))
	for i := range matches {
		if errs[i] != nil {
			results[i] = e.unscored(errs[i])
			continue
		}
		results[i] = e.Score(matches[i])
	}
	return results, nil
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
// jobs. Memory is bounded by the number of workers, not of jobs. Jobs that came
// before another error of next are judged and emitted before Stream returns that
// error; an error of emit or a cancelled ctx ends it at once. A next that can
// block must return when ctx is done.
func (e *Engine) Stream(ctx context.Context, next func() (Job, error), emit func(Outcome) error) error {
	work := func(ctx context.Context, j loaded) (Outcome, error) {
		out := Outcome{Tag: j.Tag}
		if !j.done {
			j.load()
		}
		if j.err != nil {
			out.Results = repeat(e.unscored(j.err), len(j.Reviews))
			return out, nil
		}
		var err error
		out.RefSet, out.Results, err = e.Judge(ctx, j.in, j.Reviews...)
		return out, err
	}
	return ordered(ctx, e.workers, e.loaded(ctx, next), work, emit)
}
