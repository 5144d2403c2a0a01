package figures

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rivo/uniseg"

	"crscore/internal/report/paper"
)

// drawing is a figure's paths and texts in pixels. Each figure is drawn for wide and for narrow
// screens and for paper: a scaled drawing would have text too small, or lines too coarse. Colours,
// dashes and fonts are those of the classes' styles.
type drawing struct {
	Class string // of its size
	ID    string
	W, H  float64
	Title string
	Desc  string // a description for screen readers
	Key   string // explains this drawing, where others of the figure have another key
	Parts []part
}

// part is a path, or with Text a text.
type part struct {
	Class  string
	D      string
	X, Y   float64
	Anchor string
	Text   string
	Tip    string // shown under the mouse
}

// size has the differences between the drawings of a figure.
type size struct {
	class       string
	width       float64
	height      float64
	font        float64
	labels      float64 // room for names beside the curves
	ticksAcross int
	exact       bool // the font is known
}

// sizes are those for screens.
var sizes = []size{
	{"wide", 720, 330, 13, 210, 10, false},
	{"narrow", 328, 270, 12, 96, 5, false},
}

const (
	drawnSeries = 24  // more are not readable
	drawnDots   = 300 // of a group
	drawnPlaces = 500 // of a curve, and rows of its table
	rowHeight   = 1.3 // of the font size
)

// drawable reports whether a value can be drawn: it is a number, and no difference of two such
// values overflows.
func drawable(v float64) bool { return math.Abs(v) < 1e100 }

// scale maps values to pixels.
type scale struct{ min, max, from, to float64 }

func (s scale) at(v float64) float64 {
	return s.from + (v-s.min)/(s.max-s.min)*(s.to-s.from)
}

func (s scale) has(v float64) bool { return v >= s.min && v <= s.max }

// cut is the value on the scale that is nearest to v.
func (s scale) cut(v float64) float64 { return max(s.min, min(v, s.max)) }

