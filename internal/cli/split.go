package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"crscore/internal/dataset"
	"crscore/internal/limits"
	"crscore/internal/run"
	"crscore/internal/setup"
	"crscore/internal/spelling"
	"crscore/internal/split"
	"crscore/internal/stdio"
)

func splitCommand(s streams) *cobra.Command {
	var data, out string
	var shards int
	cmd := &cobra.Command{
		Use:   "split",
		Short: "Cut a dataset into parts, for runs that each read one of them",
		Long: fmt.Sprintf(`split cuts a dataset in JSON Lines into parts of about equal size: whole lines, in
their order, packed. The parts and their description, %s, go to a new directory.
crscore score --data DIRECTORY --shard I/N reads part I, where it would read the whole
file otherwise; crscore merge puts the runs together, with the bytes of a run that was
not split. There are always N parts: of fewer lines, the last are empty.

Each part is a dataset of its own too, which every command reads.

Exit codes: 0 done, also where the directory has these parts already; 2 usage or bad
input; 3 interrupted, the disk is full, or another process cuts into the directory.`, split.ManifestName),
		Example: `  crscore split --data reviews.jsonl.gz --shards 8 --out parts
  crscore score --data parts --shard 3/8 --out run3`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case data == "":
				return errors.New("nothing to split: give --data FILE")
			case out == "":
				return errors.New("give --out DIRECTORY, a new one for the parts")
			case !cmd.Flags().Changed("shards"):
				return errors.New("give --shards N, the number of parts")
			}
			if err := checkFolder("out", out); err != nil {
				return err
			}
			return splitData(cmd.Context(), s, data, shards, out)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&data, "data", "", "dataset in JSON Lines, packed or not: a `FILE`, which is read twice")
	fl.IntVar(&shards, "shards", 0, fmt.Sprintf("the number of parts: `N` from 1 to %d", limits.Parts))
	between(cmd, "shards", 1, limits.Parts)
	fl.StringVar(&out, "out", "", "the `DIRECTORY` of the parts, which must be new or empty")
	return cmd
}

// splitData cuts a dataset into a directory.
func splitData(ctx context.Context, s streams, data string, shards int, out string) (err error) {
	from := run.Dataset{Name: data, Terminal: s}
	if data == "-" {
		return fmt.Errorf("%s: split reads a dataset twice: give the name of a file", stdio.Name(data))
	}
	in, length, err := from.Open()
	if err != nil {
		return err
	}
	if err := in.Close(); err != nil {
		return err
	}
	if !run.Regular(data) {
		return fmt.Errorf("%s is not a regular file, and split reads a dataset twice", data)
	}
	bar := s.progress("splitting", "", 2*length, false)
	defer bar.End()
	bar.Begin()
	var open setup.Closers
	defer func() { err = errors.Join(err, open.Close()) }()
	m, made, err := split.Cut(ctx, split.Source{Name: data, Open: func() (io.Reader, error) {
		in, _, err := from.Open()
		if err != nil {
			return nil, err
		}
		open = append(open, in)
		src := run.Source(data, in)
		src.Text = bar.Reader(in)
		text, err := dataset.OpenText(src)
		if err != nil {
			return nil, fmt.Errorf("%w: split cuts JSON Lines alone; crscore score --data %s --shard 1/%d reads its part of every format", err, data, shards)
		}
		return text, nil
	}}, shards, out)
	if err != nil {
		return run.Stopped(fmt.Errorf("%s: %w", data, err))
	}
	if !made {
		s.log.Note(fmt.Sprintf("%s has these %d parts of %s already", out, shards, m.Name))
		return nil
	}
	smallest, largest, empty := m.Parts[0].Bytes, int64(0), 0
	for _, p := range m.Parts {
		smallest, largest = min(smallest, p.Bytes), max(largest, p.Bytes)
		if p.Lines == 0 {
			empty++
		}
	}
	s.log.Note(spelling.Count("%d lines, %s; parts: %d, of %s to %s; %s", m.Lines, spelling.Bytes(m.Bytes), shards, spelling.Bytes(smallest), spelling.Bytes(largest), filepath.Join(out, split.ManifestName)))
	if empty > 0 {
		s.log.Warn(fmt.Sprintf("there are more parts than lines: empty parts: %d", empty))
	}
	return nil
}
