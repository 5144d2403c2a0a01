package symbolic

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
)

func (w *writer) call(n item, at place, added bool) {
	v, where := verb(added), at.String()
	c := n
	if c.is(syntax.Await) {
		if k := c.namedKids(); len(k) == 1 {
			c = k[0]
		}
	}
	if added && w.optionsChanged(item{}, c) || !added && w.optionsChanged(c, item{}) {
		return
	}
	if name, ok := testCall(c); ok {
		w.test(c, name, added)
		return
	}
	if w.section(c, at, added) {
		return
	}
	if !added && w.reused(c) {
		return
	}
	if level, ok := logging(c); ok && !printing(c) {
		what := strings.TrimSpace(level + " log message")
		if s := arguments(c).find(1, nil, syntax.String); len(s) == 1 {
			w.say(n, wValue, "logging-"+v, where, an(what)+" "+quote(unquoted(s[0].text()), maxCode)+" was "+v+guard(n))
			return
		}
		w.say(n, wValue, "logging-"+v, where, an(what)+" was "+v+guard(n))
		return
	}
	if printing(c) {
		w.say(n, wValue, "print-"+v, where, "a print statement that writes "+argumentList(c)+" was "+v)
		if added {
			w.follows(n, "debug-output", "the output printed by `"+callee(c)+"` may be left over from debugging")
		}
		return
	}
	if assertion(c) {
		w.say(n, wBehaviour, "assertion-"+v, where, assertionPhrase(c)+" was "+v)
		return
	}
	if added && w.listener(n, c, where) {
		return
	}
	s := noun(c, "a")
	if callee(c) == "" {
		w.say(n, wBehaviour, "call-"+v, where, "an immediately invoked function was "+v)
		if l := c.find(1, nil, syntax.Lambda); added && len(l) == 1 {
			if e := effects(body(l[0])); len(e) > 0 {
				w.each(n, wDetail, "call-effect", where, "the immediately invoked function ", e)
			}
			for _, t := range l[0].find(1, func(r syntax.Role) bool { return r == syntax.Lambda }, syntax.Try) {
				w.try(t, placeOf(t), true)
			}
		}
		return
	}
	if a := arguments(c).namedKids(); len(a) > 0 && len(a) <= 4 {
		s += " with " + argumentList(c)
	}
	if e := effects(body(c.child("block"))); added && len(e) > 0 {
		s += " with a block that " + e[0]
	}
	w.say(n, wBehaviour, "call-"+v, where, s+" was "+v+guard(n))
}

// maxLinks bounds the calls of a chain of which it is told what they are given.
const maxLinks = 3

// links says what the calls of a new chain are given.
func (w *writer) links(c item) {
	told := 0
	for _, l := range chain(c) {
		if a := arguments(l).namedKids(); len(a) > 0 && len(a) < 4 && told < maxLinks && len(chain(c)) > 1 {
			told++
			w.say(l, wDetail, "chain-arguments", "", "the new call to "+code(calledName(l))+" is given "+argumentList(l))
		}
	}
}

// listeners are the calls that add a function to be called at an event.
var listeners = []string{"on", "once", "addEventListener", "addListener", "prependListener"}

// listener tells of a function that is called at an event from now on.
func (w *writer) listener(n, c item, where string) bool {
	a := arguments(c).namedKids()
	if !slices.Contains(listeners, calledName(c)) || len(a) < 2 || !a[0].is(syntax.String) || !strip(a[1]).is(syntax.Lambda) || len(chain(c)) > 1 {
		return false
	}
	w.say(n, wBehaviour, "listener-added", where, "a listener for the event "+say(a[0])+" was added by "+called(c)+guard(n))
	if d := deeds(body(strip(a[1]))); len(d) > 0 {
		for _, d := range d[:min(len(d), maxEffects)] {
			w.say(n, wDetail, "listener-effect", where, "at the event "+say(a[0])+", the new listener "+d)
		}
	}
	return true
}

