package symbolic

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
)

// part says that a part of an expression was added or removed.
func (w *writer) part(n item, e edit, added bool) {
	v, where := verb(added), inside(n)
	if e.oldIn.ok() && e.newIn.ok() && w.condition(e) {
		return
	}
	if !n.named() {
		w.keyword(n, added)
		return
	}
	if n.is(syntax.Type, syntax.TypeArguments) {
		w.typePart(n, added)
		return
	}
	in := e.newIn
	if !added {
		in = e.oldIn
	}
	switch {
	case isPair(n) || n.is(syntax.Spread) && in.is(syntax.Collection):
		of := ""
		if s := slotOf(n); s.phrase != "" {
			of = " " + toFrom(added) + " " + strings.TrimPrefix(s.phrase, "the value of ")
		}
		if t := in.parent(); n.traits().LiteralFields && isPair(n) && simpleName(strip(n.namedKids()[0]).text()) && t.child("type").kind() != "map_type" {
			of := ""
			if t.is(syntax.New) && !t.frag.Framed(t.node().start) {
				of = " of the new `" + callee(t) + "`"
			}
			w.literalField(n, of, where, added)
			return
		}
		if val := valueOf(n); added && val.ok() && w.freshPairs(in) < 3 {
			w.say(n, wValue, "key-added", where, "the key "+code(nameOf(n))+" was added"+of+" with the value "+say(val))
			return
		}
		name := nameOf(n)
		if name == "" {
			name = n.text()
		}
		w.names(n, wValue, "key-"+v, where, "the key "+slot+" was "+v+of, "the keys "+slot+" were "+v+of, code(name))
	case framed(in, in) && !framedCall(in) && n.is(syntax.Collection, syntax.New, syntax.String, syntax.Number, syntax.Identifier, syntax.Call, syntax.Parens):
		// In a list that the hunk does not show.
		w.names(n, wValue, "entry-"+v, where, "the entry "+slot+" was "+v, "the entries "+slot+" were "+v, say(n))
	case n.is(syntax.Lambda) && n.field() == "block" && in.is(syntax.Call):
		if w.done[e.newIn] {
			return // another call took its place
		}
		what := " a block"
		if eff := effects(body(n)); len(eff) > 0 {
			what += " that " + eff[0]
		}
		w.say(n, wBehaviour, "block-"+v, where, callPhrase(in)+map[bool]string{true: " now takes", false: " no longer takes"}[added]+what)
		return
	case in.is(syntax.Arguments):
		s := slotOf(n)
		if x, y := e.oldIn.parent(), e.newIn.parent(); x.is(syntax.Call) && y.is(syntax.Call) && (w.done[y] && len(optionsOf(y)) > 0 || w.optionsChanged(x, y)) {
			return
		}
		if y := e.newIn.parent(); !added && w.done[y] && y.is(syntax.Call) && callee(e.oldIn.parent()) != callee(y) {
			return // another call took its place
		}
		if w.argumentsReplaced(e, s, where) {
			return
		}
		if w.done[s.holder] {
			return // said with the call
		}
		if s.kind == assertSlot {
			w.say(n, wValue, "assertion-argument", where, "the assertion "+code(calledName(s.holder))+map[bool]string{true: " now takes ", false: " no longer takes "}[added]+argument(n))
			return
		}
		if t := s.holder.parent(); added && n.is(syntax.String) && s.holder.is(syntax.New, syntax.Call) && t.is(syntax.Throw) {
			w.say(n, wValue, "message-added", where, "the thrown "+code(callee(s.holder))+" now has the message "+say(n))
			return
		}
		if added {
			if n.is(syntax.Bool) {
				w.follows(n, "boolean-argument", "the bare "+say(n)+" does not tell a reader of the call to "+called(s.holder)+" what it means")
			}
			passes := " now also passes "
			if gone, _ := differing(e.oldIn.namedKids(), in.namedKids()); len(gone) > 0 {
				passes = " now passes "
			}
			w.names(n, wValue, "argument-added", where, s.phrase+passes+slot, s.phrase+passes+slot, argument(n)).group = in
		} else {
			w.names(n, wValue, "argument-removed", where, s.phrase+" no longer passes "+slot, s.phrase+" no longer passes "+slot, argument(n)).group = in
		}
	case n.field() == "range" && in.is(syntax.Loop):
		w.say(n, wBehaviour, "loop-range-"+v, where, "the loop "+map[bool]string{true: "now goes", false: "no longer goes"}[added]+" over "+say(n.child("right")))
	case in.field() == "range" || in.parent().field() == "range":
		w.names(n, wValue, "loop-variable-"+v, where, "the loop "+map[bool]string{true: "now gives", false: "no longer gives"}[added]+" "+slot, "the loop "+map[bool]string{true: "now gives", false: "no longer gives"}[added]+" "+slot, code(n.text()))
	case pattern(in):
		from := "the destructured value"
		if d := in.parent(); d.is(syntax.Declarator) {
			from = say(d.child("value"))
		} else if in.under(syntax.Parameters, syntax.Block).is(syntax.Parameters) {
			_, owner := ownerOf(in)
			from = "the argument of " + owner
		}
		def := ""
		if d := n.child("right"); added && d.ok() {
			def = " with the default " + say(d)
		}
		name := n
		if k := n.child("left", "key"); k.ok() {
			name = k
		}
		is := map[bool]string{true: " now", false: " no longer"}[added]
		w.names(n, wValue, "pattern-"+v, where, slot+" is"+is+" taken from "+from+def, slot+" are"+is+" taken from "+from+def, code(name.text()))
	case in.is(syntax.Collection) && hook(slotOf(in)):
		h := slotOf(in).holder
		w.names(n, wBehaviour, "dependency-"+v, where, slot+" was "+v+" "+toFrom(added)+" the dependencies of "+code(calledName(h)), slot+" were "+v+" "+toFrom(added)+" the dependencies of "+code(calledName(h)), say(n))
		if added {
			w.names(n, wFollows, "dependency-effect", "", "the callback of "+code(calledName(h))+" now runs again or is made anew when "+slot+" changes", "the callback of "+code(calledName(h))+" now runs again or is made anew when "+slot+" change", say(n)).kind = implication
		}
	case framedCall(in):
		now := map[bool]string{true: " now also passes ", false: " no longer passes "}[added]
		w.names(n, wValue, "argument-"+v, where, "a call"+now+slot, "a call"+now+slot, argument(n)).group = in
	case in.is(syntax.Collection):
		s := slotOf(in)
		of := "the list"
		if s.phrase != "" {
			of = s.phrase
		}
		if l := label(n); l.ok() && placeOf(n).test {
			w.names(n, wBehaviour, "test-case-"+v, where, "a test case "+slot+" was "+v, "test cases "+slot+" were "+v, say(l))
			return
		}
		w.names(n, wValue, "element-"+v, where, slot+" was "+v+" "+toFrom(added)+" "+of, slot+" were "+v+" "+toFrom(added)+" "+of, say(n))
	case n.is(syntax.String) && in.is(syntax.Binary):
		of := ""
		if s := slotOf(n); s.phrase != "" {
			of = " " + toFrom(added) + " " + s.phrase
		}
		w.names(n, wValue, "text-"+v, where, "the text "+slot+" was "+v+of, "the texts "+slot+" were "+v+of, say(n))
	case n.is(syntax.Attribute):
		el := n.up(func(x item) bool { return x.is(syntax.Element) })
		w.names(n, wValue, "attribute-"+v, where, "the attribute "+slot+" was "+v+" "+toFrom(added)+" "+elementName(el), "the attributes "+slot+" were "+v+" "+toFrom(added)+" "+elementName(el), code(nameOf(n)))
	case shown(n) != "":
		w.say(n, wBehaviour, "element-"+v, where, shown(n)+" was "+v)
	case n.is(syntax.Element):
		w.say(n, wBehaviour, "element-"+v, where, "the element "+elementName(n)+" was "+v)
	case in.is(syntax.Export):
		w.exported(n, in, added)
	case in.is(syntax.Import):
		module, _ := imported(in)
		from := ""
		if module != "" {
			from = " from " + code(module)
		}
		xs := []item{n}
		if n.text() == everything {
			w.say(n, wImport, "import-"+v, "", "the wildcard import"+from+" was "+v)
			return
		}
		if !n.is(syntax.Identifier) {
			xs = n.find(50, nil, syntax.Identifier)
		}
		for _, n := range xs {
			if w.importedBeside(n, module, n.text()) {
				continue
			}
			w.names(n, wImport, "import-"+v, "", "the import of "+slot+from+" was "+v, "the imports of "+slot+from+" were "+v, code(n.text()))
			w.importUse(n, n.text(), added)
		}
	case in.is(syntax.Declarator, syntax.Variable, syntax.Field) && n.field() == "value":
		if added {
			w.say(n, wValue, "value-added", where, code(nameOf(in))+" is now initialised with "+say(n))
		} else {
			w.say(n, wValue, "value-removed", where, code(nameOf(in))+" is no longer initialised with "+say(n))
		}
	case in.is(syntax.Parameter) && n.field() == "name":
		_, owner := ownerOf(n)
		w.say(n, wSignature, "parameter-named", "", "a parameter of "+owner+map[bool]string{true: " is now named ", false: " no longer has its name "}[added]+code(n.text()))
	case in.is(syntax.Parameter):
		_, owner := ownerOf(n)
		if added {
			w.say(n, wSignature, "default-added", "", "the parameter "+code(parameterName(in))+" of "+owner+" now has the default "+say(n))
		} else {
			w.say(n, wSignature, "default-removed", "", "the parameter "+code(parameterName(in))+" of "+owner+" no longer has the default "+say(n))
		}
	case in.is(syntax.Throw):
		subject := placeOf(n).subject()
		if added {
			w.say(n, wBehaviour, "throw-changed", "", subject+" now "+raises(n)+" "+say(n)+" instead of the caught error as it is")
		} else {
			w.say(n, wBehaviour, "rethrow", "", subject+" now "+raises(n)+" the caught error again as it is instead of "+say(n))
		}
	case in.is(syntax.Return) || in.is(syntax.Parens) && in.parent().is(syntax.Return):
		if added {
			also := ""
			if len(in.namedKids()) > 1 {
				also = "also "
			}
			w.say(n, wBehaviour, "return-value-added", "", placeOf(n).subject()+" now "+also+"returns "+say(n))
		} else {
			w.say(n, wBehaviour, "return-value-removed", "", placeOf(n).subject()+" no longer returns "+say(n))
		}
	default:
		s := slotOf(n)
		if s.phrase == "" {
			w.say(n, wDetail, "code-"+v, where, headline(n)+" was "+v)
			return
		}
		w.say(n, wDetail, "part-"+v, where, headline(n)+" was "+v+" "+toFrom(added)+" "+s.phrase)
	}
}

