package figures

import (
	"fmt"
	"strings"

	"github.com/rivo/uniseg"

	"crscore/internal/report"
)

// printer writes text for a terminal.
type printer struct{ report.Printer }

func (p printer) width() int {
	if w := p.Opts.Width; w > 0 {
		return max(w, 40)
	}
	return 80
}

func (p printer) line(s string) { p.W.WriteString(strings.TrimRight(s, " ") + "\n") }

// title prints a heading with a line below it.
func (p printer) title(text, line string) {
	if text = report.Plain(text); text == "" {
		return
	}
	p.Paragraph("", text)
	p.line(strings.Repeat(line, min(uniseg.StringWidth(text), p.width())))
	p.line("")
}

func (p printer) paragraphs(text string) {
	for _, s := range paragraphs(text) {
		p.Paragraph("", s)
		p.line("")
	}
}

// pad fills a cell to a width in columns.
func pad(s string, width int, right bool) string {
	fill := strings.Repeat(" ", max(0, width-uniseg.StringWidth(s)))
	if right {
		return fill + s
	}
	return s + fill
}

// elide shortens a text to a width in columns.
func elide(s string, width int) string {
	if uniseg.StringWidth(s) <= width {
		return s
	}
	var b strings.Builder
	room := width - 1
	for g := uniseg.NewGraphemes(s); g.Next(); {
		if room -= g.Width(); room < 0 {
			break
		}
		b.WriteString(g.Str())
	}
	return b.String() + "…"
}

const gap = 2 // between columns

func (t Table) text(p printer) {
	t = t.plain()
	p.figure(t.Title, t.Note)
	p.table(t)
	for _, f := range t.Footnotes {
		p.Paragraph("", f)
	}
	p.line("")
}

// figure prints the title of a figure and what is said about it.
func (p printer) figure(title, note string) {
	if title = report.Plain(title); title != "" {
		p.Paragraph("", title)
	}
	for _, s := range paragraphs(note) {
		p.Paragraph("", s)
	}
}

// table prints as many columns beside each other as there is room for, then the
// first column again with the next ones.
func (p printer) table(t Table) {
	if len(t.Columns) == 0 {
		return
	}
	wide := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		most := p.width() - 3
		if len(t.Columns) > 1 {
			most = p.width()/2 - 2
		}
		wide[i] = uniseg.StringWidth(c.Name)
		for _, r := range t.Rows {
			if r.Group == "" {
				wide[i] = max(wide[i], uniseg.StringWidth(r.Cells[i]))
			}
		}
		wide[i] = min(wide[i], most)
	}
	for from := 1; from <= len(wide); {
		shown, used := []int{0}, wide[0]+2
		for from < len(wide) && used+gap+wide[from] <= p.width() {
			used += gap + wide[from]
			shown = append(shown, from)
			from++
		}
		cells := func(sign string, of func(i int) string) {
			s := sign
			for k, i := range shown {
				if k > 0 {
					s += strings.Repeat(" ", gap)
				}
				s += pad(elide(of(i), wide[i]), wide[i], t.Columns[i].Numbers)
			}
			p.line(s)
		}
		cells("  ", func(i int) string { return t.Columns[i].Name })
		for _, r := range t.Rows {
			switch {
			case r.Group != "":
				p.line(elide("  "+r.Group, p.width()))
			case r.Marked:
				cells("> ", func(i int) string { return r.Cells[i] })
			default:
				cells("  ", func(i int) string { return r.Cells[i] })
			}
		}
		if from >= len(wide) {
			break
		}
		p.line("")
	}
}

func (c Cases) text(p printer) {
	p.figure(c.Title, c.Note)
	p.line("")
	for _, one := range c.Cases {
		head := one.Title
		if len(one.Facts) > 0 {
			head += ": " + strings.Join(one.Facts, ", ")
		}
		p.Paragraph("", head)
		if one.Note != "" {
			p.Paragraph("  ", one.Note)
		}
		p.line("")
	}
}

func number(v float64) string { return fmt.Sprintf("%.6g", v) }
