package symbolic

import (
	"bytes"
	"slices"
	"strings"

	"crscore/internal/syntax"
)

// The second level of claims: where a change stands and what comes of it. What
// an edit did is said before; here is said what guards the code it touched, where
// the values go that it sets, who uses the names that it brings in.

const (
	wResult   = 48 // what comes of a change
	wGuard    = 46 // what it depends on
	maxNames  = 40 // names of a file that are looked up in its functions
	maxLookup = 4000
)

// results says what comes of an edit. It is asked once for each statement.
func (w *writer) results(e edit) {
	n := e.new
	if !n.ok() {
		n = e.old
	}
	if !n.ok() || n.is(syntax.Package) {
		return
	}
	if e.old.ok() != e.new.ok() && !e.link {
		w.facets(n, e.new.ok())
	}
	if n.is(syntax.Import) || n.under(syntax.Import).ok() {
		if e.new.ok() {
			w.importResults(n)
		}
		return
	}
	if n.is(syntax.Comment) {
		return
	}
	s := unnested(n)
	if !movable(n) && !movable(s) {
		s = unnested(n.up(movable))
	}
	if !s.ok() || w.resulted[s] {
		return
	}
	w.resulted[s] = true
	switch {
	case s.role().IsFunction():
		if e.new.ok() && !w.same.partner(s).ok() {
			w.functionResults(s)
		}
		return
	case s.is(syntax.Else, syntax.ElseIf, syntax.Case, syntax.Catch, syntax.Finally), s.field() == "alternative":
		return
	case s.role().IsClass(), s.is(syntax.Namespace, syntax.Export, syntax.TypeAlias):
		return
	case s.is(syntax.Field, syntax.EnumMember) || s.is(syntax.Variable, syntax.Assign, syntax.ExpressionStatement) && placeOf(s).fn == "" && placeOf(s).callback == "":
		if e.new.ok() {
			if name := definedName(s); name != "" {
				w.usedBy(s, name, code(name), "used")
			}
			if !s.is(syntax.Field, syntax.EnumMember) && placeOf(s).class == "" {
				w.flows(s, n)
			}
		}
		return
	}
	w.guarded(s, n, e)
	if !e.new.ok() {
		return
	}
	w.flows(s, n)
	w.decidesBranch(s, n)
	w.guards(s, e)
	if name := ownMember(s); name != "" {
		w.usedBy(s, name, code(target(strip(unnested(s)))), "used")
	}
}

// decidesBranch says what depends on a condition in which an argument or another
// part was changed, where no claim is about the condition itself.
func (w *writer) decidesBranch(s, n item) {
	c := condition(s)
	if !branch(s) || !c.ok() || w.fresh[s] || !c.contains(n) {
		return
	}
	for p := n; p.ok() && p != s; p = p.parent() {
		if w.done[p] {
			return // said of the condition
		}
	}
	if e := effects(body(s)); len(e) > 0 {
		w.follows(s, "condition-part", "the changed condition decides whether "+placeOf(s).subject()+" "+e[0])
	}
}

// ownMember is the name of the object's own attribute that a statement sets, or "".
func ownMember(s item) string {
	s = strip(unnested(s))
	if !s.is(syntax.Assign) {
		return ""
	}
	owner, name, _ := cutLast(target(s), ".")
	if owner != "self" && owner != "this" && owner != "$this" || !simpleName(name) {
		return ""
	}
	return name
}

// definedName returns the simple name that a statement gives a value to, or "".
func definedName(s item) string {
	s = strip(unnested(s))
	if s.is(syntax.Assign, syntax.Variable, syntax.Field, syntax.EnumMember) && compound(s) == "" {
		if t := target(s); simpleName(t) {
			return t
		}
	}
	return ""
}

// guarded says on what the changed statement depends that was not changed.
func (w *writer) guarded(s, n item, e edit) {
	f := frame(s, owner(s))
	if s.kind() == "file_redirect" || f.contains(n) && f == s || !f.ok() || w.fresh[f] || !w.same.partner(f).ok() || w.resulted[f] {
		return
	}
	if e.old.ok() != e.new.ok() && guard(s) != "" {
		return // said with the edit
	}
	what := noun(s, "the")
	if s.is(syntax.Variable, syntax.Declarator) {
		what = "the assignment of " + code(nameOf(s)) // a variable does not run
	}
	if e.old.ok() && e.new.ok() {
		what = "the changed " + strings.TrimPrefix(what, "the ")
	}
	runs := map[bool]string{true: " runs", false: " ran"}[e.new.ok()]
	only := strings.Replace(runs, " ", " only ", 1) + " when "
	tell := func(rule, words string) { w.say(s, wGuard, rule, placeOf(s).String(), what+words) }
	switch i := f; {
	case branch(f) && f.child("alternative").contains(s), f.is(syntax.Else):
		if f.is(syntax.Else) {
			i = f.parent()
		}
		if branch(i) && condition(i).ok() {
			tell("guarded", only+runsWhen(i, false))
		}
	case branch(f):
		tell("guarded", only+runsWhen(f, true))
	case f.is(syntax.Loop):
		w.resulted[f] = true // it is said of one statement in it
		tell("in-loop", runs+iterations(s, f)+loopOver(f))
	case f.is(syntax.With):
		tell("in-with", runs+" inside "+frameName(f, s))
	}
}

