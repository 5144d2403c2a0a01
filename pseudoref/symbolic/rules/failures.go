package rules

import (
	"cmp"
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/phrase"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"
)

// caught names the exceptions of a catch clause, "" where it takes any.
func caught(n tree.Node) string {
	return phrase.ListOf(phrase.Each(caughtTypes(n), phrase.Code), 3, "or")
}

// caughtTypes lists the exceptions of a catch clause.
func caughtTypes(n tree.Node) []string {
	if n.Traits().UntypedCatch {
		return nil // a variable, and no type
	}
	if n.Child("type").Ok() {
		return typesIn(n, 0)
	}
	for _, k := range n.NamedKids() {
		if !k.Is(syntax.Block, syntax.Comment) && k.Kind() != "exception_variable" {
			return typesIn(k, 0)
		}
	}
	return nil
}

// typesIn lists the types in what a catch clause catches, which languages write in
// many ways: as a parameter, as a list, with a name behind it.
func typesIn(n tree.Node, depth int) []string {
	var out []string
	kids := n.NamedKids()
	if t := n.Child("type"); t.Ok() && depth < phrase.MaxSay {
		return typesIn(t, depth+1)
	}
	switch n.Kind() {
	case "catch_formal_parameter", "catch_declaration", "as_pattern":
		for _, k := range kids {
			if !k.Is(syntax.Modifier) {
				return typesIn(k, depth+1)
			}
		}
	case "exceptions", "catch_type", "type_list", "tuple", "union_type", "parenthesized_expression":
		for _, k := range kids {
			if depth < phrase.MaxSay {
				out = append(out, typesIn(k, depth+1)...)
			}
		}
		return out
	}
	return []string{tree.OneLine(n.Text())}
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
	c := n.Find(1, func(r syntax.Role) bool { return r == syntax.Catch || r == syntax.Lambda }, syntax.Call)
	if in := w.inner(n); len(in) > 0 {
		wrapped, _ := together(in)
		s.Detail = phrase.Either(added, " around ", " from around ") + wrapped
	} else if len(c) == 1 && tree.Callee(c[0]) != "" {
		s.Detail = " around the call to " + phrase.Called(c[0])
	}
	w.add(n, "try-"+fact.Verb(added), at.String(), s)
	for _, c := range n.Kids() {
		if !added || !c.Is(syntax.Catch) {
			continue
		}
		for _, d := range phrase.Effects(tree.Body(c)) {
			w.add(c, "catch-effect", "", fact.Slots{Of: cmp.Or(caught(c), "an error"), Object: at.Subject(), Detail: d})
		}
	}
}

// with says that a statement was added or removed that closes what it opens.
func (w *writer) with(n tree.Node, at phrase.Place, added bool) {
	word := "`" + phrase.FirstWord(strings.TrimPrefix(n.Text(), "async ")) + "`"
	what := phrase.An(word + " block")
	if k := n.NamedKids(); len(k) > 0 && !k[0].Is(syntax.Block) {
		what = phrase.An(word+" statement on ") + phrase.Say(k[0])
	}
	w.add(n, "with-"+fact.Verb(added), at.String(), fact.Slots{Object: what + effectsTail(tree.Body(n))})
	if what, release := lock(n); added && release != "" && !w.lockedBefore(n, what) {
		w.waits(n, what, at)
	}
}

func failureRules() []fact.Rule {
	return slices.Concat(
		fact.Both("try", fact.Behaviour, "{object} was {added}{detail}"),
		fact.Both("with", fact.Behaviour, "{object} was {added}"),
		[]fact.Rule{fact.Claim("catch-effect", fact.Detail, "when {of} is caught, {object} {detail}")})
}
