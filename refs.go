package crscore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"crscore/change"
	"crscore/internal/limits"
	"crscore/pseudoref"
	"crscore/score"
	"crscore/sts"
)

// RefSet is the result of stage 1: the pseudo-references of a change.
type RefSet struct {
	// Refs are the references, without repetitions.
	Refs []pseudoref.Ref
	// Dropped are claims of models that are no references, with the reasons.
	Dropped []pseudoref.Dropped
	// Warnings are for a person: what was repaired or left out on the way.
	Warnings []string
	// LeftOut is the number of files of the change that could not be read. Warnings name them.
	LeftOut int
	// Tools are the answers of external analyzers. They are there even where an
	// analyzer's failure left the change without references.
	Tools []ToolAnswer
	// Sources made the references.
	Sources Sources
	// Code is the diff for similarities that read it; nil where it is not at hand. sts.Pair
	// then has another model, for which the default thresholds were not made.
	Code *sts.Code
}

// CodeOf is the diff of a change by lines, and nil for a change without lines.
func CodeOf(c *change.Change) *sts.Code {
	if c == nil {
		return nil
	}
	var code sts.Code
	for i := range c.Files {
		for _, h := range c.Files[i].Hunks {
			if h.Section != "" {
				code.Kept = append(code.Kept, h.Section)
			}
			for _, line := range h.Lines {
				switch line.Op {
				case change.Add:
					code.Added = append(code.Added, line.Text)
				case change.Delete:
					code.Removed = append(code.Removed, line.Text)
				default:
					code.Kept = append(code.Kept, line.Text)
				}
			}
		}
	}
	if len(code.Added)+len(code.Removed)+len(code.Kept) == 0 {
		return nil
	}
	return &code
}

// Empty returns the reason why there is no reference to score by, and nil where there
// is a reference.
func (s RefSet) Empty() error {
	switch {
	case len(s.Refs) > 0:
		return nil
	case len(s.Dropped) > 0:
		return fmt.Errorf("%w: none of the model's claims passed the check (%d)", score.ErrNoRefs, len(s.Dropped))
	}
	return score.ErrNoRefs
}

// Refs makes the pseudo-references of a change: the claims of every source, then the
// smells, without repetitions. Files are parsed once for all sources. The error names
// the source that failed; RefSet.Tools is set beside an error, too.
func (e *Engine) Refs(ctx context.Context, in Input) (RefSet, error) {
	return e.answeredRefs(ctx, in, nil)
}

// answeredRefs is Refs with the answers of the batch sources, if they were asked.
func (e *Engine) answeredRefs(ctx context.Context, in Input, answers []*Answer) (RefSet, error) {
	set, err := e.refs(ctx, in, answers)
	if err == nil {
		set.Refs = orEmpty(e, set.Refs, emptyRef)
	}
	return set, err
}

// Refs is Engine.Refs without an engine, for programs that need no encoder. It uses
// only the sources and OnPanic of opts. It does not remove claims of a model that
// repeat another source's claim in other words.
func Refs(ctx context.Context, in Input, opts Options) (RefSet, error) {
	opts.defaultSources()
	m := refMaker{claims: opts.Claims, smells: opts.Smells, onPanic: opts.OnPanic}
	return m.refs(ctx, in, nil)
}

// refMaker makes the references of changes.
type refMaker struct {
	claims, smells []Source
	dedupeBy       sts.Similarity // finds repeated claims; nil where no source paraphrases
	onPanic        func(*pseudoref.Panic)
}

// refs asks every source about a change. answers are those of the batch sources, by
// the index of the source; nil means that they were not asked yet.
func (m *refMaker) refs(ctx context.Context, in Input, answers []*Answer) (RefSet, error) {
	if in.Change == nil {
		return RefSet{}, errNoChange
	}
	if answers == nil {
		all, err := m.askBatchSources(ctx, []Input{in})
		if err != nil {
			return RefSet{}, err
		}
		answers = all[0]
	}
	sources, run := m.sources(), &ChangeRun{Input: in}
	var failed error
	for i := 0; i < len(sources) && failed == nil; i++ {
		if answers[i] == nil {
			found, err := m.ask(ctx, sources[i], run)
			answers[i] = &Answer{found, err}
		}
		if err := answers[i].Err; err != nil {
			failed = fmt.Errorf("%s: %w", sources[i].Signature(), err)
		}
	}
	set := RefSet{Warnings: slices.Clip(in.Change.Warnings), LeftOut: in.Change.LeftOut, Code: CodeOf(in.Change)}
	for _, a := range answers {
		if a != nil {
			set.Tools = append(set.Tools, a.Found.Tools...)
		}
	}
	if failed != nil {
		return RefSet{Tools: set.Tools, Code: set.Code}, failed
	}
	if err := m.join(ctx, &set, answers); err != nil {
		return RefSet{}, err
	}
	if run.trees != nil {
		set.Warnings = append(set.Warnings, run.trees.Warnings...)
	}
	return set, nil
}

