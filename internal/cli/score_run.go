package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"crscore"
	"crscore/eval/evidence"
	"crscore/internal/dataset"
	"crscore/internal/report"
	"crscore/internal/rundir"
)

// outFlags have the results of a dataset kept in a run directory.
type outFlags struct {
	dir, shard string
	matrices   bool
}

func (f *outFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.dir, "out", "", "with --data, keep the results in a run `DIRECTORY`; the same command resumes a run that was stopped, for the same dataset")
	fl.BoolVar(&f.matrices, "keep-matrices", false, "with --out, keep the similarities too, in "+rundir.MatricesName)
	fl.StringVar(&f.shard, "shard", "", "with --out, score a part of the dataset: `I/N` such as 2/3, the second of three (crscore merge joins the parts)")
}

// check refuses what does not go together.
func (f *outFlags) check(cmd *cobra.Command, score *scoreFlags) error {
	if err := notEmpty(cmd, "out", "shard"); err != nil {
		return err
	}
	given := cmd.Flags().Changed
	switch {
	case f.dir == "" && given("shard"):
		return errors.New("--shard needs a run directory: give --out")
	case f.dir == "" && given("keep-matrices"):
		return errors.New("--keep-matrices needs a run directory: give --out, or --matrices FILE without one")
	case f.dir == "":
		return nil
	case score.data == "":
		return errors.New("--out keeps the results of a dataset: give --data")
	case given("matrices"):
		return errors.New("--matrices is for a run without --out: with it, --keep-matrices keeps them in the directory")
	case score.format != "" && score.format != "jsonl":
		return fmt.Errorf("--out keeps results as jsonl, and --format is %s: leave it out, and crscore merge %s --format %[1]s prints them so", score.format, f.dir)
	}
	return nil
}

// place is where a record stands.
func place(rec *dataset.Record) rundir.Place { return rundir.Place{Line: rec.Number, Text: rec.Sum} }

// scoreRun is scoreData into a run directory.
func (f *scoreFlags) scoreRun(cmd *cobra.Command, s streams) error {
	f.format = "jsonl"
	shard, err := rundir.ParseShard(f.out.shard)
	if err != nil {
		return fmt.Errorf("--shard: %w", err)
	}
	if err := f.engine.configure(cmd, true); err != nil {
		return err
	}
	if f.data != "-" { // else a wrong name would leave a directory
		if _, err := os.Stat(f.data); err != nil {
			return err
		}
	}
	e, err := f.engine.engine(cmd.Context(), cmd)
	if err != nil {
		return err
	}
	defer e.Close()
	m := rundir.Manifest{Signature: e.Signature(), Explain: f.explain, Shard: shard}
	if f.out.matrices {
		m.Matrices = e.Provenance().String()
	}
	var total runTotals
	dir, err := rundir.Open(f.out.dir, m, func(rows []byte) error { return count(&total, rows) })
	if err != nil {
		return stopped(err)
	}
	changes := dir.Changes()
	switch {
	case dir.Finished():
		s.log.note(fmt.Sprintf("%s is finished: %d changes", f.out.dir, changes))
	case changes > 0:
		s.log.note(fmt.Sprintf("%s: going on, %d changes are finished", f.out.dir, changes))
	}
	if n := dir.Cut(); n > 0 {
		s.log.warn(fmt.Sprintf("%s: its journal is torn behind %d changes; finished changes that are scored again: %d", f.out.dir, changes, n))
	}
	before := changes
	run := runner{engine: e, name: f.data, form: f.form.options, s: s, dir: dir, shard: shard}
	run.unscored = total.Unscored
	var rows bytes.Buffer
	w, err := report.NewWriter(&rows, f.format, report.TextOptions{})
	if err == nil {
		err = run.run(cmd.Context(), func(rec *dataset.Record, o crscore.Outcome) error {
			rows.Reset()
			if err := f.writeRows(w, e, rec, o, &total); err != nil {
				return err
			}
			changes++
			return f.out.keep(cmd.Context(), dir, e, rec, o, rows.Bytes(), s)
		})
	}
	switch {
	case errors.As(err, new(nothing)) || err == nil && run.reviews == 0 && shard.Of <= 1:
		// A right dataset would be another one than the directory's.
		err = errors.Join(err, dir.Discard())
	case err == nil:
		err = dir.Finish(run.end)
	}
	left := dir.LeftOut()
	err = errors.Join(err, dir.Close())
	if errors.As(err, new(nothing)) || err != nil && changes == before && !errors.Is(err, context.Canceled) {
		return stopped(err)
	}
	warnTruncated(s, e)
	total.tell(s, changes)
	if err != nil {
		s.log.note(fmt.Sprintf("%s is unfinished, and %d changes of it are finished: the same command resumes", f.out.dir, dir.Kept()))
		return incomplete{err}
	}
	return lacking(s, f.out.dir, left, run.missing())
}

// stopped makes of a full disk what it is: no fault of the input, but results that are
// not all there.
func stopped(err error) error {
	if rundir.Full(err) {
		return incomplete{err}
	}
	return err
}

// lacking adds to what is missing the changes that the matrices of a run lack.
func lacking(s streams, dir string, left int, missing error) error {
	if left == 0 {
		return missing
	}
	without := fmt.Sprintf("%s is unfinished: changes that it lacks: %d", filepath.Join(dir, rundir.MatricesName), left)
	if missing == nil {
		return incomplete{errors.New(without)}
	}
	s.log.fail(without)
	return missing
}

// keep puts a change with its result lines into the directory.
func (f *outFlags) keep(ctx context.Context, dir *rundir.Run, e *crscore.Engine, rec *dataset.Record, o crscore.Outcome, rows []byte, s streams) error {
	c := rundir.Change{Place: place(rec), Rows: rows}
	file := filepath.Join(f.dir, rundir.MatricesName)
	if f.matrices {
		b, err := evidence.Block(ctx, e, rec, o)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if c.Block = b; err != nil {
			c.Block = nil
			leftOut(s, file, rec, err)
		}
	}
	err := dir.Add(c)
	var without *rundir.LeftOut
	if errors.As(err, &without) {
		leftOut(s, file, rec, without)
		return nil
	}
	return outputError(err)
}

// count adds result lines that an earlier start of a run has written.
func count(total *runTotals, lines []byte) error {
	return eachRow(lines, total.add)
}

// eachRow reads result lines.
func eachRow(lines []byte, use func(report.Row) error) error {
	for line := range bytes.Lines(lines) {
		var r report.Row
		if err := json.Unmarshal(line, &r); err != nil {
			return fmt.Errorf("a result line is not as this program writes it: %w", err)
		}
		if err := use(r); err != nil {
			return err
		}
	}
	return nil
}
