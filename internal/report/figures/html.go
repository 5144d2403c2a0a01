package figures

import (
	_ "embed"
	"fmt"
	"html/template"

	"crscore/internal/report"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS template.CSS

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

// view is what the template is made with. Its strings are plain text, which the
// template escapes.
type view struct {
	Title    string
	Lead     []string
	Sections []sectionView
	Foot     []string
	CSS      template.CSS
}

type sectionView struct {
	Title  string
	Text   []string
	Blocks []block
}

// block is a figure in HTML.
type block struct {
	ID    string
	Title string
	Notes []string
	Table *tableView // what the drawing shows, or the figure itself
}

type tableView struct {
	Columns []Column
	Rows    []Row
	Span    int
	Notes   []string
}

func (p Page) view() view {
	v := view{Title: report.Plain(p.Title), Lead: paragraphs(p.Lead), Foot: paragraphs(p.Foot), CSS: pageCSS}
	n := 0
	for _, s := range p.Sections {
		sv := sectionView{Title: report.Plain(s.Title), Text: paragraphs(s.Text)}
		for _, f := range s.Figures {
			n++
			b := f.html(n)
			b.ID = fmt.Sprintf("figure-%d", n)
			sv.Blocks = append(sv.Blocks, b)
		}
		v.Sections = append(v.Sections, sv)
	}
	return v
}

// plain returns a table whose rows have a cell for each column and whose texts
// are safe to show.
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
	t = t.plain()
	return block{Title: t.Title, Notes: paragraphs(t.Note), Table: t.view()}
}

func (t Table) view() *tableView {
	return &tableView{t.Columns, t.Rows, len(t.Columns), t.Footnotes}
}
