package symbolic

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
)

// single says that a node was added or removed.
func (w *writer) single(n item, e edit, added bool) {
	outer := n
	n = unnested(n)
	if k := n.namedKids(); n != outer && n.kind() == "try_expression" && n.is(syntax.Unary) && len(k) == 1 {
		n = strip(k[0]) // what the sign for errors stands behind
	}
	if w.done[n] || w.done[outer] || w.catchHead(e) {
		return
	}
	if w.spread(e) {
		return
	}
	if cutName(n) {
		for _, d := range n.find(20, nil, syntax.Decorator) {
			w.decorator(d, added)
		}
		return
	}
	at := placeOf(n)
	where := at.String()
	v := verb(added)
	r := n.role()
	if !n.frag.Whole && r == syntax.Assign && strings.HasSuffix(strings.TrimSpace(n.text()), ",") {
		return // an argument or a parameter of what the hunk leaves out
	}
	if e.link && added && forced(n).ok() {
		w.follows(n, "error-forced", "an error of "+say(forced(n))+" ends the program in "+code(calledName(n)))
	}
	if e.link {
		l := code(shownName(n) + map[bool]string{true: " "}[strings.HasPrefix(arguments(n).text(), "{")] + arguments(n).text())
		link := n // where the link stands, not the chain before it
		if a := arguments(n); a.ok() {
			link = a
		}
		to := toFrom(added) + " the chain of calls" + besideLink(n, e, added)
		w.names(link, wBehaviour, "chain-"+v, where, "a call to "+slot+" was "+v+" "+to, "calls to "+slot+" were "+v+" "+to, l)
		return
	}
	switch {
	case conditional(n) && n.is(syntax.If, syntax.ElseIf, syntax.Else):
		w.compiled(n, at, added)
	case w.initialised(n, added), w.panics(n, at, added), w.otherwise(n, at, added), w.macroBody(n):
	case r == syntax.Binary && statementLike(outer) && n != outer && streams(n):
		w.streamed(n, at, added)
	case n.field() == "alternative" && n.parent().is(syntax.If) && !n.is(syntax.If, syntax.ElseIf, syntax.Else):
		w.say(n, wBehaviour, "else-"+v, where, "an `else` branch"+effectsTail(branchBody(n))+" was "+v)
	case n.field() == "body" && n.parent().role().IsFunction() && !n.is(syntax.Block):
		if d := does(n, 0); added && d != "" {
			w.say(n, wBehaviour, "body-added", "", code(nameOf(n.parent()))+" now "+d)
		}
	case r == syntax.Import, isRequire(n):
		w.imports(n, added)
	case r.IsFunction():
		w.function(n, at, added)
	case r.IsClass():
		w.class(n, added)
	case r == syntax.EnumMember:
		w.names(n, wDeclare, "enum-member-"+v, "", "the "+memberWord(n)+" "+slot+" was "+v+" "+toFrom(added)+" the enum "+code(nameOf(n.under(syntax.Enum))),
			"the "+memberWord(n)+"s "+slot+" were "+v+" "+toFrom(added)+" the enum "+code(nameOf(n.under(syntax.Enum))), code(nameOf(n)))
	case r == syntax.Field && perhapsLocal(n):
		w.variable(n, at, added)
	case r == syntax.Field || r == syntax.Variable && memberOnly(n) || isFieldAssignment(n, at):
		w.field(n, at, added)
	case r == syntax.Parameter || e.newIn.is(syntax.Parameters) || e.oldIn.is(syntax.Parameters):
		w.parameter(n, e.oldIn, added)
	case r == syntax.Parameters && n.parent().is(syntax.Function, syntax.Constructor):
		for _, p := range n.namedKids() {
			w.parameter(p, item{}, added)
		}
	case r == syntax.Parameters && n.parent().role().IsClass():
		if p := parameterNames(n.namedKids()); len(p) > 0 {
			w.say(n, wSignature, "header-"+v, "", code(nameOf(n.parent()))+map[bool]string{true: " now takes ", false: " no longer takes "}[added]+list(p)+" in its header")
		}
	case r == syntax.Decorator:
		w.decorator(n, added)
	case r == syntax.Modifier || n.parent().is(syntax.Modifier):
		w.modifier(n, added)
	case r == syntax.Heritage || n.parent().is(syntax.Heritage):
		if e.oldIn.is(syntax.Heritage) && e.newIn.is(syntax.Heritage) {
			w.heritageChanged(e.oldIn, e.newIn)
			return
		}
		c := n.under(syntax.Class, syntax.Interface, syntax.Enum)
		w.say(n, wSignature, "heritage-"+v, "", classWord(c)+" "+code(nameOf(c))+map[bool]string{true: " now ", false: " no longer "}[added]+heritageWords(n))
	case n.kind() == "alias" && len(n.namedKids()) == 2:
		k := n.namedKids()
		w.say(n, wSignature, "alias-"+v, where, "the alias "+code(k[0].text())+" of "+code(k[1].text())+" was "+v)
	case constraints(n):
		w.say(n, wSignature, "constraint-"+v, "", "the type constraint "+code(n.text())+" was "+v+" "+toFrom(added)+" "+declaredName(declared(n)))
	case inHeritage(n):
		w.base(n, added)
	case n.kind() == "throws":
		_, owner := ownerOf(n)
		w.say(n, wSignature, "throws-"+v, "", owner+map[bool]string{true: " is now", false: " is no longer"}[added]+" declared with "+code(n.text()))
	case r == syntax.Comment:
		w.comment(n, at, added)
	case n.is(syntax.String) && n.traits().Docstrings && (block(outer.parent()) || outer.is(syntax.ExpressionStatement)) && (n.frag.Whole || strings.Contains(n.text(), `"""`) || strings.Contains(n.text(), "'''")):
		w.docstring(n, at, added)
	case r == syntax.String && n.traits().Directives && outer.is(syntax.ExpressionStatement) && block(outer.parent()):
		w.say(n, wBehaviour, "directive-"+v, where, "the directive "+say(n)+" was "+v)
	case (r == syntax.Variable || r == syntax.Declarator) && !added && declaresIn(e.newIn, nameOf(n)):
		// It is declared elsewhere now, in what was put around.
	case r == syntax.Variable || r == syntax.Declarator:
		w.variable(n, at, added)
	case r == syntax.Assign || r == syntax.AugAssign || r == syntax.Update:
		w.assignment(n, at, added)
	case r == syntax.Call || r == syntax.New || r == syntax.Await && statementLike(outer):
		if statementLike(outer) {
			w.call(n, at, added)
			return
		}
		w.part(n, e, added)
	case r == syntax.If || r == syntax.ElseIf:
		w.branch(n, at, added)
	case r == syntax.Else:
		w.elseBranch(n, at, added)
	case r == syntax.Loop:
		w.loop(n, at, added)
	case r == syntax.Switch:
		what := noun(n, "a")
		var labels []string
		for _, c := range n.find(50, func(r syntax.Role) bool { return r == syntax.Case }, syntax.Case) {
			labels = append(labels, caseLabel(c))
		}
		if len(labels) > 0 {
			what += " with cases for " + list(uniq(labels))
		}
		w.say(n, wBehaviour, "switch-"+v, where, what+" was "+v)
	case r == syntax.Case:
		w.switchCase(n, where, added)
	case r == syntax.Try:
		w.try(n, at, added)
	case r == syntax.Catch:
		w.catch(n, e, at, added)
	case r == syntax.Finally:
		w.say(n, wBehaviour, "finally-"+v, where, an("`"+firstWord(n.text())+"` block")+effectsTail(body(n))+" was "+v)
	case r == syntax.Throw:
		w.throw(n, at, added)
	case r == syntax.Return:
		w.returns(n, at, added)
	case n.kind() == "pass_statement":
	case r == syntax.Goto:
		w.say(n, wBehaviour, "goto-"+v, where, "a jump to "+code(n.child("label").text())+" was "+v+guard(n))
	case n.field() == "label" && block(n.parent()):
		after := ""
		if k := n.next().next(); k.ok() {
			after = ", before " + noun(k, "the")
		}
		w.say(n, wDetail, "label-"+v, where, "a label "+code(n.text())+" was "+v+after)
	case r == syntax.Label && n.kind() == "access_specifier":
		c := n.under(syntax.Class)
		w.say(n, wSignature, "section-"+v, "", "a "+code(n.text())+" section was "+v+" "+toFrom(added)+" the "+classWord(c)+" "+code(nameOf(c)))
	case r == syntax.Delete && len(n.namedKids()) == 1:
		w.say(n, wBehaviour, "delete-"+v, where, code(n.namedKids()[0].text())+" is "+map[bool]string{true: "now", false: "no longer"}[added]+" deleted"+guard(n))
	case r == syntax.Break, r == syntax.Continue, r == syntax.Yield, r == syntax.Delete:
		w.say(n, wBehaviour, strings.ToLower(firstWord(n.kind()))+"-"+v, where, "a `"+firstWord(n.text())+"` statement was "+v+guard(n))
	case r == syntax.Assert:
		w.say(n, wBehaviour, "assert-"+v, where, assertionPhrase(n)+" was "+v)
	case r == syntax.Defer, r == syntax.Spawn, r == syntax.Send:
		w.say(n, wBehaviour, "statement-"+v, where, noun(n, "a")+" was "+v)
	case r == syntax.Receiver && added:
		w.say(n, wSignature, "receiver-added", "", "the function "+code(nameOf(n.parent()))+" is now a method of "+code(receiverType(n.parent())))
	case r == syntax.Receiver:
		w.say(n, wSignature, "receiver-removed", "", "the method "+code(nameOf(n.parent()))+" of "+code(receiverType(n.parent()))+" is now a function")
	case r == syntax.Tag && added:
		w.tag(item{}, n)
	case r == syntax.Tag:
		w.tag(n, item{})
	case r == syntax.With:
		w.with(n, at, added)
	case r == syntax.Package: // part of every new file
	case r == syntax.Export:
		names := n.find(50, nil, syntax.Identifier)
		for _, k := range n.namedKids() {
			if k.kind() == "export_specifier" || len(names) == 1 {
				w.exported(k, n, added)
			}
		}
		if src := n.child("source"); src.ok() && len(names) == 0 {
			w.say(n, wSignature, "export-"+v, "", "everything that "+say(src)+" exports is "+map[bool]string{true: "now", false: "no longer"}[added]+" exported from here, too")
		}
	case r == syntax.TypeAlias:
		w.say(n, wDeclare, "type-"+v, "", "the type "+code(nameOf(n))+" was "+v)
	case r == syntax.Namespace:
		if name := nameOf(n); name != "" {
			w.say(n, wDeclare, "namespace-"+v, "", "the "+namespaceWord(n)+" "+code(name)+" was "+v)
		}
		for _, k := range body(n) {
			if !k.is(syntax.Import) {
				w.single(k, edit{}, added)
			}
		}
	case n.kind() == "linkage_specification":
		for _, k := range body(n) {
			w.single(k, edit{}, added)
		}
	case n.kind() == "preproc_call" && !strings.HasPrefix(strings.TrimLeft(n.text(), "# "), "pragma"):
	case n.kind() == "preproc_call":
		if !strings.Contains(n.text(), "once") || w.oldWords.any() {
			w.say(n, wDetail, "directive-"+v, where, "the directive "+code(n.text())+" was "+v)
		}
	case r == syntax.Block && n.parent().ok():
		for _, k := range n.namedKids() {
			w.single(k, edit{}, added)
		}
	case r == syntax.Arguments && n.parent().is(syntax.Call):
		if w.done[e.newIn] {
			return // another call took its place
		}
		for _, k := range n.namedKids() {
			w.part(k, edit{old: e.old, new: e.new, oldIn: n, newIn: n}, added)
		}
	case n.kind() == "heredoc_body":
		if p := n.prev(); !w.fresh[p] && p.ok() {
			w.say(n, wValue, "heredoc-"+v, where, "the text of the heredoc of "+noun(p, "the")+" was "+v)
		}
	case n.kind() == "file_redirect":
		w.redirected(n, e, where, added)
	case r == syntax.Pipeline:
		w.say(n, wBehaviour, "pipeline-"+v, where, noun(n, "a")+" was "+v+guard(n))
	case conditionalDoes(n, 0) != "":
		w.say(n, wBehaviour, "command-"+v, where, map[bool]string{true: "the code now ", false: "the code no longer "}[added]+does(n, 0)+guard(n))
	case appends(n):
		w.say(n, wBehaviour, "append-"+v, where, map[bool]string{true: "the code now ", false: "the code no longer "}[added]+does(n, 0)+guard(n))
	default:
		if is := n.find(100, nil, syntax.Import); r == syntax.Other && len(is) > 0 {
			for _, i := range is {
				if w.same.partner(i).ok() {
					continue
				}
				w.single(i, edit{}, added)
			}
			return
		}
		w.part(n, e, added)
	}
}

