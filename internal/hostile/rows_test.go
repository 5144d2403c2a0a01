package hostile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestOps: a diff with all its context holds both texts.
func TestOps(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 300 {
		x := file{old: Languages[i%16].Sample(), new: Languages[i%15].Sample()}
		x.new = Mutate(r, x.old, x.new)
		if i%50 == 0 {
			x.old, x.new = strings.Repeat("a\n", 1100), strings.Repeat("b\na\n", 1000) // beyond the table
		}
		var before, after strings.Builder
		for _, o := range ops(lines(x.old), lines(x.new)) {
			if o.sign != '+' {
				before.WriteString(o.line)
			}
			if o.sign != '-' {
				after.WriteString(o.line)
			}
		}
		if before.String() != x.old || after.String() != x.new {
			t.Fatalf("%q -> %q is %q -> %q", x.old, x.new, before.String(), after.String())
		}
	}
}

func TestHunks(t *testing.T) {
	x := file{old: "def f():\n  a\n  b\n  c\n  d\n  e\n  f", new: "def f():\n  a\n  B\n  c\n  d\n  e\n  f\n"}
	for want, f := range map[string]diffForm{
		"@@ -3,1 +3,1 @@\n-  b\n+  B\n@@ -7,1 +7,1 @@\n-  f\n\\ No newline at end of file\n+  f\n":                   {oneHunkOnly: -1},
		"@@ -2,3 +2,3 @@ def f():\n   a\n-  b\n+  B\n   c\n":                                                         {oneHunkOnly: 0, context: 1, heading: true},
		"@@ -1,7 +1,7 @@\n def f():\n   a\n-  b\n+  B\n   c\n   d\n   e\n-  f\n\\ No newline at end of file\n+  f\n": {oneHunkOnly: -1, context: 3},
	} {
		if got := f.hunks(x); got != want {
			t.Errorf("%+v: %s, want %s", f, got, want)
		}
	}
	if got, want := (diffForm{context: 3, oneHunkOnly: -1}).hunks(file{new: "a\n"}), "@@ -0,0 +1,1 @@\n+a\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestSame: the same seed makes the same rows, another one others, and none is without a
// change.
func TestSame(t *testing.T) {
	c := Collect("testdata") // which is not there
	same := 0
	for i := range uint64(500) {
		row := c.Row(1, i)
		if !bytes.Equal(row.JSON(), c.Row(1, i).JSON()) {
			t.Fatalf("row %d is another one", i)
		}
		if row.Diff == c.Row(2, i).Diff {
			same++
		}
		if !strings.Contains(row.Diff, "\n+") && !strings.Contains(row.Diff, "\n-") || !utf8.ValidString(row.Diff) {
			t.Errorf("row %d has no change, or broken text: %q", i, row.Diff)
		}
	}
	if same > 5 {
		t.Errorf("%d of 500 rows are the same for another seed", same)
	}
}

// TestKnownCounts: a hunk that is written by hand has the lines that it says.
func TestKnownCounts(t *testing.T) {
	hunk := Known()[0].Diff
	minus, plus := strings.Count(hunk, "\n-"), strings.Count(hunk, "\n+")
	all := strings.Count(hunk, "\n") - 1
	if want := fmt.Sprintf("@@ -1,%d +1,%d @@\n", all-plus, all-minus); !strings.HasPrefix(hunk, want) {
		t.Errorf("%s, want %s", hunk, want)
	}
}

// TestTextRows: hostile reviews have their size, names of their own, and are the same for a seed.
func TestTextRows(t *testing.T) {
	names := map[string]bool{}
	for _, s := range Texts() {
		if names[s.Name] {
			t.Errorf("two shapes %q", s.Name)
		}
		names[s.Name] = true
		if n := len(s.Text(5000, 1)); n < 4000 || n > 10000 {
			t.Errorf("%s: %d bytes", s.Name, n)
		}
	}
	if a, b, c := TextRow(1, 2).JSON(), TextRow(1, 2).JSON(), TextRow(2, 2).JSON(); !bytes.Equal(a, b) || bytes.Equal(a, c) {
		t.Error("a row is another one for the same seed, or the same for another")
	}
}

// TestSizes: shapes are as large as they are asked to be, and their names are their own.
func TestSizes(t *testing.T) {
	names := map[string]bool{}
	for _, s := range Shapes() {
		if names[s.Name] {
			t.Errorf("two shapes %q", s.Name)
		}
		names[s.Name] = true
		for i := range Languages {
			if n := len(s.Text(&Languages[i], 5000, 1)); n < 4000 || n > 10000 {
				t.Errorf("%s in %s: %d bytes", s.Name, Languages[i].Lang, n)
			}
		}
		for _, form := range Forms {
			if row := s.Row(&Languages[0], form, 3000, 1); !strings.Contains(row.Diff, "\n+") && !strings.Contains(row.Diff, "\n-") {
				t.Errorf("%s has no change", row.ID)
			}
		}
	}
}
