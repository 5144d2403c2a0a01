package compare

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"crscore/eval/resample"
	"crscore/internal/report/figures"
	"crscore/internal/spelling"
)

// tablePairs and foldedPairs bound the lines of the table of pairs, in sight and behind a fold; JSON
// and CSV have all.
const (
	tablePairs  = 100
	foldedPairs = 2000
)

// Page lays the report out. With drawn it has figures too, which only HTML shows well.
func (p *Report) Page(drawn bool) figures.Page {
	var unscored int
	for _, s := range p.Systems {
		unscored += s.Unscored
	}
	out := figures.Page{Title: "Systems by their mean " + p.Metric}
	if p.LowerIsBetter {
		out.Title += ", lower is better"
	}
	out.Lead = spelling.Count("Systems: %d, over %d of %d changes; reviews without a score, which take no part: %d.", len(p.Systems), p.Compared, p.All, unscored)
	out.Warnings = p.Warnings
	out.Sections = []figures.Section{{Title: "Systems", Figures: []figures.Figure{p.systems()}}}
	if drawn {
		out.Sections[0].Figures = append(out.Sections[0].Figures, p.means(), p.boxes())
	}
	if len(p.Pairs) > 0 {
		s := figures.Section{Title: "Differences"}
		if drawn {
			s.Figures = append(s.Figures, p.forest())
		}
		if p.Baseline == "" && len(p.Pairs) > 1 { // else it says no more than the table
			s.Figures = append(s.Figures, p.matrix())
		}
		s.Figures = append(s.Figures, p.pairs(drawn))
		out.Sections = append(out.Sections, s)
	}
	if len(p.Languages) > 0 {
		out.Sections = append(out.Sections, figures.Section{Title: "Languages", Figures: []figures.Figure{p.languages()}})
	}
	var foot []string
	for _, s := range p.Signatures {
		foot = append(foot, spelling.Count("signature %s (%d reviews)", cmp.Or(s.Signature, "none"), s.Reviews))
	}
	method := fmt.Sprintf("The 95%% intervals come from drawing changes %d times, each a Poisson number of times (seed %d).", p.Resamples, p.Seed)
	if len(p.Pairs) > 0 {
		method += fmt.Sprintf(" p-values are two-sided. They come from exchanging the two scores of a change at random, %d times, or in all ways where there are no more. They are %s.",
			p.Flips, map[resample.Correction]string{
				resample.Holm: "corrected by Holm for the number of pairs", resample.BH: "corrected by Benjamini and Hochberg for the number of pairs",
				resample.Uncorrected: "not corrected for the number of pairs",
			}[p.Correction])
	}
	foot = append(foot, method)
	out.Foot = strings.Join(foot, "\n\n")
	return out
}

// metrics lists the numbers of a score, first the metric that is compared.
func (p *Report) metrics() []string {
	out := []string{p.Metric}
	if len(p.Systems) > 0 && p.Systems[0].Score != nil {
		return out
	}
	for _, m := range Metrics() {
		if m != p.Metric {
			out = append(out, m)
		}
	}
	return out
}

// whys lists, for each reason, the numbers that are undefined for it.
type whys map[string][]string

func (w whys) add(what string, e resample.Estimate) {
	if e.Undefined != "" {
		w[e.Undefined] = append(w[e.Undefined], what)
	}
}

func (w whys) notes() (notes []string) {
	const most = 4
	for _, why := range slices.Sorted(maps.Keys(w)) {
		of := w[why]
		if more := len(of) - most; more > 0 {
			of = append(of[:most:most], fmt.Sprintf("and %d more", more))
		}
		notes = append(notes, fmt.Sprintf("Undefined, %s: %s.", why, strings.Join(of, ", ")))
	}
	return notes
}

// called is the name of a system in a table.
func called(s *System) string {
	if s.Human {
		return s.Name + " (human)"
	}
	return s.Name
}

func (p *Report) systems() figures.Figure {
	t := figures.Table{Title: fmt.Sprintf("Means with 95%% intervals, by %s", p.Metric)}
	columns := []figures.Col[System]{figures.Texts("system", func(s System) any { return called(&s) })}
	for _, m := range p.metrics() {
		columns = append(columns, figures.Numbers(m, func(s System) any { return s.Mean(m) }))
	}
	some := func(is func(s System) bool) bool { return slices.ContainsFunc(p.Systems, is) }
	lettered := some(func(s System) bool { return s.Letters != "" })
	if lettered {
		columns = append(columns, figures.Texts("group", func(s System) any { return s.Letters }))
	}
	if p.Over == Own {
		columns = append(columns, figures.Numbers("changes", func(s System) any { return s.Changes }))
	}
	columns = append(columns, figures.Numbers("scored", func(s System) any { return s.Scored }))
	if some(func(s System) bool { return s.Unscored > 0 }) {
		columns = append(columns, figures.Numbers("unscored", func(s System) any { return s.Unscored }))
	}
	if some(func(s System) bool { return s.Absent > 0 }) {
		columns = append(columns, figures.Numbers("no review", func(s System) any { return s.Absent }))
	}
	figures.Fill(&t, p.Systems, columns)
	why := whys{}
	for i, s := range p.Systems {
		t.Rows[i].Marked = s.Name == p.Baseline && p.Baseline != ""
		for _, m := range p.metrics() {
			why.add(s.Name+" ("+m+")", s.Mean(m))
		}
	}
	switch {
	case lettered:
		t.Footnotes = append(t.Footnotes, fmt.Sprintf("Systems that share a letter in the column group are not shown to differ in %s. Systems that share no letter differ.", p.Metric))
	case p.NoLetters != "":
		t.Footnotes = append(t.Footnotes, "There are no letters of groups: "+p.NoLetters+".")
	}
	if some(func(s System) bool { return s.Human }) {
		t.Footnotes = append(t.Footnotes, "(human) marks the reviews that people wrote for these changes. They are compared like a system.")
	}
	t.Footnotes = append(t.Footnotes, why.notes()...)
	return t
}

