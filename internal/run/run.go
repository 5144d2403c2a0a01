// Package run is the way of a dataset through what scores it: CRScore, a language model as a judge,
// or metrics with references. It reads the dataset, prints the rows in its order or keeps them in a
// run directory, counts them, and makes the table of the systems. It asks nobody and prints no
// message itself: a Terminal does.
package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"crscore/internal/dataset"
	"crscore/internal/matrices"
	"crscore/internal/report"
	"crscore/internal/report/figures"
	"crscore/internal/rundir"
	"crscore/internal/spelling"
	"crscore/internal/split"
	"crscore/internal/system"
)

// Terminal has the files and the messages of a run.
type Terminal interface {
	// Open opens a file, or standard input for -.
	Open(name string) (io.ReadCloser, error)
	// Say says a message; its attributes are for programs. SayOfKind says one of a kind that may
	// have very many.
	Say(level slog.Level, msg string, about ...slog.Attr)
	SayOfKind(level slog.Level, kind, msg string)
	// Records reports whether messages are records for programs. Block shows lines to people,
	// who have so many columns as Width says.
	Records() bool
	Block(lines string)
	Width() int
	// Progress shows how far something with so many steps is; prints says that it prints meanwhile.
	Progress(what, unit string, steps int64, prints bool) Progress
}

// Progress counts units, and the steps of what is read for them.
type Progress interface {
	// Reader counts the bytes that it reads as steps; Step counts others.
	Reader(r io.Reader) io.Reader
	Step(n int64)
	// Keep counts a unit of an earlier process; Begin and Finish count those of this one.
	Keep()
	Begin()
	Finish()
	// Set sets the steps so far, and all of them.
	Set(at, steps int64)
	End()
}

// Incomplete is the error of a run, or a command, that lacks a part of its results.
type Incomplete struct {
	// Err is why.
	Err error
}

// Error is the reason.
func (e Incomplete) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e Incomplete) Unwrap() error { return e.Err }

// Printed is the error of a run that has printed whole lines before it stopped.
type Printed struct {
	// Err is why.
	Err error
}

// Error is the reason.
func (e Printed) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e Printed) Unwrap() error { return e.Err }

// Nothing is the error of a dataset in which nothing can be judged.
type Nothing struct{ error }

// Unwrap returns the reason.
func (e Nothing) Unwrap() error { return e.error }

// Written is the error of lost results, nil for none.
func Written(err error) error {
	if err != nil {
		return Incomplete{fmt.Errorf("writing results: %w", err)}
	}
	return nil
}

// Stopped makes of a full disk, and of another process at work, what they are: no fault of the
// input, but results that are not all there. Another try may have them.
func Stopped(err error) error {
	if system.Full(err) || errors.Is(err, rundir.ErrLocked) || errors.Is(err, split.ErrLocked) {
		return Incomplete{err}
	}
	return err
}

// Scorer makes rows of records.
type Scorer interface {
	// Manifest has what a run directory keeps about the scorer.
	Manifest() rundir.Manifest
	// Score goes through a dataset and gives the results to emit, in its order.
	Score(ctx context.Context, d *Dataset, emit func(Scored) error) error
	// Totals starts to count its rows.
	Totals() *Totals
	// Lacks describes what a run to the end of the dataset lacks, besides reviews without a score.
	// The error is that of a dataset in which the scorer has found nothing.
	Lacks(d *Dataset, t *Totals) ([]string, error)
}

// Scored is a change with its rows.
type Scored struct {
	// Rows are those of the reviews of Record.
	Record *dataset.Record
	Rows   []dataset.Row
	// Block makes its matrices; nil where the scorer has none.
	Block func(context.Context) (*matrices.Block, error)
}

// Matrices is a file for the matrices of a run that prints its rows.
type Matrices interface {
	// Name is that of the file, and Write writes the matrices of a change.
	Name() string
	Write(*matrices.Block) error
	// Close ends the file of a run that has ended with an error, nil for a whole one. lost changes
	// are left out.
	Close(run error, lost int) error
}

