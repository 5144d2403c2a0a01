package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"

	"crscore/internal/dataset"
	"crscore/internal/report"
	"crscore/internal/report/figures"
	"crscore/internal/terminal"
)

// corpusTitle is the title of the table that --corpus prints.
const corpusTitle = "Corpus scores"

// page is the table of the systems.
func (r *metricsRun) page(title string) figures.Page {
	t := figures.Table{Columns: figures.Columns("System", append([]string{"scored", "unscored"}, r.specs()...)...)}
	own, fewer := 0, false
	for i := range r.set.Metrics {
		if _, ok := r.set.Whole(i); ok {
			own++
		}
	}
	for _, sys := range r.totals.Systems() {
		cells := []string{shortName(sys.Name), fmt.Sprint(sys.Scored), fmt.Sprint(sys.Unscored)}
		for i := range r.set.Metrics {
			total := sys.Total(i)
			cell := "-"
			if total.Score != nil {
				cell = fmt.Sprintf("%.4f", *total.Score)
			}
			if own > 0 && !total.Corpus {
				cell += "*"
			}
			if total.Pairs < sys.Scored {
				fewer, cell = true, cell+"!"
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, figures.Row{Cells: cells})
	}
	switch own {
	case 0:
		t.Footnotes = append(t.Footnotes, "The scores are means over the reviews.")
	case len(r.set.Metrics):
	default:
		t.Footnotes = append(t.Footnotes, "* is a mean over the reviews. The other scores are those of all reviews together.")
	}
	if fewer {
		t.Footnotes = append(t.Footnotes, "! is of fewer reviews: the metric gave no score for the others.")
	}
	if n := r.totals.Left(); n > 0 {
		t.Footnotes = append(t.Footnotes,
			fmt.Sprintf("The table has the first %d systems; reviews of others: %d.", maxTableSystems, n))
	}
	return figures.Page{Title: title, Sections: []figures.Section{{Figures: []figures.Figure{t}}}}
}

// table is the table of the systems as text, with the signatures of the metrics.
func (r *metricsRun) table(title string, width int) string {
	var b bytes.Buffer
	_ = r.page(title).WriteText(&b, width) // a buffer has no errors
	for _, m := range r.set.Metrics {
		b.WriteString("Signature: " + report.Plain(m.Signature) + "\n") // in one line, to be copied
	}
	return b.String()
}

// drawn has a figure of each metric: the systems' scores, the best first.
func (r *metricsRun) drawn() figures.Page {
	s := figures.Section{Title: "Scores of the systems"}
	for i, m := range r.set.Metrics {
		what, lower := "mean over the reviews", m.Turned
		if _, ok := r.set.Whole(i); ok {
			what = "all reviews together"
		}
		d := figures.Dots{Title: m.Spec + " by system", X: m.Spec + ", " + what, Note: "Signature: " + m.Signature}
		if lower {
			d.X += ", lower is better"
		}
		for _, sys := range r.totals.Systems() {
			row := figures.Dot{Name: sys.Name, Value: math.NaN()}
			if v := sys.Total(i).Score; v != nil {
				row.Value = *v
			}
			d.Rows = append(d.Rows, row)
		}
		slices.SortStableFunc(d.Rows, func(a, b figures.Dot) int {
			switch {
			case math.IsNaN(a.Value) || math.IsNaN(b.Value): // last
				return cmp.Compare(b.Value, a.Value)
			case lower:
				return cmp.Compare(a.Value, b.Value)
			}
			return cmp.Compare(b.Value, a.Value)
		})
		s.Figures = append(s.Figures, d)
	}
	return figures.Page{Title: corpusTitle, Sections: []figures.Section{s}}
}

// systemScores is a system in the JSON of --corpus. The names are stable.
type systemScores struct {
	System   string                   `json:"system"`
	Scored   int                      `json:"scored"`
	Unscored int                      `json:"unscored"`
	Metrics  dataset.Members[float64] `json:"metrics"`
	// Reviews are the numbers of reviews behind scores that are of fewer than Scored.
	Reviews dataset.Members[int] `json:"reviews,omitempty"`
}

// printTable prints the table of the systems.
func (r *metricsRun) printTable() error {
	if r.format == "text" {
		return r.s.print(r.format, []byte(r.table(corpusTitle, terminal.Screen(r.s.out).Width)))
	}
	page := r.page(corpusTitle)
	page.Sections[0].Title = corpusTitle // the caption
	for _, m := range r.set.Metrics {
		page.Foot += "Signature: " + m.Signature + "\n\n"
	}
	type metric struct {
		Name      string `json:"name"`
		Value     string `json:"value"` // corpus or mean
		Signature string `json:"signature"`
	}
	out := struct {
		Systems   []systemScores `json:"systems"`
		Metrics   []metric       `json:"metrics"`
		Signature string         `json:"signature"`
	}{Systems: []systemScores{}, Signature: r.signature}
	for _, sys := range r.totals.Systems() {
		one := systemScores{System: sys.Name, Scored: sys.Scored, Unscored: sys.Unscored, Metrics: dataset.Members[float64]{}}
		for i, m := range r.set.Metrics {
			total := sys.Total(i)
			if total.Score != nil {
				one.Metrics = append(one.Metrics, dataset.Member[float64]{Name: m.Spec, Value: *total.Score})
			}
			if total.Pairs < sys.Scored {
				one.Reviews = append(one.Reviews, dataset.Member[int]{Name: m.Spec, Value: total.Pairs})
			}
		}
		out.Systems = append(out.Systems, one)
	}
	for i, m := range r.set.Metrics {
		_, own := r.set.Whole(i)
		out.Metrics = append(out.Metrics, metric{m.Spec, either(own, "corpus", "mean"), m.Signature})
	}
	return (&reportFlags{format: r.format}).printReport(r.s, out, page)
}
