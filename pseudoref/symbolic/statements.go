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
	if w.done[n] || w.done[outer] || w.catchHead(e) || w.spread(e) {
		return
	}
	at := placeOf(n)
	switch {
	case cutName(n):
		for _, d := range n.find(20, nil, syntax.Decorator) {
			w.decorator(d, added)
		}
	case !n.frag.Whole && n.is(syntax.Assign) && strings.HasSuffix(strings.TrimSpace(n.text()), ","):
		// An argument or a parameter of what the hunk leaves out.
	case e.link:
		w.chained(n, e, at.String(), added)
	case w.declaration(n, e, at, added), w.statement(n, outer, e, at, added), w.small(n, at.String(), added), w.nested(n, e, added):
	default:
		w.part(n, e, added)
	}
}

// chained says that a chain of calls got another one, or lost one.
func (w *writer) chained(n item, e edit, where string, added bool) {
	space := either(strings.HasPrefix(arguments(n).text(), "{"), " ", "")
	link := n // where the link stands, not the chain before it
	if a := arguments(n); a.ok() {
		link = a
	}
	to := " was " + verb(added) + " " + toFrom(added) + " the chain of calls" + besideLink(n, e, added)
	several := strings.Replace(to, "was", "were", 1)
	w.names(link, wBehaviour, "chain-"+verb(added), where, "a call to "+slot+to, "calls to "+slot+several, code(shownName(n)+space+arguments(n).text()))
}

// declaration says that a declaration, or a part of one, was added or removed. It
// answers false for anything else.
func (w *writer) declaration(n item, e edit, at place, added bool) bool {
	r := n.role()
	switch {
	case conditional(n) && n.is(syntax.If, syntax.ElseIf, syntax.Else):
		w.compiled(n, at, added)
	case strings.HasPrefix(n.kind(), "field_initializer") && n.traits().SpreadTypes:
		w.say(n, wValue, "part-"+verb(added), "", at.subject()+map[bool]string{true: " now", false: " no longer"}[added]+" initialises "+code(strings.TrimLeft(n.text(), ": ")))
	case r == syntax.Import, isRequire(n):
		w.imports(n, added)
	case r.IsFunction():
		w.function(n, at, added)
	case r.IsClass():
		w.class(n, added)
	case r == syntax.EnumMember:
		w.listed(n, wDeclare, "enum-member", "", memberWord(n), " "+toFrom(added)+" the enum "+code(nameOf(n.under(syntax.Enum))), added, code(nameOf(n)))
	case r == syntax.Field && perhapsLocal(n):
		w.variable(n, at, added)
	case r == syntax.Field || r == syntax.Variable && memberOnly(n) || isFieldAssignment(n, at):
		w.field(n, at, added)
	case r == syntax.Parameter || e.newIn.is(syntax.Parameters) || e.oldIn.is(syntax.Parameters):
		w.parameter(n, added)
	case r == syntax.Parameters && n.parent().is(syntax.Function, syntax.Constructor):
		for _, p := range n.namedKids() {
			w.parameter(p, added)
		}
	case r == syntax.Decorator:
		w.decorator(n, added)
	case r == syntax.Modifier || n.parent().is(syntax.Modifier):
		w.modifier(n, added)
	case (r == syntax.Heritage || n.parent().is(syntax.Heritage)) && e.oldIn.is(syntax.Heritage) && e.newIn.is(syntax.Heritage):
		w.heritageChanged(e.oldIn, e.newIn)
	case r == syntax.Heritage || n.parent().is(syntax.Heritage):
		c := n.under(syntax.Class, syntax.Interface, syntax.Enum)
		w.say(n, wSignature, "heritage-"+verb(added), "", classWord(c)+" "+code(nameOf(c))+" "+now(added)+" "+heritageWords(n))
	case inHeritage(n):
		w.base(n, added)
	case n.kind() == "throws":
		_, owner := ownerOf(n)
		w.say(n, wSignature, "throws-"+verb(added), "", owner+" is "+now(added)+" declared with "+code(n.text()))
	case r == syntax.Comment:
		w.comment(n, at, added)
	case r == syntax.Tag && added:
		w.tag(item{}, n)
	case r == syntax.Tag:
		w.tag(n, item{})
	case r == syntax.Export:
		names := n.find(50, nil, syntax.Identifier)
		for _, k := range n.namedKids() {
			if k.kind() == "export_specifier" || len(names) == 1 {
				w.exported(k, n, added)
			}
		}
	default:
		return false
	}
	return true
}

