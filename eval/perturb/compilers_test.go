package perturb

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"crscore/internal/lang"
)

// diagnose compiles texts one by one and returns the errors of each, without places. ok is
// false where the machine has no compiler for the language.
func diagnose(t *testing.T, l lang.Name, module string, paths, texts []string) (out [][]string, ok bool) {
	t.Helper()
	out = make([][]string, len(texts))
	var args []string
	switch l {
	case lang.Go:
		c := newGoChecker()
		for i, text := range texts {
			out[i] = c.errors(paths[i], text)
		}
		return out, true
	case lang.Python:
		args = []string{"python3", "testdata/check.py"}
	case lang.JavaScript:
		args = []string{"node", "--experimental-vm-modules", "--no-warnings", "testdata/check.js"}
	case lang.Java:
		args = []string{"java", "testdata/Check.java", t.TempDir()}
		if module != "" {
			args = append(args, module)
		}
	default:
		module := typescriptModule()
		if module == "" {
			return nil, false
		}
		args = []string{"node", "testdata/check_ts.js", module}
	}
	if _, err := exec.LookPath(args[0]); err != nil {
		return nil, false
	}
	dir := t.TempDir()
	var names []string
	number := map[string]int{}
	for i, text := range texts {
		name := filepath.Join(dir, strings.TrimPrefix(filepath.Ext(paths[i]), "."),
			string(rune('a'+i%26)), strings.Repeat("x", 1+i/26), publicClass(text)+l.Ext())
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		names, number[name] = append(names, name), i
	}
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Stdin = strings.NewReader(strings.Join(names, "\n") + "\n")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	got, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", args, err, stderr.String())
	}
	for line := range strings.Lines(string(got)) {
		name, what, _ := strings.Cut(strings.TrimSpace(line), "\t")
		i := number[name]
		out[i] = append(out[i], what)
	}
	return out, true
}

// typescriptModule is the folder of the module typescript that comes with the analyzers, or "".
func typescriptModule() string {
	dir := filepath.Join(os.Getenv("CRSCORE_NODE_MODULES"), "typescript")
	if _, err := os.Stat(dir); err != nil {
		return ""
	}
	return dir
}

// publicClass is the name that the file of a Java text must have.
func publicClass(text string) string {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] != "public" {
			continue
		}
		for i, w := range words[:len(words)-1] {
			if w == "class" || w == "interface" || w == "enum" || w == "@interface" || w == "record" {
				name, _, _ := strings.Cut(words[i+1], "<")
				return strings.TrimRight(name, "{")
			}
		}
	}
	return "X"
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
