package rules

import (
	"cmp"
	"slices"
	"strings"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
)

// caught names the exceptions of a catch clause, "" where it takes any.
func caught(n tree.Node) string {
	return phrase.ListOf(phrase.Each(caughtTypes(n), phrase.Code), 3, "or")
}

// caughtTypes lists the exceptions of a catch clause. Languages write them in many ways:
// as a parameter with a type, as a list, with a name behind it.
func caughtTypes(n tree.Node) []string {
	if n.Traits().UntypedCatch {
		return nil // a variable, and no type
	}
	of := n.Child("type")
	for _, k := range n.NamedKids() {
		if !of.Ok() && !k.Is(syntax.Block, syntax.Comment) && k.Kind() != "exception_variable" {
			of = k
		}
	}
	for i := 0; i < phrase.MaxSay; i++ { // down to the types
		k := slices.DeleteFunc(of.NamedKids(), func(k tree.Node) bool { return k.Is(syntax.Modifier) })
		switch t, list := of.Child("type"), slices.Contains(catchLists, of.Kind()); {
		case t.Ok():
			of = t
		case slices.Contains(catchFrames, of.Kind()) && len(k) > 0, list && len(k) == 1:
			of = k[0]
		case list:
			return phrase.Each(k, func(k tree.Node) string { return tree.OneLine(k.Text()) })
		}
	}
	if !of.Ok() {
		return nil
	}
	return []string{tree.OneLine(of.Text())}
}

// catchFrames are the kinds of what begins with the types of a catch clause, catchLists
// of what holds several.
var (
	catchFrames = []string{"catch_formal_parameter", "catch_declaration", "as_pattern"}
	catchLists  = []string{"exceptions", "catch_type", "type_list", "tuple", "union_type", "parenthesized_expression"}
)

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
