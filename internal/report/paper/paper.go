// Package paper writes drawings for print: as SVG, PDF and PNG, which look the same everywhere.
// A [Drawing] is paths and texts with their colours, in points. The font, Liberation Sans, is in
// every file: its outlines in SVG and PNG, the font itself in PDF. The same drawing gives the same
// bytes.
//
// The package knows no studies, figures or style sheets, and lays nothing out.
package paper

import (
	"fmt"
	"math"
	"strconv"
)

// Drawing is a picture on white.
type Drawing struct {
	// W and H are the size in points, 72 to an inch.
	W, H float64
	// Title and Desc are for people who do not see it, and for catalogues.
	Title, Desc string
	// Items are drawn in this order.
	Items []Item
}

// Item is a path or, with Text, a line of text.
type Item struct {
	// Path is drawn where there is no Text.
	Path Path
	// Text is a line of text. X and Y are the start, the middle or the end of its base line.
	Text string
	// X and Y are the place of the text.
	X, Y float64
	// Anchor tells what is at X.
	Anchor Anchor
	// Size is the size of the font in points. Bold makes the font bold.
	Size float64
	// Bold asks for the bold font.
	Bold bool
	Style
}

// Anchor is the part of a text that is at its place.
type Anchor int

const (
	// Start has the text begin at its place.
	Start Anchor = iota
	// Middle has the middle of the text at its place.
	Middle
	// End has the text end at its place.
	End
)

// Style is how an item is drawn.
type Style struct {
	// Stroke and Fill are colours; the zero colour draws nothing. A text is filled, and its
	// stroke lies around it and behind.
	Stroke, Fill Color
	// Width is the width of the stroke in points.
	Width float64
	// Dash has lengths of dashes and gaps in points; none for a whole line.
	Dash []float64
	// Miter asks for pointed corners.
	Miter bool
}

// Color is a colour with its opacity.
type Color struct {
	// R, G and B are the parts of red, green and blue.
	R, G, B uint8
	// Opacity is 1 for an opaque colour, and 0 for none.
	Opacity float64
}

// Hex returns the opaque colour of a text such as #0b5fa5.
func Hex(s string) (Color, error) {
	v, err := strconv.ParseUint(s[min(1, len(s)):], 16, 32)
	if err != nil || len(s) != 7 || s[0] != '#' {
		return Color{}, fmt.Errorf("%q is no colour such as #0b5fa5", s)
	}
	return Color{uint8(v >> 16), uint8(v >> 8), uint8(v), 1}, nil
}

// Lightness is the colour's lightness in print without colours, from 0 for black to 100 for white:
// L* of CIE 1976.
func (c Color) Lightness() float64 {
	linear := func(v uint8) float64 {
		if s := float64(v) / 255; s > 0.04045 {
			return math.Pow((s+0.055)/1.055, 2.4)
		}
		return float64(v) / 255 / 12.92
	}
	y := 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
	if y <= 216.0/24389 {
		return y * 24389 / 27
	}
	return 116*math.Cbrt(y) - 16
}

// mark is an item that is ready to be written: a path, or a text with its glyphs, filled or
// stroked.
type mark struct {
	path Path
	line *line
	Style
}

// marks resolves the items: subpaths that are single points become discs, which not every program
// draws, and texts get their glyphs.
func (d Drawing) marks() ([]mark, error) {
	var out []mark
	for _, it := range d.Items {
		if it.Text != "" {
			l, err := newLine(it)
			if err != nil {
				return nil, err
			}
			if it.Stroke.Opacity > 0 {
				out = append(out, mark{line: l, Style: Style{Stroke: it.Stroke, Width: it.Width}})
			}
			out = append(out, mark{line: l, Style: Style{Fill: it.Fill}})
			continue
		}
		rest, points := it.Path.points()
		if len(rest) > 0 {
			out = append(out, mark{path: rest, Style: it.Style})
		}
		if len(points) > 0 {
			var discs Path
			for _, p := range points {
				discs = append(discs, Disc(p, it.Width/2)...)
			}
			out = append(out, mark{path: discs, Style: Style{Fill: it.Stroke}})
		}
	}
	return out, nil
}
