package symbolic

import (
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

// What C and C++ have and others have not: conditional compilation, streams,
// and objects that are made where they are declared.

// conditional tells whether a branch is one of the preprocessor.
func conditional(n item) bool { return strings.HasPrefix(n.kind(), "preproc_") }

// includeGuard tells whether a branch of the preprocessor only keeps a header
// from being read twice.
func includeGuard(n item) bool {
	if n.kind() != "preproc_ifdef" || !strings.HasPrefix(n.text(), "#ifndef") {
		return false
	}
	k := n.namedKids()
	return len(k) > 1 && k[1].is(syntax.Variable) && nameOf(k[1]) == k[0].text() && !k[1].child("value").ok()
}

// compiled says that code is compiled under a condition only.
func (w *writer) compiled(n item, at place, added bool) {
	v := verb(added)
	if includeGuard(n) {
		for _, k := range n.namedKids()[2:] {
			w.single(k, edit{}, added)
		}
		return
	}
	when := "when " + runsWhen(n, true)
	if n.is(syntax.Else) {
		when = "in the `#else` part"
	}
	alt := n.child("alternative")
	in := slices.DeleteFunc(w.inner(n), func(x item) bool { return x.is(syntax.Comment) || alt.contains(x) })
	if len(in) > 0 {
		if added {
			w.say(n, wBehaviour, "compiled-wrapped", at.String(), noun(in[0], "the")+" is now only compiled "+when)
		} else {
			w.say(n, wBehaviour, "compiled-unwrapped", at.String(), noun(in[0], "the")+" is no longer only compiled "+when)
		}
		return
	}
	what := "a section was " + v + " that is only compiled " + when
	if n.is(syntax.ElseIf) {
		what = "a branch was " + v + " that is compiled instead " + when
	}
	if c := condition(n); c.text() == "0" {
		what = "a section was " + v + " that `#if 0` turns off"
	}
	var out []item
	for _, k := range n.namedKids() {
		if k.field() != "condition" && k.field() != "alternative" {
			out = append(out, k)
		}
	}
	w.say(n, wBehaviour, "compiled-"+v, at.String(), what)
	if e := effects(out); len(e) > 0 {
		w.say(n, wDetail, "compiled-effect", "", "the "+map[bool]string{true: "new", false: "removed"}[added]+" section "+list(e))
	}
	for _, k := range n.kids() {
		if k.is(syntax.Comment) {
			w.single(k, edit{}, added)
		}
	}
	for _, k := range out {
		if k.role().IsFunction() || k.role().IsClass() || k.is(syntax.Import, syntax.TypeAlias) || at.fn == "" && k.is(syntax.Variable) {
			w.single(k, edit{}, added)
		}
	}
}

// inside describes what changed between two nodes of different kinds, but for
// their conditions.
func (w *writer) inside(a, b item) {
	rest := func(n item) []item {
		var out []item
		for _, k := range n.namedKids() {
			if k.field() != "condition" {
				out = append(out, k)
			}
		}
		return out
	}
	d := newDiffer()
	d.lists(a, b, rest(a), rest(b), 0)
	w.describe(d.edits)
}

// stream returns where a chain of << writes to, and the first text in it.
func stream(n item) (target item, text string, ok bool) {
	if !n.is(syntax.Binary) || operator(n) != "<<" {
		return item{}, "", false
	}
	ts := flatten(n, "<<")
	switch t := ts[0]; {
	case t.is(syntax.Call) && strings.Contains(strings.ToLower(calledName(t)), "log"):
	case strings.HasPrefix(lastPart(t.text()), "c") && outputs[lastPart(t.text())]:
	default:
		return item{}, "", false
	}
	for _, t := range ts[1:] {
		if t.is(syntax.String) && !strings.HasPrefix(t.kind(), "char") {
			text = quote(strings.TrimSpace(unquoted(t.text())), maxCode)
			break
		}
	}
	return ts[0], text, true
}

var outputs = map[string]bool{"cout": true, "cerr": true, "clog": true, "wcout": true, "wcerr": true}

func streams(n item) bool { _, _, ok := stream(n); return ok }

// streamNoun is "warning log message" or "output".
func streamNoun(target item) string {
	if target.is(syntax.Call) {
		level := "log message"
		if a := arguments(target).namedKids(); len(a) == 1 {
			if l := levels[strings.ToLower(a[0].text())]; l != "" {
				level = l + " " + level
			}
		}
		return level
	}
	return "output to " + code(target.text())
}

// streamed says that something is written to a stream.
func (w *writer) streamed(n item, at place, added bool) {
	target, text, _ := stream(n)
	if text != "" {
		text = " " + text
	}
	rule := "print-"
	if target.is(syntax.Call) {
		rule = "logging-"
	}
	w.say(n, wValue, rule+verb(added), at.String(), an(streamNoun(target))+text+" was "+verb(added)+guard(n))
}

// guards are the types whose objects hold a lock as long as they live.
var guards = []string{"lock_guard", "unique_lock", "scoped_lock", "shared_lock", "MutexLock", "ReaderMutexLock", "WriterMutexLock"}

// constructed says that a variable is made by a constructor that its
// declaration calls. It answers false for any other declaration.
func (w *writer) constructed(n item, at place, added bool) bool {
	if !n.traits().SpreadTypes || !n.is(syntax.Variable) {
		return false
	}
	typ := spreadType(n)
	with := n.child("parameters")
	if !with.ok() {
		if with = valueOf(n); !with.is(syntax.Arguments) {
			return false
		}
	}
	var args []string
	for _, k := range with.namedKids() {
		args = append(args, code(k.text()))
	}
	for _, g := range guards {
		if strings.HasSuffix(strings.SplitN(typ, "<", 2)[0], g) && len(args) > 0 {
			if added {
				w.say(n, wBehaviour, "lock-added", at.String(), "the lock "+args[0]+" is now held by a "+code(typ)+" until the end of the block")
			} else {
				w.say(n, wBehaviour, "lock-removed", at.String(), "the lock "+args[0]+" is no longer held by a "+code(typ))
			}
			return true
		}
	}
	if !added || len(args) == 0 {
		return false
	}
	w.say(n, wValue, "variable-added", at.String(), "a new variable "+code(nameOf(n))+" of type "+code(typ)+" was introduced, constructed with "+list(args))
	return true
}

// initialised says which members a constructor now sets, or no longer sets,
// before its body.
func (w *writer) initialised(n item, added bool) bool {
	if !n.traits().SpreadTypes {
		return false
	}
	ps := []item{n}
	if n.kind() == "field_initializer_list" {
		ps = n.namedKids()
	} else if n.parent().kind() != "field_initializer_list" {
		return false
	}
	at := placeOf(n)
	var out []string
	for _, p := range ps {
		if v := p.child("value"); v.ok() && added && len(v.text()) > 2 {
			out = append(out, code(nameOf(p))+" with "+code(v.text()[1:len(v.text())-1]))
		} else {
			out = append(out, code(nameOf(p)))
		}
	}
	w.names(n, wValue, "initialiser-"+verb(added), "", at.subject()+map[bool]string{true: " now", false: " no longer"}[added]+" initialises "+slot,
		at.subject()+map[bool]string{true: " now", false: " no longer"}[added]+" initialises "+slot, out...)
	return true
}

// declaredAgain compares two declarations of one name part by part, where their
// nodes are of two kinds or too much of them has changed.
func (w *writer) declaredAgain(a, b item) bool {
	if a.role() != b.role() || !declares(b.role()) || b.is(syntax.Declarator) || nameOf(a) == "" || nameOf(a) != nameOf(b) || a.leaf() || b.leaf() {
		return false
	}
	d := newDiffer()
	d.lists(a, b, a.kids(), b.kids(), 0)
	if len(d.edits) == 0 {
		return false
	}
	before := len(w.facts)
	w.refresh(d.edits)
	w.describe(d.edits)
	return len(w.facts) > before
}

// structHeading is the heading of a hunk within a struct of C.
var structHeading = regexp.MustCompile(`^\s*(?:typedef\s+)?(?:struct|union)\b[^()=;]*$`)

// fieldsOfHeading makes fields of the declarations of a hunk whose heading is a
// struct: the hunk alone reads like the inside of a function.
func (t *tree) fieldsOfHeading() {
	if !t.frag.Table.SpreadTypes || !structHeading.MatchString(t.section) {
		return
	}
	for i := range t.nodes {
		if nd := &t.nodes[i]; nd.parent == 0 && nd.role == syntax.Variable {
			nd.role = syntax.Field
		}
	}
}
