package paper

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"github.com/srwiley/rasterx"
	"golang.org/x/image/math/fixed"

	"crscore/internal/limits"
)

// DPI is how many pixels of a PNG are an inch.
const DPI = 300

// WritePNG writes the drawing as PNG, with its resolution, so that programs show it in its size.
func (d Drawing) WritePNG(w io.Writer) error {
	marks, err := d.marks()
	if err != nil {
		return err
	}
	unit := DPI / 72.0
	if d.W*unit*d.H*unit > limits.Pixels {
		return fmt.Errorf("a picture of %.0f × %.0f pixels is too large: at most %d pixels", d.W*unit, d.H*unit, limits.Pixels)
	}
	r := image.Rect(0, 0, int(math.Ceil(d.W*unit)), int(math.Ceil(d.H*unit)))
	img := image.NewRGBA(r)
	draw.Draw(img, r, image.White, image.Point{}, draw.Src)
	for _, m := range marks {
		m.raster(img, unit)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return err
	}
	_, err = w.Write(withDensity(b.Bytes()))
	return err
}

// raster draws a mark. It looks at the part of the picture alone that the mark is in.
func (m mark) raster(img *image.RGBA, unit float64) {
	path := m.path
	if m.line != nil {
		path = m.line.outline()
	}
	path = path.Scale(unit)
	low, high := path.bounds()
	r := image.Rect(int(low.X), int(low.Y), int(high.X)+1, int(high.Y)+1).Inset(-int(m.Width*unit) - 2).Intersect(img.Bounds())
	if r.Empty() {
		return
	}
	path = path.each(func(p Point) Point { return Point{p.X - float64(r.Min.X), p.Y - float64(r.Min.Y)} })
	part, ok := img.SubImage(r).(draw.Image)
	if !ok {
		return
	}
	scanner := rasterx.NewScannerGV(r.Dx(), r.Dy(), part, r)
	if m.Fill.Opacity > 0 {
		filler := rasterx.NewFiller(r.Dx(), r.Dy(), scanner)
		filler.SetColor(m.Fill.nrgba())
		path.raster(filler)
		filler.Draw()
		filler.Clear()
	}
	if m.Stroke.Opacity == 0 {
		return
	}
	var dash []float64
	for _, v := range m.Dash {
		dash = append(dash, v*unit)
	}
	join := rasterx.Round
	if m.Miter {
		join = rasterx.Miter
	}
	dasher := rasterx.NewDasher(r.Dx(), r.Dy(), scanner)
	dasher.SetStroke(pixels(m.Width*unit), pixels(4), rasterx.RoundCap, rasterx.RoundCap, rasterx.RoundGap, join, dash, 0)
	dasher.SetColor(m.Stroke.nrgba())
	path.raster(dasher)
	dasher.Draw()
}

func (c Color) nrgba() color.NRGBA {
	return color.NRGBA{c.R, c.G, c.B, uint8(math.Round(c.Opacity * 255))}
}

func pixels(v float64) fixed.Int26_6 { return fixed.Int26_6(math.Round(v * 64)) }

// raster hands the path on.
func (p Path) raster(to rasterx.Adder) {
	at := func(p Point) fixed.Point26_6 { return fixed.Point26_6{X: pixels(p.X), Y: pixels(p.Y)} }
	open := false
	for _, s := range p {
		switch s.Op {
		case 'M':
			if open {
				to.Stop(false)
			}
			to.Start(at(s.P[0]))
			open = true
		case 'L':
			to.Line(at(s.P[0]))
		case 'C':
			to.CubeBezier(at(s.P[0]), at(s.P[1]), at(s.P[2]))
		case 'Z':
			to.Stop(true)
			open = false
		}
	}
	if open {
		to.Stop(false)
	}
}

// withDensity puts the resolution behind the header of a PNG: the chunk pHYs, which the encoder
// does not write.
func withDensity(file []byte) []byte {
	const header = 8 + 25 // the signature and the chunk IHDR
	perMetre := uint32(math.Round(DPI / 0.0254))
	data := append([]byte("pHYs"), make([]byte, 9)...)
	binary.BigEndian.PutUint32(data[4:], perMetre)
	binary.BigEndian.PutUint32(data[8:], perMetre)
	data[12] = 1 // the unit is the metre
	chunk := binary.BigEndian.AppendUint32(nil, 9)
	chunk = append(chunk, data...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(data))
	return append(append(append([]byte(nil), file[:header]...), chunk...), file[header:]...)
}
