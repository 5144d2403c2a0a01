package symbolic

import (
	"strings"

	"crscore/internal/syntax"
)

// move says that code stands elsewhere now: in another function, in another
// branch, or after what it stood before. What was put around it or taken from
// around it is said of that (branch, try, loop, with).
func (w *writer) move(e edit) {
	x, y := e.old, e.new
	switch {
	case w.done[y], y.is(syntax.Import, syntax.Package, syntax.Block):
		return // the order of imports is layout
	case y.is(syntax.Comment):
		w.movedComment(y, placeOf(y))
		return
	case (y.is(syntax.Switch) || y.is(syntax.Return) && y.field() == "body") && !block(y.parent()):
		return // a statement became an expression
	case y.parent().is(syntax.Parameters):
		w.reordered(y)
		return
	}
	from, to := owner(x), owner(y)
	if w.same.partner(from) != to {
		w.otherOwner(x, y, from, to)
		return
	}
	around, before := w.gained(y), w.lost(x)
	if around.ok() {
		if !w.ranSo(x, around, y) {
			w.nowInside(y, around)
		}
		return
	}
	if before.ok() {
		w.noLongerInside(x, y, before)
		return
	}
	where, a, b := placeOf(y).String(), frame(x, from), frame(y, to)
	what := noun(y, "the")
	switch {
	case a.ok() && w.same.partner(a) == b || !a.ok() && !b.ok():
		w.group(y, wDetail, "moved", where, what, " was moved to another place", " were moved to another place")
	case a.ok() && b.ok():
		w.group(y, wBehaviour, "moved", where, what, " was moved from "+frameName(a, x)+" into "+frameName(b, y), " were moved from "+frameName(a, x)+" into "+frameName(b, y))
	case b.ok():
		w.group(y, wBehaviour, "moved", where, what, " was moved into "+frameName(b, y), " were moved into "+frameName(b, y))
	default:
		w.group(y, wBehaviour, "moved", where, what, " was moved out of "+frameName(a, x), " were moved out of "+frameName(a, x))
	}
	w.movedOutOfLoop(y, a, b)
}

// group adds a claim about what may have been done to several statements.
func (w *writer) group(n item, weight int, rule, where, what, one, many string) {
	w.names(n, weight, rule, where, slot+one, slot+many, what).more = "statement"
}

// movedOutOfLoop says how often code now runs that was moved out of a loop or
// into one.
func (w *writer) movedOutOfLoop(y, a, b item) {
	switch {
	case looping(a) && !looping(b):
		w.follows(y, "moved-out-of-loop", noun(y, "the")+" now runs once and not for each round of the loop")
	case looping(b) && !looping(a):
		w.follows(y, "moved-into-loop", noun(y, "the")+" now runs for each round of the loop")
	}
}

// frames are what can stand around a statement in a function.
var frames = []syntax.Role{syntax.If, syntax.ElseIf, syntax.Else, syntax.Loop, syntax.Case, syntax.Switch, syntax.Try, syntax.Catch, syntax.Finally, syntax.With, syntax.Lambda}

// frame returns the innermost frame of n within a function, or none.
func frame(n, function item) item {
	p := n.up(func(p item) bool { return p == function || p.is(frames...) && !rethrows(p) })
	if p == function || !p.is(frames...) {
		return item{}
	}
	return p
}

// frameName names a frame as the place where n stands.
func frameName(f, n item) string {
	switch f.role() {
	case syntax.If, syntax.ElseIf:
		if f.child("alternative").contains(n) {
			return "the `else` branch"
		}
		return "the branch for the case that " + runsWhen(f, true)
	case syntax.Else:
		return "the `else` branch"
	case syntax.Loop:
		return "the loop " + loopOver(f)
	case syntax.Try:
		return "the `try` block"
	case syntax.Catch:
		if t := caught(f); t != "" {
			return "the handler of " + t
		}
		return "the error handler"
	case syntax.Finally:
		return "the `finally` block"
	case syntax.With:
		if c := f.find(1, func(r syntax.Role) bool { return r == syntax.Block }, syntax.Call); len(c) == 1 && callee(c[0]) != "" {
			return "the `" + firstWord(f.text()) + "` block of " + called(c[0])
		}
		return "the `" + firstWord(f.text()) + "` block"
	case syntax.Case:
		return "the case for " + caseLabel(f)
	case syntax.Switch:
		return "the `switch`"
	}
	if c := caller(f); c.ok() {
		if looping(f) {
			return "the loop of " + called(c)
		}
		return "the callback of " + called(c)
	}
	return "a nested function"
}

