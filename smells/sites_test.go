package smells

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crscore/internal/lang"
)

// siteCase is a case of testdata/sites. There is a file for each rule; a case is
// a line "-- LANGUAGE: what the sentence contains", or "-- LANGUAGE" where there
// is nothing to say, and then the code.
type siteCase struct {
	name, rule string
	lang       lang.Name
	want, code string
}

func siteCases(t testing.TB) []siteCase {
	t.Helper()
	paths, err := filepath.Glob("testdata/sites/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases", err)
	}
	var out []siteCase
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		rule := strings.TrimSuffix(filepath.Base(path), ".txt")
		for i, line := range strings.SplitAfter(string(data), "\n") {
			if head, ok := strings.CutPrefix(line, "-- "); ok {
				l, want, _ := strings.Cut(strings.TrimSpace(head), ": ")
				out = append(out, siteCase{name: fmt.Sprintf("%s:%d_%s", rule, i+1, l), rule: rule, lang: lang.Name(l), want: want})
				continue
			}
			if len(out) == 0 {
				t.Fatalf("%s does not begin with a case", path)
			}
			out[len(out)-1].code += line
		}
	}
	return out
}

func TestSites(t *testing.T) {
	type key struct {
		rule string
		lang lang.Name
		said bool
	}
	have := map[key]bool{}
	for _, c := range siteCases(t) {
		have[key{c.rule, c.lang, c.want != ""}] = true
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, s := range detect(t, c.lang, "", c.code, false, Options{Rules: []string{c.rule}}) {
				if s.Rule == c.rule {
					got = append(got, s.Text)
				}
				if n := len(strings.Fields(s.Text)); n > 25 {
					t.Errorf("%d words: %s", n, s.Text)
				}
			}
			switch {
			case c.want == "" && len(got) > 0:
				t.Errorf("got %q, want none", got)
			case c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)):
				t.Errorf("got %q, want one with %q", got, c.want)
			}
		})
	}
	for _, r := range Rules() {
		for _, l := range r.Languages {
			if l == lang.TSX {
				l = lang.TypeScript
			}
			if r.places() && (!have[key{r.ID, l, true}] || !have[key{r.ID, l, false}]) {
				t.Errorf("%s: no true or no false case in %s", r.ID, l)
			}
		}
	}
}

