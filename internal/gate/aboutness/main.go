// Command aboutness measures how well gate tells comments about a hunk from other comments, and
// makes the model behind it:
//
//	go run ./internal/gate/aboutness --aacr DIR --dev dev.jsonl --clearcrc dev.jsonl.gz
//	go run ./internal/gate/aboutness --aacr DIR --dev dev.jsonl --corpus DIR --fit sts/aboutness
//
// The first folder has AACR-Bench (positive_samples.json.gz, negative_samples.json.gz) and the
// diffs of its pull requests (changes.jsonl.gz, JSON Lines with url and diff); the corpus has
// commits (*.jsonl.gz, JSON Lines with the changed lines as diff). A comment stands at its own
// place, and is put at hunks of other code, too: the shares that gate drops of both are the
// measure. docs/bots.md has the tables, and a test keeps them true.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"crscore"
	"crscore/eval/resample"
	"crscore/internal/comments"
	"crscore/internal/gate"
	"crscore/sts/aboutness"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "aboutness:", err)
		os.Exit(1)
	}
}

// The remarks of our own. Those apart had no part in making the model.
var (
	//go:embed testdata/remarks.tsv
	seenRemarks string
	//go:embed testdata/remarks_apart.tsv
	apartRemarks string
	// Short comments on code that name none of it.
	//go:embed testdata/comments.txt
	shortComments string
)

// textsOf are the texts of a table of kinds and remarks.
func textsOf(table string) (out []string) {
	for line := range strings.Lines(table) {
		_, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		out = append(out, text)
	}
	return out
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("aboutness", flag.ContinueOnError)
	aacr := flags.String("aacr", "", "a `folder` with AACR-Bench and the diffs of its pull requests")
	dev := flags.String("dev", "", "changes with rated reviews, a `file` in JSON Lines")
	clear := flags.String("clearcrc", "", "comments with labels of relevance, a `file` of ClearCRC")
	corpus := flags.String("corpus", "", "a `folder` with commits")
	fit := flags.String("fit", "", "write the model to a `folder` instead of measuring")
	resamples := flags.Int("resamples", resample.DefaultResamples, "draws of pull requests for the intervals")
	show := flags.String("show", "", "list the comments of a `group` with their verdicts")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *aacr == "" || flags.NArg() > 0 || (*fit == "") != (*corpus == "") {
		return errors.New("usage: aboutness --aacr DIR [--dev FILE] [--clearcrc FILE] [--resamples N] [--show GROUP] [--corpus DIR --fit DIR]")
	}
	s := &study{}
	seen, apart := textsOf(seenRemarks), textsOf(apartRemarks)
	files, err := s.readAACR(*aacr, seen, apart)
	if err != nil {
		return err
	}
	for _, name := range []string{*dev, *clear} {
		if name == "" {
			continue
		}
		if err := s.readLabelled(name); err != nil {
			return err
		}
	}
	if *fit != "" {
		return s.fit(ctx, *corpus, *fit, seen, append(s.counters(files[:]), strings.Split(strings.TrimSpace(shortComments), "\n")...))
	}
	if err := s.judge(ctx, nil); err != nil {
		return err
	}
	if *show != "" {
		for _, c := range s.comments {
			if c.group == *show || *show == "all" {
				fmt.Fprintf(out, "%s\t%s\t%.2f\t%.2f\t%v\t%s\t%q\t%.4f\t%.4f\t%s\t%v\n", c.group, c.topic, c.z, c.con, c.label, c.why, c.text, c.l, c.e, c.source, c.absent)
			}
		}
		return nil
	}
	return s.report(ctx, out, resample.Bootstrap{Resamples: *resamples, Seed: seed})
}

// judge has gate judge the comments. A comment without a score has no topic.
func (s *study) judge(ctx context.Context, m *aboutness.Model) error {
	e, err := crscore.New(ctx, crscore.Options{})
	if err != nil {
		return err
	}
	defer e.Close()
	by := make([][]int, len(s.changes))
	for i, c := range s.comments {
		by[c.change] = append(by[c.change], i)
	}
	for n, list := range by {
		if len(list) == 0 {
			continue
		}
		at := make([]comments.Comment, len(list))
		for k, i := range list {
			at[k] = s.comments[i].at
		}
		d, err := gate.Judge(ctx, e, crscore.Input{Change: s.changes[n]}, at, gate.Policy{Model: m})
		if err != nil {
			return err
		}
		for k, i := range list {
			if v, c := &d.Comments[k], &s.comments[i]; v.Z != nil {
				c.con, c.z, c.l, c.e, c.topic, c.why = *v.Con, *v.Z, v.Evidence.L, v.Evidence.E, v.Topic, v.Why
				c.absent = float64(v.Evidence.Absent)
			}
		}
	}
	return nil
}
