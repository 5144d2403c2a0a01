package figures

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/montanaflynn/stats"

	"crscore/internal/report"
	"crscore/internal/spelling"
)

// Boxes compare the values of groups: median, quartiles, the farthest values within one and a
// half box lengths, the mean, and the values themselves as dots.
type Boxes struct {
	// Title is above the figure. Note is the text with it, empty for none; an empty line
	// separates its paragraphs.
	Title, Note string
	// X names the groups, such as "human label".
	X string
	// Y is the axis of the values.
	Y Axis
	// Groups are drawn from top to bottom.
	Groups []Box
}

// Box is a group of values.
type Box struct {
	Sample
	// Low and High are an interval of the mean, drawn where Low < High.
	Low, High float64
}

// summary has the numbers of a group's box. They are NaN where there are no values.
type summary struct {
	name            string
	sorted          []float64 // values that are numbers
	undefined       int
	q1, median, q3  float64
	whiskerLow      float64
	whiskerHigh     float64
	mean, low, high float64
}

// summarize computes quartiles as medians of the lower and the upper half.
func (b Box) summarize() summary {
	nan := math.NaN()
	s := summary{name: report.Plain(b.Name), q1: nan, median: nan, q3: nan, whiskerLow: nan, whiskerHigh: nan, mean: nan, low: b.Low, high: b.High}
	for _, v := range b.Values {
		if drawable(v) {
			s.sorted = append(s.sorted, v)
		}
	}
	s.undefined = len(b.Values) - len(s.sorted)
	if len(s.sorted) == 0 {
		return s
	}
	slices.Sort(s.sorted)
	s.mean, _ = stats.Mean(s.sorted)
	s.median, s.q1, s.q3 = s.sorted[0], s.sorted[0], s.sorted[0]
	if q, err := stats.Quartile(s.sorted); err == nil {
		s.q1, s.median, s.q3 = q.Q1, q.Q2, q.Q3
	}
	reach := 1.5 * (s.q3 - s.q1)
	for _, v := range s.sorted {
		if v >= s.q1-reach && !(v > s.whiskerLow) {
			s.whiskerLow = v
		}
		if v <= s.q3+reach {
			s.whiskerHigh = v
		}
	}
	// A quartile between two values may have no value within reach on its side.
	s.whiskerLow, s.whiskerHigh = min(s.whiskerLow, s.q1), max(s.whiskerHigh, s.q3)
	return s
}

func empty(groups []summary) bool {
	return !slices.ContainsFunc(groups, func(g summary) bool { return len(g.sorted) > 0 })
}

func (s summary) hasInterval() bool { return s.low < s.high && drawable(s.low) && drawable(s.high) }

// bounded returns the figure with safe texts, and its groups.
func (b Boxes) bounded() (Boxes, []summary) {
	b.Title, b.X, b.Y.Label = report.Plain(b.Title), report.Plain(b.X), report.Plain(b.Y.Label)
	if n := len(b.Groups); n > drawnRows {
		b.Note += fmt.Sprintf("\n\nOf %d groups the first %d are shown.", n, drawnRows)
		b.Groups = b.Groups[:drawnRows]
	}
	groups := make([]summary, len(b.Groups))
	for i, g := range b.Groups {
		groups[i] = g.summarize()
	}
	return b, groups
}

func (b Boxes) data(groups []summary, number func(float64) string) Table {
	t := Table{Columns: []Column{{b.X, false}}}
	for _, c := range []string{"values", "mean", "interval of the mean", "lowest", "lower quartile", "median", "upper quartile", "highest"} {
		t.Columns = append(t.Columns, Column{c, true})
	}
	undefined := 0
	for _, g := range groups {
		undefined += g.undefined
		lowest, highest := math.NaN(), math.NaN()
		if n := len(g.sorted); n > 0 {
			lowest, highest = g.sorted[0], g.sorted[n-1]
		}
		mean := noNumber
		if g.hasInterval() {
			mean = interval(g.low, g.high, number)
		}
		t.Rows = append(t.Rows, Row{Cells: []string{g.name, strconv.Itoa(len(g.sorted)), number(g.mean), mean,
			number(lowest), number(g.q1), number(g.median), number(g.q3), number(highest)}})
	}
	if undefined > 0 {
		t.Footnotes = append(t.Footnotes, fmt.Sprintf("Left out because they are not numbers: %d.", undefined))
	}
	return t
}

func (b Boxes) span(groups []summary) (low, high float64) {
	var values [][]float64
	for _, g := range groups {
		values = append(values, g.sorted)
		if g.hasInterval() {
			values = append(values, []float64{g.low, g.high})
		}
	}
	return b.Y.span(values...)
}

// beyond returns the number of values beyond the axis.
func (b Boxes) beyond(groups []summary) (n int) {
	low, high := b.span(groups)
	for _, g := range groups {
		for _, v := range g.sorted {
			if v < low || v > high {
				n++
			}
		}
	}
	return n
}

func (b Boxes) html(n int) block {
	b, groups := b.bounded()
	out := block{Title: b.Title, Notes: paragraphs(b.Note), Data: b.data(groups, number).view()}
	if empty(groups) {
		out.Key, out.Data = nothing, nil
		return out
	}
	for _, s := range sizes {
		d, _ := b.draw(s, groups)
		d.Desc = b.describe(groups)
		out.add(n, d)
	}
	key := "Box: the middle half of the values, with the median as a line; whiskers reach to the farthest value within 1.5 box lengths. Diamond: the mean"
	if slices.ContainsFunc(groups, summary.hasInterval) {
		key += " with its interval"
	}
	key += "."
	if slices.ContainsFunc(groups, func(g summary) bool { return len(g.sorted) > drawnDots }) {
		key += fmt.Sprintf(" At most %d values of a group are drawn as dots.", drawnDots)
	}
	out.Key = strings.Join(append([]string{key}, notDrawn(b.beyond(groups))...), " ")
	return out
}

