package smells

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/change"
	"crscore/internal/lang"
	"crscore/internal/syntax"
)

type radonPlace struct{ line, column int }

func collect(b *RadonBlock, into map[radonPlace]RadonBlock) {
	into[radonPlace{b.Line, b.Column}] = *b
	for i := range b.Closures {
		collect(&b.Closures[i], into)
	}
	for i := range b.Methods {
		collect(&b.Methods[i], into)
	}
}

// compareWithRadon checks that radon's blocks and ours are the same ones with
// the same numbers. It returns how many there were.
func compareWithRadon(t *testing.T, name, source string, raw json.RawMessage) int {
	t.Helper()
	var list []RadonBlock
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatalf("%s: radon's output: %v", name, err)
	}
	want := map[radonPlace]RadonBlock{}
	for i := range list {
		collect(&list[i], want)
	}
	blocks := complexityOf(t, lang.Python, source)
	seen := map[radonPlace]bool{}
	for i := range blocks {
		b := &blocks[i]
		p := radonPlace{b.StartLine, b.Column}
		w, ok := want[p]
		if !ok {
			if !hiddenFromRadon(blocks, i) {
				t.Errorf("%s:%d: %s %s is not in radon's output", name, b.StartLine, b.Kind, b.Name)
			}
			continue
		}
		seen[p] = true
		// With --show-closures radon repeats closures with dotted names.
		if w.Type != b.Kind || lastPart(w.Name) != b.Name || w.Complexity != b.Complexity || w.Rank != b.Rank() {
			t.Errorf("%s:%d: got %s %s %d %s, radon says %s %s %d %s", name, b.StartLine,
				b.Kind, b.Name, b.Complexity, b.Rank(), w.Type, w.Name, w.Complexity, w.Rank)
		}
	}
	for p, w := range want {
		if !seen[p] {
			t.Errorf("%s:%d: radon's %s %s is missing", name, p.line, w.Type, w.Name)
		}
	}
	return len(want)
}

func lastPart(s string) string { return s[strings.LastIndexByte(s, '.')+1:] }

// hiddenFromRadon reports whether a block stands in a class inside a function,
// of which radon forgets.
func hiddenFromRadon(blocks []Block, i int) bool {
	for ; i >= 0; i = blocks[i].Parent {
		if p := blocks[i].Parent; p >= 0 && blocks[i].Kind == Class && blocks[p].Kind != Class {
			return true
		}
	}
	return false
}

func runRadon(t *testing.T, dir string) map[string]json.RawMessage {
	t.Helper()
	cmd := exec.Command("radon", "cc", "-j", "--show-closures", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "RADONFILESENCODING=UTF-8")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("running radon: %v", err)
	}
	got := map[string]json.RawMessage{}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("radon's output: %v", err)
	}
	return got
}

// notForRadon are the files of Python 2: exceptions without parentheses (3549, 6525,
// 9882), raw texts of Unicode (973), and backslashes in others (8795).
var notForRadon = []string{
	"3549_new.py", "3549_old.py", "6525_new.py", "6525_old.py", "8795_new.py", "8795_old.py", "973_new.py", "973_old.py",
	"9882_new.py", "9882_old.py",
}

// TestComplexityEqualsRadon compares every function, method and class of the
// Python files of dev.jsonl that radon can parse, both sides. None differs.
func TestComplexityEqualsRadon(t *testing.T) {
	dir, sources := labelledFiles(t, "py")
	if _, err := exec.LookPath("radon"); err != nil {
		t.Fatal("CRSCORE_DATA is set, but radon is not installed: ", err)
	}
	blocks := 0
	var unread []string
	results := runRadon(t, dir)
	for name, source := range sources {
		raw := results[name]
		if raw == nil {
			raw = []byte("[]") // radon leaves out files without blocks
		}
		if bytes.HasPrefix(raw, []byte("{")) {
			unread = append(unread, name)
			t.Logf("%s: %s", name, raw)
			continue
		}
		blocks += compareWithRadon(t, name, source, raw)
	}
	if slices.Sort(unread); !slices.Equal(unread, notForRadon) {
		t.Errorf("radon cannot parse %q, want %q", unread, notForRadon)
	}
	t.Logf("%d blocks of %d files compared", blocks, len(sources)-len(unread))
	if blocks < 2000 {
		t.Errorf("only %d blocks were compared", blocks)
	}
}