// span is the range of an axis: the given range, or the range of the values with round ends.
func (a Axis) span(values ...[]float64) (low, high float64) {
	if a.Min < a.Max && drawable(a.Min) && drawable(a.Max) {
		return a.Min, a.Max
	}
	low, high = math.Inf(1), math.Inf(-1)
	for _, vs := range values {
		for _, v := range vs {
			if drawable(v) {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	if low > high {
		return 0, 1
	}
	if wide := max(math.Abs(low), math.Abs(high)); high-low <= max(wide*1e-9, 1e-100) { // too small a step is 0
		pad := max(wide*1e-3, 0.5)
		if wide < 1 {
			pad = 0.5
		}
		return low - pad, high + pad
	}
	for range 3 { // round ends may need wider steps
		step := tickStep(low, high, 5)
		low, high = math.Floor(low/step+1e-9)*step, math.Ceil(high/step-1e-9)*step
	}
	return low, high
}

// tickStep is the round distance that gives about n ticks.
func tickStep(low, high float64, n int) float64 {
	rough := (high - low) / float64(max(n, 1))
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, m := range []float64{1, 2, 2.5, 5} {
		if rough <= m*power*(1+1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// ticks are the multiples of a round step within a range, with their labels.
func ticks(low, high float64, n int) (at []float64, labels []string) {
	step := tickStep(low, high, n)
	first, last := math.Ceil(low/step-1e-9), math.Floor(high/step+1e-9)
	for k := 0.0; first+k <= last && k < 50; k++ {
		v := (first + k) * step
		at = append(at, v)
		labels = append(labels, tickLabel(v, step))
	}
	return at, labels
}

func tickLabel(v, step float64) string {
	decimals := 0
	for d := step; decimals < 6 && math.Abs(d-math.Round(d)) > 1e-6*d; d *= 10 {
		decimals++
	}
	if a := math.Abs(v); a >= 1e6 || decimals == 6 {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

// frame is a drawing with axes.
type frame struct {
	drawing
	size
	x, y        scale
	left, right float64
	top, bottom float64
}

// Fonts differ; these are rather too much for a character of a text.
const (
	regular = 0.68
	bold    = 0.74
)

// textWidth is a text's width in pixels, an estimate where the font is not known.
func (s size) textWidth(text string, weight float64) float64 {
	if s.exact {
		return paper.Width(text, weight == bold) * s.font
	}
	return float64(uniseg.StringWidth(text)) * s.font * weight
}

// fit shortens a text to a width in pixels.
func (s size) fit(text string, width, weight float64) string {
	if !s.exact {
		return elide(text, max(2, int(width/(s.font*weight))))
	}
	if s.textWidth(text, weight) <= width {
		return text
	}
	end, wide := 0, s.textWidth("…", weight)
	for g := uniseg.NewGraphemes(text); g.Next(); {
		if wide += s.textWidth(g.Str(), weight); wide > width {
			break
		}
		_, end = g.Positions()
	}
	return strings.TrimRight(text[:end], " ") + "…"
}

// frame draws the frame: the vertical axis with its ticks and label, room for so many rows of
// markers above, and room for labels on the right.
func (s size) frame(y Axis, low, high float64, markers int, right float64) *frame {
	f := &frame{size: s}
	f.Class, f.W, f.H = s.class, s.width, s.height
	at, labels := ticks(low, high, 5)
	wide := 0.0
	for _, l := range labels {
		wide = max(wide, s.textWidth(l, regular))
	}
	row := s.font * rowHeight
	f.left, f.right = wide+10, s.width-right-8
	f.top, f.bottom = float64(1+markers)*row+10, s.height-2*row-8
	f.H += float64(markers) * row
	f.bottom += float64(markers) * row
	f.y = scale{low, high, f.bottom, f.top}
	f.text("axis", 0, s.font, "start", s.fit(y.Label, s.width, regular))
	for i, v := range at {
		f.path("grid", line(f.left, f.y.at(v), f.right, f.y.at(v)))
		f.text("tick", f.left-6, f.y.at(v)+s.font*0.35, "end", labels[i])
	}
	return f
}

// across draws the horizontal axis with numbers.
func (f *frame) across(x Axis, low, high float64) {
	f.x = scale{low, high, f.left, f.right}
	at, labels := f.ticksFor(low, high)
	f.path("base", line(f.left, f.bottom, f.right, f.bottom))
	for i, v := range at {
		f.path("base", line(f.x.at(v), f.bottom, f.x.at(v), f.bottom+4))
		f.text("tick", f.inside(f.x.at(v), labels[i]), f.bottom+4+f.font, "middle", labels[i])
	}
	f.xLabel(x.Label)
}

func (f *frame) xLabel(label string) {
	label = f.fit(label, f.W, regular)
	f.text("axis", f.inside((f.left+f.right)/2, label), f.H-f.font*0.35, "middle", label)
}

// ticksFor returns as many ticks as there is room for labels.
func (f *frame) ticksFor(low, high float64) (at []float64, labels []string) {
	for n := f.ticksAcross; ; n-- {
		at, labels = ticks(low, high, n)
		wide := 0.0
		for _, l := range labels {
			wide = max(wide, f.textWidth(l, regular))
		}
		if n == 1 || (wide+f.font)*float64(len(labels)-1) < f.right-f.left {
			return at, labels
		}
	}
}

// inside moves the middle of a text so that the text stays in the drawing.
func (f *frame) inside(x float64, text string) float64 {
	half := f.textWidth(text, regular) / 2
	return max(half, min(x, f.W-half))
}

// markers draws vertical lines, each with a row for its label.
func (f *frame) markers(markers []Marker) {
	for i, m := range markers { // the lines first: labels are on top of them
		if m.Low < m.High {
			from, to := f.x.at(f.x.cut(m.Low)), f.x.at(f.x.cut(m.High))
			f.path("interval", "M"+point(from, f.top)+"H"+px(to)+"V"+px(f.bottom)+"H"+px(from)+"Z")
		}
		f.path("marker", line(f.x.at(m.X), f.markerRow(i)-f.font*0.8, f.x.at(m.X), f.bottom))
	}
	for i, m := range markers {
		x, y := f.x.at(m.X), f.markerRow(i)
		label, anchor, at := m.Label, "start", x+5
		if f.W-at < f.textWidth(label, bold) && x > f.W/2 {
			anchor, at = "end", x-5
			label = f.fit(label, at, bold)
		} else {
			label = f.fit(label, f.W-at, bold)
		}
		f.text("marker", at, y, anchor, label)
	}
}

// markerRow is the base line of a marker's label, below the label of the axis.
func (f *frame) markerRow(i int) float64 { return float64(i+2) * f.font * rowHeight }

func (f *frame) path(class, d string) { f.Parts = append(f.Parts, part{Class: class, D: d}) }

func (f *frame) text(class string, x, y float64, anchor, text string) {
	if text != "" {
		f.Parts = append(f.Parts, part{Class: class, X: round(x), Y: round(y), Anchor: anchor, Text: text})
	}
}

// names writes names beside the right edge, each as near to its height as the others allow. It
// reports whether all names fit.
func (f *frame) names(names []name) (whole bool) {
	row := f.font * rowHeight
	slices.SortStableFunc(names, func(a, b name) int { return cmp.Compare(a.y, b.y) })
	places := make([]float64, len(names))
	for i, n := range names {
		places[i] = max(n.y, f.top+row/2)
		if i > 0 {
			places[i] = max(places[i], places[i-1]+row)
		}
	}
	lowest := f.bottom
	for i := len(places) - 1; i >= 0; i-- {
		places[i] = min(places[i], lowest)
		lowest = places[i] - row
	}
	whole = true
	room := f.W - f.right - 14
	for i, n := range names {
		f.path("leader", line(n.x+3, n.y, f.right+10, places[i]))
		text := f.fit(n.text, room, bold)
		whole = whole && text == n.text
		f.text("name "+n.class, f.right+13, places[i]+f.font*0.35, "start", text)
	}
	return whole
}

// name is the label at the end of a curve.
type name struct {
	x, y        float64
	class, text string
}

// pathOf joins the points of a curve. A new line begins after each gap. A single point is a
// dot, which round line ends make visible.
func pathOf(n int, at func(i int) (x, y float64, ok bool)) string {
	var b strings.Builder
	joined := false
	for i := range n {
		x, y, ok := at(i)
		switch {
		case !ok:
		case joined:
			b.WriteString("L" + point(x, y))
		default:
			b.WriteString("M" + point(x, y) + "h0")
		}
		joined = ok
	}
	return b.String()
}

func line(x1, y1, x2, y2 float64) string { return "M" + point(x1, y1) + "L" + point(x2, y2) }

func point(x, y float64) string { return px(x) + " " + px(y) }

func round(v float64) float64 { return math.Round(v*10) / 10 }

func px(v float64) string { return strconv.FormatFloat(round(v), 'f', -1, 64) }

// every is the step that keeps at most limit of n items.
func every(n, limit int) int { return max(1, (n+limit-1)/limit) }
