package limits

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the tables in docs/limits.md anew")

const root = "../.."

// tables are the files of the limits.
var tables = []string{"internal/limits/limits.go", "sts/internal/limits/limits.go"}

// TestDocs holds docs/limits.md against the tables. A limit that stands in both is the same.
func TestDocs(t *testing.T) {
	const page, begin, end = root + "/docs/limits.md", "sts/internal/limits/limits.go. -->\n", "<!-- end of the tables -->"
	doc, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(doc), begin)
	have, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the tables, between %q and %q", page, begin, end)
	}
	want, values := "\n", map[string]string{}
	for _, name := range tables {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, filepath.Join(root, name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		pkg, err := (&types.Config{Importer: importer.Default()}).Check("limits", fset, []*ast.File{f}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			d, ok := d.(*ast.GenDecl)
			if !ok || d.Tok != token.CONST {
				continue
			}
			want += "## " + strings.TrimSuffix(strings.TrimSpace(d.Doc.Text()), ".") + "\n\n| limit | what it bounds | name |\n| ---: | --- | --- |\n"
			for _, s := range d.Specs {
				v := s.(*ast.ValueSpec)
				id, what := v.Names[0].Name, strings.TrimSpace(v.Comment.Text())
				if what == "" || len(v.Names) != 1 || !ast.IsExported(id) {
					t.Errorf("%s: %s is no exported limit of its own with a unit and a reason behind it", name, id)
				}
				shown := show(pkg.Scope().Lookup(id).(*types.Const), strings.HasPrefix(what, "bytes"))
				if other := cmp.Or(values[id], shown); other != shown {
					t.Errorf("%s is %s in one table and %s in the other", id, other, shown)
				}
				values[id] = shown
				want += fmt.Sprintf("| %s | %s | `%s` |\n", shown, what, id)
			}
			want += "\n"
		}
	}
	if have == want {
		return
	}
	if !*update {
		t.Fatalf("%s does not show the tables; go test ./internal/limits -run TestDocs -update writes them anew", page)
	}
	if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// show writes a value for people: a time, a number of KiB, MiB or GiB, or one with commas.
func show(c *types.Const, bytes bool) string {
	n, exact := constant.Int64Val(constant.ToInt(c.Val()))
	switch {
	case !exact:
		return c.Val().String()
	case c.Type().String() == "time.Duration":
		return time.Duration(n).String()
	}
	unit := ""
	for _, u := range []string{" KiB", " MiB", " GiB"} {
		if bytes && n%1024 == 0 {
			n, unit = n/1024, u
		}
	}
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits + unit
}

// elsewhere are the constants, and packages of them, that may have the name of a limit outside of the tables.
var elsewhere = map[string]string{
	".":                       "names that Go programs use, whose values are of the table",
	"score.MaxWeight":         "the end of a scale",
	"eval/judge.MaxGrade":     "the end of a scale",
	"eval/judge.MaxCriterion": "the end of a scale",
	"eval/scale":              "makes data",
	"internal/hostile":        "makes data",
	"internal/ollamatest":     "makes data",
	"sts/builtin/train":       "makes a model of its own data",
}

// TestOneTable refuses constants that bound an input and stand elsewhere, and limits that nothing keeps.
func TestOneTable(t *testing.T) {
	named := regexp.MustCompile(`^[mM]ax[A-Z]`)
	used, seen := map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || len(d.Name()) > 2 && d.Name()[0] == '.'):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		dir = filepath.ToSlash(dir)
		table := "internal/"
		if dir == "sts" || strings.HasPrefix(dir, "sts/") {
			table = "sts/internal/"
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "limits" {
					used[table+n.Sel.Name] = true
				}
			case *ast.GenDecl:
				if n.Tok != token.CONST {
					break
				}
				for _, s := range n.Specs {
					for _, id := range s.(*ast.ValueSpec).Names {
						one := dir + "." + id.Name
						switch {
						case dir == "internal/limits" || dir == "sts/internal/limits":
							seen[strings.TrimSuffix(dir, "limits")+id.Name] = true
						case named.MatchString(id.Name) && elsewhere[dir] == "" && elsewhere[one] == "":
							t.Errorf("%s bounds an input outside of the tables of limits", one)
						}
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) < 100 {
		t.Errorf("the tables have only %d limits", len(seen))
	}
	for limit := range seen {
		if !used[limit] {
			t.Errorf("nothing keeps the limit %s", limit)
		}
	}
}
