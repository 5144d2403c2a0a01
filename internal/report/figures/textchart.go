package figures

import (
	"fmt"
	"math"
	"strings"

	"github.com/rivo/uniseg"
)

const (
	chartRows = 14
	chartCols = 72 // more columns show no more
)

// text prints the curves as letters on a grid, and a table of some places.
func (l Lines) text(p printer) {
	l = l.bounded()
	p.figure(l.Title, l.Note)
	if l.empty() {
		p.line(nothing + "\n")
		return
	}
	x, y := l.spans()
	at, labels := ticks(y.Min, y.Max, 4)
	margin := 0
	for _, s := range labels {
		margin = max(margin, uniseg.StringWidth(s))
	}
	cols := min(p.width()-margin-2, chartCols)
	grid := make([][]rune, chartRows)
	for i := range grid {
		grid[i] = []rune(strings.Repeat(" ", cols))
	}
	across, up := scale{x.Min, x.Max, 0, float64(cols - 1)}, scale{y.Min, y.Max, chartRows - 1, 0}
	for _, m := range l.Markers {
		for i := range grid {
			grid[i][int(math.Round(across.at(m.X)))] = '|'
		}
	}
	names := make([]string, len(l.Series))
	for k, s := range l.Series {
		letter := rune('a' + k)
		names[k] = string(letter) + " " + s.Name
		for c, v := range s.columns(l.At, across, up) {
			if !drawable(v) {
				continue
			}
			cell := &grid[int(math.Round(up.at(v)))][c]
			if *cell == ' ' || *cell == '|' {
				*cell = letter
			} else {
				*cell = '*'
			}
		}
	}
	if l.Y.Label != "" {
		p.Paragraph("", l.Y.Label)
	}
	for i, cells := range grid {
		label := ""
		for k, v := range at {
			if int(math.Round(up.at(v))) == i {
				label = labels[k]
			}
		}
		p.line(pad(label, margin, true) + " |" + string(cells))
	}
	at, labels = ticks(x.Min, x.Max, max(1, cols/12))
	p.line(strings.Repeat(" ", margin+1) + "+" + strings.Repeat("-", cols))
	p.line(strings.Repeat(" ", margin+2) + ruler(across, cols, at, labels))
	p.Paragraph(strings.Repeat(" ", margin+2), l.X.Label)
	names = append(names, "* several")
	p.Paragraph("", strings.Join(names, ", "))
	for _, m := range l.Markers {
		s := "| " + m.Label
		if m.Low < m.High {
			s += " " + interval(m.Low, m.High, short)
		}
		p.Paragraph("", s)
	}
	p.notes(notDrawn(l.beyond()))
	p.line("")
	p.table(l.digest(11))
	p.line("")
}

// columns returns a curve's value in each column of characters: the mean of the places in the
// column, or the interpolation between the places beside it.
func (s Series) columns(at []float64, across, up scale) []float64 {
	cols := int(across.to) + 1
	sum, n := make([]float64, cols), make([]int, cols)
	last, lastCol := math.NaN(), 0
	out := make([]float64, cols)
	for c := range out {
		out[c] = math.NaN()
	}
	for i, x := range at {
		v := value(s.Y, i)
		if !drawable(v) || !across.has(x) || !up.has(v) {
			last = math.NaN()
			continue
		}
		c := int(math.Round(across.at(x)))
		sum[c] += v
		n[c]++
		if drawable(last) && !s.Dots {
			for k := lastCol + 1; k < c; k++ {
				out[k] = last + (v-last)*float64(k-lastCol)/float64(c-lastCol)
			}
		}
		last, lastCol = v, c
	}
	for c := range out {
		if n[c] > 0 {
			out[c] = sum[c] / float64(n[c])
		}
	}
	return out
}

// ruler writes labels below their places, and leaves out labels without room.
func ruler(s scale, cols int, at []float64, labels []string) string {
	line := []rune(strings.Repeat(" ", cols))
	free := 0
	for i, v := range at {
		text := []rune(labels[i])
		from := min(max(0, int(math.Round(s.at(v)))-len(text)/2), cols-len(text))
		if from < free {
			continue
		}
		copy(line[from:], text)
		free = from + len(text) + 1
	}
	return string(line)
}

