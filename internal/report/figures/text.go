package figures

import (
	"fmt"
	"math"
	"strconv"
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

// hanging prints a text after head, and indents its other lines as far.
func (p printer) hanging(head, text string) {
	n := p.W.Len()
	p.Paragraph(strings.Repeat(" ", uniseg.StringWidth(head)), text)
	rest := strings.TrimLeft(string(p.W.Bytes()[n:]), " ")
	p.W.Truncate(n)
	p.W.WriteString(head + rest)
}

// figure prints the title and the note of a figure.
func (p printer) figure(title, note string) {
	if title = report.Plain(title); title != "" {
		p.Paragraph("", title)
	}
	for _, s := range paragraphs(note) {
		p.Paragraph("", s)
	}
}

// notes prints each note on lines of its own.
func (p printer) notes(notes []string) {
	for _, n := range notes {
		p.Paragraph("", n)
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
	return strings.TrimRight(b.String(), " ") + "…"
}

// nothing is the text of a figure without values.
const nothing = "There are no values."

// noNumber is the text of a missing value.
const noNumber = "–"

// number is a value for a table, hardly rounded.
func number(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return noNumber
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// short is a rounded value.
func short(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return noNumber
	case a >= 1e4:
		return strconv.FormatFloat(v, 'g', 4, 64)
	case a > 0 && a < 5e-4:
		return strconv.FormatFloat(v, 'g', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

func interval(low, high float64, format func(float64) string) string {
	if !drawable(low) || !drawable(high) {
		return noNumber
	}
	return fmt.Sprintf("[%s, %s]", format(low), format(high))
}

const gap = 2 // between columns

func (t Table) text(p printer) {
	t = t.plain()
	p.figure(t.Title, t.Note)
	p.table(t)
	p.notes(t.Footnotes)
	p.line("")
}

// table prints as many columns as fit, then the first column again with the next columns. It
// wraps heads of several words. A column has at most half of the width; words at the end of a row
// have all that the other columns leave.
func (p printer) table(t Table) {
	if len(t.Columns) == 0 {
		return
	}
	wide := make([]int, len(t.Columns))
	heads := make([][]string, len(t.Columns))
	rest := p.width() - 2 // of the columns so far
	for i, c := range t.Columns {
		for _, w := range strings.Fields(c.Name) {
			wide[i] = max(wide[i], uniseg.StringWidth(w))
		}
		for _, r := range t.Rows {
			if r.Group == "" {
				wide[i] = max(wide[i], uniseg.StringWidth(r.Cells[i]))
			}
		}
		most := p.width() - 2
		if len(t.Columns) > 1 {
			most = (most - gap) / 2
		}
		if i == len(wide)-1 && !c.Numbers {
			most = max(most, rest)
		}
		wide[i] = min(wide[i], most)
		rest -= wide[i] + gap
		heads[i] = words(c.Name, wide[i])
	}
	for from := 1; ; {
		shown, used := []int{0}, 2+wide[0]
		for from < len(wide) && used+gap+wide[from] <= p.width() {
			used += gap + wide[from]
			shown = append(shown, from)
			from++
		}
		headRows := 0
		for _, i := range shown {
			headRows = max(headRows, len(heads[i]))
		}
		cells := func(sign string, of func(i int) string) {
			for k, i := range shown {
				if k > 0 {
					sign += strings.Repeat(" ", gap)
				}
				sign += pad(elide(of(i), wide[i]), wide[i], t.Columns[i].Numbers)
			}
			p.line(sign)
		}
		for k := range headRows {
			cells("  ", func(i int) string { // the heads end on the last line
				if n := k - (headRows - len(heads[i])); n >= 0 {
					return heads[i][n]
				}
				return ""
			})
		}
		for _, r := range t.Rows {
			switch {
			case r.Group != "":
				p.line(elide("- "+r.Group, p.width()))
			case r.Marked:
				cells("> ", func(i int) string { return r.Cells[i] })
			default:
				cells("  ", func(i int) string { return r.Cells[i] })
			}
		}
		if from >= len(wide) {
			return
		}
		p.line("")
	}
}

// words breaks a text into lines of a width.
func words(s string, width int) (lines []string) {
	wide := 0 // of the last line
	for _, w := range strings.Fields(s) {
		k := uniseg.StringWidth(w)
		if n := len(lines); n > 0 && wide+1+k <= width {
			lines[n-1] += " " + w
			wide += 1 + k
		} else {
			lines = append(lines, w)
			wide = k
		}
	}
	return lines
}
