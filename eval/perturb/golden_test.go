package perturb

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crscore/internal/lang"
)

var update = flag.Bool("update", false, "write the golden files")

// apply reads and rewrites a file once.
func apply(ctx context.Context, t Text, p Perturbation, seed string) (*Variant, error) {
	f, err := Read(ctx, t)
	if err != nil {
		return nil, err
	}
	return f.Apply(ctx, p, seed)
}

// TestGolden compares what is rewritten, and why nothing is, with the golden files: cases of
// "== p1 what it shows", a text, "--", and the rewritten text or "left out: reason".
func TestGolden(t *testing.T) {
	paths, _ := filepath.Glob("testdata/golden/*.txt")
	if len(paths) < 5 {
		t.Fatal("no golden files")
	}
	for _, path := range paths {
		l, ok := lang.Lookup(strings.TrimSuffix(filepath.Base(path), ".txt"))
		if !ok {
			t.Fatal(path)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out := ""
		for _, c := range strings.Split("\n"+string(b), "\n== ")[1:] {
			title, rest, _ := strings.Cut(c, "\n")
			in, want, _ := strings.Cut(rest, "\n--\n")
			in, want = strings.TrimRight(in, "\n")+"\n", strings.TrimSuffix(want, "\n")+"\n"
			got := ""
			t.Run(string(l)+"/"+title, func(t *testing.T) {
				got = golden(t, l, ID(title[:2]), in)
				if got != want && !*update {
					t.Errorf("other than in %s:\n%s", path, Diff("case", &want, &got))
				}
			})
			out += "== " + title + "\n" + in + "--\n" + got
		}
		if *update {
			if err := os.WriteFile(path, []byte(out), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// golden is the rewritten text, or why there is none.
func golden(t *testing.T, l lang.Name, id ID, in string) string {
	text := strings.NewReplacer("␍", "\r", "␌", "\f", "⇥", "\t").Replace(in)
	for _, p := range All() {
		if p.ID != id {
			continue
		}
		v, err := apply(t.Context(), Text{Path: "file" + l.Ext(), Lang: l, New: &text}, p, "1")
		if err != nil {
			return "left out: " + err.Error() + "\n"
		}
		return strings.NewReplacer("\r", "␍", "\f", "␌").Replace(v.New.Text)
	}
	t.Fatalf("no perturbation %q", id)
	return ""
}

// TestLinear perturbs large functions: each takes less than a second. Where a walk over children
// takes quadratic time, the first takes 10 seconds.
func TestLinear(t *testing.T) {
	repeat := func(n int, line string) string { return strings.Repeat(line, n) }
	for _, c := range []struct {
		l    lang.Name
		text string
	}{
		{lang.Java, "class A { int f(int a) {\n" + repeat(10_000, "  int b = a;\n  g(b);\n") + " return a; } }\n"},
		{lang.JavaScript, "function f(a) {\n" + repeat(60, repeat(100, "if (a) {\n")+repeat(100, "} else {\n g(a) }\n")) + "}\n"},
		{lang.Python, "def f(a):\n" + repeat(20, " x = f\"{"+repeat(900, "a+")+"a}\"\n") + " return x\n"},
		{lang.Go, "package a\n" + repeat(5_000, "func f(a int) int {\n\tb := a\n\treturn b\n}\n")},
	} {
		for _, p := range []int{0, 3, 4, 6, 7} {
			p := All()[p]
			start := time.Now()
			_, err := apply(t.Context(), Text{Path: "a" + c.l.Ext(), Lang: c.l, New: &c.text}, p, "1")
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("%s %s: %v for %d bytes (%v)", c.l, p.ID, took, len(c.text), err)
			}
		}
	}
}
