package rules

import (
	"slices"
	"strings"
	"unicode"

	"crscore/pseudoref/symbolic/phrase"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// typeText is a type in a sentence, without the colon before it.
func typeText(n tree.Node) string { return phrase.Code(strings.TrimLeft(n.Text(), ": ")) }

// typed returns what a type belongs to, or none.
func typed(n tree.Node) tree.Node {
	return n.Under(syntax.Parameter, syntax.Variable, syntax.Field, syntax.Declarator, syntax.Function, syntax.Constructor, syntax.New,
		syntax.Call, syntax.Assign, syntax.Cast, syntax.Catch, syntax.Binary, syntax.Class, syntax.Interface, syntax.TypeAlias, syntax.Enum)
}

// resultType tells whether a type is that of what a function returns.
func resultType(n, of tree.Node) bool {
	return of.Is(syntax.Function) && n.Under(syntax.Function, syntax.Block) == of && !strings.HasPrefix(n.Kind(), "type_parameter") &&
		n.Kind() != "template_parameter_list" && n.Up(func(p tree.Node) bool {
		return strings.HasSuffix(p.Kind(), "_bounds") || p.Kind() == "where_clause" || p == of
	}) == of
}

// typePart says that a type came or went.
func (w *writer) typePart(n tree.Node, added bool) {
	d, to, where := typed(n), "", phrase.Inside(n)
	switch {
	case d.Role().IsFunction(), d.Role().IsClass():
		to, where = phrase.DeclaredName(d), ""
	case d.Is(syntax.TypeAlias, syntax.Parameter):
		to = phrase.DeclaredName(d)
	case d.Ok():
		to = phrase.Noun(d, "the")
	}
	w.add(n, "type-"+fact.Verb(added), where, fact.Slots{Object: phrase.Either(resultType(n, d), "the return type ", "the type ") + typeText(n), Of: to})
}

// blockWords are the words that stand for a brace, or belong to a statement that has
// a claim of its own.
var blockWords = []string{"end", "then", "do", "fi", "done", "esac", "begin", "else", "for", "while", "if", "in", "function"}

// keyword says that a word of the language came or went.
func (w *writer) keyword(n tree.Node, added bool) {
	t := n.Text()
	if t != "?" && !strings.ContainsFunc(t, unicode.IsLetter) || slices.Contains(blockWords, t) {
		return // or a sign that the grammar wants
	}
	p := n.Up(func(p tree.Node) bool { return !p.Is(syntax.Modifier, syntax.Other, syntax.ExpressionStatement) })
	p = tree.Unnested(p)
	if modifiable(p) && !slices.Contains([]string{"class", "struct", "get", "set"}, t) {
		w.add(n, "modifier-"+fact.Verb(added), "", fact.Slots{Object: phrase.DeclaredName(p), New: phrase.Either(t == "?", "optional", phrase.Code(t))})
	} else if t != "?" {
		w.add(n, "keyword-"+fact.Verb(added), phrase.Inside(n), fact.Slots{Object: phrase.Code(t)})
	}
}

// typeChanged says that one type took the place of another.
func (w *writer) typeChanged(a, b tree.Node) {
	if w.done[b] || w.covered(b) {
		return
	}
	w.done[b] = true
	x, y, d := typeText(a), typeText(b), typed(b)
	if !resultType(b, d) && !d.Is(syntax.Variable, syntax.Field, syntax.Parameter) || !w.retyped(b, d, x, y) {
		w.add(b, "type-changed", phrase.Inside(b), fact.Slots{Form: "replaced", Old: x, New: y})
	}
}

// retyped says that the type of a declaration, which stands at a node, is another now.
// It answers false for a declaration whose type nobody asks for.
func (w *writer) retyped(at, d tree.Node, from, to string) bool {
	switch name := phrase.Code(tree.NameOf(d)); {
	case d.Role().IsFunction():
		w.add(at, "return-type-changed", "", fact.Slots{Object: "the return type of " + name, Old: from, New: to})
		if to != "`void`" {
			w.add(at, "return-type-callers", "", fact.Slots{Object: name, New: to})
		}
	case d.Is(syntax.Parameter) && !d.Under(syntax.Parameter).Ok() && tree.ParameterName(d) != "":
		_, owner := phrase.OwnerOf(d)
		w.parameterType(at, owner, phrase.Code(tree.ParameterName(d)), from, to)
	case d.Is(syntax.Variable, syntax.Field):
		w.add(at, "type-changed", phrase.Inside(d), fact.Slots{Object: "the type of " + phrase.Noun(d, "the"), Old: from, New: to})
	default:
		return false
	}
	return true
}

// parameterType says that the type of a parameter changed, once for all of a
// function whose types changed alike.
func (w *writer) parameterType(n tree.Node, owner, name, from, to string) {
	w.add(n, "parameter-type-changed", "", fact.Slots{Of: owner, Old: from, New: to}, name)
}

// returns says that a return came or went.
func (w *writer) returns(n tree.Node, at phrase.Place, added bool) {
	if added {
		w.add(n, "return-added", "", fact.Slots{Object: at.Subject(), Detail: phrase.Does(n, 0) + phrase.Guard(n)})
		return
	}
	w.add(n, "return-removed", at.String(), fact.Slots{Object: phrase.Noun(n, "the") + phrase.Guard(n)})
}

// modifier says that words such as `static` came or went.
func (w *writer) modifier(n tree.Node, added bool) {
	if treediff.Block(n.Parent()) { // Ruby: a statement that holds for what follows, or for what it names
		w.add(n, "modifier-"+fact.Verb(added), phrase.Inside(n), fact.Slots{Form: "statement", Object: phrase.Headline(n)})
		return
	}
	for _, k := range n.Kids() {
		if k.Is(syntax.Decorator) {
			w.decorator(k, added)
		}
	}
	if words := strings.TrimRight(phrase.Modifiers(n), ";"); words != "" && words[0] != '@' {
		w.add(n, "modifier-"+fact.Verb(added), "", fact.Slots{Object: phrase.DeclaredName(declared(n)), New: phrase.Code(words)})
	}
}

func typeRules() []fact.Rule {
	return slices.Concat(
		fact.Both("keyword", fact.Detail, "the keyword {object} was {added}"),
		fact.Changed("return-type", fact.Signature),
		fact.Changed("type", fact.Value, fact.Sentence{Form: "replaced", Text: "the type {old} was replaced by {new}"}),
		fact.Both("type", fact.Value, "{object} was {added}[ {to} {of}]",
			fact.Sentence{Form: "alias", Text: "the type {object} was {added}", Weight: fact.Declare}),
		[]fact.Rule{
			fact.Claim("modifier-added", fact.Signature, "{object} was made {new}").Or("statement", "the statement {object} was added"),
			fact.Claim("modifier-removed", fact.Signature, "{object} is no longer {new}").Or("statement", "the statement {object} was removed"),
			fact.Claim("parameter-type-changed", fact.Signature, "the type of the parameter{|s} {names} of {of} was changed from {old} to {new}"),
			fact.Claim("return-added", fact.Behaviour, "{object} now {detail}"),
			fact.Claim("return-removed", fact.Behaviour, "{object} was removed"),
			fact.Implication("return-type-callers", "callers of {object} now get {new}"),
		},
	)
}
