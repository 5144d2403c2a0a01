package symbolic

import (
	"slices"
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
	if w.quoting(a, b, where) || w.errorHanded(a, b, at) || w.wrappedResult(a, b, at) {
		return
	}
	if x := receiver(b); b.is(syntax.Call) && a.is(syntax.Collection, syntax.String) && x.kind() == a.kind() && !same(a, x) && !arguments(b).ok() && s.phrase != "" {
		d := newDiffer()
		d.children(a, x, 0)
		w.describe(d.edits)
		w.say(b, wValue, "value-method", where, "`"+calledName(b)+"` is now called on "+s.phrase)
		return
	}
	if x, y := a.text(), b.text(); b.kind() == "heredoc_beginning" && strings.TrimLeft(x, "<-~") == strings.TrimLeft(y, "<-~") {
		if strips := strings.HasPrefix(y, "<<~"); strips != strings.HasPrefix(x, "<<~") {
			w.say(b, wValue, "heredoc-indentation", where, "the indentation of the heredoc "+code(strings.TrimLeft(y, "<-~"))+map[bool]string{true: " is now", false: " is no longer"}[strips]+" taken off, since it begins with "+code(y))
			return
		}
	}
	from, to := say(a), say(b)
	if from == to && a.kind() == b.kind() && !a.leaf() && !atom(a) {
		// The words for both are the same: the difference lies deeper.
		if x, y := receiver(a), receiver(b); a.is(syntax.Call) && x.ok() && y.ok() && x.hash() != y.hash() && w.done[b] {
			was, is := apart(x.text(), y.text())
			w.say(b, wValue, "receiver-changed", where, callWord(b, callee(b))+" is now made on "+is+" instead of "+was)
			return
		}
		d := newDiffer()
		d.children(a, b, 0)
		if len(d.edits) > 0 && (d.edits[0].old != a || d.edits[0].new != b) {
			w.describe(d.edits)
			return
		}
	}
	for _, p := range [][2]item{{a, b}, {b, a}} {
		inner := p[1].namedKids()
		plain, blocked := p[0], ""
		if k := plain.namedKids(); plain.is(syntax.Member) && len(k) > 1 && k[0].is(syntax.Call) {
			plain, blocked = k[0], " instead of asking for its "+code(lastName(plain.text()))
		}
		if !p[1].is(syntax.Await) || !plain.is(syntax.Call) || len(inner) != 1 || same(inner[0], plain) && blocked == "" || callee(inner[0]) != callee(plain) {
			continue
		}
		if p[1] == b {
			w.say(b, wBehaviour, "call-awaited", where, noun(inner[0], "the")+" is now awaited"+blocked)
			if !same(plain, inner[0]) {
				w.valueChanged(plain, inner[0], at)
			}
		} else {
			w.say(b, wBehaviour, "call-unawaited", where, noun(b, "the")+" is no longer awaited")
			if !same(plain, inner[0]) {
				w.valueChanged(inner[0], plain, at)
			}
		}
		return
	}
	if b.is(syntax.Call) && a.is(syntax.Identifier, syntax.Member) && len(chain(b)) == 1 && callee(b) == oneLine(a.text()) {
		w.say(b, wValue, "value-called", where, from+" is now called: its result is used instead of "+from+" itself")
		w.slotFollows(b, s, from, to, at)
		return
	}
	if w.jumps(b, at) {
		if k := strip(b).namedKids(); !same(k[0], a) {
			w.valueChanged(a, strip(k[0]), at)
		}
		return
	}
	if x := wrapper(a, b); x != "" {
		rule := "value-wrapped"
		if s.kind == argumentSlot {
			rule = "argument-wrapped"
		}
		w.say(b, wValue, rule, where, from+" is now "+x)
		if b.is(syntax.New) && s.kind == argumentSlot {
			w.say(b, wDetail, "argument-type", "", s.phrase+" is now given "+an(code(callee(b)))+" and not "+from+" itself")
		}
		w.slotFollows(b, s, from, to, at)
		return
	}
	if x := wrapper(b, a); x != "" {
		w.say(b, wValue, "value-unwrapped", where, to+" is no longer "+x)
		w.slotFollows(b, s, from, to, at)
		return
	}
	if args := arguments(s.holder).namedKids(); a.is(syntax.String) && b.is(syntax.String) && s.kind == argumentSlot && len(args) > 0 && args[0] == b {
		if name, ok := testCall(s.holder); ok {
			what := "the test "
			if suite(s.holder) {
				what = "the group of tests "
			}
			w.say(b, wDeclare, "test-renamed", "", what+quote(unquoted(a.text()), maxCode)+" was renamed to "+quote(name, maxCode))
			return
		}
	}
	if a.is(syntax.String) && b.is(syntax.String) && a.leafText() && b.leafText() {
		what := "the text"
		if s.phrase != "" {
			what = "the text in " + strings.TrimPrefix(s.phrase, "the text of ")
		}
		w.retell(b, "text-changed", wValue, where, what, unquoted(a.text()), unquoted(b.text()))
		w.slotFollows(b, s, from, to, at)
		return
	}
	if a.is(syntax.Call, syntax.New) && b.is(syntax.Call, syntax.New) && w.callChanged(a, b, s, at) {
		w.slotFollows(b, s, from, to, at)
		return
	}
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
	if s.phrase != "" && s.kind != assertSlot && !s.filledBy(b) {
		w.say(b, wValue, "part-changed", where, from+" was replaced by "+to+" in "+s.phrase)
		return
	}
	switch s.kind {
	case argumentSlot:
		w.say(b, wValue, "argument-changed", where, s.phrase+" now passes "+to+" instead of "+from)
	case returnSlot:
		w.say(b, wBehaviour, "return-changed", "", at.subject()+" now returns "+to+" instead of "+from)
	case assertSlot:
		what := "the assertion"
		if s.holder.is(syntax.Call) {
			what += " " + code(calledName(s.holder))
		}
		w.say(b, wBehaviour, "assertion-changed", where, what+" now uses "+to+" instead of "+from)
	case defaultSlot, valueSlot, conditionSlot, throwSlot, otherSlot, elementSlot:
		rule := "value-changed"
		if s.kind == defaultSlot {
			where, rule = "", "default-changed"
		}
		w.say(b, wValue, rule, where, s.phrase+" was changed from "+from+" to "+to)
	default:
		if framed(b.parent(), b.parent()) && b.frag.List {
			w.say(b, wValue, "entry-changed", where, "the entry "+from+" was replaced by "+to)
			return
		}
		if framedCall(b.parent()) {
			w.say(b, wValue, "argument-changed", where, "a call now passes "+to+" instead of "+from)
			return
		}
		w.say(b, wValue, "replaced", where, from+" was replaced by "+to)
	}
	w.slotFollows(b, s, from, to, at)
}