func (p *Report) pairs(folded bool) figures.Figure {
	limit := tablePairs
	if folded {
		limit = foldedPairs
	}
	t := figures.Table{Folded: folded, Title: fmt.Sprintf("Differences of mean %s, A less B, with 95%% intervals", p.Metric)}
	columns := []figures.Col[Pair]{
		figures.Texts("A", func(d Pair) any { return d.A }),
		figures.Texts("B", func(d Pair) any { return d.B }),
	}
	if p.Baseline != "" {
		t.Title = fmt.Sprintf("Differences of mean %s from %s, with 95%% intervals", p.Metric, p.Baseline)
		columns = columns[:1]
		columns[0].Name = "system"
	}
	columns = append(columns, figures.Numbers("difference", func(d Pair) any { return d.Difference }),
		figures.Numbers("p", func(d Pair) any { return pCell(d.Difference.P) }))
	if p.Correction != resample.Uncorrected {
		columns = append(columns, figures.Numbers("corrected p", func(d Pair) any { return pCell(d.Corrected) }))
	}
	columns = append(columns, figures.Numbers("better", func(d Pair) any { return d.Better }),
		figures.Numbers("tied", func(d Pair) any { return d.Tied }), figures.Numbers("worse", func(d Pair) any { return d.Worse }))
	if p.Over == Own {
		columns = append(columns, figures.Numbers("changes", func(d Pair) any { return d.Changes }))
	}
	shown := p.Pairs[:min(len(p.Pairs), limit)]
	figures.Fill(&t, shown, columns)
	why := whys{}
	for i, d := range shown {
		t.Rows[i].Marked = d.Differs()
		why.add(d.A+" less "+d.B, d.Difference)
	}
	t.Footnotes = append([]string{
		fmt.Sprintf("Significant differences are marked: p %sat most %g. Better, tied and worse are numbers of changes, for the first system.",
			p.corrected(), Level),
	}, why.notes()...)
	if p.LowerIsBetter {
		t.Footnotes = append(t.Footnotes,
			fmt.Sprintf("Lower %s is better: a negative difference is in favour of the first system.", p.Metric))
	}
	if more := len(p.Pairs) - limit; more > 0 {
		t.Footnotes = append(t.Footnotes, spelling.Count("%d more pairs are in the JSON and the CSV", more))
	}
	return t
}

func pCell(p *float64) string {
	switch {
	case p == nil:
		return "undefined"
	case *p < 0.001:
		return fmt.Sprintf("%.2g", *p)
	}
	return fmt.Sprintf("%.3f", *p)
}

// languages shows each system's mean in each language.
func (p *Report) languages() figures.Figure {
	t := figures.Table{
		Title:   fmt.Sprintf("Mean %s by language, with 95%% intervals", p.Metric),
		Columns: figures.Columns("system"),
	}
	cells := map[string][]string{}
	for _, g := range p.Languages {
		t.Columns = append(t.Columns, figures.Column{Name: spelling.Count("%s, %d changes", g.Name, g.Compared), Numbers: true})
		differs := map[string]bool{}
		for i := range g.Pairs {
			differs[g.Pairs[i].A] = g.Pairs[i].Differs()
		}
		for i := range g.Systems {
			s := &g.Systems[i]
			cell := s.Mean(p.Metric).String()
			switch {
			case s.Letters != "":
				cell += " " + s.Letters
			case p.Baseline != "" && differs[s.Name]:
				cell += " *"
			}
			cells[s.Name] = append(cells[s.Name], cell)
		}
	}
	for i := range p.Systems {
		s := &p.Systems[i]
		t.Rows = append(t.Rows, figures.Row{Cells: append([]string{called(s)}, cells[s.Name]...), Marked: s.Name == p.Baseline && p.Baseline != ""})
	}
	if len(p.Pairs) == 0 {
		return t
	}
	note := "Letters are those of groups within the language, corrected for its pairs alone."
	if p.Baseline != "" {
		note = fmt.Sprintf("A star marks a system that differs from %s within the language, corrected for its pairs alone.", p.Baseline)
	}
	t.Footnotes = []string{note, "The differences within languages are in the JSON and the CSV."}
	return t
}

// CSV writes a line for each mean and each difference.
func (p *Report) CSV(w io.Writer) error {
	number := func(v *float64) any {
		if v == nil {
			return ""
		}
		return *v
	}
	sheet := figures.NewSheet("language", "metric", "kind", "system", "other", "changes", "value", "low", "high", "p", "p_corrected",
		"better", "tied", "worse", "scored", "unscored", "absent", "letters", "undefined")
	for _, g := range append([]Group{p.Group}, p.Languages...) {
		for _, m := range p.metrics() {
			for i := range g.Systems {
				s := &g.Systems[i]
				e := s.Mean(m)
				letters := s.Letters
				if m != p.Metric {
					letters = ""
				}
				sheet.Add(g.Name, m, "mean", s.Name, "", s.Changes, e.Columns()[:3], "", "", "", "", "",
					s.Scored, s.Unscored, s.Absent, letters, e.Undefined)
			}
		}
		for i := range g.Pairs {
			d := &g.Pairs[i]
			sheet.Add(g.Name, p.Metric, "difference", d.A, d.B, d.Changes, d.Difference.Columns()[:3], number(d.Difference.P), number(d.Corrected),
				d.Better, d.Tied, d.Worse, "", "", "", "", d.Difference.Undefined)
		}
	}
	return sheet.CSV(w)
}
