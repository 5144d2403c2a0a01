package symbolic

import (
	"strings"

	"crscore/internal/syntax"
)

// Members that C++ makes by itself, and errors that are forced or passed on by
// one sign.

// deleted says that a function is there to be forbidden, or left to the compiler.
func (w *writer) deleted(n item, word string, at place, added bool) bool {
	gone, made := false, false
	for _, k := range n.kids() {
		gone = gone || k.kind() == "delete_method_clause"
		made = made || k.kind() == "default_method_clause"
	}
	if !gone && !made || !added {
		return false
	}
	class := code(lastPart(strings.TrimPrefix(nameOf(n), "~")))
	if strings.HasPrefix(lastPart(nameOf(n)), "operator") {
		class = code(at.class)
	}
	if class == nothing {
		return false
	}
	what := "the " + word + " " + code(nameOf(n))
	switch p := n.child("parameters").namedKids(); {
	case word == "destructor":
		what = "the destructor of " + class
	case word == "constructor" && len(p) == 0:
		what = "the default constructor of " + class
	case len(p) == 1 && strings.Contains(p[0].text(), "&&"):
		what = "the moving of " + class
	case len(p) == 1 && strings.Contains(p[0].text(), "&"):
		what = "the copying of " + class
	}
	if assigns := strings.HasSuffix(nameOf(n), "operator="); assigns && strings.HasPrefix(what, "the copying") {
		what = "the copying of " + class + " by assignment"
	} else if assigns && strings.HasPrefix(what, "the moving") {
		what = "the moving of " + class + " by assignment"
	}
	if gone {
		w.say(n, wSignature, "deleted", "", what+" is now forbidden")
		return true
	}
	w.say(n, wSignature, "defaulted", "", what+" is now left to the compiler")
	return true
}

// forcedTry says that an error of a call ends the program now, or no longer.
func (w *writer) forcedTry(n item, added bool) bool {
	t := n.up(func(p item) bool { return p.kind() == "try_expression" })
	if n.text() != "!" && n.text() != "?" || !t.ok() || !strings.HasPrefix(n.parent().text(), "try") {
		return false
	}
	of := "an error there"
	outer := t // the grammar binds the sign to the first call of a chain
	for i := 0; i < maxClimb && outer.parent().is(syntax.Member, syntax.Call); i++ {
		outer = outer.parent()
	}
	if outer.is(syntax.Call) {
		of = "an error of " + code(calledName(outer))
	} else if c := t.find(1, nil, syntax.Call); len(c) == 1 {
		of = "an error of " + code(calledName(c[0]))
	}
	switch {
	case n.text() == "!" && added:
		w.say(n, wBehaviour, "try-forced", inside(n), of+" now ends the program")
	case n.text() == "!":
		w.say(n, wBehaviour, "try-passed", inside(n), of+" no longer ends the program")
	case added:
		w.say(n, wBehaviour, "try-optional", inside(n), of+" now gives `nil`")
	default:
		w.say(n, wBehaviour, "try-passed", inside(n), of+" no longer gives `nil`")
	}
	return true
}

// jumps says what happens where a value is missing, if that leaves the function.
// It answers whether it does.
func (w *writer) jumps(v item, at place) bool {
	v = strip(v)
	k := v.namedKids()
	if len(k) != 2 || operator(v) != "??" && operator(v) != "?:" {
		return false
	}
	if r := strip(k[1]); r.is(syntax.Throw, syntax.Return) || strings.HasPrefix(r.text(), "throw") {
		if d := does(r, 0); d != "" {
			w.say(v, wBehaviour, "missing-leaves", "", "when "+say(k[0])+" gives nothing, "+at.subject()+" now "+d)
			return true
		}
	}
	return false
}

// section says that a part of a test that a macro names came or went.
func (w *writer) section(c item, at place, added bool) bool {
	args := arguments(c).namedKids()
	if len(c.traits().TestMacros) == 0 || len(args) == 0 || !args[0].is(syntax.String) || !sections[calledName(c)] || !c.parent().is(syntax.ExpressionStatement) {
		return false
	}
	v := verb(added)
	w.names(c, wDeclare, "section-"+v, at.String(), "the section "+slot+" was "+v, "the sections "+slot+" were "+v, say(args[0]))
	return true
}

// sections are the macros that begin a part of a test.
var sections = map[string]bool{"SECTION": true, "SUBCASE": true, "DYNAMIC_SECTION": true, "GIVEN": true, "WHEN": true, "THEN": true, "AND_WHEN": true, "AND_THEN": true, "AND_GIVEN": true}

// returnsOthers says that a return of several values gives others in their place.
func (w *writer) returnsOthers(e edit) bool {
	x, y := e.oldIn, e.newIn
	if !x.is(syntax.Parens) || !y.is(syntax.Parens) || !x.parent().is(syntax.Return) || !y.parent().is(syntax.Return) {
		return false
	}
	if w.done[y] {
		return true
	}
	gone, come := differing(x.namedKids(), y.namedKids())
	if len(gone) == 0 || len(gone) != len(come) {
		return false
	}
	w.done[y] = true
	w.say(y, wBehaviour, "return-changed", "", placeOf(y).subject()+" now returns "+list(come)+" instead of "+list(gone))
	return true
}
