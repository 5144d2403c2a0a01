package symbolic

import (
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/treediff"

	"crscore/pseudoref/symbolic/tree"

	"crscore/internal/syntax"
)

// single says that a node was added or removed.
func (w *writer) single(n tree.Node, e treediff.Edit, added bool) {
	outer := n
	n = tree.Unnested(n)
	if k := n.NamedKids(); n != outer && n.Kind() == "try_expression" && n.Is(syntax.Unary) && len(k) == 1 {
		n = tree.Strip(k[0]) // what the sign for errors stands behind
	}
	if w.done[n] || w.done[outer] || w.catchHead(e) || w.spread(e) {
		return
	}
	at := placeOf(n)
	switch {
	case cutName(n):
		for _, d := range n.Find(20, nil, syntax.Decorator) {
			w.decorator(d, added)
		}
	case !n.Frag.Whole && n.Is(syntax.Assign) && strings.HasSuffix(strings.TrimSpace(n.Text()), ","):
		// An argument or a parameter of what the hunk leaves out.
	case e.Link:
		w.chained(n, e, at.String(), added)
	case w.declaration(n, e, at, added), w.statement(n, outer, e, at, added), w.small(n, at.String(), added), w.nested(n, e, added):
	default:
		w.part(n, e, added)
	}
}

// chained says that a chain of calls got another one, or lost one.
func (w *writer) chained(n tree.Node, e treediff.Edit, where string, added bool) {
	space := either(strings.HasPrefix(tree.Arguments(n).Text(), "{"), " ", "")
	link := n // where the link stands, not the chain before it
	if a := tree.Arguments(n); a.Ok() {
		link = a
	}
	to := " was " + verb(added) + " " + toFrom(added) + " the chain of calls" + besideLink(n, e, added)
	several := strings.Replace(to, "was", "were", 1)
	w.names(link, wBehaviour, "chain-"+verb(added), where, "a call to "+slot+to, "calls to "+slot+several, code(shownName(n)+space+tree.Arguments(n).Text()))
}

