package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"crscore/eval/perturb"
	"crscore/eval/perturb/compile"
	"crscore/eval/perturb/stability"
	"crscore/eval/resample"
	"crscore/internal/dataset"
	"crscore/internal/limits"
	"crscore/internal/ordered"
	"crscore/internal/report"
	"crscore/internal/run"
	"crscore/internal/spelling"
	"crscore/internal/stdio"
	"crscore/internal/terminal"
)

type perturbFlags struct {
	data           string
	out            terminal.OutFile
	scores, metric string
	form           dataFlags
	only           []string
	seed           uint64
	worst          int
	compile        bool
	engine         engineFlags
	reportFlags
	options stability.Options
	list    []perturb.Perturbation
}

func perturbCommand(s streams) *cobra.Command {
	var f perturbFlags
	cmd := &cobra.Command{
		Use:   "perturb",
		Short: "Rewrite code without another meaning, and see what scores make of it",
		Long: `perturb rewrites the code of each change in ways that keep its meaning, scores the reviews
again, and tells how far con, comp and rel move: a score that moves when a variable is
renamed measures the name. The nine perturbations are those of "Consistent or Sensitive?"
(Pirouzkhah et al. 2026), in safe forms:

  p1 if/else swap       p4 try wrapper              p7 definition-use break
  p2 dead exception     p5 independent swap         p8 random names
  p3 dead assignment    p6 return via a variable    p9 shuffled names

Both texts of a changed file are rewritten alike, in the functions with a changed line;
reviews get the new names. Languages: java, python, javascript, typescript, tsx, go (all
but p4). The dataset needs the whole texts, old and new; of hunks alone there is p8, in the
functions that lie in a hunk as a whole. Where a rule cannot be sure, the place or the
change is left out, with the reason. There are two controls: p0, the change diffed anew,
which must not move a score, and the reviews of another change, which must.

--check asks compilers, where they are: javac, python3, node, tsc and go. They compile each
file alone and run nothing. A variant with a diagnostic that its original lacks is left out.

--out writes the variants as a dataset instead, for another metric or a review bot: ids
such as 7988#p8.1, with p0 as the original. --scores measures the scores that any metric
gave them.

Exit codes: 0 done; 2 usage or bad input; 3 incomplete: a line is malformed, or a compiler
of --check is missing or failed.`,
		Example: `  crscore perturb --data reviews.jsonl
  crscore perturb --data reviews.jsonl --only p8,p9 --seed 7 --html stability.html
  crscore perturb --data reviews.jsonl --only p1 --check --out variants.jsonl
  crscore perturb --data reviews.jsonl --only p8,p9 --out variants.jsonl
  crscore metrics --data variants.jsonl > metrics.jsonl
  crscore perturb --scores metrics.jsonl --metric chrf`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, s) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.data, "data", "", dataUsage)
	f.form.add(cmd)
	fl.StringSliceVar(&f.only, "only", nil, "these `PERTURBATIONS` alone, joined by commas, such as p1,p8")
	fl.Uint64Var(&f.seed, "seed", 1, "seed of new names, and of the draws for intervals")
	fl.IntVar(&f.options.Bootstrap.Resamples, "resamples", resample.DefaultResamples, "how often changes are drawn for intervals")
	between(cmd, "resamples", resample.MinResamples, limits.Resamples)
	fl.IntVar(&f.worst, "worst", 3, "how many of the largest moves of each perturbation to show with their diffs")
	between(cmd, "worst", 0, 100)
	fl.BoolVar(&f.compile, "check", false, "ask compilers about each variant, and leave out those with a new diagnostic")
	f.out.Dash = true
	f.out.Add(fl, "out", "", "write the variants to a `FILE` in JSON Lines, or - for standard output, and score nothing")
	fl.StringVar(&f.scores, "scores", "", "measure the scores of variants in a `FILE` or run directory, of crscore score or any metric")
	fl.StringVar(&f.metric, "metric", "", "with --scores, the `NAME` of the metric to take where the file has several")
	f.addReport(cmd, strings.Join(studyFormats(), ", "), studyFormats()...)
	f.engine.add(cmd)
	for _, name := range append(f.engine.names(), append(f.form.names(), "data", "only", "out", "worst", "check")...) {
		cmd.MarkFlagsMutuallyExclusive("scores", name)
	}
	cmd.MarkFlagsMutuallyExclusive("out", "html")
	cmd.AddCommand(perturbCompare(s), perturbRevise(s))
	return cmd
}

func (f *perturbFlags) check(cmd *cobra.Command) (err error) {
	if err := f.form.check(cmd); err != nil {
		return err
	}
	switch {
	case f.data == "" && f.scores == "":
		return errors.New("nothing to perturb: give --data FILE")
	case f.metric != "" && f.scores == "":
		return errors.New("--metric is for --scores FILE")
	case strings.Contains(f.engine.Claims, "data:") || slices.Contains(strings.Split(f.engine.Smells, ","), "data"):
		return errors.New("ready claims and smells are of the original change: choose --claims and --smells that are made anew")
	}
	for _, id := range f.only {
		f.options.Only = append(f.options.Only, perturb.ID(id))
	}
	f.options.Seed, f.options.Bootstrap.Seed, f.options.Worst = f.seed, f.seed, f.worst
	if f.list, err = f.options.Perturbations(); err != nil {
		return fmt.Errorf("--only: %w", err)
	}
	return nil
}

