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
	if w.done[n] || w.done[outer] || w.catchHead(e) {
		return
	}
	if w.spread(e) {
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
		l := code(calledName(n) + map[bool]string{true: " "}[strings.HasPrefix(arguments(n).text(), "{")] + arguments(n).text())
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
	case r == syntax.Import:
		w.imports(n, added)
	case isRequire(n):
		for _, name := range required(n) {
			w.names(n, wImport, "import-"+v, "", "the import of "+slot+" from "+code(requireName(n))+" was "+v, "the imports of "+slot+" from "+code(requireName(n))+" were "+v, code(name))
			w.importUse(n, name, added)
		}
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
	case n.kind() == "catch_filter_clause":
		w.catchFilter(n, added)
	case constraints(n):
		w.say(n, wSignature, "constraint-"+v, "", "the type constraint "+code(n.text())+" was "+v+" "+toFrom(added)+" "+declaredName(declared(n)))
	case inHeritage(n):
		w.base(n, added)
	case n.kind() == "throws":
		w.declaredThrows(n, added)
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
		w.say(n, wBehaviour, "assert-"+v, where, "an assertion on "+code(strings.TrimPrefix(oneLine(n.text()), "assert "))+" was "+v)
	case r == syntax.Defer:
		w.deferred(n, at, added)
	case r == syntax.Spawn:
		w.spawned(n, at, added)
	case r == syntax.Send:
		value, channel := sent(n)
		w.say(n, wBehaviour, "send-"+v, where, value+map[bool]string{true: " is now", false: " is no longer"}[added]+" sent on the channel "+channel)
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
		if !strings.Contains(n.text(), "once") || len(w.oldWords) > 0 {
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

func namespaceWord(n item) string {
	if strings.HasPrefix(n.kind(), "mod") {
		return "module"
	}
	return "namespace"
}

func toFrom(added bool) string {
	if added {
		return "to"
	}
	return "from"
}

func firstWord(s string) string {
	k := strings.IndexFunc(s, func(r rune) bool { return r == ' ' || r == '_' || r == ';' || r == '\n' || r == '(' })
	if k > 0 {
		s = s[:k]
	}
	return cut(oneLine(s), maxCode)
}

// headline is a node's text as code, cut.
func headline(n item) string { return code(strings.TrimRight(n.text(), ";")) }

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

// noun names a statement or expression: "the call to `foo`".
func noun(n item, art string) string {
	n = strip(unnested(n))
	if t, text, ok := stream(n); ok {
		if art == "a" {
			return strings.TrimSpace(an(streamNoun(t)) + " " + text)
		}
		return strings.TrimSpace(art + " " + streamNoun(t) + " " + text)
	}
	a := func(s string) string {
		if art == "a" {
			return an(s)
		}
		return art + " " + s
	}
	switch n.role() {
	case syntax.Call:
		if name, ok := testCall(n); ok {
			return a("test ") + quote(name, maxCode)
		}
		if level, ok := logging(n); ok && !printing(n) {
			return a(strings.TrimSpace(level + " log message"))
		}
		if printing(n) {
			return a("print statement")
		}
		if assertion(n) {
			return a("assertion ") + code(n.text())
		}
		return a(callNoun(n))
	case syntax.New:
		return a("new ") + "`" + callee(n) + "`"
	case syntax.Await:
		if k := n.namedKids(); len(k) == 1 {
			return noun(k[0], art)
		}
	case syntax.Assign, syntax.AugAssign:
		l, _ := sides(n)
		if compound(n) != "" {
			return a("update of ") + code(l.text())
		}
		return a("assignment of ") + code(l.text())
	case syntax.Variable, syntax.Declarator:
		if memberOnly(n) {
			return a(fieldWord(n)+" ") + code(nameOf(n))
		}
		if n.kind() == "preproc_def" {
			return a("macro ") + code(nameOf(n))
		}
		return a("variable ") + code(nameOf(n))
	case syntax.Field:
		return a(fieldWord(n)+" ") + code(nameOf(n))
	case syntax.If, syntax.ElseIf:
		return a("check whether ") + runsWhen(n, true)
	case syntax.Loop:
		return a("loop ") + loopOver(n)
	case syntax.Return:
		if exits(n) {
			return a("exit")
		}
		if r := returned(n); r.ok() {
			return a("return of ") + say(r)
		}
		return a("early return")
	case syntax.Throw:
		e, _ := thrown(n)
		return a("throwing of ") + code(e)
	case syntax.Function, syntax.Constructor:
		if isConstructor(n) {
			return a("constructor")
		}
		return a(functionWord(n)) + " " + code(nameOf(n))
	case syntax.Class, syntax.Interface, syntax.Enum:
		return a(classWord(n)) + " " + code(nameOf(n))
	case syntax.Try:
		return a("`try` block")
	case syntax.Case:
		return a("case for ") + caseLabel(n)
	case syntax.EnumMember:
		return a(memberWord(n)) + " " + code(nameOf(n))
	case syntax.Comment:
		return a("comment")
	case syntax.Assert:
		return a("assertion")
	case syntax.Yield:
		return a("`yield`")
	case syntax.Defer:
		return a("deferred ") + taskPhrase(n)
	case syntax.Spawn:
		return a("goroutine")
	case syntax.Send:
		value, channel := sent(n)
		return a("sending of ") + value + " on " + channel
	case syntax.Switch:
		word := firstWord(n.text())
		for _, k := range n.kids() { // where it stands behind its value
			if t := k.kind(); t == "switch" || t == "match" {
				word = t
			}
		}
		if c := switched(n); c != "" {
			return a("`"+word+"` over ") + c
		}
		return a("`" + word + "` statement")
	}
	if n.is(syntax.Pipeline) {
		return a("pipeline of ") + list(commandsOf(n))
	}
	if first, _, _, ok := conditionally(n); ok && first.is(syntax.Call, syntax.Pipeline) {
		return noun(first, art)
	}
	return a("code ") + headline(n)
}

// branchBody lists the statements of a branch that may be an expression.
func branchBody(n item) []item {
	if n.is(syntax.Block) {
		return n.namedKids()
	}
	return []item{n}
}

// effectsTail is " that calls `a` and sets `b`", or "".
func effectsTail(stmts []item) string {
	if e := effects(stmts); len(e) > 0 {
		return " that " + list(e)
	}
	return ""
}

// guard says under which condition a statement runs: " when `x` is null".
func guard(n item) string {
	p := n.up(func(p item) bool { return !p.is(syntax.Block, syntax.ExpressionStatement, syntax.Other) })
	if p.is(syntax.If, syntax.ElseIf) && !p.child("alternative").contains(n) {
		if c := condition(p); c.ok() && !c.contains(n) {
			return " when " + runsWhen(p, true)
		}
	}
	if p.is(syntax.Catch) {
		if t := caught(p); t != "" {
			return " when " + t + " is caught"
		}
	}
	if p.is(syntax.Case) {
		return " for " + caseLabel(p)
	}
	return ""
}

func (n item) contains(m item) bool {
	return n.ok() && m.ok() && n.tree == m.tree && n.i <= m.i && m.i < n.node().last
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
			return " before " + code(calledName(l))
		}
	}
	for k--; k >= 0; k-- {
		if stays(links[k]) {
			return " after " + code(calledName(links[k]))
		}
	}
	return ""
}

