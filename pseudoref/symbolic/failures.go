package symbolic

import (
	"strings"

	"crscore/internal/syntax"
)

// caught names the exceptions of a catch clause.
func caught(n item) string {
	if n.traits().UntypedCatch {
		return "" // a variable, and no type
	}
	if t := n.child("type"); t.ok() {
		return code(t.text())
	}
	for _, k := range n.kids() {
		if !k.named() || k.is(syntax.Block, syntax.Comment) {
			continue
		}
		if t := k.child("type"); t.ok() {
			return code(t.text())
		}
		switch k.kind() {
		case "catch_formal_parameter", "catch_declaration", "exceptions", "as_pattern":
			x := k.namedKids()
			for _, y := range x {
				if !y.is(syntax.Modifier) {
					return code(y.text())
				}
			}
		}
		return code(k.text())
	}
	return ""
}

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
	if len(types) > 0 {
		what += " that catches " + list(types)
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
	}
	w.say(n, wBehaviour, "try-"+v, at.String(), what)
	if f := n.first(syntax.Finally); f.ok() && added {
		if e := effects(body(f)); len(e) > 0 {
			w.say(f, wDetail, "finally-effect", "", "in any case, the new `finally` block "+list(e))
		}
	}
	for _, h := range handlers {
		if added {
			w.handler(h, at)
		}
	}
}

// handler says what a new catch clause does.
func (w *writer) handler(h item, at place) {
	t := caught(h)
	if t == "" {
		t = "an error"
	}
	if e := effects(body(h)); len(e) > 0 {
		w.say(h, wDetail, "catch-effect", "", "when "+t+" is caught, "+at.subject()+" "+list(e))
	} else {
		w.follows(h, "catch-ignored", "errors caught as "+t+" are silently ignored")
	}
	w.broad(h, t)
}

// broad says that a catch clause takes in too much.
func (w *writer) broad(h item, t string) {
	switch strings.Trim(t, "`") {
	case "Exception", "Throwable", "BaseException":
		w.follows(h, "catch-broad", "catching "+t+" is broad and may hide programming errors")
	}
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

func (w *writer) catch(n item, at place, added bool) {
	t := caught(n)
	what := "exceptions of type " + t
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
		if at.fn != "" && !at.test {
			w.follows(n, "throw-callers", "callers of "+at.subject()+" must be prepared for "+e)
		}
		return
	}
	w.say(n, wBehaviour, "throw-removed", "", at.subject()+" no longer "+raises(n)+" "+e+s+guard(n))
}
