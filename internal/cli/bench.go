package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"crscore/eval/bench"
	"crscore/eval/bench/match"
	"crscore/eval/judge"
	"crscore/internal/comments"
	"crscore/internal/limits"
	"crscore/internal/report"
	"crscore/internal/run"
	"crscore/internal/stdio"
	"crscore/internal/system"
)

type benchFlags struct {
	truth, invalid, data, from string
	comments                   []string
	by                         []string
	sample                     int
	reportFlags
	matcherFlags
	bench.Options
}

func benchCommand(s streams) *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Count how many known problems reviewers find (AACR-Bench)",
		Long: `bench holds the comments of review systems against comments that people judged, such as
those of AACR-Bench: precision, recall and F1, by place alone ("line") and by place and
meaning, summed over all pull requests, with 95% intervals.

--truth has the valid comments, --invalid those judged wrong: JSON arrays of AACR-Bench.
Each --comments NAME=PATH is a system: a folder with a file for each pull request, or a
file. A file is named after its pull request: owner__name@ and seven digits of the commit
that was annotated, or comments_REPO_NUMBER.txt. Formats are those of crscore gate and
both of AACR-Bench, whose JSON may hold many pull requests.

A comment meets a reference in the same file, on the same side and at most --lines lines
away; --matcher says whether both mean the same. A comment that matches no reference is
not wrong: it is unknown. A pull request without a file counts as missed.

A model as the matcher is on an Ollama server ($OLLAMA_HOST) or on a server with OpenAI's API
($OPENAI_BASE_URL, $OPENAI_API_KEY), or on several: addresses joined by commas. The comments
are sent there; answers are cached.

Exit codes: 0 done; 2 usage or bad input; 3 incomplete: a file of a system could not be
read, or a pair has no verdict.`,
		Example: `  crscore bench --truth positive_samples.json --comments mine=reviews/
  crscore bench --truth truth.json.gz --invalid invalid.json.gz --comments a=a/ --comments b=b.json
  crscore bench --truth truth.json --comments a=a/ --sample 20 --seed 1 --by lang,origin
  crscore bench --truth truth.json --comments a=a/ --matcher ollama:qwen2.5-coder --tiers=false
  crscore bench --truth truth.json --comments a=a/ --matcher lines --assign upstream --missing skip
  crscore bench --truth truth.json --comments a=a/ --data changes.jsonl --html a.html
  crscore bench --truth truth.json --comments a=a/ --comments b=b/ --format scores > scores.jsonl`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, s) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.truth, "truth", "",
		"the valid comments: a JSON `FILE` of AACR-Bench, packed or not, or - for standard input")
	fl.StringVar(&f.invalid, "invalid", "", "the comments judged wrong: a `FILE` like that of --truth")
	fl.StringArrayVar(&f.comments, "comments", nil,
		"a system: `NAME=PATH` of a folder or file with its comments; may be repeated")
	addCommentsFormat(cmd, &f.from)
	fl.StringVar(&f.data, "data", "",
		"diffs, for the code beside comments: a `FILE` of JSON Lines with id or url, and diff")
	f.matcherFlags.add(cmd, true)
	addLines(cmd, &f.Lines)
	choose(cmd, (*string)(&f.Assign), "assign", string(bench.Best),
		"best: most matches, one to one; upstream: in the order of AACR-Bench's runner, with its rounding", string(bench.Best), string(bench.Upstream))
	choose(cmd, (*string)(&f.Missing), "missing", string(bench.CountMissed),
		"pull requests without a file: missed, or skip to leave them out", string(bench.CountMissed), string(bench.Skip))
	fl.StringSliceVar(&f.by, "by", []string{"lang", "category", "context", "origin"},
		"`PARTS` of the references: some of "+strings.Join(bench.Parts(), ", ")+", or none")
	fl.BoolVar(&f.Tiers, "tiers", true,
		"count matches at other distances too; the matcher then judges all pairs of a file")
	fl.BoolVar(&f.Raw, "raw", false, rawUsage)
	fl.IntVar(&f.sample, "sample", 0, "take `N` pull requests, of each language its share, drawn by --seed")
	fl.BoolVar(&f.Explain, "explain", false, "list missed references and unmatched comments (html always does)")
	f.addReport(cmd, strings.Join(studyFormats("scores"), ", ")+" (rows for crscore compare)", studyFormats("scores")...)
	addDraws(cmd, &f.Bootstrap, "pull requests")
	complete(cmd, "by", append(bench.Parts(), "none")...)
	cmd.AddCommand(benchDataset(s), benchMatcher(s))
	return cmd
}

// check returns what is wrong with the flags, before anything is read.
func (f *benchFlags) check(cmd *cobra.Command) error {
	if err := oneStdin(f.truth, f.invalid, f.data); err != nil {
		return err
	}
	f.By = f.by
	if slices.Equal(f.by, []string{"none"}) {
		f.By = nil
	}
	switch {
	case f.truth == "":
		return errors.New("nothing to compare with: give --truth FILE")
	case len(f.comments) == 0:
		return errors.New("no system: give --comments NAME=PATH")
	case cmd.Flags().Changed("sample") && f.sample < 1:
		return fmt.Errorf("--sample is %d, but must be at least 1", f.sample)
	}
	return f.matcherFlags.check(cmd)
}

