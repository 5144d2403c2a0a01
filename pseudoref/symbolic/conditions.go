package symbolic

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
)

// condition says how the condition around an edit changed, once for all edits
// in it. It answers false when the edit is in no condition.
func (w *writer) condition(e edit) bool {
	// What was added to or removed from a condition has a side only.
	old, new := e.old, e.new
	if !old.ok() {
		old = e.oldIn
	}
	if !new.ok() {
		new = e.newIn
	}
	sb, sa := slotOf(new), slotOf(old)
	if sb.kind != conditionSlot || sa.kind != conditionSlot || conditional(sa.holder) != conditional(sb.holder) {
		return false
	}
	return w.conditionPair(sa, sb)
}

func (w *writer) conditionPair(sa, sb slotted) bool {
	if w.done[sb.part] {
		return true
	}
	w.done[sb.part] = true
	a, b := strip(sa.part), strip(sb.part)
	at := placeOf(b)
	where := at.String()
	what := sb.phrase
	var eff []string
	if sb.holder.is(syntax.If, syntax.ElseIf) {
		eff = effects(body(sb.holder))
	}
	then := "the code under the condition"
	if len(eff) > 0 {
		then = "the branch that " + eff[0]
		if len(eff) > 1 && countWords(eff[0])+countWords(eff[1]) < maxWords/3 {
			then += " and " + eff[1] // and still says when
		}
	}
	if sb.holder.is(syntax.Loop) {
		then = "the loop"
	}
	if sb.holder.is(syntax.Conditional) {
		then = "the first value"
		if c := parts(sb.holder); c != nil {
			then = say(c[1])
		}
	}
	runs := " runs"
	if sb.holder.is(syntax.Conditional) {
		runs = " is used"
	}

	opA, xs := operands(a)
	unless := strings.HasPrefix(sb.holder.kind(), "unless") // the branch runs when the condition fails
	opB, ys := operands(b)
	op := opB
	if op == "" {
		op = opA
	}
	// What was the whole condition is a part of it now, or the other way round.
	switch {
	case opA != opB && opB != "" && slices.ContainsFunc(ys, func(y item) bool { return same(y, a) }):
		opA, xs, op = "", []item{a}, opB
	case opA != opB && opA != "" && slices.ContainsFunc(xs, func(x item) bool { return same(x, b) }):
		opB, ys, op = "", []item{b}, opA
	}
	var gone, come []item
	if opA == opB || opA == "" || opB == "" {
		gone, come = only(xs, ys), only(ys, xs)
	}
	w.emptiness(gone, come, b)
	w.defaultTested(gone, come, b)
	if pairs, g, c := altered(gone, come); len(pairs) > 0 && len(pairs)+len(g)+len(c) > 1 {
		for _, p := range pairs {
			w.operand(p[0], p[1], what, where)
		}
		if gone, come = g, c; len(gone)+len(come) == 0 {
			return true
		}
	}
	switch {
	case op != "" && len(come) > 0 && len(come) < len(ys) && len(gone) == 0:
		clauses := clausesOf(come, true)
		if op == "and" {
			w.say(b, wBehaviour, "condition-narrowed", where, what+" now also requires that "+list(clauses))
			if !unless {
				w.elseInstead(sb.holder, listOf(clausesOf(come, false), 2, "or"))
			}
			change := " no longer"
			if unless {
				change = " now also"
			}
			w.follows(b, "condition-narrowed-effect", then+change+runs+" when "+listOf(clausesOf(come, false), 3, "or"))
			for _, c := range come {
				if x, isNull := nullCheck(c); x.ok() && !isNull {
					w.follows(b, "null-check-added", say(x)+" is now checked for null before it is used")
				}
			}
		} else {
			w.say(b, wBehaviour, "condition-widened", where, what+" now also holds when "+listOf(clauses, 3, "or"))
			change := " now also"
			if unless {
				change = " no longer"
			}
			w.follows(b, "condition-widened-effect", then+change+runs+" when "+listOf(clauses, 3, "or"))
		}
	case op != "" && len(gone) > 0 && len(gone) < len(xs) && len(come) == 0:
		clauses := clausesOf(gone, true)
		if op == "and" && asksLater(sb.holder, gone) {
			w.say(b, wBehaviour, "condition-split", where, what+" was split: whether "+list(clauses)+" is asked by an `if` inside it")
			break
		}
		if op == "and" {
			w.say(b, wBehaviour, "condition-widened", where, what+" no longer requires that "+list(clauses))
			w.follows(b, "condition-widened-effect", then+" no longer depends on whether "+list(clauses))
			for _, c := range gone {
				if x, isNull := nullCheck(c); x.ok() && !isNull {
					what := say(x) + " is no longer checked for null there"
					if usedBelow(x, b) {
						what += " although it is used, so a missing value could now fail"
					}
					w.follows(b, "null-check-removed", what)
				}
			}
		} else {
			w.say(b, wBehaviour, "condition-narrowed", where, what+" no longer holds when only "+listOf(clauses, 3, "or"))
			if !unless {
				w.follows(b, "condition-narrowed-effect", then+" no longer"+runs+" just because "+listOf(clauses, 3, "or"))
			}
		}
	case len(gone) == 1 && len(come) == 1:
		if w.operand(gone[0], come[0], what, where) {
			break
		}
		w.follows(b, "condition-effect", then+" now"+runs+" when "+clause(b, !unless, 0))
	default:
		if a.size() > maxCode || b.size() > maxCode { // code would lose its end
			w.say(b, wBehaviour, "condition-changed", where, what+" now asks whether "+holds(b))
			w.say(b, wAside, "condition-before", where, what+" previously asked whether "+holds(a))
		} else {
			w.say(b, wBehaviour, "condition-changed", where, what+" was changed from "+code(a.text())+" to "+code(b.text()))
		}
		w.follows(b, "condition-effect", then+" now"+runs+" when "+clause(b, !unless, 0))
	}
	return true
}

