package symbolic

import (
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

// branchBody lists the statements of a branch that may be an expression.
func branchBody(n item) []item {
	if n.is(syntax.Block) {
		return n.namedKids()
	}
	return []item{n}
}

// effectsTail is " that calls `a` and sets `b`", or "".
func effectsTail(stmts []item) string {
	if e := effects(stmts); len(e) > 0 {
		return " that " + list(e)
	}
	return ""
}

// guard says under which condition a statement runs: " when `x` is null".
func guard(n item) string {
	p := n.up(func(p item) bool { return !p.is(syntax.Block, syntax.ExpressionStatement, syntax.Other) })
	if p.is(syntax.If, syntax.ElseIf) && !p.child("alternative").contains(n) {
		if c := condition(p); c.ok() && !c.contains(n) {
			return " when " + runsWhen(p, true)
		}
	}
	if p.is(syntax.Catch) {
		if t := caught(p); t != "" {
			return " when " + t + " is caught"
		}
	}
	if p.is(syntax.Case) {
		return " for " + caseLabel(p)
	}
	return ""
}

func (w *writer) branch(n item, at place, added bool) {
	v, where, whether := verb(added), at.String(), "the check whether "+runsWhen(n, true)
	var in []item
	for _, x := range w.inner(n) {
		if frame(x, item{}) == n && !n.child("alternative").contains(x) {
			in = append(in, x)
		}
	}
	if len(in) > 0 {
		what, several := together(in)
		switch {
		case added && w.askedBefore(n, in[0]):
			w.say(n, wBehaviour, "condition-split", where, whether+" now stands in an `if` of its own")
		case added:
			w.say(n, wBehaviour, "condition-wrapped", where, what+" now only "+runs(several)+" when "+runsWhen(n, true))
		default:
			w.say(n, wBehaviour, "condition-unwrapped", where, whether+" was removed, so "+what+" no longer "+either(several, "depend", "depends")+" on it")
		}
		return
	}
	what, when := "a check whether ", "if "+runsWhen(n, true)+", "+at.subject()
	if n.is(syntax.ElseIf) || n.parent().is(syntax.Else) || n.field() == "alternative" {
		// It also takes that no branch before applies.
		what, when = "an `else if` branch for the case that ", "in that branch, "+at.subject()
	}
	w.say(n, wBehaviour, "condition-"+v, where, what+runsWhen(n, true)+" was "+v)
	e := effects(body(n))
	if added {
		w.reason(n)
		w.each(n, wDetail, "condition-effect", "", when+" now ", e)
		return
	}
	w.each(n, wDetail, "condition-effect", "", when+" previously had code that ", e)
	if x, isNull := nullCheck(condition(n)); failedCall(n).ok() {
		return // it is an error
	} else if isNull {
		w.follows(n, "null-check-removed", say(x)+" is no longer checked for null")
	} else if x.ok() {
		w.follows(n, "null-check-removed", say(x)+" is no longer checked for null before it is used")
	}
}

// reason quotes the comment by which the body of a new check begins.
func (w *writer) reason(n item) {
	b := bodyOf(n)
	if c := n.child("consequence"); c.ok() {
		b = c
	}
	k := b.kids()
	for len(k) > 0 && !k[0].named() {
		k = k[1:] // the brace
	}
	last := slices.IndexFunc(k, func(c item) bool { return !c.is(syntax.Comment) })
	if last < 0 {
		last = len(k)
	}
	if last == 0 || w.done[k[0]] {
		return
	}
	first := "a comment on the new check says "
	for _, p := range passages(commentText(joinedComments(k[:last])), wordsSaid, 2) {
		w.say(k[0], wText, "comment-reason", "", first+quoteText(p))
		first = "the comment on the new check goes on to say "
	}
}

func (w *writer) elseBranch(n item, at place, added bool) {
	k := n.namedKids()
	if len(k) == 1 && k[0].is(syntax.If) {
		w.branch(k[0], at, added)
	} else if len(w.inner(n)) == 0 { // else said of what is in it
		w.say(n, wBehaviour, "else-"+verb(added), at.String(), "an `else` branch"+effectsTail(body(n))+" was "+verb(added))
	}
}

func (w *writer) loop(n item, at place, added bool) {
	if in := w.inner(n); len(in) > 0 {
		if what, several := together(in); added {
			w.say(n, wBehaviour, "loop-wrapped", at.String(), what+" now "+runs(several)+" in a loop "+loopOver(n))
			return
		}
		if frame(in[0], item{}) == n {
			return // said of what is in it
		}
	}
	w.say(n, wBehaviour, "loop-"+verb(added), at.String(), "a loop "+loopOver(n)+" was "+verb(added))
	if added {
		w.each(n, wDetail, "loop-effect", at.String(), either(n.child("condition").ok(), "in each round", "for each item")+", the new loop ", effects(body(n)))
	}
}

// switched says what a switch looks at, "" for one of conditions or channels.
func switched(n item) string {
	if c := n.child("value", "condition", "subject"); c.ok() {
		return say(c)
	}
	if k := n.namedKids(); len(k) > 0 && !k[0].is(syntax.Case, syntax.Block) && !statement(k[0]) {
		return say(k[0])
	}
	return ""
}

// caseLabels returns the labels of a case and the token that ends them, or none
// where the grammar puts neither side by side.
func caseLabels(n item) (labels []item, arrow item) {
	for _, k := range n.kids() {
		switch k.kind() {
		case "->", "=>", ":", "then":
			return labels, k
		}
		if k.named() && !k.is(syntax.Comment) {
			labels = append(labels, k)
		}
	}
	return nil, item{}
}

// defaults are the beginnings of the case for everything else.
var defaults = regexp.MustCompile(`^(?:default|else|_ |case _ =|case _:|\*\))`)

func caseLabel(n item) string {
	k := n.namedKids()
	l, arrow := caseLabels(n)
	end := arrow.start()
	if len(k) > 0 && k[0].kind() == "switch_label" {
		if l = k[0].namedKids(); len(l) > 0 {
			end = l[len(l)-1].end()
		}
	}
	v := n.child("value", "pattern", "type")
	if !v.ok() && len(k) > 0 && !statement(k[0]) {
		v = k[0]
	}
	switch c := n.child("communication"); {
	case c.ok() && strip(c.child("right")).is(syntax.Unary): // of channels
		return "a value from " + code(strings.TrimPrefix(strip(c.child("right")).text(), "<-"))
	case c.ok():
		return noun(c, "a")
	case defaults.MatchString(oneLine(cut(n.text(), maxCode))):
		return "the default"
	case len(l) == 1:
		return say(l[0])
	case len(l) > 0:
		return code(string(l[0].src[l[0].start():end]))
	case v.ok():
		return say(v)
	}
	return headline(n)
}

// caseValue tells whether n is what a case of a switch expression yields.
func caseValue(n item) bool {
	c := n.parent()
	if !c.is(syntax.Case) || statement(n) && !n.is(syntax.ExpressionStatement) {
		return false
	}
	for k := n.next(); k.ok(); k = k.next() {
		if k.named() && !k.is(syntax.Comment) {
			return false
		}
	}
	_, arrow := caseLabels(c)
	return arrow.ok() && arrow.kind() != ":" && arrow.i < n.i
}

// switchCase says that a case was added or removed, and what a new one does.
func (w *writer) switchCase(n item, where string, added bool) {
	label := caseLabel(n)
	v := verb(added)
	w.names(n, wBehaviour, "case-"+v, where, "a case for "+slot+" was "+v, "cases for "+slot+" were "+v, label)
	if !added {
		return
	}
	var do, yields []item
	for _, k := range n.namedKids() {
		if caseValue(k) {
			yields = append(yields, k)
		}
		if k.is(syntax.Block) {
			do = append(do, k.namedKids()...)
		} else if statement(k) {
			do = append(do, k)
		}
	}
	e := effects(do)
	w.each(n, wDetail, "case-effect", where, "for "+label+" the code now ", e)
	if len(e) == 0 && len(yields) > 0 {
		w.say(n, wDetail, "case-effect", where, "for "+label+" the result is "+say(yields[0]))
	}
}
