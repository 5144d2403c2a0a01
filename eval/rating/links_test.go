package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const linksData = `{"id":"7","lang":"py","path":"a.py","diff":"@@ -1 +1 @@\n-x = load(1)\n+x = load(2)\n","reviews":[` +
	`{"id":"good","text":"The load gets 2 now. Why?","human":{"con":5,"comp":5,"rel":5}},{"id":"empty","text":""},{"id":"poor","text":"Nice."}]}` + "\n"

// TestLinks draws a change, and joins what two readers wrote of it.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	data := file("data.jsonl", linksData)
	rate := func(args ...string) (string, error) {
		var b bytes.Buffer
		err := run(t.Context(), &b, args)
		return b.String(), err
	}
	if _, err := rate("draw", "-kind", "links", "-data", data, "-seed", "3", "-out", dir); err != nil {
		t.Fatal(err)
	}
	sheet, err := os.ReadFile(filepath.Join(dir, "7.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, hidden := range []string{"good", "poor", "empty", "5"} {
		if strings.Contains(string(sheet), hidden) {
			t.Errorf("readers see %q:\n%s", hidden, sheet)
		}
	}
	// The order of the reviews depends on the seed.
	letter := "a"
	if strings.Contains(string(sheet), "a1. Nice.") {
		letter = "b"
	}
	if !strings.Contains(string(sheet), letter+"1. The load gets 2 now.\n"+letter+"2. Why?\n") || !strings.Contains(string(sheet), "References:\n1. ") {
		t.Fatalf("%s", sheet)
	}
	first := file("first", fmt.Sprintf("7\t%s1\t1:2\n7\t%[1]s2\t\n", letter))
	second := file("second", fmt.Sprintf("7\t%s1\t1:x\n\n", letter))
	joined, err := rate("join", "-data", data, "-seed", "3", first, second)
	if err != nil {
		t.Fatal(err)
	}
	if f := strings.Split(joined, "\t"); !strings.HasPrefix(joined, linkHeader+"7\tgood\t1\t1\t") || !strings.HasSuffix(joined, "\t2\tx\n") || len(f) != 13 {
		t.Errorf("%q", joined)
	}
	for _, tt := range []struct{ text, want string }{
		{"7\ta1", "line 1: 2 fields, not 3"},
		{"7\t1a\t1:2", `"1a" is no sentence`},
		{"7\ta0\t1:2", `"a0" is no sentence`},
		{"7\ta1\t1", `"1" is no reference with a code`},
		{"7\ta1\t1:3", `"1:3" is no reference with a code`},
		{"7\ta1\tx:1", `"x:1" is no reference with a code`},
		{"7\ta1\t1:2,1:1", "reference 1 of a1 occurs twice"},
		{"7\ta9\t1:2", "change 7 has no sentence a9 or no reference 1"},
		{"8\ta1\t1:2", "change 8 has no sentence a1"},
		{"7\ta1\t99:2", "or no reference 99"},
	} {
		if _, err := rate("join", "-data", data, "-seed", "3", file("bad", tt.text), second); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
	if _, err := rate("join", "-data", data, first); err == nil || !strings.Contains(err.Error(), "two readers") {
		t.Errorf("%v", err)
	}
}
