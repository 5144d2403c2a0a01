package rules

import (
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/phrase"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// Assertions in words: what a test takes to be true.

// assertionEdit says once what an assertion checks now, for all edits in it, where
// both can be said in words.
func (w *writer) assertionEdit(e treediff.Edit) bool {
	old, new := e.Old, e.New
	if !old.Ok() {
		old = e.OldIn
	}
	if !new.Ok() {
		new = e.NewIn
	}
	a, b := assertionAround(old), assertionAround(new)
	if !a.Ok() || !b.Ok() || e.Link || e.Move {
		return false
	}
	x, y := phrase.Asserted(a), phrase.Asserted(b)
	if x == "" || y == "" || x == y || !showsNews(a, b, y) {
		return false
	}
	if w.done[b] {
		return true
	}
	w.done[b], w.done[a] = true, true
	w.add(b, "assertion-changed", phrase.PlaceOf(b).String(), fact.Slots{New: y, Old: x})
	return true
}

// showsNews tells whether a text has one of the words that b has and a has not, if
// there are any: what changed may be in what the words for an assertion leave out.
func showsNews(a, b tree.Node, text string) bool {
	words := func(n tree.Node) []string {
		begin := n.Text()[:min(4000, n.Size())]
		return strings.FieldsFunc(begin, func(r rune) bool { return r > 127 || !tree.WordByte(byte(r)) })
	}
	had := words(a)
	news := slices.DeleteFunc(words(b), func(s string) bool { return slices.Contains(had, s) })
	return len(news) == 0 || slices.ContainsFunc(news, func(s string) bool { return strings.Contains(text, s) })
}

// assertionAround returns the assertion that a node is a part of, or none. What is
// in a function that it is handed is no part of it.
func assertionAround(n tree.Node) tree.Node {
	for p, i := tree.Unnested(n), 0; p.Ok() && i < phrase.MaxSay+3; i, p = i+1, p.Parent() {
		switch {
		case p.Is(syntax.Lambda, syntax.Block), p.Role().IsFunction():
			return tree.Node{}
		case p.Is(syntax.Assert), p.Is(syntax.Call, syntax.Await) && statementLike(p) && phrase.Assertion(tree.Strip(p)):
			return p
		}
	}
	return tree.Node{}
}

// assertionPhrase is "an assertion that `x` holds", or else "the assertion …".
func assertionPhrase(n tree.Node) string {
	if s := phrase.Asserted(n); s != "" {
		return "an assertion that " + s
	}
	return "the assertion " + phrase.AssertedOr(n)
}

func assertionRules() []fact.Rule {
	changed := fact.Swapped("assertion", fact.Behaviour, "the assertion now checks that {new}", "the assertion previously checked that {old}")
	return append(changed, fact.Both("assertion", fact.Behaviour, "{object} was {added}")...)
}
