package symbolic

import (
	"strings"

	"crscore/pseudoref/symbolic/treediff"

	"crscore/pseudoref/symbolic/tree"

	"crscore/internal/syntax"
)

func assigned(n tree.Node) tree.Node {
	if n.Is(syntax.Assign, syntax.AugAssign) {
		_, r := tree.Sides(n)
		return r
	}
	return tree.ValueOf(n)
}

// framedCall tells whether n is the list of arguments of a call that begins
// before the hunk. What stands alone in brackets may be a condition.
func framedCall(n tree.Node) bool {
	return n.Ok() && n.Role() == syntax.Other && n.Frag.Table.Role(n.Kind()) == syntax.Arguments && len(n.NamedKids()) > 1
}

// covered tells whether n is in an argument that the claim about its call names.
func (w *writer) covered(n tree.Node) bool {
	for p, i := n, 0; p.Ok() && i < maxSay; i, p = i+1, p.Parent() {
		if p.Parent().Is(syntax.Arguments) {
			return w.done[p] && p != n
		}
	}
	return false
}

// valueChanged says how an expression became another one in its place.
func (w *writer) valueChanged(a, b tree.Node, at place) {
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
	case from == to && a.Is(syntax.Call) && b.Is(syntax.Call) && tree.Receiver(a).Ok() && tree.Receiver(b).Ok() && !treediff.Same(tree.Receiver(a), tree.Receiver(b)) && w.done[b]:
		was, is := apart(tree.Receiver(a).Text(), tree.Receiver(b).Text())
		w.beside(w.say(b, wValue, "receiver-changed", where, callWord(b, tree.Callee(b))+" is now made on "+is), "before", callWord(b, tree.Callee(b))+" was previously made on "+was)
		return
	case from == to && a.Kind() == b.Kind() && !a.Leaf() && !treediff.Atom(a) && w.deeper(a, b):
		return // the words for both are the same
	case w.wrapped(a, b, s, where):
	case w.testRenamed(a, b, s):
		return
	case a.Is(syntax.String) && b.Is(syntax.String) && a.LeafText() && b.LeafText() || a.Kind() == "heredoc_body" && b.Kind() == "heredoc_body":
		what := "the text"
		if s.phrase != "" {
			what = "the text in " + strings.TrimPrefix(s.phrase, "the text of ")
		}
		w.retell(b, "text-changed", wValue, where, what, tree.Unquoted(a.Text()), tree.Unquoted(b.Text()))
	case a.Is(syntax.Call, syntax.New) && b.Is(syntax.Call, syntax.New) && w.callChanged(a, b, at):
	default:
		w.slotChanged(a, b, s, at)
		return
	}
	w.slotFollows(b, s)
}

// testRenamed says that a test has another description. It answers false for
// other texts.
func (w *writer) testRenamed(a, b tree.Node, s slotted) bool {
	name, ok := tree.TestCall(s.holder)
	if ok = ok && a.Is(syntax.String) && b.Is(syntax.String) && s.kind == argumentSlot && tree.Arguments(s.holder).NamedKids()[0] == b; ok {
		w.say(b, wDeclare, "test-renamed", "", "the test "+quote(tree.Unquoted(a.Text()), maxCode)+" was renamed to "+quote(name, maxCode))
	}
	return ok
}

// deeper describes what differs below two nodes. It answers false where that is
// nothing but they themselves.
func (w *writer) deeper(a, b tree.Node) bool {
	edits := treediff.Children(a, b)
	if len(edits) == 0 || edits[0].Old == a && edits[0].New == b {
		return false
	}
	w.describe(edits)
	return true
}

// slotChanged says that a part of something became another.
func (w *writer) slotChanged(a, b tree.Node, s slotted, at place) {
	from, to, where := say(a), say(b), at.String()
	if from == to { // the difference lies beyond what is quoted
		if s.phrase != "" {
			w.say(b, wValue, "part-changed", where, "a part of "+s.phrase+" was changed")
		}
		return
	}
	if sa := slotOf(a); s.phrase != "" && s.kind != conditionSlot && s.kind != assertSlot && !s.filledBy(b) && sa.kind == s.kind && s.part.Size() <= maxCode && sa.part.Size() <= maxCode && !s.holder.Is(syntax.With) && s.kind != elementSlot {
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
		if s.holder.Is(syntax.Call) {
			what += " " + code(tree.CalledName(s.holder))
		}
		w.swapped(b, wBehaviour, "assertion-changed", where, what, "uses", to, from)
	case s.kind == defaultSlot:
		w.say(b, wValue, "default-changed", "", s.phrase+" was changed from "+from+" to "+to)
	case s.kind != noSlot:
		w.say(b, wValue, "value-changed", where, s.phrase+" was changed from "+from+" to "+to)
	case treediff.Framed(b.Parent(), b.Parent()) && b.Frag.List:
		w.say(b, wValue, "entry-changed", where, "the entry "+from+" was replaced by "+to)
	case framedCall(b.Parent()):
		w.swapped(b, wValue, "argument-changed", where, "a call", "passes", to, from)
	default:
		w.say(b, wValue, "replaced", where, from+" was replaced by "+to)
	}
	w.slotFollows(b, s)
}

