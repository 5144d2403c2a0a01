package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"crscore"
	"crscore/internal/dataset"
	"crscore/internal/present"
	"crscore/internal/report"
	"crscore/internal/report/figures"
	"crscore/internal/run"
	"crscore/internal/spelling"
	"crscore/internal/terminal"
)

type scoreFlags struct {
	engine   engineFlags
	change   changeFlags
	reviews  []string
	data     string
	form     dataFlags
	matrices terminal.OutFile
	out      outFlags
	format   string
	explain  bool
	html     pageFlag
	page     figures.Page // of the results
}

func scoreCommand(s streams) *cobra.Command {
	var f scoreFlags
	cmd := &cobra.Command{
		Use:   "score",
		Short: "Score reviews of a change, or a dataset of both",
		Long: `score judges reviews of one change (--diff, --range or the work tree, with
--review), or of all changes of a dataset (--data, JSON Lines, CSV or Parquet).

Every review gets Con, Comp and Rel from 0 to 1, or is said to be unscored, with
the reason. With --out the results of a dataset go to a run directory: whatever
stops the run, the same command goes on where it was.

Exit codes: 0 done; 2 usage or bad input, also a dataset without any review; 3
incomplete: a review is unscored, a line is malformed, the run was interrupted or
the results could not be written.`,
		Example: `  crscore score --diff fix.diff --review "Callers of push must now pass a hash."
  crscore score --range main..HEAD --review @human.md --review @bot.md
  gh pr diff 12 | crscore score --diff - --review @review.md --format json --explain
  crscore score --data reviews.jsonl.gz > scores.jsonl
  crscore score --data reviews.csv --map diff=patch,review=msg --format csv
  crscore score --data reviews.jsonl --claims data:magicoder --smells data
  crscore score --data reviews.jsonl --profile mine.json --matrices reviews.crsm
  crscore score --data reviews.jsonl --out part2 --shard 2/3`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.form.check(cmd); err != nil {
				return err
			}
			if err := f.out.check(cmd, &f); err != nil {
				return err
			}
			if f.matrices.String() != "" && f.data == "" {
				return errors.New("--matrices keeps those of a dataset: give --data")
			}
			if err := notOnTerminal(s, f.format); err != nil {
				return err
			}
			if f.explain && (f.format == "csv" || f.format == "parquet") {
				return errors.New("--explain needs format json, jsonl or text: a table has no room for the evidence")
			}
			score := f.scoreChange
			if f.data != "" {
				score = f.scoreData
			}
			err := score(cmd, s)
			return errors.Join(err, f.html.write(f.page))
		},
	}
	fl := cmd.Flags()
	f.change.add(cmd)
	fl.StringArrayVar(&f.reviews, "review", nil, "a review: a `TEXT`, @FILE, or - for standard input; may be repeated")
	fl.StringVar(&f.data, "data", "", dataUsage)
	f.form.add(cmd)
	f.matrices.Add(fl, "matrices", "", "with --data, keep the similarities in a new `FILE`: crscore calibrate tries other modes and thresholds on it without encoding again")
	f.out.add(cmd)
	fl.StringVar(&f.format, "format", "", "`FORMAT` of the scores: text, json, jsonl, csv or parquet (default: text, and jsonl with --data)")
	fl.BoolVar(&f.explain, "explain", false, "add the evidence to json and jsonl: sentences, references and similarities")
	complete(cmd, "format", "text", "json", "jsonl", "csv", "parquet")
	f.html.add(fl)
	f.engine.add(cmd)
	for _, name := range append(f.change.names(), "review") {
		cmd.MarkFlagsMutuallyExclusive("data", name)
	}
	return cmd
}

// notOnTerminal refuses to print what is not text where somebody reads it.
func notOnTerminal(s streams, format string) error {
	if format == "parquet" && terminal.Is(s.out) {
		return errors.New("--format parquet is not for a terminal: send it to a file, as in > scores.parquet")
	}
	return nil
}

