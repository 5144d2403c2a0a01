package rules

import (
	"cmp"
	"slices"
	"strings"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// single says that a node was added or removed. The node is tried as a declaration, as a
// statement and as what holds others; what is none of them is a part of an expression.
func (w *writer) single(n tree.Node, e treediff.Edit, added bool) {
	outer := n
	n = tree.Unnested(n)
	if w.done[n] || w.done[outer] || w.spread(e) {
		return
	}
	at := phrase.PlaceOf(n)
	switch {
	case cutName(n):
		for _, d := range n.Find(20, nil, syntax.Decorator) {
			w.decorator(d, added)
		}
	case !n.Frag.Whole && n.Is(syntax.Assign) && strings.HasSuffix(strings.TrimSpace(n.Text()), ","): // of a list that the hunk leaves out
	case e.Link:
		args := tree.Arguments(n)
		call := phrase.ShownName(n) + phrase.Either(strings.HasPrefix(args.Text(), "{"), " ", "") + args.Text()
		link := phrase.Either(args.Ok(), args, n) // where the link stands, not the chain before it
		w.add(link, "chain-"+fact.Verb(added), at.String(), fact.Slots{}, phrase.Code(call))
	case w.declaration(n, e, at, added), w.statement(n, outer, e, at, added), w.small(n, at.String(), added), w.nested(n, e, added): // told
	default:
		w.part(n, e, added)
	}
}

// declaration says that a declaration was added or removed. It answers false for anything else.
func (w *writer) declaration(n tree.Node, e treediff.Edit, at phrase.Place, added bool) bool {
	r := n.Role()
	switch {
	case phrase.Conditional(n) && n.Is(syntax.If, syntax.ElseIf, syntax.Else):
		w.compiled(n, at, added)
	case r == syntax.Import, tree.RequireName(n) != "":
		w.imports(n, added)
	case r.IsFunction():
		w.function(n, at, added)
	case r.IsClass():
		w.class(n, added)
	case r == syntax.EnumMember:
		of := " " + phrase.ToFrom(added) + " the enum " + phrase.Code(tree.NameOf(n.Under(syntax.Enum)))
		w.add(n, "field-"+fact.Verb(added), "", fact.Slots{Object: "member", Of: of}, phrase.Code(tree.NameOf(n)))
	case r == syntax.Field && perhapsLocal(n):
		w.variable(n, at, added)
	case r == syntax.Field || r == syntax.Variable && phrase.MemberOnly(n) || isFieldAssignment(n, at):
		w.field(n, at, added)
	case r == syntax.Parameter, e.NewIn.Is(syntax.Parameters), e.OldIn.Is(syntax.Parameters),
		n.Field() == "name" && len(sharing(n.Parent())) > 1:
		w.parameter(n, added)
	case r == syntax.Decorator:
		w.decorator(n, added)
	case r == syntax.Modifier || n.Parent().Is(syntax.Modifier):
		w.modifier(n, added)
	case r == syntax.Heritage:
		c := n.Under(syntax.Class, syntax.Interface, syntax.Enum)
		if words := heritageWords(n); words != "" {
			s := fact.Slots{Form: "deed", Object: phrase.ClassWord(c) + " " + phrase.Code(tree.NameOf(c)), Detail: words}
			w.add(n, "statement-"+fact.Verb(added), "", s)
		}
	case r == syntax.Comment:
		w.comment(n, at, added)
	default:
		return false
	}
	return true
}

// statement says that a statement was added or removed. It answers false for what is none.
func (w *writer) statement(n, outer tree.Node, e treediff.Edit, at phrase.Place, added bool) bool {
	r := n.Role()
	switch {
	case r == syntax.Package, n.Kind() == "pass_statement", n.Text() == "#pragma once": // part of every new file, and nothing
	case isDocstring(n, outer):
		w.docstring(n, at, added)
	case n.Is(syntax.Variable, syntax.Declarator):
		declares := func(d tree.Node) bool { return tree.NameOf(d) == tree.NameOf(n) }
		around := e.NewIn.Find(200, syntax.Role.IsFunction, syntax.Declarator, syntax.Variable)
		if added || !slices.ContainsFunc(around, declares) { // else it is declared elsewhere now, in what was put around
			w.variable(n, at, added)
		}
	case n.Is(syntax.Assign, syntax.AugAssign, syntax.Update):
		w.assignment(n, at, added)
	case n.Is(syntax.Call, syntax.New, syntax.Await) && statementLike(outer):
		w.call(n, at, added)
	case r == syntax.Throw || r == syntax.Delete && phrase.Does(n) != "", tree.Appends(n):
		s := fact.Slots{Form: "deed", Object: at.Subject(), Detail: phrase.Does(n) + phrase.Guard(n)}
		w.add(n, "statement-"+fact.Verb(added), "", s)
	default: // what holds others, or leaves them
		tell := map[syntax.Role]func(tree.Node, phrase.Place, bool){
			syntax.If: w.branch, syntax.ElseIf: w.branch, syntax.Else: w.elseBranch, syntax.Loop: w.loop, syntax.Case: w.switchCase,
			syntax.Try: w.try, syntax.Return: w.returns,
		}[r]
		if tell == nil {
			return false
		}
		tell(n, at, added)
	}
	return true
}

// isDocstring tells whether a text is the documentation of what it stands in. In a hunk
// any text may end there that began above it, but for one in three quotes.
func isDocstring(n, outer tree.Node) bool {
	if !n.Is(syntax.String) || !n.Traits().Docstrings || !treediff.Block(outer.Parent()) && !outer.Is(syntax.ExpressionStatement) {
		return false
	}
	return n.Frag.Whole || strings.Contains(n.Text(), `"""`) || strings.Contains(n.Text(), "'''")
}

// small says of a statement that has no words of its own what it is, and that it was
// added or removed: "a `break` statement was added". It answers false for others.
func (w *writer) small(n tree.Node, where string, added bool) bool {
	id, s := "statement-", fact.Slots{}
	switch n.Role() {
	case syntax.Switch:
		s.Object = phrase.Noun(n, "a")
	case syntax.Assert:
		id, s.Object = "assertion-", "the assertion "+phrase.Asserted(n)
	case syntax.TypeAlias:
		id, s.Form, s.Object = "type-", "alias", phrase.Code(tree.NameOf(n))
	case syntax.Break, syntax.Continue, syntax.Yield, syntax.Goto, syntax.Delete, syntax.Defer, syntax.Spawn, syntax.Send:
		what := phrase.Either(n.Size() > phrase.CodeRunes, phrase.Code(phrase.FirstWord(n.Text())), phrase.Headline(n))
		s.Object = phrase.An(what) + " statement" + phrase.Guard(n)
	case syntax.Export:
		s.Object = phrase.Headline(n)
	case syntax.With: // which closes what it opens
		s.Object = phrase.An("`" + phrase.FirstWord(strings.TrimPrefix(n.Text(), "async ")) + "` statement")
		if k := n.NamedKids(); len(k) > 0 && !k[0].Is(syntax.Block) {
			s.Object += " on " + phrase.Say(k[0])
		}
		s.Object += effectsTail(tree.Body(n))
	case syntax.Catch:
		s.Object = "a handler of " + cmp.Or(caught(n), "all errors") + effectsTail(tree.Body(n))
	case syntax.Finally:
		s.Object = phrase.An("`"+phrase.FirstWord(n.Text())+"` block") + effectsTail(tree.Body(n))
	default:
		return false
	}
	w.add(n, id+fact.Verb(added), where, s)
	return true
}

// nested says of what only holds others, such as a block or a namespace, that they were
// added or removed. It answers false for what holds none.
func (w *writer) nested(n tree.Node, e treediff.Edit, added bool) bool {
	within, list := n.NamedKids(), treediff.Edit{}
	switch {
	case n.Is(syntax.Block) && n.Parent().Ok():
	case n.Is(syntax.Namespace), n.Kind() == "linkage_specification":
		within = tree.Body(n)
	case n.Is(syntax.Parameters), n.Is(syntax.Arguments) && n.Parent().Is(syntax.Call):
		list = treediff.Edit{OldIn: n, NewIn: n}
	default:
		if within = n.Find(100, nil, syntax.Import); n.Role() != syntax.Other || len(within) == 0 {
			return false
		}
	}
	for _, k := range within {
		if !w.same.Partner(k).Ok() && !w.done[e.NewIn] {
			w.single(k, list, added)
		}
	}
	return true
}

// statementLike tells whether an expression is a statement of its own.
func statementLike(n tree.Node) bool {
	if phrase.CaseValue(n) || n.Parent().Is(syntax.Case) && n.Field() == "value" {
		return false
	}
	return n.Is(syntax.ExpressionStatement) || n.Parent().Is(syntax.ExpressionStatement) || treediff.Block(n.Parent())
}

// inner lists the moved statements inside a compound statement.
func (w *writer) inner(n tree.Node) []tree.Node {
	var out []tree.Node
	for i := n.I + 1; i < n.Last(); i++ {
		if x := n.Tree.At(i); w.moved[x].Ok() {
			out, i = append(out, x), x.Last()-1
		}
	}
	return out
}

func statementRules() []fact.Rule {
	return slices.Concat(
		fact.Both("assertion", fact.Behaviour, "{object} was {added}"),
		fact.Both("chain", fact.Behaviour, "{a call|calls} to {names} {was|were} {added} {to} the chain of calls"),
		fact.Both("statement", fact.Behaviour, "{object} was {added}", fact.Sentence{Form: "deed", Text: "{object} {now} {detail}"}))
}
