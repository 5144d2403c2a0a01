package agreement

import (
	"fmt"

	"crscore/eval/resample"
	"crscore/internal/report/figures"
	"crscore/internal/spelling"
)

// Page shows the agreement of raters. name is the file.
func (rep *RaterReport) Page(name string, b Bootstrap) figures.Page {
	resamples, _ := b.Draws() // the study checked them
	together := figures.Table{Title: "All raters together", Columns: figures.Columns("", "value [95%]")}
	var why reasons
	for _, row := range []struct {
		name string
		resample.Estimate
	}{
		{"ICC(2,1), one rater, agreement", rep.ICC21}, {"ICC(3,1), one rater, consistency", rep.ICC31},
		{"ICC(2,k), the mean of all, agreement", rep.ICC2K}, {"ICC(3,k), the mean of all, consistency", rep.ICC3K},
		{"Fleiss' κ", rep.Fleiss},
		{"Krippendorff's α, nominal", rep.AlphaNominal}, {"Krippendorff's α, ordinal", rep.AlphaOrdinal},
		{"Krippendorff's α, interval", rep.AlphaInterval},
	} {
		together.Add(row.name, row.Estimate)
		why.add(row.name, row.Estimate)
	}
	together.Footnotes = append([]string{
		"ICC and Fleiss' κ are over the items that all raters graded, Krippendorff's α over all items.",
	}, why...)

	alone := figures.Table{
		Title:   "Each rater and the mean of the others",
		Note:    "The mean leaves the rater out: a rater agrees with a mean that contains the rater's own grade.",
		Columns: figures.Columns("rater", "ICC(2,1) [95%]"),
	}
	for _, r := range rep.Each {
		alone.Add(r.Rater, r.ICC)
	}

	pairs := figures.Table{
		Title: "Two raters", Note: "Constant is the share of equal grades of a rater who always gives B's most frequent grade. Where it is high, the share of equal grades says little.",
		Columns: figures.Columns("A", "Cohen's κ [95%]", "κ, quadratic [95%]", "equal", "constant", "macro-F1", "items"),
	}
	pairs.Columns = append(pairs.Columns[:1], append([]figures.Column{{Name: "B"}}, pairs.Columns[1:]...)...)
	for _, p := range rep.Pairs {
		exact, constant, f1 := p.Graded.cells(p.Undefined)
		pairs.Add(p.A, p.B, p.Kappa, p.Quadratic, exact, constant, f1, p.Graded.Items)
	}
	sections := []figures.Section{{Title: "Agreement", Figures: []figures.Figure{together, alone, pairs, rep.kappas()}}}
	if rep.Truth != "" {
		sections = append(sections, rep.gradedSection())
	}
	return figures.Page{
		Title: "Agreement of raters: " + name,
		Lead: spelling.Count("%d raters graded %d items of %d changes; %d items have a grade from every rater.",
			len(rep.Raters), rep.Items, rep.Changes, rep.Complete),
		Sections: sections,
		Foot: fmt.Sprintf("The 95%% intervals come from drawing changes %d times with replacement (seed %d). Macro-F1 is the mean of F1 over the grades that B gave.",
			resamples, b.Seed),
	}
}

// cells are the shares of grades, unless there are none.
func (g Graded) cells(undefined string) (exact, constant, f1 string) {
	if undefined != "" {
		return "undefined", "undefined", "undefined"
	}
	return fmt.Sprintf("%.3f", g.Exact), fmt.Sprintf("%.3f", g.Constant), fmt.Sprintf("%.3f", g.MacroF1)
}

// kappas draws the agreement of each two raters.
func (rep *RaterReport) kappas() figures.Dots {
	d := figures.Dots{Title: "Agreement of two raters", X: "Cohen's κ, quadratic weights", Note: "The lines are 95% intervals."}
	for _, p := range rep.Pairs {
		d.Rows = append(d.Rows, figures.DotOf(p.A+", "+p.B, p.Quadratic.Value, p.Quadratic.Interval))
	}
	return d
}

// gradedSection shows how the columns tell the grades of the column that is right.
func (rep *RaterReport) gradedSection() figures.Section {
	held := figures.Table{
		Title: "Grades by cut points",
		Note: "Cut points turn the numbers of a column into grades. They are fitted on one half of the changes, for macro-F1, and shown on the other; " +
			"then the halves change places. Constant is the share of equal grades of the answer that is always the most frequent grade.",
		Columns: figures.Columns("column", "equal", "constant", "macro-F1", "κ, quadratic [95%]", "items"),
	}
	distances := figures.Table{
		Title:   "Kolmogorov-Smirnov distances between grades",
		Note:    "The largest distance of the distributions of a column's numbers at two grades: 0 if the column does not tell the grades apart, 1 if it does.",
		Columns: figures.Columns("column", "grades", "distance [95%]"),
	}
	var why reasons
	for _, g := range rep.Graded {
		exact, constant, f1 := g.HeldOut.cells(g.Undefined)
		held.Add(g.Rater, exact, constant, f1, g.Quadratic, g.Items)
		why.add(g.Rater, g.Quadratic)
		for _, d := range g.Distances {
			distances.Add(g.Rater, fmt.Sprintf("%g and %g", d.A, d.B), d.Distance)
		}
	}
	held.Footnotes = why
	return figures.Section{Title: "The grades of " + rep.Truth, Figures: []figures.Figure{held, distances}}
}
