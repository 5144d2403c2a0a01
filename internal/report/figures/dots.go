package figures

import (
	"fmt"
	"strings"

	"github.com/rivo/uniseg"

	"crscore/internal/report"
)

// Dots compare numbers that have intervals: a row each, with a dot and a line through it.
type Dots struct {
	// Title is above the figure. Note is the text with it, empty for none; an empty line
	// separates its paragraphs.
	Title, Note string
	// X is the axis of the numbers. The range of the data includes 0.
	X Axis
	// Rows are drawn from top to bottom.
	Rows []Dot
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

const maxRows = 100 // of Dots: more are not readable

// bounded returns the figure with safe texts and a bounded number of rows.
func (d Dots) bounded() Dots {
	d.Title, d.X.Label = report.Plain(d.Title), report.Plain(d.X.Label)
	if n := len(d.Rows); n > maxRows {
		d.Note += fmt.Sprintf("\n\nOf %d rows the first %d are shown.", n, maxRows)
		d.Rows = d.Rows[:maxRows]
	}
	rows := make([]Dot, len(d.Rows))
	for i, r := range d.Rows {
		r.Name = report.Plain(r.Name)
		rows[i] = r
	}
	d.Rows = rows
	return d
}

func (r Dot) hasInterval() bool { return r.Low < r.High && drawable(r.Low) && drawable(r.High) }

// number is the value with its interval, in words.
func (r Dot) number() string {
	if !r.hasInterval() {
		return short(r.Value)
	}
	return short(r.Value) + " " + interval(r.Low, r.High, short)
}

// empty reports whether no row has a value.
func (d Dots) empty() bool {
	for _, r := range d.Rows {
		if drawable(r.Value) {
			return false
		}
	}
	return true
}

func (d Dots) span() (low, high float64) {
	values := []float64{0}
	for _, r := range d.Rows {
		values = append(values, r.Value)
		if r.hasInterval() {
			values = append(values, r.Low, r.High)
		}
	}
	return d.X.span(values)
}

// beyond is the number of values beyond the axis.
func (d Dots) beyond() (n int) {
	low, high := d.span()
	for _, r := range d.Rows {
		if drawable(r.Value) && (r.Value < low || r.Value > high) {
			n++
		}
	}
	return n
}

func (d Dots) html(n int) block {
	d = d.bounded()
	out := block{Title: d.Title, Notes: paragraphs(d.Note)}
	if d.empty() {
		out.Key = nothing
		return out
	}
	data := Table{Columns: Columns("", d.X.Label, "interval")}
	var desc strings.Builder
	fmt.Fprintf(&desc, "%s, a row each.", d.X.Label)
	for _, r := range d.Rows {
		whiskers := noNumber
		if r.hasInterval() {
			whiskers = interval(r.Low, r.High, number)
		}
		data.Rows = append(data.Rows, Row{Cells: []string{r.Name, number(r.Value), whiskers}, Marked: r.Marked})
		fmt.Fprintf(&desc, " %s: %s.", r.Name, r.number())
	}
	out.Data = data.view()
	for _, s := range sizes {
		drawn := d.draw(s)
		drawn.Desc = desc.String()
		out.add(n, drawn)
	}
	out.Key = strings.Join(notDrawn(d.beyond()), " ")
	return out
}

// draw has name, dot and number of a row side by side, or on a phone the dot below the others.
func (d Dots) draw(s size) drawing {
	f := &frame{size: s}
	f.Class, f.W = s.class, s.width
	var names, numbers float64
	for _, r := range d.Rows {
		names, numbers = max(names, s.textWidth(r.Name, bold)), max(numbers, s.textWidth(r.number(), regular))
	}
	row, pad := s.font*rowHeight, s.font*0.6
	step, above := 1.4*row, 0.0
	names = min(names, s.width-2*pad-numbers)
	f.left, f.right = min(names, s.labels)+2*pad, s.width-numbers-2*pad
	if s.class == "narrow" || f.right-f.left < s.width/4 {
		step, above = 2.3*row, 0.9*row
		f.left, f.right = pad, s.width-pad
	} else {
		names = min(names, s.labels)
	}
	f.bottom = step * float64(len(d.Rows))
	f.H = f.bottom + 2*row + 8
	low, high := d.span()
	f.x = scale{low, high, f.left, f.right}
	at, _ := f.ticksFor(low, high)
	for _, v := range at {
		f.path("grid", line(f.x.at(v), 0, f.x.at(v), f.bottom))
	}
	f.across(d.X, low, high)
	if f.x.has(0) {
		f.path("base", line(f.x.at(0), 0, f.x.at(0), f.bottom))
	}
	for i, r := range d.Rows {
		y := step*(float64(i)+0.5) + above/2
		class, name := "s5", "tick"
		if r.Marked {
			class, name = "s0", "name s0"
		}
		if r.hasInterval() && r.Low <= high && r.High >= low {
			f.path("bar "+class, line(f.x.at(f.x.cut(r.Low)), y, f.x.at(f.x.cut(r.High)), y))
		}
		if f.x.has(r.Value) {
			kind := "disc "
			if r.Hollow {
				kind = "ring "
			}
			f.Parts = append(f.Parts, part{Class: kind + class, D: circle(f.x.at(r.Value), y, s.font*0.36), Tip: r.Name + ": " + r.number()})
		}
		f.text(name, pad, y-above+s.font*0.35, "start", s.fit(r.Name, names, bold))
		f.text("tick", s.width-pad/2, y-above+s.font*0.35, "end", s.fit(r.number(), s.width/2, regular))
	}
	return f.drawing
}

// circle is a circle of four curves.
func circle(x, y, r float64) string {
	const k = 0.5523 // of the radius: the distance of a curve's controls from its ends
	curve := func(x1, y1, x2, y2, x3, y3 float64) string {
		return "C" + point(x+r*x1, y+r*y1) + " " + point(x+r*x2, y+r*y2) + " " + point(x+r*x3, y+r*y3)
	}
	return "M" + point(x+r, y) + curve(1, k, k, 1, 0, 1) + curve(-k, 1, -1, k, -1, 0) +
		curve(-1, -k, -k, -1, 0, -1) + curve(k, -1, 1, -k, 1, 0) + "Z"
}

// text prints a line for each row, or two where the screen is too narrow.
func (d Dots) text(p printer) {
	d = d.bounded()
	p.figure(d.Title, d.Note)
	if d.empty() {
		p.line(nothing + "\n")
		return
	}
	low, high := d.span()
	margin, numbers := 0, 0
	for _, r := range d.Rows {
		margin, numbers = max(margin, uniseg.StringWidth(r.Name)), max(numbers, uniseg.StringWidth(r.number()))
	}
	margin = min(margin, p.width()/3)
	cols, before := p.width()-margin-numbers-6, margin+4
	stacked := cols < 20
	if stacked {
		cols, before = p.width()-4, 4
	}
	cols = min(cols, chartCols)
	s := scale{low, high, 0, float64(cols - 1)}
	for _, r := range d.Rows {
		sign := "  "
		if r.Marked {
			sign = "> "
		}
		if chart := r.chart(s, cols); stacked {
			p.line(sign + elide(r.Name, p.width()-numbers-4) + "  " + r.number())
			p.line("    " + chart)
		} else {
			p.line(sign + pad(elide(r.Name, margin), margin, false) + "  " + chart + "  " + r.number())
		}
	}
	at, labels := ticks(low, high, max(1, cols/12))
	p.line(strings.Repeat(" ", before) + ruler(s, cols, at, labels))
	p.Paragraph(strings.Repeat(" ", before), d.X.Label)
	p.notes(notDrawn(d.beyond()))
	p.line("")
}

// chart draws a row on a line of characters.
func (r Dot) chart(s scale, cols int) string {
	cells := []rune(strings.Repeat(" ", cols))
	put := func(v float64, sign rune) {
		if s.has(v) {
			cells[int(s.at(v)+0.5)] = sign
		}
	}
	put(0, '|')
	if r.hasInterval() && r.Low <= s.max && r.High >= s.min {
		from, to := int(s.at(s.cut(r.Low))+0.5), int(s.at(s.cut(r.High))+0.5)
		for c := from; c <= to; c++ {
			cells[c] = '─'
		}
		put(r.Low, '├')
		put(r.High, '┤')
	}
	put(r.Value, map[bool]rune{true: '○', false: '●'}[r.Hollow])
	return string(cells)
}
