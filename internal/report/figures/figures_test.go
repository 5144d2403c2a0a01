package figures

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"

	"crscore/internal/report"
)

var update = flag.Bool("update", false, "write the goldens anew; read what changed before you commit it")

// TestUnlinked: the rows of a case have one height for its links, and their own without links.
func TestUnlinked(t *testing.T) {
	one := Case{Sentences: []Item{{Text: "One."}}, Refs: []Item{{Text: "a"}}}
	linked := one
	linked.Links = []Link{{Sentence: 1, Ref: 1, Similarity: 0.5}}
	page := html(t, Page{Sections: []Section{{Figures: []Figure{Cases{Cases: []Case{one, linked}}}}}})
	if strings.Count(page, `<div class="pair unlinked">`) != 1 || strings.Count(page, `<div class="pair">`) != 1 {
		t.Error(page)
	}
	if !strings.Contains(page, ".unlinked ol { grid-auto-rows: auto;") {
		t.Error("a long item stretches the others")
	}
}

func html(t *testing.T, p Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func text(t *testing.T, p Page, width int) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.WriteText(&b, width); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for name, got := range map[string]string{
		"demo.txt":    text(t, demo(), 0),
		"demo-40.txt": text(t, demo(), 40),
		"beyond.txt":  text(t, beyond(), 0),
		"few.html":    strings.Replace(html(t, few()), string(pageCSS()), "", 1),
	} {
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got); d != "" {
			t.Errorf("%s: -want +got:\n%s", name, d)
		}
	}
}

func TestSameBytes(t *testing.T) {
	p := demo()
	for _, write := range []func() string{func() string { return html(t, p) }, func() string { return text(t, p, 0) }} {
		if first, second := write(), write(); first != second {
			t.Error("two writings of a page differ")
		}
	}
}

// TestGivenValuesAreLeftAlone holds that drawing sorts nothing of the caller's.
func TestGivenValuesAreLeftAlone(t *testing.T) {
	p := demo()
	html(t, p)
	text(t, p, 0)
	if d := cmp.Diff(demo(), p, cmp.Comparer(func(a, b float64) bool { return a == b || a != a && b != b })); d != "" {
		t.Errorf("-before +after:\n%s", d)
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		n         int
		want      string
	}{
		{0, 1, 5, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{0, 1, 10, "0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0"},
		{-0.3, 0.3, 5, "-0.2 0.0 0.2"},
		{0, 0.22, 5, "0.00 0.05 0.10 0.15 0.20"},
		{0, 1e-7, 2, "0 5e-08 1e-07"},
		{1, 5, 4, "1 2 3 4 5"},
		{0, 3e7, 3, "0 1e+07 2e+07 3e+07"},
		{-250, 1000, 5, "-250 0 250 500 750 1000"},
	} {
		_, labels := ticks(c.low, c.high, c.n)
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("ticks(%v, %v, %d) = %s, want %s", c.low, c.high, c.n, got, c.want)
		}
	}
}

func TestSpan(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		axis      Axis
		values    []float64
		low, high float64
	}{
		{Axis{Min: 0, Max: 1}, []float64{5}, 0, 1},
		{Axis{}, nil, 0, 1},
		{Axis{}, []float64{nan, inf, -inf, 1e300}, 0, 1},
		{Axis{}, []float64{0.12, 0.88}, 0, 1},
		{Axis{}, []float64{0.3, 0.3}, -0.2, 0.8},
		{Axis{}, []float64{0, 1e-320}, -0.5, 0.5}, // a step between them would be 0
		{Axis{}, []float64{1e9, 1e9}, 1e9 - 1e6, 1e9 + 1e6},
		{Axis{Min: nan, Max: 3}, []float64{1, 2}, 1, 2},
	} {
		if low, high := c.axis.span(c.values); low != c.low || high != c.high {
			t.Errorf("%v.span(%v) = %v to %v, want %v to %v", c.axis, c.values, low, high, c.low, c.high)
		}
	}
}

func TestSummary(t *testing.T) {
	s := Box{Sample: Sample{"a", []float64{9, 1, math.NaN(), 3, 2, 4, 100, 5, math.Inf(1)}}}.summarize()
	got := fmt.Sprint(len(s.sorted), s.undefined, s.whiskerLow, s.q1, s.median, s.q3, s.whiskerHigh, s.hasInterval())
	if want := "7 2 1 2 4 9 9 false"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s = Box{Sample: Sample{"one", []float64{0.5}}, Low: 0.4, High: 0.6}.summarize()
	if got := fmt.Sprint(s.whiskerLow, s.q1, s.median, s.q3, s.whiskerHigh, s.mean, s.hasInterval()); got != "0.5 0.5 0.5 0.5 0.5 0.5 true" {
		t.Errorf("one value: %s", got)
	}
}