// caller returns the call that a function without a name is handed to, or none.
func caller(f item) item {
	c := f.under(syntax.Call, syntax.New)
	if f.parent() == c || arguments(c).contains(f) {
		return c
	}
	return item{}
}

// looping tells whether a node runs what is in it several times.
func looping(f item) bool {
	if f.is(syntax.Loop) {
		return true
	}
	switch c := caller(f); strings.ToLower(calledName(c)) {
	case "each", "foreach", "map", "times", "each_with_index", "for_each", "flatmap":
		return f.is(syntax.Lambda) && c.ok()
	}
	return false
}

// gained returns the innermost frame that the edits put around y, or none.
func (w *writer) gained(y item) item { return w.freshFrame(y) }

// lost returns the innermost frame that the edits took from around x, or none.
func (w *writer) lost(x item) item { return w.freshFrame(x) }

// freshFrame returns the nearest frame around n, below what has a partner.
func (w *writer) freshFrame(n item) item {
	for p, i := n.parent(), 0; p.ok() && i < maxClimb; i, p = i+1, p.parent() {
		if w.same.partner(p).ok() && !p.is(syntax.Block) {
			return item{}
		}
		if p.is(frames...) {
			return p
		}
	}
	return item{}
}

// ranSo tells whether a statement that stands in an else now ran under the same
// condition before, behind a check that left its block.
func (w *writer) ranSo(x, f, y item) bool {
	i := f
	if f.is(syntax.Else) {
		i = f.parent()
	}
	if !branch(i) || !f.is(syntax.Else) && !f.child("alternative").contains(y) || !condition(i).ok() {
		return false
	}
	for k, n := x.prev(), 0; k.ok() && n < maxClimb; n, k = n+1, k.prev() {
		if c := strip(k); branch(c) && leavesBlock(c) && condition(c).ok() && condition(c).hash() == condition(i).hash() {
			return true
		}
	}
	return false
}

// nowInside says what code stands in since something was put around it, where
// the claim about that does not.
func (w *writer) nowInside(y, f item) {
	if y.is(syntax.Comment) {
		return
	}
	where, what := placeOf(f).String(), noun(y, "the")
	switch {
	case y.is(syntax.Else): // it only has another if before it
	case conditional(f) && f.is(syntax.Else) && conditional(f.parent()):
		cond := " when " + runsWhen(f.parent(), false)
		w.group(y, wBehaviour, "compiled-wrapped", where, what, " is now only compiled"+cond, " are now only compiled"+cond)
	case f.is(syntax.Lambda, syntax.Catch, syntax.Finally, syntax.Case):
		w.group(y, wBehaviour, "moved", where, what, " now runs in "+frameName(f, y), " now run in "+frameName(f, y))
	case branch(f) && f.child("alternative").contains(y), f.is(syntax.Else):
		if branch(y) {
			w.say(y, wBehaviour, "else-if-made", where, what+" is now an `else if`: it is only made when no branch before it applies")
			return
		}
		i := f
		if f.is(syntax.Else) {
			i = f.parent()
		}
		cond := ""
		if branch(i) && !w.same.partner(i).ok() || branch(i) {
			cond = " when " + clause(condition(i), strings.HasPrefix(i.kind(), "unless"), 0)
		}
		if cond == "" {
			w.group(y, wBehaviour, "moved", where, what, " now runs in the `else` branch", " now run in the `else` branch")
			return
		}
		w.group(y, wBehaviour, "else-wrapped", where, what, " now only runs in the `else` branch,"+cond, " now only run in the `else` branch,"+cond)
	case branch(y) && y.field() == "alternative":
		w.say(y, wBehaviour, "else-if-made", where, what+" is now an `else if`: it is only made when no branch before it applies")
	}
}

// noLongerInside says that code was taken out of what is gone, where the claim
// about that does not.
func (w *writer) noLongerInside(x, y, f item) {
	if y.is(syntax.Comment) {
		return
	}
	where, what := placeOf(y).String(), noun(y, "the")
	switch {
	case branch(f) && f.child("alternative").contains(x), f.is(syntax.Else):
		w.group(y, wBehaviour, "else-unwrapped", where, what, " no longer depends on an `else` branch", " no longer depend on an `else` branch")
	case f.is(syntax.Loop):
		w.group(y, wBehaviour, "loop-unwrapped", where, what, " no longer runs in a loop "+loopOver(f), " no longer run in a loop "+loopOver(f))
	case f.is(syntax.With), f.is(syntax.Lambda), f.is(syntax.Catch), f.is(syntax.Finally), f.is(syntax.Case):
		w.group(y, wBehaviour, "moved", where, what, " no longer runs in "+frameName(f, x), " no longer run in "+frameName(f, x))
	}
}