// isBody tells whether a node is the body of a function.
func isBody(n item) bool { return n.field() == "body" && n.parent().role().IsFunction() }

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
	case w.ignored(a, b):
		return
	case isRequire(a) && isRequire(b):
		w.single(a, edit{old: a}, false)
		w.single(b, edit{new: b}, true)
		return
	case e.newIn.is(syntax.Import) || b.under(syntax.Import).ok():
		w.importPart(a, b, e)
		return
	case a.is(syntax.Import) && b.is(syntax.Import):
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
		w.textChanged(b, "docs-changed", wText, where, "the docstring", unquoted(a.text()), unquoted(b.text()))
		return
	}
	if a.kind() == "heredoc_body" && b.kind() == "heredoc_body" {
		w.textChanged(b, "text-changed", wValue, where, "the text of the heredoc", a.text(), b.text())
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

func target(n item) string {
	if n.is(syntax.Assign, syntax.AugAssign) {
		l, _ := sides(n)
		return l.text()
	}
	return nameOf(n)
}

func assigned(n item) item {
	if n.is(syntax.Assign, syntax.AugAssign) {
		_, r := sides(n)
		return r
	}
	return valueOf(n)
}

// framedCall tells whether n is the list of arguments of a call that begins
// before the hunk. What stands alone in brackets may be a condition.
func framedCall(n item) bool {
	return n.ok() && n.role() == syntax.Other && n.frag.Table.Role(n.kind()) == syntax.Arguments && len(n.namedKids()) > 1
}

// covered tells whether n is in an argument that the claim about its call names.
func (w *writer) covered(n item) bool {
	for p, i := n, 0; p.ok() && i < maxSay; i, p = i+1, p.parent() {
		if p.parent().is(syntax.Arguments) {
			return w.done[p] && p != n
		}
	}
	return false
}

// valueChanged says how an expression became another one in its place.
func (w *writer) valueChanged(a, b item, at place) {
	where := at.String()
	s := slotOf(b)
	if s.kind == argumentSlot && w.done[s.holder] || w.covered(b) {
		return // said with the call
	}
	// A changed callee is said of the call.
	if s.kind == calleeSlot {
		b = s.holder
		if sa := slotOf(a); sa.kind == calleeSlot {
			a = sa.holder
		}
		if w.done[b] {
			return
		}
		w.done[b] = true
		s = slotOf(b)
	}
	if w.quoting(a, b, where) || w.errorHanded(a, b, at) || w.wrappedResult(a, b, at) {
		return
	}
	if x := receiver(b); b.is(syntax.Call) && a.is(syntax.Collection, syntax.String) && x.kind() == a.kind() && !same(a, x) && !arguments(b).ok() && s.phrase != "" {
		d := newDiffer()
		d.children(a, x, 0)
		w.describe(d.edits)
		w.say(b, wValue, "value-method", where, "`"+calledName(b)+"` is now called on "+s.phrase)
		return
	}
	from, to := say(a), say(b)
	if from == to && a.kind() == b.kind() && !a.leaf() && !atom(a) {
		// The words for both are the same: the difference lies deeper.
		d := newDiffer()
		d.children(a, b, 0)
		if len(d.edits) > 0 && (d.edits[0].old != a || d.edits[0].new != b) {
			w.describe(d.edits)
			return
		}
	}
	for _, p := range [][2]item{{a, b}, {b, a}} {
		inner := p[1].namedKids()
		plain, blocked := p[0], ""
		if k := plain.namedKids(); plain.is(syntax.Member) && len(k) > 1 && k[0].is(syntax.Call) {
			plain, blocked = k[0], " instead of asking for its "+code(lastName(plain.text()))
		}
		if !p[1].is(syntax.Await) || !plain.is(syntax.Call) || len(inner) != 1 || same(inner[0], plain) && blocked == "" || callee(inner[0]) != callee(plain) {
			continue
		}
		if p[1] == b {
			w.say(b, wBehaviour, "call-awaited", where, noun(inner[0], "the")+" is now awaited"+blocked)
			if !same(plain, inner[0]) {
				w.valueChanged(plain, inner[0], at)
			}
		} else {
			w.say(b, wBehaviour, "call-unawaited", where, noun(b, "the")+" is no longer awaited")
			if !same(plain, inner[0]) {
				w.valueChanged(inner[0], plain, at)
			}
		}
		return
	}
	if b.is(syntax.Call) && a.is(syntax.Identifier, syntax.Member) && len(chain(b)) == 1 && callee(b) == oneLine(a.text()) {
		w.say(b, wValue, "value-called", where, from+" is now called: its result is used instead of "+from+" itself")
		w.slotFollows(b, s, from, to, at)
		return
	}
	if x := wrapper(a, b); x != "" {
		rule := "value-wrapped"
		if s.kind == argumentSlot {
			rule = "argument-wrapped"
		}
		w.say(b, wValue, rule, where, from+" is now "+x)
		w.slotFollows(b, s, from, to, at)
		return
	}
	if x := wrapper(b, a); x != "" {
		w.say(b, wValue, "value-unwrapped", where, to+" is no longer "+x)
		w.slotFollows(b, s, from, to, at)
		return
	}
	if args := arguments(s.holder).namedKids(); a.is(syntax.String) && b.is(syntax.String) && s.kind == argumentSlot && len(args) > 0 && args[0] == b {
		if name, ok := testCall(s.holder); ok {
			what := "the test "
			if suite(s.holder) {
				what = "the group of tests "
			}
			w.say(b, wDeclare, "test-renamed", "", what+quote(unquoted(a.text()), maxCode)+" was renamed to "+quote(name, maxCode))
			return
		}
	}
	if a.is(syntax.String) && b.is(syntax.String) && a.leafText() && b.leafText() {
		what := "the text"
		if s.phrase != "" {
			what = "the text in " + strings.TrimPrefix(s.phrase, "the text of ")
		}
		w.textChanged(b, "text-changed", wValue, where, what, unquoted(a.text()), unquoted(b.text()))
		w.slotFollows(b, s, from, to, at)
		return
	}
	if a.is(syntax.Call, syntax.New) && b.is(syntax.Call, syntax.New) && w.callChanged(a, b, s, at) {
		w.slotFollows(b, s, from, to, at)
		return
	}
	if from == to { // the difference lies beyond what is quoted
		if s.phrase != "" {
			w.say(b, wValue, "part-changed", where, "a part of "+s.phrase+" was changed")
		}
		return
	}
	if sa := slotOf(a); s.phrase != "" && s.kind != conditionSlot && s.kind != assertSlot && !s.filledBy(b) && sa.kind == s.kind && s.part.size() <= maxCode && sa.part.size() <= maxCode && !s.holder.is(syntax.With) && s.kind != elementSlot {
		// The whole of something small says more than a part of it.
		if w.done[s.part] {
			return
		}
		w.done[s.part] = true
		a, b = sa.part, s.part
		from, to = say(a), say(b)
	}
	if s.phrase != "" && s.kind != assertSlot && !s.filledBy(b) {
		w.say(b, wValue, "part-changed", where, from+" was replaced by "+to+" in "+s.phrase)
		return
	}
	switch s.kind {
	case argumentSlot:
		w.say(b, wValue, "argument-changed", where, s.phrase+" now passes "+to+" instead of "+from)
	case returnSlot:
		w.say(b, wBehaviour, "return-changed", "", at.subject()+" now returns "+to+" instead of "+from)
	case assertSlot:
		what := "the assertion"
		if s.holder.is(syntax.Call) {
			what += " " + code(calledName(s.holder))
		}
		w.say(b, wBehaviour, "assertion-changed", where, what+" now uses "+to+" instead of "+from)
	case defaultSlot, valueSlot, conditionSlot, throwSlot, otherSlot, elementSlot:
		rule := "value-changed"
		if s.kind == defaultSlot {
			where, rule = "", "default-changed"
		}
		w.say(b, wValue, rule, where, s.phrase+" was changed from "+from+" to "+to)
	default:
		if framedCall(b.parent()) {
			w.say(b, wValue, "argument-changed", where, "a call now passes "+to+" instead of "+from)
			return
		}
		w.say(b, wValue, "replaced", where, from+" was replaced by "+to)
	}
	w.slotFollows(b, s, from, to, at)
}

// slotFollows adds what a changed value means for others.
func (w *writer) slotFollows(b item, s slotted, from, to string, at place) {
	switch s.kind {
	case defaultSlot:
		p, owner := parameterName(s.holder), ""
		_, owner = ownerOf(s.holder)
		w.follows(b, "default-callers", "callers of "+owner+" that omit "+code(p)+" now get "+to)
	case assertSlot:
		if at.test && s.expects(b) {
			w.follows(b, "test-expectation", at.String()+" now expects "+to)
		}
	case returnSlot:
		if strip(b).is(syntax.Switch) || len(strip(b).find(1, nil, syntax.Comprehension)) > 0 {
			w.details(b, "the return value")
		}
	case valueSlot, argumentSlot:
		if strip(b).size() > maxCode/2 && s.kind == valueSlot {
			w.details(b, strings.TrimPrefix(s.phrase, "the value of "))
		}
	}
}

// hardCoded says that a new literal stands in the middle of code and not in a
// constant: what reviewers call a magic number.
func (w *writer) hardCoded(e edit) {
	n := e.new
	if !n.ok() || n.traits().CallWord != "" || n.under(syntax.Import).ok() || n.is(syntax.Import, syntax.Field) {
		return
	}
	if e.link {
		n = arguments(n)
	}
	var out []string
	for _, x := range n.leaves(32, syntax.Number) {
		if slices.ContainsFunc(e.old.leaves(100, syntax.Number), func(o item) bool { return o.text() == x.text() }) {
			continue
		}
		switch t := x.text(); t {
		case "0", "1", "2", "-1", "10", "100", "0.0", "1.0", "0.5":
			continue
		default:
			// A number with a name of its own says what it means.
			for x.parent().is(syntax.Number) {
				x = x.parent()
			}
			if c := x.under(syntax.Call); strings.Contains(strings.ToLower(calledName(c)), "status") {
				continue // everybody knows these numbers
			}
			if x.parent().is(syntax.Declarator, syntax.Variable, syntax.Assign, syntax.Parameter, syntax.Pair, syntax.KeywordArgument) ||
				x.under(syntax.Field, syntax.EnumMember, syntax.Decorator).ok() || placeOf(x).test {
				continue
			}
			if d := x.under(syntax.Declarator, syntax.Variable, syntax.Assign); d.ok() && variableWord(d, placeOf(d)) == "constant" {
				continue
			}
			out = append(out, code(t))
		}
	}
	if out = uniq(out); len(out) == 1 {
		w.follows(n, "magic-number", "the number "+out[0]+" is hard-coded; a named constant would say what it means")
	} else if len(out) > 1 {
		w.follows(n, "magic-number", "the numbers "+list(out)+" are hard-coded; named constants would say what they mean")
	}
}

// leafText tells whether a string has no code inside.
func (n item) leafText() bool {
	return len(n.find(1, nil, syntax.Identifier, syntax.Member, syntax.Call)) == 0
}

// wrapper says what b puts around a: "passed through `f`", or "".
func wrapper(a, b item) string {
	if a.size() < 1 || b.size() <= a.size() || b.node().last-b.i > 500 {
		return ""
	}
	if a.is(syntax.Number, syntax.Bool, syntax.Null) || a.is(syntax.String) && a.size() <= 3 {
		return "" // by chance the same
	}
	if b.is(syntax.Call, syntax.New) {
		// What was called there before is no wrapper.
		s := a.up(func(x item) bool { return statementLike(x) || statement(x) })
		for _, c := range s.find(100, nil, syntax.Call, syntax.New) {
			if callee(c) == callee(b) {
				return ""
			}
		}
	}
	h := a.hash()
	for i := b.i + 1; i < b.node().last; i++ {
		x := item{b.tree, i}
		if x.kind() != a.kind() || x.hash() != h {
			continue
		}
		p := x.parent()
		for p.is(syntax.Parens) && p.i != b.i {
			p = p.parent()
		}
		if p.i != b.i && !(p.is(syntax.Arguments, syntax.Member) && p.parent().i == b.i) {
			return ""
		}
		switch {
		case b.is(syntax.Call) && p.is(syntax.Arguments):
			if msg, wraps, ok := madeError(b); ok {
				if wraps {
					return "wrapped with the message " + quote(msg, maxCode)
				}
				return "put into a new error with the message " + quote(msg, maxCode)
			}
			if strings.Contains(callee(b), "_cast<") {
				return "cast with `" + callee(b) + "`"
			}
			return "passed through `" + callee(b) + "`"
		case b.is(syntax.New) && p.is(syntax.Arguments):
			return "wrapped in a new `" + callee(b) + "`"
		case b.is(syntax.Call) && (p.is(syntax.Member) || p.i == b.i) && a.is(syntax.Call):
			return "followed by a call to `" + calledName(b) + "`"
		case b.is(syntax.Unary) && (operator(b) == "!" || operator(b) == "not"):
			return "negated"
		case b.is(syntax.Await):
			return "awaited"
		case b.is(syntax.Cast):
			if t := b.first(syntax.Type); t.ok() {
				return "cast to " + code(t.text())
			}
			return "cast: " + code(b.text())
		case b.is(syntax.Binary) && (operator(b) == "||" || operator(b) == "??" || operator(b) == "or"):
			if k := b.namedKids(); len(k) == 2 && k[0].hash() == h {
				return "given the fallback " + say(k[1])
			}
		}
		return ""
	}
	return ""
}

// operatorChanged says that a token was replaced by another.
func (w *writer) operatorChanged(a, b item, e edit) {
	where := inside(b)
	p := b.parent()
	switch {
	case p.is(syntax.Binary, syntax.AugAssign, syntax.Unary):
		w.say(b, wBehaviour, "operator-changed", where, "the operator "+code(a.text())+" was changed to "+code(b.text())+" in "+code(p.text()))
	case p.kind() == "accessor_declaration":
		w.say(b, wSignature, "accessor-changed", "", "the property "+code(nameOf(p.under(syntax.Field)))+" now has the accessor "+code(b.text())+" instead of "+code(a.text()))
	case p.is(syntax.Field):
		w.say(b, wSignature, "keyword-changed", "", declaredName(p)+" is now declared with "+code(b.text())+" instead of "+code(a.text()))
	case p.is(syntax.Variable):
		w.say(b, wValue, "keyword-changed", where, "the variable "+code(nameOf(p))+" is now declared with "+code(b.text())+" instead of "+code(a.text()))
	case p.is(syntax.Modifier):
		w.say(b, wSignature, "modifier-changed", "", declaredName(declared(b))+" was changed from "+code(a.text())+" to "+code(b.text()))
		w.visibility(b, a.text(), b.text())
	default:
		w.say(b, wDetail, "token-changed", where, code(a.text())+" was replaced by "+code(b.text()))
	}
}

// renamedDeclaration says that a declaration has a new name.
func (w *writer) renamedDeclaration(a, b item) bool {
	d := b.parent()
	if !d.ok() || b.field() != "name" && b.field() != "declarator" && !(d.is(syntax.Parameters) || d.is(syntax.Declarator, syntax.Parameter)) {
		return false
	}
	if b.field() == "module_name" || b.field() == "type" || b.field() == "value" {
		return false
	}
	if a.text() == b.text() {
		return true // what it belongs to is said to be another
	}
	x, y := apart(a.text(), b.text())
	switch {
	case d.role().IsFunction():
		w.say(b, wSignature, "function-renamed", "", "the "+functionWord(d)+" "+x+" was renamed to "+y)
		if !isTest(d, nameOf(d)) {
			w.follows(b, "function-renamed-callers", "callers of "+x+" must now call "+y)
		}
	case d.role().IsClass():
		w.say(b, wSignature, "class-renamed", "", "the "+classWord(d)+" "+x+" was renamed to "+y)
		w.follows(b, "class-renamed-users", "code that uses "+x+" must now use "+y)
	case d.is(syntax.Parameters, syntax.Parameter):
		if !a.is(syntax.Identifier) || !b.is(syntax.Identifier) || !a.leaf() || !b.leaf() {
			return false // a type, a reference or a default came with it
		}
		_, owner := ownerOf(b)
		w.say(b, wSignature, "parameter-renamed", "", "the parameter "+x+" of "+owner+" was renamed to "+y)
		if b.traits().NamedArguments {
			w.follows(b, "parameter-renamed-callers", "callers of "+owner+" that pass "+x+" by name must now use "+y)
		}
	case d.is(syntax.Declarator, syntax.Variable, syntax.Field):
		what := "variable"
		if d.is(syntax.Field) || d.parent().is(syntax.Field) {
			what = fieldWord(d)
		}
		w.say(b, wValue, "variable-renamed", inside(b), "the "+what+" "+x+" was renamed to "+y)
	default:
		return false
	}
	return true
}

// freshPairs counts the keys that were added to an object.
func (w *writer) freshPairs(object item) int {
	c := 0
	for _, k := range object.namedKids() {
		if w.fresh[k] {
			c++
		}
	}
	return c
}

// pattern tells whether a node takes a value apart.
func pattern(n item) bool { return strings.HasSuffix(n.kind(), "_pattern") && n.is(syntax.Collection) }

// hook tells whether a slot is the list of dependencies of a React hook: the last
// argument of a function whose name begins with "use".
func hook(s slotted) bool {
	if s.kind != argumentSlot || !s.part.is(syntax.Collection) {
		return false
	}
	name := calledName(s.holder)
	args := arguments(s.holder).namedKids()
	return len(name) > 3 && strings.HasPrefix(name, "use") && name[3] >= 'A' && name[3] <= 'Z' && len(args) > 1 && args[len(args)-1] == s.part
}

// literalField says that a field is set where a value of a type is written, or
// no longer.
func (w *writer) literalField(n item, of, where string, added bool) {
	name := code(nameOf(n))
	if val := valueOf(n); added && val.ok() {
		w.say(n, wValue, "field-set", where, "the field "+name+of+" is now set to "+say(val))
		return
	}
	verb := map[bool]string{true: " now", false: " no longer"}[added]
	w.names(n, wValue, "field-unset", where, "the field "+slot+of+" is"+verb+" set", "the fields "+slot+of+" are"+verb+" set", name)
}

// label returns what a row of a table of test cases is called: its first text, or
// what is under a key that names it; none for anything else.
func label(n item) item {
	n = strip(n)
	if n.is(syntax.New) {
		n = n.first(syntax.Collection)
	}
	if !n.is(syntax.Collection) {
		return item{}
	}
	for i, k := range n.namedKids() {
		switch k = strip(k); {
		case i == 0 && k.is(syntax.String):
			return k
		case isPair(k):
			switch strings.ToLower(nameOf(k)) {
			case "name", "desc", "description", "title":
				if v := strip(valueOf(k)); v.is(syntax.String) {
					return v
				}
			}
		}
	}
	return item{}
}
