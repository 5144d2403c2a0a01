package symbolic

import (
	"strings"

	"crscore/pseudoref/symbolic/treediff"

	"crscore/pseudoref/symbolic/tree"

	"crscore/internal/syntax"
)

// replaced says that one node stands where another stood.
func (w *writer) replaced(e treediff.Edit) {
	a, b := tree.Unnested(e.Old), tree.Unnested(e.New)
	where, at := inside(b), placeOf(b)
	both := func(roles ...syntax.Role) bool { return a.Is(roles...) && b.Is(roles...) }
	switch {
	case w.spread(e), w.condition(e), a.Is(syntax.Type) && a.Text() == b.Text():
	case a.Field() == "pattern" && b.Field() == "pattern" && b.Parent().Is(syntax.Variable) && w.fresh[b.Parent().Child("alternative")]:
		// What comes of no match is said.
	case !a.Named() || !b.Named():
		w.operatorChanged(a, b)
	case both(syntax.Comment):
		w.commentChanged(a, b, at)
	case isBody(a) && isBody(b) && a.Is(syntax.Block) != b.Is(syntax.Block) && both(syntax.Block, syntax.Return):
		// An expression took the place of a block, or a block that of one.
		w.describe(treediff.Lists(a, b, tree.Body(a.Parent()), tree.Body(b.Parent())))
	case b.Is(syntax.Declarator) && a.Is(syntax.Identifier) && tree.NameOf(b) == a.Text() && tree.ValueOf(b).Ok():
		w.valued(b, a.Text(), tree.ValueOf(b), true)
	case a.Is(syntax.Declarator) && b.Is(syntax.Identifier) && tree.NameOf(a) == b.Text() && tree.ValueOf(a).Ok():
		w.valued(b, b.Text(), tree.ValueOf(a), false)
	case w.declarationChanged(a, b, e):
	case b.Field() == "left" && b.Parent().Is(syntax.Assign) && a.Field() == "left":
		_, r := tree.Sides(b.Parent())
		w.say(b, wValue, "assignment-target", where, say(r)+" is now assigned to "+code(b.Text())+" instead of "+code(a.Text()))
	case both(syntax.String) && (e.New.Is(syntax.ExpressionStatement) || b.Parent().Is(syntax.ExpressionStatement)):
		w.docsChanged(b, "docs-changed", where, "docstring", "", readDoc(tree.Unquoted(a.Text())), readDoc(tree.Unquoted(b.Text())))
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
	case b.Is(syntax.Receiver):
		w.receiverChanged(a, b)
	case e.NewIn.Is(syntax.Import) || b.Under(syntax.Import).Ok():
		w.importChanged(a.Under(syntax.Import), b.Under(syntax.Import))
	case both(syntax.Import), tree.IsRequire(a) && tree.IsRequire(b):
		w.importChanged(a, b)
	case a.Is(syntax.Identifier, syntax.Type) && w.renamedDeclaration(a, b):
	case a.Is(syntax.Type, syntax.TypeArguments) || b.Is(syntax.Type, syntax.TypeArguments):
		w.typeChanged(a, b)
	case both(syntax.Modifier):
		w.modifiersChanged(a, b)
	case both(syntax.Heritage):
		w.heritageChanged(a, b)
	case b.Parent().Is(syntax.Heritage) && a.Parent().Is(syntax.Heritage):
		w.heritageChanged(a.Parent(), b.Parent())
	case a.Is(syntax.Parameter) || b.Is(syntax.Parameter) || b.Parent().Is(syntax.Parameters) || b.Field() == "declarator" && b.Parent().Is(syntax.Parameter):
		if b.Field() == "declarator" && a.Parent().Is(syntax.Parameter) {
			a, b = a.Parent(), b.Parent()
		}
		if a.Traits().SpreadTypes && both(syntax.Parameter) && tree.ParameterName(a) == tree.ParameterName(b) && tree.ValueOf(a).Text() == tree.ValueOf(b).Text() && w.spreadChanged(a, b) || w.parameterChanged(a, b) {
			break
		}
		_, owner := ownerOf(b)
		w.say(b, wSignature, "parameter-changed", "", "the parameter "+code(a.Text())+" of "+owner+" was changed to "+code(b.Text()))
	case both(syntax.Decorator):
		w.say(b, wDeclare, "annotation-changed", "", "the "+annotationWord(b)+" of "+declaredName(declared(b))+" was changed from "+code(a.Text())+" to "+code(b.Text()))
	default:
		return false
	}
	return true
}

