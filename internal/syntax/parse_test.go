package syntax

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"crscore/change"
	"crscore/internal/lang"
	"crscore/internal/limits"
)

func parseText(ctx context.Context, l lang.Name, text string, most int, limit time.Duration) (work int, err error) {
	left := effort{most, limit}
	_, err = nodesOf(ctx, TableOf(l), [][]byte{[]byte(text)}, &left)
	return most - left.work, err
}

// TestNodesOf parses texts that take a grammar minutes and gigabytes.
func TestNodesOf(t *testing.T) {
	ctx, later := context.Background(), time.Hour
	for _, tt := range []struct {
		name string
		lang lang.Name
		text string
		want error
	}{
		{"lists of types", lang.Java, strings.Repeat("a<", 50_000), errCostly},
		{"arrows", lang.Java, strings.Repeat("a=>", 30_000), errCostly},
		{"a scanner that looks far ahead", lang.Swift, strings.Repeat("#", 250_000), errCostly},
		{"blocks", lang.Cpp, "void f() " + strings.Repeat("{", limits.TreeDepth) + strings.Repeat("}", limits.TreeDepth), errDeep},
		{"blocks, fewer", lang.Cpp, "void f() " + strings.Repeat("{", limits.TreeDepth-5) + strings.Repeat("}", limits.TreeDepth-5), nil},
		{"a chain of operators", lang.JavaScript, "x = a" + strings.Repeat(" + a", 2*limits.TreeDepth), errDeep},
		{"nothing", lang.Go, "", nil},
		{"a failed assertion", lang.Ruby, "a = <<~" + strings.Repeat("A", 300) + "\nb\n", errBroken},
		{"a call of abort", lang.Kotlin, strings.Repeat("\"${", 1500), errBroken},
	} {
		work, err := parseText(ctx, tt.lang, tt.text, limits.ChangeWork, later)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: error %v, want %v", tt.name, err, tt.want)
		}
		if again, _ := parseText(ctx, tt.lang, tt.text, limits.ChangeWork, later); again != work {
			t.Errorf("%s: %d of work, then %d", tt.name, work, again)
		}
	}
	long := strings.Repeat("a=>", 300_000)
	if _, err := parseText(ctx, lang.Java, long, limits.ChangeWork, 10*time.Millisecond); err != errSlow {
		t.Errorf("a deadline: %v", err)
	}
	if work, err := parseText(ctx, lang.Java, long, 1<<20, later); err != errCostly || work > 1<<20+1<<16 {
		t.Errorf("little work left: %v after %d", err, work)
	}
	soon, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	for range 2 {
		if _, err := parseText(soon, lang.Java, long, limits.ChangeWork, later); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("cancelled: %v", err)
		}
	}
}

// TestCollected parses while the garbage collector looks for texts that nobody needs,
// and others take their place.
func TestCollected(t *testing.T) {
	code := strings.Repeat("func f(a, b int) int { return g(a, b) + h(a) }\n", 2000)
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
				for range 20 {
					_ = bytes.Repeat([]byte("}"), len(code)+1)
				}
			}
		}
	}()
	want := 0
	for i := range 10 {
		work, err := parseText(context.Background(), lang.Go, code, limits.ChangeWork, time.Minute)
		if err != nil || i > 0 && work != want {
			t.Errorf("the same text took %d of work and then %d: %v", want, work, err)
		}
		want = work
	}
	close(stop)
	<-stopped
}

// TestUnread leaves out what is nested too deeply: on both sides, and nothing else.
func TestUnread(t *testing.T) {
	deep := strings.Repeat("{", 2000) + strings.Repeat("}", 2000)
	diff := "--- a/x.cpp\n+++ b/x.cpp\n@@ -1,2 +1,2 @@\n int a;\n-int b;\n+void f() " + deep + "\n" +
		"@@ -9 +9 @@\n-int c;\n+int d;\n--- a/y.cpp\n+++ b/y.cpp\n@@ -1 +1 @@\n-int c;\n+int d;\n"
	trees, err := Parse(context.Background(), parseDiff(t, diff, change.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	x, y := trees.Files[0], trees.Files[1]
	if len(x.Old) != 1 || len(x.New) != 1 || x.New[0].Hunk != 1 || !x.Unread || y.Unread || trees.Unread() != 1 {
		t.Errorf("%d and %d fragments, unread %v, %v", len(x.Old), len(x.New), x.Unread, y.Unread)
	}
	if len(trees.Warnings) != 1 || !strings.HasPrefix(trees.Warnings[0], "x.cpp: nested too deeply to be parsed: 1 pieces") {
		t.Errorf("warnings %q", trees.Warnings)
	}
}

// TestFreed checks that no tree is left in memory that is not Go's: of the frames that
// are tried for a hunk, of what is cancelled after some trees, and of what is too costly.
func TestFreed(t *testing.T) {
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
		"a file":                    parseDiff(t, "@@ -1,1 +1,2 @@\n+x()\n function f(a, b) { if (a) { return g(a, b) } }\n", whole),
		"a text that is too costly": parseDiff(t, "@@ -1 +1 @@\n-a\n+"+strings.Repeat("<div>", 1000)+"\n", change.Options{Path: "x.py"}),
		"a hunk":                    parseDiff(t, "@@ -10,300 +10,301 @@ function f(\n+  x) {\n "+strings.ReplaceAll(strings.TrimSpace(code), "\n", "\n ")+"\n", change.Options{Path: "f.js"}),
	} {
		cancelled := 0
		round := func(n int) {
			for i := range n {
				ctx := &failing{context.Background(), i % 6}
				if _, err := Parse(ctx, c); errors.Is(err, context.Canceled) {
					cancelled++
				} else if err != nil {
					t.Fatal(err)
				}
			}
		}
		round(6)
		before := foreign()
		round(18)
		if after := foreign(); after > before+15 {
			t.Errorf("%s: there were %d MiB, and %d after more changes", name, before, after)
		}
		if cancelled == 0 && name != "a text that is too costly" {
			t.Errorf("%s: none was cancelled", name)
		}
	}
}

// failing is a context that is cancelled when it was asked some times; from 0 on never.
type failing struct {
	context.Context
	left int
}

func (f *failing) Err() error {
	switch f.left--; {
	case f.left == 0:
		f.left++ // and stays so
		return context.Canceled
	default:
		return nil
	}
}
