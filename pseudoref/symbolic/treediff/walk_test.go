package treediff

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	udiff "github.com/rogpeppe/go-internal/diff"
	"github.com/rogpeppe/go-internal/txtar"

	"crscore/change"
	"crscore/internal/lang"
	"crscore/internal/limits"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/tree/treetest"
)

// condition is a hunk in which a condition over three lines becomes one line and a
// brace is left over: the walk over what was moved once went round in it.
const conditionHunk = `@@ -1,5 +1,4 @@
     if (
-      !offline &&
-      options.fast &&
-      chosen.kind !== options.chosen
+      options.chosen?.endsWith("x") &&
     ) {
+    }
`

// TestWalks walks over everything that is built from a change, on whole programs and
// on what is left of them after lines were deleted, doubled and joined: no node lies
// in itself, and none deeper than the limit.
func TestWalks(t *testing.T) {
	walkChange(t, "a.ts", conditionHunk, nil, nil)
	archives, err := filepath.Glob("../testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	moved := 0
	for _, name := range archives {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range ar.Files {
			path, part, _ := strings.Cut(p.Name, " ")
			if part != "new" || syntax.TableOf(lang.FromPath(path)) == nil {
				continue
			}
			for n := 2; n < 5; n++ {
				old, broken := string(p.Data), breakLines(string(p.Data), n)
				diff := string(udiff.Diff("a/"+path, []byte(old), "b/"+path, []byte(broken)))
				if diff == "" {
					continue
				}
				moved += walkChange(t, path, diff, nil, nil) + walkChange(t, path, diff, &old, &broken)
			}
		}
	}
	if moved == 0 {
		t.Error("nothing was moved")
	}
}

// breakLines deletes, doubles and joins some of the lines of a text, in turns.
func breakLines(text string, every int) string {
	var b strings.Builder
	for i, l := range strings.SplitAfter(text, "\n") {
		switch i % (3 * every) {
		case every:
		case 2 * every:
			b.WriteString(l + l)
		case 3*every - 1:
			b.WriteString(strings.TrimSuffix(l, "\n"))
		default:
			b.WriteString(l)
		}
	}
	return b.String()
}

// walkChange returns how much is moved in a change.
func walkChange(t *testing.T, path, diff string, old, new *string) (moved int) {
	t.Helper()
	c, err := change.Parse([]byte(diff), change.Options{Path: path, Old: old, New: new})
	if err != nil {
		t.Fatalf("%v in\n%s", err, diff)
	}
	parsed, err := syntax.Parse(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range parsed.Files {
		for _, p := range tree.Pairs(f) {
			for _, fr := range p {
				if fr != nil {
					walkNodes(t, fr.Root(), 0)
				}
			}
			if p[0] == nil || p[1] == nil {
				continue
			}
			a, b := tree.Of(f.File, p[0], treetest.Unmetered()), tree.Of(f.File, p[1], treetest.Unmetered())
			walkTree(t, a)
			walkTree(t, b)
			d := newDiffer()
			d.same = match(a, b)
			d.pair(a.Root(), b.Root(), 0)
			d.ordered(nil, d.edits, tree.Node{})
			moved += walkMoves(t, d, d.edits, tree.Node{}, 0)
		}
	}
	return moved
}

func walkNodes(t *testing.T, n *syntax.Node, depth int) {
	if depth > limits.TreeDepth {
		t.Fatalf("%s lies at %d", n.Type(), depth)
	}
	for i := range int(n.ChildCount()) {
		if c := n.Child(i); c.Parent() != n {
			t.Fatalf("%s has %v for a parent", c.Type(), c.Parent())
		} else {
			walkNodes(t, c, depth+1)
		}
	}
}

// walkTree checks that each node stands behind its parent and within it.
func walkTree(t *testing.T, tr *tree.Tree) {
	for i := range tr.Len() {
		n := tr.At(i)
		if p := n.Parent(); p.I >= max(i, 1) || n.Last() <= i || n.Last() > tr.Len() || p.Ok() && n.Last() > p.Last() {
			t.Fatalf("node %d has parent %d and ends at %d", i, p.I, n.Last())
		}
	}
}

// walkMoves goes into what is moved, and in that into what is moved, without a bound
// of its own.
func walkMoves(t *testing.T, d *differ, edits []Edit, in tree.Node, depth int) (moved int) {
	if depth > limits.TreeDepth {
		t.Fatal(fmt.Errorf("moves lie %d deep", depth))
	}
	for _, e := range edits {
		if e.Old.Ok() || e.Link {
			continue
		}
		for _, y := range d.same.arrived(e.New, in) {
			if in.Ok() && (y == in || !in.Contains(y)) {
				t.Fatalf("%q is moved into %q", y.Text(), in.Text())
			}
			moved += 1 + walkMoves(t, d, d.inner[y], y, depth+1)
		}
	}
	return moved
}
