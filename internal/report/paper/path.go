package paper

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Point is a place, to the right and down from the upper left corner.
type Point struct{ X, Y float64 }

// Segment is a step of a path.
type Segment struct {
	// Op is M for a start, L for a line, C for a cubic curve, and Z for a line to the start.
	Op byte
	// P are the controls and the end, as many as Op needs; the end is the last of them.
	P [3]Point
}

// Path is made of subpaths, each from an M to the next.
type Path []Segment

// end is the place after a segment.
func (s Segment) end() Point {
	if s.Op == 'C' {
		return s.P[2]
	}
	return s.P[0]
}

// Parse reads the path data of SVG: M, L, H, V, C and Z, and h.
func Parse(d string) (Path, error) {
	var out Path
	var at, start Point
	for d = strings.TrimLeft(d, " "); d != ""; {
		op := d[0]
		n := map[byte]int{'M': 2, 'L': 2, 'H': 1, 'V': 1, 'h': 1, 'C': 6, 'Z': 0}
		count, ok := n[op]
		if !ok || len(out) == 0 && op != 'M' {
			return nil, fmt.Errorf("path data: unexpected %.20q", d)
		}
		d = d[1:]
		var v [6]float64
		for i := range count {
			d = strings.TrimLeft(d, " ")
			end := strings.IndexFunc(d, func(r rune) bool { return !strings.ContainsRune("0123456789.-", r) })
			if end < 0 {
				end = len(d)
			}
			var err error
			if v[i], err = strconv.ParseFloat(d[:end], 64); err != nil {
				return nil, fmt.Errorf("path data: %w", err)
			}
			d = d[end:]
		}
		d = strings.TrimLeft(d, " ")
		seg := Segment{Op: op}
		switch op {
		case 'M', 'L':
			seg.P[0] = Point{v[0], v[1]}
		case 'H', 'V', 'h':
			seg.Op, seg.P[0] = 'L', map[byte]Point{'H': {v[0], at.Y}, 'V': {at.X, v[0]}, 'h': {at.X + v[0], at.Y}}[op]
		case 'C':
			seg.P = [3]Point{{v[0], v[1]}, {v[2], v[3]}, {v[4], v[5]}}
		case 'Z':
			seg.P[0] = start
		}
		if at = seg.end(); op == 'M' {
			start = at
		}
		out = append(out, seg)
	}
	return out, nil
}

// Scale returns the path with all its places multiplied.
func (p Path) Scale(by float64) Path {
	return p.each(func(at Point) Point { return Point{at.X * by, at.Y * by} })
}

func (p Path) each(f func(Point) Point) Path {
	out := make(Path, len(p))
	for i, s := range p {
		out[i].Op = s.Op
		for k, at := range s.P {
			out[i].P[k] = f(at)
		}
	}
	return out
}

// bounds are the corners of a rectangle around the path and its controls.
func (p Path) bounds() (low, high Point) {
	low, high = Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	for _, s := range p {
		for _, at := range s.P[:map[byte]int{'M': 1, 'L': 1, 'C': 3}[s.Op]] {
			low, high = Point{min(low.X, at.X), min(low.Y, at.Y)}, Point{max(high.X, at.X), max(high.Y, at.Y)}
		}
	}
	return low, high
}

// Disc is a circle of four curves.
func Disc(at Point, r float64) Path {
	k := 0.5523 * r // from the end of a curve to its control
	x, y := at.X, at.Y
	return Path{
		{'M', [3]Point{{x + r, y}}},
		{'C', [3]Point{{x + r, y + k}, {x + k, y + r}, {x, y + r}}},
		{'C', [3]Point{{x - k, y + r}, {x - r, y + k}, {x - r, y}}},
		{'C', [3]Point{{x - r, y - k}, {x - k, y - r}, {x, y - r}}},
		{'C', [3]Point{{x + k, y - r}, {x + r, y - k}, {x + r, y}}},
		{'Z', [3]Point{{x + r, y}}},
	}
}

// points splits the path into subpaths that go somewhere, and those that are a single place.
// Lines that go nowhere are left out.
func (p Path) points() (rest Path, points []Point) {
	for i := 0; i < len(p); {
		start, from := p[i].end(), len(rest)
		for rest, i = append(rest, p[i]), i+1; i < len(p) && p[i].Op != 'M'; i++ {
			if at := rest[len(rest)-1].end(); p[i].Op == 'L' && p[i].P[0] == at {
				continue
			}
			rest = append(rest, p[i])
		}
		if len(rest) == from+1 {
			rest, points = rest[:from], append(points, start)
		}
	}
	return rest, points
}

// data is the path as SVG has it, in hundredths of a point.
func (p Path) data() string {
	var b strings.Builder
	for _, s := range p {
		b.WriteByte(s.Op)
		for i := range map[byte]int{'M': 1, 'L': 1, 'C': 3}[s.Op] {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(short(s.P[i].X) + " " + short(s.P[i].Y))
		}
	}
	return b.String()
}

// short is a number with at most two digits after the point.
func short(v float64) string {
	s := strings.TrimRight(strings.TrimRight(strconv.FormatFloat(v, 'f', 2, 64), "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}
