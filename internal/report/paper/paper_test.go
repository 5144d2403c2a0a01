package paper

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the goldens anew; read what changed before you commit it")

// sketch has each kind of item.
func sketch(t testing.TB, texts ...string) Drawing {
	t.Helper()
	parse := func(d string) Path {
		p, err := Parse(d)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	blue, red, ink := Color{11, 95, 165, 1}, Color{176, 58, 6, 0.5}, Color{0, 0, 0, 1}
	d := Drawing{W: 180, H: 100, Title: "A sketch", Desc: "Lines, an area, dots and texts.", Items: []Item{
		{Path: parse("M20 80H160"), Style: Style{Stroke: ink, Width: 1}},
		{Path: parse("M20 80C60 80 60 20 90 20L160 60"), Style: Style{Stroke: blue, Width: 2, Dash: []float64{6, 3}}},
		{Path: parse("M30 70V40H70V70Z"), Style: Style{Stroke: red, Fill: red, Width: 1, Miter: true}},
		{Path: parse("M100 50h0M120 50h0M140 50h0L141 51"), Style: Style{Stroke: blue, Width: 6}},
		{Text: "Spearman ρ, τ, κ", X: 90, Y: 94, Anchor: Middle, Size: 8, Style: Style{Fill: ink}},
		{Text: "bold", X: 160, Y: 12, Anchor: End, Size: 8, Bold: true, Style: Style{Fill: ink, Stroke: Color{255, 255, 255, 1}, Width: 3}},
	}}
	for i, text := range texts {
		d.Items = append(d.Items, Item{Text: text, X: 2, Y: 10 + 8*float64(i), Size: 6, Style: Style{Fill: ink}})
	}
	return d
}

func written(t testing.TB, write func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	got := written(t, sketch(t).WriteSVG)
	file := filepath.Join("testdata", "sketch.svg")
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
		t.Errorf("-want +got:\n%s", d)
	}
}

// TestSameBytes: a drawing has no dates, and nothing that is random.
func TestSameBytes(t *testing.T) {
	for range 3 {
		a, b := sketch(t), sketch(t)
		for i, write := range []struct{ first, second func(io.Writer) error }{
			{a.WriteSVG, b.WriteSVG}, {a.WritePDF, b.WritePDF}, {a.WritePNG, b.WritePNG},
		} {
			if !bytes.Equal(written(t, write.first), written(t, write.second)) {
				t.Errorf("writer %d gives other bytes the second time", i)
			}
		}
	}
}

func TestPNG(t *testing.T) {
	file := written(t, sketch(t).WritePNG)
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(img.Bounds().Size()), "(750,417)"; got != want { // 300 pixels for 72 points
		t.Errorf("it has %s pixels, want %s", got, want)
	}
	i := bytes.Index(file, []byte("pHYs"))
	if i < 0 || binary.BigEndian.Uint32(file[i+4:]) != 11811 || file[i+12] != 1 {
		t.Error("it does not say that it has 300 pixels to an inch")
	}
	at := func(x, y float64) string { // in points
		r, g, b, _ := img.At(int(x*300/72), int(y*300/72)).RGBA()
		return fmt.Sprintf("%02x%02x%02x", r>>8, g>>8, b>>8)
	}
	for _, c := range []struct {
		what, want string
		x, y       float64
	}{
		{"the background", "ffffff", 5, 50},
		{"the line", "000000", 150, 80},
		{"the area", "d89c82", 40, 50},
		{"a dot without length", "0b5fa5", 120, 51},
		{"the dot that goes on", "0b5fa5", 141, 51},
	} {
		if got := at(c.x, c.y); got != c.want {
			t.Errorf("%s has the colour %s, want %s", c.what, got, c.want)
		}
	}
}

func TestTooLarge(t *testing.T) {
	if err := (Drawing{W: 1e5, H: 1e5}).WritePNG(io.Discard); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("got %v", err)
	}
}

// objects returns the texts of a PDF, its streams unpacked.
func objects(t *testing.T, file []byte) string {
	t.Helper()
	var out strings.Builder
	out.Write(file)
	for _, m := range regexp.MustCompile(`(?s)stream\n(.*?)\nendstream`).FindAllSubmatch(file, -1) {
		if r, err := zlib.NewReader(bytes.NewReader(m[1])); err == nil {
			if b, err := io.ReadAll(r); err == nil {
				out.Write(b)
			}
		}
	}
	return out.String()
}

