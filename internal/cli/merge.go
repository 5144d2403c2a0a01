package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"crscore"
	"crscore/internal/dataset"
	"crscore/internal/report"
	"crscore/internal/rundir"
	"crscore/internal/spelling"
	"crscore/internal/terminal"
	"crscore/score"
)

// jsonl is the format of a run directory.
const jsonl = "jsonl"

func mergeCommand(s streams) *cobra.Command {
	var out, format string
	cmd := &cobra.Command{
		Use:   "merge DIRECTORY...",
		Short: "Put the shards of a run over a dataset together",
		Long: `merge puts the run directories of crscore score --out DIR --shard, or those of
judge and metrics, together, and prints the result lines of all, in the order of the
dataset: the bytes of a run that was not split, or those of one directory that is whole.
With --out it makes the run directory of that run instead, with its matrices; stopped, it
goes on where it was. The runs of judge and metrics have no other format than jsonl.
Text shows sentences and references only of runs that were made with --explain.

The runs must be finished, of one dataset and one signature, and each shard there
once. Exit codes: as for score, of the whole run; 2 too where runs do not fit,
or no run has a review.`,
		Example: `  crscore score --data reviews.jsonl --out part1 --shard 1/2
  crscore score --data reviews.jsonl --out part2 --shard 2/2
  crscore merge part1 part2 > scores.jsonl
  crscore merge part1 part2 --out run1
  crscore merge run1 --format csv > scores.csv`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, dirs []string) error {
			if out != "" && format != jsonl {
				return fmt.Errorf("--out keeps results as jsonl, and --format is %s: leave one of them out", format)
			}
			if err := errors.Join(checkFolder("out", out), notOnTerminal(s, format)); err != nil {
				return err
			}
			screen := terminal.Screen(s.out)
			screen.Changes = true
			w, err := report.NewWriter(s.out, format, screen)
			if err != nil {
				return err
			}
			parts, err := rundir.OpenParts(dirs...)
			if err != nil {
				return err
			}
			defer parts.Close()
			other := parts.Manifest().Kind
			if other == score.KindScore {
				other = ""
			}
			if other != "" && format != jsonl {
				return fmt.Errorf("%s is a run of crscore %s, whose lines merge joins as they are: leave --format out; crscore %[2]s without --out prints them as %s", dirs[0], other, format)
			}
			m := merger{parts: parts, s: s, other: other, bar: s.progress("merging", "changes", int64(parts.End().Lines), out == "")}
			if len(dirs) > 1 { // no run has seen the ids of the others
				m.ids = dataset.NewIDs()
			}
			switch {
			case out != "":
				err = m.into(cmd.Context(), out)
			case format == jsonl:
				err = m.each(cmd.Context(), func(c rundir.Change) error { _, err := s.out.Write(c.Rows); return outputError(err) })
			default:
				err = m.print(cmd.Context(), w)
			}
			m.bar.End()
			if errors.As(err, new(nothing)) {
				return err
			}
			if err != nil && out == "" {
				err = partlyPrinted{err}
			}
			if err != nil {
				return stopped(err)
			}
			m.tell()
			run := runner{malformed: parts.End().Malformed, unscored: m.total.Unscored}
			return lacking(s, out, m.left, run.missing())
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "make a run `DIRECTORY` of the whole run instead of printing its lines")
	cmd.Flags().StringVar(&format, "format", jsonl, "`FORMAT` of the scores: text, json, jsonl, csv or parquet")
	complete(cmd, "format", "text", "json", jsonl, "csv", "parquet")
	return cmd
}

// merger goes through the changes of several run directories, and counts.
type merger struct {
	parts         *rundir.Parts
	s             streams
	other         string // the command of the run, where it is not score
	bar           *terminal.Progress
	ids           *dataset.IDs // nil where the run has looked for ids that are used twice
	changes, left int          // left are those without matrices, in a run directory with them
	total         runTotals
}

// tell says what the run came to. The numbers of score alone have a table.
func (m *merger) tell() {
	if m.other == "" {
		m.total.tell(m.s, m.changes)
		return
	}
	m.s.log.Note(spelling.Count("%d changes, %d reviews scored, %d unscored", m.changes, m.total.Scored, m.total.Unscored))
}

// print prints the result lines in another format.
func (m *merger) print(ctx context.Context, w report.Writer) error {
	if err := m.each(ctx, func(c rundir.Change) error {
		return eachRow(c.Rows, func(r dataset.Row) error { return outputError(w.Write(r)) })
	}); err != nil {
		return err
	}
	return outputError(w.Close())
}

// into makes a run directory of the changes.
func (m *merger) into(ctx context.Context, name string) (err error) {
	dir, err := rundir.Open(name, m.parts.Manifest(), nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, outputError(dir.Close())) }()
	err = m.each(ctx, func(c rundir.Change) error {
		if done, err := dir.Done(c.Place); done || err != nil {
			return err
		}
		return outputError(dir.Add(c))
	})
	if errors.As(err, new(nothing)) {
		return errors.Join(err, dir.Discard())
	}
	if err != nil {
		return err
	}
	if err := dir.Finish(m.parts.End()); err != nil {
		return err
	}
	m.left = dir.LeftOut()
	return nil
}

func (m *merger) each(ctx context.Context, add func(rundir.Change) error) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		c, err := m.parts.Next()
		if errors.Is(err, io.EOF) {
			if m.total.Scored+m.total.Unscored == 0 && m.parts.End().Malformed == 0 {
				return nothing{errors.New("no review was found: the run is of a dataset without any")}
			}
			return nil
		}
		if err != nil {
			return err
		}
		if err := m.count(c); err != nil {
			return fmt.Errorf("line %d of the dataset: %w", c.Line, err)
		}
		m.changes++
		if err := add(c); err != nil {
			return err
		}
		m.bar.Set(int64(c.Line), int64(m.parts.End().Lines))
		m.bar.Begin()
		m.bar.Finish()
	}
}

// count adds the rows of a change to the total, and warns of an id that two changes have.
func (m *merger) count(c rundir.Change) error {
	first := m.ids != nil
	return eachRow(c.Rows, func(r dataset.Row) error {
		if first {
			first = false
			if line := m.ids.FirstUse(r.ID, c.Line); line != c.Line {
				m.s.log.SayOfKind(slog.LevelWarn, usedIDs, fmt.Sprintf("line %d of the dataset: id %q is that of line %d too", c.Line, r.ID, line))
			}
		}
		switch {
		case m.other == "":
			return m.total.add(r)
		case r.Status == string(crscore.Scored):
			m.total.Scored++
		default:
			m.total.Unscored++
		}
		return nil
	})
}