// statement says that a statement was added or removed. It answers false for what is
// none.
func (w *writer) statement(n, outer item, e edit, at place, added bool) bool {
	r := n.role()
	switch {
	case n.field() == "alternative" && n.parent().is(syntax.If, syntax.Variable) && !n.is(syntax.If, syntax.ElseIf, syntax.Else):
		w.say(n, wBehaviour, "else-"+verb(added), at.String(), "an `else` branch"+effectsTail(branchBody(n))+" was "+verb(added))
	case n.is(syntax.String) && n.traits().Docstrings && (block(outer.parent()) || outer.is(syntax.ExpressionStatement)) && (n.frag.Whole || strings.Contains(n.text(), `"""`) || strings.Contains(n.text(), "'''")):
		w.docstring(n, at, added)
	case (r == syntax.Variable || r == syntax.Declarator) && !added && declaresIn(e.newIn, nameOf(n)):
		// It is declared elsewhere now, in what was put around.
	case r == syntax.Variable || r == syntax.Declarator:
		w.variable(n, at, added)
	case r == syntax.Assign || r == syntax.AugAssign || r == syntax.Update:
		w.assignment(n, at, added)
	case n.is(syntax.Call, syntax.New, syntax.Await) && statementLike(outer):
		w.call(n, at, added)
	case r == syntax.If || r == syntax.ElseIf:
		w.branch(n, at, added)
	case r == syntax.Else:
		w.elseBranch(n, at, added)
	case r == syntax.Loop:
		w.loop(n, at, added)
	case r == syntax.Case:
		w.switchCase(n, at.String(), added)
	case r == syntax.Try:
		w.try(n, at, added)
	case r == syntax.Catch:
		w.catch(n, e, at, added)
	case r == syntax.Throw:
		w.throw(n, at, added)
	case r == syntax.Return:
		w.returns(n, at, added)
	case r == syntax.With:
		w.with(n, at, added)
	case appends(n), conditionalDoes(n, 0) != "":
		w.say(n, wBehaviour, "statement-"+verb(added), at.String(), "the code "+now(added)+" "+does(n, 0)+guard(n))
	case n.kind() == "file_redirect":
		w.say(n, wBehaviour, "redirection-"+verb(added), at.String(), "the redirection "+code(n.text())+" was "+verb(added))
	case r == syntax.Package, n.kind() == "pass_statement": // part of every new file, and nothing
	default:
		return false
	}
	return true
}

// smallRule is a node of which only what it is is told when it comes or goes.
type smallRule struct {
	role   syntax.Role
	id     string // before "-added"
	weight int
	what   func(item) string // "a case"
}

// smallRules are tried in their order.
var smallRules = []smallRule{
	{syntax.Switch, "switch", wBehaviour, switchNoun},
	{syntax.Finally, "finally", wBehaviour, func(n item) string { return an("`"+firstWord(n.text())+"` block") + effectsTail(body(n)) }},
	{syntax.Assert, "assert", wBehaviour, assertionPhrase},
	{syntax.TypeAlias, "type", wDeclare, func(n item) string { return "the type " + code(nameOf(n)) }},
	{syntax.Break, "statement", wBehaviour, keywordNoun},
	{syntax.Continue, "statement", wBehaviour, keywordNoun},
	{syntax.Yield, "statement", wBehaviour, keywordNoun},
	{syntax.Goto, "statement", wBehaviour, keywordNoun},
	{syntax.Delete, "statement", wBehaviour, keywordNoun},
	{syntax.Label, "statement", wDetail, func(n item) string { return "the label " + code(strings.TrimSuffix(n.text(), ":")) }},
	{syntax.Receiver, "receiver", wSignature, func(n item) string { return "the receiver " + code(n.text()) }},
	{syntax.Defer, "statement", wBehaviour, guardedNoun},
	{syntax.Spawn, "statement", wBehaviour, guardedNoun},
	{syntax.Send, "statement", wBehaviour, guardedNoun},
	{syntax.Pipeline, "statement", wBehaviour, guardedNoun},
}

