package paper

import (
	"io"
	"time"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-pdf/fpdf"
)

// WritePDF writes the drawing as a PDF of one page, which is as large as the drawing. The parts of
// the font that it needs are embedded.
func (d Drawing) WritePDF(w io.Writer) error {
	marks, err := d.marks()
	if err != nil {
		return err
	}
	f := fpdf.NewCustom(&fpdf.InitType{OrientationStr: "P", UnitStr: "pt", Size: fpdf.SizeType{Wd: d.W, Ht: d.H}})
	f.SetCatalogSort(true)
	never := time.Unix(0, 0).UTC() // the same drawing has the same bytes
	f.SetCreationDate(never)
	f.SetModificationDate(never)
	f.SetTitle(d.Title, true)
	f.SetSubject(d.Desc, true)
	f.SetCreator("crscore", true)
	f.AddUTF8FontFromBytes("LiberationSans", "", liberationsansregular.TTF)
	f.AddUTF8FontFromBytes("LiberationSans", "B", liberationsansbold.TTF)
	f.SetAutoPageBreak(false, 0)
	f.AddPage()
	f.SetLineCapStyle("round")
	for _, m := range marks {
		l := m.line
		if l != nil && m.Fill.Opacity == 0 { // not as text, which would be twice in the file
			m.path, l = l.outline(), nil
		}
		if l == nil {
			m.pdf(f)
			continue
		}
		f.SetAlpha(m.Fill.Opacity, "Normal")
		f.SetTextColor(int(m.Fill.R), int(m.Fill.G), int(m.Fill.B))
		f.SetFont("LiberationSans", map[bool]string{false: "", true: "B"}[l.bold], l.size)
		f.Text(l.x, l.y, l.text)
	}
	return f.Output(w)
}

// pdf draws a path, its fill before its stroke: their opacities may differ.
func (m mark) pdf(f *fpdf.Fpdf) {
	if c := m.Fill; c.Opacity > 0 {
		f.SetAlpha(c.Opacity, "Normal")
		f.SetFillColor(int(c.R), int(c.G), int(c.B))
		m.path.pdf(f, "F")
	}
	if c := m.Stroke; c.Opacity > 0 {
		f.SetAlpha(c.Opacity, "Normal")
		f.SetDrawColor(int(c.R), int(c.G), int(c.B))
		f.SetLineWidth(m.Width)
		f.SetLineJoinStyle(map[bool]string{false: "round", true: "miter"}[m.Miter])
		f.SetDashPattern(m.Dash, 0)
		m.path.pdf(f, "D")
	}
}

func (p Path) pdf(f *fpdf.Fpdf, how string) {
	for _, s := range p {
		switch s.Op {
		case 'M':
			f.MoveTo(s.P[0].X, s.P[0].Y)
		case 'L':
			f.LineTo(s.P[0].X, s.P[0].Y)
		case 'C':
			f.CurveBezierCubicTo(s.P[0].X, s.P[0].Y, s.P[1].X, s.P[1].Y, s.P[2].X, s.P[2].Y)
		case 'Z':
			f.ClosePath()
		}
	}
	f.DrawPath(how)
}
