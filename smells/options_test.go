package smells

import (
	"context"
	"slices"
	"testing"

	"crscore/change"
	"crscore/internal/syntax"
)

// TestSignature holds signatures against options. What looks for the same must
// have the same one, and what does not another.
func TestSignature(t *testing.T) {
	// Which rules are on by default changes.
	rule := func(on, counts bool) string {
		i := slices.IndexFunc(rules, func(r Rule) bool {
			return r.On == on && (r.Unit != "") == counts && r.ID != "deep-nesting" && r.ID != "long-method"
		})
		if i < 0 {
			t.Skipf("there is no rule with on=%t, counts=%t", on, counts)
		}
		return rules[i].ID
	}
	off, limited := rule(false, false), rule(false, true)
	limits := map[string]int{"long-method": 60}
	for _, c := range []struct {
		opts Options
		want string
	}{
		{Options{}, ""},
		{Options{Thresholds: map[string]int{"long-method": 50}}, ""},
		{Options{Thresholds: map[string]int{"long-method": 60, "deep-nesting": 3}}, "(deep-nesting=3,long-method=60)"},
		{Options{Rules: []string{off, "long-method"}}, "(+" + off + ")"},
		{Options{Rules: []string{off}, Off: []string{off}}, ""},
		{Options{Off: []string{"deep-nesting"}, Thresholds: limits}, "(-deep-nesting,long-method=60)"},
		{Options{Rules: []string{limited}, Thresholds: map[string]int{limited: 999}}, "(+" + limited + "=999)"},
		{Options{Thresholds: map[string]int{limited: 999}}, ""}, // of a rule that is off
		{Options{Off: []string{"long-method"}, Thresholds: limits}, "(-long-method)"},
		{Options{Rules: []string{AllRules}, Thresholds: limits}, "(long-method=60,+all)"},
	} {
		if got, err := c.opts.Signature(); err != nil || got != Version+c.want {
			t.Errorf("%+v: %s, %v; want %s", c.opts, got, err, Version+c.want)
		}
	}
	for _, bad := range []Options{{Off: []string{"none-such"}}, {Rules: []string{"none-such"}}, {Thresholds: map[string]int{"none-such": 1}}} {
		if got, err := bad.Signature(); err == nil {
			t.Errorf("%+v: %s, want an error", bad, got)
		}
	}
}

// TestSwitches counts what is found in a text with a smell each of two rules.
func TestSwitches(t *testing.T) {
	c, err := change.Parse([]byte("--- /dev/null\n+++ b/a.py\n@@ -0,0 +1,2 @@\n+def f(a, b, c, d, e, g, h): # TODO\n+  pass\n"), change.Options{})
	if err != nil {
		t.Fatal(err)
	}
	trees, err := syntax.Parse(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	const todo, list = "todo-comment", "long-parameter-list"
	for _, tt := range []struct {
		on, off []string
		want    int
	}{
		{[]string{list, todo}, nil, 2},
		{[]string{AllRules}, nil, 2},
		{nil, []string{list, todo}, 0},
		{nil, []string{AllRules}, 0},
		{[]string{todo}, []string{AllRules}, 1},
		{[]string{AllRules}, []string{todo}, 1},
		{[]string{todo, list}, []string{todo}, 1},
		{[]string{AllRules}, []string{AllRules}, 0},
	} {
		found, err := Detect(context.Background(), trees, Options{Rules: tt.on, Off: tt.off})
		found = slices.DeleteFunc(found, func(s Smell) bool { return s.Rule != todo && s.Rule != list })
		if err != nil || len(found) != tt.want {
			t.Errorf("on %q, off %q: %d smells, %v; want %d\n%+v", tt.on, tt.off, len(found), err, tt.want, found)
		}
	}
}
