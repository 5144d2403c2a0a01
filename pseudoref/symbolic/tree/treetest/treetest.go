// Package treetest makes trees of texts for tests.
package treetest

import (
	"context"
	"math"
	"strings"
	"testing"

	udiff "github.com/rogpeppe/go-internal/diff"

	"crscore/change"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
)

// Unmetered is a meter that does not end.
func Unmetered() *tree.Meter { return tree.NewMeter(context.Background(), math.MaxInt) }

// Whole parses two whole texts and hands over their trees with nothing
// left out.
func Whole(t testing.TB, path, before, after string) (*tree.Tree, *tree.Tree) {
	t.Helper()
	text := string(udiff.Diff("a/"+path, []byte(before), "b/"+path, []byte(after)))
	if text == "" { // any change will do: the trees are made of the texts
		text = "--- a/" + path + "\n+++ b/" + path + "\n@@ -1 +1 @@\n-" + strings.SplitN(before, "\n", 2)[0] + "\n+" +
			strings.SplitN(after, "\n", 2)[0] + "\n"
	}
	c, err := change.Parse([]byte(text), change.Options{Path: path, Texts: func(_ *change.File, side change.Side) (string, bool) {
		return map[change.Side]string{change.Old: before, change.New: after}[side], true
	}})
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := syntax.Parse(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	f := parsed.Files[0]
	if len(f.Old) != 1 || len(f.New) != 1 {
		t.Fatalf("%s: %d and %d trees", path, len(f.Old), len(f.New))
	}
	return tree.NewTree(f.Old[0], nil, Unmetered()), tree.NewTree(f.New[0], nil, Unmetered())
}
