package packaging

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// listed is a package as go list describes it.
type listed struct {
	Dir, ImportPath   string
	GoFiles, CgoFiles []string
	ImportMap         map[string]string
	Module            *struct{ Main bool }
}

// TestTypes checks the types of all Go files, tests among them, as a Mac and Windows compile them.
// Go's compiler for Macs needs a C compiler for Macs where a package has C code. So the types of C
// stay unknown here.
func TestTypes(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads all packages")
	}
	for os, arch := range map[string]string{"darwin": "arm64", "windows": "amd64"} {
		for _, err := range typeErrors(t, root, os, arch, "./...") {
			t.Errorf("%s: %v", os, err)
		}
	}
}

// TestTypesFail: a symbol that only Linux has is an error on a Mac.
func TestTypesFail(t *testing.T) {
	dir := t.TempDir()
	const uses = "package main\n\nimport \"syscall\"\n\nvar _ = syscall.%s\n"
	write(t, dir, map[string]string{
		"go.mod":      "module m\n\ngo 1.26\n",
		"main.go":     "package main\n\n// #include <stdlib.h>\nimport \"C\"\n\nfunc main() { println(C.abs(1)) }\n",
		"a.go":        fmt.Sprintf(uses, "CLONE_NEWNS"),
		"a_linux.go":  fmt.Sprintf(uses, "CLONE_NEWPID"),
		"a_darwin.go": fmt.Sprintf(uses, "F_FULLFSYNC"),
		"b.go":        "package main\n\nfunc b() int { return \"\" }\n",
	})
	found := fmt.Sprint(typeErrors(t, dir, "darwin", "arm64", "."))
	if strings.Count(found, dir) != 2 || !strings.Contains(found, "a.go:5:17: undefined: syscall.CLONE_NEWNS") || !strings.Contains(found, "b.go:3:23: cannot use") {
		t.Errorf("found %s", found)
	}
}

// typeErrors checks packages, their tests and all that they import for a system, and returns the
// errors in the main module, each after the path of its package.
func typeErrors(t *testing.T, dir, goos, goarch, pattern string) (found []error) {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-test", "-json=Dir,ImportPath,GoFiles,CgoFiles,ImportMap,Module", pattern)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	fset, done := token.NewFileSet(), map[string]*types.Package{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; { // what is imported comes first
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return found
		} else if err != nil {
			t.Fatal(err)
		}
		if p.ImportPath == "unsafe" {
			done["unsafe"] = types.Unsafe
		}
		if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") { // a main that go test writes
			continue
		}
		var files []*ast.File
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		ours := p.Module != nil && p.Module.Main
		config := types.Config{
			IgnoreFuncBodies: !ours,
			FakeImportC:      true,
			Sizes:            types.SizesFor("gc", goarch),
			Importer: importer(func(path string) (*types.Package, error) {
				if other := p.ImportMap[path]; other != "" { // vendored, or with its tests
					path = other
				}
				if done[path] == nil {
					return nil, fmt.Errorf("%s is not listed", path)
				}
				return done[path], nil
			}),
			Error: func(err error) {
				if ours && !strings.Contains(err.Error(), "invalid type") { // it is C's
					in, _, _ := strings.Cut(p.ImportPath, " ")
					found = append(found, fmt.Errorf("%s: %w", strings.TrimSuffix(in, "_test"), err))
				}
			},
		}
		done[p.ImportPath], _ = config.Check(p.ImportPath, fset, files, nil) // Error has the errors
	}
}

type importer func(string) (*types.Package, error)

// Import is of types.Importer.
func (i importer) Import(path string) (*types.Package, error) { return i(path) }
