package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"crscore"
	"crscore/eval/bench/match"
	"crscore/eval/perturb/consistency"
	"crscore/eval/perturb/stability"
	"crscore/internal/comments"
	"crscore/internal/dataset"
	"crscore/internal/limits"
	"crscore/internal/run"
	"crscore/internal/stdio"
	"crscore/internal/system"
	"crscore/internal/terminal"
)

type perturbCompareFlags struct {
	data, from string
	reportFlags
	matcherFlags
	options consistency.Options
	score   bool
}

func perturbCompare(s streams) *cobra.Command {
	var f perturbCompareFlags
	cmd := &cobra.Command{
		Use:   "compare BEFORE AFTER",
		Short: "Count a bot's comments that stay when the code changes its form",
		Long: `compare matches the comments of a review bot on changes with its comments on their variants,
one to one: kept, lost and new, by perturbation, and by where the code was rewritten: above
the comment, in its lines, or below it. Places are carried through the rewriting, and names
of variables too. A variant of p0 is the same code: what is lost there is the bot's noise.

--score scores the comments too, all on a change as one review: con, comp and rel of those on
the change and of those on its variant, with the defaults of crscore score.

--data has the variants, as crscore perturb --out writes them. BEFORE and AFTER are folders
with a file for each change and each variant, named after its id with an ending such as
.json: 7988.json or 7988#p0.1.json, and 7988#p8.1.json (a slash in an id becomes _); or
files in JSON Lines with {"id": …, "comments": …}. Formats are those of crscore gate.

Exit codes: 0 done; 2 usage or bad input; 3 incomplete: a variant has no comments on both
sides, a pair has no verdict, or a review no score.`,
		Example: `  crscore perturb --data reviews.jsonl --out variants.jsonl
  crscore perturb compare --data variants.jsonl before/ after/
  crscore perturb compare --data variants.jsonl before.jsonl after.jsonl --score --format json`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, s, args) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.data, "data", "", "the variants: a `FILE` of crscore perturb --out")
	addCommentsFormat(cmd, &f.from)
	addLines(cmd, &f.options.Lines)
	f.matcherFlags.add(cmd, true)
	fl.BoolVar(&f.score, "score", false, "score the comments on each change and on its variant, with the defaults of crscore score")
	f.addReport(cmd, strings.Join(studyFormats(), ", "), studyFormats()...)
	addDraws(cmd, &f.options.Bootstrap, "changes")
	return cmd
}

func (f *perturbCompareFlags) check(cmd *cobra.Command) error {
	switch {
	case f.data == "":
		return errors.New("no variants: give --data FILE of crscore perturb --out")
	}
	return f.matcherFlags.check(cmd)
}

func (f *perturbCompareFlags) run(cmd *cobra.Command, s streams, args []string) (err error) {
	if err := f.check(cmd); err != nil {
		return err
	}
	var sides [2]map[string][]comments.Comment
	for i, name := range args {
		if sides[i], err = f.comments(name, s); err != nil {
			return fmt.Errorf("%s: %w", stdio.Name(name), err)
		}
	}
	m, end, err := f.open(cmd, func(t match.Thetas) float64 { return t.Placed })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	f.options.Matcher = m
	signature := "crscore/" + crscore.Version
	if f.score {
		e, err := crscore.New(cmd.Context(), crscore.Options{OnPanic: terminal.LogOf(cmd).Panicked})
		if err != nil {
			return err
		}
		defer e.Close()
		f.options.Scorer, signature = &consistency.Scorer{Engine: e}, e.Signature()
	}
	outcomes, without, err := f.compare(cmd.Context(), s, sides)
	if err != nil {
		return err
	}
	rep, err := consistency.Summarize(cmd.Context(), outcomes, without, f.options)
	if err != nil {
		return err
	}
	rep.Signature = signature + " " + rep.Signature
	if err := f.printReport(s, rep, rep.Page()); err != nil {
		return err
	}
	undecided, unscored := 0, 0
	for _, o := range outcomes {
		undecided += o.Undecided
	}
	for _, p := range rep.Scores {
		unscored += p.Unscored
	}
	return joinMissing([]error{absent("variants without comments on both sides", without), absent("pairs without a verdict", undecided),
		absent("variants without both scores", unscored)})
}

// compare compares the comments on each variant. Variants of a change follow its row p0.
func (f *perturbCompareFlags) compare(
	ctx context.Context, s streams, sides [2]map[string][]comments.Comment,
) (all []*consistency.Outcome, missing int, err error) {
	var original *dataset.Record
	data := run.Dataset{Name: f.data, Terminal: s}
	err = data.Stream("comparing", func(next func() (*dataset.Record, error), finish func()) error {
		for {
			rec, err := next()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			finish()
			of, p, seed, ok := stability.SplitID(rec.ID)
			switch {
			case !ok:
				return fmt.Errorf("%s: %q is no id of a variant, such as 7988#p8.1: give a file of crscore perturb --out", rec.Where(), rec.ID)
			case p == "p0":
				original = rec
			}
			before, known := sides[0][consistency.FileID(of)]
			if !known {
				before, known = sides[0][consistency.FileID(of+"#p0."+seed)]
			}
			after, answered := sides[1][consistency.FileID(rec.ID)]
			if !known || !answered {
				if p != "p0" {
					missing++
				}
				continue
			}
			if original == nil || original.ID != of+"#p0."+seed {
				return fmt.Errorf("%s: the row p0 of %s does not stand before %s: give a file of crscore perturb --out", rec.Where(), of, rec.ID)
			}
			v, err := consistency.Repeat(ctx, original, rec)
			if err != nil {
				return fmt.Errorf("%s: %w", rec.Where(), err)
			}
			o, err := consistency.Compare(ctx, v, before, after, f.options)
			if err == nil && f.score {
				o.Scores, err = f.options.Scorer.Score(ctx, original, rec, before, after)
			}
			if err != nil {
				return err
			}
			all = append(all, o)
		}
	})
	return all, missing, err
}

// comments reads a folder or a file of comments, by the id of the change.
func (f *perturbCompareFlags) comments(name string, s streams) (map[string][]comments.Comment, error) {
	if !system.IsFolder(name) {
		in, err := s.in.Open(name)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		return consistency.ReadLines(in, comments.Format(f.from))
	}
	out := map[string][]comments.Comment{}
	files, err := commentFiles(name)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := s.in.ReadFile(file, limits.BenchBytes)
		if err != nil {
			return nil, err
		}
		read, err := comments.Read(text, comments.Format(f.from))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		base := filepath.Base(file)
		id := strings.TrimSuffix(base, filepath.Ext(base))
		if _, p, _, ok := stability.SplitID(base); ok && p != "" { // 7988#p8.1 without an ending
			id = base
		}
		if _, twice := out[id]; twice {
			return nil, fmt.Errorf("%s: two files are of %s", file, id)
		}
		out[id] = read.Comments
	}
	return out, nil
}
