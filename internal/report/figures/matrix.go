package figures

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/rivo/uniseg"

	"crscore/internal/report"
	"crscore/internal/spelling"
)

// Matrix sets items beside each other, a row and a column for each: the differences of all pairs,
// and which of them are significant. Above the diagonal are the differences, below it the p-values.
// Where there is no room for numbers, triangles show which of the two is better.
type Matrix struct {
	// Title is above the figure. Note is the text with it, empty for none; an empty line
	// separates its paragraphs.
	Title, Note string
	// Of names the differences, such as "difference of mean rel".
	Of string
	// Names are the names of the items, in the order of the rows.
	Names []string
	// Contrasts are the pairs, at most one of any two items. Pairs without one are empty.
	Contrasts []Contrast
}

// Contrast is the difference of two items.
type Contrast struct {
	// A and B are the places of the items among the names.
	A, B int
	// Difference is A's number less B's; NaN without one.
	Difference float64
	// Low and High are the interval of the difference, where Low < High.
	Low, High float64
	// P is the p-value, and Corrected the one for the number of pairs; NaN without a test.
	P, Corrected float64
	// Significant marks the pair. Better tells that A is the better one.
	Significant, Better bool
}

// drawnItems bounds the rows of a matrix that are drawn.
const drawnItems = 60

// turned is the contrast seen from B.
func (c Contrast) turned() Contrast {
	c.A, c.B, c.Difference, c.Low, c.High = c.B, c.A, -c.Difference, -c.High, -c.Low
	c.Better = !c.Better && c.Difference != 0
	return c
}

// square is a matrix with a contrast for each row and column, nil for none.
type square struct {
	Matrix
	cells   [][]*Contrast
	largest float64 // difference
}

func (m Matrix) square() square {
	m.Title, m.Of = report.Plain(m.Title), report.Plain(m.Of)
	n := len(m.Names)
	if n > drawnItems {
		m.Note += fmt.Sprintf("\n\nOf %d rows the first %d are shown.", n, drawnItems)
		n = drawnItems
	}
	names := make([]string, n)
	for i := range names {
		names[i] = report.Plain(m.Names[i])
	}
	m.Names = names
	s := square{Matrix: m, cells: make([][]*Contrast, n)}
	for i := range s.cells {
		s.cells[i] = make([]*Contrast, n)
	}
	for _, c := range m.Contrasts {
		if c.A < 0 || c.B < 0 || c.A >= n || c.B >= n || c.A == c.B || !drawable(c.Difference) {
			continue
		}
		back := c.turned()
		s.cells[c.A][c.B], s.cells[c.B][c.A] = &c, &back
		s.largest = max(s.largest, math.Abs(c.Difference))
	}
	return s
}

func (s square) empty() bool { return s.largest == 0 && len(s.Contrasts) == 0 }

func (m Matrix) html(n int) block {
	s := m.square()
	out := block{Title: s.Title, Notes: paragraphs(s.Note)}
	if s.empty() {
		out.Key = nothing
		return out
	}
	numbers := map[bool]bool{}
	for _, size := range sizes {
		d, numbered, _ := s.draw(size)
		d.Desc = s.describe()
		out.add(n, d)
		numbers[numbered] = true
	}
	out.Key = s.key(numbers[true], numbers[false])
	return out
}

// key explains the cells with numbers, and those with signs.
func (s square) key(numbers, signs bool) string {
	var out []string
	if numbers {
		out = append(out, "Above the diagonal: "+s.Of+", row less column; below: the p-value.")
	}
	if signs {
		out = append(out, map[bool]string{true: "On a narrow screen a triangle", false: "A triangle"}[numbers]+
			" up: the row is better; down: the column is better; a dot: no significant difference.")
	}
	return strings.Join(append(out, "Significant differences are shaded, the larger the stronger."), " ")
}

func (s square) describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Matrix of %s, a row and a column for each of %d.", s.Of, len(s.Names))
	for i := range s.cells {
		worse := 0
		for _, c := range s.cells[i] {
			if c != nil && c.Significant && c.Better {
				worse++
			}
		}
		b.WriteString(spelling.Count(" %s is better than %d others.", s.Names[i], worse))
	}
	return b.String()
}

// difference is the text of a difference with its sign.
func (s square) difference(v float64) string {
	decimals := 2
	if s.largest < 0.1 {
		decimals = 3
	}
	text := strconv.FormatFloat(math.Abs(v), 'f', decimals, 64)
	if strings.Trim(text, "0.") == "" {
		return text
	}
	return map[bool]string{true: "−", false: "+"}[v < 0] + text
}

// probability is the text of a p-value.
func probability(p float64) string {
	switch {
	case math.IsNaN(p):
		return noNumber
	case p < 0.001:
		return "<.001"
	}
	return strings.TrimPrefix(strconv.FormatFloat(p, 'f', 3, 64), "0")
}

// shade is the class of a significant difference: its direction and size, in three steps.
func (s square) shade(c *Contrast) string {
	step := min(3, 1+int(3*math.Abs(c.Difference)/s.largest))
	return map[bool]string{true: "better", false: "worse"}[c.Better] + strconv.Itoa(step)
}

