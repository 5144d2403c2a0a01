package symbolic_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"crscore/change"
	"crscore/internal/lang"
	"crscore/internal/syntax"
	"crscore/internal/system"
	"crscore/pseudoref/symbolic"
)

// differs tells whether a change has lines that do more than come or go empty.
func differs(c *change.Change) bool {
	for i := range c.Files {
		for side := range 2 {
			if len(c.Files[i].ChangedLines(change.Side(side))) > 0 {
				return true
			}
		}
	}
	return false
}

// FuzzClaims runs the whole way on any text taken for a diff in any language:
// no panic, no empty or endless claim, the same claims twice.
func FuzzClaims(f *testing.F) {
	for i, s := range []string{
		"@@ -1,2 +1,2 @@ def f(a):\n-    return a\n+    return a, b\n     x\n",
		"@@ -1 +1 @@\n-foo(a, b);\n+if (x) { foo(a); }\n",
		"@@ -0,0 +1,3 @@\n+class A extends B {\n+  f(x = 1) { return x && y || z }\n+}\n",
		"@@ -1,3 +1,3 @@\n-try { a() } catch (E e) {}\n+a().b().c(d)\n # x\n",
		"@@ -1 +1 @@\n-key: value\n+key: \"other\"\n",
		"@@ -1 +1 @@\n-void should_wait_as_long_as_the_policy_says_then_go_on() {}\n+void should_wait_as_long_as_the_policy_says_than_go_on() {}\n",
		"@@ -1 +1 @@\n-import {a, b} from 'x'\n+import b from 'y'\n",
	} {
		f.Add(uint8(i), s)
	}
	names := append([]lang.Name{lang.Unknown}, lang.Names()...)
	for i := range names { // a name in backticks ends in no letter
		f.Add(uint8(i), "@@ -0,0 +1,3 @@\n+fun f() {\n+  try { g() } catch (`E`: `E`) { h() }\n+}\n")
	}
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, a := range archives {
		ar, err := txtar.ParseFile(a)
		if err != nil {
			f.Fatal(err)
		}
		for _, c := range read(f, ar) {
			f.Add(uint8(slices.Index(names, lang.FromPath(c.Path))), c.Diff)
		}
	}
	f.Fuzz(func(t *testing.T, l uint8, text string) {
		c, err := change.Parse([]byte(text), change.Options{Lang: names[int(l)%len(names)]})
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		var before string
		for range 2 {
			trees, err := syntax.Parse(ctx, c)
			if err != nil {
				return
			}
			said, err := symbolic.Claims(ctx, trees, symbolic.Options{})
			refs := said.Refs
			if err != nil {
				t.Fatal(err)
			}
			if len(refs) == 0 && differs(c) {
				t.Fatal("a change without a claim")
			}
			if len(refs) > symbolic.DefaultMax {
				t.Fatalf("%d claims", len(refs))
			}
			for _, r := range refs {
				if r.Text == "" || len(r.Text) > 2000 || strings.ContainsAny(r.Text, "\n\x00\x01\x1b") {
					t.Fatalf("bad claim %q", r.Text)
				}
			}
			now := render(refs)
			if before != "" && before != now {
				t.Fatalf("not the same twice:\n%s\n%s", before, now)
			}
			before = now
		}
	})
}

// TestHostile bounds the processor time of large and deep changes; with CRSCORE_LONG
// set they are four times as large.
func TestHostile(t *testing.T) {
	size := 1
	if os.Getenv("CRSCORE_LONG") != "" {
		size = 4
	}
	many := func(n int, line string) string {
		return fmt.Sprintf("@@ -1,%d +1,%d @@\n", n, n) + strings.Repeat("-"+line+"\n", n) + strings.Repeat("+"+line+" x\n", n)
	}
	one := func(a, b string) string { return "@@ -1 +1 @@\n-" + a + "\n+" + b + "\n" }
	var different strings.Builder
	for i := range 1250 * size {
		fmt.Fprintf(&different, "+name%d = call%d(%d)\n", i, i, i)
	}
	for name, diff := range map[string]string{
		"long line":      one("x = "+strings.Repeat("a+", 100_000*size)+"a", "x = "+strings.Repeat("a+", 100_000*size)+"b"),
		"deep brackets":  one(strings.Repeat("(", 12_500*size), strings.Repeat("[", 12_500*size)),
		"deep nesting":   one("f"+strings.Repeat("(a", 2500*size)+strings.Repeat(")", 2500*size), "f"+strings.Repeat("(b", 2500*size)+strings.Repeat(")", 2500*size)),
		"many lines":     many(5000*size, "call(a, b);"),
		"many additions": fmt.Sprintf("@@ -0,0 +1,%d @@\n", 1250*size) + different.String(),
		"long chain":     one("a"+strings.Repeat(".b()", 5000*size), "a"+strings.Repeat(".c()", 5000*size)),
		"long and":       one("if (a"+strings.Repeat(" && b", 5000*size)+") {}", "if (a"+strings.Repeat(" && c", 5000*size)+") {}"),
		"many words":     one("x = \""+strings.Repeat("word ", 12_500*size)+"\"", "x = \""+strings.Repeat("other ", 12_500*size)+"\""),
	} {
		for _, l := range []lang.Name{lang.JavaScript, lang.Python, lang.Java, lang.YAML, lang.JSON, lang.TOML, lang.Markdown, lang.Dockerfile, lang.HTML, lang.CSS, lang.SQL} {
			t.Run(name+"/"+string(l), func(t *testing.T) {
				start := cpuTime(t)
				refs := claims(t, diff, change.Options{Lang: l})
				if d := cpuTime(t) - start; d > 5*time.Second { // linear cost is about 1 s, quadratic well above
					t.Errorf("took %v", d)
				}
				if len(refs) == 0 && (l != lang.HTML && l != lang.Markdown || name != "deep brackets") || len(refs) > symbolic.DefaultMax {
					t.Errorf("%d claims", len(refs))
				}
			})
		}
	}
}

