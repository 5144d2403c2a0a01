package symbolic

import (
	"strings"

	"crscore/internal/syntax"
)

// replaced says that one node stands where another stood.
func (w *writer) replaced(e edit) {
	a, b := unnested(e.old), unnested(e.new)
	where, at := inside(b), placeOf(b)
	both := func(roles ...syntax.Role) bool { return a.is(roles...) && b.is(roles...) }
	switch {
	case w.spread(e), w.condition(e), w.catchHead(e), a.is(syntax.Type) && a.text() == b.text():
	case a.field() == "pattern" && b.field() == "pattern" && b.parent().is(syntax.Variable) && w.fresh[b.parent().child("alternative")]:
		// What comes of no match is said.
	case !a.named() || !b.named():
		w.operatorChanged(a, b)
	case both(syntax.Comment):
		w.commentChanged(a, b, at)
	case isBody(a) && isBody(b) && a.is(syntax.Block) != b.is(syntax.Block) && both(syntax.Block, syntax.Return):
		// An expression took the place of a block, or a block that of one.
		d := newDiffer()
		d.lists(a, b, body(a.parent()), body(b.parent()), 0)
		w.describe(d.edits)
	case b.is(syntax.Declarator) && a.is(syntax.Identifier) && nameOf(b) == a.text() && valueOf(b).ok():
		w.valued(b, a.text(), valueOf(b), true)
	case a.is(syntax.Declarator) && b.is(syntax.Identifier) && nameOf(a) == b.text() && valueOf(a).ok():
		w.valued(b, b.text(), valueOf(a), false)
	case w.declarationChanged(a, b, e):
	case b.field() == "left" && b.parent().is(syntax.Assign) && a.field() == "left":
		_, r := sides(b.parent())
		w.say(b, wValue, "assignment-target", where, say(r)+" is now assigned to "+code(b.text())+" instead of "+code(a.text()))
	case both(syntax.String) && (e.new.is(syntax.ExpressionStatement) || b.parent().is(syntax.ExpressionStatement)):
		w.docsChanged(b, "docs-changed", where, "docstring", "", readDoc(unquoted(a.text())), readDoc(unquoted(b.text())))
	case (statementLike(e.new) || statement(b)) && w.statementChanged(a, b, at):
	default:
		w.valueChanged(a, b, at)
	}
}

// declarationChanged says how a declaration, or what belongs to one, became another.
// It answers false for anything else.
func (w *writer) declarationChanged(a, b item, e edit) bool {
	both := func(roles ...syntax.Role) bool { return a.is(roles...) && b.is(roles...) }
	switch {
	case b.is(syntax.Tag):
		w.tag(a, b)
	case b.is(syntax.Receiver):
		w.receiverChanged(a, b)
	case e.newIn.is(syntax.Import) || b.under(syntax.Import).ok():
		w.importChanged(a.under(syntax.Import), b.under(syntax.Import))
	case both(syntax.Import), isRequire(a) && isRequire(b):
		w.importChanged(a, b)
	case a.is(syntax.Identifier, syntax.Type) && w.renamedDeclaration(a, b):
	case a.is(syntax.Type, syntax.TypeArguments) || b.is(syntax.Type, syntax.TypeArguments):
		w.typeChanged(a, b)
	case both(syntax.Modifier):
		w.modifiersChanged(a, b)
	case both(syntax.Heritage):
		w.heritageChanged(a, b)
	case b.parent().is(syntax.Heritage) && a.parent().is(syntax.Heritage):
		w.heritageChanged(a.parent(), b.parent())
	case a.is(syntax.Parameter) || b.is(syntax.Parameter) || b.parent().is(syntax.Parameters) || b.field() == "declarator" && b.parent().is(syntax.Parameter):
		if b.field() == "declarator" && a.parent().is(syntax.Parameter) {
			a, b = a.parent(), b.parent()
		}
		if a.traits().SpreadTypes && both(syntax.Parameter) && parameterName(a) == parameterName(b) && valueOf(a).text() == valueOf(b).text() && w.spreadChanged(a, b) || w.parameterChanged(a, b) {
			break
		}
		_, owner := ownerOf(b)
		w.say(b, wSignature, "parameter-changed", "", "the parameter "+code(a.text())+" of "+owner+" was changed to "+code(b.text()))
	case both(syntax.Decorator):
		w.say(b, wDeclare, "annotation-changed", "", "the "+annotationWord(b)+" of "+declaredName(declared(b))+" was changed from "+code(a.text())+" to "+code(b.text()))
	default:
		return false
	}
	return true
}

