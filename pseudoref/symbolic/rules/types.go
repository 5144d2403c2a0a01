package rules

import (
	"slices"
	"strings"
	"unicode"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/texts"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// typeText is a type in a sentence, without the colon before it.
func typeText(n tree.Node) string { return phrase.Code(strings.TrimLeft(n.Text(), ": ")) }

// typed returns what a type belongs to, or none, and whether it is the type of what a function returns: not that of its
// parameter, nor a bound of one.
func typed(n tree.Node) (of tree.Node, result bool) {
	of = n.Under(syntax.Parameter, syntax.Variable, syntax.Field, syntax.Declarator, syntax.Function, syntax.Constructor, syntax.New,
		syntax.Call, syntax.Assign, syntax.Cast, syntax.Catch, syntax.Binary, syntax.Class, syntax.Interface, syntax.TypeAlias, syntax.Enum)
	bounds := func(p tree.Node) bool {
		return strings.HasSuffix(p.Kind(), "_bounds") || p.Kind() == "where_clause" || p == of
	}
	return of, of.Is(syntax.Function) && n.Under(syntax.Function, syntax.Block) == of && n.Up(bounds) == of &&
		!strings.HasPrefix(n.Kind(), "type_parameter") && n.Kind() != "template_parameter_list"
}

// typePart says that a type came or went: of a declaration, or in an expression.
func (w *writer) typePart(n tree.Node, added bool) {
	where := phrase.Inside(n)
	d, result := typed(n)
	s := fact.Slots{Object: phrase.Either(result, "the return type ", "the type ") + typeText(n)}
	switch r := d.Role(); {
	case r.IsFunction() || r.IsClass():
		s.Of, where = phrase.DeclaredName(d), ""
	case r == syntax.TypeAlias || r == syntax.Parameter:
		s.Of = phrase.DeclaredName(d)
	case d.Ok():
		s.Of = phrase.Noun(d, "the")
	}
	w.add(n, "type-"+fact.Verb(added), where, s)
}

// keyword says that a word such as `async` came to a declaration or left it. The words
// that say what is declared are no such words, nor are those that stand for a brace.
func (w *writer) keyword(n tree.Node, added bool) {
	t := n.Text()
	p := tree.Unnested(n.Up(func(p tree.Node) bool { return !p.Is(syntax.Modifier, syntax.Other, syntax.ExpressionStatement) }))
	if !modifiable(p) || t != "?" && !strings.ContainsFunc(t, unicode.IsLetter) ||
		slices.Contains([]string{"class", "struct", "get", "set", "end", "function", "else", "if", "for", "do", "then", "in"}, t) {
		return
	}
	w.modified(n, p, phrase.Either(t == "?", "optional", phrase.Code(t)), added)
}

// modifier says that words such as `static` came or went. In Ruby they are a statement that
// holds for what follows, or for what it names.
func (w *writer) modifier(n tree.Node, added bool) {
	if treediff.Block(n.Parent()) {
		w.add(n, "statement-"+fact.Verb(added), phrase.Inside(n), fact.Slots{Object: "the statement " + phrase.Headline(n)})
		return
	}
	for _, k := range n.Kids() { // Java has annotations among the modifiers
		if k.Is(syntax.Decorator) {
			w.decorator(k, added)
		}
	}
	if words := strings.TrimRight(phrase.Modifiers(n), ";"); words != "" && words[0] != '@' {
		w.modified(n, declared(n), phrase.Code(words), added)
	}
}

// modified says that a declaration is something now, or is it no longer. Without `volatile`
// in Java or C#, a thread need not see what another one wrote.
func (w *writer) modified(n, d tree.Node, words string, added bool) {
	s := fact.Slots{Object: phrase.DeclaredName(d), New: words}
	w.add(n, "modifier-"+fact.Verb(added), "", s)
	if !added && strings.Contains(words, "volatile") && !n.Traits().SpreadTypes {
		w.add(n, "volatile-removed", "", s)
	}
}

// typeChanged says that one type took the place of another.
func (w *writer) typeChanged(a, b tree.Node) {
	if w.done[b] || w.covered(b) {
		return
	}
	w.done[b] = true
	x, y := typeText(a), typeText(b)
	if d, result := typed(b); !result && !d.Is(syntax.Variable, syntax.Field, syntax.Parameter) || !w.retyped(b, d, x, y) {
		w.add(b, "type-changed", phrase.Inside(b), fact.Slots{Form: "replaced", Old: x, New: y})
	}
}

// retyped says that the type of a declaration, which stands at a node, is another now.
// It answers false for a declaration whose type nobody asks for.
func (w *writer) retyped(at, d tree.Node, from, to string) bool {
	s := fact.Slots{Old: from, New: to}
	switch {
	case d.Role().IsFunction():
		s.Object = "the return type of " + phrase.Code(tree.NameOf(d))
		w.add(at, "return-type-changed", "", s)
		s.Object = phrase.Code(tree.NameOf(d))
		if to != "`void`" {
			w.add(at, "return-type-callers", "", s)
		}
		if documentsOldType(d, from, to) {
			w.add(at, "documentation-stale", "", s)
		}
	case d.Is(syntax.Parameter) && !d.Under(syntax.Parameter).Ok() && tree.ParameterName(d) != "":
		_, s.Of = phrase.OwnerOf(d)
		w.add(at, "parameter-type-changed", "", s, phrase.Code(tree.ParameterName(d)))
	case d.Is(syntax.Variable, syntax.Field):
		s.Object = "the type of " + phrase.Noun(d, "the")
		w.add(at, "type-changed", phrase.Inside(d), s)
	default:
		return false
	}
	return true
}

// documentsOldType tells whether the documentation still says of the result of a function
// that it is of the type that it was: `@return a new List` where it is a Set now.
func documentsOldType(d tree.Node, from, to string) bool {
	_, text := documentation(d)
	said := func(result, t string) bool {
		words := strings.FieldsFunc(t, tree.BetweenWords)
		return len(words) > 0 && slices.Contains(strings.FieldsFunc(result, tree.BetweenWords), words[0])
	}
	result := texts.ReadDoc(text).Result()
	return said(result, from) && !said(result, to)
}

// returns says that a return came or went.
func (w *writer) returns(n tree.Node, at phrase.Place, added bool) {
	if added {
		w.add(n, "return-added", "", fact.Slots{Object: at.Subject(), Detail: phrase.Does(n) + phrase.Guard(n)})
	} else {
		w.add(n, "return-removed", at.String(), fact.Slots{Object: phrase.Noun(n, "the") + phrase.Guard(n)})
	}
}

// typeRules are the rules about types, modifiers and what functions return.
func typeRules() []fact.Rule {
	return slices.Concat(
		fact.Changed("return-type", fact.Signature),
		fact.Changed("type", fact.Value, fact.Sentence{Form: "replaced", Text: "the type {old} was replaced by {new}"}),
		fact.Both("type", fact.Value, "{object} was {added}[ {to} {of}]",
			fact.Sentence{Form: "alias", Text: "the type {object} was {added}", Weight: fact.Declare}),
		[]fact.Rule{
			fact.Implication("documentation-stale", "the documentation of {object} still says that it returns {old}"),
			fact.Claim("modifier-added", fact.Signature, "{object} was made {new}"),
			fact.Claim("modifier-removed", fact.Signature, "{object} is no longer {new}"),
			fact.Claim("parameter-type-changed", fact.Signature, "the type of the parameter{|s} {names} of {of} was changed from {old} to {new}"),
			fact.Claim("return-added", fact.Behaviour, "{object} now {detail}"),
			fact.Claim("return-removed", fact.Behaviour, "{object} was removed"),
			fact.Implication("return-type-callers", "callers of {object} now get {new}"),
			fact.Implication("volatile-removed", "other threads may see an old value of {object}"),
		},
	)
}
