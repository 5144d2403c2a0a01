package smells

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"crscore/change"
	"crscore/internal/lang"
	"crscore/internal/syntax"
)

// TestDirectives holds the crscore:ignore comments of texts against what they are
// read as: line, rules, reason and lines that they are for.
func TestDirectives(t *testing.T) {
	for _, c := range []struct {
		name string
		lang lang.Name
		text string
		want string // "" means no directive
	}{
		{"end of a line", lang.Python, "a = 1\nb = f(a * 37)  # crscore:ignore magic-number the rate\n", "2 [magic-number] the rate: 2-2"},
		{"line above", lang.Python, "# crscore:ignore long-method a table\n\n# more\ndef f():\n    pass\n", "1 [long-method] a table: 1-4"},
		{"above a decorator", lang.Python, "# crscore:ignore long-method a table\n@cached\ndef f():\n    pass\n", "1 [long-method] a table: 1-3"},
		{"two rules", lang.Go, "package p\n\n// crscore:ignore long-method, deep-nesting a state machine\nfunc f() {}\n", "3 [long-method deep-nesting] a state machine: 3-4"},
		{"block comment", lang.Java, "class A {\n  /* crscore:ignore long-method a table */\n  void f() {}\n}\n", "2 [long-method] a table: 2-3"},
		{"in a block comment of several lines", lang.C, "/* What f does.\n * crscore:ignore long-method a table\n */\nvoid f(void) {}\n", "2 [long-method] a table: 1-4"},
		{"JSX", lang.TSX, "const a = <p>\n  {/* crscore:ignore magic-number pixels */}\n  {f(b * 37)}\n</p>;\n", "2 [magic-number] pixels: 2-3"},
		{"attribute of Rust", lang.Rust, "// crscore:ignore long-method a table\n#[inline]\nfn f() {}\n", "1 [long-method] a table: 1-3"},
		{"hash in PHP", lang.PHP, "<?php\n# crscore:ignore long-method a table\nfunction f() {}\n", "2 [long-method] a table: 2-3"},
		{"at the end of the text", lang.Ruby, "a = 1\n# crscore:ignore todo-comment later", "2 [todo-comment] later: 2-2"},
		{"no reason", lang.Java, "class A {} /* crscore:ignore long-method */\n", "1 [long-method] : 1-1"},
		{"no rule", lang.Python, "a = 1 # crscore:ignore\n", "1 [] : 1-1"},
		{"in a string", lang.Python, "a = '# crscore:ignore long-method a table'\n", ""},
		{"in a docstring", lang.Python, "def f():\n    '''\n    # crscore:ignore long-method a table\n    '''\n", ""},
		{"another word", lang.Python, "# crscore:ignored long-method a table\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			trees, err := syntax.Parse(context.Background(), change.Addition("a", c.text, c.lang))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range Directives(trees) {
				got = append(got, fmt.Sprintf("%d %v %s: %d-%d", d.Line, d.Rules, d.Reason, d.First, d.Last))
			}
			if s := strings.Join(got, "\n"); s != c.want {
				t.Errorf("got  %s\nwant %s", s, c.want)
			}
		})
	}
}

// TestDirectivesOfHunk reads a directive in a hunk, whose lines do not start at 1.
func TestDirectivesOfHunk(t *testing.T) {
	const diff = "@@ -40,2 +40,4 @@ class Shop:\n     def f(self):\n+        # crscore:ignore magic-number the rate\n+        return g(self.a * 37)\n         pass\n"
	c, err := change.Parse([]byte(diff), change.Options{Path: "shop.py"})
	if err != nil {
		t.Fatal(err)
	}
	trees, err := syntax.Parse(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	d := Directives(trees)
	if len(d) != 1 || d[0].Line != 41 || d[0].First != 41 || d[0].Last != 42 || d[0].Path != "shop.py" {
		t.Errorf("%+v", d)
	}
}

func TestSilences(t *testing.T) {
	d := Directive{Path: "a.py", Rules: []string{"long-method"}, Reason: "a table", First: 3, Last: 4}
	for _, c := range []struct {
		smell Smell
		want  bool
	}{
		{Smell{Path: "a.py", Rule: "long-method", StartLine: 4, EndLine: 90}, true},
		{Smell{Path: "a.py", Rule: "long-method", StartLine: 5}, false},
		{Smell{Path: "a.py", Rule: "long-method", StartLine: 2}, false},
		{Smell{Path: "a.py", Rule: "deep-nesting", StartLine: 4}, false},
		{Smell{Path: "b.py", Rule: "long-method", StartLine: 4}, false},
	} {
		if got := d.Silences(&c.smell); got != c.want {
			t.Errorf("%+v: %t", c.smell, got)
		}
	}
	d.Reason = ""
	if d.Silences(&Smell{Path: "a.py", Rule: "long-method", StartLine: 4}) {
		t.Error("a directive without a reason silences")
	}
}

// TestDirectivesDoNotShapeScores finds the same smells with and without directives.
func TestDirectivesDoNotShapeScores(t *testing.T) {
	const code = "def f(a, b, c, d, e, g, h):  # NOTE\n    return a\n"
	var texts []string
	for _, text := range []string{code, strings.Replace(code, "NOTE", "crscore:ignore long-parameter-list a wrapper", 1)} {
		found, err := DetectFile(context.Background(), "a.py", text, lang.Unknown, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Smells) != 1 {
			t.Fatalf("%+v", found)
		}
		texts = append(texts, found.Smells[0].Text)
	}
	if texts[0] != texts[1] {
		t.Errorf("%q and %q", texts[0], texts[1])
	}
}

// TestDetectFile finds smells in all lines of a file, with their columns.
func TestDetectFile(t *testing.T) {
	const code = "import os\n\n\nclass Shop:\n    def f(self, a=[]):\n        # TODO more\n        return a\n"
	for _, mark := range []string{"", "\ufeff"} { // the mark is no column
		found, err := DetectFile(context.Background(), "shop.py", mark+code, lang.Unknown, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range found.Smells {
			got = append(got, fmt.Sprintf("%d:%d %s", s.StartLine, s.Column, s.Rule))
		}
		if s := strings.Join(got, ", "); s != "1:8 unused-import, 5:17 mutable-default, 6:0 todo-comment" {
			t.Errorf("%q: %s", mark, s)
		}
	}
	for _, c := range []struct{ name, path, text, want string }{
		{"unknown language", "a.txt", "a", "no rule knows its language"},
		{"too large", "a.py", strings.Repeat("a = 1\n", 1<<18), "too large to be parsed (limit: 1 MiB)"},
		{"too deep", "a.py", "a = " + strings.Repeat("(", 1<<16) + strings.Repeat(")", 1<<16), "too much work to be parsed"},
	} {
		if _, err := DetectFile(context.Background(), c.path, c.text, lang.Unknown, Options{}); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v; want %s", c.name, err, c.want)
		}
	}
}

// TestDirectivesHostile shows that many directives do not take long.
func TestDirectivesHostile(t *testing.T) {
	text := strings.Repeat("# crscore:ignore long-method a\n", 30_000)
	start := time.Now()
	trees, err := syntax.Parse(context.Background(), change.Addition("a.py", text, lang.Unknown))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(Directives(trees)); n != 30_000 {
		t.Errorf("%d directives", n)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %s", took)
	}
}
