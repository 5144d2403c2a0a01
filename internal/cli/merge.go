package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"crscore/internal/run"
	"crscore/internal/rundir"
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
goes on where it was.
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
			parts, err := rundir.OpenParts(dirs...)
			if err != nil {
				return err
			}
			defer parts.Close()
			m := run.Merge{
				Parts: parts, Terminal: s, Totals: run.KeptTotals(parts.Manifest()),
				Dir: out, Lines: s.out, Format: format, Several: len(dirs) > 1,
			}
			rows, err := s.rows(format, m.Totals.Columns())
			if err != nil {
				return err
			}
			if format != jsonl {
				m.Rows = rows
			}
			return m.Do(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "make a run `DIRECTORY` of the whole run instead of printing its lines")
	cmd.Flags().StringVar(&format, "format", jsonl, "`FORMAT` of the scores: text, json, jsonl, csv or parquet")
	complete(cmd, "format", "text", "json", jsonl, "csv", "parquet")
	return cmd
}