func (w *writer) test(n item, name string, added bool) {
	v := verb(added)
	if suite(n) {
		w.say(n, wDeclare, "test-"+v, "", "a group of tests, "+quote(name, maxCode)+", was "+v)
		var inside []string
		for _, c := range n.find(50, nil, syntax.Call) {
			if t, ok := testCall(c); ok && !suite(c) {
				inside = append(inside, quote(t, maxCode))
			}
		}
		if added && len(inside) > 0 {
			w.say(n, wDetail, "test-body", "", "the new group holds the "+many(len(inside), "test")+" "+listOf(inside, 2, "and"))
		}
		return
	}
	w.say(n, wDeclare, "test-"+v, "", "a test "+quote(name, maxCode)+" was "+v)
	a := arguments(n).find(1, nil, syntax.Lambda)
	if b := n.child("block"); b.ok() {
		a = []item{b}
	}
	if added && len(a) == 1 {
		if e := effects(body(a[0])); len(e) > 0 {
			w.each(n, wDetail, "test-body", "", "the new test ", e)
		}
	}
}

func (w *writer) branch(n item, at place, added bool) {
	v, where := verb(added), at.String()
	if w.checked(n, at, added) || w.asserts(n, at, added) {
		return
	}
	c := condition(n)
	var in []item
	for _, x := range w.inner(n) {
		if frame(x, item{}) == n && !n.child("alternative").contains(x) {
			in = append(in, x)
		}
	}
	if len(in) > 0 {
		wrapped, several := together(in)
		if added && w.askedBefore(n, in[0]) {
			w.say(n, wBehaviour, "condition-split", where, "the check whether "+runsWhen(n, true)+" now stands in an `if` of its own")
			return
		}
		if added {
			w.say(n, wBehaviour, "condition-wrapped", where, wrapped+" now only "+runs(several)+" when "+runsWhen(n, true))
		} else {
			w.say(n, wBehaviour, "condition-unwrapped", where, "the check whether "+runsWhen(n, true)+" was removed, so "+wrapped+" no longer depend"+map[bool]string{true: "", false: "s"}[several]+" on it")
		}
		return
	}
	if r := w.resultOf(c); added && r.ok() {
		what := "the result of " + noun(r, "the") + " is now checked"
		if e := effects(body(n)); len(e) > 0 {
			what += ": if " + runsWhen(n, true) + ", " + at.subject() + " " + list(e)
		}
		w.say(n, wBehaviour, "result-checked", where, what)
		return
	}
	what, when := "a check whether ", "if "+runsWhen(n, true)+", "+at.subject()
	if n.is(syntax.ElseIf) || n.parent().is(syntax.Else) || n.field() == "alternative" {
		// It also takes that no branch before applies.
		what, when = "an `else if` branch for the case that ", "in that branch, "+at.subject()
	}
	w.say(n, wBehaviour, "condition-"+v, where, what+runsWhen(n, true)+" was "+v)
	if e := effects(body(n)); len(e) > 0 {
		if added {
			w.each(n, wDetail, "condition-effect", "", when+" now ", e)
		} else {
			w.each(n, wDetail, "condition-effect", "", when+" previously had code that ", e)
		}
	}
	if x, isNull := nullCheck(c); x.ok() && !added {
		w.follows(n, "null-check-removed", say(x)+" is no longer checked for null"+map[bool]string{true: "", false: " before it is used"}[isNull])
	}
}

