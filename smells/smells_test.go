package smells

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/diff"

	"crscore/change"
	"crscore/internal/lang"
	"crscore/internal/syntax"
)

// cases are true and false cases of each rule. rule may carry a threshold
// (">2") so that the code can be short. The code is a new file or, where old is
// set, what became of an old one. want is the text of the only smell of that
// rule, or a part of it; "" means that there is none.
var cases = []struct {
	lang            lang.Name
	rule            string
	old, code, want string
}{
	// Python.
	{"python", "cyclomatic-complexity>2", "", "def f(a):\n  if a and b: pass\n",
		"`f` is too complex: its cyclomatic complexity is 3 (rank A); it is hard to read and test and should be simplified or refactored."},
	{"python", "cyclomatic-complexity>2", "", "def f(a):\n  if a: pass\n", ""},
	{"python", "cyclomatic-complexity>2", "", "if a and b and c: pass\n", ""},
	{"python", "cyclomatic-complexity>2", "", "class A:\n  x = a or b or c or d\n", ""},
	{"python", "cyclomatic-complexity>2", "def f(a):\n  if a or b: pass\n", "def f(a):\n  if a or b: pass\n  for x in a: pass\n",
		"The cyclomatic complexity of `f` rose from 3 (rank A) to 4 (rank A); it is hard to read and should be simplified or refactored."},
	{"python", "cyclomatic-complexity>2", "def f(a):\n  if a or b: pass\n", "def f(a):\n  if a or c: pass\n", ""},
	{"python", "cyclomatic-complexity>2", "def f(a):\n  if a or b or c: pass\n", "def f(a):\n  if a or b: pass\n", ""},
	{"python", "cyclomatic-complexity>2", "def f(a):\n  if a or b:\n    pass\n  return a\n", "def g(a):\n  if a or b:\n    pass\n  return a\n", ""},
	{"python", "cyclomatic-complexity>2", "def f(a):\n  if a or b: pass\n", "import x\ndef f(a):\n  if a or b: pass\n", ""},
	{"python", "long-method>2", "", "def f():\n  x = 1; y = 2\n  return x\n",
		"`f` is too long: 3 statements, more than 2; it should be split into smaller functions."},
	{"python", "long-method>2", "", "def f():\n  \"\"\"doc\"\"\"\n  # one\n  x = 1\n  return x\n", ""},
	{"python", "long-method>2", "", "def f():\n  def g():\n    a; b\n  return g\n", ""},
	{"python", "long-method>2", "", "class A:\n  def f(self):\n    for x in y:\n      if x:\n        pass\n", "`f` is too long: 3"},
	{"python", "long-method>2", "def f():\n  a; b; c\n", "def f():\n  a; b; c; d\n", "`f` is too long and grew from 3 to 4 statements, more than 2;"},
	{"python", "long-parameter-list>2", "", "def f(a, b=1, *, c: int = 2): pass\n",
		"`f` takes 3 parameters, more than 2; so many arguments are hard to read; consider grouping them into an object."},
	{"python", "long-parameter-list>2", "", "def f(a, /, *, b): pass\n", ""},
	{"python", "long-parameter-list>2", "", "class A:\n  def f(self, a, b): pass\n", ""},
	{"python", "long-parameter-list>2", "", "class A:\n  def f(cls: type, a, *b, **c): pass\n", "`f` takes 3"},
	{"python", "long-parameter-list>2", "", "def f(self, a, b): pass\n", "`f` takes 3"},
	{"python", "long-parameter-list>2", "", "class A:\n  def __init__(self, a, b, c): pass\n", "The constructor of `A` takes 3"},
	{"python", "long-parameter-list>2", "", "f = lambda a, b, c: a\n", ""},
	{"python", "long-parameter-list>2", "", "class A(b, c, d): pass\n", ""},
	{"python", "long-parameter-list>2", "def f(a, b, c): pass\n", "def f(a, b, c, d): pass\n", "`f` now takes 4 parameters instead of 3; that is too many (more than 2);"},
	{"python", "long-parameter-list>2", "def f(a, b, c): pass\n", "def f(a, x, y): pass\n", ""},
	{"python", "deep-nesting>2", "", "def f():\n  if a:\n    for b in c:\n      with d: pass\n",
		"The code in `f` is nested 3 levels deep, more than 2; it is hard to read; return early or extract a function."},
	{"python", "deep-nesting>2", "", "if a:\n  for b in c:\n    while d: pass\n", "The code in this file is nested 3"},
	{"python", "deep-nesting>2", "", "def f():\n  if a:\n    pass\n  elif b:\n    pass\n  else:\n    for c in d: pass\n", ""},
	{"python", "deep-nesting>2", "", "def f():\n  if a:\n    if b:\n      def g():\n        if c: pass\n", ""},
	{"python", "deep-nesting>2", "def f():\n  if a:\n    if b:\n      if c: pass\n", "def f():\n  if a:\n    if b:\n      if c:\n        if d: pass\n",
		"The nesting in `f` got deeper, from 3 to 4 levels;"},

	{"python", "long-method>2", "def a():\n  a; b; c\n", "def b():\n  a; b; c\ndef a():\n  a; b; c\n", "`b` is too long: 3"},
	{"python", "long-method>2", "def a(x):\n  a; b; c; d\n", "def a(y):\n  a; b; c\ndef a(z):\n  a; b; c\n", "`a` is too long: 3"},
	{"python", "long-method>2", "def a():\n  a; b; c\n  d\n\nx = 1\n", "def b():\n  a; b; c; x\n  d\n\nx = 1\n", "`b` is too long and grew from 4 to 5"},
	{"python", "long-method>2", "def a(x):\n  p; q; r\n  s\n", "def b():\n  p; q; r\n\ndef a():\n  s\n", "`b` is too long: 3"},

	// Java.
	{"java", "cyclomatic-complexity>2", "", "class A { void f() { if (a && b) c(); } }", "`f` is too complex: its cyclomatic complexity is 3"},
	{"java", "cyclomatic-complexity>2", "", "class A { boolean f() { return a && b && c; } }", ""},
	{"java", "cyclomatic-complexity>2", "class A {\n void f() { if (a && b) c(); }\n}", "class A {\n void f() { if (a && b) c(); }\n void g() { if (a && b) c(); }\n}", "`g` is too complex"},
	{"java", "cyclomatic-complexity>2", "class A {\n void f(int a) { if (a && b) c(); }\n}", "class A {\n void f() { }\n void f(int a) { if (a && b) c(); }\n}", ""},
	{"java", "long-method>2", "", "class A { int f() { int x = 1; y(); for (int i = 0; i < 2; i++) z(); return x; } }", "`f` is too long: 5"},
	{"java", "long-method>2", "", "class A { void f() { run(() -> { a(); b(); }); lbl: c(); ; } }", ""},
	{"java", "long-method>2", "", "class A { A() { super(); switch (a) { case 1: b(); } } }", "The constructor of `A` is too long: 3"},
	{"java", "long-parameter-list>2", "", "class A { void f(int a, final int b, @X int... c) { } }", "`f` takes 3"},
	{"java", "long-parameter-list>2", "", "class A { void f(A this, int a, int b) { } }", ""},
	{"java", "long-parameter-list>2", "", "interface A { void f(int a, int b, int c); }", "`f` takes 3"},
	{"java", "long-parameter-list>2", "", "record A(int a, int b, int c) { }", ""},
	{"java", "deep-nesting>2", "", "class A { void f() { if (a) for (;;) try { } finally { } } }", "nested 3"},
	{"java", "deep-nesting>2", "", "class A { void f() { if (a) b(); else if (c) d(); else if (e) { while (f) { } } } }", ""},
	{"java", "deep-nesting>2", "", "class A { void f() { if (a) { b(); } else { if (c) { if (d) { } } } } }", "nested 3"},
	{"java", "deep-nesting>2", "", "class A { void f() { if (a) { new B() { void g() { if (c) if (d) e(); } }; } } }", ""},

	// JavaScript.
	{"javascript", "cyclomatic-complexity>2", "", "function f() { return a && b ? c : d; }", "`f` is too complex: its cyclomatic complexity is 3"},
	{"javascript", "cyclomatic-complexity>2", "", "function f() { if (a) b(() => c || d); }", ""},
	{"javascript", "cyclomatic-complexity>2", "", "x(() => a || b || c)", "This function is too complex"},
	{"javascript", "cyclomatic-complexity>2", "", "const f = () => a || b || c", "`f` is too complex"},
	{"javascript", "cyclomatic-complexity>2", "", "A.prototype.f = function () { return a || b || c }", "`f` is too complex"},
	{"javascript", "long-method>2", "", "class A { f() { 'use strict'; let x = 1; const y = 2; return x } }", "`f` is too long: 3"},
	{"javascript", "long-method>2", "", "function f() { for (let i = 0; i < 2; i++) a() }", ""},
	{"javascript", "long-method>2", "", "(function () { a(); function f() { b(); c() } })()", ""},
	{"javascript", "long-method>2", "function a() {a(); b(); c()}\ny()\n", "function b() {\ny()\nz(); w()}\n", "`b` is too long: 3"},
	{"javascript", "long-method>2", "function f() { a(); b(); c() }", "const f = () => { a(); b(); c() }", ""},
	{"javascript", "long-parameter-list>2", "", "const f = (a, {b, c}, ...d) => a", "`f` takes 3"},
	{"javascript", "long-parameter-list>2", "", "const f = ({a, b, c}, d = [1, 2, 3]) => a", ""},
	{"javascript", "long-parameter-list>2", "", "f(a, b, c, d)", ""},
	{"javascript", "deep-nesting>2", "", "function f() { for (const a of b) { if (c) { switch (d) { } } } }", "nested 3"},
	{"javascript", "deep-nesting>2", "", "function f() { if (a) { } else if (b) { } else if (c) { while (d) { } } }", ""},
	{"javascript", "deep-nesting>2", "", "function f() { if (a) { } else { if (b) { if (c) { } } } }", "nested 3"},
}

