package gate

import (
	"crscore/internal/report/figures"
	"crscore/internal/spelling"
)

// Page lays the decision out: its reasons, each comment with its verdict, and the references that
// the kept comments miss.
func (d *Decision) Page() figures.Page {
	list := figures.Table{Columns: append(figures.Columns("Comment", "Con"), figures.Column{Name: "Place"}, figures.Column{Name: "Text"}, figures.Column{Name: "Verdict"})}
	for i := range d.Comments {
		v := &d.Comments[i]
		verdict := "kept"
		if !v.Kept {
			verdict = "not kept"
		}
		if more := d.details(v); more != "" {
			verdict += "; " + more
		}
		list.Rows = append(list.Rows, figures.Row{Cells: []string{v.number(), v.con(), v.place(), v.Body, verdict}})
	}
	missed := figures.Table{Columns: append(figures.Columns("Reference"), figures.Column{Name: "Place"})}
	for _, r := range d.Missed {
		missed.Rows = append(missed.Rows, figures.Row{Cells: []string{r.Text, where(r)}})
	}
	out := figures.Page{Title: "Gate " + d.Summary(), Warnings: append(d.Why(), d.Warnings...), Foot: "signature " + d.Signature}
	out.Sections = []figures.Section{{Title: "Comments", Figures: []figures.Figure{list}}}
	if len(missed.Rows) > 0 {
		out.Sections = append(out.Sections, figures.Section{Title: spelling.Count("Missed: %d of %d references", len(d.Missed), d.Review.Refs), Figures: []figures.Figure{missed}})
	}
	return out
}