func (w *writer) elseBranch(n item, at place, added bool) {
	k := n.namedKids()
	if len(k) == 1 && k[0].is(syntax.If) {
		w.branch(k[0], at, added)
		return
	}
	if in := w.inner(n); len(in) > 0 {
		return // said of what is in it
	}
	w.say(n, wBehaviour, "else-"+verb(added), at.String(), "an `else` branch"+effectsTail(body(n))+" was "+verb(added))
}

func (w *writer) loop(n item, at place, added bool) {
	v := verb(added)
	if in := w.inner(n); len(in) > 0 {
		if what, several := together(in); added {
			w.say(n, wBehaviour, "loop-wrapped", at.String(), what+" now "+runs(several)+" in a loop "+loopOver(n))
		} else if frame(in[0], item{}) != n {
			w.say(n, wBehaviour, "loop-removed", at.String(), "a loop "+loopOver(n)+" was removed")
		} // else said of what is in it
		return
	}
	w.say(n, wBehaviour, "loop-"+v, at.String(), "a loop "+loopOver(n)+" was "+v)
	if e := effects(body(n)); len(e) > 0 && added {
		when := "for each item"
		if n.child("condition").ok() {
			when = "in each round"
		}
		w.each(n, wDetail, "loop-effect", at.String(), when+", the new loop ", e)
	}
}

