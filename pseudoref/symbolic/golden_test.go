package symbolic_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"crscore/pseudoref"
	"crscore/pseudoref/symbolic/cases"
)

var update = flag.Bool("update", false, "write the goldens anew; read what changed before you commit it")

// TestGolden compares the claims of small changes with what is written beside
// them; cases.Case tells what an archive holds.
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
			for _, c := range read(t, ar) {
				got := render(limited(t, c.Diff, c.Options, -1))
				if !*update {
					if d := cmp.Diff(strings.Split(c.Want, "\n"), strings.Split(got, "\n")); d != "" {
						t.Errorf("%s (-want +got):\n%s", c.Path, d)
					}
				}
				out.Files = append(out.Files, c.Inputs...)
				out.Files = append(out.Files, txtar.File{Name: c.Path + " want", Data: []byte(got)})
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(out), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func read(t testing.TB, ar *txtar.Archive) []cases.Case {
	t.Helper()
	out, err := cases.Read(ar)
	if err != nil {
		t.Fatal(err)
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
