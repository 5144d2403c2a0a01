package crscore_test

import (
	"context"
	"fmt"
	"log"

	"crscore"
	"crscore/change"
)

// A bot judges its own comment before it posts it.
func Example() {
	ctx := context.Background()
	engine, err := crscore.New(ctx, crscore.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()

	diff := `--- a/queue.py
+++ b/queue.py
@@ -1,3 +1,3 @@
-def push(item):
-    items.append(item)
+def push(item, hash):
+    items.append((item, hash))
     return len(items)
`
	ch, err := change.Parse([]byte(diff), change.Options{})
	if err != nil {
		log.Fatal(err)
	}
	set, err := engine.Refs(ctx, crscore.Input{Change: ch})
	if err != nil {
		log.Fatal(err)
	}
	matches, err := engine.Match(ctx, set, "Callers of push must now pass a hash.", "Please rebase onto main.")
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range matches {
		r := engine.Score(m)
		fmt.Printf("%s: %s, on topic: %v\n", m.Review, r.Status, r.Con > 0.5)
	}
	// Output:
	// Callers of push must now pass a hash.: scored, on topic: true
	// Please rebase onto main.: scored, on topic: false
}
