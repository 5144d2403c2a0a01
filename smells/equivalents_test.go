package smells

import (
	"maps"
	"slices"
	"testing"

	"crscore/analyzers"
)

// TestSame: the table speaks of rules and tools that there are, and of no tool's
// rule twice.
func TestSame(t *testing.T) {
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
