package symbolic_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	udiff "github.com/rogpeppe/go-internal/diff"

	"crscore/change"
	"crscore/pseudoref/symbolic"
)

// growths are changes of any size: what comes before, for each i and after on
// either side. A side without each is empty.
var growths = []struct {
	name, path                string
	oldHead, oldEach, oldTail string
	newHead, newEach, newTail string
}{
	{name: "new functions", path: "a.py", newEach: "def f%[1]d(a):\n    return g%[1]d(a)\n\n"},
	{name: "new functions", path: "a.js", newEach: "function f%[1]d(a) {\n  return g%[1]d(a);\n}\n"},
	{name: "new variables", path: "a.py", newEach: "name%[1]d = call%[1]d(%[1]d)\n"},
	{name: "new variables", path: "a.js", newEach: "const name%[1]d = call%[1]d(%[1]d);\n"},
	{name: "new imports", path: "a.py", newEach: "from a.b%[1]d import c%[1]d\n"},
	{name: "new imports", path: "a.js", newEach: "import { c%[1]d } from './b%[1]d';\n"},
	{name: "new in old", path: "a.py", oldEach: "def f%[1]d(a):\n    return a\n\n", newEach: "def f%[1]d(a):\n    b%[1]d = g(a)\n    return a\n\nname%[1]d = %[1]d\n"},
	{name: "new in old", path: "a.js", oldEach: "function f%[1]d(a) {\n  return a;\n}\n", newEach: "function f%[1]d(a) {\n  const b%[1]d = g(a);\n  return a;\n}\nconst name%[1]d = %[1]d;\n"},
	{name: "locals", path: "a.py", newHead: "def f(a):\n", newEach: "    b%[1]d = g(a)\n", newTail: "    if b0 is None:\n        return b1.x\n    return a\n"},
	{name: "locals", path: "a.js", newHead: "function f(a) {\n", newEach: "  const b%[1]d = g(a);\n", newTail: "  if (b0 == null) {\n    return b1.x;\n  }\n  return a;\n}\n"},
	{name: "first of none", path: "a.py", newHead: "def f(a):\n", newEach: "    g(b%[1]d[0])\n", newTail: "    return a\n"},
	{name: "first of none", path: "a.js", newHead: "function f(a) {\n", newEach: "  g(b%[1]d[0]);\n", newTail: "  return a;\n}\n"},
	{name: "opened", path: "a.py", newHead: "def f(a):\n", newEach: "    b%[1]d = open(a)\n", newTail: "    return a\n"},
	{name: "changed bodies", path: "a.py", oldEach: "def f%[1]d(a):\n    return g(a)\n\n", newEach: "def f%[1]d(a):\n    return h(a, %[1]d)\n\n"},
	{name: "changed bodies", path: "a.js", oldEach: "function f%[1]d(a) {\n  return g(a);\n}\n", newEach: "function f%[1]d(a) {\n  return h(a, %[1]d);\n}\n"},
	{name: "changed arguments", path: "a.js", oldHead: "function f(a) {\n", oldEach: "  g%[1]d(a);\n", oldTail: "}\n", newHead: "function f(a) {\n", newEach: "  g%[1]d(a, b);\n", newTail: "}\n"},
	{name: "renamed locals", path: "a.py", oldEach: "def f%[1]d(a):\n    b = g(a)\n    return h(b)\n\n", newEach: "def f%[1]d(a):\n    c = g(a)\n    return h(c)\n\n"},
	{name: "renamed functions", path: "a.py", oldEach: "def f%[1]d(a):\n    return x%[1]d\n\nf%[1]d(1)\n", newEach: "def h%[1]d(a):\n    return x%[1]d\n\nh%[1]d(1)\n"},
	{name: "renamed functions", path: "a.js", oldEach: "function f%[1]d(a) { return x%[1]d; }\nf%[1]d(1);\n", newEach: "function h%[1]d(a) { return x%[1]d; }\nh%[1]d(1);\n"},
	{name: "removed", path: "a.py", oldEach: "def f%[1]d(a):\n    return g%[1]d(a)\n\n"},
	{name: "removed from old", path: "a.py", oldEach: "def f%[1]d(a):\n    return a\n\nname%[1]d = g(%[1]d)\n", newEach: "def f%[1]d(a):\n    return a\n\n"},
	{name: "replaced", path: "a.py", oldEach: "def f%[1]d(a):\n    return g%[1]d(a)\n\n", newEach: "class C%[1]d:\n    x%[1]d = h(%[1]d, 7)\n\n"},
	{name: "guarded", path: "a.py", oldHead: "def f(a):\n", oldEach: "    g%[1]d(a)\n", newHead: "def f(a):\n", newEach: "    if a > %[1]d:\n        g%[1]d(a)\n"},
	{name: "guarded", path: "a.js", oldHead: "function f(a) {\n", oldEach: "  g%[1]d(a);\n", oldTail: "}\n", newHead: "function f(a) {\n", newEach: "  if (a > %[1]d) {\n    g%[1]d(a);\n  }\n", newTail: "}\n"},
	{name: "pairs", path: "a.py", oldHead: "x = {\n", oldEach: "    'k%[1]d': %[1]d,\n", oldTail: "}\n", newHead: "x = {\n", newEach: "    'k%[1]d': %[1]d1,\n", newTail: "}\n"},
	{name: "pairs", path: "a.js", oldHead: "const x = {\n", oldEach: "  k%[1]d: %[1]d,\n", oldTail: "};\n", newHead: "const x = {\n", newEach: "  k%[1]d: %[1]d1,\n", newTail: "};\n"},
	{name: "else if", path: "a.py", oldHead: "def f(a):\n    if a:\n        g()\n", newHead: "def f(a):\n    if a:\n        g()\n", newEach: "    elif a > %[1]d:\n        g%[1]d(a)\n"},
	{name: "comments", path: "a.js", oldEach: "f%[1]d();\n", newEach: "// why f%[1]d is called\nf%[1]d();\n"},
	{name: "error checks", path: "a.go", oldHead: "package a\n\nfunc f() error {\n", oldEach: "\tb%[1]d()\n", oldTail: "\treturn nil\n}\n", newHead: "package a\n\nfunc f() error {\n", newEach: "\tif err := b%[1]d(); err != nil {\n\t\treturn err\n\t}\n", newTail: "\treturn nil\n}\n"},
	{name: "error values", path: "a.go", oldHead: "package a\n\nfunc f() error {\n", oldEach: "\tb%[1]d()\n", oldTail: "\treturn nil\n}\n", newHead: "package a\n\nfunc f() error {\n", newEach: "\tc%[1]d, err := b%[1]d()\n\tif err != nil {\n\t\treturn err\n\t}\n", newTail: "\treturn nil\n}\n"},
	{name: "closed by with", path: "a.py", oldHead: "def f(a):\n", oldEach: "    g%[1]d(a)\n    b%[1]d.close()\n", newHead: "def f(a):\n", newEach: "    with b%[1]d:\n        g%[1]d(a)\n"},
	{name: "removed imports", path: "a.py", oldEach: "from a.b%[1]d import c%[1]d\n", oldTail: "c1()\n", newTail: "c1()\n"},
	{name: "removed imports", path: "a.js", oldEach: "import { c%[1]d } from './b%[1]d';\n", oldTail: "c1();\n", newTail: "c1();\n"},
	{name: "removed cases", path: "a.js", oldHead: "function f(a) {\n  switch (a) {\n", oldEach: "  case %[1]d:\n    g%[1]d(a);\n    break;\n", oldTail: "  default:\n    h(a);\n  }\n}\n", newHead: "function f(a) {\n  switch (a) {\n", newTail: "  default:\n    h(a);\n  }\n}\n"},
	{name: "fields", path: "A.java", oldHead: "class A {\n", oldTail: "}\n", newHead: "class A {\n", newEach: "  private int b%[1]d = %[1]d;\n", newTail: "}\n"},
	{name: "methods", path: "A.java", oldHead: "class A {\n", oldTail: "}\n", newHead: "class A {\n", newEach: "  int f%[1]d(int a) {\n    return g(a);\n  }\n", newTail: "}\n"},
	{name: "sections", path: "a.toml", newEach: "[b.a%[1]d]\nc = %[1]d\n"},
	{name: "sections", path: "a.ini", newEach: "[a%[1]d]\nc = %[1]d\n"},
	{name: "elements", path: "a.html", oldHead: "<ul id='a'>x<br>\n", oldEach: "<li>b%[1]d</li>\n", oldTail: "</ul>\n", newHead: "<ul id='a'>x<br>\n", newEach: "<li>b%[1]d</li>\n<hr>\n", newTail: "</ul>\n"},
	{name: "spread types", path: "a.c", oldHead: "void f(void) {\n", oldEach: "  int b%[1]d = %[1]d;\n", oldTail: "}\n", newHead: "void f(void) {\n", newEach: "  const long b%[1]d = %[1]d;\n", newTail: "}\n"},
}