// callChanged says how a call became another one. It answers false when the
// general wording is better.
func (w *writer) callChanged(a, b item, s slotted, at place) bool {
	where := at.String()
	x, y := callee(a), callee(b)
	if name, ok := testCall(b); ok && x != y {
		if _, ok := testCall(a); ok {
			w.testSwitched(b, name, x, y)
			w.describe(diffOf(arguments(a), arguments(b)))
			return true
		}
	}
	argsA, argsB := arguments(a), arguments(b)
	sameArgs := argsA.ok() && argsB.ok() && argsA.hash() == argsB.hash()
	if x != y && !assertion(b) {
		// What it passes is said with it.
		for _, l := range []item{argsA, argsB} {
			for _, k := range l.namedKids() {
				w.done[k] = true
			}
		}
	}
	la, oka := logging(a)
	lb, okb := logging(b)
	switch {
	case assertion(a) && assertion(b) && x != y:
		w.say(b, wBehaviour, "assertion-changed", where, "the assertion "+code(a.text())+" was changed to "+code(b.text()))
	case oka && okb && la != lb && !printing(a) && !printing(b) && w.logChanged(a, b, where, la, lb):
	case x != y && len(effects(body(b.child("block")))) > 0:
		w.say(b, wBehaviour, "call-replaced", where, callWord(a, x)+" was replaced by "+callWord(b, y)+" with a block that "+effects(body(b.child("block")))[0])
	case x != y && len(x) > 2 && slices.ContainsFunc(b.find(50, nil, syntax.Call, syntax.New), func(c item) bool { return callee(c) == x }):
		w.say(b, wBehaviour, "call-enclosed", where, callWord(a, x)+" now stands inside "+callWord(b, y))
		w.links(b)
	case x != y && (sameArgs || len(argsB.namedKids()) == 0):
		w.say(b, wBehaviour, "call-replaced", where, callWord(a, x)+" was replaced by "+callWord(b, y))
	case x != y:
		w.say(b, wBehaviour, "call-replaced", where, callWord(a, x)+" was replaced by "+callWord(b, y)+" with "+argumentList(b))
	case argsA.ok() && argsB.ok() && !sameArgs:
		gone, come := differing(argsA.namedKids(), argsB.namedKids())
		switch {
		case len(come) > 0 && len(gone) > 0:
			w.say(b, wValue, "argument-changed", where, callPhrase(b)+" now passes "+list(come)+" instead of "+list(gone))
		case len(come) > 0:
			w.say(b, wValue, "argument-added", where, callPhrase(b)+" now also passes "+list(come))
		case len(gone) > 0:
			w.say(b, wValue, "argument-removed", where, callPhrase(b)+" no longer passes "+list(gone))
		default:
			w.say(b, wValue, "argument-order", where, "the order of the arguments of "+callPhrase(b)+" was changed")
		}
	default:
		return false
	}
	return true
}

// logChanged says that a message is logged at another level. It answers false
// where there is no level.
func (w *writer) logChanged(a, b item, where, from, to string) bool {
	if from == "" || to == "" {
		return false
	}
	what := "the message is now logged as " + an(to) + " instead of " + an(from)
	x, y := arguments(a).find(1, nil, syntax.String), arguments(b).find(1, nil, syntax.String)
	if len(x) == 1 && len(y) == 1 {
		what = "the message " + quote(unquoted(y[0].text()), maxCode) + strings.TrimPrefix(what, "the message")
		if x[0].hash() != y[0].hash() {
			w.retell(b, "text-changed", wValue, where, "the log message", unquoted(x[0].text()), unquoted(y[0].text()))
		}
	}
	w.say(b, wBehaviour, "log-level", where, what)
	return true
}

