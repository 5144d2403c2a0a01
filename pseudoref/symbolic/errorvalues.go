package symbolic

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
)

// Where errors are values, each call is followed by an if that compares one
// with null. What is said of such an if names the call and what becomes of its
// error.

// errorCheck is an if that asks whether a call failed.
type errorCheck struct {
	name string // of the variable
	call item   // whose error it holds, or none
	from item   // the statement with that call
	own  bool   // the call stands in the if itself
}

// checkedError reads an if as a check of an error.
func checkedError(n item) (errorCheck, bool) {
	if !n.is(syntax.If) || !n.traits().ErrorValues {
		return errorCheck{}, false
	}
	x, isNull := nullCheck(condition(n))
	if !x.is(syntax.Identifier) || isNull || !errorName(x.text()) {
		return errorCheck{}, false
	}
	c := errorCheck{name: x.text(), from: n.child("initializer")}
	c.own = c.from.ok()
	if !c.own {
		c.from = n.prev()
		for c.from.ok() && (!c.from.named() || c.from.is(syntax.Comment)) {
			c.from = c.from.prev()
		}
	}
	if c.from.is(syntax.Variable, syntax.Assign) && slices.Contains(targets(c.from), c.name) {
		if v := strip(assigned(c.from)); v.is(syntax.Call) && callee(v) != "" {
			c.call = v
		}
	}
	return c, true
}

func errorName(s string) bool {
	return strings.HasPrefix(s, "err") || strings.HasSuffix(s, "Err") || strings.HasSuffix(s, "err")
}

// targets lists the names on the left of a declaration or an assignment.
func targets(n item) []string {
	l := n.child("left", "name")
	var out []string
	for _, x := range l.leaves(16, syntax.Identifier) {
		out = append(out, x.text())
	}
	return out
}

// madeError returns the message of a call that makes an error, and whether it
// keeps the error that caused it.
func madeError(call item) (msg string, wraps, ok bool) {
	call = strip(call)
	if !call.is(syntax.Call) {
		return "", false, false
	}
	wraps, ok = call.traits().ErrorMakers[callee(call)]
	if !ok {
		return "", false, false
	}
	if s := arguments(call).find(1, nil, syntax.String); len(s) == 1 {
		msg = unquoted(s[0].text())
	}
	return msg, wraps || strings.Contains(msg, "%w"), true
}

// fate says what a check does with its error: "returned", "returned with the
// message "…"", or "".
func (c errorCheck) fate(n item) string {
	b := body(n)
	if len(b) != 1 || !b[0].is(syntax.Return) {
		return ""
	}
	for _, v := range values(b[0]) {
		if v.is(syntax.Identifier) && v.text() == c.name {
			return "returned"
		}
		if msg, _, ok := madeError(v); ok && mentions(v, c.name) {
			return "returned with the message " + quote(msg, maxCode)
		}
	}
	return ""
}

// values lists what a return statement returns.
func values(n item) []item {
	k := n.namedKids()
	if len(k) == 1 && k[0].is(syntax.Parens) {
		k = k[0].namedKids()
	}
	return k
}

func mentions(n item, name string) bool {
	for _, x := range n.leaves(64, syntax.Identifier) {
		if x.text() == name {
			return true
		}
	}
	return false
}

// checked says that a check of an error was added or removed. It answers false
// where the general wording says more.
func (w *writer) checked(n item, at place, added bool) bool {
	c, ok := checkedError(n)
	if !ok || !c.call.ok() {
		return false
	}
	call, fate := called(c.call), c.fate(n)
	fresh := c.own && !w.atBothSides(c.from)
	switch {
	case added && fate == "":
		return false
	case added && fresh:
		w.say(n, wBehaviour, "error-check-added", "", at.subject()+" now calls "+call+", and its error is "+fate)
	case added:
		w.say(n, wBehaviour, "error-check-added", at.String(), "the error of "+call+" is now checked and "+fate)
	case c.own && fresh:
		w.say(n, wBehaviour, "error-check-removed", at.String(), "the call to "+call+" and the check of its error were removed")
	case c.own:
		w.say(n, wBehaviour, "error-check-removed", at.String(), "the error of "+call+" is no longer checked")
	case w.fresh[c.from]: // the call went with its check
	default:
		w.say(n, wBehaviour, "error-check-removed", at.String(), "the error of "+call+" is no longer checked")
		w.follows(n, "error-ignored", at.subject()+" now goes on when "+call+" fails")
	}
	return true
}

