package rules

import (
	"slices"
	"strings"

	"crscore/change"
	"crscore/internal/syntax"
	"crscore/pseudoref"
	"crscore/pseudoref/symbolic/fact"
)

// alone says that a change touches nothing but comments, imports or tests.
func (w *writer) alone() {
	all := func(ok func(*fact.Fact) bool) bool {
		return !slices.ContainsFunc(w.Facts, func(f *fact.Fact) bool { return !ok(f) })
	}
	id := ""
	switch {
	case len(w.Facts) == 0 || w.file.Status != change.Modified:
		return
	case all(func(f *fact.Fact) bool { return f.Weight == fact.Text }):
		id = "comments-only"
	case syntax.TableOf(w.file.Lang) != nil && all(func(f *fact.Fact) bool {
		return strings.HasPrefix(f.Rule.ID, "import-") || strings.HasPrefix(f.Rule.ID, "dependency-") || f.Rule.ID == "wildcard-import"
	}):
		id = "imports-only"
	case all(func(f *fact.Fact) bool {
		return f.Test && f.Place != "" && f.Kind == pseudoref.Claim || f.Kind == pseudoref.Implication
	}) &&
		slices.ContainsFunc(w.Facts, func(f *fact.Fact) bool { return f.Kind == pseudoref.Claim }):
		id = "tests-only"
	default:
		return
	}
	w.throughout(id, fact.Slots{})
}

// formattingOnly drops the claim that nothing but white space was changed where
// another hunk changed more.
func (w *writer) formattingOnly() {
	formats := func(f *fact.Fact) bool { return f.Rule.ID == "formatting-only" }
	if slices.ContainsFunc(w.Facts, func(f *fact.Fact) bool { return !formats(f) }) {
		w.Facts = slices.DeleteFunc(w.Facts, formats)
	}
}

func consequenceRules() []fact.Rule {
	comments := fact.Implication("comments-only", "only comments or documentation were changed, so the behaviour of the code stays the same")
	comments.Weight = fact.Text
	return []fact.Rule{
		comments,
		fact.Implication("imports-only", "only imports were changed, and none of the code below them"),
		fact.Implication("tests-only", "only tests were changed, so the code that they test stays the same"),
	}
}
