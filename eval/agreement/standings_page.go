package agreement

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"crscore/internal/report/figures"
)

// section shows the metrics side by side: a figure of ρ with rel, and a table.
func (s *Standings) section(resamples int) figures.Section {
	return figures.Section{
		Title: "Metrics side by side",
		Text: fmt.Sprintf("Of %d reviews with labels, every metric scored %d, of %d changes. The numbers are over these.",
			s.Labelled, s.Reviews, s.Changes),
		Figures: []figures.Figure{s.dots(), s.table(resamples)},
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
		e := m.Rel.Spearman
		row := figures.Dot{Name: m.called(), Value: math.NaN(), Marked: m.Own, Hollow: m.Control}
		if e.Value != nil {
			row.Value = *e.Value
		}
		if e.Interval != nil {
			row.Low, row.High = e.Interval[0], e.Interval[1]
		}
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

func (s *Standings) table(resamples int) figures.Figure {
	t := figures.Table{Title: "Correlation with the human labels, with 95% intervals", Columns: figures.Columns("metric")}
	var why reasons
	for i := range s.Metrics {
		m := &s.Metrics[i]
		t.Rows = append(t.Rows, figures.Row{Cells: []string{m.called()}, Marked: m.Own})
		why.add(m.Name, m.Rel.Spearman)
	}
	column := func(name string, cell func(m *Standing) string) {
		t.Columns = append(t.Columns, figures.Column{Name: name, Numbers: true})
		for i := range s.Metrics {
			t.Rows[i].Cells = append(t.Rows[i].Cells, cell(&s.Metrics[i]))
		}
	}
	column("rel, ρ", func(m *Standing) string { return m.Rel.Spearman.String() })
	if compared := func(m *Standing) bool { return m.Difference != nil }; s.has(compared) {
		of := func(name string, cell func(m *Standing) string) {
			column(name, func(m *Standing) string {
				if !compared(m) {
					return ""
				}
				return cell(m)
			})
		}
		of("ρ less that of "+s.Against, func(m *Standing) string { return m.Difference.String() })
		of("p", func(m *Standing) string { return pOf(m.Difference.P) })
		of("corrected p", func(m *Standing) string { return pOf(m.Corrected) })
		t.Footnotes = append(t.Footnotes, fmt.Sprintf(
			"The differences are on the same draws of changes. With %d draws, p is at least %s. "+
				"The corrected p is Holm's, for the number of differences.", resamples, showP(2/float64(resamples+1))))
	}
	column("rel, τ-b", func(m *Standing) string { return m.Rel.KendallTauB.String() })
	for i, d := range dimensionNames[:2] {
		if own := func(m *Standing) bool { return m.all()[i].Spearman.Value != nil }; s.has(own) {
			column(d+", ρ", func(m *Standing) string {
				if !own(m) {
					return ""
				}
				return m.all()[i].Spearman.String()
			})
		}
	}
	column("unscored", func(m *Standing) string { return strconv.Itoa(m.Unscored) })
	if s.has(func(m *Standing) bool { return m.All != nil }) {
		column("rel, ρ, of all it scored", func(m *Standing) string {
			if m.All == nil {
				return m.Rel.Spearman.String()
			}
			return m.All.Rel.Spearman.String()
		})
	}
	if s.has(func(m *Standing) bool { return m.Turned }) {
		t.Footnotes = append(t.Footnotes, "(-) marks distances and error rates: lower is better, and their sign is turned.")
	}
	t.Footnotes = append(t.Footnotes, why...)
	return t
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
