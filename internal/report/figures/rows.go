package figures

import (
	"slices"
	"strings"

	"github.com/rivo/uniseg"
)

// row is a row of a drawing: a name, a chart at a height, and a number.
type row struct {
	name, number string
	class        string // of the name, with its weight
	weight       float64
	y            float64 // the middle of the chart
}

const (
	drawnRows = 200  // more are not readable; the file of numbers has all
	nameLines = 12   // of a name
	digits    = 0.58 // of the font size: the width of a character of a number
)

// rowsFrame is a frame with rows over a common horizontal axis.
type rowsFrame struct {
	*frame
	rows  []row
	tall  float64 // the height of a chart
	whole bool    // each name has one line, beside its chart
}

// rowed lays rows out: name, chart and number side by side, or where there is no room for that the
// chart below the others. Names are whole: a long one has several lines.
func (s size) rowed(head string, x Axis, low, high float64, rows []row, tall float64) rowsFrame {
	f := rowsFrame{frame: &frame{size: s, x: scale{min: low, max: high}}, rows: slices.Clone(rows), tall: tall, whole: true}
	f.Class, f.W = s.class, s.width
	line, pad := s.font*rowHeight, s.font*0.6
	var names, numbers float64
	for _, r := range rows {
		names, numbers = max(names, s.textWidth(r.name, r.weight)), max(numbers, s.textWidth(r.number, digits))
	}
	room := min(names, s.width*0.45)
	f.left, f.right = room+2*pad, s.width-numbers-2*pad
	stacked := s.class == "narrow" || f.right-f.left < s.width/4
	if stacked {
		f.left, f.right = pad, s.width-pad
		room = s.width - 3*pad - numbers
	}
	y := 0.0
	if head != "" {
		f.text("axis", pad, line*0.8, "start", s.fit(head, s.width-pad, regular))
		y = line
	}
	f.top = y
	type placed struct {
		lines []string
		y     float64
	}
	texts := make([]placed, len(rows))
	for i, r := range rows {
		texts[i].lines = s.wrap(r.name, room, r.weight)
		high := float64(len(texts[i].lines)) * line
		middle := y + line*0.2 + max(tall, high)/2
		if stacked {
			middle = y + line*0.2 + high/2
			f.rows[i].y = middle + high/2 + tall/2
			y += high + tall + line*0.4
		} else {
			f.rows[i].y = middle
			y += max(tall, high) + line*0.4
		}
		texts[i].y = middle - high/2 + line/2 + s.font*0.35
		f.whole = f.whole && !stacked && len(texts[i].lines) == 1
	}
	f.bottom = y
	f.H = f.bottom + 2*line + 8
	f.across(x, low, high)
	at, _ := f.ticksFor(low, high)
	for _, v := range at {
		f.path("grid", "M"+point(f.x.at(v), f.top)+"V"+px(f.bottom))
	}
	for i, r := range rows {
		halo := ""
		if stacked { // lines of the grid are behind
			halo = " halo"
		}
		for k, text := range texts[i].lines {
			f.text(r.class+halo, pad, texts[i].y+float64(k)*line, "start", text)
		}
		number := f.rows[i].y + s.font*0.35
		if stacked {
			number = texts[i].y
		}
		f.text("tick"+halo, s.width-pad/2, number, "end", s.fit(r.number, s.width/2, digits))
	}
	return f
}

// wrap breaks a text into lines of a width, after spaces and signs between words, or anywhere.
func (s size) wrap(text string, width, weight float64) (lines []string) {
	width += 0.01 // a sum is not exact
	for text != "" && len(lines) < nameLines-1 {
		cut, end, wide := 0, 0, 0.0 // the last place to break at, and the last that fits
		for g := uniseg.NewGraphemes(text); g.Next(); {
			sign := g.Str()
			if wide += s.textWidth(sign, weight); wide > width && end > 0 && sign != " " {
				break
			}
			_, end = g.Positions()
			if strings.ContainsAny(sign, " -_/.:,;)") || end == len(text) {
				cut = end
			}
		}
		if cut == 0 {
			cut = end
		}
		lines = append(lines, strings.TrimSpace(text[:cut]))
		text = strings.TrimLeft(text[cut:], " ")
	}
	if text != "" || lines == nil {
		lines = append(lines, s.fit(text, width, weight))
	}
	return lines
}