// switched says what a switch looks at, "" for one of conditions or channels.
func switched(n item) string {
	if c := n.child("value", "condition", "subject"); c.ok() {
		return say(c)
	}
	if k := n.namedKids(); len(k) > 0 && !k[0].is(syntax.Case, syntax.Block) && !statement(k[0]) {
		return say(k[0])
	}
	return ""
}

// arrows end the labels of a case.
var arrows = []string{"->", "=>", ":", "then"}

// caseLabels returns the labels of a case and the token that ends them, or none
// where the grammar puts neither side by side.
func caseLabels(n item) (labels []item, arrow item) {
	for _, k := range n.kids() {
		switch {
		case k.named() && !k.is(syntax.Comment):
			labels = append(labels, k)
		case slices.Contains(arrows, k.kind()):
			return labels, k
		}
	}
	return nil, item{}
}

func caseLabel(n item) string {
	k := n.namedKids()
	if len(k) > 0 && k[0].kind() == "switch_label" {
		if l := k[0].namedKids(); len(l) > 0 {
			return labelsText(l, l[len(l)-1].node().end)
		}
		return "the default"
	}
	if c := n.child("communication"); c.ok() { // of channels
		if r := strip(c.child("right")); r.is(syntax.Unary) {
			return "a value from " + code(strings.TrimPrefix(r.text(), "<-"))
		}
		return noun(c, "a")
	}
	if t := oneLine(cut(n.text(), maxCode)); strings.HasPrefix(t, "default") || strings.HasPrefix(t, "else") || strings.HasPrefix(t, "_ ") || strings.HasPrefix(t, "case _ =") || strings.HasPrefix(t, "case _:") || strings.HasPrefix(t, "*)") {
		return "the default"
	}
	if l, arrow := caseLabels(n); len(l) > 0 {
		return labelsText(l, arrow.node().start)
	}
	if v := n.child("value", "pattern", "type"); v.ok() {
		return say(v)
	}
	if len(k) > 0 && !statement(k[0]) {
		return say(k[0])
	}
	return headline(n)
}

// labelsText names the labels of a case, which end at a byte.
func labelsText(l []item, end int) string {
	if len(l) == 1 {
		return say(l[0])
	}
	return code(string(l[0].src[l[0].node().start:end]))
}

// caseValue tells whether n is what a case of a switch expression yields.
func caseValue(n item) bool {
	c := n.parent()
	if !c.is(syntax.Case) || statement(n) && !n.is(syntax.ExpressionStatement) {
		return false
	}
	for k := n.next(); k.ok(); k = k.next() {
		if k.named() && !k.is(syntax.Comment) {
			return false
		}
	}
	_, arrow := caseLabels(c)
	return arrow.ok() && arrow.kind() != ":" && arrow.i < n.i
}

// caseResult returns the value of a case that does nothing but yield or return
// one, or none.
func caseResult(n item) item {
	var out []item
	for _, k := range n.namedKids() {
		if k.is(syntax.Block) {
			out = append(out, k.namedKids()...)
		} else if statement(k) || caseValue(k) {
			out = append(out, k)
		}
	}
	if len(out) != 1 {
		return item{}
	}
	r := strip(out[0])
	if r.is(syntax.Return, syntax.Yield) {
		if k := r.namedKids(); len(k) == 1 {
			return strip(k[0])
		}
		return item{}
	}
	return r
}