// draw draws the cells with numbers if there is room for them. It reports that, and whether the
// names are whole on a line.
func (s square) draw(sz size) (d drawing, numbers, whole bool) {
	n := len(s.cells)
	f := &frame{size: sz}
	f.Class, f.W = sz.class, sz.width
	line := sz.font * rowHeight
	names := make([]string, n)
	wide := 0.0
	for i, name := range s.Names {
		names[i] = fmt.Sprintf("%d\u00a0 %s", i+1, name)
		wide = max(wide, sz.textWidth(names[i], regular))
	}
	room := min(wide, sz.width*0.42)
	f.left = room + sz.font*0.6
	head := sz.textWidth(strconv.Itoa(n), regular)
	cell := min((sz.width-f.left-head/2-1)/float64(n), sz.font*5)
	widest := 0.0
	for _, row := range s.cells {
		for _, c := range row {
			if c != nil {
				widest = max(widest, sz.textWidth(s.difference(c.Difference), bold), sz.textWidth(probability(c.Corrected), bold))
			}
		}
	}
	numbers = widest+4 <= cell
	if !numbers {
		cell = min(cell, line*1.4)
	}
	column := func(j int) float64 { return f.left + (float64(j)+0.5)*cell }
	every := int(math.Ceil((head + 4) / cell))
	for j := 0; j < n; j += every {
		f.text("tick", column(j), sz.font, "middle", strconv.Itoa(j+1))
	}
	y := line * 1.2
	whole = true
	for i := range s.cells {
		lines := sz.wrap(names[i], room, regular)
		whole = whole && len(lines) == 1
		high := max(float64(len(lines))*line, line) + sz.font*0.3
		middle := y + high/2
		for k, text := range lines {
			f.text("label", 0, middle+(float64(k)-float64(len(lines)-1)/2)*line+sz.font*0.35, "start", text)
		}
		for j, c := range s.cells[i] {
			s.cell(f, i, j, c, column(j), y, cell, high, numbers)
		}
		y += high
	}
	f.path("grid", "M"+point(f.left, line*1.2)+"H"+px(f.left+cell*float64(n))+"V"+px(y)+"H"+px(f.left)+"Z")
	f.H = round(y + 4)
	return f.drawing, numbers, whole
}

// cell draws a cell around the middle x, below y.
func (s square) cell(f *frame, i, j int, c *Contrast, x, y, wide, high float64, numbers bool) {
	area := "M" + point(x-wide/2, y) + "H" + px(x+wide/2) + "V" + px(y+high) + "H" + px(x-wide/2) + "Z"
	if i == j { // a shade could be taken for that of a difference
		f.path("grid", line(x-wide/2, y, x+wide/2, y+high))
		return
	}
	if c == nil {
		return
	}
	if c.Significant && (!numbers || j > i) {
		f.path(s.shade(c), area)
	}
	middle := y + high/2
	if numbers {
		text, class := s.difference(c.Difference), "tick"
		if j < i {
			text = probability(c.Corrected)
		}
		if c.Significant {
			class = "label strong"
		}
		f.text(class, x, middle+f.font*0.35, "middle", text)
		return
	}
	r := min(f.font*0.38, wide*0.4)
	switch {
	case !c.Significant:
		f.path("point", "M"+point(x, middle)+"h0")
	case c.Better:
		f.path("up", "M"+point(x-r, middle+r*0.8)+"L"+point(x, middle-r*0.8)+"L"+point(x+r, middle+r*0.8)+"Z")
	default:
		f.path("down", "M"+point(x-r, middle-r*0.8)+"L"+point(x, middle+r*0.8)+"L"+point(x+r, middle-r*0.8)+"Z")
	}
}

func (m Matrix) sheet(sz size) (drawing, bool) {
	s := m.square()
	d, numbers, whole := s.draw(sz)
	d.Key = s.key(numbers, !numbers)
	return d, whole && numbers
}

func (m Matrix) numbers() [][]string {
	rows := [][]string{cells("A", "B", orElse(m.Of, "difference"), "low", "high", "p", "corrected p", "significant")}
	for _, c := range m.Contrasts {
		if c.A < 0 || c.B < 0 || c.A >= len(m.Names) || c.B >= len(m.Names) {
			continue
		}
		row := append(cells(m.Names[c.A], m.Names[c.B]), exact(c.Difference), "", "",
			exact(c.P), exact(c.Corrected), strconv.FormatBool(c.Significant))
		if c.Low < c.High {
			row[3], row[4] = exact(c.Low), exact(c.High)
		}
		rows = append(rows, row)
	}
	return rows
}

// text prints a sign for each pair.
func (m Matrix) text(p printer) {
	s := m.square()
	p.figure(s.Title, s.Note)
	if s.empty() {
		p.line(nothing + "\n")
		return
	}
	n := len(s.cells)
	names := make([]string, n)
	wide := 0
	for i, name := range s.Names {
		names[i] = fmt.Sprintf("%*d %s", len(strconv.Itoa(n)), i+1, name)
		wide = max(wide, uniseg.StringWidth(names[i]))
	}
	wide = min(wide, p.width()/3)
	step := 3
	if wide+2+step*n > p.width() {
		step = 1
	}
	n = min(n, p.width()-wide-2)
	head := []byte(strings.Repeat(" ", step*n))
	for j := 0; j < n; j++ {
		if label := strconv.Itoa(j + 1); step == 3 || (j+1)%5 == 0 && j+1 < n {
			copy(head[step*j+step-len(label)+max(0, len(label)-step):], label)
		}
	}
	p.line("  " + pad("", wide, false) + string(head))
	for i := range s.cells {
		line := "  " + pad(elide(names[i], wide), wide, false)
		for j, c := range s.cells[i][:n] {
			sign := "·"
			switch {
			case i == j || c == nil:
				sign = " "
			case c.Significant && c.Better:
				sign = "+"
			case c.Significant:
				sign = "-"
			}
			line += pad(sign, step, true)
		}
		p.line(line)
	}
	p.Paragraph("", "+ the row is better, - the column is better, · no significant difference")
	if left := len(s.cells) - n; left > 0 {
		p.Paragraph("", fmt.Sprintf("Columns that have no room here: %d.", left))
	}
	p.line("")
}
