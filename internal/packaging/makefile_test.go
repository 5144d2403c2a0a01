package packaging

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestRacePackages compares the Makefile's RACE_PACKAGES with the packages that have
// tests and start goroutines or share state between them.
func TestRacePackages(t *testing.T) {
	// Packages with goroutines or locks that the race detector leaves out, and why.
	notRaced := map[string]string{
		"./eval/pairs":                          "an errgroup whose goroutines each fill their own change",
		"./internal/git":                        "a goroutine of its tests waits for a program",
		"./internal/hostile":                    "make hostile drives a process with its goroutines",
		"./internal/lazyregexp":                 "sync.OnceValue, and no state besides",
		"./internal/packaging":                  "sync.OnceValues, and no state besides",
		"./internal/report/figures/browsertest": "-short leaves its browser out",
		"./internal/report/paper":               "sync.OnceValues, and no state besides",
		"./internal/server/page":                "-short leaves its browser out",
		"./internal/split":                      "its tests stand for processes, which share a directory alone",
		"./internal/system":                     "its tests' goroutines wait for a program, or close a file",
		"./pseudoref/symbolic":                  "sync.OnceValue, and no state besides",
		"./sts/aboutness":                       "sync.OnceValue, and no state besides",
	}
	text := strings.ReplaceAll(read(t, "Makefile"), "\\\n", "")
	m := regexp.MustCompile(`(?m)^RACE_PACKAGES := (.*)$`).FindStringSubmatch(text)
	if m == nil {
		t.Fatal("the Makefile has no RACE_PACKAGES")
	}
	raced := strings.Fields(m[1])
	cmd := exec.Command("go", "list", "-json=Dir,ImportPath,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			Dir, ImportPath                              string
			GoFiles, CgoFiles, TestGoFiles, XTestGoFiles []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		tests := slices.Concat(p.TestGoFiles, p.XTestGoFiles)
		if len(tests) == 0 {
			continue
		}
		why := ""
		for _, file := range slices.Concat(p.GoFiles, p.CgoFiles, tests) {
			if c := concurrency(t, filepath.Join(p.Dir, file)); c != "" {
				why = file + " has " + c
			}
		}
		name := "." + strings.TrimPrefix(p.ImportPath, "crscore")
		listed, left := slices.Contains(raced, name), notRaced[name] != ""
		switch {
		case why != "" && !listed && !left:
			t.Errorf("%s: %s: add it to RACE_PACKAGES in the Makefile, or say in notRaced why not", name, why)
		case why == "" && (listed || left), listed && left:
			t.Errorf("%s has no goroutines and no locks, or stands in RACE_PACKAGES and in notRaced", name)
		}
		delete(notRaced, name)
		raced = slices.DeleteFunc(raced, func(r string) bool { return r == name })
	}
	if len(raced) > 0 || len(notRaced) > 0 {
		t.Errorf("no packages with tests: %v, %v", raced, notRaced)
	}
}

// concurrency names what a file has of goroutines and of state that they share.
func concurrency(t *testing.T, file string) string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range f.Imports {
		if path, _ := strconv.Unquote(i.Path.Value); path == "sync" || strings.HasPrefix(path, "sync/") || strings.HasPrefix(path, "golang.org/x/sync/") {
			return path
		}
	}
	found := ""
	ast.Inspect(f, func(n ast.Node) bool {
		if _, ok := n.(*ast.GoStmt); ok {
			found = "a go statement"
		}
		return found == ""
	})
	return found
}
