package perturb

import (
	"errors"
	"fmt"
	"go/build"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"crscore/eval/perturb/compile"
	"crscore/internal/lang"
)

// sources are the folders with files of a language: those of CRSCORE_SOURCES, and those that
// come with the compilers and the analyzers. Ollama's module has pages in TypeScript.
func sources(t *testing.T, l lang.Name) []string {
	roots := filepath.SplitList(os.Getenv("CRSCORE_SOURCES"))
	switch l {
	case lang.Go:
		roots = append(roots, filepath.Join(build.Default.GOROOT, "src"))
	case lang.Python:
		out, err := exec.CommandContext(t.Context(), "python3", "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))").Output()
		if err == nil {
			roots = append(roots, strings.TrimSpace(string(out)))
		}
	case lang.JavaScript:
		if m := typescriptModule(); m != "" {
			roots = append(roots, filepath.Dir(m))
		}
	case lang.TypeScript, lang.TSX:
		out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/ollama/ollama").Output()
		if dir := strings.TrimSpace(string(out)); err == nil && dir != "" {
			roots = append(roots, dir)
		}
	}
	return roots
}

// number is a number of the environment.
func number(name string, otherwise int) int {
	n, err := strconv.Atoi(os.Getenv(name))
	if err != nil {
		return otherwise
	}
	return n
}

// TestRandom perturbs all functions of random source files. What is rewritten parses, and where
// a compiler is there, it has no new error. CRSCORE_LONG=1 takes more files.
// CRSCORE_SOURCES=DIR:DIR adds files, such as those of .ci/sources, CRSCORE_FUNCTIONS is another
// number of functions, CRSCORE_SEED another choice, CRSCORE_KEEP a folder for what is broken.
func TestRandom(t *testing.T) {
	want := 60
	if os.Getenv("CRSCORE_LONG") != "" {
		want = 200
	}
	want = number("CRSCORE_FUNCTIONS", want)
	for _, d := range dialects() {
		t.Run(string(d.lang), func(t *testing.T) {
			paths := files(sources(t, d.lang), d.lang)
			if len(paths) == 0 {
				if os.Getenv("CI") != "" && os.Getenv("CRSCORE_LONG") != "" {
					t.Fatal("no source files: CRSCORE_SOURCES is to name the folder that .ci/sources prints")
				}
				t.Skip("no source files")
			}
			r := rand.New(rand.NewPCG(uint64(number("CRSCORE_SEED", 1)), 2))
			r.Shuffle(len(paths), func(i, k int) { paths[i], paths[k] = paths[k], paths[i] })
			s := &sample{d: d, places: map[ID]int{}}
			for _, path := range paths {
				if s.functions >= want {
					break
				}
				s.add(t, path)
			}
			s.compile(t)
		})
	}
}

// files are the files of a language in some folders, sorted. Stubs of types have no code.
func files(roots []string, l lang.Name) (all []string) {
	for _, root := range roots {
		_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && lang.FromPath(path) == l && !strings.Contains(path, "testdata") &&
				!strings.HasSuffix(path, ".d.ts") && !strings.HasSuffix(path, ".pyi") &&
				!strings.HasSuffix(path, ".min.js") && !strings.Contains(path, "/test/") {
				all = append(all, path)
			}
			return nil
		})
	}
	slices.Sort(all)
	return all
}

// sample is a number of files and their variants.
type sample struct {
	d         *dialect
	functions int
	places    map[ID]int
	paths     []string // of the files
	before    []string // their texts
	variants  []sampleVariant
}

type sampleVariant struct {
	file int
	id   ID
	text string
}

// add perturbs a file.
func (s *sample) add(t *testing.T, path string) {
	b, err := os.ReadFile(path)
	if err != nil || len(b) > 100_000 {
		return
	}
	text := string(b)
	side, err := readSide(t.Context(), s.d, path, text)
	if err != nil || len(side.units) == 0 {
		return
	}
	s.functions += len(side.units)
	s.paths, s.before = append(s.paths, path), append(s.before, text)
	for _, p := range All() {
		v, err := apply(t.Context(), Text{Path: path, Lang: s.d.lang, New: &text}, p, "1")
		switch {
		case err == nil:
			s.places[p.ID] += v.Places
			s.variants = append(s.variants, sampleVariant{len(s.paths) - 1, p.ID, v.New.Text})
		case !errors.Is(err, ErrUnfit):
			t.Fatal(path, p.ID, err)
		case strings.Contains(err.Error(), "rewritten"):
			t.Errorf("%s %s: %v", path, p.ID, err)
		}
	}
}

// compile looks for new errors.
func (s *sample) compile(t *testing.T) {
	t.Logf("%d functions of %d files, %d variants, places %v", s.functions, len(s.paths), len(s.variants), s.places)
	var paths []string
	var texts []compile.Text
	for _, v := range s.variants {
		paths = append(paths, s.paths[v.file])
		texts = append(texts, compile.Text{Lang: s.d.lang, Before: s.before[v.file], After: v.text})
	}
	unchecked := map[string]int{}
	for i, answer := range diagnose(t, paths, texts) {
		v := s.variants[i]
		if answer.Unchecked != "" {
			unchecked[answer.Unchecked]++
		}
		if answer.New == "" {
			continue
		}
		t.Errorf("%s %s: a new error: %s", v.id, s.paths[v.file], answer.New)
		if dir := os.Getenv("CRSCORE_KEEP"); dir != "" {
			name := filepath.Join(dir, fmt.Sprintf("%s-%s-%d.diff", s.d.lang, v.id, i))
			if err := os.WriteFile(name, []byte(Diff(s.paths[v.file], &s.before[v.file], &v.text)), 0o666); err != nil {
				t.Error(err)
			}
		}
	}
	t.Logf("not checked: %v", unchecked)
	for why, n := range unchecked {
		if os.Getenv("CI") != "" && (n == len(texts) || strings.Contains(why, "to install it")) {
			t.Errorf("%d of %d variants are not checked: %s", n, len(texts), why)
		}
	}
}

// more returns what a has more often than b.
func more(a, b []string) (out []string) {
	n := map[string]int{}
	for _, x := range b {
		n[x]++
	}
	for _, x := range a {
		if n[x]--; n[x] < 0 {
			out = append(out, x)
		}
	}
	return out
}
