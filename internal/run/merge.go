package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"crscore/eval/refmetrics"
	"crscore/internal/dataset"
	"crscore/internal/report"
	"crscore/internal/rundir"
	"crscore/score"
)

// KeptTotals starts to count the rows that run directories keep.
func KeptTotals(m rundir.Manifest) *Totals {
	switch m.Kind {
	case score.KindJudge:
		return &Totals{kind: newJudgeKind(m, m.Signature.Model())}
	case score.KindMetrics:
		return &Totals{kind: &metricsKind{set: refmetrics.SetOf(m.Signature)}}
	}
	return &Totals{kind: &scoreKind{}}
}

// Merge goes through the changes of several run directories.
type Merge struct {
	// Parts are the runs, and Totals those of their rows.
	Parts    *rundir.Parts
	Terminal Terminal
	Totals   *Totals
	// Dir is the run directory to make; empty to print rows.
	Dir string
	// Lines takes the rows as they are kept, or Rows, if not nil, in another Format.
	Lines  io.Writer
	Rows   report.Writer
	Format string
	// Several says that no run has seen the ids of the others.
	Several bool

	left int // changes without matrices, in a run directory with them
}

// Do prints the rows, or makes the directory, and says what the run came to. The error is as of Run.
func (m *Merge) Do(ctx context.Context) error {
	var err error
	switch {
	case m.Dir != "":
		err = m.into(ctx)
	case m.Rows == nil:
		err = m.each(ctx, func(c rundir.Change) error { _, err := m.Lines.Write(c.Rows); return Written(err) })
	default:
		err = m.each(ctx, func(c rundir.Change) error {
			return EachRow(c.Rows, func(r *dataset.Row) error { return printRow(m.Rows, m.Format, m.Totals, r) })
		})
		if err == nil {
			err = Written(m.Rows.Close())
		}
	}
	if errors.As(err, new(Nothing)) {
		return err
	}
	if err != nil && m.Dir == "" {
		err = Printed{err}
	}
	if err != nil {
		return Stopped(err)
	}
	if err := m.Totals.Tell(ctx, m.Terminal); err != nil {
		return err
	}
	whole := Run{Dataset: &Dataset{Terminal: m.Terminal, Malformed: m.Parts.End().Malformed}, Totals: m.Totals}
	return whole.missing(unfinished(m.Dir, m.left))
}

// printRow prints a row in a format, which may be a table.
func printRow(w report.Writer, format string, t *Totals, r *dataset.Row) error {
	if !strings.HasPrefix(format, "json") {
		if err := t.Fill(r); err != nil {
			return err
		}
	}
	return Written(w.Write(*r))
}

// into makes a run directory of the changes.
func (m *Merge) into(ctx context.Context) (err error) {
	dir, err := rundir.Open(m.Dir, m.Parts.Manifest(), nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, Written(dir.Close())) }()
	err = m.each(ctx, func(c rundir.Change) error {
		if done, err := dir.Done(c.Place); done || err != nil {
			return err
		}
		return Written(dir.Add(c))
	})
	if errors.As(err, new(Nothing)) {
		return errors.Join(err, dir.Discard())
	}
	if err != nil {
		return err
	}
	if err := dir.Finish(m.Parts.End()); err != nil {
		return err
	}
	m.left = dir.LeftOut()
	return nil
}

// each gives the changes to add, and counts their rows.
func (m *Merge) each(ctx context.Context, add func(rundir.Change) error) error {
	lines := m.Parts.End().Lines
	bar := m.Terminal.Progress("merging", "changes", int64(lines), m.Dir == "")
	defer bar.End()
	var ids *dataset.IDs
	if m.Several {
		ids = dataset.NewIDs()
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		c, err := m.Parts.Next()
		if errors.Is(err, io.EOF) {
			if m.Totals.Scored+m.Totals.Unscored == 0 && m.Parts.End().Malformed == 0 {
				return Nothing{errors.New("no review was found: the run is of a dataset without any")}
			}
			return nil
		}
		if err != nil {
			return err
		}
		first := ids != nil
		err = EachRow(c.Rows, func(r *dataset.Row) error {
			if first {
				first = false
				if line := ids.FirstUse(r.ID, c.Line); line != c.Line {
					m.Terminal.SayOfKind(slog.LevelWarn, usedIDs, fmt.Sprintf("line %d of the dataset: id %q is that of line %d too", c.Line, r.ID, line))
				}
			}
			return m.Totals.Add(r)
		})
		if err != nil {
			return fmt.Errorf("line %d of the dataset: %w", c.Line, err)
		}
		m.Totals.Changes++
		if err := add(c); err != nil {
			return err
		}
		bar.Set(int64(c.Line), int64(lines))
		bar.Begin()
		bar.Finish()
	}
}