// slotFollows adds what a changed value means for others.
func (w *writer) slotFollows(b item, s slotted, from, to string, at place) {
	switch s.kind {
	case defaultSlot:
		p, owner := parameterName(s.holder), ""
		_, owner = ownerOf(s.holder)
		w.follows(b, "default-callers", "callers of "+owner+" that omit "+code(p)+" now get "+to)
	case assertSlot:
		if at.test && s.expects(b) {
			w.follows(b, "test-expectation", at.String()+" now expects "+to)
		}
	case returnSlot:
		if strip(b).is(syntax.Switch) || len(strip(b).find(1, nil, syntax.Comprehension)) > 0 {
			w.details(b, "the return value")
		}
	case valueSlot, argumentSlot:
		if strip(b).size() > maxCode/2 && s.kind == valueSlot {
			w.details(b, strings.TrimPrefix(s.phrase, "the value of "))
		}
	}
}

// hardCoded says that a new literal stands in the middle of code and not in a
// constant: what reviewers call a magic number.
func (w *writer) hardCoded(e edit) {
	n := e.new
	if !n.ok() || n.traits().CallWord != "" || n.under(syntax.Import).ok() || n.is(syntax.Import, syntax.Field) {
		return
	}
	if e.link {
		n = arguments(n)
	}
	var out []string
	for _, x := range n.leaves(32, syntax.Number) {
		if slices.ContainsFunc(e.old.leaves(100, syntax.Number), func(o item) bool { return o.text() == x.text() }) {
			continue
		}
		switch t := x.text(); t {
		case "0", "1", "2", "-1", "10", "100", "0.0", "1.0", "0.5":
			continue
		default:
			// A number with a name of its own says what it means.
			for x.parent().is(syntax.Number) {
				x = x.parent()
			}
			if c := x.under(syntax.Call); strings.Contains(strings.ToLower(calledName(c)), "status") {
				continue // everybody knows these numbers
			}
			if x.parent().is(syntax.Declarator, syntax.Variable, syntax.Assign, syntax.Parameter, syntax.Pair, syntax.KeywordArgument) ||
				x.under(syntax.Field, syntax.EnumMember, syntax.Decorator).ok() || placeOf(x).test {
				continue
			}
			if d := x.under(syntax.Declarator, syntax.Variable, syntax.Assign); d.ok() && variableWord(d, placeOf(d)) == "constant" {
				continue
			}
			out = append(out, code(t))
		}
	}
	if out = uniq(out); len(out) == 1 {
		w.follows(n, "magic-number", "the number "+out[0]+" is hard-coded; a named constant would say what it means")
	} else if len(out) > 1 {
		w.follows(n, "magic-number", "the numbers "+list(out)+" are hard-coded; named constants would say what they mean")
	}
}

