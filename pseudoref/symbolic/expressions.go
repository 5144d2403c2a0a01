package symbolic

import (
	"strings"

	"crscore/internal/syntax"
)

// replaced says that one node stands where another stood.
func (w *writer) replaced(e edit) {
	a, b := unnested(e.old), unnested(e.new)
	where := inside(b)
	at := placeOf(b)
	if w.spread(e) || w.condition(e) || w.catchHead(e) {
		return
	}
	if w.macroBody(b) {
		return
	}
	if a.field() == "pattern" && b.field() == "pattern" && b.parent().is(syntax.Variable) && w.fresh[b.parent().child("alternative")] {
		return // what comes of no match is said
	}
	switch {
	case !a.named() || !b.named():
		w.operatorChanged(a, b, e)
		return
	case a.is(syntax.Comment) && b.is(syntax.Comment):
		w.commentChanged(a, b, at)
		return
	case isBody(a) && isBody(b) && a.is(syntax.Block) != b.is(syntax.Block) && a.is(syntax.Block, syntax.Return) && b.is(syntax.Block, syntax.Return):
		// An expression took the place of a block, or a block that of one.
		d := newDiffer()
		d.lists(a, b, body(a.parent()), body(b.parent()), 0)
		w.describe(d.edits)
		return
	case b.is(syntax.Tag):
		w.tag(a, b)
		return
	case b.is(syntax.Receiver):
		w.receiverChanged(a, b)
		return
	case b.kind() == "default_method_clause" && a.is(syntax.Block):
		w.say(b, wSignature, "defaulted", "", declaredName(b.parent())+" is now the one that the compiler makes instead of one of its own")
		return
	case e.newIn.is(syntax.Import) || b.under(syntax.Import).ok():
		w.importChanged(a.under(syntax.Import), b.under(syntax.Import))
		return
	case a.is(syntax.Import) && b.is(syntax.Import), isRequire(a) && isRequire(b):
		w.importChanged(a, b)
		return
	case b.is(syntax.Declarator) && a.is(syntax.Identifier) && nameOf(b) == a.text() && valueOf(b).ok():
		w.say(b, wValue, "value-added", where, code(a.text())+" is now set to "+say(valueOf(b))+" where it is declared")
		return
	case a.is(syntax.Declarator) && b.is(syntax.Identifier) && nameOf(a) == b.text() && valueOf(a).ok():
		w.say(b, wValue, "value-removed", where, code(b.text())+" is now declared without the value "+say(valueOf(a)))
		return
	case a.is(syntax.Identifier, syntax.Type) && w.renamedDeclaration(a, b):
		return
	case a.is(syntax.Type, syntax.TypeArguments) || b.is(syntax.Type, syntax.TypeArguments):
		w.typeChanged(a, b)
		return
	case a.is(syntax.Modifier) && b.is(syntax.Modifier):
		w.modifiersChanged(a, b)
		return
	case a.is(syntax.Heritage) && b.is(syntax.Heritage):
		w.heritageChanged(a, b)
		return
	case b.parent().is(syntax.Heritage) && a.parent().is(syntax.Heritage):
		w.heritageChanged(a.parent(), b.parent())
		return
	case b.parent().is(syntax.Goto) && b.field() == "label":
		w.say(b, wBehaviour, "goto-changed", where, "the code now jumps to "+code(b.text())+" instead of "+code(a.text())+guard(b.parent()))
		return
	case a.is(syntax.Label) && b.is(syntax.Label) && b.kind() == "access_specifier":
		c := b.under(syntax.Class)
		w.say(b, wSignature, "section-changed", "", "a "+code(a.text())+" section of the "+classWord(c)+" "+code(nameOf(c))+" was made "+code(b.text()))
		return
	case b.field() == "left" && b.parent().is(syntax.Assign) && a.field() == "left":
		_, r := sides(b.parent())
		w.say(b, wValue, "assignment-target", where, say(r)+" is now assigned to "+code(b.text())+" instead of "+code(a.text()))
		return
	case a.is(syntax.Parameter) || b.is(syntax.Parameter) || b.parent().is(syntax.Parameters) || b.field() == "declarator" && b.parent().is(syntax.Parameter):
		if b.field() == "declarator" && a.parent().is(syntax.Parameter) {
			a, b = a.parent(), b.parent()
		}
		if a.traits().SpreadTypes && a.is(syntax.Parameter) && b.is(syntax.Parameter) && parameterName(a) == parameterName(b) && valueOf(a).text() == valueOf(b).text() && w.spreadChanged(a, b) {
			return
		}
		if w.parameterChanged(a, b) {
			return
		}
		_, owner := ownerOf(b)
		if x, y := a.child("type").text(), b.child("type").text(); b.kind() == "variadic_parameter_declaration" && a.kind() != b.kind() && x == y {
			w.say(b, wSignature, "parameter-variadic", "", owner+" now takes any number of values in "+code(parameterName(b))+" instead of one value of type "+code(x))
			return
		}
		w.say(b, wSignature, "parameter-changed", "", "the parameter "+code(a.text())+" of "+owner+" was changed to "+code(b.text()))
		return
	case a.is(syntax.Decorator) && b.is(syntax.Decorator) && w.derives(a, b):
		return
	case a.parent().is(syntax.Decorator) && b.parent().is(syntax.Decorator) && a.is(syntax.Identifier, syntax.Member) && b.is(syntax.Identifier, syntax.Member):
		word := annotationWord(b.parent())
		w.say(b, wDeclare, "annotation-changed", "", "the "+word+" "+code(a.parent().text())+" of "+declaredName(declared(b.parent()))+" was replaced by "+code(b.parent().text()))
		return
	case a.is(syntax.Decorator) && b.is(syntax.Decorator):
		w.say(b, wDeclare, "annotation-changed", "", "the "+annotationWord(b)+" "+code(a.text())+" of "+declaredName(declared(b))+" was changed to "+code(b.text()))
		return
	case a.is(syntax.String) && b.is(syntax.String) && (e.new.is(syntax.ExpressionStatement) || b.parent().is(syntax.ExpressionStatement)):
		w.docsChanged(b, "docs-changed", where, "docstring", "", readDoc(unquoted(a.text())), readDoc(unquoted(b.text())))
		return
	}
	if a.kind() == "heredoc_body" && b.kind() == "heredoc_body" {
		w.retell(b, "text-changed", wValue, where, "the text of the heredoc", a.text(), b.text())
		return
	}
	if statementLike(e.new) || statement(b) {
		if w.statementChanged(a, b, at) {
			return
		}
	}
	w.valueChanged(a, b, at)
}

