package symbolic

import (
	"slices"
	"strings"
	"testing"

	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
)

// TestSwitched holds options against the rules that they leave on, and the signature.
func TestSwitched(t *testing.T) {
	rules := []fact.Rule{{ID: "b"}, {ID: "c", Off: true}, {ID: "d"}, {ID: "e"}, {ID: "a"}, {ID: "f", Off: true}}
	for _, c := range []struct {
		opts     Options
		on, want string
	}{
		{Options{}, "abde", ""},
		{Options{Off: []string{"a"}}, "bde", "-a"},
		{Options{Off: []string{"a"}, Rules: []string{"a", "c"}}, "bcde", "-a,+c"},
		{Options{Rules: []string{AllRules}}, "abcdef", "+all"},
		{Options{Rules: []string{AllRules}, Off: []string{"f"}}, "abcde", "+c"},
		{Options{Rules: []string{"c"}}, "abcde", "+c"},
		{Options{Rules: []string{AllRules}, Off: []string{"d"}}, "abcef", "+all,-d"},
		{Options{Off: []string{AllRules}}, "", "-all"},
		{Options{Off: []string{AllRules}, Rules: []string{"c"}}, "c", "-all,+c"},
		{Options{Off: []string{"a", "b", "d", "e"}, Rules: []string{"c"}}, "c", "-all,+c"},
		{Options{Off: []string{AllRules}, Rules: []string{"a", "b", "d", "e"}}, "abde", ""},
		{Options{Off: []string{AllRules}, Rules: []string{AllRules}}, "", "-all"},
	} {
		on := ""
		for i := range rules {
			on += phrase.Either(c.opts.on(&rules[i]), rules[i].ID, "")
		}
		letters := strings.Split(on, "")
		slices.Sort(letters)
		if on, got := strings.Join(letters, ""), strings.Join(c.opts.switched(rules), ","); on != c.on || got != c.want {
			t.Errorf("%+v: %s are on, want %s; signed %s, want %s", c.opts, on, c.on, got, c.want)
		}
	}
}

func TestSignature(t *testing.T) {
	for want, opts := range map[string]Options{
		Version:             {},
		Version + "(max=9)": {Max: 9},
		Version + "(-all)":  {Off: []string{AllRules}},
		Version + "(max=9,-parameter-added-callers)": {Max: 9, Off: []string{"parameter-added-callers"}},
		"symbolic: there is no rule \"x\"":           {Off: []string{"x"}},
		"symbolic: there is no rule \"x\" ":          {Rules: []string{"x"}},
	} {
		got, err := opts.Signature()
		if err != nil {
			got = err.Error()
		}
		if got != strings.TrimSpace(want) {
			t.Errorf("%+v: %s, want %s", opts, got, want)
		}
	}
}
