package smells_test

import (
	"context"
	"fmt"

	"crscore/change"
	"crscore/internal/syntax"
	"crscore/smells"
)

// What the catalogue says of a rule; {parameter} is filled with a name of the code.
func ExampleRules() {
	for _, r := range smells.Rules() {
		if r.ID == "mutable-default" {
			fmt.Println(r.Name, r.Languages, r.On)
			for _, s := range r.Says {
				fmt.Println(s.Text)
			}
		}
	}
	// Output:
	// Mutable default argument [python] true
	// The default value of {parameter} is mutable and shared by all calls; use `None` and create it in the function.
}

// A parameter too many, in a diff of which only a hunk is known.
func ExampleDetect() {
	const diff = `@@ -1,3 +1,3 @@
-def connect(host, port, user, password, database, timeout):
+def connect(host, port, user, password, database, timeout, retries):
     return Connection(host, port)
 
`
	ctx := context.Background()
	c, err := change.Parse([]byte(diff), change.Options{Path: "db.py"})
	if err != nil {
		fmt.Println(err)
		return
	}
	trees, err := syntax.Parse(ctx, c)
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := smells.Detect(ctx, trees, smells.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range found {
		fmt.Printf("%s:%d: %s: %s\n", s.Path, s.StartLine, s.Rule, s.Text)
	}
	// Output:
	// db.py:1: long-parameter-list: `connect` now takes 7 parameters instead of 6; that is too many (more than 6); consider grouping them into an object.
}
