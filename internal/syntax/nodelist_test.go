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
	for _, table := range tables {
		if table.Lang != lang.Go {
			programs[table.Lang] = programs[lang.Go][:4000] + strings.Repeat("a||", 500) + "if x {\n" + "class A { int f(int a, b) { return g(1, a ? 'b' : \"c\"); } }\ndef f(x):\n  return [y for y in x]\n"
		}
	}
	for l, text := range programs {
		trees, err := Parse(context.Background(), change.Addition("", text, l))
		if err != nil {
			t.Fatal(err)
		}
		f := trees.Files[0].New[0]
		nodes, err := f.Nodes(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		count := sameWalk(t, f, nodes, f.Root(), 0)
		if count != len(nodes.nodes) {
			t.Errorf("%s: %d nodes, listed are %d", l, count, len(nodes.nodes))
		}
		if again, err := f.Nodes(context.Background()); again != nodes || err != nil {
			t.Errorf("%s: listed twice: %v", l, err)
		}
		trees.Close()
	}
}

// sameWalk walks from a node and, from time to time, anew from one inside.
func sameWalk(t *testing.T, f *Fragment, nodes *NodeList, from *sitter.Node, depth int) (count int) {
	t.Helper()
	want, got := sitter.NewTreeCursor(from), nodes.Cursor(from)
	defer want.Close()
	for {
		count++
		w, g := want.CurrentNode(), got.CurrentNode()
		first, last := f.Lines(w)
		a, b := got.CurrentLines()
		start, end := got.CurrentBytes()
		if !w.Equal(g) || w.Type() != g.Type() || w.Symbol() != got.CurrentSymbol() || w.StartByte() != start || w.EndByte() != end || g.EndByte() != end || w.StartPoint() != g.StartPoint() ||
			want.CurrentFieldName() != got.CurrentFieldName() || a != first || b != last || w.ChildCount() != g.ChildCount() {
			t.Fatalf("%s: got %v %q of lines %d to %d, want %v %q, %d to %d", f.Lang, g, got.CurrentFieldName(), a, b, w, want.CurrentFieldName(), first, last)
		}
		for _, name := range nodes.fields[1:] {
			if f.Lang == lang.Swift {
				break
			}
			a, b := w.ChildByFieldName(name), nodes.Field(g, name)
			if (a == nil) != (b == nil) || a != nil && !a.Equal(b) {
				t.Errorf("%s: %s of %s is %s, want %s", f.Lang, name, w, b, a)
			}
		}
		// What is asked of a node once for all of its symbol.
		if g := f.Table.grammar(); w.IsNamed() != (w.IsError() || g.SymbolType(w.Symbol()) == sitter.SymbolTypeRegular) || w.IsError() != (w.Symbol() == errorSymbol) || w.IsMissing() && w.EndByte() > w.StartByte() {
			t.Fatalf("%s: %v is named %v, an error %v, missing %v", f.Lang, w, w.IsNamed(), w.IsError(), w.IsMissing())
		}
		if depth == 0 && count%50 == 0 {
			sameWalk(t, f, nodes, w, 1)
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

func TestNodesCancelled(t *testing.T) {
	trees, err := Parse(context.Background(), change.Addition("a.js", strings.Repeat("a;", 1<<17), ""))
	if err != nil {
		t.Fatal(err)
	}
	defer trees.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := trees.Files[0].New[0].Nodes(ctx); err == nil {
		t.Error("a cancelled list has no error")
	}
}
