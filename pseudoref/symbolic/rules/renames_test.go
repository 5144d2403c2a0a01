package rules

import (
	"fmt"
	"testing"

	"crscore/pseudoref/symbolic/tree/treetest"
	"crscore/pseudoref/symbolic/treediff"
)

// TestRenamed looks at which names are told to be renamed, and how often they occur.
func TestRenamed(t *testing.T) {
	for name, c := range map[string]struct{ path, old, new, want string }{
		"local":            {"a.js", "function f(u) {\n  const a = u.a.trim();\n  g(a);\n  h(a, 1);\n}\n", "function f(u) {\n  const b = u.a.trim();\n  g(b);\n  h(b, 1);\n}\n", "a b 3"},
		"function":         {"a.py", "def f(x):\n    return x + 1\n\n\nprint(f(1), f(2))\n", "def g(x):\n    return x + 1\n\n\nprint(g(1), g(2))\n", "f g 3"},
		"not everywhere":   {"a.js", "function f(u) {\n  g(a);\n  h(a);\n  i(a);\n}\n", "function f(u) {\n  g(b);\n  h(b);\n  i(a);\n}\n", ""},
		"was there before": {"a.js", "function f(b) {\n  g(a);\n  h(a);\n  i(b);\n}\n", "function f(b) {\n  g(b);\n  h(b);\n  i(b);\n}\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := treetest.Whole(t, c.path, c.old, c.new)
			edits, m := treediff.Diff(a.Root(), b.Root())
			got := ""
			for _, r := range renamed(edits, m) {
				got += fmt.Sprint(r.from, " ", r.to, " ", r.uses)
			}
			if got != c.want {
				t.Errorf("renamed %q, want %q", got, c.want)
			}
		})
	}
}
