package syntax

import (
	"context"
	"fmt"
	"strings"
	"testing"

	sitter "github.com/smacker/go-tree-sitter"

	"crscore/change"
	"crscore/internal/lang"
)

// kinds lists the named node kinds of a grammar.
func kinds(g *sitter.Language) map[string]bool {
	out := map[string]bool{}
	for i := uint32(0); i < g.SymbolCount(); i++ {
		if g.SymbolType(sitter.Symbol(i)) == sitter.SymbolTypeRegular {
			out[g.SymbolName(sitter.Symbol(i))] = true
		}
	}
	return out
}

// TestRolesNameRealKinds catches misspelt kinds, which would never match.
func TestRolesNameRealKinds(t *testing.T) {
	all := map[string]bool{}
	for _, l := range lang.Names() {
		table := TableOf(l)
		if table == nil {
			continue
		}
		ks := kinds(table.grammar())
		for k := range ks {
			all[k] = true
		}
		for k := range table.roles {
			if !ks[k] {
				t.Errorf("%s has no kind %q", l, k)
			}
		}
		ks[KindBinding] = true // made by Lists
		// The others may name tokens as well.
		tokens := symbols(table.grammar())
		for _, edges := range []map[Edge]bool{keys(table.fields), table.Single, table.Adopt, keys(table.After)} {
			for e := range edges {
				if e.Parent != "" && !ks[e.Parent] || !tokens[e.Child] {
					t.Errorf("%s has no kind %q or none %q", l, e.Parent, e.Child)
				}
			}
		}
		for in, list := range table.Lists {
			for _, k := range append([]string{list.After}, list.Until...) {
				if !ks[in] || k != "" && !tokens[k] {
					t.Errorf("%s has no kind %q or none %q", l, in, k)
				}
			}
		}
		for k := range table.tokens {
			if !ks[k] {
				t.Errorf("%s has no kind %q", l, k)
			}
		}
		for k := range table.values {
			if !tokens[k] {
				t.Errorf("%s has no token %q", l, k)
			}
		}
		for e := range table.flat {
			if e.Parent != "" && !ks[e.Parent] || !ks[e.Child] {
				t.Errorf("%s has no kind %q or none %q", l, e.Parent, e.Child)
			}
		}
		for e := range table.in {
			if !ks[e.Parent] || !ks[e.Child] {
				t.Errorf("%s has no kind %q or none %q", l, e.Parent, e.Child)
			}
		}
		for _, f := range table.forms {
			if !ks[f.Kind] {
				t.Errorf("%s has no kind %q", l, f.Kind)
			}
		}
	}
	for k := range common {
		if !all[k] {
			t.Errorf("no grammar has kind %q", k)
		}
	}
}

// symbols lists all node kinds of a grammar, tokens included.
func symbols(g *sitter.Language) map[string]bool {
	out := map[string]bool{}
	for i := uint32(0); i < g.SymbolCount(); i++ {
		out[g.SymbolName(sitter.Symbol(i))] = true
	}
	return out
}

func keys(m map[Edge]string) map[Edge]bool {
	out := map[Edge]bool{}
	for e := range m {
		out[e] = true
	}
	return out
}

func TestNameAndEnclosing(t *testing.T) {
	for _, tc := range []struct {
		lang            lang.Name
		src             string
		fn, class, leaf string
	}{
		{lang.Python, "class A:\n    def f(self, x):\n        return mark\n", "f", "A", "mark"},
		{lang.Java, "class A {\n  int f(int x) { return mark; }\n}\n", "f", "A", "mark"},
		{lang.JavaScript, "class A {\n  f(x) { return mark }\n}\n", "f", "A", "mark"},
		{lang.C, "int f(int x)\n{\n  return mark;\n}\n", "f", "", "mark"},
		{lang.Cpp, "struct A {\n  int *f(int x) { return mark; }\n};\n", "f", "A", "mark"},
		{lang.Go, "package p\nfunc (a *A) f(x int) int { return mark }\n", "f", "", "mark"},
		{lang.Ruby, "class A\n  def f(x)\n    mark\n  end\nend\n", "f", "A", "mark"},
		{lang.Kotlin, "class A {\n  fun f(x: Int): Int { return mark }\n}\n", "f", "A", "mark"},
		{lang.Rust, "struct A;\nimpl A { fn f(x: i32) -> i32 { mark } }\n", "f", "", "mark"},
		{lang.PHP, "<?php class A { function f($x) { return mark; } }\n", "f", "A", "mark"},
		{lang.CSharp, "class A { int f(int x) { return mark; } }\n", "f", "A", "mark"},
		{lang.Swift, "class A { func f(x: Int) -> Int { return mark } }\n", "f", "A", "mark"},
		{lang.Scala, "class A { def f(x: Int): Int = { mark } }\n", "f", "A", "mark"},
		{lang.TypeScript, "class A { f(x: number): number { return mark } }\n", "f", "A", "mark"},
	} {
		body := strings.TrimSuffix(tc.src, "\n")
		diff := fmt.Sprintf("@@ -0,0 +1,%d @@\n+%s\n", strings.Count(tc.src, "\n"), strings.ReplaceAll(body, "\n", "\n+"))
		c, err := change.Parse([]byte(diff), change.Options{Lang: tc.lang})
		if err != nil {
			t.Fatal(err)
		}
		trees, err := Parse(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		fr := trees.Files[0].New[0]
		leaf := find(fr, fr.Root(), tc.leaf)
		if leaf == nil {
			t.Fatalf("%s: %q not found in %s", tc.lang, tc.leaf, fr.Source)
		}
		if got := fr.Name(fr.Enclosing(leaf, Role.IsFunction)); got != tc.fn {
			t.Errorf("%s: function %q, want %q: %s", tc.lang, got, tc.fn, fr.Source)
		}
		if tc.class != "" {
			if got := fr.Name(fr.Enclosing(leaf, Role.IsClass)); got != tc.class {
				t.Errorf("%s: class %q, want %q: %s", tc.lang, got, tc.class, fr.Source)
			}
		}
	}
}

// find returns the innermost node whose text is want.
func find(f *Fragment, n *Node, want string) *Node {
	for i := 0; i < int(n.ChildCount()); i++ {
		if m := find(f, n.Child(i), want); m != nil {
			return m
		}
	}
	if n.Content() == want {
		return n
	}
	return nil
}