// atBothSides tells whether an edit takes away, or brings, the statement that
// the other side has in its if.
func (w *writer) atBothSides(n item) bool {
	if w.freshHashes == nil {
		w.freshHashes = map[*tree]map[uint64]bool{}
		for x := range w.fresh {
			if c, ok := checkedError(x); ok && c.own {
				x = c.from
			}
			if w.freshHashes[x.tree] == nil {
				w.freshHashes[x.tree] = map[uint64]bool{}
			}
			w.freshHashes[x.tree][x.hash()] = true
		}
	}
	for t, hashes := range w.freshHashes {
		if t != n.tree && hashes[n.hash()] {
			return true
		}
	}
	return false
}

// ignored says that a result is no longer kept, or kept now.
func (w *writer) ignored(a, b item) bool {
	x, y := a.text(), b.text()
	if !b.traits().ErrorValues || x != "_" && y != "_" || !a.is(syntax.Identifier) || !b.is(syntax.Identifier) {
		return false
	}
	d := b.under(syntax.Variable, syntax.Assign)
	if !d.child("left").contains(b) {
		return false
	}
	what, verb := "the result "+code(x), "is now ignored"
	name := x
	if x == "_" {
		what, verb, name = "the result "+code(y), "is no longer ignored", y
	}
	if c := strip(assigned(d)); c.is(syntax.Call) {
		if errorName(name) {
			what = "the error of " + called(c)
		} else {
			what += " of " + called(c)
		}
	}
	w.say(b, wBehaviour, "result-ignored", inside(b), what+" "+verb)
	return true
}

// present says what an if on the second result of a lookup asks: whether a map
// has a key, a value has a type, a channel is open. It is "" for any other if.
func present(n item, want bool) string {
	if !n.is(syntax.If) || !n.traits().ErrorValues {
		return ""
	}
	c := condition(n)
	if k := c.namedKids(); c.is(syntax.Unary) && operator(c) == "!" && len(k) == 1 {
		c, want = k[0], !want
	}
	from := n.child("initializer")
	if !from.ok() {
		from = n.prev()
		for from.ok() && (!from.named() || from.is(syntax.Comment)) {
			from = from.prev()
		}
	}
	if !c.is(syntax.Identifier) || !from.is(syntax.Variable, syntax.Assign) {
		return ""
	}
	if t := targets(from); len(t) != 2 || t[1] != c.text() {
		return ""
	}
	is := map[bool]string{true: " is ", false: " is not "}[want]
	switch v := strip(assigned(from)); {
	case v.is(syntax.Cast):
		return code(v.child("operand").text()) + is + "of type " + code(v.child("type").text())
	case v.is(syntax.Index):
		return code(v.child("index").text()) + is + "in " + code(v.child("operand").text())
	case v.is(syntax.Unary) && operator(v) == "<-":
		return "the channel " + code(v.child("operand").text()) + map[bool]string{true: " is open", false: " is closed"}[want]
	}
	return ""
}

// fails returns the call by which a branch says that the test failed, or none.
func fails(n item) item {
	b := body(n)
	if len(b) == 0 || len(b) > 2 {
		return item{}
	}
	c := strip(b[0])
	if c.is(syntax.Call) && slices.Contains(c.traits().Failures, calledName(c)) && receiver(c).is(syntax.Identifier) {
		return c
	}
	return item{}
}

// asserts says that a branch in which a test fails was added or removed. It
// answers false for any other branch.
func (w *writer) asserts(n item, at place, added bool) bool {
	if !at.test && !strings.HasSuffix(w.file.Path(), "_test.go") || !fails(n).ok() || n.is(syntax.ElseIf) || n.field() == "alternative" {
		return false
	}
	now := map[bool]string{true: " now ", false: " no longer "}[added]
	if c, ok := checkedError(n); ok && c.call.ok() {
		w.say(n, wBehaviour, "assert-"+verb(added), "", at.subject()+now+"fails when "+called(c.call)+" returns an error")
		return true
	}
	what := present(n, false)
	if what == "" {
		what = clause(condition(n), false, 0)
	}
	w.say(n, wBehaviour, "assert-"+verb(added), "", at.subject()+now+map[bool]string{true: "checks", false: "checks"}[added]+" that "+what)
	return true
}
