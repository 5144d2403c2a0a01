package syntax

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"crscore/change"
	"crscore/internal/lang"
	"crscore/internal/limits"
)

// told is what claims are made of.
func told(r Role) bool {
	return r >= Function && r <= Export && !r.Is(Parameters, Parameter, Modifier, Declarator) ||
		r >= If && r <= Delete || r.Is(Assign, AugAssign, Call, New)
}

// shapes lists the roles of a fragment's nodes with their lines, without those
// that begin or end beyond the lines first to last.
func shapes(f *Fragment, first, last int) map[string]bool {
	out := map[string]bool{}
	var walk func(n *Node)
	walk = func(n *Node) {
		for i := 0; i < int(n.NamedChildCount()); i++ {
			c := n.NamedChild(i)
			a, b := f.Lines(c)
			if r := f.Table.Role(c.Type()); told(r) && a >= first && b <= last && !f.Framed(int(c.StartByte())) {
				out[fmt.Sprintf("%d %d-%d %s", r, a, b, c.Type())] = true
			}
			walk(c)
		}
	}
	walk(f.Root())
	return out
}

// TestFrames cuts windows of seven lines out of whole programs, as a diff does,
// and counts how many of the declarations, statements and calls that lie in a
// window are found in it when nothing else is known.
func TestFrames(t *testing.T) {
	const window = 7
	archives, err := filepath.Glob("../../pseudoref/symbolic/testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, name := range archives {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found, missed, wrong := 0, 0, 0
		var l lang.Name
		for _, p := range ar.Files {
			path, part, _ := strings.Cut(p.Name, " ")
			if l = lang.FromPath(path); part != "new" || TableOf(l) == nil {
				continue
			}
			whole := parseAll(t, l, string(p.Data))
			if whole == nil || whole.Root().HasError() {
				continue
			}
			lines := strings.SplitAfter(string(p.Data), "\n")
			for at := 0; at+window < len(lines); at += 2 {
				section := sectionOf(lines[:at])
				text := strings.Join(lines[at:at+window], "")
				diff := fmt.Sprintf("@@ -%d,0 +%d,%d @@ %s\n+%s\n", at, at+1, window, section, strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n+"))
				c, err := change.Parse([]byte(diff), change.Options{Path: path})
				if err != nil {
					t.Fatalf("%v in\n%s", err, diff)
				}
				trees, err := Parse(context.Background(), c)
				if err != nil {
					t.Fatal(err)
				}
				want := shapes(whole, at+1, at+window)
				got := map[string]bool{}
				if fs := trees.Files[0].New; len(fs) == 1 {
					got = shapes(fs[0], at+1, at+window)
				}
				f, m := 0, 0
				for s := range want {
					if got[s] {
						f++
					} else {
						m++
					}
				}
				found, missed = found+f, missed+m
				wrong += len(got) - f
				if m > 0 && testing.Verbose() {
					t.Logf("%s: %d of %d missed in\n%s\n%s", path, m, f+m, section, trees.Files[0].New[0].Source)
				}
			}
		}
		if found+missed == 0 {
			continue
		}
		share := float64(found) / float64(found+missed)
		t.Logf("%s: %d of %d found (%.3f), %d others", l, found, found+missed, share, wrong)
		if share < 0.9 {
			t.Errorf("%s: only %.3f of the nodes in windows are found", l, share)
		}
	}
}

// sectionOf is git's heading for a hunk after these lines: the last one that
// begins with a letter.
func sectionOf(before []string) string {
	for i := len(before) - 1; i >= 0; i-- {
		if s := before[i]; s != "" && (s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z' || s[0] == '_' || s[0] == '$') {
			return strings.TrimSpace(s)
		}
	}
	return ""
}

func parseAll(t *testing.T, l lang.Name, src string) *Fragment {
	t.Helper()
	p := parser{table: TableOf(l), effort: effort{limits.ChangeWork, time.Minute}}
	piece, err := p.wholePiece(context.Background(), &change.File{Lang: l}, [2]string{"", src})
	if err != nil {
		t.Fatal(err)
	}
	return piece[change.New]
}
