package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"crscore"
	"crscore/eval/evidence"
	"crscore/internal/dataset"
	"crscore/internal/report"
	"crscore/internal/rundir"
	"crscore/score"
)

// dirFlags have the results of a dataset kept in a run directory.
type dirFlags struct {
	dir, shard string
}

func (f *dirFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.dir, "out", "", "with --data, keep the results in a run `DIRECTORY`; the same command resumes a run that was stopped, for the same dataset")
	fl.StringVar(&f.shard, "shard", "", "with --out, take a part of the dataset, which may be a folder of crscore split: `I/N` such as 2/3, the second of three (crscore merge joins the parts)")
}

// check refuses a shard without a directory, and empty values.
func (f *dirFlags) check(cmd *cobra.Command) error {
	if f.dir == "" && cmd.Flags().Changed("shard") {
		return errors.New("--shard needs a run directory: give --out")
	}
	if f.dir != "" && cmd.Flags().Changed("output") {
		return errors.New("--out keeps the results in a run directory, and nothing is left for --output: crscore merge DIRECTORY --output FILE writes them to a file")
	}
	return checkFolder("out", f.dir)
}

// outFlags are those of score.
type outFlags struct {
	dirFlags
	matrices bool
}

func (f *outFlags) add(cmd *cobra.Command) {
	f.dirFlags.add(cmd)
	cmd.Flags().BoolVar(&f.matrices, "keep-matrices", false, "with --out, keep the similarities too, in "+rundir.MatricesName)
}

// check refuses what does not go together.
func (f *outFlags) check(cmd *cobra.Command, score *scoreFlags) error {
	if err := f.dirFlags.check(cmd); err != nil {
		return err
	}
	given := cmd.Flags().Changed
	switch {
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

// scoreRun is scoreData into a run directory.
func (f *scoreFlags) scoreRun(cmd *cobra.Command, s streams) error {
	f.format = "jsonl"
	run := runner{name: f.data, form: f.form.options, s: s}
	if err := run.divide(f.out.shard); err != nil {
		return err
	}
	if err := f.engine.configure(cmd, nil); err != nil {
		return err
	}
	e, err := f.engine.engine(cmd.Context(), cmd)
	if err != nil {
		return err
	}
	defer e.Close()
	m := run.manifest(rundir.Manifest{Kind: score.KindScore, Signature: e.Signed(e.Provenance().Sources), Explain: f.explain})
	if f.out.matrices {
		m.Matrices = e.Provenance().String()
	}
	var total runTotals
	run.engine = e
	left, changes := 0, 0
	err = run.keep(cmd.Context(), keeping{
		path: f.out.dir, manifest: m,
		earlier: func(rows []byte) error { return eachRow(rows, total.add) },
		work: func(dir *rundir.Run, rows *bytes.Buffer, w report.Writer) error {
			changes, run.unscored, run.leftOut = dir.Changes(), total.Unscored, total.leftOut
			defer func() { left = dir.LeftOut() }()
			return run.run(cmd.Context(), func(rec *dataset.Record, o crscore.Outcome) error {
				rows.Reset()
				if err := f.writeRows(w, e, rec, o, &total); err != nil {
					return err
				}
				changes++
				return f.out.keep(cmd.Context(), dir, e, rec, o, rows.Bytes(), s)
			})
		},
		tell: func() error {
			warnTruncated(s, e)
			total.tell(s, changes)
			f.page = total.page()
			return nil
		},
	})
	if err != nil {
		return err
	}
	return lacking(s, f.out.dir, left, run.missing())
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
