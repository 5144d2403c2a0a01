// Package stability measures how far scores of reviews move when the change under review is
// rewritten without another meaning (package perturb). A score that moves when a variable is
// renamed measures the name.
//
// Two controls say what the numbers are worth: the change diffed anew must not move a score at
// all, and the reviews of another change must.
package stability

import (
	"context"
	"fmt"
	"slices"

	"crscore"
	"crscore/eval/evidence"
	"crscore/eval/perturb"
	"crscore/eval/resample"
	"crscore/internal/dataset"
)

// Options are the options of a study.
type Options struct {
	// Only are the perturbations to look at; nil means all.
	Only []perturb.ID
	// Seed is the seed of new names.
	Seed uint64
	// Bootstrap draws changes for intervals.
	Bootstrap resample.Bootstrap
	// Worst is the number of the largest moves to show, of each perturbation.
	Worst int
}

// Controls of a study, and their group.
const (
	control = "control"

	Again   perturb.ID = "p0"    // the same change, diffed anew
	Another perturb.ID = "other" // the reviews of another change
)

// Perturbations returns those that the options name.
func (o Options) Perturbations() (out []perturb.Perturbation, err error) {
	all := perturb.All()
	for _, id := range o.Only {
		if !slices.ContainsFunc(all, func(p perturb.Perturbation) bool { return p.ID == id }) {
			return nil, fmt.Errorf("no perturbation %q: choose among p1 to p%d", id, len(all))
		}
	}
	for _, p := range all {
		if len(o.Only) == 0 || slices.Contains(o.Only, p.ID) {
			out = append(out, p)
		}
	}
	return out, nil
}

// Scores are the three scores of a review, from 0 to 1.
type Scores struct {
	// Con, Comp and Rel are the three scores.
	Con  float64 `json:"con"`
	Comp float64 `json:"comp"`
	Rel  float64 `json:"rel"`
}

func (s Scores) list() [3]float64 { return [3]float64{s.Con, s.Comp, s.Rel} }

// Pair is a review with its scores for a change and for its variant.
type Pair struct {
	// Change and Review are ids; the review's is its system.
	Change, Review string
	// Before and After are the scores for the change and for its variant.
	Before, After Scores
	text          string
	diff          string
}

// Moves are the pairs of a perturbation, and what it could not be tried on.
type Moves struct {
	// Perturbation is the kind of rewriting, or a control.
	Perturbation perturb.Perturbation
	// Pairs are the reviews with both scores, in the order of the data.
	Pairs []Pair
	// Fits is the number of changes with a variant, Hunks that of those whose whole texts are not
	// known.
	Fits, Hunks int
	// Left is the number of changes without a variant, by reason.
	Left map[string]int
	// Unscored is the number of reviews without a score before or after.
	Unscored int
}

// task is a variant that is scored.
type task struct {
	moves *Moves
	base  bool // the change itself, with a fresh diff
	first bool // of a record
	rec   *dataset.Record
	hunks bool  // whole texts are not known
	err   error // why there is no variant
	diff  string
}

// study is the work on a dataset.
type study struct {
	ctx   context.Context
	seed  uint64
	moves []*Moves
	next  func() (*dataset.Record, error)
	queue []*task
	last  *dataset.Record // the record before, for its reviews

	base, lastBase []crscore.Result // of the record, and of the record before
	lastRec        *dataset.Record
	rec            *dataset.Record
	done           func()
}

// Measure scores each record and its variants with an engine. next returns io.EOF behind the
// last record; done is called for each record, when its scores come. The order of the moves is that
// of the perturbations, behind the two controls.
func Measure(
	ctx context.Context, e *crscore.Engine, o Options, next func() (*dataset.Record, error), done func(),
) ([]*Moves, error) {
	list, err := o.Perturbations()
	if err != nil {
		return nil, err
	}
	s := &study{ctx: ctx, seed: o.Seed, next: next, done: done}
	other := perturb.Perturbation{ID: Another, Name: "reviews of another change", Group: control}
	for _, p := range append([]perturb.Perturbation{perturb.Identity(), other}, list...) {
		s.moves = append(s.moves, &Moves{Perturbation: p, Left: map[string]int{}})
	}
	if err := e.Stream(ctx, s.job, s.emit); err != nil {
		return nil, err
	}
	return s.moves, nil
}

// job returns the next variant to score.
func (s *study) job() (crscore.Job, error) {
	for len(s.queue) == 0 {
		rec, err := s.next()
		if err != nil {
			return crscore.Job{}, err
		}
		if err := s.plan(rec); err != nil {
			return crscore.Job{}, err
		}
	}
	t := s.queue[0]
	s.queue = s.queue[1:]
	if t.err != nil {
		return crscore.Job{Tag: t, Load: func() (crscore.Input, error) { return crscore.Input{}, t.err }}, nil
	}
	job := evidence.Job(t.rec)
	job.Tag = t
	return job, nil
}

// plan queues a record and its variants.
func (s *study) plan(rec *dataset.Record) error {
	original := Read(s.ctx, rec)
	base, made, err := original.Variant(s.ctx, perturb.Identity(), s.seed)
	if s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	if err != nil {
		for _, m := range s.moves {
			m.Left[err.Error()]++
		}
		s.done()
		return nil
	}
	s.queue = append(s.queue, &task{base: true, first: true, rec: base})
	for _, m := range s.moves {
		t := &task{moves: m, hunks: FromHunks(made)}
		switch m.Perturbation.ID {
		case Again:
			again := *base
			t.rec = &again
		case Another:
			if s.last == nil {
				continue
			}
			other := *base
			other.Reviews = s.last.Reviews
			t.rec = &other
		default:
			t.rec, _, t.err = original.Variant(s.ctx, m.Perturbation, s.seed)
			if s.ctx.Err() != nil {
				return s.ctx.Err()
			}
			if t.err == nil {
				t.diff = variantDiff(base, t.rec)
			}
		}
		s.queue = append(s.queue, t)
	}
	s.last = base
	return nil
}

// variantDiff shows the rewriting: from the new text, or from the hunks, to its variant.
func variantDiff(base, variant *dataset.Record) string {
	if base.New == nil {
		return perturb.Diff(base.Path, &base.Diff, &variant.Diff)
	}
	return perturb.Diff(base.Path, base.New, variant.New)
}

// emit gets the scores in the order of the jobs.
func (s *study) emit(o crscore.Outcome) error {
	t := o.Tag.(*task)
	if t.base {
		s.done()
		s.lastBase, s.lastRec = s.base, s.rec
		s.base, s.rec = o.Results, t.rec
		return nil
	}
	if t.err != nil {
		t.moves.Left[t.err.Error()]++
		return nil
	}
	before, rec := s.base, s.rec
	if t.moves.Perturbation.ID == Another {
		before, rec = s.lastBase, s.lastRec
	}
	t.moves.Fits++
	if t.hunks {
		t.moves.Hunks++
	}
	for i, after := range o.Results {
		if dataset.IsHumanReference(i, rec.Reviews[i].ID) {
			continue
		}
		if before[i].Status != crscore.Scored || after.Status != crscore.Scored {
			t.moves.Unscored++
			continue
		}
		change, _, _, _ := SplitID(s.rec.ID)
		p := Pair{Change: change, Review: rec.Reviews[i].ID, Before: scoresOf(before[i]), After: scoresOf(after), diff: t.diff}
		p.text = rec.Reviews[i].Text
		t.moves.Pairs = append(t.moves.Pairs, p)
	}
	return nil
}

func scoresOf(r crscore.Result) Scores { return Scores{r.Con, r.Comp, r.Rel} }