// iterations is " in each iteration of the loop ", or less where a check before a
// statement of the loop may skip it.
func iterations(s, loop item) string {
	for s.ok() && !block(s.parent()) && s.parent() != loop {
		s = s.parent()
	}
	for k, i := s.prev(), 0; k.ok() && i < maxClimb; i, k = i+1, k.prev() {
		if c := strip(k); branch(c) && leavesBlock(c) {
			return " inside the loop "
		}
	}
	return " in each iteration of the loop "
}

func orWord(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// guards says what a new check that leaves its block keeps from running.
func (w *writer) guards(s item, e edit) {
	if e.old.ok() || e.move {
		return
	}
	next := neighbour(s, true)
	if !next.ok() || w.fresh[next] || !movable(next) || next.role().IsFunction() || next.role().IsClass() {
		return
	}
	at := placeOf(s)
	if !branch(s) || otherwise(s).ok() || !leavesBlock(s) {
		return
	}
	if d := does(next, 0); d != "" {
		w.say(s, wResult, "guards", "", at.subject()+" now "+d+" only when "+runsWhen(s, false))
	}
}

// leavesBlock tells whether the body of an if ends by leaving the block around it.
func leavesBlock(n item) bool {
	b := body(n)
	return len(b) > 0 && strip(b[len(b)-1]).is(syntax.Return, syntax.Throw, syntax.Break, syntax.Continue, syntax.Goto)
}

// functionResults says where a new function is called.
func (w *writer) functionResults(f item) {
	name := nameOf(f)
	if word := functionWord(f); word == "constructor" || word == "destructor" {
		return // their name is that of the class, too
	}
	if name != "" && !isTest(f, name) {
		w.usedBy(f, name, "the new "+functionWord(f)+" "+code(name), "called")
	}
}

// importResults says where an imported name is used.
func (w *writer) importResults(n item) {
	if !n.traits().ImportsBind {
		return
	}
	i := n
	if x := n.under(syntax.Import); x.ok() {
		i = x
	}
	if w.resulted[i] {
		return
	}
	w.resulted[i] = true
	_, names := imported(i)
	for _, name := range names {
		name = lastName(name)
		if w.oldWords != nil && w.oldWords.of(name) > 0 {
			continue
		}
		w.usedBy(i, name, "the imported "+code(name), "used")
	}
}

// usedBy names the functions that mention a name.
func (w *writer) usedBy(n item, name, what, verb string) {
	if w.looked++; w.looked > maxNames || len(name) < 2 || !simpleName(name) || !n.frag.Whole || w.newWords != nil && w.newWords.of(name) < 2 {
		return
	}
	var in []string
	t, method := n.tree, placeOf(n).class != ""
	for i := range t.len() {
		f := t.at(i)
		if !f.role().IsFunction() || n.contains(f) || f.contains(n) || !hasWord(f, name, verb == "called", method) {
			continue
		}
		if k := functionName(f); k != "" && k != name {
			in = append(in, code(k))
		}
	}
	in = uniq(in)
	if len(in) == 0 {
		return
	}
	w.say(n, wResult, "used-by", "", what+" is "+verb+" in "+list(in))
}

// functionName is the name of a function, also of one that was kept without its
// inside.
func functionName(f item) string {
	if !f.leaf() {
		return nameOf(f)
	}
	head, _, _ := strings.Cut(cut(f.text(), 300), "{")
	return headingPlace(oneLine(head)).fn
}

// hasWord tells whether a name occurs in a node's text as a word of its own, and
// with an argument list behind it if that is asked. A method must be called on
// the object that it belongs to: what another object has by its name is unknown.
func hasWord(n item, name string, call, method bool) bool {
	start, last := n.start(), n.end()
	return slices.ContainsFunc(n.placesOf(name, start, last), func(at int) bool {
		if end := at + len(name); call && (end >= last || n.src[end] != '(' || !own(n.src[start:at])) {
			return false
		}
		of := at > start && bytes.IndexByte(receiverSigns, n.src[at-1]) >= 0
		return (!call || of == method || method && !n.traits().NamesSelf) && n.inCode(at)
	})
}
