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
	"crscore/eval/perturb/compile"
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
	// Compilers are asked about each variant; nil asks none.
	Compilers *compile.Checker
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
	// Checked is what compilers say of the variants; nil: they were not asked.
	Checked *Checked
}

// task is a variant that is scored.
type task struct {
	moves *Moves
	base  bool // the change itself, with a fresh diff
	rec   *dataset.Record
	hunks bool  // whole texts are not known
	err   error // why there is no variant
	diff  string
}

// study is the work on a dataset.
type study struct {
	ctx   context.Context
	o     Options
	list  []perturb.Perturbation
	moves []*Moves
	next  func() (*dataset.Record, error)
	end   error // of next
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
	s := &study{ctx: ctx, o: o, list: list, next: next, done: done}
	other := perturb.Perturbation{ID: Another, Name: "reviews of another change", Group: control}
	for _, p := range append([]perturb.Perturbation{perturb.Identity(), other}, list...) {
		m := &Moves{Perturbation: p, Left: map[string]int{}}
		if o.Compilers != nil && p.Group != control {
			m.Checked = &Checked{Unchecked: []Left{}}
		}
		s.moves = append(s.moves, m)
	}
	if err := e.Stream(ctx, s.job, s.emit); err != nil {
		return nil, err
	}
	return s.moves, nil
}

// job returns the next variant to score.
func (s *study) job() (crscore.Job, error) {
	for len(s.queue) == 0 {
		if s.end != nil {
			return crscore.Job{}, s.end
		}
		if err := s.plan(); err != nil {
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

// plan queues the variants of the next records: of one, or of as many as compilers take.
func (s *study) plan() error {
	n := 1
	if s.o.Compilers != nil {
		n = CheckBatch
	}
	var changes [][]*Made
	for len(changes) < n {
		var rec *dataset.Record
		if rec, s.end = s.next(); s.end != nil {
			break
		}
		made, err := Make(s.ctx, rec, s.list, s.o.Seed)
		if err != nil {
			return err
		}
		changes = append(changes, made)
	}
	if s.o.Compilers != nil {
		if err := Check(s.ctx, s.o.Compilers, changes); err != nil {
			return err
		}
	}
	for _, made := range changes {
		s.add(made)
	}
	return nil
}

// add queues a record and its variants.
func (s *study) add(made []*Made) {
	base, err := made[0].Record, made[0].Err
	if err != nil {
		for _, m := range s.moves {
			m.Left[err.Error()]++
		}
		s.done()
		return
	}
	s.queue = append(s.queue, &task{base: true, rec: base})
	for i, m := range s.moves {
		t := &task{moves: m, hunks: made[0].hunks}
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
			v := made[i-1] // other has none
			if m.Checked != nil {
				m.Checked.Add(v)
			}
			if t.rec, t.err = v.Record, v.Err; t.err == nil {
				t.diff = variantDiff(base, t.rec)
			}
		}
		s.queue = append(s.queue, t)
	}
	s.last = base
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
		p := Pair{Change: change, Review: rec.Reviews[i].ID, Before: ScoresOf(before[i]), After: ScoresOf(after), diff: t.diff}
		p.text = rec.Reviews[i].Text
		t.moves.Pairs = append(t.moves.Pairs, p)
	}
	return nil
}

// ScoresOf are the scores of a result that has some.
func ScoresOf(r crscore.Result) Scores { return Scores{r.Con, r.Comp, r.Rel} }