// BenchmarkGrowth shows how time grows with a change: x-doubling, the time for
// twice as much, is about 2 where every rule is linear.
func BenchmarkGrowth(b *testing.B) {
	const n = 3000
	for _, g := range growths {
		text := func(head, each, tail string, n int) string {
			var s strings.Builder
			s.WriteString(head)
			for i := range n {
				if each != "" {
					fmt.Fprintf(&s, each, i)
				}
			}
			return s.String() + tail
		}
		for _, whole := range []bool{true, false} {
			took := map[int]time.Duration{}
			run := func(n int) func() {
				before, after := text(g.oldHead, g.oldEach, g.oldTail, n), text(g.newHead, g.newEach, g.newTail, n)
				opts := change.Options{Path: g.path}
				if whole {
					opts.Old, opts.New = &before, &after
				}
				diff := string(udiff.Diff("a/"+g.path, []byte(before), "b/"+g.path, []byte(after)))
				parsed := trees(b, diff, opts)
				return func() {
					start := time.Now()
					if _, err := symbolic.Claims(context.Background(), parsed, symbolic.Options{}); err != nil {
						b.Fatal(err)
					}
					if d := time.Since(start); took[n] == 0 || d < took[n] {
						took[n] = d
					}
				}
			}
			form := map[bool]string{true: "whole", false: "hunks"}[whole]
			b.Run(fmt.Sprintf("%s/%s/%s", g.name, g.path, form), func(b *testing.B) {
				half, full := run(n), run(2*n)
				for b.Loop() {
					half()
					full()
				}
				b.ReportMetric(float64(took[2*n])/float64(took[n]), "x-doubling")
				b.ReportMetric(float64(took[2*n].Microseconds())/1000, "ms")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
