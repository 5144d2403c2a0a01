package figures

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"image/png"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/internal/report/paper"
)

func export(t testing.TB, p Page) map[string][]byte {
	t.Helper()
	files, err := p.Export()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, f := range files {
		if out[f.Name] != nil || f.Name != path.Base(f.Name) || strings.TrimLeft(f.Name, "abcdefghijklmnopqrstuvwxyz0123456789-.") != "" {
			t.Errorf("%q is no name, or is there twice", f.Name)
		}
		out[f.Name] = f.Data
	}
	return out
}

// TestExport holds that each figure that is drawn has its four files, whose drawings are as wide as
// a column or two, and the same bytes every time.
func TestExport(t *testing.T) {
	files, again := export(t, demo()), export(t, demo())
	if !maps.EqualFunc(files, again, bytes.Equal) {
		t.Error("two exports of a page differ")
	}
	pictures := 0
	for name, data := range files {
		switch path.Ext(name) {
		case ".png":
			pictures++
			img, err := png.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if w := img.Bounds().Dx(); w != 990 && w != 2070 { // 3.3 and 6.9 inches
				t.Errorf("%s is %d pixels wide", name, w)
			}
			for _, ending := range []string{".svg", ".pdf", ".csv"} {
				if len(files[strings.TrimSuffix(name, ".png")+ending]) == 0 {
					t.Errorf("%s has no %s beside it", name, ending)
				}
			}
		case ".csv":
			if _, err := csv.NewReader(bytes.NewReader(data)).ReadAll(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if pictures != 7 {
		t.Errorf("%d figures are exported", pictures)
	}
	if none := export(t, Page{Sections: []Section{{Figures: []Figure{Table{}, Dots{}}}}}); len(none) > 0 {
		t.Errorf("a page without drawings has %d files", len(none))
	}
}

func TestExportGoldens(t *testing.T) {
	files := export(t, few())
	for name, got := range files {
		if ext := path.Ext(name); ext == ".png" || ext == ".pdf" {
			continue
		}
		file := filepath.Join("testdata", "export", name)
		if *update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), string(got)); d != "" {
			t.Errorf("%s: -want +got:\n%s", name, d)
		}
	}
}

// TestNumbersAreWhole: the file of numbers has all rows, also those that are not drawn, and does
// not round.
func TestNumbersAreWhole(t *testing.T) {
	third := 1.0 / 3
	var dots Dots
	var boxes Boxes
	lines := Lines{X: Axis{Label: "x"}, Series: []Series{{Name: "a"}}}
	for i := range 2 * drawnPlaces {
		dots.Rows = append(dots.Rows, Dot{Name: fmt.Sprint("d", i), Value: third, Low: third / 2, High: third * 2})
		boxes.Groups = append(boxes.Groups, Box{Sample: Sample{Name: "=1+1", Values: []float64{third}}})
		lines.At, lines.Series[0].Y = append(lines.At, float64(i)+third), append(lines.Series[0].Y, third)
	}
	lines.Markers = []Marker{{X: third, Label: "here", Low: third / 2, High: third * 2}}
	for name, want := range map[string]int{"dots": 1001, "boxes": 1001, "lines": 1002} {
		rows := map[string]chart{"dots": dots, "boxes": boxes, "lines": lines}[name].numbers()
		if len(rows) != want {
			t.Errorf("%s: %d rows, want %d", name, len(rows), want)
		}
		whole := strconv.FormatFloat(third, 'g', -1, 64)
		if last := rows[len(rows)-1]; !slices.Contains(last, whole) || slices.Contains(last, "=1+1") {
			t.Errorf("%s: the last row is %q", name, last)
		}
	}
	if n := len(export(t, Page{Sections: []Section{{Title: "s", Figures: []Figure{dots, boxes}}}})); n != 9 {
		t.Errorf("%d files", n)
	}
}

// TestExportHostile: no text is a command of SVG, LaTeX or a spreadsheet, or a path of a file.
func TestExportHostile(t *testing.T) {
	texts := append(slices.Clone(commands), strings.Repeat("a long name ", 30), strings.Repeat("without_spaces", 30),
		"../../etc/passwd", "=1+1", "שלום עולם", "CON", "\xff\xfe")
	for i := 0; i < len(texts); i += 3 { // each is at some place of a page
		at := func(k int) string { return texts[(i+k)%len(texts)] }
		p := everything(at(0), 7, 0.1, 0.9, 0.5)
		p.Sections = append(p.Sections, Section{Title: at(1), Figures: []Figure{
			Dots{Title: at(2), X: at(3), Rows: []Dot{{Name: at(4), Value: 1, Low: -2, High: 2}, {Name: at(5), Value: 2}}},
			Boxes{Title: at(2), X: at(3), Groups: []Box{{Sample: Sample{Name: at(4), Values: []float64{1, 2}}}}},
		}})
		for name, data := range export(t, p) {
			switch path.Ext(name) {
			case ".tex":
				if err := sound(string(data)); err != nil {
					t.Errorf("%q: %v", texts[i], err)
				}
			case ".csv":
				rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
				if err != nil {
					t.Errorf("%q: %v", texts[i], err)
				}
				for _, cell := range slices.Concat(rows...) {
					if _, err := strconv.ParseFloat(cell, 64); err != nil && strings.HasPrefix(cell, "=") {
						t.Errorf("a spreadsheet computes %q", cell)
					}
				}
			}
		}
	}
}

// TestWrap: names of any length are whole, a line after another.
func TestWrap(t *testing.T) {
	s := sheets[0]
	for _, text := range []string{"name", "two words", strings.Repeat("word ", 30), strings.Repeat("x", 150), "openai/gpt-4o-mini-2024-07-18:with-context", "模型系统模型系统"} {
		lines := s.wrap(text, 100, regular)
		if got := strings.Join(lines, ""); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(text, " ", "") {
			t.Errorf("%q became %q", text, lines)
		}
		for _, l := range lines {
			if w := s.textWidth(l, regular); w > 100 {
				t.Errorf("%q is %.0f wide", l, w)
			}
		}
	}
	for _, s := range append(sheets[:1:1], sizes...) { // what is measured to fit is on one line
		for _, name := range []string{"deepseekcoder", "codellama_13b", "a b c d e f g"} {
			if lines := s.wrap(name, s.textWidth(name, regular), regular); len(lines) != 1 {
				t.Errorf("%s: %q", s.class, lines)
			}
		}
	}
	if lines := s.wrap(strings.Repeat("x", 10_000), 100, regular); len(lines) != nameLines || !strings.HasSuffix(lines[nameLines-1], "…") {
		t.Errorf("%d lines", len(lines))
	}
}

// TestSeriesWithoutColours: in print without colours any two series of a figure have other dashes or
// other marks.
func TestSeriesWithoutColours(t *testing.T) {
	seen := map[string]int{}
	for i := range drawnSeries {
		sign := fmt.Sprint(styleOf("line "+seriesClass(i), false).dash)
		for _, p := range mark(i, 0, 0) {
			sign += strings.Fields(p.Class)[0] + p.D
		}
		if k, ok := seen[sign]; ok {
			t.Errorf("series %d and %d look the same: %s", k, i, sign)
		}
		seen[sign] = i
	}
	// Boxes: the mean is told from the median by its form; the fill is light, the line is dark.
	box := styleOf("box", false).onPaper(1)
	if l := over(box.Fill).Lightness() - box.Stroke.Lightness(); l < 40 {
		t.Errorf("the box is only %.0f lighter than its line", l)
	}
}

// over is a colour on white.
func over(c paper.Color) paper.Color {
	mix := func(v uint8) uint8 { return uint8(255 - c.Opacity*float64(255-v)) }
	return paper.Color{R: mix(c.R), G: mix(c.G), B: mix(c.B), Opacity: 1}
}

// TestColourBlind: the colours of series differ for people without cones for red, green or blue, as
// Machado, Oliveira and Fernandes (2009) compute what they see.
func TestColourBlind(t *testing.T) {
	kinds := map[string][9]float64{
		"all cones":    {1, 0, 0, 0, 1, 0, 0, 0, 1},
		"protanopia":   {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
		"deuteranopia": {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
		"tritanopia":   {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900},
	}
	for kind, m := range kinds {
		for _, dark := range []bool{false, true} {
			for i := range seriesDashes {
				for k := range i {
					if d := distance(seen(m, i, dark), seen(m, k, dark)); d < 8 {
						t.Errorf("%s, dark %v: colours %d and %d are only %.1f apart", kind, dark, k, i, d)
					}
				}
			}
		}
	}
}

// seen is a series' colour in CIELAB as it is seen.
func seen(m [9]float64, series int, dark bool) [3]float64 {
	var hex string
	for _, c := range palette {
		if c.name == fmt.Sprint("c", series) {
			hex = map[bool]string{false: c.light, true: c.dark}[dark]
		}
	}
	c, err := paper.Hex(hex)
	if err != nil {
		panic(err)
	}
	var rgb, v [3]float64
	for i, part := range []uint8{c.R, c.G, c.B} {
		s := float64(part) / 255
		rgb[i] = s / 12.92
		if s > 0.04045 {
			rgb[i] = math.Pow((s+0.055)/1.055, 2.4)
		}
	}
	for i := range v {
		v[i] = max(0, min(1, m[3*i]*rgb[0]+m[3*i+1]*rgb[1]+m[3*i+2]*rgb[2]))
	}
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (t*24389/27 + 16) / 116
	}
	x := f((0.4124*v[0] + 0.3576*v[1] + 0.1805*v[2]) / 0.95047)
	y := f(0.2126*v[0] + 0.7152*v[1] + 0.0722*v[2])
	z := f((0.0193*v[0] + 0.1192*v[1] + 0.9505*v[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func distance(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

// TestStyles: every class that a drawing uses has a style.
func TestStyles(t *testing.T) {
	for _, p := range []Page{demo(), few(), beyond()} {
		for _, s := range p.Sections {
			for _, f := range s.Figures {
				for _, d := range f.html(1).Drawings {
					for _, part := range d.Parts {
						if styleOf(part.Class, part.Text != "").class == "" {
							t.Errorf("the class %q has no style", part.Class)
						}
					}
				}
			}
		}
	}
}
