package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"crscore/internal/rundir"
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

// check refuses a shard without a directory.
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