// wrapper says what b puts around a: "passed through `f`", or "".
func wrapper(a, b item) string {
	if a.size() < 1 || b.size() <= a.size() || b.node().last-b.i > 500 {
		return ""
	}
	if a.is(syntax.Number, syntax.Bool, syntax.Null) || a.is(syntax.String) && a.size() <= 3 {
		return "" // by chance the same
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
	h := a.hash()
	for i := b.i + 1; i < b.node().last; i++ {
		x := item{b.tree, i}
		if x.kind() != a.kind() || x.hash() != h {
			continue
		}
		p := x.parent()
		for p.is(syntax.Parens) && p.i != b.i {
			p = p.parent()
		}
		if p.i != b.i && !(p.is(syntax.Arguments, syntax.Member) && p.parent().i == b.i) {
			return ""
		}
		switch {
		case b.is(syntax.Call) && p.is(syntax.Arguments):
			if strings.Contains(callee(b), "_cast<") {
				return "cast with `" + callee(b) + "`"
			}
			return "passed through `" + callee(b) + "`"
		case b.is(syntax.New) && p.is(syntax.Arguments):
			return "wrapped in a new `" + callee(b) + "`"
		case b.is(syntax.Call) && (p.is(syntax.Member) || p.i == b.i) && a.is(syntax.Call):
			return "followed by a call to `" + calledName(b) + "`"
		case b.is(syntax.Unary) && (operator(b) == "!" || operator(b) == "not"):
			return "negated"
		case b.is(syntax.Await):
			return "awaited"
		case b.is(syntax.Cast):
			if t := b.first(syntax.Type); t.ok() {
				return "cast to " + code(t.text())
			}
			return "cast: " + code(b.text())
		case b.is(syntax.Binary) && (operator(b) == "||" || operator(b) == "??" || operator(b) == "or"):
			if k := b.namedKids(); len(k) == 2 && k[0].hash() == h {
				return "given the fallback " + say(k[1])
			}
		}
		return ""
	}
	return ""
}

// operatorChanged says that a token was replaced by another.
func (w *writer) operatorChanged(a, b item, e edit) {
	where := inside(b)
	p := b.parent()
	switch {
	case p.is(syntax.Binary, syntax.AugAssign, syntax.Unary):
		w.say(b, wBehaviour, "operator-changed", where, "the operator "+code(a.text())+" was changed to "+code(b.text())+" in "+code(p.text()))
	case p.kind() == "accessor_declaration":
		w.say(b, wSignature, "accessor-changed", "", "the property "+code(nameOf(p.under(syntax.Field)))+" now has the accessor "+code(b.text())+" instead of "+code(a.text()))
	case p.is(syntax.Field):
		w.say(b, wSignature, "keyword-changed", "", declaredName(p)+" is now declared with "+code(b.text())+" instead of "+code(a.text()))
	case p.is(syntax.Variable):
		w.say(b, wValue, "keyword-changed", where, "the variable "+code(nameOf(p))+" is now declared with "+code(b.text())+" instead of "+code(a.text()))
	case p.is(syntax.Modifier):
		w.say(b, wSignature, "modifier-changed", "", declaredName(declared(b))+" was changed from "+code(a.text())+" to "+code(b.text()))
		w.visibility(b, a.text(), b.text())
	default:
		w.say(b, wDetail, "token-changed", where, code(a.text())+" was replaced by "+code(b.text()))
	}
}

// hook tells whether a slot is the list of dependencies of a React hook: the last
// argument of a function whose name begins with "use".
func hook(s slotted) bool {
	if s.kind != argumentSlot || !s.part.is(syntax.Collection) {
		return false
	}
	name := calledName(s.holder)
	args := arguments(s.holder).namedKids()
	return len(name) > 3 && strings.HasPrefix(name, "use") && name[3] >= 'A' && name[3] <= 'Z' && len(args) > 1 && args[len(args)-1] == s.part
}
