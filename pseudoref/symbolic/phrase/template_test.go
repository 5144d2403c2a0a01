package phrase_test

import (
	"testing"

	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
)

func TestFill(t *testing.T) {
	s := fact.Slots{Object: "the value of `a`", Old: "`{1}`", New: "`[2]`"}
	for _, c := range []struct{ template, want string }{
		{"{object} was changed from {old} to {new}", "the value of `a` was changed from `{1}` to `[2]`"},
		{"{object} is now {new}[ in {detail}]", "the value of `a` is now `[2]`"},
		{"{object} is now {new}[ instead of {old}][, {of}]!", "the value of `a` is now `[2]` instead of `{1}`!"},
		{"", ""},
	} {
		if got := phrase.Fill(c.template, s, "", 0); got != c.want {
			t.Errorf("%s: %s, want %s", c.template, got, c.want)
		}
	}
	if got, want := phrase.Fill("the {objects} {names}", fact.Slots{Object: "property"}, "`a` and `b`", 2), "the properties `a` and `b`"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	const key = "the key{|s} {names} {was|were} added"
	if got, want := phrase.Fill(key, s, "`a`", 1), "the key `a` was added"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := phrase.Fill(key, s, "`a` and `b`", 2), "the keys `a` and `b` were added"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestShow(t *testing.T) {
	for template, want := range map[string]string{
		"the key{|s} {names} {was|were} added[ to {object}]": "The key {names} was added[ to {object}].",
		"{object} is now {new}":                              "{object} is now {new}.",
		"":                                                   ".",
	} {
		if got := phrase.Show(template); got != want {
			t.Errorf("%s: %s, want %s", template, got, want)
		}
	}
}
