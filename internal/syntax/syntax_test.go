package syntax

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crscore/change"
	"crscore/internal/lang"
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
func topLevel(t *testing.T, f *Fragment, kind string) (first, last int, heading, ok bool) {
	t.Helper()
	nodes, err := f.Nodes(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	n := nodes.Root()
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
	defer trees.Close()
	f := trees.Files[0]
	if len(f.Old) != 1 || len(f.New) != 1 || !f.New[0].Whole {
		t.Fatalf("%d old and %d new fragments", len(f.Old), len(f.New))
	}
	if first, last, heading, ok := topLevel(t, f.New[0], "function_definition"); !ok || first != 4 || last != 5 || heading {
		t.Errorf("first function in lines %d to %d, heading %v, found %v", first, last, heading, ok)
	}

	bare, err := Parse(ctx, parseDiff(t, hunk, change.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	defer bare.Close()
	fr := bare.Files[0].New[0]
	if fr.Whole || fr.Hunk != 0 {
		t.Errorf("fragment %+v", fr)
	}
	// The function begins in the heading, whose line is not known; its body
	// ends in line 11.
	if first, last, heading, ok := topLevel(t, fr, "function_definition"); !ok || first != 9 || last != 11 || !heading {
		t.Errorf("function in lines %d to %d, heading %v, found %v", first, last, heading, ok)
	}
}

func TestNotParsed(t *testing.T) {
	ctx := context.Background()
	big := "--- a/x.js\n+++ b/x.js\n@@ -1 +1 @@\n-a\n+" + strings.Repeat("b", MaxFileBytes) + "\n"
	trees, err := Parse(ctx, parseDiff(t, big, change.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	defer trees.Close()
	want := "x.js: too large to be parsed: 1 pieces were left out (limits: 1 MiB a piece, 4 MiB or 4000 pieces a change)"
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
	big := oldText + strings.Repeat("# filler\n", MaxFileBytes/9+1)
	trees, err := Parse(context.Background(), parseDiff(t, hunk, change.Options{Old: &big}))
	if err != nil {
		t.Fatal(err)
	}
	defer trees.Close()
	if f := trees.Files[0]; len(f.New) != 1 || f.New[0].Whole || f.Old[0].Whole || len(trees.Warnings) != 0 {
		t.Errorf("%d fragments, warnings %q", len(f.New), trees.Warnings)
	}

	var many strings.Builder
	many.WriteString("--- a/x.py\n+++ b/x.py\n")
	for i := range MaxFragments {
		fmt.Fprintf(&many, "@@ -%d +%d @@\n-a = %d\n+a = %d\n", 10*i+1, 10*i+1, i, i+1)
	}
	hunks, err := Parse(context.Background(), parseDiff(t, many.String(), change.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	defer hunks.Close()
	if f := hunks.Files[0]; len(f.Old)+len(f.New) != MaxFragments || len(hunks.Warnings) != 1 {
		t.Errorf("%d fragments, warnings %q", len(f.Old)+len(f.New), hunks.Warnings)
	}
}

// TestTimeLimit parses what takes Java's grammar many seconds.
func TestTimeLimit(t *testing.T) {
	f := &Fragment{Lang: lang.Java, Table: TableOf(lang.Java), Source: []byte(strings.Repeat("a=>", 30_000))}
	err := f.parse(context.Background(), time.Now().Add(100*time.Millisecond))
	if err == nil || !strings.Contains(err.Error(), "took longer to parse than the limit") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := f.parse(ctx, time.Now().Add(time.Minute)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestClosed checks that no tree is left of a change that is closed, of the frames that
// are tried for a hunk, and of what is cancelled after one tree or some, by the memory
// that is not Go's: a tree takes sixty times its text. The garbage collector, which
// would close what is forgotten some day, is off.
func TestClosed(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector's own memory would be measured")
	}
	foreign := func() int {
		var total, resident int
		statm, err := os.ReadFile("/proc/self/statm")
		if err != nil {
			t.Skip("only Linux tells")
		}
		if _, err := fmt.Sscan(string(statm), &total, &resident); err != nil {
			t.Fatal(err)
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return (resident*os.Getpagesize() - int(m.Sys-m.HeapReleased)) >> 20
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	code := strings.Repeat("function f(a, b) { if (a) { return g(a, b) } }\n", 300)
	long := code + code + code + code
	whole := change.Options{Path: "f.js", Texts: func(_ *change.File, side change.Side) (string, bool) {
		return []string{long, "x()\n" + long}[side], true
	}}
	for name, c := range map[string]*change.Change{
		"a file": parseDiff(t, "@@ -1,1 +1,2 @@\n+x()\n function f(a, b) { if (a) { return g(a, b) } }\n", whole),
		"a hunk": parseDiff(t, "@@ -10,300 +10,301 @@ function f(\n+  x) {\n "+strings.ReplaceAll(strings.TrimSpace(code), "\n", "\n ")+"\n", change.Options{Path: "f.js"}),
	} {
		cancelled := 0
		round := func(n int) {
			for i := range n {
				ctx := &failing{Context: context.Background(), done: make(chan struct{})}
				ctx.left.Store(int32(i % 12))
				trees, err := Parse(ctx, c)
				if err == nil {
					trees.Close()
				} else if cancelled++; ctx.Err() == nil {
					t.Fatal(err)
				}
			}
		}
		round(24)
		before := foreign()
		round(60)
		if after := foreign(); after > before+15 {
			t.Errorf("%s: there were %d MiB, and %d after more changes", name, before, after)
		}
		if cancelled < 12 {
			t.Errorf("%s: only %d were cancelled", name, cancelled)
		}
	}
}

// failing is a context that is done when it was asked some times; from 0 on never.
type failing struct {
	context.Context
	done chan struct{}
	left atomic.Int32
}

func (f *failing) Done() <-chan struct{} {
	if f.left.Add(-1) == 0 {
		close(f.done)
	}
	return f.done
}

func (f *failing) Err() error {
	select {
	case <-f.done:
		return context.Canceled
	default:
		return nil
	}
}
