package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"crscore/eval/bench"
	"crscore/internal/git"
	"crscore/internal/limits"
	"crscore/internal/report"
	"crscore/internal/run"
	"crscore/internal/stdio"
	"crscore/internal/system"
)

// The values of --per.
const (
	perPull = "pull"
	perFile = "file"
)

type benchDatasetFlags struct {
	in          benchFlags // --truth, --invalid and --comments, as bench reads them
	clones, per string
}

func benchDataset(s streams) *cobra.Command {
	var f benchDatasetFlags
	cmd := &cobra.Command{
		Use:   "dataset",
		Short: "Make the dataset of a benchmark with diffs from local clones",
		Long: `dataset writes the pull requests of a benchmark as a dataset in JSON Lines. AACR-Bench has
no diffs; they come from clones in the folder --clones, named OWNER/NAME, OWNER__NAME or
NAME, each also with .git at its end. A diff leads from the merge base of source_commit
and target_commit to target_commit, as git diff -M shows it.

--per pull writes a row for each pull request: its valid comments together are the human
reference, called msg, and the comments of each --comments NAME=PATH a review of NAME.
--per file writes a row for each file with judged comments, with its old and new text.
Each comment is a review, valid-1 and so on, and those of --invalid are invalid-1 and so
on; "valid" says which it is, and crscore agree compares scores with it.

Nothing is fetched, and nothing that a clone configures is run. A pull request without a
clone, or whose commits or merge base a clone lacks, gets no row, and standard error says
why.

Exit codes: 0 done; 2 usage or bad input; 3 incomplete: a pull request has no row, or a
file of a system could not be read.`,
		Example: `  git clone https://github.com/acme/shop clones/acme/shop
  crscore bench dataset --truth positive_samples.json --clones clones > aacr.jsonl
  crscore bench dataset --truth truth.json --clones clones --comments mine=reviews/ > mine.jsonl
  crscore bench dataset --truth t.json --invalid i.json --clones clones --per file > files.jsonl
  crscore agree --data files.jsonl`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, s) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.in.truth, "truth", "",
		"the valid comments: a JSON `FILE` of AACR-Bench, packed or not, or - for standard input")
	fl.StringVar(&f.in.invalid, "invalid", "", "the comments judged wrong, for --per file: a `FILE` like that of --truth")
	fl.StringVar(&f.clones, "clones", "", "`FOLDER` of git clones")
	choose(cmd, &f.per, "per", perPull, "a row for each pull (request) or each file with judged comments", perPull, perFile)
	fl.StringArrayVar(&f.in.comments, "comments", nil,
		"a system, for --per pull: `NAME=PATH` of a folder or file with its comments; may be repeated")
	addCommentsFormat(cmd, &f.in.from)
	return cmd
}

// check returns what is wrong with the flags, before anything is read.
func (f *benchDatasetFlags) check(cmd *cobra.Command) error {
	if err := oneStdin(f.in.truth, f.in.invalid); err != nil {
		return err
	}
	switch {
	case f.in.truth == "":
		return errors.New("no pull requests: give --truth FILE")
	case f.clones == "":
		return errors.New("no diffs: give --clones FOLDER")
	case !system.IsFolder(f.clones):
		return fmt.Errorf("--clones: %s is not a folder", f.clones)
	case f.per == perPull && f.in.invalid != "":
		return errors.New("--invalid needs --per file: rows of pull requests have no labels")
	case f.per == perFile && len(f.in.comments) > 0:
		return errors.New("--comments needs --per pull: rows of files have judged comments alone")
	}
	if _, err := exec.LookPath("git"); err != nil {
		return errors.New("git is not installed: clones cannot be read")
	}
	return nil
}

