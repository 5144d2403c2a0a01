package fact_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"crscore/change"
	"crscore/pseudoref/symbolic/fact"
)

// said writes facts as "rule form names old new places lines".
func said(facts []*fact.Fact) (out []string) {
	for _, f := range facts {
		places := strings.TrimPrefix(strings.Join(append([]string{f.Place}, f.Also...), "+"), "+")
		out = append(out, strings.Join(strings.Fields(fmt.Sprint(f.Rule.ID, " ", f.Form, " ", strings.Join(f.Names, ","), " ", f.Old, " ", f.New, " ", places, " ",
			f.First, " ", f.Last)), " "))
	}
	return out
}

// TestFinal: facts are merged by their names and by their places, and say the old state
// apart where it can be quoted.
func TestFinal(t *testing.T) {
	rules := fact.Table(slices.Concat(fact.Both("key", fact.Value, "the key{|s} {names} {was|were} {added}"), fact.Changed("value", fact.Value)))
	c := fact.Collector{Path: "a", Rules: rules}
	at := func(line int) fact.Lines { return fact.Lines{Side: change.New, First: line, Last: line} }
	c.Add("key-added", "f", at(1), fact.Slots{}, "a")
	c.Add("key-added", "f", at(3), fact.Slots{}, "b")
	c.Add("key-added", "f", at(2), fact.Slots{}, "a")
	c.Add("key-added", "f", at(9), fact.Slots{}, "d").Group = 1
	c.Add("key-removed", "f", at(4), fact.Slots{}, "c")
	c.Add("key-removed", "g", at(5), fact.Slots{}, "c")
	c.Add("value-changed", "", at(6), fact.Slots{Object: "x", Old: "`1`", New: "`2`"})
	c.Add("value-changed", "", at(7), fact.Slots{Object: "y", Old: "a list", New: "`2`"})
	on := func(*fact.Rule) bool { return true }
	want := []string{"key-added a,b f 1 3", "key-added d f 9 9", "key-removed c f+g 4 5", "value-changed now `2` 6 6", "value-before `1` 6 6",
		"value-changed a list `2` 7 7"}
	if got := said(fact.Final(c.Facts, rules, on)); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestPick: the heaviest facts stay, in their order, and every file gives as many.
func TestPick(t *testing.T) {
	rule := fact.Claim("r", fact.Value, "r")
	var facts []*fact.Fact
	for i, path := range []string{"a", "a", "a", "b", "b"} {
		facts = append(facts, (&fact.Fact{Path: path, Lines: fact.Lines{First: i}}).As(&rule, fact.Slots{}))
	}
	facts[2].Weight++
	got := ""
	for _, f := range fact.Pick(facts, 3) {
		got += fmt.Sprint(f.Path, f.First, " ")
	}
	if got != "a0 a2 b3 " {
		t.Errorf("picked %q", got)
	}
}