// dottedGroups is how many groups have their values beside the boxes.
const dottedGroups = 12

func (b Boxes) draw(s size, groups []summary) (drawn drawing, whole bool) {
	low, high := b.span(groups)
	rows := make([]row, len(groups))
	for i, g := range groups {
		rows[i] = row{name: g.name, number: fmt.Sprintf("n=%d", len(g.sorted)), class: "label", weight: regular}
	}
	dotted, tall := len(groups) <= dottedGroups, s.font*1.2
	if dotted {
		tall = s.font * 2.8
	}
	f := s.rowed(b.X, b.Y, low, high, rows, tall)
	for i, g := range groups {
		if len(g.sorted) == 0 {
			continue
		}
		y, half := f.rows[i].y, s.font*0.5
		if dotted { // the box is above the middle, the dots are below
			y -= half + 1
		}
		f.box(g, y, half)
		if dotted {
			f.path(f.dots(g, f.rows[i].y+s.font*0.25, s.font*0.9))
		}
	}
	return f.drawing, f.whole
}

// box draws a group's box around a height, as far as the axis goes.
func (f rowsFrame) box(g summary, y, half float64) {
	along := func(class string, from, to float64) {
		if from <= f.x.max && to >= f.x.min {
			f.path(class, line(f.x.at(f.x.cut(from)), y, f.x.at(f.x.cut(to)), y))
		}
	}
	along("whisker", g.whiskerLow, g.q1)
	along("whisker", g.q3, g.whiskerHigh)
	if g.q1 <= f.x.max && g.q3 >= f.x.min {
		from, to := f.x.at(f.x.cut(g.q1)), f.x.at(f.x.cut(g.q3))
		f.path("box", "M"+point(from, y-half)+"H"+px(to)+"V"+px(y+half)+"H"+px(from)+"Z")
	}
	if f.x.has(g.median) {
		f.path("median", line(f.x.at(g.median), y-half, f.x.at(g.median), y+half))
	}
	if g.hasInterval() {
		along("mean-interval", g.low, g.high)
	}
	if f.x.has(g.mean) {
		m, r := f.x.at(g.mean), f.font*0.4
		f.path("mean", "M"+point(m-r, y)+"L"+point(m, y-r)+"L"+point(m+r, y)+"L"+point(m, y+r)+"Z")
	}
}

// dots are a group's values below a height.
func (f rowsFrame) dots(g summary, top, deep float64) (class, d string) {
	var dots strings.Builder
	spread := g.spread(f.x.min, f.x.max)
	for k := 0; k < len(g.sorted); k += every(len(g.sorted), drawnDots) {
		if v := g.sorted[k]; f.x.has(v) {
			dots.WriteString("M" + point(f.x.at(v), top+spread(v)*deep) + "h0")
		}
	}
	if len(g.sorted) <= 50 {
		return "values few", dots.String()
	}
	return "values", dots.String()
}

// spread returns how far down of 1 a value's dot is drawn: at random, the same for the
// same values, and the farther the more neighbours the value has.
func (g summary) spread(low, high float64) func(v float64) float64 {
	const places = 40
	place := func(v float64) int {
		return max(0, min(places-1, int((v-low)/(high-low)*places)))
	}
	var counts [places]int
	most := 0
	for _, v := range g.sorted {
		p := place(v)
		counts[p]++
		most = max(most, counts[p])
	}
	r := rand.New(rand.NewPCG(1, 2))
	return func(v float64) float64 {
		return r.Float64() * math.Sqrt(float64(counts[place(v)])/float64(most))
	}
}

func (b Boxes) describe(groups []summary) string {
	var s strings.Builder
	fmt.Fprintf(&s, "Boxes of %s by %s.", b.Y.Label, b.X)
	for _, g := range groups {
		if len(g.sorted) == 0 {
			fmt.Fprintf(&s, " %s has no values.", g.name)
			continue
		}
		s.WriteString(spelling.Count(" %s: %d values, mean %s, median %s, middle half from %s to %s.", g.name, len(g.sorted), short(g.mean), short(g.median), short(g.q1), short(g.q3)))
	}
	return s.String()
}

func (b Boxes) sheet(s size) (drawing, bool) {
	b, groups := b.bounded()
	return b.draw(s, groups)
}

func (b Boxes) numbers() [][]string {
	rows := [][]string{cells(orElse(b.X, "group"), "values", "mean", "mean low", "mean high",
		"lowest", "lower whisker", "lower quartile", "median", "upper quartile", "upper whisker", "highest")}
	for _, g := range b.Groups {
		s := g.summarize()
		low, high, ends := math.NaN(), math.NaN(), []float64{math.NaN(), math.NaN()}
		if s.hasInterval() {
			low, high = s.low, s.high
		}
		if n := len(s.sorted); n > 0 {
			ends = []float64{s.sorted[0], s.sorted[n-1]}
		}
		row := append(cells(g.Name), strconv.Itoa(len(s.sorted)))
		for _, v := range []float64{s.mean, low, high, ends[0], s.whiskerLow, s.q1, s.median, s.q3, s.whiskerHigh, ends[1]} {
			row = append(row, exact(v))
		}
		rows = append(rows, row)
	}
	return rows
}