// cpuTime is what the process has worked so far, however busy the machine is.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	used, err := system.CPUTime()
	if err != nil {
		t.Fatal(err)
	}
	return used
}

// TestDollar looks up a name that is nothing but the sign of variables.
func TestDollar(t *testing.T) {
	before := "function big() {\n" + strings.Repeat("  call(a, b);\n", 40) + "}\n" + strings.Repeat("\n", 9) + "a();\n"
	after := before + "const $ = jQuery.noConflict();\n"
	diff := "@@ -52 +52,2 @@\n a();\n+const $ = jQuery.noConflict();\n"
	refs := claims(t, diff, change.Options{Path: "a.js", Old: &before, New: &after})
	if got := render(refs); !strings.Contains(got, "`$` is not used") {
		t.Errorf("claims:\n%s", got)
	}
}

func TestCancelled(t *testing.T) {
	parsed := trees(t, "@@ -1 +1 @@\n-a\n+b\n", change.Options{Lang: lang.Python})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := symbolic.Claims(ctx, parsed, symbolic.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}

func TestMax(t *testing.T) {
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "+def f%d(a):\n+    return g%d(a)\n", i, i)
	}
	diff := "@@ -0,0 +1,200 @@\n" + b.String()
	parsed := trees(t, diff, change.Options{Lang: lang.Python})
	for limit, want := range map[int]int{0: symbolic.DefaultLimit(200), 5: 5} {
		said, err := symbolic.Claims(context.Background(), parsed, symbolic.Options{Max: limit})
		if err != nil {
			t.Fatal(err)
		}
		if len(said.Refs) != want {
			t.Errorf("Max %d: %d claims, want %d", limit, len(said.Refs), want)
		}
	}
	all, err := symbolic.Claims(context.Background(), parsed, symbolic.Options{Max: -1})
	if err != nil || len(all.Refs) <= symbolic.DefaultMax {
		t.Errorf("no limit: %d claims, error %v", len(all.Refs), err)
	}
}

// TestMaxIsFair has a change of more claims than are kept in every file: none is
// left out because of its place in the diff.
func TestMaxIsFair(t *testing.T) {
	var b strings.Builder
	for _, path := range []string{"a.py", "b.py", "c.py"} {
		fmt.Fprintf(&b, "--- /dev/null\n+++ b/%s\n@@ -0,0 +1,80 @@\n", path)
		for i := range 40 {
			fmt.Fprintf(&b, "+def f%d(a):\n+    return g%d(a)\n", i, i)
		}
	}
	of := map[string]int{}
	for _, r := range limited(t, b.String(), change.Options{}, 0) {
		of[r.Path]++
	}
	if least, most := min(of["a.py"], of["b.py"], of["c.py"]), max(of["a.py"], of["b.py"], of["c.py"]); least < 10 || most > least+1 {
		t.Errorf("claims by file: %v", of)
	}
}

func BenchmarkClaims(b *testing.B) {
	diff := "@@ -1,3 +1,6 @@ def push(package):\n     session = _get_session()\n-    if package is not None:\n+    if package is not None and hash:\n+        try:\n+            session.check(hash)\n+        except Exception:\n" +
		"+            return None\n-        session.put(package)\n     return session\n"
	diff = strings.Replace(diff, "-1,3 +1,6", "-1,4 +1,7", 1)
	for b.Loop() {
		claims(b, diff, change.Options{Lang: lang.Python})
	}
}
