package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const small = `{"id":"1","path":"queue.py","diff":"@@ -1,2 +1,2 @@\n-def push(item):\n+def push(item, hash):\n     return len(items)\n","claims":{"m":["The parameter 'hash' was added to push.","The parameter 'hash' was removed from push.","The 'salt' is missing."]},"refs_edited":[{"text":"The parameter 'hash' was added to push.","kind":"claim","necessary":true},{"text":"The 'salt' is missing.","kind":"claim","necessary":true}]}
`

func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "small.jsonl")
	if err := os.WriteFile(file, []byte(small+strings.Replace(small, `"1"`, `"2"`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := run(t.Context(), &b, file, "m", true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"1\tnot kept\tThe parameter 'hash' was removed from push.\n\twrong-sign: ",
		"unknown-name  2 2 0 0.000 0.000", "wrong-sign 2 0 2 1.000 1.000", "any reason 4 2 2 0.500 1.000", "all claims 6 4 2 0.333 1.000",
		"dropped of claims about another change: 2 of 3",
	} {
		if !strings.Contains(regexp.MustCompile(` +`).ReplaceAllString(b.String(), " "), strings.ReplaceAll(want, "  ", " ")) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
	if err := run(t.Context(), &b, file, "other", false); err == nil {
		t.Error("claims that are not there give no error")
	}
	if err := run(t.Context(), &b, "", "m", false); err == nil || !strings.Contains(err.Error(), "--data FILE") {
		t.Error(err)
	}
	if err := run(t.Context(), &b, file+"x", "m", false); err == nil {
		t.Error("a file that is not there gives no error")
	}
}

// TestPrecision holds the check to what the annotators of the labelled changes
// kept: a check that drops more right claims than wrong ones is worse than none.
func TestPrecision(t *testing.T) {
	dir := os.Getenv("CRSCORE_DATA")
	if dir == "" {
		t.Skip("CRSCORE_DATA is not set")
	}
	var b strings.Builder
	if err := run(t.Context(), &b, filepath.Join(dir, "dev.jsonl"), "magicoder", false); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + b.String())
	line := func(reason string) (dropped int, precision, recall float64) {
		m := regexp.MustCompile(regexp.QuoteMeta(reason) + ` +(\d+) +\d+ +\d+ +([\d.]+) +([\d.]+)`).FindStringSubmatch(b.String())
		if m == nil {
			return 0, 0, 0
		}
		dropped, _ = strconv.Atoi(m[1])
		precision, _ = strconv.ParseFloat(m[2], 64)
		recall, _ = strconv.ParseFloat(m[3], 64)
		return dropped, precision, recall
	}
	if n, precision, recall := line("any reason"); precision < 0.93 || recall < 0.58 {
		t.Errorf("%d dropped, precision %v, recall %v", n, precision, recall)
	}
	part := func(what string) float64 {
		m := regexp.MustCompile(regexp.QuoteMeta(what) + `: \d+ of \d+ \(([\d.]+)\)`).FindStringSubmatch(b.String())
		if m == nil {
			t.Fatalf("%s: not there", what)
		}
		v, _ := strconv.ParseFloat(m[1], 64)
		return v
	}
	if v := part("claims about another change"); v < 0.6 {
		t.Errorf("claims about another change: only %v dropped", v)
	}
	if v := part("claims from syntax"); v > 0.02 {
		t.Errorf("claims from syntax: %v dropped", v)
	}
	if v := part("with their sign turned"); v < 0.75 {
		t.Errorf("claims with their sign turned: only %v dropped", v)
	}
	for _, reason := range []string{"unknown-name", "wrong-sign", "guess", "broken-off", "pasted", "verdict", "duplicate"} {
		if n, precision, _ := line(reason); n > 0 && precision <= 0.5 {
			t.Errorf("%s: %d dropped, precision %v", reason, n, precision)
		}
	}
}