// statementLike tells whether an expression is a statement of its own.
func statementLike(n item) bool {
	if caseValue(n) || n.parent().is(syntax.Case) && n.field() == "value" {
		return false
	}
	return n.is(syntax.ExpressionStatement) || n.parent().is(syntax.ExpressionStatement) || block(n.parent())
}

// inner lists the moved statements inside a compound statement.
func (w *writer) inner(n item) []item {
	var out []item
	for i := n.i + 1; i < n.node().last; {
		x := item{n.tree, i}
		if w.moved[x].ok() {
			out = append(out, x)
			i = x.node().last
			continue
		}
		i++
	}
	return out
}

// askedBefore tells whether what a new check asks was asked around a statement
// before it moved there.
func (w *writer) askedBefore(check, moved item) bool {
	_, asked := operands(condition(check))
	old := w.moved[moved]
	for p, i := old.parent(), 0; p.ok() && i < maxClimb && !p.role().IsFunction(); i, p = i+1, p.parent() {
		if op, before := operands(condition(p)); p.is(syntax.If, syntax.ElseIf) && op != "or" && len(only(asked, before)) == 0 && !p.child("alternative").contains(old) {
			return true
		}
	}
	return false
}

// besideLink names the call that both chains have before which another one came
// or went, or behind which at the end.
func besideLink(n item, e edit, added bool) string {
	in, other := e.oldIn, e.newIn
	if added {
		in, other = e.newIn, e.oldIn
	}
	links := chain(in)
	stays := func(l item) bool {
		return slices.ContainsFunc(chain(other), func(o item) bool { return calledName(o) == calledName(l) })
	}
	k := slices.Index(links, n)
	if k < 0 {
		return ""
	}
	for _, l := range links[k+1:] {
		if stays(l) {
			return " before " + code(shownName(l))
		}
	}
	for k--; k >= 0; k-- {
		if stays(links[k]) {
			return " after " + code(shownName(links[k]))
		}
	}
	return ""
}