// TestSitesOfChange checks which places count when the old side is known, as a
// whole or in a hunk.
func TestSitesOfChange(t *testing.T) {
	const empty = "  try:\n    a()\n  except E:\n    pass\n"
	pad := strings.Repeat("x()\n", 8)
	for _, c := range []struct {
		name, old, code string
		rule            string
		want            int // in the whole file
		bare            int // in the hunks
	}{
		{"new", "def f():\n  b()\n" + pad, "def f():\n" + empty + "  b()\n" + pad, "empty-catch", 1, 1},
		{"as before", "def f():\n" + empty + "  b()\n" + pad, "def f():\n" + empty + "  c()\n" + pad, "empty-catch", 0, 0},
		{"touched", "def f():\n  try:\n    a()\n  except E as e:\n    pass\n" + pad, "def f():\n" + empty + pad, "empty-catch", 0, 0},
		{"a second one", "def f():\n" + empty + "  b()\n" + pad, "def f():\n" + empty + "  b()\n" + empty + pad, "empty-catch", 1, 1},
		{"moved within the function", "def f():\n" + empty + "  b()\n" + pad, "def f():\n  b()\n  c()\n" + empty + pad, "empty-catch", 0, 0},
		{"in another function", "def f():\n" + empty + "  b()\ndef g():\n  c()\n  d()\n  e()\n  h()\n  i()\n" + pad,
			"def f():\n  b()\ndef g():\n  c()\n  d()\n  e()\n  h()\n  i()\n" + empty + pad, "empty-catch", 1, 1},
		{"emptied", "def f():\n  try:\n    a()\n  except E:\n    b()\n" + pad, "def f():\n" + empty + pad, "empty-catch", 1, 1},
		{"the end is not seen", "def f():\n  b()\n", "def f():\n" + empty, "empty-catch", 1, 0},
		{"longer", "a = [xxxxxxxxxxxxxxxxxxx for x in yyyyyyyyyyyyyyyyyy if a and b and cccccccccccc]\n", "a = [xxxxxxxxxxxxxxxxxxx for x in yyyyyyyyyyyyyyyyyy if a and b and cccccccccccccc]\n", "long-comprehension", 1, 1},
		{"shorter", "a = [xxxxxxxxxxxxxxxxxxx for x in yyyyyyyyyyyyyyyyyy if a and b and cccccccccccccc]\n", "a = [xxxxxxxxxxxxxxxxxxx for x in yyyyyyyyyyyyyyyyyy if a and b and cccccccccccc]\n", "long-comprehension", 0, 0},
		{"only in the whole file", "x = 1\n", "import os\nx = 1\n", "unused-import", 1, 0},
		{"not used any more", "def f(a):\n  b = a\n  g()\n  h(b)\n" + pad, "def f(a):\n  b = a\n  g()\n  h(a)\n" + pad, "unused-variable", 1, 0},
		{"not used as before", "def f(a):\n  b = a\n  g()\n  h(a)\n" + pad, "def k(a):\n  b = a\n  g()\n  h(a, a)\n" + pad, "unused-variable", 0, 0},
		{"unused from the start", "g()\n" + pad, "def f(a):\n  b = a\n  g()\n  h(a)\ng()\n" + pad, "unused-variable", 1, 1},
		{"the end of the function is not seen", "def f(a):\n  b = a\n  g()\n", "def f(a):\n  b = a\n  c = a\n  g()\n", "unused-variable", 1, 0},
		{"a parameter that is not used any more", "def f(a, b):\n  g(a)\n  h(b)\n" + pad, "def f(a, b):\n  g(a)\n  h()\n" + pad, "unused-parameter", 1, 0},
		{"a parameter in a hunk", "g()\n" + pad, "def f(a, b):\n  g(a)\n" + pad, "unused-parameter", 1, 0},
		{"the begin is not seen", "# Call it like this:\n#\n#\n#\n" + pad, "# Call it like this:\n#\n#\n#\n# a.b(c)\n" + pad, "commented-out-code", 0, 0},
		{"the last use of an import is gone", "import os\n" + pad + "os.a()\n", "import os\n" + pad + "a()\n", "unused-import", 1, 0},
		{"an import that was not used before", "import os\n" + pad + "a()\n", "import os\n" + pad + "b()\n", "unused-import", 0, 0},
		{"the function has another name", "def f(a=[]):\n  g()\n" + pad, "def h(a=[]):\n  g()\n" + pad, "mutable-default", 0, 0},
		{"the function has come into a class", "def f(a=[]):\n  g()\n" + pad, "class A:\n  z = 1\n\n  def f(a=[]):\n    g()\n" + pad, "mutable-default", 0, 0},
		{"one of two goes elsewhere", "def f(a=[]):\n  g()\n" + pad, "def h(a=[]):\n  g()\ndef k(a=[]):\n  g(a)\n" + pad, "mutable-default", 1, 1},
		{"another function's", "def f():\n  x = 1 # TODO\n" + pad + "def k():\n  y = 1\n" + pad, "def f():\n  x = 1\n" + pad + "def k():\n  y = 1 # TODO\n" + pad, "todo-comment", 1, 1},
		{"a comment", pad, pad + "# a.b(c)\n", "commented-out-code", 1, 1},
		{"broken", "x = 1\n", "x = == None (\n", "none-comparison", 0, 0},
	} {
		for bare, want := range map[bool]int{false: c.want, true: c.bare} {
			got := detect(t, lang.Python, c.old, c.code, bare, Options{Rules: []string{c.rule}})
			if len(got) != want {
				t.Errorf("%s (bare: %v): got %+v, want %d", c.name, bare, got, want)
			}
			if c.name == "longer" && len(got) == 1 && !strings.Contains(got[0].Text, "grew from 77 to 79 characters, more than 72;") {
				t.Errorf("got %s", got[0].Text)
			}
		}
	}
}
