package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"crscore/internal/commentcheck"
)

const docs = "../../../docs/"

// verdict is a line of the sheet.
type verdict struct {
	place string // source, change and comment
	check string
	right bool
}

func sheet(t *testing.T) (out []verdict) {
	t.Helper()
	b, err := os.ReadFile(docs + "comment-checks-rating.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		f := strings.Split(line, "\t")
		if len(f) != 6 || f[5] == "" || i > 0 && f[4] != "0" && f[4] != "1" {
			t.Fatalf("line %d: %q", i+1, line)
		}
		if i > 0 {
			out = append(out, verdict{strings.Join(f[:3], " "), f[3], f[4] == "1"})
		}
	}
	return out
}

// TestChecks: a check is there if readers found 90% of at least 30 findings right, and the page
// has the counts.
func TestChecks(t *testing.T) {
	page, err := os.ReadFile(docs + "comment-checks.md")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string][2]int{}
	for _, v := range sheet(t) {
		c := counts[v.check]
		if c[0]++; v.right {
			c[1]++
		}
		counts[v.check] = c
	}
	there := map[string]bool{}
	for _, c := range commentcheck.Checks() {
		if there[c.Name] = true; !strings.Contains(string(page), "`"+c.Name+"` "+c.What) {
			t.Errorf("docs/comment-checks.md does not say that `%s` %s", c.Name, c.What)
		}
		if counts[c.Name][0] == 0 {
			t.Errorf("%s: nobody read its findings", c.Name)
		}
	}
	for name, c := range counts {
		if good := c[0] >= 30 && 10*c[1] >= 9*c[0]; good != there[name] {
			t.Errorf("%s: %d of %d are right, and it is a check: %v", name, c[1], c[0], there[name])
		}
		if row := fmt.Sprintf("| `%s` | %d | %d | %.0f%% |", name, c[0], c[1], 100*float64(c[1])/float64(c[0])); !strings.Contains(string(page), row) {
			t.Errorf("docs/comment-checks.md lacks %s", row)
		}
	}
}

// TestFindings: the sheet has all findings in the labelled changes, and the page the labels.
func TestFindings(t *testing.T) {
	dir := os.Getenv("CRSCORE_DATA")
	if dir == "" {
		t.Skip("CRSCORE_DATA is not set: the labelled changes are not here")
	}
	var out bytes.Buffer
	if err := run([]string{"--data", filepath.Join(dir, "dev.jsonl")}, &out); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(docs + "comment-checks.md")
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for line := range strings.Lines(out.String()) {
		if f := strings.Split(line, "\t"); len(f) == 4 {
			got = append(got, "dev "+f[0]+" "+f[1]+" "+f[2])
		} else if !strings.Contains(string(page), line) {
			t.Errorf("docs/comment-checks.md lacks %s", line)
		}
	}
	for _, v := range sheet(t) {
		if v.check == "absent-name" {
			want = append(want, v.place+" "+v.check)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("findings:\n%s\nin the sheet:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
