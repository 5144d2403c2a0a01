package syntax

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sitter "github.com/smacker/go-tree-sitter"

	"crscore/change"
	"crscore/internal/lang"
)

// TestNodes walks over trees with tree-sitter's cursor and with ours: they see the
// same, step by step, also from inside and in what no grammar understands.
func TestNodes(t *testing.T) {
	programs := map[lang.Name]string{}
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		programs[lang.Go] += strings.ReplaceAll(string(b), "package syntax", "")
	}
	text, err := os.ReadFile("nodelist.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		if table.Lang != lang.Go {
			programs[table.Lang] = string(text[:4000]) + strings.Repeat("a||", 500) + "if x {\n" + "class A { int f(int a, b) { return g(1, a ? 'b' : \"c\"); } }\ndef f(x):\n  return [y for y in x]\n"
		}
	}
	for l, text := range programs {
		sameNodes(t, l, text, 50)
	}
	sameNodes(t, lang.Ruby, "f a, # a\n  b\n", 1)
	sameNodes(t, lang.Python, "(a is # a\n not b)\n", 1)
}

// sameNodes compares the nodes of a text with tree-sitter's own, also in walks that begin at every
// so many nodes.
func sameNodes(t *testing.T, l lang.Name, text string, every int) {
	t.Helper()
	trees, err := Parse(context.Background(), change.Addition("", text, l))
	if err != nil {
		t.Fatal(err)
	}
	f := trees.Files[0].New[0]
	parser := sitter.NewParser()
	parser.SetLanguage(f.Table.grammar())
	tree, err := parser.ParseCtx(context.Background(), nil, f.Table.masked(f.Source))
	if err != nil {
		t.Fatal(err)
	}
	count := sameWalk(t, f, tree.RootNode(), f.Root(), every)
	if count != len(f.Nodes.nodes) {
		t.Errorf("%s: %d nodes, listed are %d", l, count, len(f.Nodes.nodes))
	}
}

// sameWalk walks from a node and, from every so many nodes inside, anew; every is 0 for a walk
// that is such a one itself.
func sameWalk(t *testing.T, f *Fragment, from *sitter.Node, listed *Node, every int) (count int) {
	t.Helper()
	nodes := f.Nodes
	want, got := sitter.NewTreeCursor(from), nodes.Cursor(listed)
	defer want.Close()
	for {
		count++
		w, g := want.CurrentNode(), got.CurrentNode()
		start, end := got.CurrentBytes()
		// tree-sitter's cursor that began at a node with an alias, as a call without brackets is in
		// Ruby, takes each comment and error inside for a node of that kind.
		aliased := every == 0 && count > 1 && w.IsExtra() && w.Symbol() == from.Symbol()
		if !aliased && !sameKind(w, g) || !samePlace(w, g) || g.Symbol() != got.CurrentSymbol() ||
			w.StartByte() != start || w.EndByte() != end || want.CurrentFieldName() != got.CurrentFieldName() {
			t.Fatalf("%s: got %s %q, want %v %q", f.Lang, g.Type(), got.CurrentFieldName(), w, want.CurrentFieldName())
		}
		for _, name := range f.Table.loaded().fields[1:] {
			if f.Lang == lang.Swift {
				break
			}
			if a, b := w.ChildByFieldName(name), g.ChildByFieldName(name); !same(a, b) {
				t.Errorf("%s: %s of %s is %v, want %v", f.Lang, name, w, b, a)
			}
		}
		// Of nodes without a width tree-sitter finds another parent than its cursor.
		if at := w.StartPoint(); count%20 == 0 && every > 0 && end > start {
			if !same(from.NamedDescendantForPointRange(at, at), nodes.NamedAt(int(start))) {
				t.Errorf("%s: at byte %d is %v", f.Lang, start, nodes.NamedAt(int(start)))
			}
			if next := w.NextNamedSibling(); !same(w.Parent(), g.Parent()) || (next == nil || !next.IsMissing()) && !namedInToken(g.Parent()) && !same(next, g.NextNamedSibling()) {
				t.Errorf("%s: what is around and behind %s differs", f.Lang, w)
			}
		}
		hidden := namedInToken(g)
		for i := range 4 {
			if !same(w.Child(i), g.Child(i)) || !hidden && !same(w.NamedChild(i), g.NamedChild(i)) {
				t.Errorf("%s: child %d of %s is %v", f.Lang, i, w, g.Child(i))
			}
		}
		if every > 0 && count%every == 0 {
			sameWalk(t, f, w, g, 0)
		}
		down := want.GoToFirstChild()
		if got.GoToFirstChild() != down {
			t.Fatalf("%s: %v has other children", f.Lang, w)
		}
		for !down {
			next := want.GoToNextSibling()
			if got.GoToNextSibling() != next {
				t.Fatalf("%s: %v has another sibling", f.Lang, w)
			}
			if next {
				break
			}
			up := want.GoToParent()
			if got.GoToParent() != up {
				t.Fatalf("%s: %v has another parent", f.Lang, w)
			}
			if !up {
				return count
			}
		}
	}
}

// namedInToken reports whether a child that is not named has named ones, as "is not" in Python has
// with a comment inside. tree-sitter counts them apart, but hands them out as the node's own.
func namedInToken(n *Node) bool {
	for i := range int(n.ChildCount()) {
		if c := n.Child(i); !c.IsNamed() && c.NamedChildCount() > 0 {
			return true
		}
	}
	return false
}

// same reports whether two nodes are the same and all that is asked of them, too.
func same(w *sitter.Node, g *Node) bool {
	if w == nil || g == nil {
		return (w == nil) == (g == nil)
	}
	return sameKind(w, g) && samePlace(w, g)
}

func sameKind(w *sitter.Node, g *Node) bool {
	return w.Symbol() == g.Symbol() && w.Type() == g.Type() && w.IsNamed() == g.IsNamed() && w.IsError() == g.IsError()
}

func samePlace(w *sitter.Node, g *Node) bool {
	return w.HasError() == g.HasError() && w.IsMissing() == g.IsMissing() &&
		w.StartByte() == g.StartByte() && w.EndByte() == g.EndByte() && w.StartPoint() == g.StartPoint() && w.EndPoint() == g.EndPoint() &&
		w.ChildCount() == g.ChildCount() && w.NamedChildCount() == g.NamedChildCount()
}