func TestHistogramCounts(t *testing.T) {
	h := Histogram{Bins: 4, X: Axis{Min: 0, Max: 1}, Groups: []Sample{{"a", []float64{0, 0.24, 0.25, 1, 1.5, math.NaN()}}}}.count()
	if got := fmt.Sprint(h.counts, h.total, h.height(0, 0)); got != "[[2 1 0 1]] [5] 0.4" || h.Groups[0].Name != "a (5, and 1 that are not numbers)" {
		t.Error(got, h.Groups[0].Name)
	}
}

// TestManyIsBounded draws a million points in a page that opens.
func TestManyIsBounded(t *testing.T) {
	values := make([]float64, 1_000_000)
	for i := range values {
		values[i] = float64(i) / 1e6
	}
	many := Lines{Title: "L", At: values, Series: []Series{{Name: "a", Y: values, Low: values, High: values}}, Markers: []Marker{{X: 0.1234567, Label: "here"}}}
	for range 100 {
		many.Series = append(many.Series, Series{Name: "b", Y: values[:10]})
	}
	var boxes []Box
	var groups []Sample
	for range 100 {
		boxes = append(boxes, Box{Sample: Sample{Values: values[:1000]}})
		groups = append(groups, Sample{Values: values[:1000]})
	}
	boxes[0].Values, groups[0].Values = values, values
	var items []Item
	var links []Link
	for i := range 5000 {
		items = append(items, Item{Text: "text"})
		links = append(links, Link{Sentence: 1, Ref: i + 1, Similarity: 0.5})
	}
	p := Page{Sections: []Section{{Figures: []Figure{many, Dots{Rows: make([]Dot, 5000)}, Boxes{Groups: boxes}, Histogram{Groups: groups, Bins: 1 << 30},
		Cases{Cases: []Case{{Sentences: items, Refs: items, Links: links}}}}}}}
	if h := html(t, p); len(h) > 3<<20 {
		t.Errorf("the page has %d bytes", len(h))
	} else if !strings.Contains(h, "Of 1000000 places every 2000th is shown.") || !strings.Contains(h, "Of 101 curves the first 24 are shown.") || !strings.Contains(h, "Of 5000 rows the first 200 are shown.") || !strings.Contains(h, "0.123457") {
		t.Error("what is left out is not said, or the place of the marker is left out")
	}
	if s := text(t, p, 80); len(s) > 1<<20 {
		t.Errorf("the text has %d bytes", len(s))
	}
}

// elements are those that a page has.
const elements = " nav a strong html head meta title style body main header h1 h2 h3 h4 p pre section figure ul li ol svg path text desc details summary div table thead tbody tr th td article span bdi code footer "

// checkSafe holds a page against what no text and no number may break.
func checkSafe(t *testing.T, p Page) {
	t.Helper()
	for _, width := range []int{40, 80} {
		for line := range strings.Lines(text(t, p, width)) {
			line = strings.TrimSuffix(line, "\n")
			if uniseg.StringWidth(line) > width {
				t.Errorf("a line is wider than %d: %q", width, line)
			}
			checkPlain(t, line)
		}
	}
	page := html(t, p)
	for line := range strings.Lines(page) {
		checkPlain(t, strings.Trim(line, "\n\t"))
	}
	dec := xml.NewDecoder(strings.NewReader(page))
	dec.Strict, dec.AutoClose, dec.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("the page cannot be read: %v", err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if !strings.Contains(elements, " "+e.Name.Local+" ") {
			t.Errorf("the page has an element %s", e.Name.Local)
		}
		for _, a := range e.Attr {
			switch {
			case a.Name.Local == "href" && strings.HasPrefix(a.Value, "#part-") && strings.Trim(a.Value[6:], "0123456789") == "":
			case strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" || a.Name.Local == "src" || a.Name.Local == "style":
				t.Errorf("%s has an attribute %s", e.Name.Local, a.Name.Local)
			case a.Name.Local == "d" && (strings.Trim(a.Value, "MLHVZCh-.0123456789 ") != "" || strings.Contains(a.Value, "NaN")):
				t.Errorf("a path is %q", a.Value)
			case (a.Name.Local == "x" || a.Name.Local == "y") && strings.Trim(a.Value, "-.0123456789") != "":
				t.Errorf("a place is %q", a.Value)
			}
		}
	}
}

func checkPlain(t *testing.T, s string) {
	t.Helper()
	for _, r := range s {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			t.Errorf("%U in %q", r, s)
		}
	}
}

