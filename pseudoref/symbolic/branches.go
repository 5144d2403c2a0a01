package symbolic

import (
	"slices"
	"strings"

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
	v, where := verb(added), at.String()
	c := condition(n)
	var in []item
	for _, x := range w.inner(n) {
		if frame(x, item{}) == n && !n.child("alternative").contains(x) {
			in = append(in, x)
		}
	}
	if len(in) > 0 {
		wrapped, several := together(in)
		if added && w.askedBefore(n, in[0]) {
			w.say(n, wBehaviour, "condition-split", where, "the check whether "+runsWhen(n, true)+" now stands in an `if` of its own")
			return
		}
		if added {
			w.say(n, wBehaviour, "condition-wrapped", where, wrapped+" now only "+runs(several)+" when "+runsWhen(n, true))
		} else {
			w.say(n, wBehaviour, "condition-unwrapped", where, "the check whether "+runsWhen(n, true)+" was removed, so "+wrapped+" no longer depend"+map[bool]string{true: "", false: "s"}[several]+" on it")
		}
		return
	}
	if r := w.resultOf(c); added && r.ok() {
		what := "the result of " + noun(r, "the") + " is now checked"
		if e := effects(body(n)); len(e) > 0 {
			what += ": if " + runsWhen(n, true) + ", " + at.subject() + " " + list(e)
		}
		w.say(n, wBehaviour, "result-checked", where, what)
		return
	}
	what, when := "a check whether ", "if "+runsWhen(n, true)+", "+at.subject()
	if n.is(syntax.ElseIf) || n.parent().is(syntax.Else) || n.field() == "alternative" {
		// It also takes that no branch before applies.
		what, when = "an `else if` branch for the case that ", "in that branch, "+at.subject()
	}
	w.say(n, wBehaviour, "condition-"+v, where, what+runsWhen(n, true)+" was "+v)
	if added {
		w.reason(n)
	}
	if e := effects(body(n)); len(e) > 0 {
		if added {
			w.each(n, wDetail, "condition-effect", "", when+" now ", e)
		} else {
			w.each(n, wDetail, "condition-effect", "", when+" previously had code that ", e)
		}
	}
	if x, isNull := nullCheck(c); x.ok() && !added && !failedCall(n).ok() {
		w.follows(n, "null-check-removed", say(x)+" is no longer checked for null"+map[bool]string{true: "", false: " before it is used"}[isNull])
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
	if len(k) > 0 && k[0].is(syntax.Comment) && !w.done[k[0]] {
		last := 0
		for last < len(k) && k[last].is(syntax.Comment) {
			last++
		}
		text := joinedComments(k[:last])
		for i, p := range passages(commentText(text), wordsSaid, 2) {
			first := "a comment on the new check says "
			if i > 0 {
				first = "the comment on the new check goes on to say "
			}
			w.say(k[0], wText, "comment-reason", "", first+quoteText(p))
		}
	}
}

func (w *writer) elseBranch(n item, at place, added bool) {
	k := n.namedKids()
	if len(k) == 1 && k[0].is(syntax.If) {
		w.branch(k[0], at, added)
		return
	}
	if in := w.inner(n); len(in) > 0 {
		return // said of what is in it
	}
	w.say(n, wBehaviour, "else-"+verb(added), at.String(), "an `else` branch"+effectsTail(body(n))+" was "+verb(added))
}

func (w *writer) loop(n item, at place, added bool) {
	v := verb(added)
	if in := w.inner(n); len(in) > 0 {
		if what, several := together(in); added {
			w.say(n, wBehaviour, "loop-wrapped", at.String(), what+" now "+runs(several)+" in a loop "+loopOver(n))
		} else if frame(in[0], item{}) != n {
			w.say(n, wBehaviour, "loop-removed", at.String(), "a loop "+loopOver(n)+" was removed")
		} // else said of what is in it
		return
	}
	w.say(n, wBehaviour, "loop-"+v, at.String(), "a loop "+loopOver(n)+" was "+v)
	if e := effects(body(n)); len(e) > 0 && added {
		when := "for each item"
		if n.child("condition").ok() {
			when = "in each round"
		}
		w.each(n, wDetail, "loop-effect", at.String(), when+", the new loop ", e)
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

// arrows end the labels of a case.
var arrows = []string{"->", "=>", ":", "then"}

// caseLabels returns the labels of a case and the token that ends them, or none
// where the grammar puts neither side by side.
func caseLabels(n item) (labels []item, arrow item) {
	for _, k := range n.kids() {
		switch {
		case k.named() && !k.is(syntax.Comment):
			labels = append(labels, k)
		case slices.Contains(arrows, k.kind()):
			return labels, k
		}
	}
	return nil, item{}
}

func caseLabel(n item) string {
	k := n.namedKids()
	if len(k) > 0 && k[0].kind() == "switch_label" {
		if l := k[0].namedKids(); len(l) > 0 {
			return labelsText(l, l[len(l)-1].node().end)
		}
		return "the default"
	}
	if c := n.child("communication"); c.ok() { // of channels
		if r := strip(c.child("right")); r.is(syntax.Unary) {
			return "a value from " + code(strings.TrimPrefix(r.text(), "<-"))
		}
		return noun(c, "a")
	}
	if t := oneLine(cut(n.text(), maxCode)); strings.HasPrefix(t, "default") || strings.HasPrefix(t, "else") || strings.HasPrefix(t, "_ ") || strings.HasPrefix(t, "case _ =") || strings.HasPrefix(t, "case _:") || strings.HasPrefix(t, "*)") {
		return "the default"
	}
	if l, arrow := caseLabels(n); len(l) > 0 {
		return labelsText(l, arrow.node().start)
	}
	if v := n.child("value", "pattern", "type"); v.ok() {
		return say(v)
	}
	if len(k) > 0 && !statement(k[0]) {
		return say(k[0])
	}
	return headline(n)
}

// labelsText names the labels of a case, which end at a byte.
func labelsText(l []item, end int) string {
	if len(l) == 1 {
		return say(l[0])
	}
	return code(string(l[0].src[l[0].node().start:end]))
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

// caseResult returns the value of a case that does nothing but yield or return
// one, or none.
func caseResult(n item) item {
	var out []item
	for _, k := range n.namedKids() {
		if k.is(syntax.Block) {
			out = append(out, k.namedKids()...)
		} else if statement(k) || caseValue(k) {
			out = append(out, k)
		}
	}
	if len(out) != 1 {
		return item{}
	}
	r := strip(out[0])
	if r.is(syntax.Return, syntax.Yield) {
		if k := r.namedKids(); len(k) == 1 {
			return strip(k[0])
		}
		return item{}
	}
	return r
}

// switchCase says that a case was added or removed, and what a new one does.
func (w *writer) switchCase(n item, where string, added bool) {
	v, label := verb(added), caseLabel(n)
	w.names(n, wBehaviour, "case-"+v, where, "a case for "+slot+" was "+v, "cases for "+slot+" were "+v, label)
	if !added {
		return
	}
	if eff := effects(caseBody(n)); len(eff) > 0 {
		w.each(n, wDetail, "case-effect", where, "for "+label+" the code now ", eff)
		return
	}
	for _, k := range n.namedKids() {
		if caseValue(k) {
			w.say(n, wDetail, "case-effect", where, "for "+label+" the result is "+say(k))
		}
	}
}

func caseBody(n item) []item {
	var out []item
	for _, k := range n.namedKids() {
		if k.is(syntax.Block) {
			out = append(out, k.namedKids()...)
		} else if statement(k) {
			out = append(out, k)
		}
	}
	return out
}
