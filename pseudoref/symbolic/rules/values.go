package rules

import (
	"slices"
	"strings"

	"crscore/internal/limits"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// framedCall tells whether n is the list of arguments of a call that begins
// before the hunk. What stands alone in brackets may be a condition.
func framedCall(n tree.Node) bool {
	return n.Ok() && n.Role() == syntax.Other && n.Frag.Table.Role(n.Kind()) == syntax.Arguments && len(n.NamedKids()) > 1
}

// covered tells whether n is in an argument that the claim about its call names.
func (w *writer) covered(n tree.Node) bool {
	for p, i := n, 0; p.Ok() && i < limits.ArgumentAbove; i, p = i+1, p.Parent() {
		if p.Parent().Is(syntax.Arguments) {
			return w.done[p] && p != n
		}
	}
	return false
}

// valueChanged says how an expression became another one in its place: it may be passed
// through a call now, a text may have other words, a call other arguments. Else the claim
// gives the place its name: "the value of `wide` is now `3`".
func (w *writer) valueChanged(a, b tree.Node, at phrase.Place) {
	s, where := phrase.SlotOf(b), at.String()
	if s.Kind == phrase.ArgumentSlot && w.done[s.Holder] || w.covered(b) {
		return // said with the call
	}
	if s.Kind == phrase.CalleeSlot { // it is said of the call
		b = s.Holder
		if sa := phrase.SlotOf(a); sa.Kind == phrase.CalleeSlot {
			a = sa.Holder
		}
		s, w.done[b] = phrase.SlotOf(b), true
	}
	w.means(a, b)
	switch {
	case passedTo(a, b): // `f(x)` stands where `x` stood
		form := phrase.Either(b.Is(syntax.New), "made", "")
		w.add(b, "value-wrapped", where, fact.Slots{Form: form, Object: phrase.Say(a), New: phrase.Code(tree.Callee(b))})
	case a.Is(syntax.String) && b.Is(syntax.String) && a.LeafText() && b.LeafText():
		what := "the text"
		if s.Phrase != "" {
			what = "the text in " + strings.TrimPrefix(s.Phrase, "the text of ")
		}
		w.retell(b, "text-changed", where, what, tree.Unquoted(a.Text()), tree.Unquoted(b.Text()))
	case a.Is(syntax.Call, syntax.New) && b.Is(syntax.Call, syntax.New) && w.callChanged(a, b, at):
	default:
		w.slotChanged(a, b, s, at)
	}
}

// slotChanged says that a part of something became another, in the words for the part
// that it plays: a return value, an argument, the value of a name.
func (w *writer) slotChanged(a, b tree.Node, s phrase.Slot, at phrase.Place) {
	if sa := phrase.SlotOf(a); s.HoldsPart(b) && sa.Kind == s.Kind && sa.Part.Size() <= phrase.CodeRunes {
		// The whole of something small says more than a part of it.
		a, b = sa.Part, s.Part
	}
	from, to, where := phrase.Say(a), phrase.Say(b), at.String()
	if from == to { // the difference lies beyond what is quoted
		if from, to = phrase.Apart(a.Text(), b.Text()); from == to {
			return
		}
	}
	if s.Kind == phrase.DefaultSlot {
		where = "" // the words for it have the function
	}
	id, said := "value-changed", fact.Slots{Object: s.Phrase, Old: from, New: to}
	switch {
	case s.Phrase != "" && (s.Kind == phrase.AssertSlot || !s.FilledBy(b)):
		id = "part-changed"
	case s.Kind == phrase.ArgumentSlot:
		id = "argument-changed"
	case s.Kind == phrase.ReturnSlot:
		id, where, said.Object = "return-changed", "", at.Subject()
	case s.Kind == phrase.NoSlot:
		id = "replaced"
	}
	w.add(b, id, where, said)
}

// passedTo tells whether b is a call that is given a, and that was not made there before.
func passedTo(a, b tree.Node) bool {
	if a.Size() < 1 || a.Is(syntax.Number, syntax.Bool, syntax.Null) || a.Is(syntax.String) && a.Size() <= 3 {
		return false // what is that short is by chance the same
	}
	given := func(k tree.Node) bool { return treediff.Same(tree.Strip(k), a) }
	if !b.Is(syntax.Call, syntax.New) || !slices.ContainsFunc(tree.Arguments(b).NamedKids(), given) {
		return false
	}
	s := a.Up(func(x tree.Node) bool { return statementLike(x) || tree.Statement(x) })
	return !slices.ContainsFunc(s.Find(100, nil, syntax.Call, syntax.New), func(c tree.Node) bool { return tree.Callee(c) == tree.Callee(b) })
}

// operatorChanged says that a token was replaced by another.
func (w *writer) operatorChanged(a, b tree.Node) {
	in, where := "", phrase.Inside(b)
	switch p := b.Parent(); {
	case p.Is(syntax.Variable) && b.I == p.I+1: // `let` for `const`
		s := fact.Slots{Form: "declares", Old: phrase.Code(a.Text()), New: phrase.Code(b.Text())}
		w.add(b, "token-changed", where, s, phrase.Names(declarators(p))...)
		return
	case p.Is(syntax.Modifier):
		in, where = phrase.DeclaredName(declared(b)), ""
	case !treediff.Block(p) && len(p.NamedKids()) > 0:
		in = phrase.Code(p.Text())
	}
	w.add(b, "token-changed", where, fact.Slots{Old: phrase.Code(a.Text()), New: phrase.Code(b.Text()), Of: in})
}

// declarators are what a declaration declares: `a` and `b` of `let a = 1, b = 2`, or itself.
func declarators(n tree.Node) []tree.Node {
	several := slices.DeleteFunc(n.NamedKids(), func(k tree.Node) bool { return !k.Is(syntax.Declarator) })
	return phrase.Either(len(several) > 0, several, []tree.Node{n}) // Go and Python have no node for each
}

// assignment says that a statement which sets or updates something came or went.
func (w *writer) assignment(n tree.Node, at phrase.Place, added bool) {
	l, r := tree.Sides(n)
	switch {
	case n.Is(syntax.Update) || !l.Ok() || !r.Ok() || tree.Compound(n) != "":
		w.add(n, "statement-"+fact.Verb(added), at.String(), fact.Slots{Object: "the update " + phrase.Headline(n)})
	case n.Traits().ErrorValues && tree.Strip(r).Is(syntax.Call) && w.reused(tree.Strip(r)): // it stands in the check of its error
	case at.Fn == "" && at.Callback == "" && !at.Ctor && l.Is(syntax.Identifier), r.Is(syntax.Lambda):
		w.variable(n, at, added)
	default:
		w.add(n, "assignment-"+fact.Verb(added), at.String(), fact.Slots{Object: phrase.Code(l.Text()), New: phrase.Say(r) + phrase.Guard(n)})
	}
}

// variable says that a variable came or went, with its value. One that holds a function,
// as `const half = (x) => x / 2`, is the name of that.
func (w *writer) variable(n tree.Node, at phrase.Place, added bool) {
	where, name, val := at.String(), phrase.Code(tree.NameOf(n)), tree.ValueOf(n)
	kind := variableWord(n, at)
	switch {
	case val.Is(syntax.Lambda): // it is told as a function
		name = phrase.Code(tree.LastName(tree.NameOf(n)))
		f := w.add(n, "function-"+fact.Verb(added), where, fact.Slots{Object: "the function " + name})
		if added {
			w.documentedAs(f, name, n)
			w.functionBody(val, name)
		}
		return
	case val.Ok():
		w.add(n, "variable-"+fact.Verb(added), where, fact.Slots{Form: "value", Object: kind + " " + name, New: phrase.Say(val)})
	default:
		w.add(n, "variable-"+fact.Verb(added), where, fact.Slots{Object: kind}, name)
	}
	if added {
		w.unused(n, tree.NameOf(n))
	}
}

// variableWord is "constant" or "variable". A const within a function is only a variable that is set once, unless its
// grammar has constants of their own. In a shell every name may be in capitals.
func variableWord(n tree.Node, at phrase.Place) string {
	name, whole := tree.NameOf(n), phrase.Either(n.Is(syntax.Declarator), n.Parent(), n).Text()
	switch {
	case n.Kind() == "preproc_def":
		return "macro"
	case n.Traits().CallWord == "" && name == strings.ToUpper(name) && len(name) > 2, n.Kind() == "const_spec", n.Kind() == "const_item",
		at.Fn == "" && at.Callback == "" && strings.HasPrefix(whole, "const "):
		return "constant"
	}
	return "variable"
}

// unused says that a new name is used nowhere: a local one in its function, any other in its file. Others may use
// what is public. A parameter may be a field, too; a variable of C++ may be there for what its destructor does.
func (w *writer) unused(n tree.Node, name string) {
	if w.newWords == nil || strings.HasPrefix(name, "_") || !phrase.SimpleName(name) || n.Is(syntax.Field) && public(n) ||
		strings.Contains(n.Kind(), "promotion") || n.Is(syntax.Parameter) && n.First(syntax.Modifier).Ok() ||
		n.Traits().SpreadTypes && n.Is(syntax.Variable) && (n.Child("parameters").Ok() || tree.ValueOf(n).Is(syntax.Arguments)) {
		return
	}
	scope, where, members := n.Root(), "anywhere else in the file", true // what is at the top may be used as a member
	if f := n.Under(syntax.Function, syntax.Constructor); f.Ok() && treediff.BodyOf(f).Is(syntax.Block) && phrase.PlaceOf(n).Fn != "" {
		scope, where, members = f, "in "+phrase.PlaceOf(n).Subject(), false
	} else if n.Under(syntax.Parameters).Ok() {
		return // the body of a macro is only text
	}
	if tree.StandsIn(scope, name, members) == 1 { // where it is declared, and nowhere else
		w.add(n, "unused", "", fact.Slots{Of: where}, phrase.Code(name))
	}
}

func valueRules() []fact.Rule {
	return slices.Concat(
		fact.Both("assignment", fact.Value, "{object} is {now} set to {new}"),
		fact.Changed("value", fact.Value),
		fact.Swapped("return", fact.Behaviour, "{object} now returns {new}", "{object} previously returned {old}"),
		[]fact.Rule{
			fact.Claim("part-changed", fact.Value, "{old} was replaced by {new} in {object}"),
			fact.Claim("replaced", fact.Value, "{old} was replaced by {new}"),
			fact.Claim("token-changed", fact.Behaviour, "{old} was replaced by {new}[ in {of}]").
				Or("declares", "{names} {is|are} now declared with {new} instead of {old}"),
			fact.Implication("unused", "{names} {is|are} not used {of}"),
			fact.Claim("variable-added", fact.Value, "the {objects} {names} {was|were} added").
				Or("value", "a new {object} was introduced and set to {new}"),
			fact.Claim("variable-removed", fact.Value, "the {objects} {names} {was|were} removed").
				Or("value", "the {object}, which was set to {new}, was removed"),
			fact.Claim("value-wrapped", fact.Value, "{object} is now passed through {new}").Or("made", "{object} is now wrapped in a new {new}"),
		},
	)
}
