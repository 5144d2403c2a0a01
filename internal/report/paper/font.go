package paper

import (
	"fmt"
	"strings"
	"sync"
	"unicode"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/bidi"
)

// face is a font with its outlines.
type face struct {
	*sfnt.Font
	em       fixed.Int26_6 // units of an em
	advances []float32     // of the characters, in ems; 0 for those that it lacks
}

// faces are the regular and the bold font.
var faces = sync.OnceValues(func() (out [2]face, err error) {
	for i, ttf := range [][]byte{liberationsansregular.TTF, liberationsansbold.TTF} {
		f, err := sfnt.Parse(ttf)
		if err != nil {
			return out, fmt.Errorf("the font Liberation Sans: %w", err)
		}
		out[i] = face{Font: f, em: fixed.Int26_6(f.UnitsPerEm()), advances: make([]float32, 1<<16)}
		var b sfnt.Buffer
		for r := range rune(1 << 16) {
			k, err := f.GlyphIndex(&b, r)
			if err != nil || k == 0 || !unicode.IsPrint(r) || unicode.Is(unicode.Mn, r) {
				continue
			}
			step, err := f.GlyphAdvance(&b, k, out[i].em, font.HintingNone)
			if err != nil {
				return out, fmt.Errorf("the font Liberation Sans: %q: %w", r, err)
			}
			out[i].advances[r] = float32(step) / float32(out[i].em)
		}
	}
	return out, nil
})

// drawn are the characters that stand for one: itself, or where the font lacks it, its number.
func (f face) drawn(r rune) string {
	switch {
	case unicode.IsSpace(r):
		return " "
	case int(r) < len(f.advances) && f.advances[r] > 0:
		return string(r)
	}
	return fmt.Sprintf("[U+%04X]", r)
}

// faceOf returns the regular or the bold font.
func faceOf(bold bool) (face, error) {
	all, err := faces()
	if bold {
		return all[1], err
	}
	return all[0], err
}

// line is a text with its glyphs, from left to right.
type line struct {
	text   string // as it is drawn
	asked  string // as it was given
	x, y   float64
	size   float64
	bold   bool
	glyphs []glyph
}

// glyph is a drawn character.
type glyph struct {
	r  rune
	at float64 // to the right of the line's start, in ems
	in face
}

// Width is the width of a text, in sizes of its font. It is the sum of the widths of its parts.
func Width(text string, bold bool) (wide float64) {
	f, err := faceOf(bold)
	if err != nil {
		return 0
	}
	for _, r := range text {
		if int(r) < len(f.advances) && f.advances[r] > 0 {
			wide += float64(f.advances[r])
			continue
		}
		for _, r := range f.drawn(r) {
			wide += float64(f.advances[r])
		}
	}
	return wide
}

// shape sets a text: characters that the font lacks are written as [U+4E2D], and what is written
// from right to left is put in its place.
func shape(text string, bold bool) (glyphs []glyph, wide float64, err error) {
	f, err := faceOf(bold)
	if err != nil {
		return nil, 0, err
	}
	var b strings.Builder
	for _, r := range text {
		b.WriteString(f.drawn(r))
	}
	for _, r := range visual(b.String()) {
		glyphs = append(glyphs, glyph{r, wide, f})
		wide += float64(f.advances[r])
	}
	return glyphs, wide, nil
}

// visual puts a text into the order in which it is seen from left to right.
func visual(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.In(r, unicode.Hebrew, unicode.Arabic) }) {
		return text
	}
	var p bidi.Paragraph
	if _, err := p.SetString(text); err != nil {
		return text
	}
	order, err := p.Order()
	if err != nil {
		return text
	}
	var out strings.Builder
	for i := range order.NumRuns() {
		run := order.Run(i)
		if run.Direction() == bidi.RightToLeft {
			out.WriteString(bidi.ReverseString(run.String()))
		} else {
			out.WriteString(run.String())
		}
	}
	return out.String()
}

func newLine(it Item) (*line, error) {
	glyphs, wide, err := shape(it.Text, it.Bold)
	if err != nil {
		return nil, err
	}
	l := &line{asked: it.Text, x: it.X, y: it.Y, size: it.Size, bold: it.Bold, glyphs: glyphs}
	l.x -= wide * it.Size * map[Anchor]float64{Start: 0, Middle: 0.5, End: 1}[it.Anchor]
	for _, g := range glyphs {
		l.text += string(g.r)
	}
	return l, nil
}

// outline is the outline of a character in units of the font, up from the base line.
func (g glyph) outline() Path {
	var b sfnt.Buffer
	i, err := g.in.GlyphIndex(&b, g.r)
	if err != nil {
		return nil
	}
	segments, err := g.in.LoadGlyph(&b, i, g.in.em, nil)
	if err != nil {
		return nil
	}
	var out Path
	var at Point
	place := func(p fixed.Point26_6) Point { return Point{float64(p.X), float64(p.Y)} }
	for k, s := range segments {
		a := place(s.Args[0])
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if k > 0 {
				out = append(out, Segment{Op: 'Z'})
			}
			out = append(out, Segment{'M', [3]Point{a}})
			at = a
		case sfnt.SegmentOpLineTo:
			out = append(out, Segment{'L', [3]Point{a}})
			at = a
		case sfnt.SegmentOpQuadTo: // as a cubic curve
			end := place(s.Args[1])
			out = append(out, Segment{'C', [3]Point{
				{at.X + (a.X-at.X)*2/3, at.Y + (a.Y-at.Y)*2/3}, {end.X + (a.X-end.X)*2/3, end.Y + (a.Y-end.Y)*2/3}, end,
			}})
			at = end
		case sfnt.SegmentOpCubeTo:
			out = append(out, Segment{'C', [3]Point{a, place(s.Args[1]), place(s.Args[2])}})
			at = place(s.Args[2])
		}
	}
	if out != nil {
		out = append(out, Segment{Op: 'Z'})
	}
	return out
}

// outline is the outline of all characters, in points.
func (l *line) outline() (out Path) {
	for _, g := range l.glyphs {
		unit := l.size / float64(g.in.em)
		out = append(out, g.outline().each(func(p Point) Point {
			return Point{l.x + g.at*l.size + p.X*unit, l.y + p.Y*unit}
		})...)
	}
	return out
}
