package smells

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"crscore/analyzers"
)

// TestSame: the table speaks of rules and tools that there are, and of no tool's
// rule twice.
func TestSame(t *testing.T) {
	claims := goldenClaims(t)
	seen := map[string]bool{}
	for _, s := range equivalentRules {
		if ruleIndex(s.rule) < 0 {
			t.Errorf("there is no rule %s", s.rule)
		}
		for _, tool := range slices.Sorted(maps.Keys(s.sources)) {
			if _, ok := analyzers.Lookup(tool); !ok && tool != "symbolic" {
				t.Errorf("%s: there is no tool %s", s.rule, tool)
			}
			for _, r := range s.sources[tool] {
				if seen[tool+"/"+r] {
					t.Errorf("%s of %s stands there twice", r, tool)
				}
				seen[tool+"/"+r] = true
				if tool == "symbolic" && !strings.Contains(claims, " "+r+" ") {
					t.Errorf("%s: no golden of the claims from syntax has the rule %s", s.rule, r)
				}
				if got := SameRule(tool, r); got != s.rule {
					t.Errorf("%s of %s is %s, not %s", r, tool, got, s.rule)
				}
			}
		}
	}
	for _, c := range [][3]string{{Source, "long-method", "long-method"}, {"pmd", "long-method", ""}, {"", "x", ""}} {
		if got := SameRule(c[0], c[1]); got != c[2] {
			t.Errorf("%s of %s is %s", c[1], c[0], got)
		}
	}
}

// goldenClaims returns the goldens of the claims from syntax, each claim with its rule.
func goldenClaims(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("../pseudoref/symbolic/testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no goldens: %v", err)
	}
	var all strings.Builder
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
