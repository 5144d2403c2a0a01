package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"crscore/internal/report"
)

// Lines are curves over a common horizontal axis, such as scores over τ.
type Lines struct {
	// Title is above the figure. Note is the text with it, empty for none; an empty line
	// separates its paragraphs.
	Title, Note string
	// X and Y are the horizontal and the vertical axis.
	X, Y Axis
	// At are the places on the horizontal axis, ascending.
	At      []float64
	Series  []Series
	Markers []Marker
}

// Series is a curve. Its slices have a value for each place in [Lines].At. A NaN, or a slice
// that is too short, is a gap of the curve.
type Series struct {
	// Name is shown in the legend.
	Name string
	// Y are the values of the curve.
	Y []float64
	// Low and High bound a band around the curve; nil for no band.
	Low, High []float64
	// Dots asks for dots with their intervals as bars, and no line: for observed values beside a
	// fitted curve.
	Dots bool
}

// value returns the i-th of values, or NaN beyond the end.
func value(values []float64, i int) float64 {
	if i < len(values) {
		return values[i]
	}
	return math.NaN()
}

// bounded is the figure with safe texts and at most the drawable number of curves and places.
// The place of each marker is among them.
func (l Lines) bounded() Lines {
	l.Title, l.X.Label, l.Y.Label = report.Plain(l.Title), report.Plain(l.X.Label), report.Plain(l.Y.Label)
	low, high := l.X.span(l.At)
	l.Markers = plainMarkers(l.Markers, low, high)
	if n := len(l.Series); n > drawnSeries {
		l.Note += fmt.Sprintf("\n\nOf %d curves the first %d are shown.", n, drawnSeries)
		l.Series = l.Series[:drawnSeries]
	}
	series := make([]Series, len(l.Series))
	step := every(len(l.At), drawnPlaces)
	marked := l.marked()
	keep := func(values []float64) []float64 {
		if values == nil {
			return nil
		}
		out := make([]float64, 0, min(len(l.At), drawnPlaces+len(marked)+1))
		for i := range l.At {
			if i%step == 0 || i == len(l.At)-1 || marked[i] {
				out = append(out, value(values, i))
			}
		}
		return out
	}
	for i, s := range l.Series {
		series[i] = Series{report.Plain(s.Name), keep(s.Y), keep(s.Low), keep(s.High), s.Dots}
	}
	if step > 1 {
		l.Note += fmt.Sprintf("\n\nOf %d places every %dth is shown.", len(l.At), step)
	}
	l.Series, l.At = series, keep(l.At)
	return l
}

// plainMarkers keeps the markers that have a place on an axis, with safe labels.
func plainMarkers(markers []Marker, low, high float64) (out []Marker) {
	for _, m := range markers {
		if m.X >= low && m.X <= high && len(out) < drawnSeries {
			m.Label = report.Plain(m.Label)
			out = append(out, m)
		}
	}
	return out
}

// marked are the places next to the markers.
func (l Lines) marked() map[int]bool {
	out := make(map[int]bool)
	for _, m := range l.Markers {
		if i := l.nearest(m.X); i >= 0 {
			out[i] = true
		}
	}
	return out
}

func (l Lines) nearest(x float64) int {
	best, far := -1, math.Inf(1)
	for i, v := range l.At {
		if d := math.Abs(v - x); d < far {
			best, far = i, d
		}
	}
	return best
}

