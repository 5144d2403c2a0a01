package pseudoref

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"crscore/internal/limits"
)

func TestMerge(t *testing.T) {
	got, dropped := Merge(
		[]Ref{{Text: "In `push`, parameter `hash` was added."}, {Text: "x < y", Path: "a"}, {Text: " ... "}},
		[]Ref{{Text: "In `push`, parameter `hash`\twas  added"}, {Text: "In `push`, parameter `*hash` was added."}, {Text: "x > y", Path: "a"}, {Text: "x < y", Path: "b"}, {Text: ""}},
	)
	var texts []string
	for _, r := range got {
		texts = append(texts, r.Path+":"+r.Text)
	}
	want := []string{":In `push`, parameter `hash` was added.", "a:x < y", ":In `push`, parameter `*hash` was added.", "a:x > y", "b:x < y"}
	if d := cmp.Diff(want, texts); d != "" || dropped != 0 {
		t.Error(d, dropped)
	}
}

// TestMergeSmells: what two tools find at one line in their words is one point.
func TestMergeSmells(t *testing.T) {
	smell := func(source, rule, text string, line int) Ref {
		return Ref{Kind: Smell, Source: source, Rule: rule, Text: text, Path: "A.java", StartLine: line}
	}
	several := smell("symbolic", "unused", "`x` and `y` are not used in the method `f`.", 10)
	several.Kind, several.EndLine = Implication, 12
	got, _ := Merge(
		[]Ref{several, smell("symbolic", "unused", "`v` is not used in the method `f`.", 20)},
		[]Ref{smell("builtin", "unused-variable", "The local variable `y` is never used.", 12), smell("builtin", "unused-variable", "The local variable `z` is never used.", 13), smell("builtin", "unused-variable", "The local variable `v` is never used.", 20)},
		[]Ref{smell("builtin", "unused-import", "The import `A` is never used.", 3)},
		[]Ref{smell("pmd", "UnnecessaryImport", "Unused import 'A'.", 3), smell("pmd", "UnnecessaryImport", "Unused import 'B'.", 4), smell("pmd", "UnnecessaryImport", "Unused import 'C'.", 4)},
		[]Ref{smell("checkstyle", "UnusedImports", "Unused import - B.", 4), smell("checkstyle", "AvoidStarImport", "Avoid it.", 4), smell("lint", "UnusedImports", "Unused import: B.", 4)},
	)
	var texts []string
	for _, r := range got {
		texts = append(texts, r.Text)
	}
	want := []string{"`x` and `y` are not used in the method `f`.", "`v` is not used in the method `f`.", "The local variable `z` is never used.", "The import `A` is never used.", "Unused import 'B'.", "Unused import 'C'.", "Avoid it.", "Unused import: B."}
	if d := cmp.Diff(want, texts); d != "" {
		t.Error(d)
	}
}

func TestMergeBounds(t *testing.T) {
	got, _ := Merge([]Ref{{Text: strings.Repeat("ü", limits.RefBytes)}})
	if n := len(got[0].Text); n > limits.RefBytes+len(" …") || !utf8.ValidString(got[0].Text) {
		t.Errorf("text of %d bytes, valid %v", n, utf8.ValidString(got[0].Text))
	}
	many := make([]Ref, limits.ChangeRefs+5)
	for i := range many {
		many[i].Text = strings.Repeat("a", i%100+1) + strings.Repeat("b", i/100+1)
	}
	if got, dropped := Merge(many); len(got) != limits.ChangeRefs || dropped != 5 {
		t.Errorf("%d references, %d dropped", len(got), dropped)
	}
}
