package figures

import "crscore/internal/report"

// Table has cells of text. Rounding is for who fills them.
type Table struct {
	Title, Note string
	Columns     []Column
	Rows        []Row
	// Footnotes stand below it, each on a line of its own.
	Footnotes []string
}

// Column is the head of a column. Numbers are aligned to the right.
type Column struct {
	Name    string
	Numbers bool
}

// Row is a line of a table. With Group it is instead a heading over the rows that
// follow. A row with fewer cells than the table has columns ends with empty ones;
// those beyond the columns are not shown.
type Row struct {
	Cells []string
	Group string
	// Marked points a row out, such as the one that was chosen.
	Marked bool
}

// plain returns the table with safe texts and a cell for each column.
func (t Table) plain() Table {
	out := Table{Title: report.Plain(t.Title), Note: t.Note}
	for _, c := range t.Columns {
		out.Columns = append(out.Columns, Column{report.Plain(c.Name), c.Numbers})
	}
	for _, r := range t.Rows {
		row := Row{Group: report.Plain(r.Group), Marked: r.Marked}
		if row.Group == "" {
			row.Cells = make([]string, len(t.Columns))
			for i := range min(len(row.Cells), len(r.Cells)) {
				row.Cells[i] = report.Plain(r.Cells[i])
			}
		}
		out.Rows = append(out.Rows, row)
	}
	for _, f := range t.Footnotes {
		out.Footnotes = append(out.Footnotes, report.Plain(f))
	}
	return out
}

func (t Table) html(int) block {
	return block{Title: report.Plain(t.Title), Notes: paragraphs(t.Note), Table: t.view()}
}

// tableView is a table in the template.
type tableView struct {
	Table
	Span int
}

func (t Table) view() *tableView { return &tableView{t.plain(), len(t.Columns)} }
