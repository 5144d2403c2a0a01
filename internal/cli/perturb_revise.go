package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"crscore"
	"crscore/eval/resample"
	"crscore/eval/revision"
	"crscore/internal/dataset"
	"crscore/internal/ordered"
	"crscore/internal/report"
	"crscore/internal/run"
	"crscore/internal/stdio"
)

type reviseFlags struct {
	data, compat, instances string
	reportFlags
	workers   int
	bootstrap resample.Bootstrap
}

func perturbRevise(s streams) *cobra.Command {
	var f reviseFlags
	cmd := &cobra.Command{
		Use:   "revise",
		Short: "Measure tools that revise code, on code in several forms",
		Long: `revise compares the answers of tools that revise code with the revisions that people made:
exact match (EXM), edit match (EM), relative excess of edits (REE), BLEU-4 and CodeBLEU.
For each perturbation, such as other names, it tells how many of the instances that a tool
solved before it no longer solves: ΔEXM and ΔEM in percent, with 95% intervals. The
measures are those of "Consistent or Sensitive?" (Pirouzkhah et al. 2026).

--data has a row a line, with the fields
  ` + strings.ReplaceAll(dataset.RevisionFields, "; tool", ";\n  tool") + `.
A row without perturbation is an original. Languages: java, python, javascript,
typescript, tsx, go.

The best answer of a row counts. --compat spp counts as the paper's program does, with its
faults (docs/revision.md). --format jsonl prints the numbers of each row instead.

Exit codes: 0 done; 2 usage or bad input; 3 incomplete: a row is unscored or has no
scored original, or a line is malformed.`,
		Example: `  crscore perturb revise --data answers.jsonl
  crscore perturb revise --data answers.jsonl.gz --instances common --format markdown
  crscore perturb revise --data answers.jsonl --compat spp
  crscore perturb revise --data answers.jsonl --format jsonl > rows.jsonl`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, s) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.data, "data", "", "the rows: a `FILE` of JSON Lines, packed or not, or - for standard input")
	choose(cmd, &f.compat, "compat", "", "spp: count as the program of the paper does", "spp")
	choose(cmd, &f.instances, "instances", string(revision.All),
		"rows that count: all; own, whose original the tool solved; or common, whose original every tool solved",
		string(revision.All), string(revision.Own), string(revision.Common))
	f.addReport(cmd, strings.Join(studyFormats(jsonl), ", ")+" (a row each)", studyFormats(jsonl)...)
	fl.IntVar(&f.workers, "workers", 0, "score `N` rows at a time (default: one for each processor)")
	between(cmd, "workers", 1, 1024)
	addDraws(cmd, &f.bootstrap, "originals")
	return cmd
}

// check returns what is wrong with the flags, before anything is read.
func (f *reviseFlags) check(cmd *cobra.Command) error {
	switch {
	case f.data == "":
		return errors.New("nothing to measure: give --data FILE")
	}
	return nil
}

// revised is a row with its scores, as jsonl has it.
type revised struct {
	ID           string `json:"id"`
	Tool         string `json:"tool,omitempty"`
	Perturbation string `json:"perturbation,omitempty"`
	Of           string `json:"of"`
	Status       string `json:"status"`
	Reason       string `json:"reason,omitempty"`
	*revision.Scores
	Signature string `json:"signature"`

	rev dataset.Revision // without its texts
}

func (f *reviseFlags) run(cmd *cobra.Command, s streams) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	scorer, err := revision.New(f.compat == "spp")
	if err != nil {
		return err
	}
	signature := run.SignedHere(scorer.Signature()).String()
	work := func(ctx context.Context, rev dataset.Revision) (revised, error) {
		scores, err := scorer.Score(ctx, &rev)
		rev.Source, rev.Target, rev.Predictions = "", "", nil
		row := revised{rev.ID, rev.Tool, rev.Perturbation, rev.Of, string(crscore.Scored), "", &scores, signature, rev}
		if err != nil {
			row.Status, row.Reason, row.Scores = string(crscore.Unscored), report.Plain(err.Error()), nil
		}
		return row, ctx.Err()
	}
	file := stdio.Name(f.data)
	var all revision.Study
	malformed, err := f.stream(cmd.Context(), s, work, func(r revised) error {
		if err := all.Add(&r.rev, r.Scores); err != nil {
			return err
		}
		if f.format == jsonl {
			var b bytes.Buffer
			if err := report.JSON(&b, r, ""); err != nil {
				return err
			}
			return s.print(jsonl, b.Bytes())
		}
		if r.Scores == nil {
			s.log.SayOfKind(slog.LevelError, "unscored rows",
				fmt.Sprintf("%s: line %d: the row %s is unscored: %s", file, r.rev.Line, report.Plain(r.ID), r.Reason))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	rep, err := all.Report(cmd.Context(), revision.Instances(f.instances), f.bootstrap)
	if err != nil {
		return fmt.Errorf("%s: %w (malformed lines: %d)", file, err, malformed)
	}
	if rep.Signature = signature; f.format == jsonl { // the rows are printed
		err = f.html.write(rep.Page())
	} else {
		err = f.printReport(s, rep, rep.Page())
	}
	if err != nil {
		return err
	}
	return joinMissing([]error{absent("malformed lines", malformed), absent("unscored rows", rep.Unscored),
		absent("rows without a scored original", rep.WithoutOriginal)})
}

// stream scores the rows, and hands them on in their order. It returns the number of malformed lines.
func (f *reviseFlags) stream(
	ctx context.Context, s streams, work func(context.Context, dataset.Revision) (revised, error), use func(revised) error,
) (malformed int, err error) {
	text, err := s.in.Open(f.data)
	if err != nil {
		return 0, err
	}
	defer text.Close()
	reader := dataset.NewRevisionReader(text)
	next := func() (dataset.Revision, error) {
		for {
			rev, err := reader.Next()
			var bad *dataset.LineError
			if !errors.As(err, &bad) {
				return rev, err
			}
			malformed++
			s.log.SayOfKind(slog.LevelError, run.MalformedLines, fmt.Sprintf("%s: %v; %s", stdio.Name(f.data), bad, run.LeftOutLine(bad)))
		}
	}
	err = ordered.Map(ctx, cmp.Or(f.workers, runtime.GOMAXPROCS(0)), next, work, use)
	return malformed, err
}
