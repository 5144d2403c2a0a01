package compile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crscore/analyzers"
	"crscore/internal/lang"
)

func options() analyzers.Options {
	return analyzers.Options{NodeModules: filepath.SplitList(os.Getenv("CRSCORE_NODE_MODULES"))}
}

// TestCheck asks real compilers about sound and about broken texts.
func TestCheck(t *testing.T) {
	long := func(name string) string { // its message is cut
		text := "const a: any[] = {"
		for i := range 20 {
			text += fmt.Sprintf(" m%d(%s: any) { return 1 },", i, name)
		}
		return text + " }\n"
	}
	cases := []struct {
		name          string
		text          Text
		is, unchecked string // part of the new diagnostic, and of the reason without an answer
	}{
		{name: "java: a name of elsewhere once more", text: Text{
			Lang:   lang.Java,
			Before: "package x;\nimport foo.Bar;\npublic class Y { Bar f(Bar a) { return a.b(); } }",
			After:  "package x;\nimport foo.Bar;\npublic class Y { Bar f(Bar qwert) { Bar r = qwert.b(); return r; } }",
		}},
		{name: "java: renamed in a diagnostic", text: Text{
			Lang: lang.Java, Before: "class Y { int f(int a) { int a = 1; return a; } }",
			After: "class Y { int f(int qwert) { int qwert = 1; return qwert; } }",
		}},
		{name: "java: definite assignment beside an unknown import", text: Text{
			Lang: lang.Java, Before: "import foo.Bar;\nclass Y { int f(Bar b) { int c; if (b.x()) c = 1; else c = 2; return c; } }",
			After: "import foo.Bar;\nclass Y { int f(Bar b) { int c; if (!(b.x())) c = 2; return c; } }",
		}, is: "variable c might not have been initialized"},
		{name: "java: exceptions", text: Text{
			Lang: lang.Java, Before: "class Y { void f() { g(); } void g() {} }",
			After: "class Y { void f() { try { g(); } catch (java.io.IOException e) { throw e; } } void g() {} }",
		}, is: "exception java.io.IOException is never thrown"},
		{name: "java: a package of Java's own", text: Text{
			Lang: lang.Java, Before: "package java.util;\nclass Y { int f(AbstractList<?> a) { return 1; } }",
			After: "package java.util;\nclass Y { int f(java.util.AbstractList<?> a) { return a.modCount; } }",
		}},
		{name: "java: syntax", text: Text{Lang: lang.Java, Before: "class Y {}", After: "class Y {"}, is: "reached end of file"},
		{name: "java: original", text: Text{Lang: lang.Java, Before: "class Y {", After: "class Y { {"}, unchecked: "javac does not parse the original"},
		{name: "python: sound", text: Text{Lang: lang.Python, Before: "import nowhere\nprint(a)\n", After: "import nowhere\nif False:\n    pass\n"}},
		{name: "python: broken", text: Text{Lang: lang.Python, Before: "def f(): return 1\n", After: "def f():\n  r = 1\n return r\n"}, is: "unindent does not match"},
		{name: "python: symbols", text: Text{Lang: lang.Python, Before: "def f(a):\n  pass\n", After: "def f(a):\n  nonlocal a\n"}, is: "parameter and nonlocal"},
		{name: "python: original", text: Text{Lang: lang.Python, Before: "print 1\n", After: "print 2\n"}, unchecked: "python3 does not parse the original"},
		{name: "javascript: module", text: Text{Lang: lang.JavaScript, Before: "import a from 'b'\nawait a()", After: "import a from 'b'\nconst r = await a()"}},
		{name: "javascript: script", text: Text{Lang: lang.JavaScript, Before: "#!/usr/bin/env node\nreturn 1", After: "#!/usr/bin/env node\nconst r = 1; return r"}},
		{name: "javascript: two variables", text: Text{Lang: lang.JavaScript, Before: "const a = 1", After: "const a = 1; const a = 2"}, is: "already been declared"},
		{name: "typescript: unknown", text: Text{Lang: lang.TypeScript, Before: "import { A } from 'b'\nA(c)", After: "import { A } from 'b'\nconst r = c; A(c)"}},
		{name: "typescript: type", text: Text{Lang: lang.TypeScript, Before: "let a: number = 1", After: "let a: number = 'a'"}, is: "not assignable to type 'number'"},
		{name: "typescript: a copy", text: Text{
			Lang: lang.TypeScript, Before: "export function f(a?: string) { const b = a; return b.length }",
			After: "export function f(a?: string) { const b = a; const w = b; return w.length }",
		}},
		{name: "typescript: a long type with other names", text: Text{Lang: lang.TypeScript, Before: long("items"), After: long("x")}},
		{name: "tsx", text: Text{Lang: lang.TSX, Before: "const a = <b>c</b>", After: "const a = <b>c</d>"}, is: "JSX"},
		{name: "tsx: a namespace of elsewhere once more", text: Text{
			Lang: lang.TSX, Before: "export function f(): JSX.Element { return <b>c</b> }",
			After: "export function f(): JSX.Element { const r: JSX.Element = <b>c</b>; return r }",
		}},
		{name: "go: unknown", text: Text{
			Lang: lang.Go, Before: "package a\nimport \"fmt\"\nfunc f(a int) T { return fmt.Sprint(a, g) }\n",
			After: "package a\nimport \"fmt\"\nfunc f(qwert int) T { var r T = fmt.Sprint(qwert, g); return r }\n",
		}},
		{name: "go: unused", text: Text{Lang: lang.Go, Before: "package a\nfunc f() {}\n", After: "package a\nfunc f() { b := 1 }\n"}, is: "declared and not used: b"},
		{name: "go: original", text: Text{Lang: lang.Go, Before: "package a\nfunc f() {\n", After: "package a\nfunc f() { {\n"}, unchecked: "go does not parse the original"},
		{name: "ruby", text: Text{Lang: lang.Ruby, Before: "a", After: "b"}, unchecked: "no compiler for ruby"},
	}
	texts := make([]Text, len(cases))
	for i, c := range cases {
		texts[i] = c.text
	}
	all, err := New(options()).Check(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := all[i]
			if strings.Contains(got.Unchecked, "to install it") && os.Getenv("CI") == "" {
				t.Skip(got.Unchecked)
			}
			if (c.is == "") != (got.New == "") || !strings.Contains(got.New, c.is) || (c.unchecked == "") != (got.Unchecked == "") ||
				!strings.Contains(got.Unchecked, c.unchecked) {
				t.Errorf("%+v, want %q and %q", got, c.is, c.unchecked)
			}
		})
	}
}

