package cases_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"crscore/pseudoref"
	"crscore/pseudoref/symbolic/cases"
)

// TestAll: every line that a case wants is read as a claim, and is about a part of the diff.
func TestAll(t *testing.T) {
	all, err := cases.All(os.DirFS(".."))
	if err != nil || len(all) < 100 {
		t.Fatalf("%d cases, %v", len(all), err)
	}
	for _, c := range all {
		for line := range strings.Lines(c.Want) {
			kind, rest, _ := strings.Cut(line, " ")
			rule := strings.TrimSuffix(strings.Fields(rest)[0], ":")
			found := false
			for _, r := range c.Claims(rule) {
				place := ""
				if r.StartLine > 0 {
					place = fmt.Sprintf(" %s %d-%d", r.Side, r.StartLine, r.EndLine)
				}
				found = found || fmt.Sprintf("%s %s%s: %s\n", r.Kind, r.Rule, place, r.Text) == line
			}
			if shown := c.Around(c.Claims(rule)); !found || kind == "" || shown == "" || !strings.Contains(c.Diff, shown) && strings.Count(shown, "\n@@ ") == 0 {
				t.Errorf("%s: %q is read as %v, about\n%s", c.Path, line, c.Claims(rule), shown)
			}
		}
	}
}

func TestAround(t *testing.T) {
	const first, second = "@@ -1 +1,2 @@\n a\n+b\n", "@@ -9,2 +10 @@ f()\n c\n-d\n"
	for _, test := range []struct {
		diff, side string
		line       int
		want       string
	}{
		{first + second, "new", 2, first},
		{first + second, "old", 10, second},
		{first + second, "old", 2, first + second}, // of no hunk
		{first + second, "", 0, first + second},
		{"--- a/x\n+++ b/x\n" + first + second, "new", 10, second},
		{"--- a/x\n+++ b/x\n" + first + "--- a/y\n+++ b/y\n" + second, "new", 2, "--- a/x\n+++ b/x\n" + first + "--- a/y\n+++ b/y\n" + second},
		{"rename from a\nrename to b\n", "", 0, "rename from a\nrename to b\n"},
	} {
		c := cases.Case{Diff: test.diff}
		if got := c.Around([]pseudoref.Ref{{Side: test.side, StartLine: test.line, EndLine: test.line}}); got != test.want {
			t.Errorf("%s %d of\n%sis about\n%s", test.side, test.line, test.diff, got)
		}
	}
}

func TestFaults(t *testing.T) {
	if _, err := cases.Read(txtar.Parse([]byte("-- x.go olf --\n"))); err == nil || !strings.Contains(err.Error(), `"x.go olf"`) {
		t.Error(err)
	}
}