// argumentsReplaced says that some arguments took the place of others, once for
// all of them, where none of them only changed.
func (w *writer) argumentsReplaced(e edit, s slotted, where string) bool {
	if !e.oldIn.ok() || !e.newIn.ok() || e.oldIn == e.newIn || s.kind == assertSlot {
		return false
	}
	gone, come := differing(e.oldIn.namedKids(), e.newIn.namedKids())
	if len(gone) == 0 || len(come) == 0 || len(gone)+len(come) > 4 {
		return false
	}
	for _, x := range append(only(e.oldIn.namedKids(), e.newIn.namedKids()), only(e.newIn.namedKids(), e.oldIn.namedKids())...) {
		if !w.fresh[x] {
			return false
		}
	}
	if !w.done[e.newIn] {
		w.done[e.newIn] = true
		w.say(e.newIn, wValue, "argument-changed", where, callPhrase(e.newIn.parent())+" now passes "+list(come)+" instead of "+list(gone))
	}
	return true
}

func callWord(n item, name string) string {
	if n.is(syntax.New) {
		return "the new `" + name + "`"
	}
	return "the " + callNoun(n)
}

// differing returns what only one of two lists holds, as phrases.
func differing(as, bs []item) (gone, come []string) {
	only := func(xs, ys []item) (out []string) {
		other := map[subtree]bool{}
		for _, y := range ys {
			other[subtree{y.kind(), y.hash()}] = true
		}
		for _, x := range xs {
			if !other[subtree{x.kind(), x.hash()}] {
				out = append(out, argument(x))
			}
		}
		return out
	}
	return only(as, bs), only(bs, as)
}

// testSwitched says that a test is skipped now, or alone.
func (w *writer) testSwitched(n item, name, from, to string) {
	mode := func(s string) string {
		_, mode, _ := strings.Cut(s, ".")
		return mode
	}
	x, y := mode(from), mode(to)
	does := map[string]string{"skip": "skipped", "only": "the only one that runs"}
	what := "the test " + quote(name, maxCode)
	switch {
	case does[y] != "" && x != y:
		w.say(n, wBehaviour, "test-"+y, "", what+" is now "+does[y])
	case does[x] != "" && y == "":
		w.say(n, wBehaviour, "test-un"+x, "", what+" is no longer "+does[x])
	default:
		w.say(n, wBehaviour, "test-changed", "", what+" is now written with "+code(to)+" instead of "+code(from))
	}
}

// diffOf compares two parts of trees.
func diffOf(a, b item) []edit {
	d := newDiffer()
	if a.ok() && b.ok() {
		d.pair(a, b, 0)
	}
	return d.edits
}

// freshCall is a call in what an edit added or removed.
type freshCall struct {
	inside    bool // some call is a part of something
	statement bool // some call is a statement
}

// maxFreshCalls bounds the calls that are looked at.
const maxFreshCalls = 2000

// callsOf returns the calls in what edits added to the other side than n's, or
// removed from it, by their hash.
func (w *writer) callsOf(n item) map[uint64]freshCall {
	if w.freshCalls == nil {
		w.freshCalls = map[*tree]map[uint64]freshCall{}
	}
	if m, ok := w.freshCalls[n.tree]; ok {
		return m
	}
	m, total := map[uint64]freshCall{}, 0
	w.freshCalls[n.tree] = m
	for f := range w.fresh {
		if f.tree == n.tree || f.i == 0 {
			continue
		}
		if x := strip(f); x.is(syntax.Call) && statementLike(f) {
			c := m[x.hash()]
			c.statement = true
			m[x.hash()] = c
		}
		for _, x := range f.find(50, nil, syntax.Call) {
			if total++; total > maxFreshCalls {
				clear(m)
				return m
			}
			if strip(f) != x {
				c := m[x.hash()]
				c.inside = true
				m[x.hash()] = c
			}
		}
	}
	return m
}

// reused tells whether a call that was a statement is part of another one now,
// whose claim says so.
func (w *writer) reused(c item) bool { return w.callsOf(c)[c.hash()].inside }

// resultOf returns the call in a condition that was a statement of its own.
func (w *writer) resultOf(cond item) item {
	cs := cond.find(10, nil, syntax.Call)
	if cond.is(syntax.Call) {
		cs = append([]item{cond}, cs...)
	}
	for _, c := range cs {
		if w.callsOf(c)[c.hash()].statement {
			return c
		}
	}
	return item{}
}
