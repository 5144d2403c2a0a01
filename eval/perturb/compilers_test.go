package perturb

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"testing"
	"time"

	"crscore/analyzers"
	"crscore/eval/perturb/compile"
	"crscore/internal/lang"
)

// diagnose asks compilers about texts and their variants. Of Go the whole package is checked, with
// its imports.
func diagnose(t *testing.T, paths []string, texts []compile.Text) []compile.Answer {
	t.Helper()
	if texts[0].Lang != lang.Go {
		modules := filepath.SplitList(os.Getenv("CRSCORE_NODE_MODULES"))
		out, err := compile.New(analyzers.Options{NodeModules: modules, Timeout: 10 * time.Minute}).Check(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	out := make([]compile.Answer, len(texts))
	c := newGoChecker()
	before := map[string][]string{}
	for i, text := range texts {
		if _, known := before[paths[i]]; !known {
			before[paths[i]] = c.errors(paths[i], text.Before)
		}
		if extra := more(c.errors(paths[i], text.After), before[paths[i]]); len(extra) > 0 {
			out[i].New = extra[0]
		}
	}
	return out
}

// typescriptModule is the folder of the module typescript that comes with the analyzers, or "".
func typescriptModule() string {
	dir := filepath.Join(os.Getenv("CRSCORE_NODE_MODULES"), "typescript")
	if _, err := os.Stat(dir); err != nil {
		return ""
	}
	return dir
}

// goPackage is a package with the declarations of its files, without the bodies of functions.
type goPackage struct {
	path  string
	files map[string]*ast.File // by base name; nil: the file is of another system, or a test
}

// goChecker checks files in their packages.
type goChecker struct {
	set      *token.FileSet
	imports  types.Importer
	packages map[string]*goPackage // by folder
}

func newGoChecker() *goChecker {
	set := token.NewFileSet()
	return &goChecker{set: set, imports: importer.ForCompiler(set, "source", nil), packages: map[string]*goPackage{}}
}

// load reads a package once.
func (c *goChecker) load(dir string) *goPackage {
	if p := c.packages[dir]; p != nil {
		return p
	}
	p := &goPackage{files: map[string]*ast.File{}}
	c.packages[dir] = p
	b, err := build.ImportDir(dir, 0)
	if err != nil {
		return p
	}
	p.path = b.ImportPath
	for _, name := range b.GoFiles {
		f, err := parser.ParseFile(c.set, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Name.Name != "init" {
				d.Body = nil
			}
		}
		p.files[name] = f
	}
	return p
}

// errors are the errors of the parser and the type checker for a file in its package.
func (c *goChecker) errors(path, text string) (out []string) {
	p, base := c.load(filepath.Dir(path)), filepath.Base(path)
	if p.files[base] == nil {
		return nil
	}
	f, err := parser.ParseFile(c.set, path, text, parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	parsed := []*ast.File{f}
	for name, f := range p.files {
		if name != base {
			parsed = append(parsed, f)
		}
	}
	conf := types.Config{
		Importer: c.imports, FakeImportC: true,
		Error: func(err error) {
			if e := err.(types.Error); c.set.Position(e.Pos).Filename == path {
				out = append(out, e.Msg)
			}
		},
	}
	_, _ = conf.Check(p.path, c.set, parsed, nil)
	return out
}
