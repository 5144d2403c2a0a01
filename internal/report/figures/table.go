package figures

import (
	"github.com/rivo/uniseg"

	"crscore/internal/report"
)

// Table has cells of text. The caller rounds numbers.
type Table struct {
	// Title is above the figure. Note is the text with it, empty for none; an empty line
	// separates its paragraphs.
	Title, Note string
	// Columns are the heads, from left to right.
	Columns []Column
	// Rows are shown in this order.
	Rows []Row
	// Footnotes are below the table, each on a line of its own.
	Footnotes []string
	// Folded hides the rows in HTML until they are asked for.
	Folded bool
}

// Column is the head of a column.
type Column struct {
	// Name is the text of the head.
	Name string
	// Numbers aligns the column to the right.
	Numbers bool
}

// Columns returns a column of texts and, to its right, columns of numbers.
func Columns(left string, numbers ...string) []Column {
	out := []Column{{Name: left}}
	for _, n := range numbers {
		out = append(out, Column{Name: n, Numbers: true})
	}
	return out
}

// Row is a row of a table or, with Group, a heading above the next rows.
type Row struct {
	// Cells are the texts of the row. Missing cells are empty; cells beyond the columns are
	// not shown.
	Cells []string
	// Group is the text of a heading, empty for a row of cells.
	Group string
	// Marked highlights the row, such as the chosen τ.
	Marked bool
}

// plain returns the table with safe texts and a cell for each column.
func (t Table) plain() Table {
	out := Table{Title: report.Plain(t.Title), Note: t.Note, Folded: t.Folded}
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

// tableView is the table as it is shown.
type tableView struct {
	Table
	Span int
}

func (t Table) view() *tableView { return &tableView{t.plain(), len(t.Columns)} }

// width is about how many characters the longest cells of a table have, side by side.
func (t Table) width() (all int) {
	for i, c := range t.Columns {
		most := uniseg.StringWidth(c.Name)
		for _, r := range t.Rows {
			if r.Group == "" {
				most = max(most, uniseg.StringWidth(r.Cells[i]))
			}
		}
		all += most + 2
	}
	return all
}
