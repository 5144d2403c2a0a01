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
	"slices"
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
		files := token.NewFileSet()
		imports := importer.ForCompiler(files, "source", nil)
		for i, text := range texts {
			out[i] = goErrors(files, imports, paths[i], text)
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
		return nil, false
	}
	if _, err := exec.LookPath(args[0]); err != nil {
		return nil, false
	}
	dir := t.TempDir()
	var names []string
	number := map[string]int{}
	for i, text := range texts {
		name := filepath.Join(dir, string(rune('a'+i%26)), strings.Repeat("x", 1+i/26), publicClass(text)+l.Ext())
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

// goErrors are the errors of the parser and the type checker for a file in its package.
func goErrors(files *token.FileSet, imports types.Importer, path, text string) (out []string) {
	p, err := build.ImportDir(filepath.Dir(path), 0)
	if err != nil || !slices.Contains(p.GoFiles, filepath.Base(path)) {
		return nil // of another system, or a test
	}
	var parsed []*ast.File
	for _, name := range p.GoFiles {
		var src any
		if name == filepath.Base(path) {
			src = text
		}
		f, err := parser.ParseFile(files, filepath.Join(p.Dir, name), src, parser.SkipObjectResolution)
		if err != nil {
			return []string{err.Error()}
		}
		parsed = append(parsed, f)
	}
	conf := types.Config{
		Importer: imports, FakeImportC: true,
		Error: func(err error) { out = append(out, err.(types.Error).Msg) },
	}
	_, _ = conf.Check(p.ImportPath, files, parsed, nil)
	return out
}
