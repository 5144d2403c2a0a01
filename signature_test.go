package crscore

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The names that signatures have, and what takes a text apart, in Go and in JavaScript.
var (
	signatureNames = regexp.MustCompile(`(?i)signature([^s]|$)|provenance|^sig$`)
	partsText      = regexp.MustCompile(`^(Cut|Split|Fields|Has|Contains|Index|LastIndex|Trim|Replace|Find|Match|Count|Map|NewReader|NewReplacer|NewScanner|Sscan|EqualFold)`)
	textPackages   = regexp.MustCompile(`^(strings|bytes|regexp|url|fmt|bufio|utf8)$`)
	partsInScript  = regexp.MustCompile(`(?i)(signature|provenance|\bsig)\b[^;{}]*\.(split|match|matchAll|replace|replaceAll|slice|substring|substr|indexOf|lastIndexOf|includes|startsWith|endsWith|search|charAt|at)\(|\.(test|exec)\([^)]*(signature|provenance|\bsig)\b|\[\.\.\.\w*(signature|provenance)\b`)
)

// takenApart returns the places of a Go file that take a signature apart. What a signature is
// assigned to is one in the same function.
func takenApart(f *ast.File) (at []token.Pos) {
	for _, d := range f.Decls {
		also := map[string]bool{}
		of := func(e ast.Node) (found bool) {
			ast.Inspect(e, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					found = found || signatureNames.MatchString(n.Name) || also[n.Name]
				case *ast.FuncLit, *ast.CompositeLit:
					return false
				}
				return !found
			})
			return found
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, to := range n.Lhs {
					if name, ok := to.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) && isSignature(n.Rhs[i]) {
						also[name.Name] = true
					}
				}
			case *ast.CallExpr:
				fun, ok := n.Fun.(*ast.SelectorExpr)
				if !ok || !partsText.MatchString(fun.Sel.Name) {
					break
				}
				from, isPackage := fun.X.(*ast.Ident)
				if isPackage && textPackages.MatchString(from.Name) || strings.HasPrefix(fun.Sel.Name, "Find") || strings.HasPrefix(fun.Sel.Name, "Match") {
					for _, arg := range n.Args {
						if of(arg) {
							at = append(at, n.Pos())
							break
						}
					}
				}
			case *ast.SliceExpr:
				if of(n.X) {
					at = append(at, n.Pos())
				}
			}
			return true
		})
	}
	return at
}

// isSignature tells the text of a signature from what is made with one.
func isSignature(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return signatureNames.MatchString(e.Name)
	case *ast.SelectorExpr:
		return signatureNames.MatchString(e.Sel.Name) || e.Sel.Name == "String" && isSignature(e.X)
	case *ast.CallExpr:
		return isSignature(e.Fun) && len(e.Args) == 0
	}
	return false
}

// TestSignaturesAreNotParsed: what a signature says is asked of its fields. Only the package that
// writes the text takes it apart, for what has no fields.
func TestSignaturesAreNotParsed(t *testing.T) {
	goFiles, scripts, own := 0, 0, 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules"):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".js"):
			scripts++
			text, err := os.ReadFile(path)
			for i, line := range strings.Split(string(text), "\n") {
				if partsInScript.MatchString(line) {
					t.Errorf("%s:%d takes a signature apart: the server has its fields", path, i+1)
				}
			}
			return err
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		goFiles++
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		for _, at := range takenApart(f) {
			if own++; filepath.ToSlash(path) != "score/signature.go" {
				t.Errorf("%s takes a signature apart: ask its fields", set.Position(at))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if goFiles < 300 || scripts < 10 || own == 0 {
		t.Errorf("%d Go files, %d scripts, %d places in the one that may: the test looks past them", goFiles, scripts, own)
	}
}

// TestTakenApart finds the ways that there were, and leaves others alone.
func TestTakenApart(t *testing.T) {
	for code, want := range map[string]int{
		`strings.Cut(signature, " ")`:                           1,
		`strings.Fields(row.Signature)`:                         1,
		`strings.Contains(e.Signature()+" ", "|better:lower ")`: 1,
		`rule.FindString(sig)`:                                  1,
		`_ = signature[3:]`:                                     1,
		`text := row.Signature; strings.Split(text, " ")`:       1,
		`text := s.Signature().String(); _ = text[:3]`:          1,
		`fmt.Sscanf(provenance, "crscore/%s", &v)`:              1,
		`text := row.Reason; strings.Split(text, " ")`:          0,
		`n := len(signature); strings.Repeat("x", n)`:           0,
		`score.ReadSignature(row.Signature).Get("mode")`:        0,
		`strings.Join(signatures, ",")`:                         0,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc f() {"+code+"}", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(takenApart(f)); got != want {
			t.Errorf("%s: %d places, not %d", code, got, want)
		}
	}
	for line, want := range map[string]bool{
		`const parts = (" " + signature + " ").split(" " + ruleSignature(from) + " ");`: true,
		`if (/mode=soft/.test(row.signature)) return;`:                                  true,
		`const mode = row.signature?.match(/mode=(\w+)/);`:                              true,
		`at.signature.textContent = mine ?? served;`:                                    false,
		`s.signatures.map((x) => x.n)`:                                                  false,
	} {
		if got := partsInScript.MatchString(line); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}
