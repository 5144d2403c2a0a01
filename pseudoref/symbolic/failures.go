package symbolic

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
)

// caught names the exceptions of a catch clause, "" where it takes any.
func caught(n item) string { return listOf(codes(caughtTypes(n)), 3, "or") }

// caughtTypes lists the exceptions of a catch clause.
func caughtTypes(n item) []string {
	if n.traits().UntypedCatch {
		return nil // a variable, and no type
	}
	if t := n.child("type"); t.ok() {
		return typesIn(t, 0)
	}
	for _, k := range n.kids() {
		if k.kind() == "..." {
			return []string{"..."}
		}
		if !k.named() || k.is(syntax.Block, syntax.Comment) || k.kind() == "exception_variable" {
			continue
		}
		if t := k.child("type"); t.ok() {
			return typesIn(t, 0)
		}
		return typesIn(k, 0)
	}
	return nil
}

func typesIn(n item, depth int) []string {
	var out []string
	switch kids := n.namedKids(); n.kind() {
	case "catch_formal_parameter", "catch_declaration", "as_pattern":
		for _, k := range kids {
			if !k.is(syntax.Modifier) {
				return typesIn(k, depth+1)
			}
		}
	case "exceptions", "catch_type", "type_list", "tuple", "union_type", "parenthesized_expression":
		for _, k := range kids {
			if depth < maxSay {
				out = append(out, typesIn(k, depth+1)...)
			}
		}
		return out
	}
	return []string{oneLine(n.text())}
}

// covers tells whether a catch clause for one type takes exceptions of another
// that comes with the language.
func covers(n item, outer, inner string) bool {
	for i := 0; i < maxDepth && inner != ""; i++ {
		if lastType(inner) == lastType(outer) {
			return true
		}
		if n.tree == nil || n.frag.Table == nil {
			return false
		}
		next := n.frag.Table.Errors[inner]
		if next == "" {
			next = n.frag.Table.Errors[lastType(inner)]
		}
		inner = next
	}
	return false
}

// lastType is a type without its module or namespace.
func lastType(s string) string { return s[strings.LastIndexAny(s, ".\\")+1:] }

func (w *writer) try(n item, at place, added bool) {
	v := verb(added)
	var types []string
	var handlers []item
	for _, c := range n.kids() {
		if c.is(syntax.Catch) {
			if t := caught(c); t != "" {
				types = append(types, t)
			}
			handlers = append(handlers, c)
		}
	}
	what := "a `try` block"
	if k := n.kids(); len(k) > 0 && !k[0].named() {
		what = "a `" + k[0].kind() + "` block" // as the language has it: "do", "begin"
	}
	if opened := resources(n); len(opened) > 0 {
		what += " that opens and closes " + list(opened)
	}
	if len(types) > 0 {
		what += strings.Replace(" that catches ", " that", map[bool]string{true: " and", false: " that"}[strings.Contains(what, " that ")], 1) + list(types)
	}
	if in := w.inner(n); len(in) > 0 {
		wrapped, _ := together(in)
		if added {
			what += " was added around " + wrapped
		} else {
			what += " was removed from around " + wrapped
		}
	} else {
		what += " was " + v
		if c := n.find(1, func(r syntax.Role) bool { return r == syntax.Catch || r == syntax.Lambda }, syntax.Call); len(c) == 1 && callee(c[0]) != "" {
			what += " around the call to " + called(c[0])
		}
	}
	w.say(n, wBehaviour, "try-"+v, at.String(), what)
	if f := n.first(syntax.Finally); f.ok() && added {
		if e := effects(body(f)); len(e) > 0 {
			w.each(f, wDetail, "finally-effect", "", "in any case, the new `finally` block ", e)
		}
	}
	for _, h := range handlers {
		if added {
			w.handler(h, at)
		}
	}
}

// resources names what a try statement opens and closes by itself.
func resources(n item) []string {
	var out []string
	for _, k := range n.kids() {
		if k.kind() == "resource_specification" {
			for _, r := range k.namedKids() {
				out = append(out, code(nameOf(r)))
			}
		}
	}
	return out
}

