package figures

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"

	"crscore/internal/csvcell"
	"crscore/internal/report"
	"crscore/internal/report/paper"
)

// File is a file of an export.
type File struct {
	// Name has no folder.
	Name string
	// Data is the content.
	Data []byte
}

// chart is a figure that is drawn.
type chart interface {
	Figure
	// sheet draws the figure. It reports whether all names have their place beside the curves or
	// rows; else a wider sheet may be better.
	sheet(s size) (d drawing, whole bool)
	// numbers are all numbers of the figure, not rounded, below a row of heads.
	numbers() [][]string
}

// printUnit is how many points are a pixel on paper, where text has 7.5 points.
const printUnit = 7.5 / 13

// sheets are the sizes on paper: a column of 3.3 inches, and two with 6.9 inches.
var sheets = []size{
	{"paper", 3.3 * 72 / printUnit, 290, 13, 170, 6, true},
	{"paper", 6.9 * 72 / printUnit, 380, 13, 300, 10, true},
}

// Export returns files for a paper: each figure that is drawn as SVG, PDF and PNG, its numbers as
// CSV, and figures.tex, which puts the figures into a LaTeX document with their captions and
// labels. Names are numbered in the order of the page. Tables are left out; [Page.WriteLaTeX] has
// them.
func (p Page) Export() ([]File, error) {
	var out []File
	var tex bytes.Buffer
	tex.WriteString("% It needs \\usepackage{graphicx}. A figure* is as wide as two columns.\n")
	n := 0
	for _, s := range p.Sections {
		for _, f := range s.Figures {
			c, ok := f.(chart)
			if !ok {
				continue
			}
			b := f.html(0)
			if len(b.Drawings) == 0 {
				continue // it has no values
			}
			n++
			b.Title = orElse(b.Title, report.Plain(s.Title))
			name := fmt.Sprintf("%02d-%s", n, slug(b.Title))
			files, include, err := exported(c, name, b)
			if err != nil {
				return nil, fmt.Errorf("figure %d, %s: %w", n, b.Title, err)
			}
			out = append(out, files...)
			tex.WriteString(include)
		}
	}
	if n == 0 {
		return nil, nil
	}
	return append(out, File{"figures.tex", tex.Bytes()}), nil
}

// exported returns the files of a figure, and what includes it in a LaTeX document.
func exported(c chart, name string, b block) (files []File, include string, err error) {
	var d drawing
	for _, s := range sheets {
		var whole bool
		if d, whole = c.sheet(s); whole {
			break
		}
	}
	d.Title, d.Desc = b.Title, b.Drawings[0].Desc
	onPaper, err := d.paper()
	if err != nil {
		return nil, "", err
	}
	for _, f := range []struct {
		ending string
		write  func(io.Writer) error
	}{
		{".svg", onPaper.WriteSVG}, {".pdf", onPaper.WritePDF}, {".png", onPaper.WritePNG},
		{".csv", func(w io.Writer) error { return csv.NewWriter(w).WriteAll(c.numbers()) }},
	} {
		var data bytes.Buffer
		if err := f.write(&data); err != nil {
			return nil, "", err
		}
		files = append(files, File{name + f.ending, data.Bytes()})
	}
	if d.Key != "" {
		b.Key = d.Key
	}
	return files, b.latex(name, d.W > sheets[0].width), nil
}

// paper is the drawing in points, with its styles.
func (d drawing) paper() (paper.Drawing, error) {
	out := paper.Drawing{W: d.W * printUnit, H: d.H * printUnit, Title: d.Title, Desc: d.Desc}
	for _, p := range d.Parts {
		st := styleOf(p.Class, p.Text != "")
		it := paper.Item{Style: st.onPaper(printUnit)}
		if p.Text != "" {
			it.Text, it.X, it.Y, it.Size, it.Bold = p.Text, p.X*printUnit, p.Y*printUnit, sheets[0].font*printUnit, st.bold
			it.Anchor = map[string]paper.Anchor{"middle": paper.Middle, "end": paper.End}[p.Anchor]
		} else {
			path, err := paper.Parse(p.D)
			if err != nil {
				return out, err
			}
			it.Path = path.Scale(printUnit)
		}
		out.Items = append(out.Items, it)
	}
	return out, nil
}

// latex includes the PDF of a figure.
func (b block) latex(name string, wide bool) string {
	float := map[bool]string{false: "figure", true: "figure*"}[wide]
	caption := []string{sentence(b.Title)}
	for _, s := range append(b.Notes, b.Key) {
		if s != "" {
			caption = append(caption, sentence(s))
		}
	}
	return fmt.Sprintf("\n\\begin{%s}\n\\centering\n\\includegraphics{%s.pdf}\n\\caption{%s}\n\\label{fig:%[2]s}\n\\end{%[1]s}\n",
		float, name, latex(strings.Join(caption, " ")))
}

// sentence ends a text.
func sentence(s string) string {
	if strings.HasSuffix(s, ".") || s == "" {
		return s
	}
	return s + "."
}

// slugRunes bounds a name of a file, in characters.
const slugRunes = 60

// slug is a title as a part of a file's name or a label, of letters, digits and hyphens.
func slug(title string) string {
	greek := strings.NewReplacer("τ", "tau", "ρ", "rho", "κ", "kappa", "α", "alpha", "Δ", "delta")
	words := strings.FieldsFunc(strings.ToLower(greek.Replace(title)), func(r rune) bool {
		return r >= unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	out := ""
	for _, w := range words {
		if len(out)+len(w)+1 > slugRunes {
			break
		}
		out = strings.TrimPrefix(out+"-"+w, "-")
	}
	return orElse(out, "untitled")
}

// exact is a number for CSV, empty where there is none.
func exact(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// cells are texts for spreadsheets.
func cells(texts ...string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = csvcell.Text(t)
	}
	return out
}

// withMarkers appends the markers to the numbers of a figure: rows with a place, and columns.
func withMarkers(rows [][]string, markers []Marker) [][]string {
	if len(markers) == 0 {
		return rows
	}
	wide := len(rows[0])
	rows[0] = append(rows[0], "marker", "marker low", "marker high")
	for i := range rows[1:] {
		rows[i+1] = append(rows[i+1], "", "", "")
	}
	for _, m := range markers {
		row := make([]string, wide+3)
		row[0], row[wide] = exact(m.X), csvcell.Text(m.Label)
		if m.Low < m.High {
			row[wide+1], row[wide+2] = exact(m.Low), exact(m.High)
		}
		rows = append(rows, row)
	}
	return rows
}