func TestCases(t *testing.T) {
	for i, c := range cases {
		t.Run(fmt.Sprintf("%d_%s_%s", i, c.lang, c.rule), func(t *testing.T) {
			rule, limit, _ := strings.Cut(c.rule, ">")
			n, err := strconv.Atoi(limit)
			if err != nil {
				t.Fatal(err)
			}
			found := detect(t, c.lang, c.old, c.code, false, Options{Thresholds: map[string]int{rule: n}})
			var got []string
			for _, s := range found {
				if s.Rule == rule {
					got = append(got, s.Text)
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
}

// detect runs Detect on the change from one text to another; bare hides the
// whole texts.
func detect(t testing.TB, l lang.Name, old, code string, bare bool, opts Options) []Smell {
	t.Helper()
	trees := parseChange(t, l, old, code, bare)
	found, err := Detect(context.Background(), trees, opts)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func parseChange(t testing.TB, l lang.Name, old, code string, bare bool) *syntax.Trees {
	t.Helper()
	if old == "" && !bare {
		return parseNew(t, l, code)
	}
	d := string(diff.Diff("a/file", []byte(old), "b/file", []byte(code)))
	opts := change.Options{Lang: l}
	if bare {
		d = d[strings.Index(d, "@@ "):]
	} else {
		d = d[strings.Index(d, "--- "):]
		opts.Texts = func(_ *change.File, side change.Side) (string, bool) { return []string{old, code}[side], true }
	}
	c, err := change.Parse([]byte(d), opts)
	if err != nil {
		t.Fatalf("%v in\n%s", err, d)
	}
	if len(c.Warnings) > 0 {
		t.Fatal(c.Warnings)
	}
	trees, err := syntax.Parse(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return trees
}

// program writes a function with a number of what a rule counts.
type program struct {
	function            string // with places for parameters and a body
	param               string // with a place for a number
	call                string // a statement
	branch, open, close string // an if with one statement, and the parts of one around others
}

var programs = map[lang.Name]program{
	lang.Python:     {"def f(%s):\n%s", "p%d", "  a()\n", "  if a: b\n", "if a:\n", ""},
	lang.Java:       {"class A { void f(%s) {\n%s} }\n", "int p%d", "a();\n", "if (a) b();\n", "if (a) {\n", "}\n"},
	lang.JavaScript: {"function f(%s) {\n%s}\n", "p%d", "a();\n", "if (a) b();\n", "if (a)\n", ""},
	lang.TypeScript: {"class A { f(%s): void {\n%s} }\n", "p%d: string", "a();\n", "if (a) b();\n", "if (a) {\n", "}\n"},
	lang.TSX:        {"const f = (%s) => {\n%s};\n", "p%d: string", "a();\n", "if (a) b();\n", "if (a) {\n", "}\n"},
	lang.Go:         {"package p\n\nfunc f(%s) {\n%s}\n", "p%d int", "a()\n", "if a {\nb()\n}\n", "if a {\n", "}\n"},
	lang.C:          {"int *f(%s)\n{\n%s}\n", "int p%d", "a();\n", "if (a) b();\n", "if (a) {\n", "}\n"},
	lang.Cpp:        {"int& A::f(%s) {\n%s}\n", "const B& p%d", "a();\n", "if (a) b();\n", "if (a) {\n", "}\n"},
	lang.CSharp:     {"class A { void F(%s) {\n%s} }\n", "int p%d", "a();\n", "if (a) b();\n", "if (a) {\n", "}\n"},
	lang.PHP:        {"<?php\nfunction f(%s) {\n%s}\n", "$p%d", "a();\n", "if ($a) b();\n", "if ($a) {\n", "}\n"},
	lang.Ruby:       {"def f(%s)\n%send\n", "p%d", "a()\n", "if a then b end\n", "if a\n", "end\n"},
	lang.Rust:       {"impl A { fn f(%s) {\n%s} }\n", "p%d: u8", "a();\n", "if a { b(); }\n", "if a {\n", "}\n"},
}

// of writes a function with n of what a rule counts; more is put into its body.
func (p program) of(rule string, n int, more string) string {
	params, body := "", p.call
	switch rule {
	case "cyclomatic-complexity":
		body = strings.Repeat(p.branch, n-1) + p.call
	case "long-method":
		body = strings.Repeat(p.call, n)
	case "long-branch":
		body = strings.Repeat(p.branch, n) + p.call
	case "long-parameter-list":
		params = p.params(n)
	case "deep-nesting":
		body = p.nested(n)
	}
	return fmt.Sprintf(p.function, params, more+body)
}

func (p program) nested(n int) string {
	if !strings.HasSuffix(p.open, ":\n") {
		return strings.Repeat(p.open, n) + p.call + strings.Repeat(p.close, n)
	}
	s := "" // Python
	for i := range n {
		s += strings.Repeat(" ", i+2) + p.open
	}
	return s + strings.Repeat(" ", n) + p.call
}

func (p program) params(n int) string {
	s := make([]string, n)
	for i := range s {
		s[i] = fmt.Sprintf(p.param, i)
	}
	return strings.Join(s, ", ")
}

// TestThresholds holds each rule to its default in each language: the
// threshold itself is not flagged, one more is.
func TestThresholds(t *testing.T) {
	for _, r := range Rules() {
		if r.value == nil {
			continue
		}
		if len(r.Languages) != len(programs) {
			t.Errorf("%s: %d languages, %d programs", r.ID, len(r.Languages), len(programs))
		}
		for _, l := range r.Languages {
			for _, n := range []int{r.Threshold, r.Threshold + 1} {
				var got []int
				for _, s := range detect(t, l, "", programs[l].of(r.ID, n, ""), false, Options{Rules: []string{r.ID}}) {
					if s.Rule == r.ID {
						got = append(got, s.Value)
					}
				}
				var want []int
				if n > r.Threshold {
					want = []int{n}
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s %s with %d: got %v, want %v", l, r.ID, n, got, want)
				}
			}
		}
	}
}

// TestNarrowed checks in each language that a function counts only where it got
// worse, in the whole file and in a bare hunk.
func TestNarrowed(t *testing.T) {
	for _, r := range Rules() {
		if r.value == nil {
			continue
		}
		for _, l := range r.Languages {
			p, n := programs[l], r.Threshold
			for _, c := range []struct {
				what, old, code string
				want            []int // the old value, and the new one
			}{
				{"worse", p.of(r.ID, n-1, ""), p.of(r.ID, n+1, ""), []int{n - 1, n + 1}},
				{"worse than too much", p.of(r.ID, n+1, ""), p.of(r.ID, n+2, ""), []int{n + 1, n + 2}},
				{"as before", p.of(r.ID, n+1, p.call), p.of(r.ID, n+1, strings.Replace(p.call, "a()", "z()", 1)), nil},
				{"better", p.of(r.ID, n+2, ""), p.of(r.ID, n+1, ""), nil},
			} {
				for _, bare := range []bool{false, true} {
					if l == lang.Python && bare {
						// The end of a function is seen by what comes after it.
						c.old, c.code = c.old+"\nx = 1\n", c.code+"\nx = 1\n"
					}
					trees := parseChange(t, l, c.old, c.code, false)
					if bare { // one hunk of it all, so that all is seen
						d := replacement(c.old, c.code)
						ch, err := change.Parse([]byte(d[strings.Index(d, "@@ "):]), change.Options{Lang: l})
						if err != nil {
							t.Fatal(err)
						}
						if trees, err = syntax.Parse(context.Background(), ch); err != nil {
							t.Fatal(err)
						}
					}
					found, err := Detect(context.Background(), trees, Options{Rules: []string{r.ID}})
					if err != nil {
						t.Fatal(err)
					}
					var got []int
					for _, s := range found {
						if s.Rule == r.ID {
							got = append(got, s.OldValue, s.Value)
						}
						if bare && strings.Contains(s.Text, "__") {
							t.Errorf("%s %s: the frame is named: %s", l, r.ID, s.Text)
						}
					}
					if !slices.Equal(got, c.want) {
						t.Errorf("%s %s, %s (bare: %v): got %v, want %v\n%s", l, r.ID, c.what, bare, got, c.want, c.code)
					}
				}
			}
		}
	}
}

// TestMinified checks that nothing is said of code that is not written by people.
func TestMinified(t *testing.T) {
	function := "function f(a,b){" + strings.Repeat("if(a=1){g(a)}else{g(a)}", 20) + "}"
	for code, want := range map[string]bool{function: true, strings.ReplaceAll(function, "}if", "}; if"): true, strings.ReplaceAll(function, "}if", "}\nif"): false} {
		if found := detect(t, lang.JavaScript, "", "f();\n"+code+"\n", false, Options{}); (len(found) == 0) != want {
			t.Errorf("got %d of %s", len(found), code)
		}
	}
}

// TestGenerated checks that nothing is said of a file that a program has written.
func TestGenerated(t *testing.T) {
	const code = "func f(a, b, c, d, e, g, h int) {}\n"
	for head, want := range map[string]int{"": 1, "// Code generated by stringer; DO NOT EDIT.\n\n": 0, "/* This file is automatically generated. */\n": 0, "// @generated by x\n": 0,
		"// It tells whether a file is generated.\n": 1} {
		if found := detect(t, lang.Go, "", head+"package p\n\n"+code, false, Options{Off: []string{AllRules}, Rules: []string{"long-parameter-list"}}); len(found) != want {
			t.Errorf("%q: got %+v", head, found)
		}
	}
	for path, want := range map[string]bool{"a/fixtures/b.js": true, "testdata/a.go": true, "a.min.js": true, "test001.py": false, "fixture.go": false} {
		if generatedPath.MatchString(path) != want {
			t.Errorf("%s: not %v", path, want)
		}
	}
}

// TestMoved checks that a function that was moved counts as the one it was, where
// another of its name does not.
func TestMoved(t *testing.T) {
	function := func(indent, name string, n int) string {
		return indent + "def " + name + "(a):\n" + strings.Repeat(indent+"  if a: b()\n", n)
	}
	for _, c := range []struct {
		what, old, code string
		want            []int // the values
	}{
		{"into a class", function("", "f", 12), "class A:\n" + function("  ", "f", 12), nil},
		{"into a class, and longer", function("", "f", 12), "class A:\n" + function("  ", "f", 14), []int{15}},
		{"to another class", "class A:\n" + function("  ", "f", 12), "class B:\n" + function("  ", "f", 12), nil},
		{"one of that name and another length", "class A:\n" + function("  ", "f", 2) + "o = 1\np = 1\nq = 1\n", "o = 1\np = 1\nq = 1\n" + "class B:\n" + function("  ", "f", 12), []int{13}},
		{"one of that name that is still there", function("", "f", 12) + "x = 1\n", function("", "f", 12) + "x = 1\nclass A:\n" + function("  ", "f", 12), []int{13}},
	} {
		var got []int
		for _, s := range detect(t, lang.Python, c.old+"\ny = 1\n", c.code+"\ny = 1\n", false, Options{Off: []string{AllRules}, Rules: []string{"cyclomatic-complexity"}}) {
			got = append(got, s.Value)
			if s.HasOld != (c.what == "into a class, and longer") {
				t.Errorf("%s: %s", c.what, s.Text)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.what, got, c.want)
		}
	}
}

// TestThePaper holds the defaults and ranks to their sources.
func TestThePaper(t *testing.T) {
	got := map[string]int{}
	for _, r := range Rules() {
		if r.Unit != "" {
			got[r.ID] = r.Threshold
		}
		if r.Name == "" || r.Description == "" || len(r.Languages) == 0 || r.value != nil && r.Unit == "" {
			t.Errorf("%s has no name, description, languages or unit", r.ID)
		}
		if ways := []bool{r.value != nil, r.places(), r.file != nil}; len(slices.DeleteFunc(ways, func(b bool) bool { return !b })) != 1 {
			t.Errorf("%s: it measures blocks, looks for places or reads settings", r.ID)
		}
	}
	want := map[string]int{"cyclomatic-complexity": 10, "long-method": 50, "long-parameter-list": 6, "deep-nesting": 5, "long-branch": 12,
		"long-comprehension": 72, "many-attributes": 7, "many-methods": 20,
		"low-cohesion": 70, "shotgun-surgery": 5}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for n, rank := range map[int]string{1: "A", 5: "A", 6: "B", 10: "B", 11: "C", 20: "C", 21: "D", 30: "D", 31: "E", 40: "E", 41: "F", 999: "F"} {
		if Rank(n) != rank {
			t.Errorf("Rank(%d) = %s, want %s", n, Rank(n), rank)
		}
	}
}

// TestSmell looks at every field, and at the order of several smells.
func TestSmell(t *testing.T) {
	old := "class A:\n  def f(self):\n    pass\n\n  @x\n  def g(self, a, b):\n    return a\n"
	code := "class A:\n  def f(self):\n    if a:\n      while b:\n        c\n\n  @x\n  def g(self, a, b, c):\n    return a\n"
	got := detect(t, lang.Python, old, code, false, Options{Thresholds: map[string]int{
		"long-parameter-list": 2, "deep-nesting": 1, "long-method": 2, "cyclomatic-complexity": 2,
	}})
	want := []Smell{
		{Rule: "cyclomatic-complexity", Name: "Cyclomatic complexity", Path: "file", StartLine: 2, EndLine: 5, Column: 3, Function: "A.f",
			Value: 3, Threshold: 2, OldValue: 1, HasOld: true, Source: "builtin"},
		{Rule: "long-method", Name: "Long method", Path: "file", StartLine: 2, EndLine: 5, Column: 3, Function: "A.f",
			Value: 3, Threshold: 2, OldValue: 1, HasOld: true, Source: "builtin"},
		{Rule: "deep-nesting", Name: "Deep nesting", Path: "file", StartLine: 4, EndLine: 5, Function: "A.f",
			Value: 2, Threshold: 1, OldValue: 0, HasOld: true, Source: "builtin"},
		{Rule: "long-parameter-list", Name: "Long parameter list", Path: "file", StartLine: 8, EndLine: 8, Column: 3, Function: "A.g",
			Value: 3, Threshold: 2, OldValue: 2, HasOld: true, Source: "builtin"},
	}
	for i := range got {
		got[i].Text = ""
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestBareHunks checks what is said, and not said, when only hunks are known.
func TestBareHunks(t *testing.T) {
	limits := Options{Thresholds: map[string]int{"long-parameter-list": 2, "deep-nesting": 2, "long-method": 2, "cyclomatic-complexity": 2}}
	for _, c := range []struct {
		name string
		lang lang.Name
		diff string
		want []string // rules
	}{
		{"a whole function", lang.Java, "@@ -1,2 +1,5 @@\n   }\n+  void f() {\n+    a(); b(); if (a || b) c();\n+  }\n \n", []string{"cyclomatic-complexity", "long-method"}},
		{"its end is cut off", lang.Java, "@@ -1,2 +1,4 @@\n   }\n+  void f() {\n+    a(); b(); if (a || b) c();\n \n", nil},
		{"its end is cut off, python", lang.Python, "@@ -1,1 +1,4 @@\n x = 1\n+def f():\n+  a; b; c\n+  if a or b: pass\n", nil},
		{"its end is seen, python", lang.Python, "@@ -1,2 +1,5 @@\n x = 1\n+def f():\n+  a; b; c\n+  if a or b: pass\n y = 2\n", []string{"cyclomatic-complexity", "long-method"}},
		{"only a comment behind it", lang.Python, "@@ -1,2 +1,5 @@\n x = 1\n+def f():\n+  a; b; c\n+  if a or b: pass\n # y\n", nil},
		{"its beginning is cut off", lang.Java, "@@ -5,3 +5,5 @@ void f() {\n     a();\n+    b(); c(); if (a || b) d();\n+    d();\n   }\n \n", nil},
		{"parameters", lang.Python, "@@ -1,2 +1,2 @@\n-def f(a, b):\n+def f(a, b, c):\n   x = 1\n", []string{"long-parameter-list"}},
		{"parameters as before", lang.Python, "@@ -1,2 +1,2 @@\n-def f(a, b, c):\n+def f(a, b, d):\n   x = 1\n", nil},
		{"parameters cut off", lang.Python, "@@ -1,2 +1,2 @@\n def f(a, b,\n-    c,\n+    d, e,\n", nil},
		{"parameters with an error", lang.Java, "@@ -1,1 +1,3 @@\n   }\n+  void f(int a, int b, int c, int) {\n+  }\n", nil},
		{"parameters in the heading", lang.Python, "@@ -5,0 +5,1 @@ def f(a, b, c):\n+  d\n", nil},
		{"each hunk has its own before", lang.Python, "@@ -1,2 +1,2 @@\n-def f(a):\n+def f(a, b, c):\n   x\n@@ -9,2 +9,2 @@\n-def f(a, b, c, d):\n+def f(a, b, d):\n   x\n", []string{"long-parameter-list"}},
		{"nesting", lang.JavaScript, "@@ -7,3 +7,5 @@\n   if (a) {\n     if (b) {\n+      while (c) {\n+      }\n     }\n", []string{"deep-nesting"}},
		{"nesting as before", lang.JavaScript, "@@ -7,5 +7,5 @@\n   if (a) {\n     if (b) {\n-      while (c) {\n+      while (d) {\n       }\n     }\n", nil},
		{"nothing inside is changed", lang.Java, "@@ -1,4 +1,5 @@\n   void f(int a, int b, int c) {\n     a(); b(); c();\n   }\n+  int x;\n \n", nil},
		{"no path, no language", "", "@@ -1,1 +1,2 @@\n x\n+y\n", nil},
	} {
		ch, err := change.Parse([]byte(c.diff), change.Options{Lang: c.lang})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		trees, err := syntax.Parse(context.Background(), ch)
		if err != nil {
			t.Fatal(err)
		}
		found, err := Detect(context.Background(), trees, limits)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range found {
			got = append(got, s.Rule)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestFramed checks that what the parser puts around a hunk is no part of what is
// said of it: the same code in a case, which has to have a switch around it.
func TestFramed(t *testing.T) {
	for l, p := range programs {
		label := map[lang.Name]string{lang.Ruby: "when 1\n", lang.Rust: "1 => {\n", lang.Python: "  case 1:\n"}[l]
		if label == "" {
			label = "case 1:\n"
		}
		code := label + p.nested(6)
		d := additionOf(code)
		ch, err := change.Parse([]byte(strings.Replace(d[strings.Index(d, "@@ "):], "-0,0 +1,", "-7,0 +7,", 1)), change.Options{Lang: l})
		if err != nil {
			t.Fatal(err)
		}
		trees, err := syntax.Parse(context.Background(), ch)
		if err != nil {
			t.Fatal(err)
		}
		found, err := Detect(context.Background(), trees, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(found) != 1 || found[0].HasOld || found[0].Value != 6 || strings.Contains(found[0].Text, "__") {
			t.Errorf("%s: got %+v, want one level of 6\n%s", l, found, code)
		}
	}
}

// TestRecordedComplexity compares with PMD, JSHint and phpmd, whose numbers stand in
// comments behind the functions.
func TestRecordedComplexity(t *testing.T) {
	mark := regexp.MustCompile(`// = ([\d ]+)$`)
	for path, least := range map[string]int{"Pmd.java": 14, "jshint.js": 14, "pdepend.php": 5} {
		src, err := os.ReadFile(filepath.Join("testdata/complexity", path))
		if err != nil {
			t.Fatal(err)
		}
		l := lang.FromPath(path)
		got := map[int]string{}
		for _, b := range complexityOf(t, l, string(src)) {
			if b.Kind == Class || b.Kind == Lambda && l == lang.Java {
				continue // not among those that the tools report
			}
			got[b.StartLine] = strings.TrimSpace(fmt.Sprintf("%s %d", got[b.StartLine], b.Complexity))
		}
		want := map[int]string{}
		for i, line := range strings.Split(string(src), "\n") {
			if m := mark.FindStringSubmatch(line); m != nil {
				want[i+1] = m[1]
			}
		}
		if len(want) < least {
			t.Errorf("%s: only %d marks", path, len(want))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s, by line (-tool +ours):\n%s", path, d)
		}
	}
}

func TestOptionErrors(t *testing.T) {
	trees := parseNew(t, lang.Python, "x = 1\n")
	for want, opts := range map[string]Options{
		`smells: there is no rule "lon-method"`:                               {Thresholds: map[string]int{"lon-method": 1, "long-method": 3}},
		"smells: the threshold of long-method is -1; it must not be negative": {Thresholds: map[string]int{"long-method": -1}},
		"smells: empty-catch has no threshold":                                {Thresholds: map[string]int{"empty-catch": 1}},
		`smells: there is no rule "everything"`:                               {Rules: []string{"all", "everything"}},
	} {
		if _, err := Detect(context.Background(), trees, opts); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestCancelled(t *testing.T) {
	trees := parseNew(t, lang.Python, "def f(): pass\n")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Detect(ctx, trees, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Detect: got %v", err)
	}
	if _, err := Complexity(ctx, trees.Files[0].New[0]); !errors.Is(err, context.Canceled) {
		t.Errorf("Complexity: got %v", err)
	}
}

// TestTextLength keeps the sentences short: they are matched as a whole.
func TestTextLength(t *testing.T) {
	now, old := fill{"function": "`f`", "rank": "D"}.with(63, 50), fill{"rank": "C"}.with(51, 50)
	for _, rule := range Rules() {
		if rule.value == nil {
			continue // TestSites looks at what these say
		}
		for _, s := range rule.Says {
			text := rule.sentence(s.When, now, old)
			if n := len(strings.Fields(text)); n > 26 {
				t.Errorf("%s: %d words: %s", rule.ID, n, text)
			}
		}
	}
}

func TestLineMap(t *testing.T) {
	// Lines: new 1 = old 1, new 2 added, new 3 = old 2, old 3 deleted, new 4 = old
	// 4; behind: a deletion and an addition without context.
	c, err := change.Parse([]byte("@@ -1,4 +1,4 @@\n a\n+b\n c\n-d\n e\n@@ -10,2 +9,0 @@\n-x\n-y\n@@ -20,0 +18,1 @@\n+z\n"), change.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := newLineMap(&c.Files[0])
	var got []int
	for line := 1; line <= 20; line++ {
		old, ok := m.before(line)
		if !ok {
			old = 0
		}
		got = append(got, old)
	}
	if want := []int{1, 0, 2, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 16, 17, 18, 19, 0, 21, 22}; !slices.Equal(got, want) {
		t.Errorf("before:\n got %v\nwant %v", got, want)
	}
	for _, r := range []struct {
		first, last int
		want        bool
	}{
		{1, 1, false}, {2, 2, true}, {1, 3, true}, {3, 3, false}, {4, 4, false}, {3, 4, true}, {4, 9, false},
		{9, 10, true}, {5, 9, false}, {10, 17, false}, {10, 18, true}, {19, 30, false},
	} {
		if got := m.touched(r.first, r.last); got != r.want {
			t.Errorf("touched(%d, %d) = %v", r.first, r.last, got)
		}
	}
	for _, r := range []struct {
		side        change.Side
		first, last int
		want        bool
	}{
		{change.Old, 1, 1, true}, {change.Old, 5, 8, false}, {change.Old, 5, 9, true}, {change.Old, 12, 12, true}, {change.Old, 13, 18, false},
		{change.Old, 19, 19, false}, {change.Old, 20, 20, true}, {change.Old, 21, 21, true}, {change.Old, 22, 30, false},
		{change.New, 5, 8, false}, {change.New, 9, 9, true}, {change.New, 10, 10, true}, {change.New, 11, 16, false}, {change.New, 17, 17, true},
		{change.New, 19, 19, true}, {change.New, 20, 30, false},
	} {
		if got := m.near(r.side, r.first, r.last); got != r.want {
			t.Errorf("near(%v, %d, %d) = %v", r.side, r.first, r.last, got)
		}
	}
	m = newLineMap(&change.File{})
	if old, ok := m.before(7); old != 7 || !ok || m.touched(1, 99) {
		t.Error("a file without hunks is not as it was")
	}
}
