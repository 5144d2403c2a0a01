package crscore

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocComments: every exported identifier of every package, fields and methods
// included, has a doc comment. A group of constants, and fields on consecutive lines, may
// share a comment.
func TestDocComments(t *testing.T) {
	var missing []string
	files := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || path != "." && strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		files++
		if f.Name.Name == "main" || ast.IsGenerated(f) {
			return nil
		}
		for _, name := range undocumentedIn(fset, f) {
			missing = append(missing, fmt.Sprintf("%s: %s", path, name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(missing) > 0 {
		t.Errorf("exported identifiers without a doc comment:\n%s", strings.Join(missing, "\n"))
	}
	if files < 100 {
		t.Errorf("only %d files were looked at", files)
	}
}

// undocumentedIn lists the exported identifiers of a file that have no doc comment.
func undocumentedIn(fset *token.FileSet, f *ast.File) (names []string) {
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if recv := receiver(d); d.Doc == nil && d.Name.IsExported() && (recv == "" || ast.IsExported(recv)) {
				names = append(names, strings.TrimPrefix(recv+"."+d.Name.Name, "."))
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				names = append(names, undocumentedSpec(fset, d, spec)...)
			}
		}
	}
	return names
}

// receiver is the name of the type that a method belongs to; empty for functions.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	typ := d.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.IndexListExpr:
			typ = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

func undocumentedSpec(fset *token.FileSet, d *ast.GenDecl, spec ast.Spec) (names []string) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		if d.Doc == nil && s.Doc == nil && s.Comment == nil {
			for _, n := range s.Names {
				if n.IsExported() {
					names = append(names, n.Name)
				}
			}
		}
	case *ast.TypeSpec:
		if !s.Name.IsExported() {
			return nil
		}
		if d.Doc == nil && s.Doc == nil && s.Comment == nil {
			names = append(names, s.Name.Name)
		}
		var fields *ast.FieldList
		switch typ := s.Type.(type) {
		case *ast.StructType:
			fields = typ.Fields
		case *ast.InterfaceType:
			fields = typ.Methods
		default:
			return names
		}
		covered := 0 // the last line of a group of fields that has a comment
		if line := fset.Position(s.Pos()).Line; fset.Position(s.End()).Line == line {
			covered = line - 1 // a struct on one line has the comment of its type
		}
		for _, f := range fields.List {
			if f.Doc != nil || covered > 0 && fset.Position(f.Pos()).Line == covered+1 {
				covered = fset.Position(f.End()).Line
			} else {
				covered = 0
			}
			for _, n := range f.Names { // embedded types have comments of their own
				if n.IsExported() && covered == 0 && f.Comment == nil {
					names = append(names, s.Name.Name+"."+n.Name)
				}
			}
		}
	}
	return names
}

// TestUndocumentedIn: the check finds what has no comment, and nothing else.
func TestUndocumentedIn(t *testing.T) {
	const text = `package p

func F() {}

// G is there.
func G() {}

type T struct {
	A int
	// B is there.
	B, C int
	D    int

	E int
	F int // is there
	e int
}

func (T) M() {}

func (t *t) N() {}

// The constants.
const (
	X = 1
)

var Y = 2

// I is there.
type I interface {
	Do()
}

// O has its comment here.
type O struct{ A int }
`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(undocumentedIn(fset, f), " "); got != "F T T.A T.E T.M Y I.Do" {
		t.Error(got)
	}
}