// data is the table of a bounded figure, with values in a format and unrounded places. The
// rows at the markers are marked.
func (l Lines) data(format func(float64) string) Table {
	t := Table{Columns: []Column{{l.X.Label, true}}}
	for _, s := range l.Series {
		t.Columns = append(t.Columns, Column{s.Name, true})
		if s.Low != nil && s.High != nil {
			t.Columns = append(t.Columns, Column{s.Name + " interval", true})
		}
	}
	marked := l.marked()
	for i, x := range l.At {
		row := Row{Cells: []string{number(x)}, Marked: marked[i]}
		for _, s := range l.Series {
			row.Cells = append(row.Cells, format(value(s.Y, i)))
			if s.Low != nil && s.High != nil {
				row.Cells = append(row.Cells, interval(value(s.Low, i), value(s.High, i), format))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// empty reports whether no curve has a value.
func (l Lines) empty() bool {
	return !slices.ContainsFunc(l.Series, func(s Series) bool { return slices.ContainsFunc(s.Y, drawable) })
}

func (l Lines) spans() (x, y Axis) {
	var values [][]float64
	for _, s := range l.Series {
		values = append(values, s.Y, s.Low, s.High)
	}
	x, y = l.X, l.Y
	x.Min, x.Max = l.X.span(l.At)
	y.Min, y.Max = l.Y.span(values...)
	return x, y
}

func (l Lines) html(n int) block {
	l = l.bounded()
	b := block{Title: l.Title, Notes: paragraphs(l.Note), Data: l.data(number).view()}
	if l.empty() {
		b.Key, b.Data = nothing, nil
		return b
	}
	b.Key = l.key()
	whole := make(map[string]bool)
	for _, s := range sizes {
		var f *frame
		f, whole[s.class] = l.frame(s)
		f.Desc = l.describe()
		b.add(n, f.drawing)
	}
	// Names that fit beside their curves need no legend.
	if whole["wide"] && whole["narrow"] {
		return b
	}
	b.Legend = &legend{Class: "legend"}
	if whole["wide"] {
		b.Legend.Class += " phone"
	}
	b.Legend.Items = l.legend()
	return b
}

func (l Lines) legend() (items []legendItem) {
	for i, s := range l.Series {
		kind := "line"
		if s.Dots {
			kind = "dots"
		}
		items = append(items, legendItem{swatch(kind, i), s.Name})
	}
	return items
}

func (l Lines) frame(s size) (f *frame, whole bool) {
	right := 0.0
	for _, c := range l.Series {
		right = max(right, s.textWidth(c.Name, bold)+16)
	}
	s.height = max(s.height, float64(len(l.Series)+5)*s.font*rowHeight)
	x, y := l.spans()
	f = s.frame(y, y.Min, y.Max, len(l.Markers), min(right, s.labels))
	f.across(x, x.Min, x.Max)
	f.markers(l.Markers)
	has := func(i int, v float64) bool { return drawable(v) && f.y.has(v) && f.x.has(l.At[i]) }
	for k, c := range l.Series {
		if !c.Dots {
			f.path("band "+seriesClass(k), f.band(l.At, c, has))
		}
	}
	var names []name
	for k, c := range l.Series {
		class := seriesClass(k)
		last := -1
		at := func(i int) (px, py float64, ok bool) {
			if v := value(c.Y, i); has(i, v) {
				return f.x.at(l.At[i]), f.y.at(v), true
			}
			return 0, 0, false
		}
		var dots strings.Builder
		for i := range l.At {
			px, py, ok := at(i)
			if !ok {
				continue
			}
			last = i
			if c.Dots {
				if low, high := value(c.Low, i), value(c.High, i); low < high && has(i, low) && has(i, high) {
					f.path("bar "+class, line(px, f.y.at(low), px, f.y.at(high)))
				}
				dots.WriteString("M" + point(px, py) + "h0")
			}
		}
		if c.Dots {
			f.Parts = append(f.Parts, part{Class: "dots " + class, D: dots.String(), Tip: c.Name})
		} else {
			f.Parts = append(f.Parts, part{Class: "line " + class, D: pathOf(len(l.At), at), Tip: c.Name})
			f.Parts = append(f.Parts, marksAlong(k, len(l.At), at)...)
		}
		for _, m := range l.Markers {
			if i := l.nearest(m.X); i >= 0 && !c.Dots {
				if px, py, ok := at(i); ok {
					f.path("at "+class, "M"+point(px, py)+"h0")
				}
			}
		}
		if last >= 0 {
			px, py, _ := at(last)
			names = append(names, name{px, py, class, c.Name})
		}
	}
	return f, f.names(names)
}

// band is the outline of each run of places with both bounds. It is cut off at the ends of the
// vertical axis.
func (f *frame) band(at []float64, c Series, has func(int, float64) bool) string {
	var b strings.Builder
	cut := func(v float64) float64 { return f.y.at(max(f.y.min, min(v, f.y.max))) }
	ok := func(i int) bool {
		low, high := value(c.Low, i), value(c.High, i)
		return low < high && drawable(low) && drawable(high) && f.x.has(at[i])
	}
	for i := 0; i < len(at); i++ {
		from := i
		for i < len(at) && ok(i) {
			i++
		}
		if i-from < 2 {
			continue
		}
		sign := "M"
		for k := from; k < i; k++ {
			b.WriteString(sign + point(f.x.at(at[k]), cut(c.High[k])))
			sign = "L"
		}
		for k := i - 1; k >= from; k-- {
			b.WriteString("L" + point(f.x.at(at[k]), cut(c.Low[k])))
		}
		b.WriteString("Z")
	}
	return b.String()
}

// key explains the markers, with the values there, and the bands.
func (l Lines) key() string {
	var out []string
	for _, m := range l.Markers {
		i := l.nearest(m.X)
		if i < 0 {
			continue
		}
		var values []string
		for _, s := range l.Series {
			if v := value(s.Y, i); drawable(v) {
				values = append(values, s.Name+" "+short(v))
			}
		}
		if len(values) > 0 {
			at := ""
			if l.At[i] != m.X {
				at = " (at " + number(l.At[i]) + ")"
			}
			out = append(out, "At "+m.Label+at+": "+strings.Join(values, ", ")+".")
		}
	}
	out = append(out, shades(l.Markers)...)
	if slices.ContainsFunc(l.Series, func(s Series) bool { return s.Low != nil && s.High != nil }) {
		out = append(out, "Around curves and at points: intervals.")
	}
	out = append(out, notDrawn(l.beyond())...)
	return strings.Join(out, " ")
}

// shades explains the shaded intervals of markers.
func shades(markers []Marker) (out []string) {
	for _, m := range markers {
		if m.Low < m.High {
			out = append(out, fmt.Sprintf("Shaded: the interval of %s, %s to %s.", m.Label, short(m.Low), short(m.High)))
		}
	}
	return out
}

// beyond returns the number of values beyond the axes.
func (l Lines) beyond() (n int) {
	x, y := l.spans()
	for _, s := range l.Series {
		for i, at := range l.At {
			if v := value(s.Y, i); drawable(v) && (v < y.Min || v > y.Max || at < x.Min || at > x.Max) {
				n++
			}
		}
	}
	return n
}

// notDrawn says how many values are beyond an axis with a given range.
func notDrawn(n int) []string {
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Values beyond the axes, not drawn: %d.", n)}
}

// describe tells the first and the last value of each curve.
func (l Lines) describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Curves over %s.", l.X.Label)
	for _, s := range l.Series {
		first, last := -1, -1
		for i := range l.At {
			if drawable(value(s.Y, i)) {
				if last = i; first < 0 {
					first = i
				}
			}
		}
		if first < 0 {
			fmt.Fprintf(&b, " %s has no values.", s.Name)
			continue
		}
		fmt.Fprintf(&b, " %s goes from %s at %s to %s at %s.", s.Name, short(s.Y[first]), short(l.At[first]), short(s.Y[last]), short(l.At[last]))
	}
	return b.String()
}

func (l Lines) sheet(s size) (drawing, bool) {
	l = l.bounded()
	f, whole := l.frame(s)
	if !whole {
		f.legend(l.legend())
	}
	return f.drawing, whole
}

func (l Lines) numbers() [][]string {
	head := []string{orElse(l.X.Label, "x")}
	for _, s := range l.Series {
		head = append(head, s.Name)
		if s.Low != nil && s.High != nil {
			head = append(head, s.Name+" low", s.Name+" high")
		}
	}
	rows := [][]string{cells(head...)}
	for i, x := range l.At {
		row := []string{exact(x)}
		for _, s := range l.Series {
			row = append(row, exact(value(s.Y, i)))
			if s.Low != nil && s.High != nil {
				row = append(row, exact(value(s.Low, i)), exact(value(s.High, i)))
			}
		}
		rows = append(rows, row)
	}
	return withMarkers(rows, l.Markers)
}
