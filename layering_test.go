package crscore

import (
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layers are the rooms from top to bottom. A package may import what stands
// strictly below its own layer, or its own room; nothing else of ours. The
// longest matching prefix counts, so that a part of a room may have a layer of its own.
var layers = [][]string{
	{"crscore/cmd", "crscore/distributed", "crscore/internal/packaging", "crscore/internal/platforms"},
	{"crscore/internal/cli"},
	{"crscore/internal/server", "crscore/internal/viewer"},
	{"crscore/internal/server/page", "crscore/internal/server/guard"},
	{"crscore/internal/gate"},
	{"crscore/internal/run"},
	{"crscore/eval"},
	{"crscore/internal/present", "crscore/internal/doctor", "crscore/internal/smellcheck"},
	{"crscore/internal/setup"},
	{"crscore"},
	{"crscore/pseudoref/symbolic", "crscore/pseudoref/llm", "crscore/internal/reviewbot", "crscore/internal/terminal"},
	{"crscore/pseudoref/symbolic/rules", "crscore/pseudoref/symbolic/data"},
	{"crscore/pseudoref/symbolic/texts"},
	{"crscore/pseudoref/symbolic/phrase"},
	{"crscore/pseudoref/symbolic/fact", "crscore/pseudoref/symbolic/cases"},
	{"crscore/chat"},
	{"crscore/pseudoref"},
	{"crscore/smells", "crscore/internal/diffview", "crscore/internal/git"},
	{"crscore/analyzers"},
	{"crscore/pseudoref/symbolic/treediff"},
	{"crscore/pseudoref/symbolic/tree"},
	{"crscore/internal/syntax", "crscore/internal/outline", "crscore/internal/commentcheck"},
	{"crscore/change", "crscore/internal/hostile", "crscore/internal/comments", "crscore/internal/rundir", "crscore/internal/split"},
	{"crscore/internal/lang", "crscore/internal/stdio", "crscore/internal/findings", "crscore/internal/matrices", "crscore/internal/report", "crscore/internal/models", "crscore/internal/answercache", "crscore/internal/config", "crscore/internal/ollamatest", "crscore/internal/gittest"},
	{"crscore/internal/dataset"},
	{"crscore/internal/spelling", "crscore/internal/csvcell", "crscore/internal/ordered", "crscore/internal/system", "crscore/internal/journal"},
	{"crscore/internal/lazyregexp"},
	{"crscore/sts/builtin/train"},
	{"crscore/sts"},
	{"crscore/score", "crscore/docs", "crscore/internal/limits"},
}

// alone may import nothing of ours outside their own room.
var alone = []string{"crscore/sts", "crscore/score"}

// compiling are the packages, with those below them, that import package regexp itself: to compile
// what is given to them, because they import nothing of ours, or because the command has them not.
// The expressions of all others are compiled when they are first used, not at each start.
var compiling = []string{
	"crscore/internal/lazyregexp", "crscore/internal/config", "crscore/internal/dataset", "crscore/internal/server/page", "crscore/sts",
	"crscore/eval/claimcheck", "crscore/internal/hostile", "crscore/internal/ollamatest", "crscore/internal/packaging",
}

func layerOf(pkg string) (level int, room string) {
	best := -1
	for i, rooms := range layers {
		for _, r := range rooms {
			inside := pkg == r || r != "crscore" && strings.HasPrefix(pkg, r+"/")
			if inside && len(r) > len(room) {
				best, room = i, r
			}
		}
	}
	return best, room
}

// TestImportsPointDownwards holds every package of the module against the
// plan of layers.
func TestImportsPointDownwards(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath                         string
			Imports, TestImports, XTestImports []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		n++
		from, room := layerOf(p.ImportPath)
		if from < 0 {
			t.Errorf("%s has no layer", p.ImportPath)
			continue
		}
		// A template calls methods by their names. Where the command has one, the linker keeps
		// every exported method: 6 MB. The reproduction and packaging are not in the command.
		for _, imp := range p.Imports {
			if path.Base(imp) == "template" && room != "crscore/internal/packaging" && p.ImportPath != "crscore/eval/reproduction" {
				t.Errorf("%s imports %s, which makes the command 6 MB larger", p.ImportPath, imp)
			}
		}
		if slices.Contains(p.Imports, "regexp") && !slices.ContainsFunc(compiling, func(c string) bool {
			return p.ImportPath == c || strings.HasPrefix(p.ImportPath, c+"/")
		}) {
			t.Errorf("%s imports regexp, not crscore/internal/lazyregexp: each start compiles its expressions", p.ImportPath)
		}
		for _, imp := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if imp != "crscore" && !strings.HasPrefix(imp, "crscore/") {
				continue
			}
			to, target := layerOf(imp)
			if target == room || imp == p.ImportPath {
				continue
			}
			if to <= from {
				t.Errorf("%s imports %s, which does not stand below it", p.ImportPath, imp)
			}
			for _, a := range alone {
				if room == a {
					t.Errorf("%s imports %s, but %s imports nothing of ours", p.ImportPath, imp, a)
				}
			}
		}
	}
	if n < 10 {
		t.Errorf("only %d packages were looked at", n)
	}
}

// TestDistributed holds the module below distributed/ against the plan. Nothing of this module
// may need it, or Apache Beam.
func TestDistributed(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"github.com/apache/beam", "crscore/distributed"} {
		if strings.Contains(string(mod), name) {
			t.Errorf("go.mod has %s", name)
		}
	}
	// Not by go list, which would fetch the module's dependencies.
	files, err := filepath.Glob("distributed/*.go")
	if err != nil {
		t.Fatal(err)
	}
	from, _ := layerOf("crscore/distributed")
	seen := 0
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if imp != "crscore" && !strings.HasPrefix(imp, "crscore/") {
				continue
			}
			seen++
			if to, _ := layerOf(imp); to <= from {
				t.Errorf("%s imports %s, which does not stand below it", file, imp)
			}
		}
	}
	if seen == 0 {
		t.Error("distributed/ imports nothing of ours")
	}
}
