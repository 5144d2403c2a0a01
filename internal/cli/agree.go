package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"crscore/eval/agreement"
	"crscore/eval/agreement/join"
	"crscore/internal/dataset"
	"crscore/internal/limits"
)

type agreeFlags struct {
	engine engineFlags
	data   string
	reportFlags
	form            dataFlags
	scores, metrics []string
	list            string // of metrics that stand side by side
	raters, truth   string // a file, and its column that is right
	worst           int
	bootstrap       agreement.Bootstrap
}

func agreeCommand(s streams) *cobra.Command {
	var f agreeFlags
	cmd := &cobra.Command{
		Use:   "agree",
		Short: "Measure how well the scores agree with human labels",
		Long: `agree scores a labelled dataset and tells how well the scores agree with the human
labels: Spearman's ρ, Kendall's τ-b and Pearson's r of con, comp and rel, over all
reviews, languages and systems; the order of the systems; the mean score at each
label; how well the similarity finds what annotators linked; and the reviews that
the scores are most wrong about. Intervals are of 95%, by drawing whole changes with
replacement. It also tells τ by the paper's rule: the mean over sentences of their
best similarity. Human references (reviews called msg) are left out.

With --scores nothing is scored, and any metric will do: the lines of crscore score,
other JSON Lines, CSV with a header, or Parquet. Fields or columns:

  ` + dataset.ScoreColumns + `

Labels and languages come from --data; lines of crscore score have labels of their
own. --metric chrf takes one metric of the rows of crscore metrics. A distance has its
sign turned, because lower is better. Two files, or two metrics, are compared on the same
draws of changes: which is better, by how much, and how sure that is.

--metrics sets several side by side, sorted, in tables and a figure. With --scores they
are the metrics of the files. Without it they are CRScore in all modes and the metrics
of crscore metrics; the dataset then needs human references (reviews called msg). Only
reviews that all of them scored count.

Comments that people found valid or invalid ("valid": true on a review) give ROC-AUC: does
a valid comment score higher than an invalid one, and a comment against its own change
higher than against the change of another repository ("repo"; --seed draws it)? Its
intervals draw pull requests ("pull").

--raters measures how far raters agree with each other, people or models: ICC, Fleiss'
and Cohen's κ, Krippendorff's α. The file is CSV, Parquet or JSON Lines with the columns

  ` + dataset.RatingColumns + `

--truth names the column that is right. The others may be scores of any kind: how well
do they tell its grades, by cut points fitted on one half of the changes and shown on the
other?

Exit codes: 0 done; 2 usage or bad input; 3 incomplete: a review is unscored, a line
is malformed, or the ids of scores and labels do not match.`,
		Example: `  crscore agree --data labelled.jsonl
  crscore agree --data labelled.jsonl --html agreement.html --figures figures
  crscore agree --data labelled.jsonl --format latex > agreement.tex
  crscore agree --data labelled.jsonl --claims data:magicoder --smells data --mode soft
  crscore agree --data labelled.jsonl --encoder ./all-MiniLM-L6-v2 --mode soft
  crscore score --data labelled.jsonl --explain > scores.jsonl
  crscore agree --scores scores.jsonl
  crscore agree --data labelled.jsonl --scores bleu.csv
  crscore agree --data labelled.jsonl --scores bleu.csv --scores scores.jsonl
  crscore agree --scores metrics.jsonl --metric chrf --metric bleu
  crscore agree --scores metrics.jsonl --metric chrf --scores scores.jsonl
  crscore agree --scores metrics.jsonl --scores scores.jsonl --metrics all
  crscore agree --data labelled.jsonl --metrics chrf,bleu,length --html agreement.html
  crscore agree --raters grades.csv
  crscore agree --raters grades.csv --truth people`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, s) },
	}
	f.add(cmd)
	return cmd
}

// add adds the flags.
func (f *agreeFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.data, "data", "", "labelled "+dataUsage)
	f.form.add(cmd)
	fl.StringArrayVar(&f.scores, "scores", nil, "`FILE` of scores to compare with the labels, instead of scoring; give it twice to compare two")
	fl.StringArrayVar(&f.metrics, "metric", nil,
		"`NAME` of the metric to take where --scores has it, or con, comp, rel or score; give it twice to compare two")
	fl.StringVar(&f.list, "metrics", "",
		"`LIST` of metrics to set side by side, joined by commas, or all: of --scores, else of crscore metrics")
	fl.StringVar(&f.raters, "raters", "", "table `FILE` of ratings, a column a rater: measure how far the raters agree with each other")
	fl.StringVar(&f.truth, "truth", "", "the `COLUMN` of --raters with the right grades: how well do the other columns, grades or scores, tell them?")
	f.addReport(cmd, "text, json or latex (the tables)", reportFormats()...)
	f.figures.add(fl)
	fl.IntVar(&f.worst, "worst", 5, "how many of the most underrated and overrated reviews to show")
	between(cmd, "worst", 0, limits.WorstCases)
	addDraws(cmd, &f.bootstrap, "changes")
	fl.Lookup("seed").Usage = "seed of the draws: the same seed gives the same intervals"
	f.engine.add(cmd)
	for _, name := range f.engine.names() {
		cmd.MarkFlagsMutuallyExclusive("scores", name)
	}
	cmd.MarkFlagsMutuallyExclusive("metric", "metrics")
	for _, name := range append(f.engine.names(), append(f.form.names(), "data", "scores", "metric", "metrics", "worst")...) {
		cmd.MarkFlagsMutuallyExclusive("raters", name)
	}
}