func (w *writer) test(n item, name string, added bool) {
	v := verb(added)
	if suite(n) {
		w.say(n, wDeclare, "test-"+v, "", "a group of tests, "+quote(name, maxCode)+", was "+v)
		var inside []string
		var tests []item
		for _, c := range n.find(50, nil, syntax.Call) {
			if t, ok := testCall(c); ok && !suite(c) {
				inside = append(inside, quote(t, maxCode))
				tests = append(tests, c)
			}
		}
		if added && len(inside) > 0 {
			w.say(n, wDetail, "test-body", "", "the new group holds the "+many(len(inside), "test")+" "+listOf(inside, 2, "and"))
		}
		for i, c := range tests[:min(len(tests), 3)] {
			w.testBody(c, "the test "+inside[i]+" ", added)
		}
		return
	}
	w.say(n, wDeclare, "test-"+v, "", "a test "+quote(name, maxCode)+" was "+v)
	w.testBody(n, "the new test ", added)
}

// testBody says what a new test does.
func (w *writer) testBody(n item, subject string, added bool) {
	a := arguments(n).find(1, nil, syntax.Lambda)
	if b := n.child("block"); b.ok() {
		a = []item{b}
	}
	if added && len(a) == 1 {
		w.each(n, wDetail, "test-body", "", subject, deeds(body(a[0])))
	}
}