// TestComplexityGolden does the same with recorded output, so that it needs no
// radon. Record anew with: radon cc -j --show-closures . (in testdata/radon).
func TestComplexityGolden(t *testing.T) {
	raw, err := os.ReadFile("testdata/radon/radon.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden map[string]json.RawMessage
	if err := json.Unmarshal(raw, &golden); err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob("testdata/radon/*.py")
	if err != nil || len(paths) == 0 || len(paths) != len(golden) {
		t.Fatalf("%d programs, %d recorded: %v", len(paths), len(golden), err)
	}
	for _, p := range paths {
		src, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(p)
		if golden[name] == nil {
			t.Errorf("%s was not recorded", name)
			continue
		}
		compareWithRadon(t, name, string(src), golden[name])
	}
}

type devRow struct {
	ID, Lang, Path, Diff, Old, New string
}

func devRows(t testing.TB, dir string) []devRow {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "dev.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []devRow
	dec := json.NewDecoder(bufio.NewReader(f))
	for dec.More() {
		var r devRow
		if err := dec.Decode(&r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

// complexityOf measures a whole program.
func complexityOf(t *testing.T, l lang.Name, source string) []Block {
	t.Helper()
	trees := parseNew(t, l, source)
	var out []Block
	for _, f := range trees.Files[0].New {
		b, err := Complexity(context.Background(), f)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b...)
	}
	return out
}

// parseNew parses a program as a file that the change adds.
func parseNew(t testing.TB, l lang.Name, source string) *syntax.Trees {
	t.Helper()
	c, err := change.Parse([]byte(additionOf(source)), change.Options{Lang: l})
	if err != nil {
		t.Fatal(err)
	}
	trees, err := syntax.Parse(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return trees
}

// additionOf is the diff that adds a file.
func additionOf(source string) string {
	source = strings.ReplaceAll(source, "\r\n", "\n")
	if !strings.HasSuffix(source, "\n") {
		source += "\n"
	}
	lines := strings.Split(strings.TrimSuffix(source, "\n"), "\n")
	return fmt.Sprintf("--- /dev/null\n+++ b/file\n@@ -0,0 +1,%d @@\n+%s\n", len(lines), strings.Join(lines, "\n+"))
}

// TestRadonShape holds the shape of Radon against what radon itself prints.
func TestRadonShape(t *testing.T) {
	if _, err := exec.LookPath("radon"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("radon is not installed: run make deps")
		}
		t.Skip("NOT COMPARED WITH RADON: it is not installed")
	}
	const source = "class A:\n    def f(self, x):\n        if x and x > 1:\n            pass\n        def g():\n            return 1\n\n    def h(self):\n        pass\n\n\ndef k(a):\n    return a and 1\n"
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.py"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("radon", "cc", "-j", "a.py")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var want map[string][]map[string]any
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	blocks, broken, err := FileComplexity(context.Background(), "a.py", source, "")
	if err != nil || broken != 0 {
		t.Fatal(broken, err)
	}
	b, err := json.Marshal(Radon(blocks))
	if err != nil {
		t.Fatal(err)
	}
	var got []map[string]any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	// Where a function ends, radon 5.1 forgets what follows a nested one.
	strip := func(list []map[string]any) {
		var walk func(any)
		walk = func(v any) {
			switch v := v.(type) {
			case map[string]any:
				delete(v, "endline")
				for _, x := range v {
					walk(x)
				}
			case []any:
				for _, x := range v {
					walk(x)
				}
			}
		}
		for _, m := range list {
			walk(m)
		}
	}
	strip(got)
	strip(want["a.py"])
	if d := cmp.Diff(want["a.py"], got); d != "" {
		t.Error(d)
	}
}