func (f *perturbFlags) run(cmd *cobra.Command, s streams) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	if f.scores != "" {
		return f.measure(cmd.Context(), s)
	}
	if err := f.engine.configure(cmd, nil); err != nil {
		return err
	}
	if err := f.compilers(cmd); err != nil {
		return err
	}
	data := run.Dataset{Name: f.data, Form: f.form.options, Terminal: s, Strict: true, Prints: f.out.String() != ""}
	if f.out.String() != "" {
		checked, err := f.write(cmd.Context(), s, &data)
		if err != nil {
			return err
		}
		return data.Missing(unchecked(checked.Failed)...)
	}
	e, err := f.engine.engine(cmd.Context(), cmd)
	if err != nil {
		return err
	}
	defer e.Close()
	var moves []*stability.Moves
	err = data.Stream("scoring", func(next func() (*dataset.Record, error), finish func()) error {
		moves, err = stability.Measure(cmd.Context(), e, f.options, next, finish)
		return err
	})
	if err != nil {
		return err
	}
	rep := &stability.Report{
		Changes: data.Changes, Seed: f.seed, Resamples: f.options.Bootstrap.Resamples,
		Signature: e.Signature() + " perturb=" + perturb.Version,
	}
	if f.compile {
		rep.Signature += " check=" + f.options.Compilers.Versions()
	}
	if rep.Perturbations, err = stability.Summarize(cmd.Context(), moves, f.options); err != nil {
		return err
	}
	if err := f.printReport(s, rep, rep.Page()); err != nil {
		return err
	}
	failed := 0
	for _, m := range moves {
		if m.Checked != nil {
			failed += m.Checked.Failed
		}
	}
	return data.Missing(unchecked(failed)...)
}

// compilers makes the checker of --check.
func (f *perturbFlags) compilers(cmd *cobra.Command) error {
	if !f.compile {
		return nil
	}
	f.engine.tools.used = true
	tools, err := f.engine.Tools.Options(f.engine.Config.Tools)
	if err != nil {
		return err
	}
	f.options.Compilers = compile.New(tools)
	return nil
}

// unchecked describes variants whose compiler is missing or failed.
func unchecked(n int) []string {
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("variants whose compiler is missing or failed: %d", n)}
}

// measure reads scores of variants.
func (f *perturbFlags) measure(ctx context.Context, s streams) error {
	var collector stability.Collector
	choice := dataset.Choice{Metric: f.metric}
	malformed, err := eachScore(s, f.scores, func(score dataset.Score) error {
		score, err := choice.Take(score)
		if err != nil {
			return err
		}
		return collector.Add(score)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", stdio.Name(f.scores), err)
	}
	moves, err := collector.Moves()
	if err != nil {
		return fmt.Errorf("%s: %w (malformed lines: %d)", stdio.Name(f.scores), err, malformed)
	}
	rep := &stability.Report{
		Changes: collector.Changes(), Seed: f.seed, Resamples: f.options.Bootstrap.Resamples, Metric: choice.Metric,
		Signature: collector.Signature,
	}
	f.options.Worst = 0 // rows have no texts
	if rep.Perturbations, err = stability.Summarize(ctx, moves, f.options); err != nil {
		return err
	}
	if err := f.printReport(s, rep, rep.Page()); err != nil {
		return err
	}
	return joinMissing([]error{absent("malformed lines", malformed)})
}

// write writes the variants, and counts what compilers say of them.
func (f *perturbFlags) write(ctx context.Context, s streams, data *run.Dataset) (checked stability.Checked, err error) {
	var out io.Writer = s.out
	if f.out.String() != "-" {
		file, failed := f.out.Create()
		if failed != nil {
			return checked, failed
		}
		defer func() { err = errors.Join(err, outputError(file.Close(err == nil))) }()
		out = file
	}
	variants, left := map[perturb.ID]int{}, 0
	var changes [][]*stability.Made
	flush := func() error {
		if f.compile {
			if err := stability.Check(ctx, f.options.Compilers, changes); err != nil {
				return err
			}
		}
		for _, made := range changes {
			for _, m := range made {
				checked.Add(m)
				if m.Err != nil {
					left++
					continue
				}
				variants[m.Perturbation.ID]++
				var b bytes.Buffer
				if err := report.JSON(&b, m, ""); err != nil {
					return err
				}
				if _, err := out.Write(b.Bytes()); err != nil {
					return outputError(err)
				}
			}
		}
		changes = changes[:0]
		return nil
	}
	err = data.Stream("rewriting", func(next func() (*dataset.Record, error), finish func()) error {
		work := func(ctx context.Context, rec *dataset.Record) ([]*stability.Made, error) {
			return stability.Make(ctx, rec, f.list, f.seed)
		}
		return ordered.Map(ctx, cmp.Or(f.engine.Workers, runtime.GOMAXPROCS(0)), next, work, func(made []*stability.Made) error {
			finish()
			if changes = append(changes, made); f.compile && len(changes) < stability.CheckBatch {
				return nil
			}
			return flush()
		})
	})
	if err == nil {
		err = flush()
	}
	if err != nil {
		return checked, err
	}
	var counts []string
	for _, p := range append([]perturb.Perturbation{perturb.Identity()}, f.list...) {
		counts = append(counts, fmt.Sprintf("%s %d", p.ID, variants[p.ID]))
	}
	s.log.Note(spelling.Count("%d changes; variants: %s; left out: %d", data.Changes, strings.Join(counts, ", "), left))
	if f.compile {
		s.log.Note(fmt.Sprintf("compilers (%s): sound %d, broken and left out %d",
			f.options.Compilers.Versions(), checked.Checked, checked.Broken))
		for _, l := range checked.Unchecked {
			s.log.Warn(spelling.Count("%d variants are not checked: %s", l.Changes, l.Reason))
		}
	}
	return checked, nil
}
