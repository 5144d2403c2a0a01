package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crscore/internal/gate"
)

// TestDocs holds the table of docs/bots.md and the default bound against the labelled
// changes.
func TestDocs(t *testing.T) {
	dir := os.Getenv("CRSCORE_DATA")
	if dir == "" {
		t.Skip("NOT MEASURED: CRSCORE_DATA does not name the folder of dev.jsonl")
	}
	var b bytes.Buffer
	if err := run(context.Background(), []string{"--data", filepath.Join(dir, "dev.jsonl")}, &b); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("the best one: %v\n", gate.DefaultMinCon); !strings.HasSuffix(b.String(), want) {
		t.Errorf("the default bound is %v, but the data give\n%s", gate.DefaultMinCon, b.String())
	}
	page, err := os.ReadFile("../../../docs/bots.md")
	if err != nil {
		t.Fatal(err)
	}
	n, rest := 0, b.String()
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "| dropped |") || strings.HasPrefix(line, "| ") && strings.Contains(line, "% [") {
			n++
			_, after, ok := strings.Cut(rest, line)
			if !ok {
				t.Errorf("docs/bots.md has\n%swhich the data do not give there:\n%s", line, b.String())
				break
			}
			rest = after
		}
	}
	if n < len(bounds)+2 {
		t.Errorf("docs/bots.md has only %d lines of the tables", n)
	}
}

// small has changes with a good review, one on something else, a thank-you, and one
// without a word.
func small(t *testing.T, changes int) string {
	t.Helper()
	var b strings.Builder
	for i := range changes {
		fmt.Fprintf(&b, `{"id":"%d","lang":"py","path":"a.py","diff":"@@ -1 +1 @@\n-x = load(%[1]d)\n+x = retry(%[1]d)\n","reviews":[`+
			`{"id":"a","text":"The call of load becomes retry. The argument of retry is the same.","human":{"con":5,"comp":3,"rel":4}},`+
			`{"id":"b","text":"Lovely weather in the mountains today.","human":{"con":1,"comp":1,"rel":1}},`+
			`{"id":"c","text":"Thanks!","human":{"con":2,"comp":1,"rel":1}},`+
			`{"id":"d","text":"","human":{"con":1,"comp":1,"rel":1}},`+
			`{"id":"msg","text":"Lovely weather.","human":{"con":5,"comp":1,"rel":1}},`+
			`{"id":"e","text":"Nobody has labelled this."}]}`+"\n", i)
	}
	file := filepath.Join(t.TempDir(), "small.jsonl")
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestSmall(t *testing.T) {
	var b bytes.Buffer
	file := small(t, 4)
	if err := run(context.Background(), []string{"--data", file, "--resamples", "100"}, &b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"### Comments\n\n| dropped | label 1 (4) | label 2 (4) | label 3 (0) | label 4–5 (4) |",
		"| only praise or process | 0% [0, 0] | 100% [100, 100] | – | 0% [0, 0] | 0% [0, 0] |",
		"| below 0.1 | 0% [0, 0] | 100% [100, 100] | – | 0% [0, 0] | 0% [0, 0] |",
		"| below 0.15 | 100% [100, 100] | 100% [100, 100] | – | 0% [0, 0] | 100% [100, 100] |",
		"### Sentences, with the label of their comment\n\n| dropped | label 1 (4) | label 2 (4) | label 3 (0) | label 4–5 (8) |",
		"4 comments without a sentence are left out. The lowest bound that separates labels 1 and 4–5 as well as the best one: 0.15\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	b.Reset()
	if err := run(context.Background(), []string{"--data", file, "--show"}, &b); err != nil || b.String() != strings.Repeat("2\tpraise\tThanks!\n", 8) {
		t.Errorf("%v\n%s", err, b.String())
	}
}

func TestBadData(t *testing.T) {
	for _, args := range [][]string{nil, {"--data", "nowhere.jsonl"}, {"--data", "main.go"}} {
		if err := run(context.Background(), args, &bytes.Buffer{}); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}
