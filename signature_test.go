package crscore

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSignaturesAreNotParsed: what a signature says is asked of its fields. Only the package that
// writes the text takes it apart, for what has no fields.
func TestSignaturesAreNotParsed(t *testing.T) {
	// The names that signatures have, and what takes a text apart.
	named := regexp.MustCompile(`(?i)signature([^s]|$)|provenance|^sig$`)
	parts := regexp.MustCompile(`^(Cut|Split|Fields|Has|Contains|Index|LastIndex|Trim|Replace|Find|Match|Count|Map|SplitSeq|FieldsSeq)`)
	texts := regexp.MustCompile(`^(strings|bytes|regexp|url)$`)
	of := func(e ast.Expr) (found bool) {
		ast.Inspect(e, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && named.MatchString(id.Name)
			return !found
		})
		return found
	}
	files, own := 0, 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files++
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			taken := false
			switch n := n.(type) {
			case *ast.CallExpr:
				fun, ok := n.Fun.(*ast.SelectorExpr)
				if !ok || !parts.MatchString(fun.Sel.Name) {
					break
				}
				from, isPackage := fun.X.(*ast.Ident)
				if isPackage && texts.MatchString(from.Name) || strings.HasPrefix(fun.Sel.Name, "Find") || strings.HasPrefix(fun.Sel.Name, "Match") {
					for _, arg := range n.Args {
						taken = taken || of(arg)
					}
				}
			case *ast.SliceExpr:
				taken = of(n.X)
			}
			switch {
			case taken && filepath.ToSlash(path) == "score/signature.go":
				own++
			case taken:
				t.Errorf("%s takes a signature apart: ask its fields", set.Position(n.Pos()))
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 300 || own == 0 {
		t.Errorf("%d files, of which the one that may has %d places: the test looks past them", files, own)
	}
}
