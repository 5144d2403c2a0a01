package gate

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"crscore"
	"crscore/internal/comments"
)

// large is a change of 500 added lines in four files with 20 comments on it.
func large() (diff string, list []comments.Comment) {
	var b strings.Builder
	for f := range 4 {
		path := fmt.Sprintf("svc/mod%d.py", f)
		fmt.Fprintf(&b, "diff --git a/%s b/%s\nnew file mode 100644\n--- /dev/null\n+++ b/%s\n@@ -0,0 +1,125 @@\n", path, path, path)
		for k := range 25 {
			fmt.Fprintf(&b, "+def total_%d_%d(orders, limit=10):\n+    for order in orders:\n+        if order.price > limit:\n+            log.debug(\"%%s\", order)\n+    return sum(orders) / len(orders)\n", f, k)
			if k%5 == 0 {
				list = append(list, on(path, 5*k+5, fmt.Sprintf("`total_%d_%d` divides by the length of `orders`, which fails for an empty list. Is `limit` checked?", f, k)))
			}
		}
	}
	return b.String(), list
}

// BenchmarkJudge is a warm engine's work on a large change, parsing included.
func BenchmarkJudge(b *testing.B) {
	ctx := context.Background()
	e, err := crscore.New(ctx, crscore.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	diff, list := large()
	for b.Loop() {
		d, err := Judge(ctx, e, crscore.Input{Change: parse(b, diff)}, list, Policy{DropOffTopic: true, MaxComments: 10})
		if err != nil || d.Outcome != Pass {
			b.Fatalf("%+v, %v", d, err)
		}
	}
}

// FuzzPlace looks for comments that no place can be found for.
func FuzzPlace(f *testing.F) {
	f.Add("a.go", "", true, 2, 3, 0)
	f.Add(`C:\now.go`, "was.go", false, 5, 5, 0)
	f.Add("file:///x/now.go", "", false, 0, 0, 3)
	c := parse(f, twoFiles)
	f.Fuzz(func(t *testing.T, path, oldPath string, old bool, first, last, line int) {
		comment := comments.Comment{Path: path, OldPath: oldPath, Side: comments.New, StartLine: first, EndLine: last, DiffLine: line}
		if old {
			comment.Side = comments.Old
		}
		at := newPlaces(c, refs(), nil).of(comment)
		if len(at.refs) == 0 || at.scope == ScopeChange && len(at.refs) != len(refs()) || strings.ContainsAny(at.note, "\n\x1b") {
			t.Errorf("%+v: %+v", comment, at)
		}
	})
}
