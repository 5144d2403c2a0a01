package agreement

import (
	"fmt"
	"slices"
	"strconv"

	"crscore/internal/report/figures"
	"crscore/internal/spelling"
)

// section shows the metrics side by side: a figure of ρ with rel, and a table.
func (s *Standings) section(resamples int) figures.Section {
	return figures.Section{
		Title: "Metrics side by side",
		Text: spelling.Count("Of %d reviews with labels, every metric scored %d, of %d changes. The numbers are over these.",
			s.Labelled, s.Reviews, s.Changes),
		Figures: []figures.Figure{s.dots(), s.table(resamples), s.others()},
	}
}

// has reports whether a contender is such.
func (s *Standings) has(such func(m *Standing) bool) bool {
	return slices.ContainsFunc(s.Metrics, func(m Standing) bool { return such(&m) })
}

func (s *Standings) dots() figures.Figure {
	d := figures.Dots{Title: "Correlation of each metric with human rel", X: "Spearman's ρ"}
	d.Note = "The lines are 95% intervals."
	if s.has(func(m *Standing) bool { return m.Own }) {
		d.Note += " CRScore's modes are highlighted."
	}
	if s.has(func(m *Standing) bool { return m.Control }) {
		d.Note += " A ring is a control: a metric that does not beat it shows little."
	}
	for _, m := range s.Metrics {
		row := figures.DotOf(m.called(), m.Rel.Spearman.Value, m.Rel.Spearman.Interval)
		row.Marked, row.Hollow = m.Own, m.Control
		d.Rows = append(d.Rows, row)
	}
	return d
}

// called is the name of a metric with its sign: "ter (-)".
func (s *Standing) called() string {
	if s.Turned {
		return s.Name + " (-)"
	}
	return s.Name
}

// table is the correlation with rel, and the differences.
func (s *Standings) table(resamples int) figures.Figure {
	t := s.columns("Correlation with human rel, with 95% intervals")
	t.add("rel, ρ", func(m *Standing) string { return m.Rel.Spearman.String() })
	if compared := func(m *Standing) bool { return m.Difference != nil }; s.has(compared) {
		t.addWhere(compared, "ρ less that of "+s.Against, func(m *Standing) string { return m.Difference.String() })
		t.addWhere(compared, "p", func(m *Standing) string { return pOf(m.Difference.P) })
		t.addWhere(compared, "corrected p", func(m *Standing) string { return pOf(m.Corrected) })
		t.Footnotes = append(t.Footnotes, fmt.Sprintf(
			"The differences are on the same draws of changes. With %d draws, p is at least %s. "+
				"The corrected p is Holm's, for the number of differences.", resamples, showP(2/float64(resamples+1))))
	}
	if s.has(func(m *Standing) bool { return m.Turned }) {
		t.Footnotes = append(t.Footnotes, "(-) marks distances and error rates: lower is better, and their sign is turned.")
	}
	var why reasons
	for _, m := range s.Metrics {
		why.add(m.Name, m.Rel.Spearman)
	}
	t.Footnotes = append(t.Footnotes, why...)
	return t.Table
}

// others are the other correlations, in a table of their own so that both fit on a page.
func (s *Standings) others() figures.Figure {
	t := s.columns("Other correlations with the human labels")
	t.add("rel, τ-b", func(m *Standing) string { return m.Rel.KendallTauB.String() })
	for i, d := range dimensionNames[:2] {
		own := func(m *Standing) bool { return m.all()[i].Spearman.Value != nil }
		t.addWhere(own, d+", ρ", func(m *Standing) string { return m.all()[i].Spearman.String() })
	}
	t.add("unscored", func(m *Standing) string { return strconv.Itoa(m.Unscored) })
	if s.has(func(m *Standing) bool { return m.All != nil }) {
		t.add("rel, ρ, own reviews", func(m *Standing) string {
			if m.All == nil { // its own are those of all metrics
				return m.Rel.Spearman.String()
			}
			return m.All.Rel.Spearman.String()
		})
		t.Footnotes = []string{"Own reviews are all that the metric scored."}
	}
	return t.Table
}

// standingsTable is a table with a row for each metric.
type standingsTable struct {
	figures.Table
	of *Standings
}

func (s *Standings) columns(title string) *standingsTable {
	t := &standingsTable{figures.Table{Title: title, Columns: figures.Columns("metric")}, s}
	for _, m := range s.Metrics {
		t.Rows = append(t.Rows, figures.Row{Cells: []string{m.called()}, Marked: m.Own})
	}
	return t
}

// add adds a column of numbers.
func (t *standingsTable) add(name string, cell func(m *Standing) string) {
	t.addWhere(func(*Standing) bool { return true }, name, cell)
}

// addWhere adds a column of numbers of the metrics that have such, if there are any.
func (t *standingsTable) addWhere(such func(m *Standing) bool, name string, cell func(m *Standing) string) {
	if !t.of.has(such) {
		return
	}
	t.Columns = append(t.Columns, figures.Column{Name: name, Numbers: true})
	for i := range t.Rows {
		text := ""
		if m := &t.of.Metrics[i]; such(m) {
			text = cell(m)
		}
		t.Rows[i].Cells = append(t.Rows[i].Cells, text)
	}
}

// pOf is a p-value in a table.
func pOf(p *float64) string {
	if p == nil {
		return "undefined"
	}
	return showP(*p)
}

// signatures are those of the metrics that have one.
func (s *Standings) signatures() (out []string) {
	for _, m := range s.Metrics {
		if m.Signature != "" {
			out = append(out, m.Name+": signature "+m.Signature)
		}
	}
	return out
}
