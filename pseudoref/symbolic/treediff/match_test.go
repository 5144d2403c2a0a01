package treediff

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/python"

	"crscore/internal/lang"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/tree/treetest"
)

// script is the edits as lines: "+ added", "- removed", "> moved", "~ changed".
func script(edits []Edit) []string {
	first := func(n tree.Node) string { return strings.TrimRight(strings.SplitN(n.Text(), "\n", 2)[0], " {:;") }
	var out []string
	for _, e := range edits {
		switch {
		case e.Move:
			out = append(out, "> "+first(e.New))
		case !e.Old.Ok():
			out = append(out, "+ "+first(e.New))
		case !e.New.Ok():
			out = append(out, "- "+first(e.Old))
		default:
			out = append(out, "~ "+first(e.Old)+" -> "+first(e.New))
		}
	}
	return out
}

// TestEdits compares the edit scripts of small changes with what a person says.
func TestEdits(t *testing.T) {
	for name, c := range map[string]struct {
		path, old, new string
		want           []string
	}{
		"into try": {"a.py",
			"def f(x):\n    value = load(x, strict)\n    return value\n",
			"def f(x):\n    try:\n        value = load(x, strict)\n    except KeyError:\n        raise\n    return value\n",
			[]string{"+ try", "> value = load(x, strict)"}},
		"into try, changed": {"a.py",
			"def f(x):\n    value = load(x, strict, 1)\n    return value\n",
			"def f(x):\n    try:\n        value = load(x, strict, 2)\n    except KeyError:\n        raise\n    return value\n",
			[]string{"+ try", "> value = load(x, strict, 2)", "~ 1 -> 2"}},
		"out of if": {"a.js",
			"function f(a) {\n  if (a.ready) {\n    start(a.engine);\n  }\n}\n",
			"function f(a) {\n  start(a.engine);\n}\n",
			[]string{"- if (a.ready)", "> start(a.engine)"}},
		"out of a modifier": {"a.rb",
			"def f(a)\n  start(a.engine) if a.ready\nend\n", "def f(a)\n  start(a.engine)\nend\n",
			[]string{"- start(a.engine) if a.ready", "> start(a.engine)"}},
		"into else": {"a.js",
			"function f(a) {\n  if (a.ready) {\n    start(a.engine);\n  }\n  report(a.engine);\n}\n",
			"function f(a) {\n  if (a.ready) {\n    start(a.engine);\n  } else {\n    report(a.engine);\n  }\n}\n",
			[]string{"+ else", "> report(a.engine)"}},
		"if to else-if": {"a.js",
			"function f(a) {\n  if (a.ready) {\n    start(a.engine);\n  }\n}\n",
			"function f(a) {\n  if (a.broken) {\n    mend(a);\n  } else if (a.ready) {\n    start(a.engine);\n  }\n}\n",
			[]string{"+ if (a.broken)", "> if (a.ready)"}},
		"extracted": {"a.py",
			"def load(rows):\n    out = []\n    for row in rows:\n        out.append(row.strip())\n    return out\n",
			"def parse(rows):\n    for row in rows:\n        yield row.strip()\n\n\ndef load(rows):\n    out = list(parse(rows))\n    return out\n",
			[]string{"+ def parse(rows)", "> for row in rows", "~ out.append(row.strip()) -> yield row.strip()", "~ [] -> list(parse(rows))"}},
		"method to another class": {"a.py",
			"class A:\n    def area(self):\n        return self.w * self.h\n\n    def a(self):\n        return 1\n\n\nclass B:\n    def b(self):\n        return 2\n",
			"class A:\n    def a(self):\n        return 1\n\n\nclass B:\n    def area(self):\n        return self.w * self.h\n\n    def b(self):\n        return 2\n",
			[]string{"> def area(self)"}},
		"functions in another order": {"a.go",
			"package a\n\nfunc f() int {\n\treturn one()\n}\n\nfunc g() int {\n\treturn two()\n}\n",
			"package a\n\nfunc g() int {\n\treturn two()\n}\n\nfunc f() int {\n\treturn one()\n}\n",
			[]string{"> func f() int"}},
		"parameters in another order": {"a.js",
			"function f(first, second, third) {}\n", "function f(second, first, third) {}\n",
			[]string{"> first"}},
		"equal statements stay": {"a.py",
			"def f(a):\n    check(a)\n    save(a)\n    check(a)\n",
			"def f(a):\n    check(a)\n    save(a)\n    commit(a)\n    check(a)\n",
			[]string{"+ commit(a)"}},
		"decorated": {"a.py",
			"class A:\n    def f(self):\n        return self.x\n", "class A:\n    @property\n    def f(self):\n        return self.x\n",
			[]string{"+ @property"}},
		"no longer decorated": {"a.py",
			"class A:\n    @property\n    def f(self):\n        return self.x\n", "class A:\n    def f(self):\n        return self.x\n",
			[]string{"- @property"}},
		"no longer exported": {"a.ts",
			"export function f(a) {\n  start(a.engine);\n}\n", "function f(a) {\n  start(a.engine);\n}\n",
			[]string{"- export"}},
		"overloads": {"A.java",
			"class A {\n  int f(int a) {\n    return g(a);\n  }\n}\n",
			"class A {\n  int f() {\n    return f(1);\n  }\n  int f(int a) {\n    return h(a);\n  }\n}\n",
			[]string{"+ int f()", "~ g -> h"}},
		"braces": {"a.js",
			"function f(a) {\n  if (a) start(a);\n}\n", "function f(a) {\n  if (a) {\n    start(a);\n    stop(a);\n  }\n}\n",
			[]string{"+ stop(a)"}},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := treetest.Whole(t, c.path, c.old, c.new)
			edits, _ := Diff(a.Root(), b.Root())
			if d := cmp.Diff(c.want, script(edits)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// TestMatch looks at which old node becomes which new one.
func TestMatch(t *testing.T) {
	a, b := treetest.Whole(t, "a.py",
		"def load(path):\n    rows = read(path, 'utf-8')\n    return rows\n\n\ndef old_name(items):\n    for item in items:\n        keep(item, items)\n    return len(items)\n",
		"def new_name(items):\n    for item in items:\n        keep(item, items)\n    return len(items)\n\n\ndef load(path):\n    with lock:\n        rows = read(path, 'latin-1')\n    return rows\n")
	_, m := Diff(a.Root(), b.Root())
	for _, c := range []struct{ old, new string }{
		{"def load", "def load"}, {"def old_name", "def new_name"}, {"for item", "for item"}, {"rows = read", "rows = read"}, {"return rows", "return rows"},
	} {
		find := func(t *tree.Tree, prefix string) tree.Node {
			for i := range t.Len() {
				if n := (t.At(i)); Movable(n) && strings.HasPrefix(n.Text(), prefix) {
					return n
				}
			}
			return tree.Node{}
		}
		if x := find(a, c.old); m.Partner(x) != find(b, c.new) {
			t.Errorf("%s became %q", c.old, m.Partner(x).Text())
		}
	}
}

// sourcesOf lists the whole texts of the goldens.
func sourcesOf(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range files {
		ar, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range ar.Files {
			path, part, _ := strings.Cut(p.Name, " ")
			if (part == "old" || part == "new") && len(p.Data) > 0 && syntax.TableOf(lang.FromPath(path)) != nil {
				out[part+path] = string(p.Data)
			}
		}
	}
	return out
}

// TestMatchSelf: a text differs in nothing from itself.
func TestMatchSelf(t *testing.T) {
	for path, text := range sourcesOf(t) {
		a, b := treetest.Whole(t, path, text, text)
		if edits, _ := Diff(a.Root(), b.Root()); len(edits) > 0 {
			t.Errorf("%s: %v", path, script(edits))
		}
	}
}

// functions makes a text of n different functions.
func functions(order []int) string {
	var b strings.Builder
	for _, i := range order {
		fmt.Fprintf(&b, "def f%d(a, b):\n    if a > %d:\n        return g%d(b)\n    for x in a.items%d:\n        b.put(x, %d)\n    return b\n\n\n", i, i, i%7, i, i)
	}
	return b.String()
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// TestMatchShuffled: functions in another order were moved, and nothing else
// happened; what one side lacks is added or removed by the direction.
func TestMatchShuffled(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		order := upTo(12)
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		a, b := treetest.Whole(t, "a.py", functions(upTo(12)), functions(order))
		edits, _ := Diff(a.Root(), b.Root())
		for _, e := range edits {
			if !e.Move || !Same(e.Old, e.New) {
				t.Fatalf("order %v: %v", order, script(edits))
			}
		}
		k := r.IntN(12)
		less := slices.Delete(upTo(12), k, k+1)
		a, b = treetest.Whole(t, "a.py", functions(upTo(12)), functions(less))
		gone, _ := Diff(a.Root(), b.Root())
		come, _ := Diff(b.Root(), a.Root())
		if len(gone) != 1 || len(come) != 1 || gone[0].New.Ok() || come[0].Old.Ok() || gone[0].Old != come[0].New {
			t.Fatalf("without %d: %v, the other way %v", k, script(gone), script(come))
		}
	}
}

// BenchmarkMatch shows that matching is linear in the size of the text, and how
// it compares with parsing. Every tenth function is changed, and all are moved.
func BenchmarkMatch(b *testing.B) {
	for _, n := range []int{100, 400, 1600} {
		order := upTo(n)
		rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
		before, after := functions(upTo(n)), functions(order)
		for i := 0; i < n; i += 10 {
			after = strings.Replace(after, fmt.Sprintf("if a > %d:", i), fmt.Sprintf("if a >= %d:", i), 1)
		}
		x, y := treetest.Whole(b, "a.py", before, after)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(len(before)))
			start := time.Now()
			for b.Loop() {
				Diff(x.Root(), y.Root())
			}
			matching := time.Since(start) / time.Duration(b.N)
			start = time.Now()
			for _, text := range []string{before, after} {
				p := sitter.NewParser()
				p.SetLanguage(python.GetLanguage())
				if _, err := p.ParseCtx(context.Background(), nil, []byte(text)); err != nil {
					b.Fatal(err)
				}
				p.Close()
			}
			b.ReportMetric(float64(matching)/float64(time.Since(start)), "of-parse")
		})
	}
}
