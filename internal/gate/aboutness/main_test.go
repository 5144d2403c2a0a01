package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocs holds the tables of docs/bots.md against the labelled data.
func TestDocs(t *testing.T) {
	dir := os.Getenv("CRSCORE_DATA")
	if dir == "" {
		t.Skip("NOT MEASURED: CRSCORE_DATA does not name the folder of dev.jsonl")
	}
	data := filepath.Dir(dir)
	var b bytes.Buffer
	args := []string{"--aacr", filepath.Join(data, "aacr"), "--dev", filepath.Join(dir, "dev.jsonl"), "--clearcrc", filepath.Join(data, "clearcrc", "dev.jsonl.gz")}
	if err := run(t.Context(), args, &b); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../../docs/bots.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, "| ") {
			if rows++; !bytes.Contains(page, []byte(line)) {
				t.Errorf("docs/bots.md lacks\n%s", line)
			}
		}
	}
	if rows < 20 {
		t.Errorf("the tables have %d lines:\n%s", rows, b.String())
	}
}

// TestRemarks: the texts of our own are what they are called, and no text stands in both files.
func TestRemarks(t *testing.T) {
	seen := map[string]bool{}
	for _, list := range []struct {
		texts []string
		least int
	}{{textsOf(seenRemarks), 300}, {textsOf(apartRemarks), 100}, {strings.Split(strings.TrimSpace(shortComments), "\n"), 300}} {
		if len(list.texts) < list.least {
			t.Errorf("%d texts", len(list.texts))
		}
		for _, text := range list.texts {
			if key := strings.ToLower(text); seen[key] || text == "" {
				t.Errorf("%q is empty, or stands twice", text)
			} else {
				seen[key] = true
			}
		}
	}
}

// TestBadInput: what cannot be read is an error.
func TestBadInput(t *testing.T) {
	if err := run(t.Context(), []string{"--aacr", t.TempDir()}, &bytes.Buffer{}); err == nil {
		t.Error("a folder without comments is read")
	}
	for _, args := range [][]string{nil, {"--aacr", "x", "y"}, {"--aacr", "x", "--fit", "y"}} {
		if err := run(t.Context(), args, &bytes.Buffer{}); err == nil || !strings.HasPrefix(err.Error(), "usage: ") {
			t.Errorf("%q: %v", args, err)
		}
	}
}
