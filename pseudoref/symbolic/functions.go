package symbolic

import (
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

// isConstructor tells whether a function makes an object, by its kind or its
// name.
func isConstructor(n item) bool {
	c := n.traits().Constructor
	return n.is(syntax.Constructor) && !strings.Contains(nameOf(n), "~") || c != "" && n.is(syntax.Function) && nameOf(n) == c
}

// functionWord says what a function is called in prose.
func functionWord(n item) string {
	name := nameOf(n)
	switch {
	case n.kind() == "preproc_function_def" || n.kind() == "macro_definition":
		return "macro"
	case strings.HasPrefix(lastPart(name), "~"):
		return "destructor"
	case isConstructor(n):
		return "constructor"
	case isTest(n, nameOf(n)):
		return "test"
	case placeOf(n).class != "" || receiverType(n) != "" || n.kind() == "method_declaration":
		return "method"
	}
	return "function"
}

// receiverType names the type that a method is declared for outside of it.
func receiverType(n item) string {
	types := n.first(syntax.Receiver).find(1, nil, syntax.Type)
	if len(types) == 0 {
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimLeft(oneLine(types[0].text()), "*"), "[")
	return name
}

// receiverChanged says that methods are declared for another type, or for a
// pointer where there was a value.
func (w *writer) receiverChanged(a, b item) {
	typ := func(n item) string {
		if types := n.find(1, nil, syntax.Type); len(types) > 0 {
			return oneLine(types[0].text())
		}
		return ""
	}
	x, y := typ(a), typ(b)
	name := code(nameOf(b.parent()))
	if x == y {
		w.names(b, wDetail, "receiver-renamed", "", "the receiver of "+slot+" was renamed", "the receivers of "+slot+" were renamed", name)
		return
	}
	to := " changed from " + code(x) + " to " + code(y)
	w.names(b, wSignature, "receiver-changed", "", "the receiver of the method "+slot+" was"+to, "the receivers of the methods "+slot+" were"+to, name)
	switch {
	case y == "*"+x:
		w.names(b, wFollows, "receiver-pointer", "", slot+" now works on the value itself instead of a copy", slot+" now work on the value itself instead of a copy", name).kind = implication
	case x == "*"+y:
		w.names(b, wFollows, "receiver-value", "", slot+" now works on a copy, so what it changes there is lost", slot+" now work on a copy, so what they change there is lost", name).kind = implication
	}
}

func (w *writer) function(n item, at place, added bool) {
	name := nameOf(n)
	word := functionWord(n)
	v := verb(added)
	place := ""
	if t := receiverType(n); t != "" {
		place = " " + toFrom(added) + " " + code(t)
	} else if class, _, ok := cutLast(name, "::"); ok && word == "constructor" {
		place = " " + toFrom(added) + " " + code(lastPart(class))
	} else if at.class != "" {
		place = at.member(added)
	} else if at.fn != "" {
		place = " inside " + at.String()
	}
	with := ""
	if added && word != "test" {
		with = withParameters(n)
	}
	if w.deleted(n, word, added) {
		return
	}
	if word == "constructor" {
		w.say(n, wDeclare, "function-"+v, "", "a constructor"+with+" was "+v+place)
	} else if added && w.overloads(n) {
		w.say(n, wDeclare, "overload-added", "", "a new overload of the "+word+" "+code(name)+with+" was added"+place)
	} else if added {
		w.say(n, wDeclare, "function-added", "", "a new "+word+" "+code(name)+with+" was added"+place+w.documentedAs(n))
		w.docsContinue(n)
	} else {
		w.say(n, wDeclare, "function-removed", "", "the "+word+" "+code(name)+" was removed"+place)
	}
	if i := n.under(syntax.Class, syntax.Interface); added && slices.Contains([]string{"interface", "protocol"}, classWord(i)) && len(body(n)) == 0 {
		who := "classes"
		if !i.is(syntax.Interface) {
			who = "types"
		}
		w.names(n, wFollows, "interface-method", "", who+" that implement "+code(nameOf(i))+" must now implement "+slot, who+" that implement "+code(nameOf(i))+" must now implement "+slot, code(name)).kind = implication
		return
	}
	if word == "constructor" {
		name = "the constructor"
	}
	w.functionBody(n, name, nil, added)
	if added {
		w.newFunction(n, word, name)
	}
	if !added && word != "test" && word != "constructor" {
		if w.newWords != nil && w.reads(len(w.newText)) && uses(w.newText, name) {
			w.follows(n, "function-removed-used", code(name)+" is still used in the file after its removal")
		} else if overrides(n) {
			w.follows(n, "override-removed", "calls of "+code(name)+" on what had it from there now reach the inherited one, if that has a body")
		} else if w.newWords.of(name) == 0 {
			w.follows(n, "function-removed-callers", "callers of the removed "+word+" "+code(name)+" must be updated")
		}
	}
	if !added && word == "test" {
		w.follows(n, "test-removed", "what the test "+code(name)+" checked is no longer tested there")
	}
}

// overrides tells whether a function says that it overrides another.
func overrides(n item) bool {
	for _, d := range decorators(n) {
		if nameOf(d) == "Override" {
			return true
		}
	}
	for _, m := range n.kids() {
		if m.is(syntax.Modifier) && slices.Contains(strings.Fields(modifiers(m)), "override") {
			return true
		}
	}
	return false
}

// onlyParent tells whether a function only calls the one that it overrides, with
// its own parameters.
func onlyParent(n item) bool {
	b := body(n)
	if len(b) != 1 {
		return false
	}
	c := unnested(b[0])
	if k := c.namedKids(); c.is(syntax.Return) && len(k) == 1 {
		c = strip(k[0])
	}
	if t := c.text(); !c.is(syntax.Call) || !strings.HasPrefix(t, "super") && !strings.HasPrefix(t, "base.") || calledName(c) != nameOf(n) {
		return false
	}
	args, params := arguments(c).namedKids(), parameterNames(parameters(n))
	if len(args) != len(params) {
		return false
	}
	for i := range args {
		if code(args[i].text()) != params[i] {
			return false
		}
	}
	return true
}

// newFunction says what a reviewer would look for in a new function.
func (w *writer) newFunction(n item, word, name string) {
	w.annotated(n, "the new "+word+" "+code(name))
	if overrides(n) {
		w.say(n, wDetail, "override", "", "the new "+word+" "+code(name)+" overrides an inherited one")
		if onlyParent(n) {
			w.follows(n, "override-empty", "the new "+code(name)+" does nothing but what the parent's does, so it could be left out")
		}
		return
	}
	if word == "test" || word == "constructor" || word == "destructor" || strings.HasPrefix(name, "_") {
		return
	}
	// A function of one statement that asks nothing is hardly worth a test.
	if b := body(n); len(b) > 1 || len(b) == 1 && len(b[0].find(1, nil, syntax.If, syntax.Loop, syntax.Switch, syntax.Conditional)) > 0 {
		w.untested = append(w.untested, code(name))
	}
	if b := body(n); len(b) > 0 && !strip(b[0]).is(syntax.Throw) {
		for _, p := range parameters(n) {
			if name := parameterName(p); !handed.MatchString(name) {
				w.unused(p, name)
			}
		}
	}
	if !documented(n) && public(n) && placeOf(n).fn == "" {
		w.follows(n, "undocumented", "the new public "+word+" "+code(name)+" has no documentation")
	}
}

// handed are the names of parameters that a caller hands over whether they are
// used or not.
var handed = regexp.MustCompile(`(?i)^(?:self|this|cls|req|request|res|response|ctx|context|event|ev|e|args|kwargs|argv|argc|next|sender|match)$`)

// overloads tells whether a new function stands beside an older one of its name.
func (w *writer) overloads(n item) bool {
	if !n.traits().Overloads || !w.fresh[n] && !w.fresh[unnestedUp(n)] {
		return false
	}
	if w.older == nil {
		w.older = map[sibling]bool{}
		for i := range n.nodes {
			f := item{n.tree, i}
			if top := unnestedUp(f); f.role().IsFunction() && !w.fresh[f] && !w.fresh[top] {
				w.older[sibling{top.parent(), nameOf(f)}] = true
			}
		}
	}
	return w.older[sibling{unnestedUp(n).parent(), nameOf(n)}]
}

// sibling is a function by its name and what it stands in.
type sibling struct {
	in   item
	name string
}

// unnestedUp is the node around which wrappers, such as an export, stand.
func unnestedUp(n item) item {
	for p := n.parent(); p.ok() && unnested(p) == n; p = p.parent() {
		n = p
	}
	return n
}

// documented tells whether a comment stands before a function or a docstring
// in it.
func documented(n item) bool {
	outer := n
	for outer.parent().ok() && !block(outer.parent()) {
		outer = outer.parent()
	}
	before := outer.prev()
	if before.is(syntax.Comment) {
		_, end := before.rows()
		start, _ := outer.rows()
		return start-end <= 1
	}
	b := body(n)
	return len(b) > 0 && strip(b[0]).is(syntax.String)
}

// public tells whether a function can be called from outside by the habits of
// its language.
func public(n item) bool {
	switch n.traits().Public {
	case syntax.PublicByKeyword:
		m := n.first(syntax.Modifier)
		return strings.Contains(m.text(), "pub") || n.under(syntax.Interface).ok()
	case syntax.PublicByDefault:
		m := n.first(syntax.Modifier).text()
		return !strings.Contains(m, "private") && !strings.Contains(m, "internal") && !strings.Contains(m, "protected")
	case syntax.PublicByExport:
		return n.parent().is(syntax.Export)
	case syntax.PublicByCapital:
		capital := func(s string) bool { return s != "" && s[0] >= 'A' && s[0] <= 'Z' }
		t := receiverType(n)
		return capital(nameOf(n)) && (t == "" || capital(t))
	}
	return false
}

// withParameters is " with the parameters `a` and `b`", or "".
func withParameters(n item) string {
	if p := parameterNames(parameters(n)); len(p) > 0 {
		return " with the " + many(len(p), "parameter") + " " + list(p)
	}
	return ""
}

// functionDetails says what a new function takes and does, where its own claim
// does not say what it takes.
func (w *writer) functionDetails(n item, name string, added bool) {
	var takes []string
	if p := parameterNames(parameters(n)); len(p) > 0 {
		takes = []string{"takes " + list(p)}
	}
	w.functionBody(n, name, takes, added)
}

// functionBody says what a new function does, after what is in does already.
func (w *writer) functionBody(n item, name string, does []string, added bool) {
	if !added {
		return
	}
	subject := code(name)
	if name == "the constructor" {
		subject = name
	} else if w.overloads(n) {
		subject = "the overload of " + subject
	}
	b := body(n)
	does = append(does, deeds(b)...)
	if len(does) > 0 {
		w.each(n, wDetail, "function-body", "", "the new "+strings.TrimPrefix(subject, "the ")+" ", does)
	}
	w.functionFails(n, subject, b)
}

// maxFailures bounds the errors that are told of a new function.
const maxFailures = 2

// functionFails says with which errors a new function ends.
func (w *writer) functionFails(n item, subject string, b []item) {
	inner := func(r syntax.Role) bool { return r == syntax.Lambda || r.IsFunction() || r.IsClass() }
	told := 0
	for _, s := range b {
		for _, x := range append(s.find(100, inner, syntax.Throw, syntax.Return), s) {
			if told >= maxFailures || guard(x) == "" || rethrows(x.under(syntax.Catch).parent()) {
				continue
			}
			what := ""
			if x.is(syntax.Throw) {
				if e, _ := thrown(x); e != "" {
					what = does(x, 0)
				}
			} else if x.is(syntax.Return) {
				for _, v := range values(x) {
					if madeError(v) != "" {
						what = "returns " + say(v)
					}
				}
			}
			if what != "" {
				told++
				when := guard(x)
				if i := x.under(syntax.If); i.under(syntax.If, syntax.Function, syntax.Constructor, syntax.Lambda).is(syntax.If) {
					when = guard(i) + strings.Replace(when, " when ", " and ", 1) // the outer check first
				}
				w.say(x, wDetail, "function-fails", "", subject+" "+what+when)
			}
		}
	}
}

func lastOf(ns []item) item {
	if len(ns) == 0 {
		return item{}
	}
	return ns[len(ns)-1]
}

// documentation returns the comments directly before a declaration.
func documentation(n item) (first item, text string) {
	outer := n
	for outer.parent().ok() && !block(outer.parent()) {
		outer = outer.parent()
	}
	row, _ := outer.rows()
	for k := outer.prev(); k.ok() && len(text) < maxComment; k = k.prev() {
		if !k.named() {
			continue
		}
		_, end := k.rows()
		if !k.is(syntax.Comment) || row-end > 1 {
			break
		}
		row, _ = k.rows()
		first, text = k, k.text()+"\n"+text
	}
	return first, text
}

// docsContinue says what the documentation says behind what was quoted of it.
func (w *writer) docsContinue(n item) {
	for _, p := range w.docRest {
		w.say(n, wText, "docs-continued", "", "the documentation of "+code(nameOf(n))+" goes on to say "+quoteText(p))
	}
	w.docRest = nil
}

// documentedAs is `, documented as "…"` for a new declaration, or "". What it
// quotes is not told again.
func (w *writer) documentedAs(n item) string {
	first, text := documentation(n)
	if !first.ok() || commentText(text) == "" || !w.fresh[first] && !w.freshAbove(first) {
		return ""
	}
	for k := first; k.is(syntax.Comment); k = k.next() {
		w.done[k] = true
		for k.next().ok() && !k.next().named() {
			k = k.next()
		}
	}
	d := readDoc(text)
	p := passages(d.text, wordsSaid, 2)
	if len(p) == 0 {
		return ""
	}
	if n.role().IsFunction() {
		w.docRest = p[1:]
	}
	return ", documented as " + quoteText(p[0])
}

// freshAbove tells whether what is around a node is new.
func (w *writer) freshAbove(n item) bool {
	return n.up(func(p item) bool { return w.fresh[p] }).ok()
}

func parameterNames(ps []item) []string {
	var out []string
	for _, p := range ps {
		named := 0
		for _, k := range p.kids() {
			if p.is(syntax.Parameter) && k.field() == "name" && k.is(syntax.Identifier) {
				named++
				out = append(out, code(k.text()))
			}
		}
		if named == 0 {
			out = append(out, code(parameterName(p)))
		}
	}
	return uniq(out)
}
