package figures

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"crscore/internal/report"
)

// Histogram shows the values of one or several groups in the same bins.
type Histogram struct {
	// Title is above the figure. Note is the text with it, empty for none; an empty line
	// separates its paragraphs.
	Title, Note string
	// X is the axis of the values.
	X Axis
	// Bins is the number of bins, at most 100; 0 means 20.
	Bins int
	// Groups are counted in the same bins.
	Groups []Sample
	// Counts asks for numbers of values. The default is shares of each group, because groups
	// rarely have the same size.
	Counts  bool
	Markers []Marker
}

// Sample is a group of values.
type Sample struct {
	// Name names the group in the drawing.
	Name string
	// Values may be in any order. Values that are not finite are left out.
	Values []float64
}

const mostBins = 100

// binned is a histogram with the numbers of its bins.
type binned struct {
	Histogram
	edges  []float64
	counts [][]int // of each group
	total  []int   // of each group, with the values beyond the axis
	beyond int     // of all groups
}

func (h Histogram) count() binned {
	h.Title, h.X.Label = report.Plain(h.Title), report.Plain(h.X.Label)
	if n := len(h.Groups); n > drawnSeries {
		h.Note += fmt.Sprintf("\n\nOf %d groups the first %d are shown.", n, drawnSeries)
		h.Groups = h.Groups[:drawnSeries]
	}
	var values [][]float64
	for _, g := range h.Groups {
		values = append(values, g.Values)
	}
	low, high := h.X.span(values...)
	h.Markers = plainMarkers(h.Markers, low, high)
	b := binned{Histogram: h}
	n := h.Bins
	if n <= 0 {
		n = 20
	}
	n = min(n, mostBins)
	for i := range n + 1 {
		b.edges = append(b.edges, low+(high-low)*float64(i)/float64(n))
	}
	b.Groups = nil
	for _, g := range h.Groups {
		counts, total, undefined := make([]int, n), 0, 0
		for _, v := range g.Values {
			if !drawable(v) {
				undefined++
				continue
			}
			total++
			if v >= low && v <= high {
				counts[min(n-1, max(0, int((v-low)/(high-low)*float64(n))))]++
			} else {
				b.beyond++
			}
		}
		name := fmt.Sprintf("%s (%d)", report.Plain(g.Name), total)
		if undefined > 0 {
			name = fmt.Sprintf("%s (%d, and %d that are not numbers)", report.Plain(g.Name), total, undefined)
		}
		b.Groups = append(b.Groups, Sample{Name: name})
		b.counts, b.total = append(b.counts, counts), append(b.total, total)
	}
	return b
}

// height is the height of a group's bar in a bin; 0 for an empty group.
func (b binned) height(group, bin int) float64 {
	if b.Counts {
		return float64(b.counts[group][bin])
	}
	return float64(b.counts[group][bin]) / math.Max(1, float64(b.total[group]))
}

func (b binned) empty() bool { return !slices.ContainsFunc(b.total, func(n int) bool { return n > 0 }) }

func (b binned) highest() (high float64) {
	for g := range b.Groups {
		for i := range b.counts[g] {
			high = max(high, b.height(g, i))
		}
	}
	return high
}

func (b binned) yLabel() string {
	if b.Counts {
		return "values in a bin"
	}
	return "share of the group's values in a bin"
}

