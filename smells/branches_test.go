package smells

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/internal/lang"
)

// TestBranches counts in each language once what is a branch.
func TestBranches(t *testing.T) {
	for _, c := range []struct {
		lang lang.Name
		code string
		want int
	}{
		{lang.Python, "def f():\n  if a: b\n  elif c: d\n  else: e\n", 3},
		{lang.Python, "def f():\n  if a: b\n  else:\n    if c: d\n    else: e\n", 3},
		{lang.Python, "def f():\n  if a: b\n  else:\n    if c: d\n    e\n", 3},
		{lang.Python, "def f():\n  for a in b: c\n  else: d\n  while e: f\n  x = [y for y in z if y] if a else b\n", 3},
		{lang.Python, "def f():\n  try: a\n  except B: c\n  except D: e\n  else: f\n  finally: g\n", 5},
		{lang.Python, "def f():\n  match a:\n    case 1: b\n    case _: c\n  assert a and b\n  with a: b\n", 2},
		{lang.Java, "class A { void f() { if (a) b(); else if (c) d(); else e(); for (;;) { } do { } while (x); try (q) { } catch (E e) { } finally { } } }", 8},
		{lang.Java, "class A { int f() { switch (a) { case 1: case 2: b(); break; default: c(); } return switch (y) { case 1, 2 -> 3; default -> { yield 4; } }; } }", 3},
		{lang.JavaScript, "function f() { if (a) b(); else if (c) d(); else { e() } for (x of y) { } try { } catch { } switch (a) { case 1: case 2: b(); default: c() } }", 7},
		{lang.JavaScript, "function f() { x(() => { if (a) b() }); return a ? b : c }", 0},
		{lang.TypeScript, "function f(): void { if (a) b(); else { c() } while (d) { } }", 3},
		{lang.Go, "package p\nfunc f() { if a { } else if b { } else { }; for range x { }; switch x { case 1, 2: a(); default: b() }; select { case <-c: d(); default: } }", 7},
		{lang.C, "void f() { if (a) b(); else if (c) d(); else e(); switch (x) { case 1: case 2: a(); break; default: b(); } do { } while (y); }", 6},
		{lang.Cpp, "void f() { try { a(); } catch (...) { } for (auto x : y) { } if (a) b(); else e(); }", 4},
		{lang.CSharp, "class A { void F() { if (a) b(); else if (c) d(); else e(); switch (x) { case 1: case 2: a(); break; default: b(); break; } foreach (var q in r) { } return x switch { 1 => 2, _ => 3 }; } }", 6},
		{lang.PHP, "<?php function f() { if ($a) { } elseif ($b) { } else if ($c) { } else { } switch ($x) { case 1: case 2: a(); break; default: b(); } foreach ($a as $b) { } return match($x) { 1 => 2, default => 3 }; }", 7},
		{lang.Ruby, "def f\n  if a then b elsif c then d else e end\n  case x\n  when 1 then 2\n  else 3\n  end\n  b if a\n  begin\n    a\n  rescue B\n    c\n  ensure\n    e\n  end\nend", 9},
		{lang.Rust, "fn f() { if a { } else if b { } else { } match x { 1 => { a(); } 2 => 4, _ => 3 } loop { } while y { } }", 6},
	} {
		trees := parseNew(t, c.lang, c.code)
		blocks, err := measure(context.Background(), trees.Files[0].New[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		got := -1
		for i := range blocks {
			if blocks[i].function() && got < 0 {
				got = blocks[i].branches
			}
		}
		if got != c.want {
			t.Errorf("%s: got %d branches, want %d in\n%s", c.lang, got, c.want, c.code)
		}
	}
}

// TestBranchesEqualPylint compares every function of the Python files of dev.jsonl
// that pylint can parse, both sides.
func TestBranchesEqualPylint(t *testing.T) {
	dir := os.Getenv("CRSCORE_DATA")
	if dir == "" {
		t.Skip("NOT COMPARED WITH PYLINT: CRSCORE_DATA does not name the folder of dev.jsonl")
	}
	if _, err := exec.LookPath("pylint"); err != nil {
		t.Fatal("CRSCORE_DATA is set, but pylint is not installed: ", err)
	}
	tmp := t.TempDir()
	sources := map[string]string{}
	var names []string
	for _, row := range devRows(t, dir) {
		for side, text := range map[string]string{"old": row.Old, "new": row.New} {
			if row.Lang != "py" {
				continue
			}
			name := fmt.Sprintf("m%s_%s.py", row.ID, side)
			text = strings.ReplaceAll(text, "pylint:", "") // comments that switch it off
			sources[name], names = text, append(names, name)
			if err := os.WriteFile(filepath.Join(tmp, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	cmd := exec.Command("pylint", append([]string{"--rcfile=/dev/null", "--disable=all", "--enable=too-many-branches,syntax-error", "--max-branches=0", "-f", "json"}, names...)...)
	cmd.Dir = tmp
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	var found []struct {
		Path, Symbol, Message string
		Line                  int
	}
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatalf("pylint's output: %v in %.200s", err, out)
	}
	number := regexp.MustCompile(`\((\d+)/0\)`)
	want, broken := map[string]int{}, map[string]bool{}
	for _, m := range found {
		if m.Symbol == "syntax-error" {
			broken[m.Path] = true
			continue
		}
		n := number.FindStringSubmatch(m.Message)
		if n == nil {
			t.Fatalf("pylint says %q", m.Message)
		}
		want[fmt.Sprintf("%s:%d", m.Path, m.Line)], _ = strconv.Atoi(n[1])
	}
	got := map[string]int{}
	for name, text := range sources {
		if broken[name] {
			continue
		}
		trees := parseNew(t, lang.Python, text)
		blocks, err := measure(context.Background(), trees.Files[0].New[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range blocks {
			if blocks[i].function() && blocks[i].branches > 0 {
				got[fmt.Sprintf("%s:%d", name, blocks[i].StartLine)] = blocks[i].branches
			}
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("branches (-pylint +ours):\n%s", d)
	}
	t.Logf("%d functions with branches in %d files; pylint cannot parse %d others", len(want), len(sources)-len(broken), len(broken))
	if len(want) < 100 {
		t.Error("too few functions were compared")
	}
}
