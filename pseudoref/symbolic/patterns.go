package symbolic

import (
	"slices"

	"crscore/internal/syntax"
)

// Patterns, errors that an operator hands to the caller, and calls that end the
// program.

// matched returns pattern and value of a condition such as `let Some(x) = y`.
func matched(n item) (pattern, value item) {
	if !n.is(syntax.Binary) {
		return item{}, item{}
	}
	pattern, value = n.child("pattern"), n.child("value")
	if !pattern.ok() || !value.ok() {
		return item{}, item{}
	}
	return pattern, value
}

// otherwise says what happens when the value of a declaration does not match
// its pattern. It answers false for other nodes.
func (w *writer) otherwise(n item, at place, added bool) bool {
	d := n.parent()
	if n.field() != "alternative" || !d.is(syntax.Variable) {
		return false
	}
	when := say(d.child("value")) + " does not match " + code(d.child("pattern").text())
	e := effects(n.namedKids())
	if len(e) == 0 {
		return false
	}
	if added {
		w.each(n, wBehaviour, "else-added", "", "if "+when+", "+at.subject()+" now ", e)
	} else {
		w.say(n, wBehaviour, "else-removed", at.String(), "the `else` for the case that "+when+" was removed")
	}
	return true
}

// handsOn returns the expression whose error an operator hands to the caller.
func handsOn(n item) item {
	n = strip(n)
	if n.is(syntax.Unary) && operator(n) == "?" {
		if k := n.namedKids(); len(k) == 1 {
			return strip(k[0])
		}
	}
	return item{}
}

// forced returns the expression whose value a call takes out by force, so that
// an error ends the program.
func forced(n item) item {
	n = strip(n)
	if n.is(syntax.Call) && len(n.traits().Panics) > 0 && (calledName(n) == "unwrap" || calledName(n) == "expect") {
		return strip(receiver(n))
	}
	return item{}
}

// errorHanded says that an error is handed to the caller now instead of ending
// the program, or the other way round, and describes what else has changed. It
// answers false for anything else.
func (w *writer) errorHanded(a, b item, at place) bool {
	x, y := forced(a), handsOn(b)
	rule, what := "error-propagated", " is now returned to the caller with `?` instead of panicking in "+code(calledName(strip(a)))
	if !x.ok() || !y.ok() {
		if x, y = handsOn(a), forced(b); !x.ok() || !y.ok() {
			return false
		}
		rule, what = "error-forced", " now panics in "+code(calledName(strip(b)))+" instead of being returned to the caller"
	}
	w.say(b, wBehaviour, rule, at.String(), "a failure of "+failing(y)+what)
	if x.hash() != y.hash() {
		w.describe(diffOf(x, y))
	}
	return true
}

// failing names what may fail.
func failing(n item) string {
	if n.is(syntax.Call) && n.size() > maxCode {
		return noun(n, "the")
	}
	return say(n)
}

// panics says that code ends the program, or no longer does. It answers false
// for other calls.
func (w *writer) panics(n item, at place, added bool) bool {
	if !ends(n) {
		return false
	}
	what := at.subject() + map[bool]string{true: " now", false: " no longer"}[added] + " panics"
	if s := arguments(n).find(1, nil, syntax.String); len(s) == 1 {
		what += " with the message " + quote(unquoted(s[0].text()), maxCode)
	}
	w.say(n, wBehaviour, "panic-"+verb(added), "", what+guard(n))
	if c := n.parent(); !added && c.is(syntax.Case) {
		if o := w.pairOf(c); o.ok() && len(effects(caseBody(o))) == 0 {
			w.follows(n, "case-ignored", "the case for "+caseLabel(c)+" is now silently ignored")
		}
	}
	return true
}

// pairOf returns the case of the other side with the same label, where it is
// beside the one that was removed from.
func (w *writer) pairOf(c item) item {
	if w.newTree == nil || !w.reads(len(w.newTree.src)) {
		return item{}
	}
	for _, o := range w.newTree.root().find(500, nil, syntax.Case) {
		if caseLabel(o) == caseLabel(c) && placeOf(o) == placeOf(c) {
			return o
		}
	}
	return item{}
}

// ends tells whether a call ends the program.
func ends(n item) bool {
	return n.is(syntax.Call) && slices.Contains(n.traits().Panics, callee(n))
}

// macroBody says once that the body of a macro changed: what stands in it is no
// code of the language yet. It answers false for anything else.
func (w *writer) macroBody(n item) bool {
	r := n.up(func(p item) bool { return p.kind() == "macro_rule" })
	if !r.ok() {
		return false
	}
	m := r.parent()
	if !w.done[m] {
		w.done[m] = true
		w.say(n, wBehaviour, "macro-changed", "", "the body of the macro "+code(nameOf(m))+" was changed")
	}
	return true
}

// destructured says that a declaration takes a value apart, and what happens
// when it cannot.
func (w *writer) destructured(n, pattern, val item, at place, added bool) {
	if o := n.child("alternative"); o.ok() {
		if w.otherwise(o, at, added) {
			return
		}
	}
	var out []string
	for _, x := range pattern.leaves(20, syntax.Identifier) {
		if x.field() != "type" && !x.parent().is(syntax.Member) {
			out = append(out, code(x.text()))
		}
	}
	if len(out) == 0 {
		return
	}
	v := verb(added)
	tail := " taken from " + say(val) + " "
	w.names(n, wValue, "variable-"+v, at.String(), "the variable "+slot+tail+"was "+v, "the variables "+slot+tail+"were "+v, uniq(out)...)
}

// wrappedResult says that a value is wrapped as a result now, or no longer, and
// describes what else has changed in it. It answers false for other values.
func (w *writer) wrappedResult(a, b item, at place) bool {
	x, y, rule, does := a, wrappedIn(b), "value-wrapped", " is now wrapped in "
	f := b
	if !y.ok() {
		x, y, rule, does, f = wrappedIn(a), b, "value-unwrapped", " is no longer wrapped in ", a
	}
	if !x.ok() || !y.ok() || wrappedIn(a).ok() == wrappedIn(b).ok() || newDiffer().similar(x, y) < minSimilar {
		return false
	}
	what, where := say(y), at.String()
	if slotOf(b).kind == returnSlot {
		what, where = "what "+at.subject()+" returns", ""
	}
	w.say(b, wValue, rule, where, what+does+code(callee(f)))
	if x.hash() != y.hash() {
		w.describe(diffOf(x, y))
	}
	return true
}

// wrappedIn returns the value that is wrapped as a result.
func wrappedIn(n item) item {
	n = strip(n)
	if !n.is(syntax.Call) || !slices.Contains(n.traits().Wrappers, callee(n)) {
		return item{}
	}
	if a := arguments(n).namedKids(); len(a) == 1 {
		return strip(a[0])
	}
	return item{}
}
