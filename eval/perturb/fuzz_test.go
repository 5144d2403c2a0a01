package perturb

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// FuzzApply perturbs any text: an error says that it is unfit, and a rewritten text is all of
// its pieces, and the same the next time.
func FuzzApply(f *testing.F) {
	paths, _ := filepath.Glob("testdata/golden/*.txt")
	for i, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for k, c := range strings.Split("\n"+string(b), "\n== ")[1:] {
			_, c, _ = strings.Cut(c, "\n")
			in, _, _ := strings.Cut(c, "\n--\n")
			f.Add(uint8(i), uint8(k), in, strings.Replace(in, "1", "2", 1), k%2 == 0)
		}
	}
	f.Fuzz(func(t *testing.T, l, p uint8, before, after string, both bool) {
		d := dialects()[int(l)%len(dialects())]
		text := Text{Path: "a" + d.lang.Ext(), Lang: d.lang, New: &after}
		if both {
			text.Old = &before
		}
		pt := All()[int(p)%len(All())]
		v, err := apply(t.Context(), text, pt, before)
		if err != nil {
			if !errors.Is(err, ErrUnfit) || err.Error() == "" {
				t.Fatal(err)
			}
			return
		}
		again, err := apply(t.Context(), text, pt, before)
		if err != nil || again.New.Text != v.New.Text {
			t.Fatalf("the second time it is other: %v", err)
		}
		check(t, after, *v.New)
		if both {
			check(t, before, *v.Old)
		}
		if v.New.Text == after && (!both || v.Old.Text == before) {
			t.Fatal("nothing was rewritten")
		}
	})
}

// check compares a rewritten text with its pieces.
func check(t *testing.T, original string, r Rewritten) {
	t.Helper()
	var b strings.Builder
	kept := make([]int, len(original)) // where each byte went, and how often
	line := make([]int, len(original))
	for _, p := range r.Pieces {
		if p.From > p.To || p.To > len(original) || p.From == p.To && p.Text == "" {
			t.Fatalf("piece %+v", p)
		}
		for i := p.From; i < p.To; i++ {
			kept[i]++
			line[i] = 1 + strings.Count(b.String(), "\n")
			if p.Text == "" {
				line[i] += strings.Count(original[p.From:i], "\n")
			}
		}
		if p.Text == "" {
			b.WriteString(original[p.From:p.To])
		} else {
			b.WriteString(p.Text)
		}
	}
	if b.String() != r.Text {
		t.Fatalf("the pieces are %q, not %q", b.String(), r.Text)
	}
	at, lines := 0, r.Lines(original)
	for n, text := range slices.Collect(strings.Lines(original)) {
		want := 0
		for i, c := range []byte(strings.TrimSuffix(text, "\n")) {
			if c != ' ' && c != '\t' && line[at+i] > 0 {
				want = line[at+i]
				break
			}
		}
		if got := lines[n]; got != want {
			t.Fatalf("line %d became %d, not %d", n+1, got, want)
		}
		at += len(text)
	}
	if i := slices.IndexFunc(kept, func(n int) bool { return n > 1 }); i >= 0 {
		t.Fatalf("byte %d is there twice", i)
	}
}

// FuzzEdits makes any edits: they overlap, or the text is all of its pieces, and without swaps
// that of edits made one by one from the end.
func FuzzEdits(f *testing.F) {
	f.Add("if (a) {b} else {c}", []byte{0, 4, 4, 0, 0, 5, 5, 0, 1, 7, 10, 8})
	f.Add("{{a} {b}} {c}", []byte{1, 0, 9, 10, 1, 1, 4, 2, 2, 2, 3, 0})
	f.Fuzz(func(t *testing.T, text string, code []byte) {
		if len(text) > 200 {
			return
		}
		var e editor
		swaps, naive := false, text
		for ; len(code) >= 4 && len(e.edits) < 40; code = code[4:] {
			from := int(code[1]) % (len(text) + 1)
			to := from + int(code[2])%(len(text)+1-from)
			switch code[0] % 3 {
			case 0:
				e.replace(from, to, strings.Repeat("x", 1+int(code[3])%3))
			case 1:
				at := to + int(code[3])%(len(text)+1-to)
				if from < to && at > to { // two parts, neither empty
					e.swap(span{from, to}, span{at, len(text)})
					swaps = true
					if at == len(text) {
						return
					}
				}
			default:
				e.insert(from, "\n")
			}
		}
		sorted := slices.Clone(e.edits)
		r, err := e.rewrite(text)
		if err != nil {
			return
		}
		check(t, text, r)
		if swaps {
			return
		}
		slices.SortStableFunc(sorted, func(a, b edit) int {
			if a.from != b.from {
				return a.from - b.from
			}
			return a.to - b.to
		})
		for _, x := range slices.Backward(sorted) {
			naive = naive[:x.from] + x.text + naive[x.to:]
		}
		if naive != r.Text {
			t.Fatalf("%q, not %q", r.Text, naive)
		}
	})
}

// TestOverlap: edits that overlap are an error, and a swap takes its inner edits along.
func TestOverlap(t *testing.T) {
	var e editor
	e.replace(0, 3, "x")
	e.replace(2, 4, "y")
	if r, err := e.rewrite("abcdef"); err == nil {
		t.Error("no error, but", r.Text)
	}
	e = editor{}
	e.swap(span{0, 5}, span{6, 8})
	e.swap(span{1, 2}, span{3, 4})
	e.replace(7, 8, "Z")
	r, err := e.rewrite("(a b) cd")
	if err != nil || r.Text != "cZ (b a)" {
		t.Error(r.Text, err)
	}
}