func check(t *testing.T, c *Checker, texts ...Text) Answer {
	t.Helper()
	all, err := c.Check(t.Context(), texts)
	if err != nil || len(all) != len(texts) {
		t.Fatal(all, err)
	}
	return all[len(all)-1]
}

// TestHostile: no code of a text runs, and one text does not take the answers of others with it.
func TestHostile(t *testing.T) {
	dir := t.TempDir()
	touch := filepath.Join(dir, "x")
	c := New(options())
	for l, text := range map[lang.Name]string{
		lang.Python:     "open('" + touch + "', 'w')\n" + strings.Repeat("(", 5000),
		lang.JavaScript: "}); require('fs').writeFileSync('" + touch + "', ''); (function () {",
		lang.TypeScript: "import * as fs from 'fs'\nfs.writeFileSync('" + touch + "', '')",
		lang.Go:         "package a\n//line /etc/passwd:1\nfunc f() int { return \"\" }\n",
		lang.Java:       "class A { static { new java.io.File(\"" + touch + "\").createNewFile(); } int a = " + strings.Repeat("(", 20_000) + "1" + strings.Repeat(")", 20_000) + "; }",
	} {
		sound := map[lang.Name]string{lang.Go: "package a\n", lang.Java: "class B {}"}[l]
		got := check(t, c, Text{Lang: l, Before: text, After: text + "\n"}, Text{Lang: l, Before: sound, After: sound + "\n"})
		if strings.Contains(got.Unchecked, "to install it") && os.Getenv("CI") == "" {
			continue
		}
		if got.New != "" || got.Unchecked != "" {
			t.Errorf("%s: %+v", l, got)
		}
	}
	if _, err := os.Stat(touch); err == nil {
		t.Error("code ran")
	}
	if v := c.Versions(); os.Getenv("CI") != "" && strings.Count(v, "@") != 5 {
		t.Error(v)
	}
}

// TestMissing: a compiler that is not there is an answer.
func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	c := New(analyzers.Options{})
	for _, l := range []lang.Name{lang.Java, lang.Python, lang.JavaScript, lang.TypeScript, lang.Go} {
		if got := check(t, c, Text{Lang: l, Before: "a", After: "b"}); got.New != "" || !strings.Contains(got.Unchecked, "is not on PATH") {
			t.Errorf("%s: %+v", l, got)
		}
	}
	if c.Versions() != "none" {
		t.Error(c.Versions())
	}
}

func TestLines(t *testing.T) {
	if _, err := lines([]byte("a.py\tsyntax\n")); err == nil {
		t.Error("a line without a message")
	}
	if _, err := goErrors([]byte("x.go:1:2: a\n\tb\nwhat\n")); err == nil {
		t.Error("a line without a place")
	}
}