// statementChanged says how a statement became another one.
func (w *writer) statementChanged(a, b item, at place) bool {
	where := at.String()
	switch {
	case a.is(syntax.Assign, syntax.AugAssign) && b.is(syntax.Assign, syntax.AugAssign) && compound(a)+compound(b) != "":
		if compound(a) == compound(b) && target(a) == target(b) {
			w.valueChanged(assigned(a), assigned(b), at)
			return true
		}
		w.say(b, wBehaviour, "statement-replaced", where, headline(a)+" was replaced by "+headline(b))
		return true
	case a.is(syntax.Assign) && b.is(syntax.Assign) || a.is(syntax.Variable) && b.is(syntax.Variable) || a.is(syntax.Field) && b.is(syntax.Field) || a.is(syntax.Variable, syntax.Assign) && b.is(syntax.Variable, syntax.Assign):
		x, y := target(a), target(b)
		va, vb := assigned(a), assigned(b)
		if x == y && b.traits().SpreadTypes && bare(a) != bare(b) && w.spreadChanged(a, b) {
			if va.ok() && vb.ok() && va.hash() != vb.hash() {
				w.valueChanged(va, vb, at)
			}
			return true
		}
		if x == y && va.ok() != vb.ok() {
			if vb.ok() {
				w.say(b, wValue, "value-added", where, code(y)+" is now set to "+say(vb)+" where it is declared")
			} else {
				w.say(b, wValue, "value-removed", where, code(y)+" is now declared without the value "+say(va))
			}
			return true
		}
		if !va.ok() || !vb.ok() {
			break
		}
		if x == y && va.hash() == vb.hash() {
			if x, y := firstWord(a.text()), firstWord(b.text()); a.is(syntax.Variable) && b.is(syntax.Variable) && x != y {
				w.say(b, wValue, "keyword-changed", where, "the variable "+code(target(b))+" is now declared with "+code(y)+" instead of "+code(x))
				return true
			}
			if a.is(syntax.Variable) && b.is(syntax.Assign) {
				w.say(b, wValue, "declaration-removed", where, code(x)+" is no longer declared here but only assigned")
				return true
			}
			if a.is(syntax.Assign) && b.is(syntax.Variable) {
				if b.traits().ErrorValues {
					w.say(b, wBehaviour, "declaration-added", where, code(x)+" is now declared with `:=`, so this is another variable than the outer "+code(x))
					return true
				}
				w.say(b, wValue, "declaration-added", where, code(x)+" is now declared here instead of only assigned")
				return true
			}
		}
		if x == y {
			w.valueChanged(va, vb, at)
			return true
		}
		if va.hash() == vb.hash() {
			w.say(b, wValue, "assignment-target", where, say(vb)+" is now assigned to "+code(y)+" instead of "+code(x))
			return true
		}
		w.say(b, wValue, "assignment-changed", where, "the assignment of "+code(x)+" was replaced: "+code(y)+" is now set to "+say(vb))
		w.details(vb, code(y))
		return true
	case a.is(syntax.TypeAlias) && b.is(syntax.TypeAlias) && nameOf(a) == nameOf(b) && a.kind() != b.kind() && a.child("type").hash() == b.child("type").hash():
		w.say(b, wDetail, "type-alias-style", "", "the type "+code(nameOf(b))+" is now defined with "+code(firstWord(b.text()))+" instead of "+code(firstWord(a.text())))
		return true
	case w.declaredAgain(a, b):
		return true
	case a.is(syntax.Return) && b.is(syntax.Return):
		if x, y := returned(a), returned(b); x.ok() && y.ok() && exits(a) == exits(b) {
			w.valueChanged(x, y, at)
			return true
		}
		return false
	case a.is(syntax.Throw) && b.is(syntax.Throw):
		x, mx := thrown(a)
		y, my := thrown(b)
		switch {
		case x != y:
			w.say(b, wBehaviour, "throw-changed", "", at.subject()+" now "+raises(b)+" "+code(y)+" instead of "+code(x)+guard(b))
			w.follows(b, "throw-changed-handlers", "code that catches "+code(x)+" from "+at.subject()+" must be updated")
		case mx != my && my != "":
			w.say(b, wValue, "message-changed", where, "the message of the thrown "+code(y)+" was changed to "+my)
		default:
			return false
		}
		return true
	case a.is(syntax.Call, syntax.Await) && b.is(syntax.Call, syntax.Await):
		w.valueChanged(a, b, at)
		return true
	case a.is(syntax.If) && b.is(syntax.If) && conditional(a) && conditional(b):
		w.say(b, wBehaviour, "compiled-changed", where, "code is now compiled when "+runsWhen(b, true)+" instead of when "+runsWhen(a, true))
		w.inside(a, b)
		return true
	case a.is(syntax.If) && b.is(syntax.If):
		w.say(b, wBehaviour, "condition-changed", where, "the check whether "+runsWhen(a, true)+" was replaced by a check whether "+runsWhen(b, true))
		if e := effects(body(b)); len(e) > 0 {
			w.each(b, wDetail, "condition-effect", "", "if "+runsWhen(b, true)+", "+at.subject()+" now ", e)
		}
		return true
	case a.is(syntax.Case) && b.is(syntax.Case) && caseLabel(a) == caseLabel(b):
		x, y := caseResult(a), caseResult(b)
		if !x.ok() || !y.ok() {
			return false
		}
		if x.hash() != y.hash() {
			w.say(b, wValue, "value-changed", where, "the result for "+caseLabel(b)+" was changed from "+say(x)+" to "+say(y))
		}
		return true
	case a.is(syntax.Assert) && b.is(syntax.Assert):
		w.say(b, wBehaviour, "assert-changed", where, "the assertion "+code(a.text())+" was changed to "+code(b.text()))
		return true
	}
	if b.is(syntax.Return) && !a.is(syntax.Return) {
		if k := b.namedKids(); len(k) > 0 {
			what := at.subject() + " now returns " + say(k[0]) + " instead of only executing " + noun(a, "the")
			if v := assigned(a); a.is(syntax.Variable, syntax.Assign) && v.ok() {
				what = at.subject() + " now returns " + say(k[0])
				if strip(v).hash() == strip(k[0]).hash() {
					what += " at once, without the variable " + code(target(a))
				}
			}
			if strip(k[0]).hash() == a.hash() {
				what = at.subject() + " now returns the result of " + noun(a, "the")
			}
			w.say(b, wBehaviour, "return-added", "", what)
			return true
		}
	}
	if k := a.namedKids(); a.is(syntax.Return) && b.is(syntax.Call) && len(k) > 0 && b.frag.Table.Tails() && !b.next().ok() {
		w.say(b, wBehaviour, "return-changed", "", at.subject()+" now returns the result of "+noun(b, "the")+" instead of "+say(k[0]))
		return true
	}
	if c := condition(b); b.is(syntax.If) && strip(a).is(syntax.Call) {
		for _, x := range append([]item{c}, c.find(10, nil, syntax.Call)...) {
			if x.hash() == strip(a).hash() {
				w.say(b, wBehaviour, "result-checked", where, "the result of "+noun(a, "the")+" is now checked")
				if e := effects(body(b)); len(e) > 0 {
					w.each(b, wDetail, "condition-effect", "", "if "+runsWhen(b, true)+", "+at.subject()+" now ", e)
				}
				return true
			}
		}
	}
	if x, y := firstWord(a.text()), firstWord(b.text()); a.is(syntax.Loop) && b.is(syntax.Loop) && x != y && condition(a).ok() && condition(a).hash() == condition(b).hash() {
		w.say(b, wBehaviour, "loop-kind-changed", where, "the "+code(x)+" loop became a "+code(y)+" loop with the same condition")
		return true
	}
	w.say(b, wBehaviour, "statement-replaced", where, strings.TrimPrefix(noun(a, "the"), "the code ")+" was replaced by "+strings.TrimPrefix(noun(b, "a"), "a code "))
	if b.is(syntax.If) && !conditional(b) {
		if e := effects(body(b)); len(e) > 0 {
			w.each(b, wDetail, "condition-effect", "", "if "+runsWhen(b, true)+", "+at.subject()+" now ", e)
		}
	} else if d := does(b, 0); d != "" && b.is(syntax.Assign, syntax.Variable, syntax.Throw) {
		w.say(b, wDetail, "statement-effect", "", at.subject()+" now "+d+guard(b))
	}
	return true
}