// slotFollows says more about a changed value.
func (w *writer) slotFollows(b tree.Node, s slotted) {
	v := tree.Strip(b)
	switch {
	case s.kind == returnSlot && (v.Is(syntax.Switch) || len(v.Find(1, nil, syntax.Comprehension)) > 0):
		w.details(b, "the return value")
	case s.kind == valueSlot && v.Size() > maxCode/2:
		w.details(b, strings.TrimPrefix(s.phrase, "the value of "))
	}
}

// wrapped says that a value is handed to something now, or no longer.
func (w *writer) wrapped(a, b tree.Node, s slotted, where string) bool {
	x, y := wrapper(a, b), wrapper(b, a)
	switch {
	case b.Is(syntax.Call) && a.Is(syntax.Identifier, syntax.Member) && len(tree.Chain(b)) == 1 && tree.Callee(b) == tree.OneLine(a.Text()):
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
func wrapper(a, b tree.Node) string {
	if a.Size() < 1 || b.Size() <= a.Size() || b.Last()-b.I > 500 || a.Is(syntax.Number, syntax.Bool, syntax.Null) || a.Is(syntax.String) && a.Size() <= 3 {
		return "" // what is that short is by chance the same
	}
	if b.Is(syntax.Call, syntax.New) {
		// What was called there before is no wrapper.
		s := a.Up(func(x tree.Node) bool { return statementLike(x) || tree.Statement(x) })
		for _, c := range s.Find(100, nil, syntax.Call, syntax.New) {
			if tree.Callee(c) == tree.Callee(b) {
				return ""
			}
		}
	}
	x := b.Tree.At(b.I + 1)
	for x.I < b.Last() && !treediff.Same(x, a) {
		x.I++
	}
	if x.I == b.Last() {
		return ""
	}
	p := x.Parent()
	for p.Is(syntax.Parens) && p.I != b.I {
		p = p.Parent()
	}
	k := b.NamedKids()
	switch inside := p.Is(syntax.Arguments, syntax.Member) && p.Parent().I == b.I; {
	case p.I != b.I && !inside:
	case b.Is(syntax.Call) && p.Is(syntax.Arguments):
		return "passed through `" + tree.Callee(b) + "`"
	case b.Is(syntax.New) && p.Is(syntax.Arguments):
		return "wrapped in a new `" + tree.Callee(b) + "`"
	case b.Is(syntax.Call) && a.Is(syntax.Call) && !p.Is(syntax.Arguments):
		return "followed by a call to `" + tree.CalledName(b) + "`"
	case b.Is(syntax.Unary) && (tree.Operator(b) == "!" || tree.Operator(b) == "not"):
		return "negated"
	case b.Is(syntax.Await):
		return "awaited"
	case b.Is(syntax.Cast) && b.First(syntax.Type).Ok():
		return "cast to " + code(b.First(syntax.Type).Text())
	case b.Is(syntax.Binary) && (tree.Operator(b) == "||" || tree.Operator(b) == "??" || tree.Operator(b) == "or") && len(k) == 2 && treediff.Same(k[0], a):
		return "given the fallback " + say(k[1])
	}
	return ""
}

// operatorChanged says that a token was replaced by another.
func (w *writer) operatorChanged(a, b tree.Node) {
	switch p := b.Parent(); {
	case p.Is(syntax.Modifier):
		w.say(b, wSignature, "modifier-changed", "", declaredName(declared(b))+" was changed from "+code(a.Text())+" to "+code(b.Text()))
	case p.Is(syntax.Binary, syntax.AugAssign, syntax.Unary, syntax.Field, syntax.Variable):
		w.say(b, wBehaviour, "token-changed", inside(b), code(a.Text())+" was replaced by "+code(b.Text())+" in "+code(p.Text()))
	default:
		w.say(b, wDetail, "token-changed", inside(b), code(a.Text())+" was replaced by "+code(b.Text()))
	}
}