func (b binned) data() Table {
	t := Table{Columns: []Column{{"from", true}, {"to", true}}}
	for _, g := range b.Groups {
		t.Columns = append(t.Columns, Column{g.Name, true})
		if !b.Counts {
			t.Columns = append(t.Columns, Column{"share", true})
		}
	}
	for i := range len(b.edges) - 1 {
		row := Row{Cells: []string{number(b.edges[i]), number(b.edges[i+1])}, Marked: b.markedBin(i)}
		for g := range b.Groups {
			row.Cells = append(row.Cells, fmt.Sprint(b.counts[g][i]))
			if !b.Counts {
				row.Cells = append(row.Cells, number(b.height(g, i)))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// markedBin reports whether a marker is in a bin.
func (b binned) markedBin(i int) bool {
	last := i == len(b.edges)-2
	for _, m := range b.Markers {
		if m.X >= b.edges[i] && (m.X < b.edges[i+1] || last && m.X == b.edges[i+1]) {
			return true
		}
	}
	return false
}

func (h Histogram) html(n int) block {
	b := h.count()
	out := block{Title: b.Title, Notes: paragraphs(b.Note), Data: b.data().view()}
	if b.empty() {
		out.Key, out.Data = nothing, nil
		return out
	}
	for _, s := range sizes {
		f := b.frame(s)
		f.Desc = b.describe()
		out.add(n, f.drawing)
	}
	out.Key = strings.Join(append(shades(b.Markers), notDrawn(b.beyond)...), " ")
	out.Legend = &legend{Class: "legend", Items: b.legend()}
	return out
}

func (b binned) legend() (items []legendItem) {
	for i, g := range b.Groups {
		items = append(items, legendItem{swatch("line", i), g.Name})
	}
	return items
}

func (b binned) frame(s size) *frame {
	top := b.highest()
	_, high := Axis{}.span([]float64{0, top})
	if top == 0 {
		high = 1
	}
	f := s.frame(Axis{Label: b.yLabel()}, 0, high, len(b.Markers), 8)
	f.across(b.X, b.edges[0], b.edges[len(b.edges)-1])
	for g, group := range b.Groups {
		var p strings.Builder
		p.WriteString("M" + point(f.left, f.bottom))
		for i := range b.counts[g] {
			p.WriteString("V" + px(f.y.at(b.height(g, i))) + "H" + px(f.x.at(b.edges[i+1])))
		}
		p.WriteString("V" + px(f.bottom))
		f.Parts = append(f.Parts, part{Class: "steps " + seriesClass(g), D: p.String(), Tip: group.Name})
		f.Parts = append(f.Parts, marksAlong(g, len(b.counts[g]), func(i int) (x, y float64, ok bool) {
			return (f.x.at(b.edges[i]) + f.x.at(b.edges[i+1])) / 2, f.y.at(b.height(g, i)), b.counts[g][i] > 0
		})...)
	}
	f.markers(b.Markers)
	return f
}

func (b binned) describe() string {
	var s strings.Builder
	fmt.Fprintf(&s, "Histogram of %s in %d bins.", b.X.Label, len(b.edges)-1)
	for g, group := range b.Groups {
		best := 0
		for i := range b.counts[g] {
			if b.counts[g][i] > b.counts[g][best] {
				best = i
			}
		}
		if b.total[g] == 0 {
			fmt.Fprintf(&s, " %s has no values.", group.Name)
			continue
		}
		fmt.Fprintf(&s, " %s: most values lie from %s to %s.", group.Name, short(b.edges[best]), short(b.edges[best+1]))
	}
	for _, m := range b.Markers {
		fmt.Fprintf(&s, " Marked: %s.", m.Label)
	}
	return s.String()
}

func (h Histogram) sheet(s size) (drawing, bool) {
	b := h.count()
	f := b.frame(s)
	f.legend(b.legend())
	return f.drawing, true
}

func (h Histogram) numbers() [][]string {
	head := []string{"from", "to"}
	for _, g := range h.Groups {
		head = append(head, g.Name+" values", g.Name+" share")
	}
	b := h.count()
	rows := [][]string{cells(head...)}
	for i := range len(b.edges) - 1 {
		row := []string{exact(b.edges[i]), exact(b.edges[i+1])}
		for g := range b.Groups {
			row = append(row, strconv.Itoa(b.counts[g][i]), exact(float64(b.counts[g][i])/math.Max(1, float64(b.total[g]))))
		}
		rows = append(rows, row)
	}
	return withMarkers(rows, h.Markers)
}