// check returns what is wrong with the flags, before anything is computed.
func (f *agreeFlags) check(cmd *cobra.Command) error {
	switch {
	case f.data == "" && len(f.scores) == 0 && f.raters == "":
		return errors.New("nothing to compare: give --data LABELLED.jsonl, --scores FILE or --raters FILE")
	case len(f.scores) > 2 && f.list == "":
		return fmt.Errorf("--scores is given %d times: one file is compared with the labels, two with each other", len(f.scores))
	case len(f.metrics) > 0 && len(f.scores) == 0:
		return errors.New("--metric chooses a number of --scores, and there is none")
	case len(slices.Compact(slices.Sorted(slices.Values(f.metrics)))) < len(f.metrics):
		return errors.New("--metric names a metric twice")
	case slices.Contains(f.scores, ""):
		return errors.New("--scores is empty")
	case slices.Contains(f.metrics, ""):
		return errors.New("--metric is empty")
	case f.truth != "" && f.raters == "":
		return errors.New("--truth names a column of --raters, and there is none")
	}
	if err := oneStdin(append([]string{f.data, f.raters}, f.scores...)...); err != nil {
		return err
	}
	if err := f.form.check(cmd); err != nil {
		return err
	}
	return f.figures.check()
}

func (f *agreeFlags) run(cmd *cobra.Command, s streams) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	if len(f.scores) > 0 && f.list != "" && f.list != allMetrics {
		for _, name := range strings.Split(f.list, ",") {
			f.metrics = append(f.metrics, strings.TrimSpace(name))
		}
	}
	if f.raters != "" {
		return f.agreeRaters(cmd, s)
	}
	ctx := cmd.Context()
	rep := agreement.Results{Resamples: f.bootstrap.Resamples, Seed: f.bootstrap.Seed}
	var found []*join.Study
	var beside *sideBySide // the metrics of a dataset
	var err error
	if len(f.scores) == 0 {
		var one *join.Study
		one, beside, err = f.judge(cmd, s)
		found = append(found, one)
	} else {
		found, err = f.readScores(s)
	}
	if err != nil {
		return err
	}
	var missing []error
	if f.list != "" {
		if rep.Metrics, err = f.stand(ctx, found, beside); err != nil {
			return err
		}
	}
	for _, j := range found {
		missing = append(missing, j.Missing)
		if f.list != "" && len(f.scores) > 0 {
			continue // the metrics stand side by side only
		}
		if err := f.measure(ctx, &rep, j); err != nil {
			return fmt.Errorf("%s: %w%s", j.Name, err, f.hint(j))
		}
	}
	if len(rep.Studies) == 2 {
		if err := compareMetrics(cmd, &rep, f.bootstrap); err != nil {
			return err
		}
		if f.data == "" { // else both were compared with the dataset
			u := agreement.Unmatched{OnlyScores: rep.Comparison.OnlyA, OnlyData: rep.Comparison.OnlyB}
			missing = append(missing, sayUnmatched(&u, s, rep.Studies[0].Name, rep.Studies[1].Name))
		}
	}
	if err := f.printReport(s, rep, rep.Page()); err != nil {
		return outputError(err)
	}
	return joinMissing(missing)
}

// measure adds what a metric's scores have in common with people's labels: of reviews, and of
// comments that are valid or not.
func (f *agreeFlags) measure(ctx context.Context, rep *agreement.Results, j *join.Study) error {
	v, err := agreement.MeasureValidity(ctx, j.Rows, f.bootstrap)
	if err != nil {
		return err
	}
	if v != nil {
		v.Name, v.Metric, v.Signature = j.Name, j.Metric, j.Signature
		rep.Validity = append(rep.Validity, v)
		if !slices.ContainsFunc(j.Rows, join.HasLabels) {
			return nil // there are no other labels
		}
	}
	st := agreement.NamedReport{
		Name: j.Name, Metric: j.Metric, Turned: j.Turned, Unmatched: j.Unmatched, PaperTau: j.PaperTau,
		Signature: j.Signature, Input: j.Input,
	}
	if st.Report, err = agreement.Study(ctx, st.Input, f.worst, f.bootstrap); err != nil {
		return err
	}
	for _, end := range []agreement.Misrated{st.Worst.Underrated, st.Worst.Overrated} {
		for k := range end.Cases {
			if e, ok := j.Keep.Of(end.Cases[k].ReviewID); ok {
				end.Cases[k].Evidence = e
			}
		}
	}
	rep.Studies = append(rep.Studies, st)
	return nil
}

// compareMetrics sets the second study's scores beside the first's.
func compareMetrics(cmd *cobra.Command, r *agreement.Results, draws agreement.Bootstrap) error {
	o := agreement.Options{Bootstrap: draws}
	a, b := r.Studies[0].Name, r.Studies[1].Name
	c, err := agreement.Compare(cmd.Context(), r.Studies[0].Input.Rows, r.Studies[1].Input.Rows, o)
	if err != nil {
		return fmt.Errorf("comparing %s with %s: %w%s", a, b, err, join.Mismatch(a, c.OnlyA, b, c.OnlyB))
	}
	r.Comparison = &c
	if c.LeftOut.Unscored == 0 || r.Studies[0].NoZero != "" || r.Studies[1].NoZero != "" {
		return nil
	}
	o.Unscored = agreement.AsZero
	zero, err := agreement.Compare(cmd.Context(), r.Studies[0].Input.Rows, r.Studies[1].Input.Rows, o)
	if err != nil {
		return fmt.Errorf("comparing %s with %s: %w", a, b, err)
	}
	zero.OnlyA, zero.OnlyB = nil, nil // they are in the other
	r.ComparisonAsZero = &zero
	return nil
}
