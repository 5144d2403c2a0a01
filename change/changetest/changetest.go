// Package changetest has changes for the tests of packages that work on a change.Change.
package changetest

import (
	"fmt"
	"strings"
	"testing"

	"crscore/change"
)

// Push is a diff of one hunk in one Python file: a function gets an argument.
const Push = `--- a/queue.py
+++ b/queue.py
@@ -1,3 +1,3 @@ class Queue:
-def push(item):
-    items.append(item)
+def push(item, hash):
+    items.append((item, hash))
     return len(items)
`

// Parse returns the change of a diff.
func Parse(t testing.TB, diff string) *change.Change {
	t.Helper()
	c, err := change.Parse([]byte(diff), change.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Large is a diff of a Python file with that many hunks, each adding that many lines.
func Large(hunks, lines int) string {
	var b strings.Builder
	b.WriteString("--- a/big.py\n+++ b/big.py\n")
	for i := range hunks {
		at := i*1000 + 1
		fmt.Fprintf(&b, "@@ -%d,1 +%d,%d @@\n context %d\n", at, at, lines+1, i)
		for j := range lines {
			fmt.Fprintf(&b, "+value_%d_%d = compute(%d)\n", i, j, j)
		}
	}
	return b.String()
}