func (f *benchDatasetFlags) run(cmd *cobra.Command, s streams) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	pulls, systems, err := f.read(s)
	if err != nil {
		return err
	}
	paths := make([]string, len(pulls)) // of the clones
	for i, p := range pulls {
		if paths[i], err = git.ClonePath(f.clones, p.Repo); err != nil {
			return fmt.Errorf("--clones: %w", err)
		}
	}
	if !slices.ContainsFunc(paths, func(path string) bool { return path != "" }) {
		return fmt.Errorf("--clones: %s has no clone of any repository; those of %s could be called %s", f.clones, pulls[0].Repo,
			strings.Join(git.CloneNames(pulls[0].Repo), ", "))
	}
	bar := s.progress("reading clones", "pull requests", int64(len(pulls)), true)
	defer bar.End()
	missing, broken, warned := 0, 0, map[string]bool{}
	for i := range pulls {
		p := &pulls[i]
		bar.Begin()
		rows, warnings, err := f.rows(cmd.Context(), p, paths[i], systems)
		if err := cmd.Context().Err(); err != nil {
			return run.Incomplete{Err: run.Printed{Err: err}}
		}
		if err != nil {
			missing++
			s.log.Fail(fmt.Sprintf("%s: no row: %v", p.ID, err))
		}
		for _, w := range warnings {
			if !warned[w] {
				s.log.Warn(w)
			}
			warned[w] = true
		}
		var text bytes.Buffer
		for _, row := range rows {
			if err := report.JSON(&text, row, ""); err != nil {
				return err
			}
		}
		if err := s.print(jsonl, text.Bytes()); err != nil {
			return err
		}
		bar.Step(1)
		bar.Finish()
	}
	for _, sys := range systems {
		broken += len(sys.Broken)
	}
	if missing+broken > 0 {
		return run.Incomplete{Err: fmt.Errorf("incomplete: pull requests without a row: %d of %d, files that could not be read: %d",
			missing, len(pulls), broken)}
	}
	return nil
}

// read reads --truth, --invalid and --comments.
func (f *benchDatasetFlags) read(s streams) (pulls []bench.PullRequest, systems []*bench.System, err error) {
	var files [2]*bench.File
	for i, name := range []string{f.in.truth, f.in.invalid} {
		if name == "" {
			files[i] = &bench.File{}
			continue
		}
		text, err := s.in.ReadFile(name, limits.BenchBytes)
		if err == nil {
			files[i], err = bench.ReadTruth(text)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", stdio.Name(name), err)
		}
		for _, w := range files[i].Warnings {
			s.log.Warn(stdio.Name(name) + ": " + w)
		}
	}
	if len(f.in.comments) > 0 {
		systems, err = f.in.systems(bench.New(files[0], nil), s)
	}
	for _, sys := range systems {
		for _, w := range sys.Warnings() {
			s.log.Warn(w)
		}
		if n := len(files[0].Pulls) - len(sys.Answers); n > 0 {
			s.log.Warn(fmt.Sprintf("%s: pull requests without an answer: %d of %d; their rows have no review of it",
				sys.Name, n, len(files[0].Pulls)))
		}
	}
	return bench.Join(files[0], files[1]), systems, err
}

// rows makes the rows of a pull request from the clone at a path, which is empty for none.
func (f *benchDatasetFlags) rows(
	ctx context.Context, p *bench.PullRequest, path string, systems []*bench.System,
) (rows []bench.Row, warnings []string, err error) {
	if path == "" {
		return nil, nil, fmt.Errorf("no clone of %s in %s", p.Repo, f.clones)
	}
	ctx, cancel := context.WithTimeout(ctx, git.Timeout)
	defer cancel()
	r, err := git.OpenClone(ctx, path)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	if other, err := r.OtherRemote(ctx, p.Repo); err == nil && other != "" {
		warnings = append(warnings, fmt.Sprintf("%s is taken for a clone of %s, but its remote is %s", path, p.Repo, other))
	}
	d, err := r.Pull(ctx, p.Source, p.Target)
	if err != nil {
		return nil, warnings, fmt.Errorf("%s: %w", path, err)
	}
	if f.per == perPull {
		rows = []bench.Row{p.PullRow(d.Base, string(d.Text), d.Change, systems)}
	} else {
		old, err := r.Blobs(ctx, d.Change)
		if err != nil {
			return nil, warnings, fmt.Errorf("%s: asking git for the old texts: %w", path, err)
		}
		var more []string
		rows, more = p.FileRows(d.Base, string(d.Text), git.OldTexts(old))
		d.Warnings = append(d.Warnings, more...)
	}
	for _, w := range d.Warnings {
		warnings = append(warnings, p.ID+": "+w)
	}
	if len(rows) == 0 {
		err = errors.New("no judged comment is on a file with lines in the diff")
	}
	return rows, warnings, err
}
