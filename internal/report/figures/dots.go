package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rivo/uniseg"

	"crscore/internal/report"
)

// Dots compare numbers that have intervals: a row each, with a dot and a line through it. The
// axis goes from the lowest to the highest, and has 0.
type Dots struct {
	// Title is above the figure. Note is the text with it, empty for none; an empty line
	// separates its paragraphs.
	Title, Note string
	// X names the numbers.
	X string
	// Rows are drawn from top to bottom.
	Rows []Dot
	// Shown is how many rows are drawn, the first ones; 0 for as many as are readable. The file of
	// numbers has all.
	Shown int
}

// Dot is a number with its interval.
type Dot struct {
	// Name is the name of the row.
	Name string
	// Value is the place of the dot; a row whose value is NaN has none.
	Value float64
	// Low and High are the interval, drawn where Low < High.
	Low, High float64
	// Marked highlights the row.
	Marked bool
	// Hollow draws a ring instead of the dot.
	Hollow bool
}

// DotOf is the row of an estimate; nil is no value, or no interval.
func DotOf(name string, value *float64, interval *[2]float64) Dot {
	d := Dot{Name: name, Value: math.NaN()}
	if value != nil {
		d.Value = *value
	}
	if interval != nil {
		d.Low, d.High = interval[0], interval[1]
	}
	return d
}

// bounded returns the figure with safe texts and a bounded number of rows, and its scale.
func (d Dots) bounded() (Dots, scale) {
	d.Title, d.X = report.Plain(d.Title), report.Plain(d.X)
	limit := drawnRows
	if d.Shown > 0 {
		limit = min(limit, d.Shown)
	}
	if n := len(d.Rows); n > limit {
		d.Note += fmt.Sprintf("\n\nOf %d rows the first %d are shown.", n, limit)
		d.Rows = d.Rows[:limit]
	}
	d.Rows = slices.Clone(d.Rows)
	x := scale{}
	see := func(v float64) {
		if drawable(v) {
			x.min, x.max = min(x.min, v), max(x.max, v)
		}
	}
	for i := range d.Rows {
		r := &d.Rows[i]
		r.Name = report.Plain(r.Name)
		see(r.Value)
		if r.hasInterval() {
			see(r.Low)
			see(r.High)
		}
	}
	edge := (x.max - x.min) / 25
	x.min, x.max = Axis{Min: x.min - edge, Max: x.max + edge}.span()
	return d, x
}

func (d Dots) empty() bool {
	return !slices.ContainsFunc(d.Rows, func(r Dot) bool { return drawable(r.Value) })
}

func (r Dot) hasInterval() bool { return r.Low < r.High && drawable(r.Low) && drawable(r.High) }

// number is the value with its interval.
func (r Dot) number() string {
	if !r.hasInterval() {
		return short(r.Value)
	}
	return short(r.Value) + " " + interval(r.Low, r.High, short)
}

func (d Dots) html(n int) block {
	d, x := d.bounded()
	out := block{Title: d.Title, Notes: paragraphs(d.Note)}
	if d.empty() {
		out.Key = nothing
		return out
	}
	data, desc := Table{Columns: Columns("", d.X, "interval")}, d.X+", a row each."
	for _, r := range d.Rows {
		whiskers := noNumber
		if r.hasInterval() {
			whiskers = interval(r.Low, r.High, number)
		}
		data.Rows = append(data.Rows, Row{Cells: []string{r.Name, number(r.Value), whiskers}, Marked: r.Marked})
		desc += fmt.Sprintf(" %s: %s.", r.Name, r.number())
	}
	out.Data = data.view()
	for _, s := range sizes {
		drawn, _ := d.draw(s, x)
		drawn.Desc = desc
		out.add(n, drawn)
	}
	return out
}