// Run is a run of a scorer over a dataset.
type Run struct {
	*Dataset
	Scorer Scorer // makes the rows
	// Rows takes the rows of a run without a directory, in a Format.
	Rows   report.Writer
	Format string
	// Table prints a table of the systems in the place of rows; nil for rows.
	Table func(*Totals) error
	// Matrices takes the matrices of a run that prints its rows; nil for none.
	Matrices Matrices
	// Dir keeps the rows; empty to print them.
	Dir string
	// Totals are those of the rows, once the run has begun, and Page is their table, once it has
	// been told.
	Totals *Totals
	Page   figures.Page
}

// Do scores the dataset. The error is Nothing where there was nothing to score, and Incomplete
// where a part of the results is missing.
func (r *Run) Do(ctx context.Context) error {
	r.Totals = r.Scorer.Totals()
	if r.Dir != "" {
		return r.keep(ctx)
	}
	lost := 0
	err := r.Scorer.Score(ctx, r.Dataset, func(c Scored) error {
		r.Totals.Changes++
		// First its matrices: whatever has a line is in the file, also of a run that
		// is broken off.
		if r.Matrices != nil {
			b, err := c.Block(ctx)
			if err == nil {
				err = r.Matrices.Write(b)
			}
			if ctx.Err() != nil || err != nil && errors.As(err, new(*os.PathError)) {
				return err
			}
			if err != nil {
				lost++
				r.sayLeftOut(r.Matrices.Name(), c.Record, err)
			}
		}
		return r.add(c, func(row *dataset.Row) error {
			switch {
			case r.Table == nil:
				return printRow(r.Rows, r.Format, r.Totals, row)
			case row.Reason != "": // no row says it
				r.sayUnscored(c.Record, row.Review, row.Reason)
			}
			return nil
		})
	})
	var unkept error
	if r.Matrices != nil {
		unkept = r.Matrices.Close(err, lost)
	}
	if unkept != nil && err != nil {
		r.Terminal.Say(slog.LevelError, unkept.Error())
	}
	switch {
	case errors.As(err, new(Nothing)) || err != nil && (r.Table != nil || r.Totals.Changes == 0 && !errors.Is(err, context.Canceled)):
		return err // a table of a part would be taken for one of all
	case r.Table != nil:
		if err := r.Table(r.Totals); err != nil {
			return err
		}
	case err != nil && r.Format == "parquet":
		r.Terminal.Say(slog.LevelError, "the Parquet file has no end, so that nobody takes it for a whole one: it cannot be read")
	default:
		if err := r.Rows.Close(); err != nil {
			return Written(err)
		}
	}
	// What was scored before a run broke off is whole and counts.
	if err := r.tell(ctx); err != nil {
		return err
	}
	if err != nil {
		return Incomplete{Printed{err}}
	}
	return r.lacking(unkept)
}

// tell says what the run came to.
func (r *Run) tell(ctx context.Context) error {
	r.Page = r.Totals.table(r.Totals).Page()
	return r.Totals.Tell(context.WithoutCancel(ctx), r.Terminal)
}

