package symbolic_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"crscore/pseudoref/symbolic"
)

// TestCatalogue holds the catalogue against the code that names its rules, and against the
// goldens: each rule has a case.
func TestCatalogue(t *testing.T) {
	known := map[string]bool{}
	holes := regexp.MustCompile(`^(?:[^{}\[\]]|\[?\{(?:object|objects|of|old|new|detail|names|[^{}|]*\|[^{}|]*)\}|[\[\]])*$`)
	for _, r := range symbolic.Rules() {
		if known[r.ID] {
			t.Errorf("%s stands in the catalogue twice", r.ID)
		}
		known[r.ID] = true
		if r.Weight <= 0 || len(r.Says) == 0 {
			t.Errorf("%s has no weight or no sentence", r.ID)
		}
		for _, s := range r.Says {
			if s.Text == "" || !holes.MatchString(s.Text) {
				t.Errorf("%s: no sentence, or an unknown slot: %q", r.ID, s.Text)
			}
		}
	}
	for _, r := range symbolic.Rules() {
		if r.Before != "" && !known[r.Before] {
			t.Errorf("%s refers to %s, which is not in the catalogue", r.ID, r.Before)
		}
	}
	for id := range namedInCode(t) {
		if !known[id] {
			t.Errorf("the code names the rule %s, which is not in the catalogue", id)
		}
	}
	cases := goldenRules(t)
	for id := range known {
		if !cases[id] {
			t.Errorf("%s has no case in testdata", id)
		}
	}
}

// namedInCode returns the IDs that are handed to functions that add facts.
func namedInCode(t *testing.T) map[string]bool {
	t.Helper()
	paths, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, path := range paths {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 3 {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			at := map[bool]int{false: 1, true: 0}[ok && f.Sel.Name == "Add"]
			if !ok || !slices.Contains([]string{"Add", "add", "say", "Aside"}, f.Sel.Name) {
				return true
			}
			ast.Inspect(call.Args[at], func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					switch id, _ := strconv.Unquote(lit.Value); {
					case strings.HasSuffix(id, "-"):
						ids[id+"added"], ids[id+"removed"] = true, true
					default:
						ids[id] = true
					}
				}
				return true
			})
			return true
		})
	}
	return ids
}

// goldenRules returns the rules that the goldens have claims of.
func goldenRules(t *testing.T) map[string]bool {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	claim := regexp.MustCompile(`(?m)^(?:claim|implication) ([a-z-]+)[ :]`)
	rules := map[string]bool{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range claim.FindAllStringSubmatch(string(text), -1) {
			rules[m[1]] = true
		}
	}
	return rules
}
