package figures

import (
	"math"
	"slices"

	"github.com/montanaflynn/stats"
)

func (l Lines) data() Table {
	t := Table{Title: l.Title, Note: l.Note, Columns: []Column{{l.X.Label, true}}}
	for _, s := range l.Series {
		t.Columns = append(t.Columns, Column{s.Name, true})
	}
	for i, x := range l.At {
		row := Row{Cells: []string{number(x)}}
		for _, s := range l.Series {
			row.Cells = append(row.Cells, number(at(s.Y, i)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// at returns a value, or NaN behind the end.
func at(values []float64, i int) float64 {
	if i < len(values) {
		return values[i]
	}
	return math.NaN()
}

func (h Histogram) data() Table {
	t := Table{Title: h.Title, Note: h.Note, Columns: []Column{{h.X.Label, false}, {"values", true}}}
	for _, g := range h.Groups {
		t.Rows = append(t.Rows, Row{Cells: []string{g.Name, number(float64(len(g.Values)))}})
	}
	return t
}

func (b Boxes) data() Table {
	t := Table{Title: b.Title, Note: b.Note, Columns: []Column{{b.X, false}, {"n", true}, {"mean", true}}}
	for _, g := range b.Groups {
		mean, err := stats.Mean(slices.Clone(g.Values))
		if err != nil {
			mean = math.NaN()
		}
		t.Rows = append(t.Rows, Row{Cells: []string{g.Name, number(float64(len(g.Values))), number(mean)}})
	}
	return t
}

func (l Lines) html(n int) block     { return l.data().html(n) }
func (l Lines) text(p printer)       { l.data().text(p) }
func (h Histogram) html(n int) block { return h.data().html(n) }
func (h Histogram) text(p printer)   { h.data().text(p) }
func (b Boxes) html(n int) block     { return b.data().html(n) }
func (b Boxes) text(p printer)       { b.data().text(p) }
func (c Cases) html(int) block       { return block{Title: c.Title} }
