package figures

import (
	"math"
	"strings"
	"testing"
)

// textsOf are the texts of a drawing, and how many of its paths have a class.
func textsOf(d drawing) (texts []string, paths map[string]int) {
	paths = map[string]int{}
	for _, p := range d.Parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		} else {
			paths[p.Class]++
		}
	}
	return texts, paths
}

// TestMatrixWithNumbers: above the diagonal is the difference of row less column, below it the p-value,
// and what is significant is shaded and bold.
func TestMatrixWithNumbers(t *testing.T) {
	m := Matrix{Of: "d", Names: []string{"a", "b", "c"}, Contrasts: []Contrast{
		{A: 1, B: 0, Difference: 0.25, P: 0.001, Corrected: 0.012, Significant: true, Better: true},
		{A: 0, B: 2, Difference: 0.1, P: 0.2, Corrected: 0.2, Better: true},
		{A: 1, B: 2, Difference: 0.3, P: math.NaN(), Corrected: math.NaN()},
	}}
	d, numbers, whole := m.square().draw(sheets[0])
	if !numbers || !whole {
		t.Fatalf("numbers %v, whole names %v", numbers, whole)
	}
	texts, paths := textsOf(d)
	if got, want := strings.Join(texts, " "), "1 2 3 1\u00a0 a −0.25 +0.10 2\u00a0 b .012 +0.30 3\u00a0 c .200 –"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if paths["worse3"] != 1 || paths["better3"] != 0 { // a is worse than b; a pair has one shade
		t.Errorf("the shades are %v", paths)
	}
	bold := 0
	for _, p := range d.Parts {
		if p.Text != "" && styleOf(p.Class, true).bold {
			bold++
		}
	}
	if bold != 2 {
		t.Errorf("%d texts are bold", bold)
	}
}

// TestMatrixWithSigns: without room for numbers a pair has a sign in both of its cells, and the two
// differ without colours.
func TestMatrixWithSigns(t *testing.T) {
	d, numbers, _ := tournament(40).square().draw(sheets[1])
	if numbers {
		t.Fatal("there is room for numbers")
	}
	_, paths := textsOf(d)
	if pairs := 40 * 39 / 2; paths["up"] != pairs-39 || paths["down"] != pairs-39 || paths["point"] != 2*39 {
		t.Errorf("the signs are %v", paths)
	}
	if up, down := styleOf("up", false).onPaper(1), styleOf("down", false).onPaper(1); down.Fill.Lightness()-up.Fill.Lightness() < 40 {
		t.Errorf("up is filled with %v, down with %v", up.Fill, down.Fill)
	}
}

// TestMatrixFits: no text leaves the drawing or covers another, for any number of rows.
func TestMatrixFits(t *testing.T) {
	for _, s := range append(sizes[:2:2], sheets...) {
		for n := 1; n <= drawnItems; n++ {
			d, _, _ := tournament(n).square().draw(s)
			end := map[float64]float64{} // of the texts so far, by their height
			for _, p := range d.Parts {
				wide := s.textWidth(p.Text, regular)
				from := p.X - map[string]float64{"start": 0, "middle": 0.5, "end": 1}[p.Anchor]*wide
				if p.Text != "" && (from < end[p.Y]-0.5 || from+wide > d.W) {
					t.Fatalf("%s, %d rows: %q goes from %.0f to %.0f, beside %.0f, in %.0f", s.class, n, p.Text, from, from+wide, end[p.Y], d.W)
				}
				if p.Text != "" {
					end[p.Y] = from + wide
				}
			}
		}
	}
}

// TestShades: the larger a difference the darker it is, in print without colours too.
func TestShades(t *testing.T) {
	for _, way := range []string{"better", "worse"} {
		before := 100.0
		for _, step := range []string{"1", "2", "3"} {
			l := over(styleOf(way+step, false).onPaper(1).Fill).Lightness()
			if before-l < 4 {
				t.Errorf("%s%s has the lightness %.0f, after %.0f", way, step, l, before)
			}
			before = l
		}
		if ink := styleOf("label", true).onPaper(1).Fill.Lightness(); before-ink < 50 {
			t.Errorf("text of lightness %.0f is not legible on %s3 of %.0f", ink, way, before)
		}
	}
}

func TestMatrixText(t *testing.T) {
	got := text(t, Page{Sections: []Section{{Figures: []Figure{tournament(4)}}}}, 0)
	want := `Differences
                             1  2  3  4
  1 alpha-70b-instruct          ·  +  +
  2 beta                     ·     ·  +
  3 a name of several words  -  ·     ·
  4 alpha-70b-instruct       -  -  ·
+ the row is better, - the column is better, · no significant difference
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if long := text(t, Page{Sections: []Section{{Figures: []Figure{tournament(60)}}}}, 60); !strings.Contains(long, "Columns that have no room here: 22.") {
		t.Error(long)
	}
}
