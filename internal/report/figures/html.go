package figures

import (
	_ "embed"
	"fmt"

	"crscore/internal/report"
)

//go:embed page.css
var layoutCSS string

// pageCSS is the style sheet of a page.
func pageCSS() string { return drawingCSS() + layoutCSS }

// view has the contents of a page. Its strings are plain text.
type view struct {
	Title    string
	Lead     []string
	Warnings []string
	Sections []sectionView
	Foot     []string
	CSS      string
}

type sectionView struct {
	ID     string
	Title  string
	Text   []string
	Blocks []block
}

// block is a figure in HTML: drawings with their data, a table, or cases.
type block struct {
	ID       string
	Title    string
	Notes    []string
	Drawings []drawing
	Legend   *legend
	Key      string // the explanation of the drawing
	Data     *tableView
	Table    *tableView
	Cases    []caseView
}

// wide reports whether the figure needs the whole width of a large screen.
func (b block) wide() bool { return len(b.Cases) > 0 || b.Table != nil && b.Table.width() > 65 }

func (b *block) add(n int, d drawing) {
	d.ID = fmt.Sprintf("drawing-%d-%s", n, d.Class)
	b.Drawings = append(b.Drawings, d)
}

// legend names the series of a drawing.
type legend struct {
	Class string
	Items []legendItem
}

// legendItem is the sign of a series and its name.
type legendItem struct {
	sign func(x, y float64) []part // 30 wide and 10 high, around y
	Name string
}

func (p Page) view() view {
	v := view{Title: orElse(report.Plain(p.Title), "Report"), Lead: paragraphs(p.Lead), Foot: paragraphs(p.Foot), CSS: pageCSS()}
	for _, w := range p.Warnings {
		v.Warnings = append(v.Warnings, sentence(report.Plain(w)))
	}
	n := 0
	for i, s := range p.Sections {
		heading := orElse(report.Plain(s.Title), fmt.Sprintf("Part %d", i+1))
		sv := sectionView{ID: fmt.Sprintf("part-%d", i+1), Title: heading, Text: paragraphs(s.Text)}
		for _, f := range s.Figures {
			n++
			b := f.html(n)
			b.ID = fmt.Sprintf("figure-%d", n)
			title := orElse(b.Title, sv.Title)
			for k := range b.Drawings {
				b.Drawings[k].Title = title
			}
			for _, t := range []*tableView{b.Data, b.Table} {
				if t != nil {
					t.Title = title
				}
			}
			if len(b.Cases) > 0 {
				b.Title = orElse(b.Title, "Cases") // theirs are the next level
			}
			for k := range b.Cases {
				b.Cases[k].Title = orElse(b.Cases[k].Title, fmt.Sprintf("Case %d", k+1))
			}
			sv.Blocks = append(sv.Blocks, b)
		}
		v.Sections = append(v.Sections, sv)
	}
	return v
}

// orElse gives an empty heading a text: screen readers jump from heading to heading.
func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