// switchCase says that a case was added or removed, and what a new one does.
func (w *writer) switchCase(n item, where string, added bool) {
	v, label := verb(added), caseLabel(n)
	w.names(n, wBehaviour, "case-"+v, where, "a case for "+slot+" was "+v, "cases for "+slot+" were "+v, label)
	if !added {
		return
	}
	if eff := effects(caseBody(n)); len(eff) > 0 {
		w.each(n, wDetail, "case-effect", where, "for "+label+" the code now ", eff)
		return
	}
	for _, k := range n.namedKids() {
		if caseValue(k) {
			w.say(n, wDetail, "case-effect", where, "for "+label+" the result is "+say(k))
		}
	}
}

func caseBody(n item) []item {
	var out []item
	for _, k := range n.namedKids() {
		if k.is(syntax.Block) {
			out = append(out, k.namedKids()...)
		} else if statement(k) {
			out = append(out, k)
		}
	}
	return out
}

func (w *writer) returns(n item, at place, added bool) {
	if exits(n) {
		if added {
			w.say(n, wBehaviour, "exit-added", "", at.subject()+" now "+does(n, 0)+guard(n))
		} else {
			w.say(n, wBehaviour, "exit-removed", "", at.subject()+" no longer "+does(n, 0)+guard(n))
		}
		return
	}
	v, gone := "early", "the early return"
	if r := returned(n); r.ok() {
		v, gone = say(r), "the return of "+say(r)
	}
	if added {
		w.say(n, wBehaviour, "return-added", "", at.subject()+" now returns "+v+guard(n))
		if strip(returned(n)).is(syntax.Switch) {
			w.details(returned(n), "the return value")
		}
		return
	}
	w.say(n, wBehaviour, "return-removed", at.String(), gone+guard(n)+" was removed")
}

// returned is what a return statement gives back, or none.
func returned(n item) item {
	if a := n.first(syntax.Arguments); a.ok() {
		if k := a.namedKids(); len(k) == 1 {
			return k[0]
		}
		return a
	}
	if k := n.namedKids(); len(k) > 0 && k[0].field() != "name" {
		return k[0]
	}
	return item{}
}

// exits tells whether a return ends the whole program.
func exits(n item) bool { return strings.HasPrefix(n.text(), "exit") && n.is(syntax.Return) }

// closers are the methods that give back what was opened or taken.
var closers = []string{"close", "release", "unlock", "disconnect", "shutdown", "quit", "cleanup"}

// closedBefore finds the call, gone now, that closed what a new with statement
// closes, and names that.
func (w *writer) closedBefore(n item) string {
	var found item
	for x := range w.fresh {
		c := strip(unnested(x))
		if x.frag.Side == n.frag.Side || !c.is(syntax.Call) || !slices.Contains(closers, calledName(c)) || !receiver(c).is(syntax.Identifier) {
			continue
		}
		for _, k := range n.find(20, func(r syntax.Role) bool { return r == syntax.Block }, syntax.Identifier) {
			if k.text() == receiver(c).text() && (!found.ok() || c.i < found.i) {
				found = c
			}
		}
	}
	return receiver(found).text()
}

func (w *writer) with(n item, at place, added bool) {
	v := verb(added)
	if added {
		if name := w.closedBefore(n); name != "" {
			w.follows(n, "closed-always", code(name)+" is now also closed when an error occurs in between")
		}
	}
	word := firstWord(n.text())
	if rest, ok := strings.CutPrefix(oneLine(n.text()), "async "); ok {
		word = "async " + firstWord(rest)
	}
	what := an("`" + word + "` block")
	if k := n.namedKids(); len(k) > 0 && !k[0].is(syntax.Block) {
		what = an("`"+word+"` statement on ") + say(k[0])
	}
	if in := w.inner(n); len(in) > 0 && added {
		wrapped, several := together(in)
		w.say(n, wBehaviour, "with-"+v, at.String(), wrapped+" now "+runs(several)+" inside "+what)
		return
	}
	w.say(n, wBehaviour, "with-"+v, at.String(), what+effectsTail(body(n))+" was "+v)
}