// everything is a page in which every text is s and every number comes from v.
func everything(s string, n int, v ...float64) Page {
	at := func(i int) float64 { return v[i%len(v)] }
	values := make([]float64, n)
	for i := range values {
		values[i] = at(i)
	}
	markers := []Marker{{at(0), s, at(1), at(2)}, {at(2), s, at(2), at(1)}}
	axis := Axis{s, at(1), at(2)}
	cells := []string{s, s, s}
	var dots []Dot
	for i, v := range values {
		dots = append(dots, Dot{s, v, at(i + 1), at(i + 2), i%2 == 0, i%3 == 0})
	}
	item := []Item{{s, s, report.Good, s}, {s, s, report.Bad, ""}}
	return Page{Title: s, Lead: s, Warnings: []string{s, s}, Foot: s, Sections: []Section{{s, s, []Figure{
		Lines{s, s, Axis{Label: s}, axis, values, []Series{{Name: s, Y: values}, {Name: s, Y: values, Low: values, High: values[:n/2], Dots: true}, {s, values, values[:n/3], values, false}}, markers},
		Histogram{s, s, axis, n - 3, []Sample{{s, values}, {s, nil}}, n%2 == 0, markers},
		Boxes{s, s, s, axis, []Box{{Sample{s, values}, at(0), at(1)}, {Sample{Name: s}, 0, 0}}},
		Dots{s, s, s, dots, n - 2}, Dots{},
		Matrix{s, s, s, []string{s, s, s}, []Contrast{{0, 1, at(0), at(1), at(2), at(0), at(1), true, n%2 == 0}, {n - 5, n - 6, at(1), at(2), at(0), at(2), at(0), false, true}}}, Matrix{},
		Table{s, s, []Column{{s, false}, {s, true}, {s, false}}, []Row{{Cells: cells}, {Group: s}, {Cells: append(cells, s), Marked: true}, {}}, []string{s}, n%2 == 0},
		Table{Title: s}, Lines{}, Histogram{}, Boxes{}, Cases{},
		Cases{s, s, []Case{{s, []string{s, s}, item, item, []Link{{1, 2, at(0), true}, {n - 2, 1, at(1), false}, {-1, 1, 0, true}}, s, [2]string{s, s}}, {}}},
	}}, {Title: s}}}
}

var hostile = []string{
	"", " ", "\n\n\n", "</style></title><script>alert(1)</script>", `" onload="alert(1)`, "'><img src=x onerror=alert(1)>", "{{.}}{{template \"x\"}}",
	"\x1b[31mred\x1b]0;title\a", "\u202egnp.exe\u2066", "\xff\xfe broken", "\u0000nul", strings.Repeat("long", 300), strings.Repeat("many words ", 300),
	"表示の試験です", "مرحبا بالعالم", "e\u0301\u0301\u0301\u0301", "javascript:alert(1)", "<!--", "]]>", "&lt;b&gt;",
}

func TestHostile(t *testing.T) {
	for _, s := range hostile {
		checkSafe(t, everything(s, 7, 0.1, 0.9, 0.5))
	}
	nan, inf := math.NaN(), math.Inf(1)
	for _, v := range [][]float64{{nan}, {inf, -inf}, {0}, {1e308, -1e308}, {5e-324, 0}, {nan, 1, 2}, {1e16, 1e16 + 2}, {-1, -1, -1}, {1e99, -1e99}} {
		for _, n := range []int{0, 1, 2, 5, 50} {
			checkSafe(t, everything("x", n, v...))
		}
	}
}

// TestEscaped: each character of markup in a text is escaped, wherever a page has the text. Other
// characters of the same width stand for them in the page that tells what is expected.
func TestEscaped(t *testing.T) {
	const text = "\"><script>alert('&')</script><!-- `<b onload=\"'&lt;\">`"
	stand := strings.NewReplacer("<", "ā", ">", "ē", "&", "ī", `"`, "ō", "'", "ū")
	escaped := strings.NewReplacer("ā", "&lt;", "ē", "&gt;", "ī", "&amp;", "ō", "&#34;", "ū", "&#39;")
	for _, n := range []int{6, 7, 2 * shownItems} {
		want := escaped.Replace(html(t, everything(stand.Replace(text), n, 0.1, 0.9, 0.5)))
		if diff := cmp.Diff(want, html(t, everything(text, n, 0.1, 0.9, 0.5))); diff != "" {
			t.Errorf("not escaped, - how it should be, + how it is:\n%s", diff)
		}
	}
}

func FuzzPage(f *testing.F) {
	for i, s := range hostile {
		f.Add(s, uint8(i), 0.1, float64(i), -0.5)
	}
	f.Add("", uint8(0), math.NaN(), math.Inf(1), 1e300)
	f.Fuzz(func(t *testing.T, s string, n uint8, a, b, c float64) {
		checkSafe(t, everything(s, int(n), a, b, c))
	})
}
