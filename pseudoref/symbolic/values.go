package symbolic

import (
	"strings"

	"crscore/internal/syntax"
)

func target(n item) string {
	if n.is(syntax.Assign, syntax.AugAssign) {
		l, _ := sides(n)
		return l.text()
	}
	return nameOf(n)
}

func assigned(n item) item {
	if n.is(syntax.Assign, syntax.AugAssign) {
		_, r := sides(n)
		return r
	}
	return valueOf(n)
}

// framedCall tells whether n is the list of arguments of a call that begins
// before the hunk. What stands alone in brackets may be a condition.
func framedCall(n item) bool {
	return n.ok() && n.role() == syntax.Other && n.frag.Table.Role(n.kind()) == syntax.Arguments && len(n.namedKids()) > 1
}

// covered tells whether n is in an argument that the claim about its call names.
func (w *writer) covered(n item) bool {
	for p, i := n, 0; p.ok() && i < maxSay; i, p = i+1, p.parent() {
		if p.parent().is(syntax.Arguments) {
			return w.done[p] && p != n
		}
	}
	return false
}

// valueChanged says how an expression became another one in its place.
func (w *writer) valueChanged(a, b item, at place) {
	where := at.String()
	s := slotOf(b)
	if s.kind == argumentSlot && w.done[s.holder] || w.covered(b) {
		return // said with the call
	}
	// A changed callee is said of the call.
	if s.kind == calleeSlot {
		b = s.holder
		if sa := slotOf(a); sa.kind == calleeSlot {
			a = sa.holder
		}
		if w.done[b] {
			return
		}
		w.done[b] = true
		s = slotOf(b)
	}
	from, to := say(a), say(b)
	switch {
	case from == to && a.is(syntax.Call) && b.is(syntax.Call) && receiver(a).ok() && receiver(b).ok() && !same(receiver(a), receiver(b)) && w.done[b]:
		was, is := apart(receiver(a).text(), receiver(b).text())
		w.beside(w.say(b, wValue, "receiver-changed", where, callWord(b, callee(b))+" is now made on "+is), "before", callWord(b, callee(b))+" was previously made on "+was)
		return
	case from == to && a.kind() == b.kind() && !a.leaf() && !atom(a) && w.deeper(a, b):
		return // the words for both are the same
	case w.wrapped(a, b, s, where):
	case w.testRenamed(a, b, s):
		return
	case a.is(syntax.String) && b.is(syntax.String) && a.leafText() && b.leafText() || a.kind() == "heredoc_body" && b.kind() == "heredoc_body":
		what := "the text"
		if s.phrase != "" {
			what = "the text in " + strings.TrimPrefix(s.phrase, "the text of ")
		}
		w.retell(b, "text-changed", wValue, where, what, unquoted(a.text()), unquoted(b.text()))
	case a.is(syntax.Call, syntax.New) && b.is(syntax.Call, syntax.New) && w.callChanged(a, b, at):
	default:
		w.slotChanged(a, b, s, at)
		return
	}
	w.slotFollows(b, s)
}

// testRenamed says that a test has another description. It answers false for
// other texts.
func (w *writer) testRenamed(a, b item, s slotted) bool {
	name, ok := testCall(s.holder)
	if ok = ok && a.is(syntax.String) && b.is(syntax.String) && s.kind == argumentSlot && arguments(s.holder).namedKids()[0] == b; ok {
		w.say(b, wDeclare, "test-renamed", "", "the test "+quote(unquoted(a.text()), maxCode)+" was renamed to "+quote(name, maxCode))
	}
	return ok
}

// deeper describes what differs below two nodes. It answers false where that is
// nothing but they themselves.
func (w *writer) deeper(a, b item) bool {
	d := newDiffer()
	d.children(a, b, 0)
	if len(d.edits) == 0 || d.edits[0].old == a && d.edits[0].new == b {
		return false
	}
	w.describe(d.edits)
	return true
}

// slotChanged says that a part of something became another.
func (w *writer) slotChanged(a, b item, s slotted, at place) {
	from, to, where := say(a), say(b), at.String()
	if from == to { // the difference lies beyond what is quoted
		if s.phrase != "" {
			w.say(b, wValue, "part-changed", where, "a part of "+s.phrase+" was changed")
		}
		return
	}
	if sa := slotOf(a); s.phrase != "" && s.kind != conditionSlot && s.kind != assertSlot && !s.filledBy(b) && sa.kind == s.kind && s.part.size() <= maxCode && sa.part.size() <= maxCode && !s.holder.is(syntax.With) && s.kind != elementSlot {
		// The whole of something small says more than a part of it.
		if w.done[s.part] {
			return
		}
		w.done[s.part] = true
		a, b = sa.part, s.part
		from, to = say(a), say(b)
	}
	switch {
	case s.phrase != "" && s.kind != assertSlot && !s.filledBy(b):
		w.say(b, wValue, "part-changed", where, from+" was replaced by "+to+" in "+s.phrase)
		return
	case s.kind == argumentSlot:
		w.swapped(b, wValue, "argument-changed", where, s.phrase, "passes", to, from)
	case s.kind == returnSlot:
		w.swapped(b, wBehaviour, "return-changed", "", at.subject(), "returns", to, from)
	case s.kind == assertSlot:
		what := "the assertion"
		if s.holder.is(syntax.Call) {
			what += " " + code(calledName(s.holder))
		}
		w.swapped(b, wBehaviour, "assertion-changed", where, what, "uses", to, from)
	case s.kind == defaultSlot:
		w.say(b, wValue, "default-changed", "", s.phrase+" was changed from "+from+" to "+to)
	case s.kind != noSlot:
		w.say(b, wValue, "value-changed", where, s.phrase+" was changed from "+from+" to "+to)
	case framed(b.parent(), b.parent()) && b.frag.List:
		w.say(b, wValue, "entry-changed", where, "the entry "+from+" was replaced by "+to)
	case framedCall(b.parent()):
		w.swapped(b, wValue, "argument-changed", where, "a call", "passes", to, from)
	default:
		w.say(b, wValue, "replaced", where, from+" was replaced by "+to)
	}
	w.slotFollows(b, s)
}