// declaration says that a declaration, or a part of one, was added or removed. It
// answers false for anything else.
func (w *writer) declaration(n tree.Node, e treediff.Edit, at place, added bool) bool {
	r := n.Role()
	switch {
	case conditional(n) && n.Is(syntax.If, syntax.ElseIf, syntax.Else):
		w.compiled(n, at, added)
	case strings.HasPrefix(n.Kind(), "field_initializer") && n.Traits().SpreadTypes:
		w.say(n, wValue, "part-"+verb(added), "", at.subject()+map[bool]string{true: " now", false: " no longer"}[added]+" initialises "+code(strings.TrimLeft(n.Text(), ": ")))
	case r == syntax.Import, tree.IsRequire(n):
		w.imports(n, added)
	case r.IsFunction():
		w.function(n, at, added)
	case r.IsClass():
		w.class(n, added)
	case r == syntax.EnumMember:
		w.listed(n, wDeclare, "enum-member", "", memberWord(n), " "+toFrom(added)+" the enum "+code(tree.NameOf(n.Under(syntax.Enum))), added, code(tree.NameOf(n)))
	case r == syntax.Field && perhapsLocal(n):
		w.variable(n, at, added)
	case r == syntax.Field || r == syntax.Variable && memberOnly(n) || isFieldAssignment(n, at):
		w.field(n, at, added)
	case r == syntax.Parameter || e.NewIn.Is(syntax.Parameters) || e.OldIn.Is(syntax.Parameters):
		w.parameter(n, added)
	case r == syntax.Parameters && n.Parent().Is(syntax.Function, syntax.Constructor):
		for _, p := range n.NamedKids() {
			w.parameter(p, added)
		}
	case r == syntax.Decorator:
		w.decorator(n, added)
	case r == syntax.Modifier || n.Parent().Is(syntax.Modifier):
		w.modifier(n, added)
	case (r == syntax.Heritage || n.Parent().Is(syntax.Heritage)) && e.OldIn.Is(syntax.Heritage) && e.NewIn.Is(syntax.Heritage):
		w.heritageChanged(e.OldIn, e.NewIn)
	case r == syntax.Heritage || n.Parent().Is(syntax.Heritage):
		c := n.Under(syntax.Class, syntax.Interface, syntax.Enum)
		w.say(n, wSignature, "heritage-"+verb(added), "", classWord(c)+" "+code(tree.NameOf(c))+" "+now(added)+" "+heritageWords(n))
	case inHeritage(n):
		w.base(n, added)
	case n.Kind() == "throws":
		_, owner := ownerOf(n)
		w.say(n, wSignature, "throws-"+verb(added), "", owner+" is "+now(added)+" declared with "+code(n.Text()))
	case r == syntax.Comment:
		w.comment(n, at, added)
	case r == syntax.Tag && added:
		w.tag(tree.Node{}, n)
	case r == syntax.Tag:
		w.tag(n, tree.Node{})
	case r == syntax.Export:
		names := n.Find(50, nil, syntax.Identifier)
		for _, k := range n.NamedKids() {
			if k.Kind() == "export_specifier" || len(names) == 1 {
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
func (w *writer) statement(n, outer tree.Node, e treediff.Edit, at place, added bool) bool {
	r := n.Role()
	switch {
	case n.Field() == "alternative" && n.Parent().Is(syntax.If, syntax.Variable) && !n.Is(syntax.If, syntax.ElseIf, syntax.Else):
		w.say(n, wBehaviour, "else-"+verb(added), at.String(), "an `else` branch"+effectsTail(branchBody(n))+" was "+verb(added))
	case n.Is(syntax.String) && n.Traits().Docstrings && (treediff.Block(outer.Parent()) || outer.Is(syntax.ExpressionStatement)) && (n.Frag.Whole || strings.Contains(n.Text(), `"""`) || strings.Contains(n.Text(), "'''")):
		w.docstring(n, at, added)
	case (r == syntax.Variable || r == syntax.Declarator) && !added && declaresIn(e.NewIn, tree.NameOf(n)):
		// It is declared elsewhere now, in what was put around.
	case r == syntax.Variable || r == syntax.Declarator:
		w.variable(n, at, added)
	case r == syntax.Assign || r == syntax.AugAssign || r == syntax.Update:
		w.assignment(n, at, added)
	case n.Is(syntax.Call, syntax.New, syntax.Await) && statementLike(outer):
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
	case tree.Appends(n), conditionalDoes(n, 0) != "":
		w.say(n, wBehaviour, "statement-"+verb(added), at.String(), "the code "+now(added)+" "+does(n, 0)+guard(n))
	case n.Kind() == "file_redirect":
		w.say(n, wBehaviour, "redirection-"+verb(added), at.String(), "the redirection "+code(n.Text())+" was "+verb(added))
	case r == syntax.Package, n.Kind() == "pass_statement": // part of every new file, and nothing
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
	what   func(tree.Node) string // "a case"
}

// smallRules are tried in their order.
var smallRules = []smallRule{
	{syntax.Switch, "switch", wBehaviour, switchNoun},
	{syntax.Finally, "finally", wBehaviour, func(n tree.Node) string { return an("`"+firstWord(n.Text())+"` block") + effectsTail(tree.Body(n)) }},
	{syntax.Assert, "assert", wBehaviour, assertionPhrase},
	{syntax.TypeAlias, "type", wDeclare, func(n tree.Node) string { return "the type " + code(tree.NameOf(n)) }},
	{syntax.Break, "statement", wBehaviour, keywordNoun},
	{syntax.Continue, "statement", wBehaviour, keywordNoun},
	{syntax.Yield, "statement", wBehaviour, keywordNoun},
	{syntax.Goto, "statement", wBehaviour, keywordNoun},
	{syntax.Delete, "statement", wBehaviour, keywordNoun},
	{syntax.Label, "statement", wDetail, func(n tree.Node) string { return "the label " + code(strings.TrimSuffix(n.Text(), ":")) }},
	{syntax.Receiver, "receiver", wSignature, func(n tree.Node) string { return "the receiver " + code(n.Text()) }},
	{syntax.Defer, "statement", wBehaviour, guardedNoun},
	{syntax.Spawn, "statement", wBehaviour, guardedNoun},
	{syntax.Send, "statement", wBehaviour, guardedNoun},
	{syntax.Pipeline, "statement", wBehaviour, guardedNoun},
}

// small says by the table that a node was added or removed. It answers false for
// what is not in it.
func (w *writer) small(n tree.Node, where string, added bool) bool {
	for _, r := range smallRules {
		label := n.Field() == "label" && treediff.Block(n.Parent()) || n.Kind() == "access_specifier"
		if r.role != syntax.Label && n.Is(r.role) || r.role == syntax.Label && label {
			tail := ""
			if r.id == "statement" && !label {
				tail = guard(n)
			}
			w.say(n, r.weight, r.id+"-"+verb(added), where, r.what(n)+" was "+verb(added)+tail)
			return true
		}
	}
	if n.Kind() != "preproc_call" {
		return false
	}
	if strings.HasPrefix(strings.TrimLeft(n.Text(), "# "), "pragma") && (!strings.Contains(n.Text(), "once") || w.oldWords != nil && w.oldWords.Tree != nil) {
		w.say(n, wDetail, "directive-"+verb(added), where, "the directive "+code(n.Text())+" was "+verb(added))
	}
	return true
}

// nested says of what holds others that they were added or removed. It answers
// false for what holds none.
func (w *writer) nested(n tree.Node, e treediff.Edit, added bool) bool {
	switch is := n.Find(100, nil, syntax.Import); {
	case n.Is(syntax.Namespace):
		if name := tree.NameOf(n); name != "" {
			w.say(n, wDeclare, "namespace-"+verb(added), "", "the "+namespaceWord(n)+" "+code(name)+" was "+verb(added))
		}
		for _, k := range tree.Body(n) {
			if !k.Is(syntax.Import) {
				w.single(k, treediff.Edit{}, added)
			}
		}
	case n.Is(syntax.Block) && n.Parent().Ok(), n.Kind() == "linkage_specification":
		within := n.NamedKids()
		if !n.Is(syntax.Block) {
			within = tree.Body(n)
		}
		for _, k := range within {
			w.single(k, treediff.Edit{}, added)
		}
	case n.Is(syntax.Arguments) && n.Parent().Is(syntax.Call):
		for _, k := range n.NamedKids() {
			if !w.done[e.NewIn] { // no other call took its place
				w.part(k, treediff.Edit{Old: e.Old, New: e.New, OldIn: n, NewIn: n}, added)
			}
		}
	case n.Role() == syntax.Other && len(is) > 0:
		for _, i := range is {
			if !w.same.Partner(i).Ok() {
				w.single(i, treediff.Edit{}, added)
			}
		}
	default:
		return false
	}
	return true
}

func keywordNoun(n tree.Node) string { return "a " + headline(n) + " statement" }

func guardedNoun(n tree.Node) string { return noun(n, "a") }

// switchNoun names a switch with its cases.
func switchNoun(n tree.Node) string {
	var labels []string
	for _, c := range n.Find(50, func(r syntax.Role) bool { return r == syntax.Case }, syntax.Case) {
		labels = append(labels, caseLabel(c))
	}
	if len(labels) == 0 {
		return noun(n, "a")
	}
	return noun(n, "a") + " with cases for " + list(uniq(labels))
}

// statementLike tells whether an expression is a statement of its own.
func statementLike(n tree.Node) bool {
	if caseValue(n) || n.Parent().Is(syntax.Case) && n.Field() == "value" {
		return false
	}
	return n.Is(syntax.ExpressionStatement) || n.Parent().Is(syntax.ExpressionStatement) || treediff.Block(n.Parent())
}

// inner lists the moved statements inside a compound statement.
func (w *writer) inner(n tree.Node) []tree.Node {
	var out []tree.Node
	for i := n.I + 1; i < n.Last(); {
		x := n.Tree.At(i)
		if w.moved[x].Ok() {
			out = append(out, x)
			i = x.Last()
			continue
		}
		i++
	}
	return out
}

// askedBefore tells whether what a new check asks was asked around a statement
// before it moved there.
func (w *writer) askedBefore(check, moved tree.Node) bool {
	_, asked := operands(tree.Condition(check))
	old := w.moved[moved]
	for p, i := old.Parent(), 0; p.Ok() && i < tree.MaxClimb && !p.Role().IsFunction(); i, p = i+1, p.Parent() {
		if op, before := operands(tree.Condition(p)); p.Is(syntax.If, syntax.ElseIf) && op != "or" && len(only(asked, before)) == 0 && !p.Child("alternative").Contains(old) {
			return true
		}
	}
	return false
}

// besideLink names the call that both chains have before which another one came
// or went, or behind which at the end.
func besideLink(n tree.Node, e treediff.Edit, added bool) string {
	in, other := e.OldIn, e.NewIn
	if added {
		in, other = e.NewIn, e.OldIn
	}
	links := tree.Chain(in)
	stays := func(l tree.Node) bool {
		return slices.ContainsFunc(tree.Chain(other), func(o tree.Node) bool { return tree.CalledName(o) == tree.CalledName(l) })
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

func (w *writer) test(n tree.Node, name string, added bool) {
	what := "a test " + quote(name, maxCode)
	if suite(n) {
		what = "a group of tests, " + quote(name, maxCode) + ","
	}
	w.say(n, wDeclare, "test-"+verb(added), "", what+" was "+verb(added))
	var tests []string
	for _, c := range n.Find(50, nil, syntax.Call) {
		if t, ok := tree.TestCall(c); ok && !suite(c) {
			tests = append(tests, quote(t, maxCode))
		}
	}
	a := tree.Arguments(n).Find(1, nil, syntax.Lambda)
	if b := n.Child("block"); b.Ok() {
		a = []tree.Node{b}
	}
	switch {
	case !added:
	case suite(n) && len(tests) > 0:
		w.say(n, wDetail, "test-body", "", "the new group holds the "+many(len(tests), "test")+" "+listOf(tests, 2, "and"))
	case len(a) == 1:
		w.each(n, wDetail, "test-body", "", "the new test ", deeds(tree.Body(a[0])))
	}
}