// small says by the table that a node was added or removed. It answers false for
// what is not in it.
func (w *writer) small(n item, where string, added bool) bool {
	for _, r := range smallRules {
		label := n.field() == "label" && block(n.parent()) || n.kind() == "access_specifier"
		if r.role != syntax.Label && n.is(r.role) || r.role == syntax.Label && label {
			tail := ""
			if r.id == "statement" && !label {
				tail = guard(n)
			}
			w.say(n, r.weight, r.id+"-"+verb(added), where, r.what(n)+" was "+verb(added)+tail)
			return true
		}
	}
	if n.kind() != "preproc_call" {
		return false
	}
	if strings.HasPrefix(strings.TrimLeft(n.text(), "# "), "pragma") && (!strings.Contains(n.text(), "once") || w.oldWords != nil && w.oldWords.tree != nil) {
		w.say(n, wDetail, "directive-"+verb(added), where, "the directive "+code(n.text())+" was "+verb(added))
	}
	return true
}

// nested says of what holds others that they were added or removed. It answers
// false for what holds none.
func (w *writer) nested(n item, e edit, added bool) bool {
	switch is := n.find(100, nil, syntax.Import); {
	case n.is(syntax.Namespace):
		if name := nameOf(n); name != "" {
			w.say(n, wDeclare, "namespace-"+verb(added), "", "the "+namespaceWord(n)+" "+code(name)+" was "+verb(added))
		}
		for _, k := range body(n) {
			if !k.is(syntax.Import) {
				w.single(k, edit{}, added)
			}
		}
	case n.is(syntax.Block) && n.parent().ok(), n.kind() == "linkage_specification":
		within := n.namedKids()
		if !n.is(syntax.Block) {
			within = body(n)
		}
		for _, k := range within {
			w.single(k, edit{}, added)
		}
	case n.is(syntax.Arguments) && n.parent().is(syntax.Call):
		for _, k := range n.namedKids() {
			if !w.done[e.newIn] { // no other call took its place
				w.part(k, edit{old: e.old, new: e.new, oldIn: n, newIn: n}, added)
			}
		}
	case n.role() == syntax.Other && len(is) > 0:
		for _, i := range is {
			if !w.same.partner(i).ok() {
				w.single(i, edit{}, added)
			}
		}
	default:
		return false
	}
	return true
}

func keywordNoun(n item) string { return "a " + headline(n) + " statement" }

func guardedNoun(n item) string { return noun(n, "a") }

// switchNoun names a switch with its cases.
func switchNoun(n item) string {
	var labels []string
	for _, c := range n.find(50, func(r syntax.Role) bool { return r == syntax.Case }, syntax.Case) {
		labels = append(labels, caseLabel(c))
	}
	if len(labels) == 0 {
		return noun(n, "a")
	}
	return noun(n, "a") + " with cases for " + list(uniq(labels))
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
	for i := n.i + 1; i < n.last(); {
		x := n.tree.at(i)
		if w.moved[x].ok() {
			out = append(out, x)
			i = x.last()
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
	what := "a test " + quote(name, maxCode)
	if suite(n) {
		what = "a group of tests, " + quote(name, maxCode) + ","
	}
	w.say(n, wDeclare, "test-"+verb(added), "", what+" was "+verb(added))
	var tests []string
	for _, c := range n.find(50, nil, syntax.Call) {
		if t, ok := testCall(c); ok && !suite(c) {
			tests = append(tests, quote(t, maxCode))
		}
	}
	a := arguments(n).find(1, nil, syntax.Lambda)
	if b := n.child("block"); b.ok() {
		a = []item{b}
	}
	switch {
	case !added:
	case suite(n) && len(tests) > 0:
		w.say(n, wDetail, "test-body", "", "the new group holds the "+many(len(tests), "test")+" "+listOf(tests, 2, "and"))
	case len(a) == 1:
		w.each(n, wDetail, "test-body", "", "the new test ", deeds(body(a[0])))
	}
}