// handler says what a new catch clause does.
func (w *writer) handler(h item, at place) {
	t := caught(h)
	if t == "" {
		t = "an error"
	}
	if e := effects(body(h)); len(e) > 0 {
		w.each(h, wDetail, "catch-effect", "", "when "+t+" is caught, "+at.subject()+" ", e)
	} else {
		w.follows(h, "catch-ignored", "errors caught as "+t+" are silently ignored")
	}
	w.broad(h, t)
}

// broad says that a catch clause takes in too much.
func (w *writer) broad(h item, t string) {
	switch strings.Trim(t, "`") {
	case "Exception", "Throwable", "BaseException", "...":
		w.follows(h, "catch-broad", "catching "+t+" is broad and may hide programming errors")
	}
}

// catchFilter says that a catch clause depends on a condition.
func (w *writer) catchFilter(n item, added bool) {
	t := caught(n.parent())
	if t == "" {
		t = "an error"
	}
	if added {
		w.say(n, wBehaviour, "catch-narrowed", inside(n), t+" is now only caught when "+holds(condition(n)))
		return
	}
	w.say(n, wBehaviour, "catch-widened", inside(n), t+" is now caught whether or not "+holds(condition(n)))
}

// declaredThrows says which exceptions a method declares.
func (w *writer) declaredThrows(n item, added bool) {
	_, owner := ownerOf(n)
	e := list(names(n.namedKids()))
	if e == "" { // Swift names no types
		if added {
			w.say(n, wSignature, "throws-added", "", owner+" can now throw")
			w.follows(n, "throws-callers", "callers of "+owner+" must handle what it throws")
		} else {
			w.say(n, wSignature, "throws-removed", "", owner+" can no longer throw")
		}
		return
	}
	if added {
		w.say(n, wSignature, "throws-added", "", owner+" now declares that it throws "+e)
		w.follows(n, "throws-callers", "callers of "+owner+" must handle or declare "+e)
		return
	}
	w.say(n, wSignature, "throws-removed", "", owner+" no longer declares that it throws "+e)
}

// otherCatch returns the clause that came in the place of one that went, or
// went for one that came.
func (w *writer) otherCatch(e edit, added bool) item {
	in := e.newIn
	if added {
		in = e.oldIn
	}
	var found item
	for _, k := range in.kids() {
		if k.is(syntax.Catch) && w.fresh[k] && !w.done[k] {
			if found.ok() {
				return item{}
			}
			found = k
		}
	}
	return found
}

// catchHead says what an edit in the head of a catch clause does, once for all of
// them. It answers false when the edit is elsewhere.
func (w *writer) catchHead(e edit) bool {
	head := func(n, in item) item {
		if !n.ok() {
			n = in
		} else {
			n = n.parent()
		}
		for range maxSay {
			if !n.ok() || n.is(syntax.Block, syntax.Lambda) || statement(n) && !n.is(syntax.Catch) || n.is(syntax.Catch) {
				break
			}
			n = n.parent()
		}
		return n
	}
	a, b := head(e.old, e.oldIn), head(e.new, e.newIn)
	if !a.is(syntax.Catch) || !b.is(syntax.Catch) || e.new.is(syntax.Block) || e.old.is(syntax.Block) || statement(e.new) || statement(e.old) {
		return false
	}
	if w.done[b] {
		return true
	}
	x, y := caughtTypes(a), caughtTypes(b)
	if len(x)+len(y) == 0 || slices.Equal(x, y) {
		return false
	}
	w.done[a], w.done[b] = true, true
	w.catchTypes(a, b, placeOf(b))
	if len(body(b)) == 0 {
		w.follows(b, "catch-ignored", "errors caught as "+caught(b)+" are silently ignored")
	}
	return true
}

