package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"crscore/eval/bench/match"
	"crscore/eval/resample"
	"crscore/internal/limits"
	"crscore/internal/run"
	"crscore/internal/stdio"
)

type benchMatcherFlags struct {
	labels string
	reportFlags
	matcherFlags
	bootstrap resample.Bootstrap
}

func benchMatcher(s streams) *cobra.Command {
	var f benchMatcherFlags
	cmd := &cobra.Command{
		Use:   "matcher",
		Short: "Measure how well a matcher agrees with judges",
		Long: `matcher holds a matcher against pairs of comments that judges labelled, and prints for
each judge: the area under the ROC curve of the pairs, Cohen's κ of whether a tool found a
golden comment, Kendall's τ of the tools by F1, and the mean error of their F1; the same
with another judge in the place of the matcher, which is what can be reached; and other
thresholds.

--labels is JSON Lines, packed or not, with an object for each pull request and judge, whose
numbers count from 0:
  {"pr": …, "judge": …, "golden": [{"text": …}], "tools": {"TOOL": {"candidates": [TEXT, …],
   "match": {"GOLDEN": CANDIDATE}, "false": [CANDIDATE, …]}}}

The labels have no places, so that the threshold is lower than that of crscore bench, which
compares comments on the same lines. The sweep has both. Comments are sent to a model's
server only if a model is the matcher.

Exit codes: 0 done; 2 usage or bad input; 3 incomplete: a pair has no verdict.`,
		Example: `  crscore bench matcher --labels matches.jsonl.gz
  crscore bench matcher --labels matches.jsonl.gz --matcher sts --theta .25 --format markdown
  crscore bench matcher --labels matches.jsonl.gz --matcher ollama:qwen2.5-coder --format json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, s) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.labels, "labels", "", "labelled pairs: a `FILE`, packed or not, or - for standard input")
	f.matcherFlags.add(cmd, false)
	f.addReport(cmd, "text, json, markdown, latex, html", "text", "json", "markdown", "latex", "html")
	addDraws(cmd, &f.bootstrap, "pull requests")
	return cmd
}

func (f *benchMatcherFlags) check(cmd *cobra.Command) error {
	switch {
	case f.labels == "":
		return errors.New("nothing to agree with: give --labels FILE")
	case f.asking.model == "lines":
		return errors.New("--matcher lines compares places, and labels have none")
	}
	return f.matcherFlags.check(cmd)
}

func (f *benchMatcherFlags) run(cmd *cobra.Command, s streams) (err error) {
	if err := f.check(cmd); err != nil {
		return err
	}
	text, err := s.in.ReadFile(f.labels, limits.BenchBytes)
	if err != nil {
		return err
	}
	labels, err := match.ReadLabels(text)
	if err != nil {
		return fmt.Errorf("%s: %w", stdio.Name(f.labels), err)
	}
	o := match.Options{Bootstrap: f.bootstrap}
	if o.Thetas, err = f.sweep(); err != nil {
		return err
	}
	if f.asking.model == "pair" {
		w, err := match.Learned()
		if err != nil {
			return err
		}
		o.Trained = w.Provenance.Pulls
	}
	m, end, err := f.open(cmd, func(t match.Thetas) float64 { return t.Unplaced })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	rep, err := match.Agree(cmd.Context(), m, labels, o)
	if err != nil {
		return err
	}
	for _, w := range rep.Warnings {
		s.log.Warn(w)
	}
	if err := f.printReport(s, rep, rep.Page()); err != nil {
		return err
	}
	undecided := 0
	for _, a := range rep.Agreement {
		undecided += a.Undecided
	}
	if undecided > 0 {
		return run.Incomplete{Err: fmt.Errorf("incomplete: pairs without a verdict: %d", undecided)}
	}
	return nil
}

// sweep lists thresholds to try out, with those of the matcher; none for a matcher without degrees.
func (f *benchMatcherFlags) sweep() ([]float64, error) {
	if f.model() {
		return nil, nil
	}
	own, err := f.thresholds()
	out := []float64{0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.8, own.Placed, own.Unplaced}
	if f.fixed {
		out = append(out, f.theta)
	}
	slices.Sort(out)
	return slices.Compact(out), err
}

// addDraws adds the flags of intervals over what is drawn, such as "pull requests".
func addDraws(cmd *cobra.Command, b *resample.Bootstrap, drawn string) {
	cmd.Flags().IntVar(&b.Resamples, "resamples", resample.DefaultResamples, "how often "+drawn+" are drawn for intervals")
	between(cmd, "resamples", resample.MinResamples, limits.Resamples)
	cmd.Flags().Uint64Var(&b.Seed, "seed", 0, "seed of the draws: the same seed gives the same numbers")
}