func (f *scoreFlags) scoreChange(cmd *cobra.Command, s streams) error {
	ctx := cmd.Context()
	if len(f.reviews) == 0 {
		return errors.New(`nothing to score: give --review "TEXT" or --review @FILE (or --data for a dataset)`)
	}
	if err := f.engine.configure(cmd, &f.change); err != nil {
		return err
	}
	if f.format == "" {
		f.format = "text"
	}
	screen := terminal.Screen(s.out)
	w, err := report.NewWriter(s.out, f.format, screen)
	if err != nil {
		return err
	}
	reviews, err := readReviews(f.reviews, s.in, f.change.diff == "-" || f.change.old == "-" || f.change.new == "-")
	if err != nil {
		return err
	}
	in, err := f.change.read(cmd, s.in)
	if err != nil {
		return err
	}
	in.Change.Warnings = append(f.engine.Config.OfTree(), in.Change.Warnings...)
	e, err := f.engine.engine(ctx, cmd)
	if err != nil {
		return err
	}
	defer e.Close()
	texts := make([]string, len(reviews))
	for i := range reviews {
		texts[i] = reviews[i].text
	}
	stop := f.engine.tools.watch(s)
	set, results, err := e.Judge(ctx, in, texts...)
	stop()
	if err != nil {
		return err
	}
	for _, warning := range set.Warnings {
		s.log.Warn(warning)
	}
	var rows []dataset.Row
	unscored := 0
	for i, res := range results {
		if res.Status == crscore.Unscored {
			unscored++
		}
		row := present.Row(e, "", reviews[i].name, res)
		row.Warnings, row.LeftOut = set.Warnings, set.LeftOut
		switch {
		case f.explain:
			row.Explain = present.Explain(e.Rule(), res, set.Dropped)
		case f.format == "text":
			row.Explain = present.Explain(e.Rule(), res, nil)
		}
		if err := w.Write(row); err != nil {
			return outputError(err)
		}
		row.Explain = present.Explain(e.Rule(), res, nil)
		rows = append(rows, row)
	}
	f.page = reviewsPage(rows, e.Signature())
	f.page.Warnings = set.Warnings
	if err := w.Close(); err != nil {
		return outputError(err)
	}
	run.SayTruncated(e, s)
	if unscored > 0 {
		return run.Incomplete{Err: errors.New(spelling.Count("incomplete: %d of %d reviews without a score: %s", unscored, len(results), firstReason(results)))}
	}
	return allRead(set.LeftOut)
}

// reviewsPage shows reviews of one change with their evidence.
func reviewsPage(rows []dataset.Row, signature string) figures.Page {
	table := figures.Table{Columns: figures.Columns("Review", "Con", "Comp", "Rel")}
	var cases figures.Cases
	for _, r := range rows {
		one := figures.Case{Title: r.Review, Facts: []string{"no score: " + r.Reason}}
		cells := []string{r.Review, "-", "-", "-"}
		if r.Con != nil && r.Comp != nil && r.Rel != nil {
			cells = []string{r.Review, fmt.Sprintf("%.2f", *r.Con), fmt.Sprintf("%.2f", *r.Comp), fmt.Sprintf("%.2f", *r.Rel)}
			one.Facts = []string{"Con " + cells[1], "Comp " + cells[2], "Rel " + cells[3]}
			one.Explain(r.Explain)
		}
		table.Rows, cases.Cases = append(table.Rows, figures.Row{Cells: cells}), append(cases.Cases, one)
	}
	return figures.Page{Title: "Reviews of a change", Foot: "signature " + signature, Sections: []figures.Section{
		{Title: "Scores", Figures: []figures.Figure{table}}, {Title: "Sentences and references", Figures: []figures.Figure{cases}},
	}}
}

func firstReason(results []crscore.Result) string {
	for _, r := range results {
		if r.Status == crscore.Unscored {
			return r.Reason
		}
	}
	return ""
}

func (f *scoreFlags) scoreData(cmd *cobra.Command, s streams) error {
	if f.format == "" {
		f.format = jsonl
	}
	r := run.Run{Dataset: &run.Dataset{Name: f.data, Form: f.form.options, Terminal: s, Prints: f.out.dir == ""}, Dir: f.out.dir, Format: f.format}
	if f.out.dir != "" {
		if err := r.Divide(f.out.shard); err != nil {
			return err
		}
	}
	if err := f.engine.configure(cmd, nil); err != nil {
		return err
	}
	var err error
	if r.Rows, err = s.rows(f.format, nil); err != nil {
		return err
	}
	e, err := f.engine.engine(cmd.Context(), cmd)
	if err != nil {
		return err
	}
	defer e.Close()
	r.Scorer = &run.Engine{Engine: e, Explain: f.explain, Text: f.format == "text", Matrices: f.out.matrices}
	if f.matrices.String() != "" {
		if r.Matrices, err = createMatrices(&f.matrices, e); err != nil {
			return err
		}
	}
	err = r.Do(cmd.Context())
	f.page = r.Page
	return err
}