// catchChanged says how a catch clause became another one.
func (w *writer) catchChanged(a, b item, at place) {
	w.done[a], w.done[b] = true, true
	to := w.catchTypes(a, b, at)
	if e := effects(body(b)); len(e) > 0 && !slices.Equal(e, effects(body(a))) {
		what := "when " + caught(b) + " is caught, "
		if to == "" {
			what = "when an error is caught, "
		}
		w.each(b, wDetail, "catch-effect", "", what+at.subject()+" now ", e)
		throws := func(n item) bool {
			return slices.ContainsFunc(body(n), func(s item) bool { return strip(s).is(syntax.Throw) })
		}
		if e, _ := thrown(lastOf(body(b))); throws(b) && !throws(a) && e != "" && at.fn != "" && !at.test {
			w.follows(b, "throw-callers", "callers of "+at.subject()+" must be prepared for "+code(e))
		}
	} else if len(body(b)) == 0 && len(body(a)) > 0 {
		w.follows(b, "catch-ignored", "errors caught as "+caught(b)+" are now silently ignored")
	}
}

// catchTypes says how the types that are caught changed, and returns them.
func (w *writer) catchTypes(a, b item, at place) string {
	x, y := caughtTypes(a), caughtTypes(b)
	lost := slices.DeleteFunc(slices.Clone(x), func(s string) bool {
		return slices.ContainsFunc(y, func(t string) bool { return covers(b, t, s) })
	})
	won := slices.DeleteFunc(slices.Clone(y), func(s string) bool {
		return slices.ContainsFunc(x, func(t string) bool { return covers(b, t, s) })
	})
	where := at.String()
	from, to := list(codes(x)), list(codes(y))
	switch {
	case len(x) == 0 || len(y) == 0 || len(lost) > 0 && len(won) > 0:
		if from == "" {
			from = "all"
		}
		if to == "" {
			to = "all errors"
		}
		if from != to {
			if len(y) > 0 {
				to = "exceptions of type " + to
			}
			w.say(b, wBehaviour, "catch-changed", where, to+" are now caught instead of "+from)
		}
	case len(won) > 0:
		w.say(b, wBehaviour, "catch-widened", where, "more errors are now caught: "+to+" instead of only "+from)
	case len(lost) > 0:
		w.say(b, wBehaviour, "catch-narrowed", where, "fewer errors are now caught: only "+to+" instead of "+from)
		if at.fn != "" {
			w.follows(b, "catch-removed-callers", "callers of "+at.subject()+" may now see "+list(codes(lost)))
		}
	}
	for _, t := range won {
		w.broad(b, code(t))
	}
	return to
}

func (w *writer) catch(n item, e edit, at place, added bool) {
	if o := w.otherCatch(e, added); o.ok() && e.oldIn.ok() && e.newIn.ok() {
		if added {
			w.catchChanged(o, n, at)
		} else {
			w.catchChanged(n, o, at)
		}
		return
	}
	t := caught(n)
	what := "exceptions of type " + t
	if t == "`...`" {
		what = "exceptions of any type"
	}
	if t == "" {
		what, t = "errors", "errors"
	}
	if added {
		w.say(n, wBehaviour, "catch-added", at.String(), what+" are now caught")
		w.handler(n, at)
		return
	}
	w.say(n, wBehaviour, "catch-removed", at.String(), what+" are no longer caught")
	w.follows(n, "catch-removed-callers", "callers of "+at.subject()+" may now see "+t)
}

func (w *writer) throw(n item, at place, added bool) {
	e, msg := thrown(n)
	if e == "" {
		e = "the caught error"
	} else {
		e = code(e)
	}
	s := ""
	if msg != "" {
		s = " with the message " + msg
	}
	if added {
		w.say(n, wBehaviour, "throw-added", "", at.subject()+" now "+raises(n)+" "+e+s+guard(n))
		if at.fn != "" && !at.test && at.callback == "" {
			w.follows(n, "throw-callers", "callers of "+at.subject()+" must be prepared for "+e)
		}
		return
	}
	w.say(n, wBehaviour, "throw-removed", "", at.subject()+" no longer "+raises(n)+" "+e+s+guard(n))
}

// onlyThrows says that a function does nothing but fail, with a changed error.
func (w *writer) onlyThrows(n item) {
	f := n.under(syntax.Function)
	if b := body(f); f.ok() && len(b) == 1 && strip(b[0]).is(syntax.Throw) && nameOf(f) != "" {
		w.follows(n, "only-throws", code(nameOf(f))+" still does nothing but "+strings.TrimSuffix(raises(n), "s")+" the error")
	}
}