func TestPDF(t *testing.T) {
	file := written(t, sketch(t).WritePDF)
	all := objects(t, file)
	for _, want := range []string{"/MediaBox [0 0 180.00 100.00]", "/FontFile2", "/ToUnicode", "(D:19700101000000)"} {
		if !strings.Contains(all, want) {
			t.Errorf("there is no %s", want)
		}
	}
	if n := strings.Count(all, "(D:"); n != strings.Count(all, "(D:19700101000000)") {
		t.Error("it has the date of today")
	}
	if fonts, files := strings.Count(all, "/Type /FontDescriptor"), strings.Count(all, "/FontFile2"); fonts != 2 || files != 2 {
		t.Errorf("of %d fonts %d are embedded", fonts, files)
	}
	var rho strings.Builder
	for _, u := range utf16.Encode([]rune("man ρ, τ")) {
		rho.Write([]byte{byte(u >> 8), byte(u)})
	}
	if !strings.Contains(all, rho.String()) {
		t.Error("the words are not in it")
	}
	if len(file) > 60_000 {
		t.Errorf("it has %d bytes: not only the characters that it needs", len(file))
	}
	tool, err := exec.LookPath("pdffonts")
	if err != nil {
		t.Log("pdffonts is not on PATH, and does not look at it")
		return
	}
	name := filepath.Join(t.TempDir(), "sketch.pdf")
	if err := os.WriteFile(name, file, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(tool, name).CombinedOutput()
	if n := len(regexp.MustCompile(`(?mi)^\S*LiberationSans\S* .* yes +\S+ +yes`).FindAll(out, -1)); err != nil || n != 2 {
		t.Errorf("%v: %d fonts are embedded and searchable:\n%s", err, n, out)
	}
}

// hostile are names that systems and metrics should not have, and have.
var hostile = []string{
	`</title><script>alert(1)</script> & "quoted"`, "\\input{/etc/passwd} $x_1$ #%~", ") Tj ET (unbalanced \\", "=HYPERLINK(\"x\")",
	"שלום review עולם 3.5", "模型 系统", "emoji 🚀 \u200d", "a\u0301 combining", "tab\tline\nend\x00\x1b[31m", "\ufffe\uffff\xff\xfe broken", strings.Repeat("long_name ", 30), "",
}

func TestHostile(t *testing.T) {
	for _, name := range hostile {
		d := sketch(t, name)
		d.Title, d.Desc = name, name
		wellFormed(t, written(t, d.WriteSVG))
		written(t, d.WritePDF)
		written(t, d.WritePNG)
	}
}

// wellFormed checks an SVG: it is XML, and has only what we draw.
func wellFormed(t testing.TB, svg []byte) {
	t.Helper()
	r := xml.NewDecoder(bytes.NewReader(svg))
	for {
		tok, err := r.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, svg)
		}
		if e, ok := tok.(xml.StartElement); ok && !strings.Contains(" svg title desc defs path rect g use ", " "+e.Name.Local+" ") {
			t.Fatalf("there is an element %s", e.Name.Local)
		}
	}
}

// TestNothingIsDropped: a character without a glyph is written as its number.
func TestNothingIsDropped(t *testing.T) {
	for text, want := range map[string]string{
		"plain, ρ τ κ é Ж": "plain, ρ τ κ é Ж",
		"模型 1":             "[U+6A21][U+578B] 1",
		"a\u0301🚀":         "a[U+0301][U+1F680]",
		"a\x00\tb":         "a[U+0000] b",
		"abc שלום def":     "abc םולש def",
	} {
		l, err := newLine(Item{Text: text, Size: 10})
		if err != nil {
			t.Fatal(err)
		}
		if l.text != want {
			t.Errorf("%q is drawn as %q, want %q", text, l.text, want)
		}
	}
}

func TestWidth(t *testing.T) {
	if narrow, wide := Width("iiii", false), Width("WWWW", false); narrow <= 0 || narrow >= wide/3 {
		t.Errorf("iiii is %.2f wide, and WWWW %.2f", narrow, wide)
	}
	if Width("name", true) <= Width("name", false) {
		t.Error("the bold font is not wider")
	}
}

func TestParse(t *testing.T) {
	p, err := Parse("M1 2h0L3 -4H5V6C1 2 3 4 5 6Z")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.data(), "M1 2L1 2L3 -4L5 -4L5 6C1 2 3 4 5 6Z"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, bad := range []string{"L1 2", "M1", "M1 x", "Q1 2 3 4", "M1 2 3", "Z", "M1 2<"} {
		if p, err := Parse(bad); err == nil {
			t.Errorf("%q is read as %v", bad, p)
		}
	}
}

func TestLightness(t *testing.T) {
	for hex, want := range map[string]string{"#000000": "0", "#ffffff": "100", "#777777": "50", "#0b5fa5": "40"} {
		c, err := Hex(hex)
		if got := fmt.Sprintf("%.0f", c.Lightness()); err != nil || got != want {
			t.Errorf("the lightness of %s is %s, want %s (%v)", hex, got, want, err)
		}
	}
	for _, bad := range []string{"", "#fff", "0b5fa5", "#0b5fag", "#ä5fa5"} {
		if c, err := Hex(bad); err == nil {
			t.Errorf("%q is %v", bad, c)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, name := range hostile {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if len(name) > 1000 {
			t.Skip("long names are no other matter")
		}
		d := Drawing{W: 100, H: 20, Title: name, Items: []Item{{Text: name, Size: 8, Style: Style{Fill: Color{0, 0, 0, 1}}}}}
		wellFormed(t, written(t, d.WriteSVG)) // the font of a PDF takes too long
	})
}

func FuzzParse(f *testing.F) {
	f.Add("M1 2h0L3 -4H5V6C1 2 3 4 5 6Z")
	f.Fuzz(func(t *testing.T, d string) {
		p, err := Parse(d)
		if err != nil {
			return
		}
		rest, points := p.points()
		if _, err := Parse(p.data()); err != nil || len(rest)+len(points) > len(p) {
			t.Errorf("%q: %v, %d and %d of %d", d, err, len(rest), len(points), len(p))
		}
	})
}