// otherOwner says that code went into another function or class.
func (w *writer) otherOwner(x, y, from, to item) {
	if y.is(syntax.Comment) {
		return
	}
	a, b := placeOf(x), placeOf(y)
	what := noun(y, "the")
	fresh := to.role().IsFunction() && !w.same.partner(to).ok()
	gone := from.role().IsFunction() && !w.same.partner(from).ok()
	f, g := a.String(), b.String()
	switch {
	case fresh && from.role().IsFunction() && f != "":
		if placeOf(x).fn == nameOf(to) {
			w.group(y, wDeclare, "extracted", "", what, " was moved into a new overload of "+f, " were moved into a new overload of "+f)
			return
		}
		called := w.calls(w.same.partner(from), nameOf(to))
		tail := " from " + f + " into the new " + functionWord(to) + " " + code(nameOf(to))
		if called {
			tail += ", which " + f + " now calls"
		}
		w.group(y, wDeclare, "extracted", "", what, " was moved"+tail, " were moved"+tail)
	case gone && to.role().IsFunction() && g != "":
		tail := " from the removed " + functionWord(from) + " " + code(nameOf(from)) + " into " + g
		w.group(y, wDeclare, "inlined", "", what, " was moved"+tail, " were moved"+tail)
	case f == "" && g == "":
		w.group(y, wDetail, "moved", "", what, " was moved to another place", " were moved to another place")
	case f == g:
		w.group(y, wDetail, "moved", g, what, " was moved to another place", " were moved to another place")
	case f == "":
		w.group(y, wBehaviour, "moved", "", what, " was moved into "+g, " were moved into "+g)
	case g == "":
		w.group(y, wBehaviour, "moved", "", what, " was moved out of "+f, " were moved out of "+f)
	default:
		w.group(y, wBehaviour, "moved", "", what, " was moved from "+f+" to "+g, " were moved from "+f+" to "+g)
	}
}

// calls tells whether there is a call to name in n.
func (w *writer) calls(n item, name string) bool {
	names, ok := w.called[n]
	if !ok {
		names = map[string]bool{}
		for _, c := range n.find(2000, nil, syntax.Call) {
			names[calledName(c)] = true
		}
		w.called[n] = names
	}
	return name != "" && names[name]
}

// reordered says that the order of parameters was changed.
func (w *writer) reordered(p item) {
	_, owner := ownerOf(p)
	list := p.parent()
	if w.done[list] {
		return
	}
	w.done[list] = true
	what := "the order of the parameters of " + owner + " was changed"
	next := p.next()
	for next.ok() && !next.named() {
		next = next.next()
	}
	if next.ok() {
		what += ": " + code(parameterName(p)) + " now comes before " + code(parameterName(next))
	} else {
		what += ": " + code(parameterName(p)) + " now comes last"
	}
	w.say(p, wSignature, "parameters-reordered", "", what)
	w.follows(p, "parameters-reordered-callers", "callers of "+owner+" that pass "+code(parameterName(p))+" by position must be updated")
}

// swap says that the branches of an if changed places.
func (w *writer) swap(e edit) {
	a, b := condition(e.old), condition(e.new)
	where := placeOf(e.new).String()
	switch {
	case same(a, b):
		w.say(e.new, wBehaviour, "branches-swapped", where, "the two branches of the check whether "+runsWhen(e.new, true)+" were swapped")
		w.follows(e.new, "branches-swapped-effect", "the code for the case that "+runsWhen(e.new, true)+" now runs when "+runsWhen(e.new, false))
	case negation(a, b):
		w.say(e.new, wBehaviour, "branches-swapped", where, "the condition was inverted and its two branches were swapped, so the behaviour stays the same")
		w.say(e.new, wDetail, "condition-inverted", where, "the check now asks first whether "+runsWhen(e.new, true))
	default:
		w.say(e.new, wBehaviour, "branches-swapped", where, "the two branches of the check were swapped, and it now asks whether "+runsWhen(e.new, true))
	}
}

// together names moved statements: the first, and how many more there are.
func together(ns []item) (what string, several bool) {
	var out []item
	for _, n := range ns {
		if !n.is(syntax.Comment) {
			out = append(out, n)
		}
	}
	if len(out) == 0 {
		out = ns
	}
	what = noun(out[0], "the")
	switch len(out) {
	case 1:
		return what, false
	case 2:
		return what + " and another statement", true
	}
	return what + " and " + plural(len(out)-1, "other statement"), true
}

// runs returns "runs" or, for several, "run".
func runs(several bool) string {
	if several {
		return "run"
	}
	return "runs"
}
