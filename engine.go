package crscore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"crscore/internal/limits"
	"crscore/internal/ordered"
	"crscore/pseudoref"
	"crscore/score"
	"crscore/sts"
)

// Limits of the reviews of one change. A review beyond a limit is unscored, and the
// reason names the limit.
const (
	// MaxReviewBytes is the size limit of a review.
	MaxReviewBytes = limits.ReviewBytes
	// MaxReviewSentences bounds the sentences of a review.
	MaxReviewSentences = limits.ReviewSentences
	// MaxSentences bounds the sentences of all reviews of a change together.
	MaxSentences = limits.ChangeSentences
	// MaxPairs bounds the similarities: sentences of all reviews times references.
	MaxPairs = limits.ChangePairs
)

// Options choose the parts of an Engine. The zero value is the default engine: symbolic
// claims, in-process smells, the pair similarity of the built-in encoder, the Markdown
// splitter, and the mode and τ that were measured with these.
type Options struct {
	// Claims and Smells are the sources of references. nil means the default source; an
	// empty list means no source.
	Claims, Smells []Source
	// Similarity compares texts; nil means sts.Pair with the built-in encoder. A
	// sts.ChangeSimilarity gets the diff, too.
	Similarity sts.Similarity
	// Closer is closed with the engine, and when New fails. It is for the encoder behind
	// Similarity, if nothing else uses it.
	Closer io.Closer
	// Splitter cuts reviews into sentences; nil means sts.Markdown.
	Splitter sts.Splitter
	// Mode is the scoring mode; empty means the mode of the default profile.
	Mode score.Mode
	// Tau is the threshold in [0,1], Low the lower threshold of score.Ramp, Slope the
	// slope of score.Calibrated. nil means the value of the default profile for the mode.
	// There is a default profile only for the built-in similarity and splitter. A value
	// that the mode does not use is an error.
	Tau, Low, Slope *float64
	// Comp is how Comp credits a reference that several sentences speak of; empty means as the
	// default profile for the mode has it, else score.CoverBest.
	Comp score.Coverage
	// Weights are the weights of references in Comp. nil means the weights of the default
	// profile, if there is one; an empty map gives every reference the same weight.
	Weights score.Weights
	// Profile gives the mode with its parameters and weights, instead of the fields for
	// these. It must have been made with the same similarity and splitter.
	Profile *score.Profile
	// Compat imitates another program, to compare figures with it; empty means none.
	// CompatCode needs a cosine similarity.
	Compat Compat
	// Workers is the number of changes that Stream works on at a time; 0 means one a
	// processor, or one a call if a model answers more calls at a time.
	Workers int
	// OnPanic gets each panic of a source, for a log with the stack. The change has no
	// references, and its reviews have the panic as their reason. OnPanic may be called
	// by several goroutines at once.
	OnPanic func(*pseudoref.Panic)
}

// Engine scores reviews of changes. It is safe for concurrent use.
type Engine struct {
	refMaker
	similarity sts.Similarity
	compat     *sts.CompatCosine // the similarity, with Options.Compat
	splitter   sts.Splitter
	rule       score.Rule
	weights    score.Weights // from the options, not from a profile
	comp       score.Coverage
	workers    int
	provenance Provenance
	signature  string
	warnings   []string
	own        *ownSimilarity
	closers    []io.Closer
}