// defaultTested says what a parameter is by default that a condition asks for now.
func (w *writer) defaultTested(gone, come []item, b item) {
	f := b.under(syntax.Function, syntax.Constructor, syntax.Lambda)
	if !f.role().IsFunction() {
		return
	}
	for _, p := range parameters(f) {
		name, v := map[string]bool{parameterName(p): true}, valueOf(p)
		in := func(n item) bool { return mentionsAny(n, name) }
		if v.ok() && slices.ContainsFunc(come, in) && !slices.ContainsFunc(gone, in) {
			w.follows(b, "default-tested", code(parameterName(p))+" is "+say(v)+" where the caller of "+code(functionName(f))+" passes no other value")
		}
	}
}

// emptiness says that a value is compared with null where it was asked whether it
// is set, or the other way round: an empty text and zero lie between the two.
func (w *writer) emptiness(gone, come []item, b item) {
	if !b.traits().EmptyIsFalse {
		return
	}
	said := func(of, by []item, what string) {
		for _, x := range of {
			x = strip(x)
			if op := operator(x); x.is(syntax.Unary) && (op == "!" || op == "not") && len(x.namedKids()) == 1 {
				x = strip(x.namedKids()[0])
			}
			if !x.is(syntax.Identifier, syntax.Member) {
				continue
			}
			for _, y := range by {
				v, _ := nullCheck(y)
				if k := strip(y).namedKids(); len(k) == 2 && unquoted(k[1].text()) == "undefined" && strings.HasPrefix(k[0].text(), "typeof") && len(k[0].namedKids()) == 1 {
					v = strip(k[0].namedKids()[0]) // typeof x === "undefined"
				}
				if v.ok() && v.hash() == x.hash() {
					w.follows(b, "emptiness", "an empty string or zero in "+code(x.text())+what)
				}
			}
		}
	}
	said(gone, come, " is no longer treated like a missing value")
	said(come, gone, " is now treated like a missing value")
}

// asksLater tells whether an if in the body of a check asks for all clauses.
func asksLater(check item, clauses []item) bool {
	for _, s := range body(check) {
		s = unnested(s)
		if _, asked := operands(condition(s)); s.is(syntax.If) && len(only(clauses, asked)) == 0 {
			return true
		}
	}
	return false
}

// altered pairs the comparisons of which only the operator or the right side
// was changed; it returns the pairs and the others.
func altered(gone, come []item) (pairs [][2]item, restGone, restCome []item) {
	restCome = slices.Clone(come)
	for _, g := range gone {
		x := g.namedKids()
		i := slices.IndexFunc(restCome, func(c item) bool {
			y := c.namedKids()
			return g.is(syntax.Binary) && c.is(syntax.Binary) && len(x) == 2 && len(y) == 2 && comparisons[operator(g)] != "" && comparisons[operator(c)] != "" && same(x[0], y[0])
		})
		if i < 0 {
			restGone = append(restGone, g)
			continue
		}
		pairs = append(pairs, [2]item{g, restCome[i]})
		restCome = slices.Delete(restCome, i, i+1)
	}
	return pairs, restGone, restCome
}

// usedBelow tells whether a condition asks for a member of a value.
func usedBelow(x, cond item) bool {
	ms := cond.find(20, nil, syntax.Member)
	if cond.is(syntax.Member) {
		ms = append(ms, cond)
	}
	for _, m := range ms {
		if k := m.namedKids(); len(k) > 0 && same(k[0], x) {
			return true
		}
	}
	return false
}