// join merges the answers of all sources into a set.
func (m *refMaker) join(ctx context.Context, set *RefSet, answers []*Answer) error {
	var lists [][]pseudoref.Ref
	var paraphrased []bool
	var signed []string
	for i, s := range m.sources() {
		found := answers[i].Found
		lists = append(lists, found.Refs)
		paraphrased = append(paraphrased, paraphrases(s) && !found.Fallback)
		set.Dropped = append(set.Dropped, found.Dropped...)
		set.Warnings = append(set.Warnings, found.Warnings...)
		signed = append(signed, cmp.Or(found.Signature, s.Signature()))
	}
	repeated, err := dedupe(ctx, m.dedupeBy, lists[:len(m.claims)], paraphrased)
	if err != nil {
		return fmt.Errorf("comparing the claims of several sources: %w", err)
	}
	set.Dropped = append(set.Dropped, repeated...)
	refs, beyond := pseudoref.Merge(lists...)
	set.Refs = refs
	set.Sources = Sources{orNone(signed[:len(m.claims)], ","), orNone(signed[len(m.claims):], ",")}
	if beyond > 0 {
		set.Warnings = append(set.Warnings, fmt.Sprintf("references beyond the limit of %d were left out: %d", limits.ChangeRefs, beyond))
	}
	return nil
}

func (m *refMaker) sources() []Source { return slices.Concat(m.claims, m.smells) }

// batches reports whether a source answers for many changes at once.
func (m *refMaker) batches() bool {
	return slices.ContainsFunc(m.sources(), func(s Source) bool { _, ok := s.(BatchSource); return ok })
}

// ask asks a source about a change. A panic in the source is a bug: it costs the
// change its score, but does not end the run.
func (m *refMaker) ask(ctx context.Context, s Source, run *ChangeRun) (found Found, err error) {
	defer func() {
		if r := recover(); r != nil {
			found, err = Found{}, pseudoref.Recovered(r)
		}
		m.reportPanic(err)
	}()
	return s.Refs(ctx, run)
}

// reportPanic hands an error to OnPanic if it is a panic.
func (m *refMaker) reportPanic(err error) {
	if p := (*pseudoref.Panic)(nil); m.onPanic != nil && errors.As(err, &p) {
		m.onPanic(p)
	}
}

// askBatchSources asks the batch sources about changes, all sources at the same time.
// The result has the answers for each change, by the index of the source; those of
// other sources, and of batches that failed, are nil. The error is ctx's own.
func (m *refMaker) askBatchSources(ctx context.Context, inputs []Input) ([][]*Answer, error) {
	sources := m.sources()
	answers := make([][]*Answer, len(inputs))
	for i := range answers {
		answers[i] = make([]*Answer, len(sources))
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, s := range sources {
		b, ok := s.(BatchSource)
		if !ok || len(inputs) == 0 {
			continue
		}
		g.Go(func() error {
			// Trees may not be read by two sources at once, so each has its own.
			runs := make([]*ChangeRun, len(inputs))
			for k := range inputs {
				runs[k] = &ChangeRun{Input: inputs[k]}
				runs[k].Parsed = nil // other sources read them at the same time
			}
			if len(runs) == 1 {
				found, err := m.ask(ctx, s, runs[0])
				answers[0][i] = &Answer{found, err}
				return ctx.Err()
			}
			list, err := m.askBatch(ctx, b, runs)
			if err != nil {
				return ctx.Err() // else the source is asked again, change by change
			}
			for k := range runs {
				answers[k][i] = &list[k]
			}
			return nil
		})
	}
	return answers, g.Wait()
}

// askBatch asks a source about many changes. Its error makes the engine ask about
// each change alone, so that a single bad change does not cost the others their score.
func (m *refMaker) askBatch(ctx context.Context, s BatchSource, runs []*ChangeRun) (answers []Answer, err error) {
	defer func() {
		if r := recover(); r != nil {
			answers, err = nil, pseudoref.Recovered(r)
		}
		m.reportPanic(err)
	}()
	if answers, err = s.RefsBatch(ctx, runs); err == nil && len(answers) != len(runs) {
		err = fmt.Errorf("%s gave %d answers for %d changes", s.Signature(), len(answers), len(runs))
	}
	return answers, err
}