// valued says that a variable has a value where it is declared, or no longer.
func (w *writer) valued(n tree.Node, name string, val tree.Node, added bool) {
	w.say(n, wValue, "value-"+verb(added), inside(n), "the value of "+code(name)+" is "+now(added)+" "+say(val))
}

// statementChanged says how a statement became another one. It answers false where
// the difference lies deeper.
func (w *writer) statementChanged(a, b tree.Node, at place) bool {
	both := func(roles ...syntax.Role) bool { return a.Is(roles...) && b.Is(roles...) }
	switch {
	case both(syntax.Assign, syntax.AugAssign) && tree.Compound(a) != "" && tree.Compound(a) == tree.Compound(b) && tree.Target(a) == tree.Target(b):
		w.valueChanged(assigned(a), assigned(b), at)
		return true
	case both(syntax.Variable, syntax.Assign, syntax.AugAssign) || both(syntax.Field):
		if w.assignmentChanged(a, b, at) {
			return true
		}
	case both(syntax.Return):
		x, y := returned(a), returned(b)
		if x.Ok() && y.Ok() && exits(a) == exits(b) {
			w.valueChanged(x, y, at)
		}
		return x.Ok() && y.Ok() && exits(a) == exits(b)
	case both(syntax.Throw):
		x, _ := thrown(a)
		if y, _ := thrown(b); x == y {
			return false
		}
	case both(syntax.Call, syntax.Await):
		w.valueChanged(a, b, at)
		return true
	case both(syntax.If):
		w.say(b, wBehaviour, "condition-changed", at.String(), "the check whether "+runsWhen(a, true)+" was replaced by a check whether "+runsWhen(b, true))
		w.conditionEffects(b, at)
		return true
	case both(syntax.Case) && caseLabel(a) == caseLabel(b):
		return false
	case b.Is(syntax.Return) && returned(b).Ok():
		w.say(b, wBehaviour, "return-added", "", at.subject()+" now returns "+say(returned(b)))
		return true
	case a.Is(syntax.Return) && b.Is(syntax.Call) && returned(a).Ok() && b.Frag.Table.Tails() && !b.Next().Ok():
		w.swapped(b, wBehaviour, "return-changed", "", at.subject(), "returns", say(b), say(returned(a)))
		return true
	}
	from, to := strings.TrimPrefix(noun(a, "the"), "the "), noun(b, "a")
	alike := an(from) == to || both(syntax.Assign, syntax.AugAssign, syntax.Variable) && tree.Target(a) == tree.Target(b)
	if alike { // the difference lies in what they are not named by
		from, to = headline(a), headline(b)
	} else {
		from = strings.TrimPrefix("the "+from, "the code ")
	}
	w.say(b, wBehaviour, "statement-replaced", at.String(), from+" was replaced by "+to)
	if b.Is(syntax.If) && !conditional(b) {
		w.conditionEffects(b, at)
	} else if d := does(b, 0); !alike && d != "" && b.Is(syntax.Assign, syntax.Variable, syntax.Throw) {
		w.say(b, wDetail, "statement-effect", "", at.subject()+" now "+d+guard(b))
	}
	return true
}

// conditionEffects says what happens if the condition of an if holds.
func (w *writer) conditionEffects(n tree.Node, at place) {
	w.each(n, wDetail, "condition-effect", "", "if "+runsWhen(n, true)+", "+at.subject()+" now ", effects(tree.Body(n)))
}

// assignmentChanged says how an assignment or a declaration became another. It
// answers false for those without a value.
func (w *writer) assignmentChanged(a, b tree.Node, at place) bool {
	x, y, va, vb := tree.Target(a), tree.Target(b), assigned(a), assigned(b)
	switch same := va.Hash() == vb.Hash(); {
	case x == y && b.Traits().SpreadTypes && spreadType(a) != spreadType(b) && w.spreadChanged(a, b):
		if va.Ok() && vb.Ok() && !same {
			w.valueChanged(va, vb, at)
		}
	case x == y && va.Ok() != vb.Ok():
		val := va
		if vb.Ok() {
			val = vb
		}
		w.valued(b, y, val, vb.Ok())
	case !va.Ok() || !vb.Ok(), x == y && same, tree.Compound(a)+tree.Compound(b) != "":
		return false
	case x == y:
		w.valueChanged(va, vb, at)
	case same:
		w.say(b, wValue, "assignment-target", at.String(), say(vb)+" is now assigned to "+code(y)+" instead of "+code(x))
	default:
		w.say(b, wValue, "assignment-changed", at.String(), "the assignment of "+code(x)+" was replaced: "+code(y)+" is now set to "+say(vb))
		w.details(vb, code(y))
	}
	return true
}
