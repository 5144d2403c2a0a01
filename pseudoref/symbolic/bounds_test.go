package symbolic_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// The bounds of the code that makes claims, which keep it short enough to be read.
const (
	maxLines      = 11_000 // of Go without tests, in all packages together
	leastComments = 15.0   // percent of the lines with code and those with comments
	maxFunction   = 80     // lines of a function
	maxComplexity = 25     // of a function, as gocyclo counts it
)

// extent counts the lines of a package, or of all packages together. A line with code and a comment counts as
// both.
type extent struct{ all, code, comment int }

func (e extent) percent() float64 { return 100 * float64(e.comment) / float64(e.code+e.comment) }

func (e extent) plus(o extent) extent {
	return extent{e.all + o.all, e.code + o.code, e.comment + o.comment}
}

// TestBounds holds the packages below this one, and package outline, to the bounds above.
// With -v it prints what each package has.
func TestBounds(t *testing.T) {
	var all extent
	of := map[string]extent{}
	for _, dir := range []string{"pseudoref/symbolic", "internal/outline"} {
		root := os.DirFS("../../" + dir)
		err := fs.WalkDir(root, ".", func(name string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			source, err := fs.ReadFile(root, name)
			if err != nil {
				return err
			}
			size := measure(source)
			pkg := path.Join(dir, path.Dir(name))
			of[pkg], all = of[pkg].plus(size), all.plus(size)
			for _, fault := range tooLong(t, source) {
				t.Errorf("%s: %s", path.Join(dir, name), fault)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(of)) {
		t.Logf("%6d lines, %4.1f%% comments: %s", of[pkg].all, of[pkg].percent(), pkg)
	}
	t.Logf("%6d lines, %4.1f%% comments", all.all, all.percent())
	if all.all > maxLines {
		t.Errorf("%d lines, more than %d", all.all, maxLines)
	}
	if all.percent() < leastComments {
		t.Errorf("comments are %.1f%% of the lines, less than %.1f%%", all.percent(), leastComments)
	}
}

// measure counts the lines of a file.
func measure(source []byte) extent {
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, scanner.ScanComments)
	code, comment := map[int]bool{}, map[int]bool{}
	for {
		pos, tok, text := s.Scan()
		switch {
		case tok == token.EOF:
			return extent{strings.Count(string(source), "\n"), len(code), len(comment)}
		case tok == token.SEMICOLON && text == "\n":
			continue // which the scanner puts in
		}
		on := code
		if tok == token.COMMENT {
			on = comment
		}
		for i := range 1 + strings.Count(text, "\n") {
			on[file.Line(pos)+i] = true
		}
	}
}

// tooLong names the functions of a file that are above the bounds.
func tooLong(t *testing.T, source []byte) (faults []string) {
	t.Helper()
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		name := "a variable" // with a function in it
		if d, ok := d.(*ast.FuncDecl); ok {
			name = d.Name.Name
			if lines := files.Position(d.End()).Line - files.Position(d.Pos()).Line + 1; lines > maxFunction {
				faults = append(faults, fmt.Sprintf("%s has %d lines, more than %d", name, lines, maxFunction))
			}
		}
		if c := complexity(d); c > maxComplexity {
			faults = append(faults, fmt.Sprintf("%s has a cyclomatic complexity of %d, more than %d", name, c, maxComplexity))
		}
	}
	return faults
}

// complexity is the cyclomatic complexity of a function: 1, and 1 for every way through it
// besides.
func complexity(of ast.Node) int {
	ways := 1
	ast.Inspect(of, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			ways++
		case *ast.CaseClause:
			if n.List != nil { // not default
				ways++
			}
		case *ast.CommClause:
			if n.Comm != nil {
				ways++
			}
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				ways++
			}
		}
		return true
	})
	return ways
}

// TestBoundsCount shows that TestBounds can fail: it counts what is known of small files.
func TestBoundsCount(t *testing.T) {
	const small = "// Package p is one.\npackage p\n\nvar a = `//\n\n` // x\n\n/*\ny */\nvar b = \"/*\"; var c = '\"' /* z */\n"
	if got, want := measure([]byte(small)), (extent{all: 10, code: 5, comment: 5}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for code, want := range map[string]int{
		"func f() {}": 1,
		"func f() { if a && b || c { for range d { for {} } } }":                       6,
		"func f() { switch a { case 1, 2: g(); case 3: g(); default: g() } }":          3,
		"func f() { select { case <-a: g(); default: g() }; go func() { if b {} }() }": 3,
		"func f(a any) { switch a.(type) { case int: g(a) }; _ = b & c | d }":          2,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+code, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := complexity(f.Decls[0]); got != want {
			t.Errorf("%s: %d, want %d", code, got, want)
		}
	}
	for body, want := range map[string]string{
		strings.Repeat("\tg()\n", 78):               "",
		strings.Repeat("\tg()\n", 79):               "f has 81 lines, more than 80",
		"\tg(" + strings.Repeat("a && ", 24) + "a)": "",
		"\tg(" + strings.Repeat("a || ", 25) + "a)": "f has a cyclomatic complexity of 26, more than 25",
	} {
		if got := strings.Join(tooLong(t, []byte("package p\nfunc f() {\n"+strings.TrimRight(body, "\n")+"\n}\n")), "; "); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
