package pseudoref

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestMerge(t *testing.T) {
	got := Merge(
		[]Ref{{Text: "In `push`, parameter `hash` was added."}, {Text: "x < y", Path: "a"}, {Text: " ... "}},
		[]Ref{{Text: "in push, parameter hash was  added"}, {Text: "x > y", Path: "a"}, {Text: "x < y", Path: "b"}, {Text: ""}},
	)
	var texts []string
	for _, r := range got {
		texts = append(texts, r.Path+":"+r.Text)
	}
	want := []string{":In `push`, parameter `hash` was added.", "a:x < y", "a:x > y", "b:x < y"}
	if d := cmp.Diff(want, texts); d != "" {
		t.Error(d)
	}
}

func TestMergeBounds(t *testing.T) {
	got := Merge([]Ref{{Text: strings.Repeat("ü", MaxTextBytes)}})
	if n := len(got[0].Text); n > MaxTextBytes+len(" …") || !utf8.ValidString(got[0].Text) {
		t.Errorf("text of %d bytes, valid %v", n, utf8.ValidString(got[0].Text))
	}
	many := make([]Ref, MaxRefs+5)
	for i := range many {
		many[i].Text = strings.Repeat("a", i%100+1) + strings.Repeat("b", i/100+1)
	}
	if got := Merge(many); len(got) != MaxRefs {
		t.Errorf("%d references", len(got))
	}
}