func (f *benchFlags) run(cmd *cobra.Command, s streams) (err error) {
	if err := f.check(cmd); err != nil {
		return err
	}
	b, err := f.benchmark(s)
	if err != nil {
		return err
	}
	systems, err := f.systems(b, s)
	if err != nil {
		return err
	}
	if f.sample > 0 {
		if err := b.Sample(f.sample, f.Bootstrap.Seed); err != nil {
			return fmt.Errorf("--sample: %w", err)
		}
	}
	// A comment without lines has the threshold of the others: leaving lines out must not pay.
	m, end, err := f.open(cmd, func(t match.Thetas) float64 { return t.Placed })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	f.Matcher = m
	asked := f.Explain || f.format == "html"
	f.Explain = asked || f.html.String() != ""
	rep, err := bench.Study(cmd.Context(), b, systems, f.Options)
	if err != nil {
		return err
	}
	for _, w := range rep.Warnings {
		s.log.Warn(w)
	}
	page := rep.Page()
	if !asked {
		rep.Cases = nil
	}
	if err := errors.Join(f.print(s, rep), f.html.write(page)); err != nil {
		return err
	}
	broken, undecided := 0, 0
	for _, sys := range rep.Systems {
		if f.model() && judge.Resemble(sys.Name, f.asking.model) {
			s.log.Warn(fmt.Sprintf("%s may prefer its own words: the system %s has a name like the matcher's",
				f.asking.model, report.Plain(sys.Name)))
		}
		broken, undecided = broken+sys.Unreadable, undecided+sys.Undecided
	}
	if broken+undecided > 0 {
		return run.Incomplete{Err: fmt.Errorf("incomplete: files that could not be read: %d, pairs without a verdict: %d",
			broken, undecided)}
	}
	return nil
}

// benchmark reads --truth, --invalid and --data.
func (f *benchFlags) benchmark(s streams) (b *bench.Benchmark, err error) {
	var truth, invalid *bench.File
	var diffs *bench.Diffs
	for _, in := range []struct {
		name string
		read func(text []byte) error
	}{
		{f.truth, func(text []byte) error { truth, err = bench.ReadTruth(text); return err }},
		{f.invalid, func(text []byte) error { invalid, err = bench.ReadTruth(text); return err }},
		{f.data, func(text []byte) error { diffs, err = bench.ReadDiffs(bench.New(truth, nil), text); return err }},
	} {
		if in.name == "" {
			continue
		}
		text, err := s.in.ReadFile(in.name, limits.BenchBytes)
		if err == nil {
			err = in.read(text)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", stdio.Name(in.name), err)
		}
	}
	if diffs != nil {
		f.Code = diffs.Code
		for _, w := range diffs.Warnings {
			s.log.Warn(stdio.Name(f.data) + ": " + w)
		}
	}
	b = bench.New(truth, invalid)
	b.Diffs = diffs
	return b, nil
}

// systems reads --comments.
func (f *benchFlags) systems(b *bench.Benchmark, s streams) ([]*bench.System, error) {
	var out []*bench.System
	for _, value := range f.comments {
		name, from, ok := strings.Cut(value, "=")
		switch {
		case !ok || name == "" || from == "":
			return nil, fmt.Errorf("--comments is %q, not NAME=PATH", value)
		case slices.ContainsFunc(out, func(o *bench.System) bool { return o.Name == name }):
			return nil, fmt.Errorf("--comments: two systems are called %q: give one of them another name", name)
		}
		files := []string{from}
		if system.IsFolder(from) {
			var err error
			if files, err = commentFiles(from); err != nil {
				return nil, fmt.Errorf("--comments %s: %w", name, err)
			}
		}
		sys := &bench.System{Name: name}
		for _, file := range files {
			text, err := s.in.ReadFile(file, limits.BenchBytes)
			if err != nil {
				return nil, fmt.Errorf("--comments %s: %w", name, err)
			}
			sys.Add(b, file, text, comments.Format(f.from))
		}
		for _, err := range sys.Broken {
			s.log.Fail(fmt.Sprintf("%s: %v; its comments are left out", name, err))
		}
		if len(sys.Answers) == 0 && len(sys.Broken) == 0 {
			return nil, fmt.Errorf("--comments %s: no file of %s is of a pull request of the truth (the first: %s); "+
				"files are named like %s.json or comments_REPO_NUMBER.txt", name, from, filepath.Base(files[0]), b.Pulls[0].ID)
		}
		out = append(out, sys)
	}
	return out, nil
}

// commentFiles lists the files of a folder. Folders in it and hidden files are no comments.
func commentFiles(folder string) ([]string, error) {
	list, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range list {
		if path := filepath.Join(folder, e.Name()); !system.IsFolder(path) && !strings.HasPrefix(e.Name(), ".") {
			out = append(out, path)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("the folder %s has no files", folder)
	}
	return out, nil
}

func (f *benchFlags) print(s streams, rep *bench.Report) error {
	if f.format != "scores" {
		return (&reportFlags{format: f.format}).printReport(s, rep, rep.Page())
	}
	var b bytes.Buffer
	for _, row := range rep.Rows() {
		if err := report.JSON(&b, row, ""); err != nil {
			return err
		}
	}
	return s.print(jsonl, b.Bytes())
}
