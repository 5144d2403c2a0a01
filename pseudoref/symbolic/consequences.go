package symbolic

import (
	"slices"
	"strings"

	"crscore/change"
	"crscore/internal/syntax"
	"crscore/pseudoref"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"
)

// alone says that a change touches nothing but comments, imports or tests.
func (w *writer) alone() {
	all := func(ok func(*finding) bool) bool {
		return !slices.ContainsFunc(w.facts, func(f *finding) bool { return !ok(f) })
	}
	id := ""
	switch {
	case len(w.facts) == 0 || w.file.Status != change.Modified:
		return
	case all(func(f *finding) bool { return f.weight == fact.Text }):
		id = "comments-only"
	case syntax.TableOf(w.file.Lang) != nil && all(func(f *finding) bool {
		return strings.HasPrefix(f.rule, "import-") || strings.HasPrefix(f.rule, "dependency-") || f.rule == "wildcard-import"
	}):
		id = "imports-only"
	case all(func(f *finding) bool {
		return strings.HasPrefix(f.where, "the test ") && f.kind == pseudoref.Claim || f.kind == pseudoref.Implication
	}) &&
		slices.ContainsFunc(w.facts, func(f *finding) bool { return f.kind == pseudoref.Claim }):
		id = "tests-only"
	default:
		return
	}
	f := w.add(tree.Node{}, id, "", fact.Slots{})
	f.first, f.last = w.changedRange(change.New)
}

// formattingOnly drops the claim that nothing but white space was changed where
// another hunk changed more.
func (w *writer) formattingOnly() {
	formats := func(f *finding) bool { return f.rule == "formatting-only" }
	if slices.ContainsFunc(w.facts, func(f *finding) bool { return !formats(f) }) {
		w.facts = slices.DeleteFunc(w.facts, formats)
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