// digest is the data table at about n places and at the markers.
func (l Lines) digest(n int) Table {
	t := l.data(short)
	step := every(len(t.Rows), n)
	var rows []Row
	for i, r := range t.Rows {
		if i%step == 0 || i == len(t.Rows)-1 || r.Marked {
			rows = append(rows, r)
		}
	}
	t.Rows = rows
	return t
}

// bar is a bar of eighths of a character.
func bar(share float64, width int) string {
	eighths := int(math.Round(max(0, min(share, 1)) * float64(width*8)))
	s := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		s += string([]rune(" ▏▎▍▌▋▊▉")[rest])
	}
	return s
}

// text prints a row for each bin, with the groups' bars beside each other.
func (h Histogram) text(p printer) {
	b := h.count()
	p.figure(b.Title, b.Note)
	if b.empty() {
		p.line(nothing + "\n")
		return
	}
	p.Paragraph("", b.X.Label+"; "+b.yLabel())
	bins := make([]string, len(b.edges)-1)
	margin, step := 0, b.edges[1]-b.edges[0]
	for i := range bins {
		bins[i] = tickLabel(b.edges[i], step) + " to " + tickLabel(b.edges[i+1], step)
		margin = max(margin, uniseg.StringWidth(bins[i]))
	}
	top := math.Max(b.highest(), math.SmallestNonzeroFloat64)
	for from := 0; from < len(b.Groups); {
		n := min(len(b.Groups)-from, max(1, (p.width()-margin-2)/26))
		cell := min((p.width()-margin-2)/n-2, 40)
		head := strings.Repeat(" ", margin+2)
		for g := from; g < from+n; g++ {
			head += "  " + pad(elide(b.Groups[g].Name, cell), cell, false)
		}
		p.line(head)
		for i, bin := range bins {
			sign := "  "
			if b.markedBin(i) {
				sign = "> "
			}
			line := sign + pad(bin, margin, true)
			for g := from; g < from+n; g++ {
				v := b.height(g, i)
				s := fmt.Sprintf("%6.1f%%", 100*v)
				if b.Counts {
					s = fmt.Sprintf("%7d", b.counts[g][i])
				}
				line += "  " + s + " " + pad(bar(v/top, cell-8), cell-8, false)
			}
			p.line(line)
		}
		from += n
	}
	for _, m := range b.Markers {
		p.Paragraph("", "> "+m.Label)
	}
	p.notes(notDrawn(b.beyond))
	p.line("")
}

// text prints a table and a line of characters for each box.
func (b Boxes) text(p printer) {
	b, groups := b.bounded()
	p.figure(b.Title, b.Note)
	if empty(groups) {
		p.line(nothing + "\n")
		return
	}
	low, high := b.span(groups)
	margin := uniseg.StringWidth(b.X)
	for _, g := range groups {
		margin = max(margin, uniseg.StringWidth(g.name))
	}
	margin = min(margin, p.width()/3)
	cols := min(p.width()-margin-4, chartCols)
	s := scale{low, high, 0, float64(cols - 1)}
	for _, g := range groups {
		p.line("  " + pad(elide(g.name, margin), margin, false) + "  " + g.drawing(s, cols))
	}
	at, labels := ticks(low, high, max(1, cols/12))
	p.line(strings.Repeat(" ", margin+4) + ruler(s, cols, at, labels))
	p.Paragraph(strings.Repeat(" ", margin+4), b.Y.Label)
	p.Paragraph("", "▒ middle half, ┃ median, ─ the farthest values within 1.5 box lengths, ◆ mean")
	p.notes(notDrawn(b.beyond(groups)))
	p.line("")
	t := b.data(groups, short)
	p.table(t)
	p.notes(t.Footnotes)
	p.line("")
}

func (g summary) drawing(s scale, cols int) string {
	line := []rune(strings.Repeat(" ", cols))
	if len(g.sorted) == 0 {
		return "no values"
	}
	fill := func(from, to float64, r rune) {
		if from > s.max || to < s.min {
			return // beyond the axis
		}
		for c := math.Round(s.at(s.cut(from))); c <= math.Round(s.at(s.cut(to))); c++ {
			line[int(c)] = r
		}
	}
	fill(g.whiskerLow, g.whiskerHigh, '─')
	fill(g.whiskerLow, g.whiskerLow, '├')
	fill(g.whiskerHigh, g.whiskerHigh, '┤')
	fill(g.q1, g.q3, '▒')
	fill(g.median, g.median, '┃')
	fill(g.mean, g.mean, '◆')
	return string(line)
}
