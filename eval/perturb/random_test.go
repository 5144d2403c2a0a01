package perturb

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"crscore/internal/lang"
)

// TestRandom perturbs all functions of random source files: those in the folders of
// CRSCORE_SOURCES. What is rewritten parses, and where a compiler is there, it has no
// new error.
func TestRandom(t *testing.T) {
	roots := filepath.SplitList(os.Getenv("CRSCORE_SOURCES"))
	if len(roots) == 0 {
		t.Skip("CRSCORE_SOURCES names no folders of sources")
	}
	for _, d := range dialects() {
		t.Run(string(d.lang), func(t *testing.T) {
			var all []string
			for _, root := range roots {
				_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
					if err == nil && !e.IsDir() && lang.FromPath(path) == d.lang && !strings.Contains(path, "testdata") &&
						!strings.HasSuffix(path, ".d.ts") && !strings.HasSuffix(path, ".min.js") {
						all = append(all, path)
					}
					return nil
				})
			}
			sort.Strings(all)
			r := rand.New(rand.NewPCG(1, 2))
			r.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
			functions, places := 0, map[ID]int{}
			var before, after []string
			var what, paths []string
			for _, path := range all {
				if functions >= 1000 {
					break
				}
				b, err := os.ReadFile(path)
				if err != nil || len(b) > 100_000 {
					continue
				}
				text := string(b)
				side, err := readSide(t.Context(), d, path, text)
				if err != nil {
					continue
				}
				functions += len(side.units)
				for _, p := range All() {
					v, err := Apply(t.Context(), Text{Path: path, Lang: d.lang, New: &text}, p, "1")
					if errors.Is(err, ErrUnfit) {
						if strings.Contains(err.Error(), "rewritten") {
							t.Errorf("%s %s: %v", path, p.ID, err)
						}
						continue
					}
					if err != nil {
						t.Fatal(path, p.ID, err)
					}
					places[p.ID] += v.Places
					before, after, what = append(before, text), append(after, v.New.Text), append(what, string(p.ID)+" "+path)
					paths = append(paths, path)
				}
			}
			t.Log(d.lang, "files", len(all), "functions", functions, "variants", len(after), places)
			module := ""
			if d.lang == lang.Java {
				module = os.Getenv("CRSCORE_MODULE")
			}
			unique := slices.Compact(slices.Clone(before))
			was, ok := diagnose(t, d.lang, module, slices.Compact(slices.Clone(paths)), unique)
			if !ok {
				return
			}
			is, _ := diagnose(t, d.lang, module, paths, after)
			k, broken := 0, 0
			for i := range after {
				if before[i] != unique[k] {
					k++
				}
				if extra := more(is[i], was[k]); len(extra) > 0 {
					broken++
					t.Errorf("%s: new errors %v (%d before)", what[i], extra, len(was[k]))
					if dir := os.Getenv("KEEP"); dir != "" {
						os.WriteFile(fmt.Sprintf("%s/%s-%d.diff", dir, d.lang, i), []byte(Diff(what[i], &before[i], &after[i])), 0o666)
					}
				}
			}
			clean := 0
			for _, w := range was {
				if len(w) == 0 {
					clean++
				}
			}
			t.Log(d.lang, "broken", broken, "of", len(after), "clean before", clean, "of", len(was))
		})
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
