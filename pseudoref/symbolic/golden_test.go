package symbolic_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/diff"
	"github.com/rogpeppe/go-internal/txtar"

	"crscore/change"
	"crscore/pseudoref"
)

var update = flag.Bool("update", false, "write the goldens anew; read what changed before you commit it")

// TestGolden compares the claims of small changes with what is written beside
// them. An archive holds, for each change, "PATH old" and "PATH new" (the
// whole texts) or "PATH diff" (hunks or a git diff alone), and "PATH want".
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives in testdata: %v", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			out := &txtar.Archive{Comment: ar.Comment}
			for _, c := range cases(t, ar) {
				got := render(limited(t, c.diff, c.opts, -1))
				if !*update {
					if d := cmp.Diff(strings.Split(c.want, "\n"), strings.Split(got, "\n")); d != "" {
						t.Errorf("%s (-want +got):\n%s", c.path, d)
					}
				}
				out.Files = append(out.Files, c.inputs...)
				out.Files = append(out.Files, txtar.File{Name: c.path + " want", Data: []byte(got)})
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(out), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// golden is one change of an archive.
type golden struct {
	path, diff, want string
	opts             change.Options
	inputs           []txtar.File
}

func cases(t testing.TB, ar *txtar.Archive) []golden {
	t.Helper()
	parts := map[string]map[string]txtar.File{}
	var order []string
	for _, f := range ar.Files {
		path, part, ok := strings.Cut(f.Name, " ")
		if !ok || !slices.Contains([]string{"old", "new", "diff", "want"}, part) {
			t.Fatalf("bad name %q", f.Name)
		}
		if parts[path] == nil {
			parts[path] = map[string]txtar.File{}
			order = append(order, path)
		}
		parts[path][part] = f
	}
	var out []golden
	for _, path := range order {
		p := parts[path]
		g := golden{path: path, want: string(p["want"].Data), opts: change.Options{Path: path}}
		if d, ok := p["diff"]; ok {
			g.diff, g.inputs = string(d.Data), []txtar.File{d}
		} else {
			before, after := string(p["old"].Data), string(p["new"].Data)
			g.diff = string(diff.Diff("a/"+path, []byte(before), "b/"+path, []byte(after)))
			// The header line "diff a b" is not git's.
			g.diff = g.diff[strings.Index(g.diff, "\n")+1:]
			g.inputs = []txtar.File{p["old"], p["new"]}
			g.opts.Texts = func(_ *change.File, side change.Side) (string, bool) {
				if side == change.Old {
					return before, true
				}
				return after, true
			}
		}
		out = append(out, g)
	}
	return out
}

func render(refs []pseudoref.Ref) string {
	var b strings.Builder
	for _, r := range refs {
		place := ""
		if r.StartLine > 0 {
			place = fmt.Sprintf(" %s %d-%d", r.Side, r.StartLine, r.EndLine)
		}
		fmt.Fprintf(&b, "%s %s%s: %s\n", r.Kind, r.Rule, place, r.Text)
	}
	return b.String()
}