// add prints the rows of a change and counts them.
func (r *Run) add(c Scored, print func(*dataset.Row) error) error {
	for i := range c.Rows {
		if err := print(&c.Rows[i]); err != nil {
			return err
		}
		if err := r.Totals.Add(&c.Rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// lacking is what is missing of a run to the end of the dataset.
func (r *Run) lacking(more error) error {
	what, err := r.Scorer.Lacks(r.Dataset, r.Totals)
	if err != nil {
		return err
	}
	return r.missing(more, what...)
}

// missing is what the totals and the dataset lack. more is said where it is not all.
func (r *Run) missing(more error, what ...string) error {
	r.unscored, r.leftOut = r.Totals.Unscored, r.Totals.LeftOut
	missing := r.Missing(append(r.Totals.Lacks(), what...)...)
	if missing == nil && more != nil {
		return Incomplete{more}
	}
	if more != nil {
		r.Terminal.Say(slog.LevelError, more.Error())
	}
	return missing
}

// sayLeftOut says why a change is left out of a file of matrices.
func (d *Dataset) sayLeftOut(file string, rec *dataset.Record, why error) {
	d.Terminal.SayOfKind(slog.LevelError, LeftOutChanges, fmt.Sprintf("%s: %s: the change is left out: %v", file, rec.Where(), why))
}

// keep scores what a run directory does not have yet. A run that judged nothing leaves no directory
// behind.
func (r *Run) keep(ctx context.Context) error {
	if r.Name != "-" && r.file == "" { // else a wrong name would leave a directory
		if _, err := os.Stat(r.Name); err != nil {
			return err
		}
	}
	if parts, shard := split.DirOf(r.Name); parts != "" && r.file == "" {
		r.Terminal.Say(slog.LevelWarn, fmt.Sprintf("%s is a part of a dataset, and this a run of it alone: to put it together with others by crscore merge, give --data %s --shard %s", r.Name, parts, shard))
	}
	m := r.Scorer.Manifest()
	if m.Shard = r.shard; r.parts != nil {
		p := r.parts.Parts[r.shard.Number-1]
		m.Lines = rundir.Lines{First: p.First, Last: p.Last()}
	}
	dir, err := rundir.Open(r.Dir, m, func(rows []byte) error { return EachRow(rows, r.Totals.Add) })
	if err != nil {
		return Stopped(err)
	}
	r.dir = dir
	before := dir.Changes()
	r.Totals.Changes = before
	switch {
	case dir.Finished():
		r.Terminal.Say(slog.LevelInfo, spelling.Count("%s is finished: %d changes", r.Dir, before))
	case before > 0:
		r.Terminal.Say(slog.LevelInfo, spelling.Count("%s: going on, %d changes are finished", r.Dir, before))
	}
	if n := dir.Cut(); n > 0 {
		r.Terminal.Say(slog.LevelWarn, spelling.Count("%s: its journal is torn behind %d changes; finished changes that are worked on again: %d", r.Dir, before, n))
	}
	err = r.fill(ctx, dir, m.Matrices != "")
	switch {
	case errors.As(err, new(Nothing)) || err == nil && r.Reviews == 0 && r.shard.Of <= 1:
		// A right dataset would be another one than the directory's.
		err = errors.Join(err, dir.Discard())
	case err == nil:
		err = dir.Finish(r.end)
	}
	left := dir.LeftOut()
	err = errors.Join(err, dir.Close())
	if errors.As(err, new(Nothing)) || err != nil && dir.Kept() == before && !errors.Is(err, context.Canceled) {
		return Stopped(err)
	}
	if err := r.tell(ctx); err != nil {
		return err
	}
	if err != nil {
		r.Terminal.Say(slog.LevelInfo, spelling.Count("%s is unfinished, and %d changes of it are finished: the same command resumes", r.Dir, dir.Kept()))
		return Incomplete{err}
	}
	return r.lacking(unfinished(r.Dir, left))
}

// unfinished is the error of a directory whose matrices lack changes.
func unfinished(dir string, left int) error {
	if left == 0 {
		return nil
	}
	return fmt.Errorf("%s is unfinished: changes that it lacks: %d", filepath.Join(dir, rundir.MatricesName), left)
}

// fill adds the changes that a run directory lacks.
func (r *Run) fill(ctx context.Context, dir *rundir.Run, withMatrices bool) error {
	var rows bytes.Buffer
	w, err := report.NewWriter(&rows, "jsonl", report.TextOptions{})
	if err != nil {
		return err
	}
	file := filepath.Join(r.Dir, rundir.MatricesName)
	return r.Scorer.Score(ctx, r.Dataset, func(c Scored) error {
		r.Totals.Changes++
		rows.Reset()
		if err := r.add(c, func(row *dataset.Row) error { return w.Write(*row) }); err != nil {
			return err
		}
		change := rundir.Change{Place: place(c.Record), Rows: rows.Bytes()}
		if withMatrices {
			b, err := c.Block(ctx)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				r.sayLeftOut(file, c.Record, err)
			} else {
				change.Block = b
			}
		}
		err := dir.Add(change)
		var without *matrices.Refused
		if errors.As(err, &without) {
			r.sayLeftOut(file, c.Record, without)
			return nil
		}
		return Written(err)
	})
}

// EachRow reads result lines.
func EachRow(lines []byte, use func(*dataset.Row) error) error {
	for line := range bytes.Lines(lines) {
		var r dataset.Row
		if err := json.Unmarshal(line, &r); err != nil {
			return fmt.Errorf("a result line is not as this program writes it: %w", err)
		}
		r.System = r.Review // rows of earlier versions have none
		if err := use(&r); err != nil {
			return err
		}
	}
	return nil
}