// slotFollows says more about a changed value.
func (w *writer) slotFollows(b item, s slotted) {
	v := strip(b)
	switch {
	case s.kind == returnSlot && (v.is(syntax.Switch) || len(v.find(1, nil, syntax.Comprehension)) > 0):
		w.details(b, "the return value")
	case s.kind == valueSlot && v.size() > maxCode/2:
		w.details(b, strings.TrimPrefix(s.phrase, "the value of "))
	}
}

// wrapped says that a value is handed to something now, or no longer.
func (w *writer) wrapped(a, b item, s slotted, where string) bool {
	x, y := wrapper(a, b), wrapper(b, a)
	switch {
	case b.is(syntax.Call) && a.is(syntax.Identifier, syntax.Member) && len(chain(b)) == 1 && callee(b) == oneLine(a.text()):
		w.say(b, wValue, "value-called", where, say(a)+" is now called: its result is used instead of "+say(a)+" itself")
	case x != "" && s.kind == argumentSlot:
		w.say(b, wValue, "argument-wrapped", where, say(a)+" is now "+x)
	case x != "":
		w.say(b, wValue, "value-wrapped", where, say(a)+" is now "+x)
	case y != "":
		w.say(b, wValue, "value-unwrapped", where, say(b)+" is no longer "+y)
	default:
		return false
	}
	return true
}

// wrapper says what b puts around a: "passed through `f`", or "".
func wrapper(a, b item) string {
	if a.size() < 1 || b.size() <= a.size() || b.last()-b.i > 500 || a.is(syntax.Number, syntax.Bool, syntax.Null) || a.is(syntax.String) && a.size() <= 3 {
		return "" // what is that short is by chance the same
	}
	if b.is(syntax.Call, syntax.New) {
		// What was called there before is no wrapper.
		s := a.up(func(x item) bool { return statementLike(x) || statement(x) })
		for _, c := range s.find(100, nil, syntax.Call, syntax.New) {
			if callee(c) == callee(b) {
				return ""
			}
		}
	}
	x := b.tree.at(b.i + 1)
	for x.i < b.last() && !same(x, a) {
		x.i++
	}
	if x.i == b.last() {
		return ""
	}
	p := x.parent()
	for p.is(syntax.Parens) && p.i != b.i {
		p = p.parent()
	}
	k := b.namedKids()
	switch inside := p.is(syntax.Arguments, syntax.Member) && p.parent().i == b.i; {
	case p.i != b.i && !inside:
	case b.is(syntax.Call) && p.is(syntax.Arguments):
		return "passed through `" + callee(b) + "`"
	case b.is(syntax.New) && p.is(syntax.Arguments):
		return "wrapped in a new `" + callee(b) + "`"
	case b.is(syntax.Call) && a.is(syntax.Call) && !p.is(syntax.Arguments):
		return "followed by a call to `" + calledName(b) + "`"
	case b.is(syntax.Unary) && (operator(b) == "!" || operator(b) == "not"):
		return "negated"
	case b.is(syntax.Await):
		return "awaited"
	case b.is(syntax.Cast) && b.first(syntax.Type).ok():
		return "cast to " + code(b.first(syntax.Type).text())
	case b.is(syntax.Binary) && (operator(b) == "||" || operator(b) == "??" || operator(b) == "or") && len(k) == 2 && same(k[0], a):
		return "given the fallback " + say(k[1])
	}
	return ""
}

// operatorChanged says that a token was replaced by another.
func (w *writer) operatorChanged(a, b item) {
	switch p := b.parent(); {
	case p.is(syntax.Modifier):
		w.say(b, wSignature, "modifier-changed", "", declaredName(declared(b))+" was changed from "+code(a.text())+" to "+code(b.text()))
	case p.is(syntax.Binary, syntax.AugAssign, syntax.Unary, syntax.Field, syntax.Variable):
		w.say(b, wBehaviour, "token-changed", inside(b), code(a.text())+" was replaced by "+code(b.text())+" in "+code(p.text()))
	default:
		w.say(b, wDetail, "token-changed", inside(b), code(a.text())+" was replaced by "+code(b.text()))
	}
}