// valued says that a variable has a value where it is declared, or no longer.
func (w *writer) valued(n item, name string, val item, added bool) {
	w.say(n, wValue, "value-"+verb(added), inside(n), "the value of "+code(name)+" is "+now(added)+" "+say(val))
}

// statementChanged says how a statement became another one. It answers false where
// the difference lies deeper.
func (w *writer) statementChanged(a, b item, at place) bool {
	both := func(roles ...syntax.Role) bool { return a.is(roles...) && b.is(roles...) }
	switch {
	case both(syntax.Assign, syntax.AugAssign) && compound(a) != "" && compound(a) == compound(b) && target(a) == target(b):
		w.valueChanged(assigned(a), assigned(b), at)
		return true
	case both(syntax.Variable, syntax.Assign, syntax.AugAssign) || both(syntax.Field):
		if w.assignmentChanged(a, b, at) {
			return true
		}
	case w.declaredAgain(a, b):
		return true
	case both(syntax.Return):
		x, y := returned(a), returned(b)
		if x.ok() && y.ok() && exits(a) == exits(b) {
			w.valueChanged(x, y, at)
		}
		return x.ok() && y.ok() && exits(a) == exits(b)
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
	case b.is(syntax.Return) && returned(b).ok():
		w.say(b, wBehaviour, "return-added", "", at.subject()+" now returns "+say(returned(b)))
		return true
	case a.is(syntax.Return) && b.is(syntax.Call) && returned(a).ok() && b.frag.Table.Tails() && !b.next().ok():
		w.swapped(b, wBehaviour, "return-changed", "", at.subject(), "returns", say(b), say(returned(a)))
		return true
	}
	from, to := strings.TrimPrefix(noun(a, "the"), "the "), noun(b, "a")
	alike := an(from) == to || both(syntax.Assign, syntax.AugAssign, syntax.Variable) && target(a) == target(b)
	if alike { // the difference lies in what they are not named by
		from, to = headline(a), headline(b)
	} else {
		from = strings.TrimPrefix("the "+from, "the code ")
	}
	w.say(b, wBehaviour, "statement-replaced", at.String(), from+" was replaced by "+strings.TrimPrefix(to, "a code "))
	if b.is(syntax.If) && !conditional(b) {
		w.conditionEffects(b, at)
	} else if d := does(b, 0); !alike && d != "" && b.is(syntax.Assign, syntax.Variable, syntax.Throw) {
		w.say(b, wDetail, "statement-effect", "", at.subject()+" now "+d+guard(b))
	}
	return true
}

// conditionEffects says what happens if the condition of an if holds.
func (w *writer) conditionEffects(n item, at place) {
	w.each(n, wDetail, "condition-effect", "", "if "+runsWhen(n, true)+", "+at.subject()+" now ", effects(body(n)))
}

// assignmentChanged says how an assignment or a declaration became another. It
// answers false for those without a value.
func (w *writer) assignmentChanged(a, b item, at place) bool {
	x, y, va, vb := target(a), target(b), assigned(a), assigned(b)
	switch same := va.hash() == vb.hash(); {
	case x == y && b.traits().SpreadTypes && bare(a) != bare(b) && w.spreadChanged(a, b):
		if va.ok() && vb.ok() && !same {
			w.valueChanged(va, vb, at)
		}
	case x == y && va.ok() != vb.ok():
		val := va
		if vb.ok() {
			val = vb
		}
		w.valued(b, y, val, vb.ok())
	case !va.ok() || !vb.ok(), x == y && same, compound(a)+compound(b) != "":
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
