package rules

import (
	"strings"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/texts"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// replaced says that one node stands where another stood. Conditions, declarations and
// statements have claims of their own; what is left is a value that changed.
func (w *writer) replaced(e treediff.Edit) {
	a, b := tree.Unnested(e.Old), tree.Unnested(e.New)
	where, at := phrase.Inside(b), phrase.PlaceOf(b)
	both := func(roles ...syntax.Role) bool { return a.Is(roles...) && b.Is(roles...) }
	switch {
	case w.spread(e), w.condition(e), a.Is(syntax.Type) && a.Text() == b.Text():
	case !a.Named() || !b.Named():
		w.operatorChanged(a, b)
	case both(syntax.Comment):
		w.commentChanged(a, b, at)
	case w.declarationChanged(a, b, e):
	case b.Field() == "left" && b.Parent().Is(syntax.Assign) && a.Field() == "left":
		_, r := tree.Sides(b.Parent())
		w.add(b, "assignment-target", where, fact.Slots{Object: phrase.Say(r), Old: phrase.Code(a.Text()), New: phrase.Code(b.Text())})
	case both(syntax.String) && b.Traits().Docstrings &&
		(e.New.Is(syntax.ExpressionStatement) || b.Parent().Is(syntax.ExpressionStatement)):
		from, to := texts.ReadDoc(tree.Unquoted(a.Text())), texts.ReadDoc(tree.Unquoted(b.Text()))
		w.tellAll(b, "comment-changed", where, texts.DocsChanged("the docstring", "", from, to))
	case (statementLike(e.New) || tree.Statement(b)) && w.statementChanged(a, b, at):
	default:
		w.valueChanged(a, b, at)
	}
}

// declarationChanged says how a declaration, or what belongs to one, became another.
// It answers false for anything else.
func (w *writer) declarationChanged(a, b tree.Node, e treediff.Edit) bool {
	both := func(roles ...syntax.Role) bool { return a.Is(roles...) && b.Is(roles...) }
	switch {
	case e.NewIn.Is(syntax.Import) || b.Under(syntax.Import).Ok():
		w.importChanged(a.Under(syntax.Import), b.Under(syntax.Import))
	case both(syntax.Import), tree.RequireName(a) != "" && tree.RequireName(b) != "":
		w.importChanged(a, b)
	case a.Is(syntax.Identifier, syntax.Type) && w.renamedDeclaration(a, b):
	case a.Is(syntax.Type, syntax.TypeArguments) || b.Is(syntax.Type, syntax.TypeArguments):
		w.typeChanged(a, b)
	case a.Is(syntax.Parameter), b.Is(syntax.Parameter), b.Parent().Is(syntax.Parameters),
		b.Field() == "declarator" && b.Parent().Is(syntax.Parameter):
		_, owner := phrase.OwnerOf(b)
		w.add(b, "parameter-changed", "", fact.Slots{Of: owner, Old: phrase.Code(a.Text()), New: phrase.Code(b.Text())})
	default:
		return false
	}
	return true
}

// statementChanged says how a statement became another one. It answers false where
// the difference lies deeper.
func (w *writer) statementChanged(a, b tree.Node, at phrase.Place) bool {
	both := func(roles ...syntax.Role) bool { return a.Is(roles...) && b.Is(roles...) }
	switch {
	case (both(syntax.Variable, syntax.Assign, syntax.AugAssign) || both(syntax.Field)) && w.assignmentChanged(a, b, at):
		return true
	case both(syntax.Return) && phrase.Returned(a).Ok() && phrase.Returned(b).Ok() && phrase.Exits(a) == phrase.Exits(b):
		w.valueChanged(phrase.Returned(a), phrase.Returned(b), at)
		return true
	case both(syntax.Call, syntax.Await):
		w.valueChanged(a, b, at)
		return true
	case both(syntax.If):
		w.add(b, "condition-changed", at.String(), fact.Slots{Form: "replaced", Old: phrase.RunsWhen(a, true), New: phrase.RunsWhen(b, true)})
		w.effects(b, "condition-effect", "", fact.Slots{Of: under(b), Object: at.Subject()}, tree.Body(b))
		return true
	}
	from, to := strings.TrimPrefix(phrase.Noun(a, "the"), "the "), phrase.Noun(b, "a")
	alike := phrase.An(from) == to || phrase.Headline(a) == phrase.Headline(b) || // of long code the beginning
		both(syntax.Assign, syntax.AugAssign, syntax.Variable) && tree.Target(a) == tree.Target(b)
	if alike { // the difference lies in what they are not named by
		from, to = phrase.Apart(strings.TrimRight(a.Text(), ";"), strings.TrimRight(b.Text(), ";"))
	} else {
		from = strings.TrimPrefix("the "+from, "the code ")
	}
	w.add(b, "statement-replaced", at.String(), fact.Slots{Old: from, New: to})
	return true
}

// assignmentChanged says how an assignment or a declaration became another. It
// answers false for those without a value, or with another type.
func (w *writer) assignmentChanged(a, b tree.Node, at phrase.Place) bool {
	x, y, va, vb := tree.Target(a), tree.Target(b), phrase.Assigned(a), phrase.Assigned(b)
	switch {
	case !va.Ok() || !vb.Ok() || x == y && va.Hash() == vb.Hash(), tree.Compound(a)+tree.Compound(b) != "",
		b.Traits().SpreadTypes && spreadType(spreadWords(a)) != spreadType(spreadWords(b)):
		return false
	case x != y: // another name is set now
		w.add(b, "assignment-changed", at.String(), fact.Slots{Object: phrase.Code(y), Old: phrase.Code(x), New: phrase.Say(vb)})
	default:
		w.valueChanged(va, vb, at)
	}
	return true
}

func replacementRules() []fact.Rule {
	return []fact.Rule{
		fact.Claim("assignment-changed", fact.Value, "the assignment of {old} was replaced: {object} is now set to {new}"),
		fact.Claim("assignment-target", fact.Value, "{object} is now assigned to {new} instead of {old}"),
		fact.Claim("parameter-changed", fact.Signature, "the parameter {old} of {of} was changed to {new}"),
		fact.Claim("statement-replaced", fact.Behaviour, "{old} was replaced by {new}"),
	}
}
