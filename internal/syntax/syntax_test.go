package syntax

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/change"
	"crscore/internal/limits"
)

const oldText = "import os\n\n\ndef first():\n    return 1\n\n\ndef second(x):\n    y = x\n    return y\n"

const hunk = "--- a/x.py\n+++ b/x.py\n@@ -9,2 +9,3 @@ def second(x):\n     y = x\n+    y += 1\n     return y\n"

func parseDiff(t testing.TB, diff string, opts change.Options) *change.Change {
	t.Helper()
	c, err := change.Parse([]byte(diff), opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// topLevel returns the place of the first top-level node of a kind.
func topLevel(f *Fragment, kind string) (first, last int, heading, ok bool) {
	n := f.Root()
	for i := range int(n.ChildCount()) {
		if c := n.Child(i); c.Type() == kind {
			first, last = f.Lines(c)
			return first, last, f.InHeading(c), true
		}
	}
	return 0, 0, false, false
}

func TestWholeAndHunks(t *testing.T) {
	ctx := context.Background()
	whole := parseDiff(t, hunk, change.Options{Texts: func(_ *change.File, s change.Side) (string, bool) { return oldText, s == change.Old }})
	trees, err := Parse(ctx, whole)
	if err != nil {
		t.Fatal(err)
	}
	f := trees.Files[0]
	if len(f.Old) != 1 || len(f.New) != 1 || !f.New[0].Whole {
		t.Fatalf("%d old and %d new fragments", len(f.Old), len(f.New))
	}
	if first, last, heading, ok := topLevel(f.New[0], "function_definition"); !ok || first != 4 || last != 5 || heading {
		t.Errorf("first function in lines %d to %d, heading %v, found %v", first, last, heading, ok)
	}

	bare, err := Parse(ctx, parseDiff(t, hunk, change.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	fr := bare.Files[0].New[0]
	if fr.Whole || fr.Hunk != 0 {
		t.Errorf("fragment %+v", fr)
	}
	// The function begins in the heading, whose line is not known; its body
	// ends in line 11.
	if first, last, heading, ok := topLevel(fr, "function_definition"); !ok || first != 9 || last != 11 || !heading {
		t.Errorf("function in lines %d to %d, heading %v, found %v", first, last, heading, ok)
	}
}

func TestNotParsed(t *testing.T) {
	ctx := context.Background()
	big := "--- a/x.js\n+++ b/x.js\n@@ -1 +1 @@\n-a\n+" + strings.Repeat("b", limits.FileParsed) + "\n"
	trees, err := Parse(ctx, parseDiff(t, big, change.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	want := "x.js: too large to be parsed: 1 pieces were left out; their lines are described one by one (limits: 1 MiB a piece, 4 MiB or 4000 pieces a change)"
	if d := cmp.Diff([]string{want}, trees.Warnings); d != "" {
		t.Error(d)
	}
	if f := trees.Files[0]; len(f.Old) != 0 || len(f.New) != 0 { // neither side, not the old one alone
		t.Errorf("%d old and %d new fragments", len(f.Old), len(f.New))
	}
	none, err := Parse(ctx, parseDiff(t, "--- a/x.unknown\n+++ b/x.unknown\n@@ -1 +1 @@\n-a\n+b\n", change.Options{}))
	if err != nil || len(none.Files) != 1 || len(none.Files[0].New) != 0 {
		t.Errorf("a language without a grammar: %v, %v", none, err)
	}
}

// TestLimits takes a change beyond what is parsed: a large file by its hunks,
// and of very many hunks the first ones.
func TestLimits(t *testing.T) {
	big := oldText + strings.Repeat("# filler\n", limits.FileParsed/9+1)
	trees, err := Parse(context.Background(), parseDiff(t, hunk, change.Options{Old: &big}))
	if err != nil {
		t.Fatal(err)
	}
	if f := trees.Files[0]; len(f.New) != 1 || f.New[0].Whole || f.Old[0].Whole || len(trees.Warnings) != 0 {
		t.Errorf("%d fragments, warnings %q", len(f.New), trees.Warnings)
	}

	var many strings.Builder
	many.WriteString("--- a/x.py\n+++ b/x.py\n")
	for i := range limits.ChangeFragments {
		fmt.Fprintf(&many, "@@ -%d +%d @@\n-a = %d\n+a = %d\n", 10*i+1, 10*i+1, i, i+1)
	}
	hunks, err := Parse(context.Background(), parseDiff(t, many.String(), change.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if f := hunks.Files[0]; len(f.Old)+len(f.New) != limits.ChangeFragments || len(hunks.Warnings) != 1 {
		t.Errorf("%d fragments, warnings %q", len(f.Old)+len(f.New), hunks.Warnings)
	}

	for i := range 30 {
		fmt.Fprintf(&many, "--- a/y%d.py\n+++ b/y%d.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n", i, i)
	}
	files, err := Parse(context.Background(), parseDiff(t, many.String(), change.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(files.Warnings); n != limits.WarnedParses+1 || !strings.Contains(files.Warnings[n-1], "11 more files") {
		t.Errorf("%d warnings, the last %q", n, files.Warnings[n-1])
	}
}