// New makes an engine. Loading the built-in encoder, if it is used, takes the most time.
// Close the engine after use.
func New(ctx context.Context, opts Options) (_ *Engine, err error) {
	opts.defaultSources()
	e := &Engine{
		refMaker:   refMaker{claims: opts.Claims, smells: opts.Smells, onPanic: opts.OnPanic},
		similarity: opts.Similarity, splitter: opts.Splitter, workers: opts.Workers, own: new(ownSimilarity),
	}
	e.closers = append(e.closers, e.own)
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
	if _, ok := e.splitter.(sts.Markdown); ok && opts.Compat != "" {
		e.splitter = sts.Markdown{Raw: true} // the program read whole texts
	}
	if e.workers < 1 {
		e.workers = runtime.GOMAXPROCS(0)
		for _, s := range opts.Claims {
			if m, ok := s.(*modelSource); ok {
				e.workers = max(e.workers, m.claimer.Parallel())
			}
		}
	}
	if e.similarity == nil {
		enc, err := sts.NewBuiltin(ctx, sts.EncoderOptions{})
		if err != nil {
			return nil, err
		}
		e.closers = append(e.closers, enc)
		if e.similarity, err = sts.NewSimilarity(sts.SimilarityPair, enc); err != nil {
			return nil, err
		}
	}
	if err := e.applyCompat(opts.Compat); err != nil {
		return nil, err
	}
	defaults, err := defaultProfiles()
	if err != nil {
		return nil, err
	}
	if e.rule, err = opts.rule(defaults, score.Signature(e.similarity.Signature()), e.splitter.Signature()); err != nil {
		return nil, err
	}
	if e.dedupeBy, err = e.dedupeSimilarity(ctx); err != nil {
		return nil, err
	}
	if e.warnings, err = prepare(ctx, e.sources()); err != nil {
		return nil, err
	}
	e.weights, e.comp = opts.Weights, opts.Comp
	e.provenance = Provenance{
		Version: Version, Similarity: score.Signature(e.similarity.Signature()), Splitter: e.splitter.Signature(),
		Sources: Sources{orNone(signatures(e.claims), ","), orNone(signatures(e.smells), ",")},
	}
	e.signature = e.Signed(e.provenance.Sources).String()
	e.warnings = slices.Concat(e.warnings, otherSources(opts.Profile, e.provenance), e.otherWeights())
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

// Signature is one line that names everything that shapes a score. A Result has its own
// signature, which differs if a source answered otherwise than planned.
func (e *Engine) Signature() string { return e.signature }

// Signed are the fields of the signature of a score with references of those sources: those of
// Provenance, if all answered as planned, or of a RefSet.
func (e *Engine) Signed(sources Sources) score.Signature {
	m := e.provenance
	m.Sources = sources
	return m.signed(e.rule.Fields())
}

// Provenance names the parts that the engine makes similarities with.
func (e *Engine) Provenance() Provenance { return e.provenance }

// Warnings are for a person, before any change is judged: models that cannot be reached,
// weights without effect, a profile that was made for other references.
func (e *Engine) Warnings() []string { return e.warnings }

// Rule returns the scoring rule.
func (e *Engine) Rule() score.Rule { return e.rule }

// Workers returns how many changes Stream scores at a time.
func (e *Engine) Workers() int { return e.workers }

// Truncated is the number of texts that were longer than the encoder's maximum, so that
// their ends were not read. It is 0 if the similarity does not count such texts.
func (e *Engine) Truncated() uint64 {
	if s, ok := e.similarity.(interface{ Truncated() uint64 }); ok {
		return s.Truncated()
	}
	return 0
}

// ReadsPairs reports whether the texts that Truncated counts are pairs of a sentence and a
// reference, as a cross-encoder reads them.
func (e *Engine) ReadsPairs() bool { _, ok := e.similarity.(*sts.CrossEncoder); return ok }

// Close releases the built-in encoder and closes Options.Closer. It does not close
// Options.Similarity.
func (e *Engine) Close() error {
	var errs []error
	for _, c := range e.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// Match is a review beside the references of its change.
type Match struct {
	// Review is the text, Sentences its sentences, and Refs the references.
	Review    string
	Sentences []sts.Sentence
	Refs      []pseudoref.Ref
	// Err says which limit the review exceeds. It has no sentences then.
	Err error
	// Sim[i][j] is the similarity in [0,1] of sentence i and reference j.
	Sim [][]float32

	why   func(i, j int) string // of all reviews of the change; nil without
	first int                   // the number there of the first sentence
}

// Why says in a sentence which evidence shaped the similarity of sentence i and reference j.
// It is empty where the similarity does not say.
func (m *Match) Why(i, j int) string {
	switch {
	case m.why == nil:
		return ""
	case sts.Carried(m.Sentences, m.Sim, i, j):
		return "from the sentence before, to which it refers"
	}
	return m.why(m.first+i, j)
}

// Match splits reviews of one change into sentences and compares each with every reference
// of the set, in the light of its Code. The result has one Match a review, in order. A review
// beyond a limit has an Err of its own. The error is that of the similarity, or of ctx.
func (e *Engine) Match(ctx context.Context, set RefSet, reviews ...string) ([]Match, error) {
	matches, err := e.split(ctx, set.Refs, reviews)
	if err != nil {
		return nil, err
	}
	for part := matches; len(part) > 0; { // the similarity holds the vectors of one part
		n, sentences := 0, 0
		for n < len(part) && (n == 0 || sentences+len(part[n].Sentences) <= MaxReviewSentences) {
			sentences += len(part[n].Sentences)
			n++
		}
		if err := e.compare(ctx, set, part[:n]); err != nil {
			return nil, err
		}
		part = part[n:]
	}
	return matches, nil
}

// split makes a Match for each review, without similarities. The error is ctx's own.
func (e *Engine) split(ctx context.Context, refs []pseudoref.Ref, reviews []string) ([]Match, error) {
	matches := make([]Match, len(reviews))
	total := 0
	for i, review := range reviews {
		m := &matches[i]
		*m = Match{Review: review, Refs: refs}
		if len(review) > MaxReviewBytes {
			m.Err = fmt.Errorf("the review has %d bytes, more than the limit of %d MiB", len(review), MaxReviewBytes>>20)
			continue
		}
		split, err := sts.SplitContext(ctx, e.splitter, review)
		if err != nil {
			return nil, err
		}
		sentences := orEmpty(e, split, sts.Sentence{})
		n := total + len(sentences)
		switch {
		case len(sentences) > MaxReviewSentences:
			m.Err = fmt.Errorf("the review has %d sentences, more than the limit of %d", len(sentences), MaxReviewSentences)
		case n > MaxSentences:
			m.Err = fmt.Errorf("the reviews have more sentences than the limit of %d", MaxSentences)
		case n*len(refs) > MaxPairs:
			m.Err = fmt.Errorf("the reviews have %d sentences for %d references, more than the limit of %d pairs", n, len(refs), MaxPairs)
		default:
			total, m.Sentences = n, sentences
		}
	}
	return matches, nil
}

// compare fills in the similarities of matches with the same references.
func (e *Engine) compare(ctx context.Context, set RefSet, matches []Match) error {
	var sentences []string
	for i := range matches {
		for _, s := range matches[i].Sentences {
			sentences = append(sentences, s.Text)
		}
	}
	if len(sentences) == 0 {
		return nil
	}
	texts := make([]string, len(set.Refs))
	for j := range set.Refs {
		texts[j] = set.Refs[j].Text
	}
	if e.compat != nil {
		if err := e.compareLists(ctx, texts, matches); err != nil {
			return err
		}
	} else {
		found, err := e.similarities(ctx, set.Code, sentences, texts)
		if err != nil {
			return err
		}
		first := 0
		for i := range matches {
			end := first + len(matches[i].Sentences)
			matches[i].Sim, matches[i].first, matches[i].why = found.Sim[first:end:end], first, found.Why
			first = end
		}
	}
	for i := range matches {
		sts.CarryAnaphora(matches[i].Sentences, matches[i].Sim)
	}
	return nil
}

func (e *Engine) similarities(ctx context.Context, code *sts.Code, sentences, refs []string) (sts.Comparison, error) {
	if s, ok := e.similarity.(sts.ChangeSimilarity); ok {
		return s.Compare(ctx, code, sentences, refs)
	}
	sim, err := e.similarity.Matrix(ctx, sentences, refs)
	return sts.Comparison{Sim: sim}, err
}

// Status is the state of a Result.
type Status string

// The two states of a Result.
const (
	Scored   Status = "scored"
	Unscored Status = "unscored"
)

// Result is the engine's judgement of a review.
type Result struct {
	// Status says whether there is a score.
	Status Status
	// Reason says why an unscored review has no score; else it is empty.
	Reason string
	score.Result
	// Match is the matrix behind the score. An unscored review has a Match only if the
	// weights are the reason, so that another rule can score it.
	Match *Match
	// Signature names everything that shaped this result.
	Signature string
	// Tools are the answers of external analyzers, if any were asked.
	Tools []ToolAnswer
}

// Score scores a match by the engine's rule. A match with an Err is unscored, for that reason.
func (e *Engine) Score(m Match) Result {
	if m.Err != nil {
		return e.unscored(m.Err)
	}
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

// Judge scores the reviews of one change: Refs, Match and Score. The result has one
// Result a review, in order. A stage that fails makes the reviews unscored, with the
// reason. The only error is ctx's own.
func (e *Engine) Judge(ctx context.Context, in Input, reviews ...string) (RefSet, []Result, error) {
	return e.judgeAnswered(ctx, in, nil, reviews)
}

// judgeAnswered is Judge with the answers of the batch sources, if they were asked.
func (e *Engine) judgeAnswered(ctx context.Context, in Input, answers []*Answer, reviews []string) (RefSet, []Result, error) {
	set, err := e.answeredRefs(ctx, in, answers)
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
	signature := e.Signed(set.Sources).String()
	for i := range results {
		results[i].Signature, results[i].Tools = signature, set.Tools
	}
	return set, results, err
}

func (e *Engine) judge(ctx context.Context, set RefSet, reviews []string) ([]Result, error) {
	if err := set.Empty(); err != nil {
		return repeat(e.unscored(err), len(reviews)), nil
	}
	matches, err := e.Match(ctx, set, reviews...)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return repeat(e.unscored(err), len(reviews)), nil
	}
	results := make([]Result, len(reviews))
	for i := range matches {
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
	// Load makes the Input. It runs in a worker, so that diffs are parsed in parallel.
	// Its error makes the reviews unscored.
	Load func() (Input, error)
	// Reviews are the texts to score.
	Reviews []string
	// Tag is copied to the Outcome.
	Tag any
}

// Outcome is the result of a Job.
type Outcome struct {
	// Tag is the job's.
	Tag any
	RefSet
	// Results has one Result a review, in order.
	Results []Result
}

// Stream judges the jobs that next returns, several at a time, until next returns io.EOF.
// It gives the outcomes to emit one by one, in the order of the jobs. Memory grows with
// the number of workers, not of jobs; with a BatchSource it holds a batch of changes. On
// another error of next, Stream emits the jobs before it and returns the error. An error
// of emit or a cancelled ctx ends Stream at once. If next can block, it must return when
// ctx is done.
func (e *Engine) Stream(ctx context.Context, next func() (Job, error), emit func(Outcome) error) error {
	return ordered.Map(ctx, e.workers, e.batched(ctx, next), e.do, emit)
}

// Do judges a job alone, as Stream does. It returns the error of ctx.
func (e *Engine) Do(ctx context.Context, job Job) (Outcome, error) {
	return e.do(ctx, loadedJob{Job: job})
}

func (e *Engine) do(ctx context.Context, j loadedJob) (Outcome, error) {
	out := Outcome{Tag: j.Tag}
	j.load()
	if j.err != nil {
		out.Results = repeat(e.unscored(j.err), len(j.Reviews))
		return out, nil
	}
	var err error
	out.RefSet, out.Results, err = e.judgeAnswered(ctx, j.in, j.answers, j.Reviews)
	return out, err
}
