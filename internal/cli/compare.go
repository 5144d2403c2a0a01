package cli

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"crscore/eval/compare"
	"crscore/eval/resample"
	"crscore/internal/dataset"
	"crscore/internal/lang"
	"crscore/internal/limits"
	"crscore/internal/run"
	"crscore/internal/rundir"
	"crscore/internal/stdio"
	"crscore/internal/system"
)

type compareFlags struct {
	reportFlags
	compare.Options
}

func compareCommand(s streams) *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare FILE...",
		Short: "Compare systems by the scores of their reviews",
		Long: `compare reads scores and sets the systems that wrote the reviews beside each other:
mean con, comp and rel of each, the differences between them, and which of them are
significant, for all changes and by language. A FILE holds the lines of crscore
score --data, other JSON Lines, CSV with a header (both packed or not), or Parquet;
it may be a run directory, or - for standard input. Fields or columns:

  ` + dataset.ScoreColumns + `

and lang, signature and status where they are known. Of the rows of crscore metrics,
--metric takes one metric; the lowest distance is the best. A review's id is its system.
The same system in two files is two, told apart by the files' names. Reviews without a
score are counted, and count nowhere else. Reviews called msg, which people wrote, are
compared like those of a system.

Means and differences are over the changes that every system has a score for;
--changes own takes those that each system has, or both of a pair have. Intervals are of
95%, by drawing changes as score does. p-values are of approximate randomisation: the
two scores of a change are exchanged by chance; they are corrected for their number.
Systems that share a letter are not shown to differ.

Exit codes: 0 done; 2 usage or bad input; 3 incomplete: a line is malformed.`,
		Example: `  crscore compare scores.jsonl
  crscore compare --baseline gpt3.5 --format latex scores.jsonl > table.tex
  crscore compare ours.jsonl theirs.jsonl --metric con --correction bh
  crscore compare run1 --html compare.html
  crscore compare run1 --figures figures
  crscore compare bleu.csv --changes own --format csv
  crscore compare metrics.jsonl --metric chrf`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error { return f.run(cmd, files, s) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.Metric, "metric", "",
		"what systems are ordered and tested by: rel (the default), con or comp, or one of the metrics of the files")
	fl.StringVar(&f.Baseline, "baseline", "", "compare all others with this `SYSTEM`, instead of each with each")
	choose(cmd, (*string)(&f.Correction), "correction", string(resample.Holm), "of p-values for their number: holm, bh (Benjamini-Hochberg) or none", resample.Corrections()...)
	choose(cmd, (*string)(&f.Over), "changes", string(compare.Common), "common: those that every system has a score for; own: those of each system, or of both of a pair", compare.ChangeSets()...)
	fl.BoolVar(&f.Mixed, "mixed", false, "compare scores of different signatures")
	f.addReport(cmd, "text, json, markdown, csv, latex or html", studyFormats()...)
	f.figures.add(fl)
	addDraws(cmd, &f.Bootstrap, "changes")
	fl.IntVar(&f.Flips.Draws, "flips", resample.DefaultFlips, "how often scores are exchanged for tests")
	between(cmd, "flips", resample.MinFlips, limits.Flips)
	complete(cmd, "metric", compare.Metrics()...)
	return cmd
}

// check returns what is wrong with the flags, before anything is read.
func (f *compareFlags) check(cmd *cobra.Command, files []string) error {
	f.Flips.Seed = f.Bootstrap.Seed
	if err := f.figures.check(); err != nil {
		return err
	}
	for i, a := range files {
		for _, b := range files[:i] {
			if sameFile(a, b) {
				return fmt.Errorf("%s is given twice", stdio.Name(a))
			}
		}
	}
	return nil
}

func sameFile(a, b string) bool {
	if a == "-" || b == "-" {
		return a == b
	}
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

func (f *compareFlags) run(cmd *cobra.Command, files []string, s streams) error {
	if err := f.check(cmd, files); err != nil {
		return err
	}
	in := compare.NewInput(fileNames(files), canonical)
	malformed := 0
	for i, file := range files {
		choice := dataset.Choice{Metric: f.Metric}
		if slices.Contains(compare.Metrics(), f.Metric) { // all three are compared
			choice.Metric = ""
		}
		n, err := eachScore(s, file, func(sc dataset.Score) error {
			sc, err := choice.Take(sc)
			if err != nil {
				return err
			}
			return in.Add(i, sc)
		})
		if err != nil {
			return fmt.Errorf("%s: %w", stdio.Name(file), err)
		}
		malformed += n
	}
	rep, err := compare.Study(cmd.Context(), in, f.Options)
	var mixed *compare.MixedError
	switch {
	case errors.As(err, &mixed):
		return fmt.Errorf("%w; --mixed compares them all the same", err)
	case errors.Is(err, compare.ErrNothing):
		return fmt.Errorf("%w (reviews: %d, malformed lines: %d); needed are: %s", err, in.Scores(), malformed, dataset.ScoreColumns)
	case err != nil:
		return err
	}
	for _, w := range rep.Warnings {
		s.log.Warn(w)
	}
	err = (&reportFlags{format: f.format}).printReport(s, &rep, rep.Page(f.format == "html"))
	drawn := rep.Page(true)
	if err := errors.Join(err, f.html.write(drawn), f.figures.write(s, drawn)); err != nil {
		return err
	}
	return joinMissing([]error{absent("malformed lines", malformed)})
}

// fileNames are short names of files: of those whose last parts are the same, the
// names as they were given.
func fileNames(files []string) []string {
	used := map[string]int{}
	for _, file := range files {
		used[filepath.Base(file)]++
	}
	names := make([]string, len(files))
	for i, file := range files {
		if names[i] = filepath.Base(file); used[names[i]] > 1 || names[i] == "." || names[i] == ".." {
			names[i] = file
		}
		names[i] = stdio.Name(names[i])
	}
	return names
}

// canonical is a language by the name that it has everywhere, or as it stands there.
func canonical(name string) string {
	if l, ok := lang.Lookup(name); ok {
		return string(l)
	}
	return name
}

// eachScore hands on the scores of a file, and returns the number of its malformed lines: a
// *dataset.LineError of use is one.
func eachScore(s streams, file string, use func(dataset.Score) error) (malformed int, err error) {
	text, err := openScores(file, s.in)
	if err != nil {
		return 0, err
	}
	defer text.Close()
	reader := dataset.NewScoreReader(run.Source(file, text))
	reader.KeepNothing() // scores that occur twice are no matter of the reader
	return reader.Each(use, sayMalformed(s, file))
}

// sayMalformed says that a line of a file of scores is left out.
func sayMalformed(s streams, file string) func(*dataset.LineError) {
	return func(bad *dataset.LineError) {
		s.log.SayOfKind(slog.LevelError, run.MalformedLines, fmt.Sprintf("%s: %v; %s", stdio.Name(file), bad, run.LeftOutLine(bad)))
	}
}

// openScores opens a file of scores, or the scores of a run directory.
func openScores(name string, stdin *stdio.Input) (io.ReadCloser, error) {
	if !system.IsFolder(name) {
		return stdin.Open(name)
	}
	run, err := rundir.OpenParts(name)
	if err != nil {
		return nil, err
	}
	return &runScores{run: run}, nil
}

// runScores reads the scores of a run directory, change by change, so that they are
// checked against its journal.
type runScores struct {
	run  *rundir.Parts
	rest []byte
}

// Read reads the lines.
func (r *runScores) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		c, err := r.run.Next()
		if err != nil {
			return 0, err
		}
		r.rest = c.Rows
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Close closes the directory.
func (r *runScores) Close() error { return r.run.Close() }
