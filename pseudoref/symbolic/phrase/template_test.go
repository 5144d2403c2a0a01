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
		if got := phrase.Fill(c.template, s, "", false); got != c.want {
			t.Errorf("%s: %s, want %s", c.template, got, c.want)
		}
	}
	if got, want := phrase.Fill("the {objects} {names}", fact.Slots{Object: "property"}, "`a` and `b`", true), "the properties `a` and `b`"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	const key = "the key{|s} {names} {was|were} added"
	if got, want := phrase.Fill(key, s, "`a`", false), "the key `a` was added"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := phrase.Fill(key, s, "`a` and `b`", true), "the keys `a` and `b` were added"; got != want {
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

func TestShorten(t *testing.T) {
	long := " of the long name of one same class here"
	for s, want := range map[string]string{
		"the check whether `a b` is set and the result of `f` with `x and y`, `z` and 2 more is false was moved" + long: "the check whether `a b` is set and the result of `f` is false was moved" + long,
		"it asks whether `a` is set or `b` is at least `1` or `c` equals `2`, so to say" + long:                         "it asks whether `a` is set or one of 2 other conditions holds, so to say" + long,
	} {
		if got := phrase.Shorten(s); got != want {
			t.Errorf("Shorten(%q) = %q, want %q", s, got, want)
		}
	}
}