// draw has a row for each dot.
func (d Dots) draw(s size, x scale) (drawn drawing, whole bool) {
	rows := make([]row, len(d.Rows))
	for i, r := range d.Rows {
		rows[i] = row{name: r.Name, number: r.number(), class: "label", weight: regular}
		if r.Marked {
			rows[i].class, rows[i].weight = "name s0", bold
		}
	}
	f := s.rowed("", Axis{Label: d.X}, x.min, x.max, rows, s.font)
	f.path("base", "M"+point(f.x.at(0), 0)+"V"+px(f.bottom))
	for i, r := range d.Rows {
		y, class, dot := f.rows[i].y, "s5", "disc "
		if r.Marked {
			class = "s0"
		}
		if r.Hollow {
			dot = "ring "
		}
		if r.hasInterval() {
			f.path("bar "+class, line(f.x.at(r.Low), y, f.x.at(r.High), y))
		}
		if drawable(r.Value) {
			f.path(dot+class, circle(f.x.at(r.Value), y, s.font*0.3))
		}
	}
	return f.drawing, f.whole
}

// circle is a circle of four curves.
func circle(x, y, r float64) string {
	k := 0.5523 * r // from the end of a curve to its control
	return "M" + point(x+r, y) +
		"C" + point(x+r, y+k) + " " + point(x+k, y+r) + " " + point(x, y+r) +
		"C" + point(x-k, y+r) + " " + point(x-r, y+k) + " " + point(x-r, y) +
		"C" + point(x-r, y-k) + " " + point(x-k, y-r) + " " + point(x, y-r) +
		"C" + point(x+k, y-r) + " " + point(x+r, y-k) + " " + point(x+r, y) + "Z"
}

// text prints a line for each row, or two where the screen is too narrow.
func (d Dots) text(p printer) {
	d, s := d.bounded()
	p.figure(d.Title, d.Note)
	if d.empty() {
		p.line(nothing + "\n")
		return
	}
	names, numbers := 0, 0
	for _, r := range d.Rows {
		names, numbers = max(names, uniseg.StringWidth(r.Name)), max(numbers, uniseg.StringWidth(r.number()))
	}
	names = min(names, p.width()/3)
	before, cols := names+4, p.width()-names-numbers-6
	stacked := cols < 20
	if stacked {
		names, before, cols = p.width()-numbers-4, 4, p.width()-4
	}
	cols = min(cols, chartCols)
	s.to = float64(cols - 1)
	for _, r := range d.Rows {
		sign := "  "
		if r.Marked {
			sign = "> "
		}
		sign += pad(elide(r.Name, names), names, false) + "  "
		if stacked {
			p.line(sign + r.number())
			p.line("    " + r.chart(s, cols))
			continue
		}
		p.line(sign + r.chart(s, cols) + "  " + r.number())
	}
	at, labels := ticks(s.min, s.max, max(1, cols/12))
	p.line(strings.Repeat(" ", before) + ruler(s, cols, at, labels))
	p.Paragraph(strings.Repeat(" ", before), d.X)
	p.line("")
}

// chart draws a row on a line of characters.
func (r Dot) chart(s scale, cols int) string {
	cells := []rune(strings.Repeat(" ", cols))
	at := func(v float64) *rune { return &cells[int(s.at(v)+0.5)] }
	*at(0) = '|'
	if r.hasInterval() {
		for c := int(s.at(r.Low) + 0.5); c < int(s.at(r.High)+0.5); c++ {
			cells[c] = '─'
		}
		*at(r.Low), *at(r.High) = '├', '┤'
	}
	if drawable(r.Value) {
		*at(r.Value) = map[bool]rune{true: '○', false: '●'}[r.Hollow]
	}
	return string(cells)
}

func (d Dots) sheet(s size) (drawing, bool) {
	d, x := d.bounded()
	return d.draw(s, x)
}

func (d Dots) numbers() [][]string {
	rows := [][]string{cells("name", orElse(d.X, "value"), "low", "high")}
	for _, r := range d.Rows {
		row := append(cells(r.Name), exact(r.Value), "", "")
		if r.hasInterval() {
			row[2], row[3] = exact(r.Low), exact(r.High)
		}
		rows = append(rows, row)
	}
	return rows
}
