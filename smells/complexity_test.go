package smells

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crscore/internal/lang"
)

// TestComplexityByLanguage counts in each language once what it has.
func TestComplexityByLanguage(t *testing.T) {
	for _, c := range []struct {
		lang lang.Name
		code string
		want map[string]int // by name, methods behind their class
	}{
		{lang.C, "static int *find(int a, char *b) {\n if (a && b) return 0;\n while (a--) { switch (a) { case 1: break; case 2: break; default: break; } }\n return a ? b : 0;\n}\n",
			map[string]int{"find": 7}},
		{lang.C, "#ifdef X\nvoid g(void) { do { f(); } while (x || y); }\n#endif\n", map[string]int{"g": 3}},
		{lang.Cpp, "class A { public: int f(int a) { for (auto x : v) { try { g(); } catch (...) { } } return a; } };\nint A::h(int a) { auto l = [](int x) { return x ? 1 : 2; }; return l(a); }\n",
			map[string]int{"A.f": 3, "A::h": 2}},
		{lang.CSharp, "class A { int F(int a) { foreach (var x in v) { if (a > 1 || a < 0) return 1; } return a switch { 1 => 2, _ => 3 }; } }\n", map[string]int{"A.F": 5}},
		{lang.CSharp, "class A { void G(int a) { switch (a) { case 1: break; default: break; } x = y ?? z; } }\n", map[string]int{"A.G": 3}},
		{lang.PHP, "<?php\nclass A { function f($a) { if ($a && $b) { return 1; } elseif ($a or $c) { foreach ($a as $x) {} } return $a ? 1 : 2; } }\nfunction g() { return 1; }\n",
			map[string]int{"A.f": 7, "g": 1}},
		{lang.Ruby, "class A\n  def f(a)\n    return 1 if a && b\n    case a\n    when 1 then 2\n    when 3 then 4\n    end\n    begin\n      x\n    rescue E\n      y\n    end\n    a ||= 1\n  end\nend\n",
			map[string]int{"A.f": 7}},
		{lang.Ruby, "class A\n  def b=(c)\n    c or d\n  end\n  def <=>(e) = e && 1\n  def self.f(g = (h || i), *j, k: l ? 1 : 2, &m)\n    n&.o { p } while q\n  end\nend\n",
			map[string]int{"A.b=": 2, "A.<=>": 2, "A.f": 4}},
		{lang.Ruby, "def g(a)\n  if a\n    1\n  elsif b\n    2\n  else\n    3\n  end\nend\n", map[string]int{"g": 3}},
		{lang.Rust, "impl A { fn f(&self, a: u8) -> u8 { if a > 1 && a < 5 { return 1; } match a { 1 => 2, _ => 3 } } }\nfn g() { for x in 0..3 { loop { break; } } }\n",
			map[string]int{"A.f": 4, "g": 3}},
		{lang.TypeScript, "class A { f(a: number): number { if (a && b) { return 1; } return a ?? 2; } }\nconst g = (x: string) => x ? 1 : 2;\n", map[string]int{"A.f": 4, "g": 2}},
		{lang.TSX, "const V = (p: P) => p.on ? <b/> : <i/>;\n", map[string]int{"V": 2}},
		{lang.JavaScript, "function f(a) { a ||= 1; a &&= 2; a ??= 3; }\nx = { 'a-b': function () { if (c) d(); }, \"e\"() { return f && g } };\nA = class { h() { return i || j } };\n",
			map[string]int{"f": 4, "a-b": 2, "e": 2, "A.h": 2}},
		{lang.Go, "package a\nvar f = func(a bool, b ...int) bool { g := func() { if a { } }; return a && b[0] > 0 }\nvar h = T{i: func() { if a { } }}\nvar _ interface{ J() } = nil\nfunc k() { l := func() { if a { } } }\n",
			map[string]int{"f": 3, "k": 2}},
		// #if splits an "else if" from its if.
		{lang.C, "int f(int a UNUSED_PARAM, int b ATTRIBUTE_UNUSED) {\n if (a) { b = 1; }\n#if X\n else if (b) {\n  a = b && c;\n }\n#endif\n return a;\n}\n", map[string]int{"f": 4}},
		{lang.Cpp, "class A : public B {\n Q_OBJECT\n\npublic:\n explicit A(int a) : B(a) { if (a) b(); }\npublic slots:\n void c() { }\nsignals:\n void d(int e);\nprivate Q_SLOTS:\n int f() const LOCKS_EXCLUDED(mu) { return a || b; }\n};\n",
			map[string]int{"A.A": 2, "A.c": 1, "A.f": 2}},
		{lang.Go, "package a\nfunc (c *C[K]) f(a int) {\n\tif a > 0 && b {\n\t}\n\tfor range 3 {\n\t\tselect {\n\t\tcase <-x:\n\t\tdefault:\n\t\t}\n\t}\n}\n", map[string]int{"C.f": 5}},
	} {
		got := map[string]int{}
		for _, b := range complexityOf(t, c.lang, c.code) {
			if b.Kind == Class {
				continue
			}
			name := b.Name
			if b.Class != "" {
				name = b.Class + "." + name
			}
			got[name] = b.Complexity
		}
		for name, want := range c.want {
			if got[name] != want {
				t.Errorf("%s: %s has %d, want %d (all: %v)\n%s", c.lang, name, got[name], want, got, c.code)
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: got %v, want %v", c.lang, got, c.want)
		}
	}
}

// gocyclo counts as gocyclo 0.6 does: one, and one for each if, for, case with a
// condition, && and ||, function literals with the function around them.
func gocyclo(f *ast.FuncDecl) int {
	n := 1
	ast.Inspect(f, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if x.List != nil {
				n++
			}
		case *ast.CommClause:
			if x.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if x.Op == token.LAND || x.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}

// TestComplexityOfGo compares every function of this repository with what Go's own
// parser and gocyclo's rules say.
func TestComplexityOfGo(t *testing.T) {
	root := os.DirFS("..")
	count := 0
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && path != "." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		text, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		blocks, _, err := FileComplexity(context.Background(), path, string(text), lang.Unknown)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return nil
		}
		got := map[int]*Block{}
		for i := range blocks {
			got[blocks[i].StartLine] = &blocks[i]
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			count++
			line := fset.Position(f.Pos()).Line
			if b := got[line]; b == nil || b.Name != f.Name.Name || b.Complexity != gocyclo(f) {
				t.Errorf("%s:%d: %s has %d, got %+v", path, line, f.Name.Name, gocyclo(f), b)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if count < 1000 {
		t.Errorf("only %d functions were compared", count)
	}
	t.Logf("%d functions", count)
}
