package match

import (
	"fmt"
	"strconv"

	"crscore/internal/report/figures"
)

// Page lays the report out: the agreement, judge against judge, and the sweep.
func (r *Report) Page() figures.Page {
	out := figures.Page{Title: "Agreement of a matcher with judges"}
	out.Lead = fmt.Sprintf("Pull requests: %d. Judges: %d.", r.PullRequests, len(r.Agreement))
	out.Warnings = r.Warnings
	own := figures.Table{
		Title:   "The matcher against each judge, with 95% intervals",
		Columns: figures.Columns("judge", "pairs", "AUC", "κ", "P", "R", "Kendall", "F1 error"),
		Footnotes: []string{
			"AUC: of pairs. κ, P, R: of golden comments that a tool found. Kendall: of the tools by F1. F1 error: mean of the tools.",
		},
	}
	for _, a := range r.Agreement {
		own.Add(a.Rater, a.Pairs, number(a.AUC, a.Intervals.AUC), number(a.Kappa, a.Intervals.Kappa), number(a.Precision, nil),
			number(a.Recall, nil), number(a.Kendall, a.Intervals.Kendall), number(a.F1Error, a.Intervals.F1Error))
		if a.Undecided > 0 {
			own.Footnotes = append(own.Footnotes, fmt.Sprintf(
				"%s: pairs without a verdict, whose golden comments are left out unless another pair has them: %d.", a.Rater, a.Undecided))
		}
	}
	all := []figures.Figure{own}
	if len(r.Between) > 0 {
		t := figures.Table{
			Title:   "Judge against judge: what a matcher can reach",
			Columns: append([]figures.Column{{Name: "judge"}}, figures.Columns("other judge", "κ", "P", "R", "Kendall", "F1 error")...),
			Footnotes: []string{
				"The other judge's found golden comments count for the judge's candidates.",
			},
		}
		for _, b := range r.Between {
			t.Rows = append(t.Rows, figures.Row{Cells: append([]string{b.Rater, b.Other}, b.cells()...)})
		}
		all = append(all, t)
	}
	if len(r.Sweep) > 0 {
		t := figures.Table{
			Title:   "Other thresholds, means over the judges",
			Columns: figures.Columns("θ", "κ", "P", "R", "Kendall", "F1 error"),
		}
		for _, s := range r.Sweep {
			t.Rows = append(t.Rows, figures.Row{Cells: append([]string{strconv.FormatFloat(s.Theta, 'f', -1, 64)}, s.cells()...)})
		}
		all = append(all, t)
	}
	out.Sections = []figures.Section{{Figures: all}}
	out.Foot = fmt.Sprintf("signature %s\n\nThe 95%% intervals come from drawing pull requests %d times with replacement "+
		"(seed %d).", r.Signature, r.Resamples, r.Seed)
	return out
}

func (f *Figures) cells() (out []string) {
	for _, v := range []*float64{f.Kappa, f.Precision, f.Recall, f.Kendall, f.F1Error} {
		out = append(out, number(v, nil))
	}
	return out
}

func number(v *float64, interval *[2]float64) string {
	switch {
	case v == nil:
		return "–"
	case interval == nil:
		return strconv.FormatFloat(*v, 'f', 3, 64)
	}
	return fmt.Sprintf("%.3f [%.3f, %.3f]", *v, interval[0], interval[1])
}