// operand says how one part of a condition became another. It answers whether
// that says everything.
func (w *writer) operand(a, b item, what, where string) bool {
	ka, kb := a.namedKids(), b.namedKids()
	switch {
	case negation(a, b):
		w.say(b, wBehaviour, "condition-inverted", where, what+" was inverted: it now asks whether "+holds(b))
	case a.is(syntax.Assign) && b.is(syntax.Binary) && len(ka) == 2 && len(kb) == 2 && same(ka[0], kb[0]):
		w.say(b, wBehaviour, "condition-compares", where, what+" no longer sets "+say(kb[0])+" but compares it with "+say(kb[1]))
		return true
	case a.is(syntax.Binary) && b.is(syntax.Binary) && len(ka) == 2 && len(kb) == 2 && same(ka[0], kb[0]) && same(ka[1], kb[1]):
		w.say(b, wBehaviour, "comparison-changed", where, what+" now compares "+say(kb[0])+" with "+say(kb[1])+" by "+code(operator(b))+" instead of "+code(operator(a)))
		if strings.Trim(operator(a), "=") == strings.Trim(operator(b), "=") && strings.ContainsAny(operator(a), "<>") {
			w.follows(b, "boundary", "the boundary case that "+say(kb[0])+" equals "+say(kb[1])+" is now treated differently")
		}
		return true
	case a.is(syntax.Call) && b.is(syntax.Call) && callee(a) == callee(b) && arguments(a).ok() && arguments(b).ok() && arguments(a).hash() != arguments(b).hash():
		w.say(b, wBehaviour, "condition-changed", where, what+" now calls `"+callee(b)+"` with "+argumentList(b)+" instead of "+argumentList(a))
	case holds(a) == holds(b) && a.is(syntax.Call) && b.is(syntax.Call) && receiver(a).ok() && receiver(b).ok():
		from, to := apart(receiver(a).text(), receiver(b).text())
		w.say(b, wBehaviour, "condition-changed", where, what+" now calls "+code(calledName(b))+" on "+to)
		w.say(b, wAside, "condition-before", where, what+" previously called "+code(calledName(a))+" on "+from)
	default:
		w.say(b, wBehaviour, "condition-changed", where, what+" now asks whether "+holds(b)+" instead of whether "+holds(a))
		w.conditionPart(a, b)
	}
	return false
}

// conditionPart says which part of a long condition became another, since the
// claim about the whole may leave that out.
func (w *writer) conditionPart(a, b item) {
	if a.size() <= maxCode && b.size() <= maxCode {
		return
	}
	var x, y item
	switch edits := diffOf(a, b); {
	case len(edits) == 1:
		x, y = strip(edits[0].old), strip(edits[0].new)
	case len(edits) == 2 && edits[0].old.ok() && !edits[0].new.ok() && edits[1].new.ok() && !edits[1].old.ok():
		x, y = strip(edits[0].old), strip(edits[1].new)
	}
	if !x.ok() || !y.ok() || x.hash() == a.hash() || y.hash() == b.hash() {
		return
	}
	through := func(call, arg item) bool {
		k := arguments(call).namedKids()
		return call.is(syntax.Call) && len(k) == 1 && same(strip(k[0]), arg)
	}
	switch {
	case through(x, y):
		w.say(b, wValue, "condition-unwrapped", "", say(y)+" is no longer passed through "+called(x)+" in the condition")
	case through(y, x):
		w.say(b, wValue, "condition-wrapped", "", say(x)+" is now passed through "+called(y)+" in the condition")
	case x.size() <= maxCode && y.size() <= maxCode:
		w.say(b, wValue, "condition-part", "", say(x)+" was replaced by "+say(y)+" in the condition")
	}
}

// negation tells whether one condition is the other with "not" before it.
func negation(a, b item) bool {
	x, y := a, b
	if y.is(syntax.Unary) {
		x, y = y, x
	}
	if !x.is(syntax.Unary) {
		return false
	}
	op := operator(x)
	k := x.namedKids()
	return (op == "!" || op == "not") && len(k) == 1 && same(strip(k[0]), strip(y))
}

// operands splits a condition at its outermost "and" or "or".
func operands(n item) (op string, parts []item) {
	n = strip(n)
	if n.is(syntax.Binary) {
		op = logical(operator(n))
	}
	if op == "" {
		return "", []item{n}
	}
	var walk func(item, int)
	walk = func(x item, depth int) {
		if x.is(syntax.Binary) && logical(operator(x)) == op && depth < maxDepth {
			for _, k := range x.namedKids() {
				walk(k, depth+1)
			}
			return
		}
		parts = append(parts, strip(x))
	}
	walk(n, 0)
	return op, parts
}

// only lists the items of xs that ys does not hold.
func only(xs, ys []item) []item {
	var out []item
	for _, x := range xs {
		if !slices.ContainsFunc(ys, func(y item) bool { return same(x, y) }) {
			out = append(out, x)
		}
	}
	return out
}

func clausesOf(ns []item, want bool) []string {
	var out []string
	for _, n := range ns {
		out = append(out, clause(n, want, 0))
	}
	return out
}

// elseInstead says what happens where a narrowed condition no longer holds.
func (w *writer) elseInstead(check item, when string) {
	o := otherwise(check)
	if !o.ok() || !branch(check) {
		return
	}
	if branch(o) && condition(o).ok() {
		w.follows(check, "else-instead", "when "+when+", it is now asked whether "+runsWhen(o, true))
		return
	}
	if e := effects(branchBody(o)); len(e) > 0 {
		w.follows(check, "else-instead", "when "+when+", the code now "+list(e[:min(len(e), 2)]))
	}
}
