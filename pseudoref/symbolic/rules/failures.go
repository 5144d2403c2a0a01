package rules

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
)

// caught names the exceptions of a catch clause, "" where it takes any. Languages write them in many ways: as a
// parameter with a type, as a list, with a name behind it. In all of them, what stands before the block and begins
// with a capital, or is a type, is an exception.
func caught(n tree.Node) string {
	var types []string
	last := 0
	does := func(r syntax.Role) bool { return r.Is(syntax.Block, syntax.Call) } // and no longer asks for types
	for _, x := range n.Find(50, does, syntax.Type, syntax.Identifier, syntax.Member) {
		name := strings.TrimLeft(x.Text(), `\:`)
		if x.I >= last && (x.Is(syntax.Type) || name != "" && unicode.IsUpper(rune(tree.LastName(name)[0]))) {
			types, last = append(types, phrase.Code(tree.OneLine(x.Text()))), x.Last()
		}
	}
	return phrase.ListOf(types, 3, "or")
}

// try says that a statement that catches errors was added or removed, and what a
// new one does with them.
func (w *writer) try(n tree.Node, at phrase.Place, added bool) {
	word := "try"
	if k := n.Kids(); len(k) > 0 && !k[0].Named() {
		word = k[0].Kind() // as the language has it: "do", "begin"
	}
	var types []string
	for _, c := range n.Kids() {
		if t := caught(c); c.Is(syntax.Catch) && t != "" {
			types = append(types, t)
		}
	}
	s := fact.Slots{Object: "a `" + word + "` block"}
	if len(types) > 0 {
		s.Object += " that catches " + phrase.List(types)
	}
	if in := w.inner(n); len(in) > 0 {
		wrapped, _ := together(in)
		s.Detail = phrase.Either(added, " around ", " from around ") + wrapped
	}
	w.add(n, "try-"+fact.Verb(added), at.String(), s)
	for _, c := range n.Kids() {
		if added && c.Is(syntax.Catch) {
			w.effects(c, "catch-effect", "", fact.Slots{Of: cmp.Or(caught(c), "an error"), Object: at.Subject()}, tree.Body(c))
		}
	}
}

// with says that a statement was added or removed that closes what it opens.
func (w *writer) with(n tree.Node, at phrase.Place, added bool) {
	s := fact.Slots{Object: phrase.An("`" + phrase.FirstWord(strings.TrimPrefix(n.Text(), "async ")) + "` statement")}
	if k := n.NamedKids(); len(k) > 0 && !k[0].Is(syntax.Block) {
		s.Object += " on " + phrase.Say(k[0])
	}
	s.Object += effectsTail(tree.Body(n))
	w.add(n, "statement-"+fact.Verb(added), at.String(), s)
}

func failureRules() []fact.Rule {
	return slices.Concat(
		fact.Both("try", fact.Behaviour, "{object} was {added}{detail}"),
		[]fact.Rule{fact.Claim("catch-effect", fact.Detail, "when {of} is caught, {object} {detail}")})
}
