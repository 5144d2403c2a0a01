package symbolic

import (
	"cmp"
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/treediff"

	"crscore/pseudoref/symbolic/tree"

	"crscore/internal/syntax"
)

// condition says how the condition around an edit changed, once for all edits
// in it. It answers false when the edit is in no condition.
func (w *writer) condition(e treediff.Edit) bool {
	// What was added to or removed from a condition has a side only.
	old, new := e.Old, e.New
	if !old.Ok() {
		old = e.OldIn
	}
	if !new.Ok() {
		new = e.NewIn
	}
	sb, sa := slotOf(new), slotOf(old)
	if sb.kind != conditionSlot || sa.kind != conditionSlot || conditional(sa.holder) != conditional(sb.holder) {
		return false
	}
	return w.conditionPair(sa, sb)
}

// asked is a condition of which something changed, in the words of its claims.
type asked struct {
	node, check tree.Node // the condition, and what has it
	what        string    // the condition
	then, where string    // what depends on it, and where that stands
	runs        string    // the verb for then
	unless      bool      // then runs when the condition fails
	other       bool      // then did something else before
}

// askedOf returns the words for a condition.
func askedOf(before, s slotted) asked {
	b := tree.Strip(s.part)
	a := asked{node: b, check: s.holder, what: s.phrase, where: inside(b), runs: " runs", then: "the code under the condition", unless: strings.HasPrefix(s.holder.Kind(), "unless")}
	switch {
	case s.holder.Is(syntax.Loop):
		a.then = "the loop"
	case s.holder.Is(syntax.Conditional):
		a.then, a.runs = "the first value", " is used"
		if c := tree.Parts(s.holder); c != nil {
			a.then = say(c[1])
		}
	case s.holder.Is(syntax.If, syntax.ElseIf):
		if eff := effects(tree.Body(s.holder)); len(eff) > 0 {
			a.then, a.other = "the branch that "+eff[0], doesOther(tree.Body(before.holder), eff[0])
			if len(eff) > 1 && countWords(eff[0])+countWords(eff[1]) < maxWords/3 {
				a.then += " and " + eff[1] // and still says when
			}
		}
	}
	return a
}

func (w *writer) conditionPair(sa, sb slotted) bool {
	if w.done[sb.part] {
		return true
	}
	w.done[sb.part] = true
	a, b, q := tree.Strip(sa.part), tree.Strip(sb.part), askedOf(sa, sb)
	opA, xs := operands(a)
	opB, ys := operands(b)
	op := cmp.Or(opB, opA)
	// What was the whole condition is a part of it now, or the other way round.
	switch {
	case opA != opB && opB != "" && slices.ContainsFunc(ys, func(y tree.Node) bool { return treediff.Same(y, a) }):
		opA, xs, op = "", []tree.Node{a}, opB
	case opA != opB && opA != "" && slices.ContainsFunc(xs, func(x tree.Node) bool { return treediff.Same(x, b) }):
		opB, ys, op = "", []tree.Node{b}, opA
	}
	var gone, come []tree.Node
	if opA == opB || opA == "" || opB == "" {
		gone, come = only(xs, ys), only(ys, xs)
	}
	if pairs, g, c := altered(gone, come); len(pairs) > 0 && len(pairs)+len(g)+len(c) > 1 {
		for _, p := range pairs {
			w.operand(p[0], p[1], q)
		}
		if gone, come = g, c; len(gone)+len(come) == 0 {
			return true
		}
	}
	switch {
	case op != "" && len(come) > 0 && len(come) < len(ys) && len(gone) == 0:
		w.conditionPartCame(q, op, come)
	case op != "" && len(gone) > 0 && len(gone) < len(xs) && len(come) == 0:
		w.conditionPartWent(q, op, gone)
	case len(gone) == 1 && len(come) == 1:
		if w.operand(gone[0], come[0], q) {
			w.runsNow(q)
		}
	default:
		w.asksOtherwise(a, b, q)
		w.runsNow(q)
	}
	return true
}

// runsNow says when the code under a condition runs. Code that does something else than
// before is told by claims about its statements.
func (w *writer) runsNow(q asked) {
	if !q.other {
		w.follows(q.node, "condition-effect", q.then+" now"+q.runs+" when "+clause(q.node, !q.unless, 0))
	}
}

// doesOther tells whether no statement of a block did what an effect says, whatever it did
// that to.
func doesOther(before []tree.Node, effect string) bool {
	did := effects(before)
	return len(did) > 0 && !slices.ContainsFunc(did, func(e string) bool { return firstWord(e) == firstWord(effect) })
}

// conditionPartCame says that a condition asks for more than before.
func (w *writer) conditionPartCame(q asked, op string, come []tree.Node) {
	also := clausesOf(come, true)
	if op != "and" {
		w.say(q.node, wBehaviour, "condition-widened", q.where, q.what+" now also holds when "+listOf(also, 3, "or"))
		w.follows(q.node, "condition-widened-effect", q.then+either(!q.unless, " now also", " no longer")+q.runs+" when "+listOf(also, 3, "or"))
		return
	}
	w.say(q.node, wBehaviour, "condition-narrowed", q.where, q.what+" now also requires that "+list(also))
	w.follows(q.node, "condition-narrowed-effect", q.then+either(q.unless, " now also", " no longer")+q.runs+" when "+listOf(clausesOf(come, false), 3, "or"))
}

// conditionPartWent says that a condition asks for less than before.
func (w *writer) conditionPartWent(q asked, op string, gone []tree.Node) {
	b, clauses := q.node, clausesOf(gone, true)
	if op != "and" {
		w.say(b, wBehaviour, "condition-narrowed", q.where, q.what+" no longer holds when only "+listOf(clauses, 3, "or"))
		if !q.unless {
			w.follows(b, "condition-narrowed-effect", q.then+" no longer"+q.runs+" just because "+listOf(clauses, 3, "or"))
		}
		return
	}
	if asksLater(q.check, gone) {
		w.say(b, wBehaviour, "condition-split", q.where, q.what+" was split: whether "+list(clauses)+" is asked by an `if` inside it")
		return
	}
	w.say(b, wBehaviour, "condition-widened", q.where, q.what+" no longer requires that "+list(clauses))
	w.follows(b, "condition-widened-effect", q.then+" no longer depends on whether "+list(clauses))
	for _, c := range gone {
		x, isNull := nullCheck(c)
		if !x.Ok() || isNull {
			continue
		}
		what := say(x) + " is no longer checked for null there"
		if slices.ContainsFunc(append(b.Find(20, nil, syntax.Member), b), func(m tree.Node) bool {
			k := m.NamedKids()
			return m.Is(syntax.Member) && len(k) > 0 && treediff.Same(k[0], x)
		}) {
			what += " although it is used, so a missing value could now fail"
		}
		w.follows(b, "null-check-removed", what)
	}
}

// asksLater tells whether an if in the body of a check asks for all clauses.
func asksLater(check tree.Node, clauses []tree.Node) bool {
	return slices.ContainsFunc(tree.Body(check), func(s tree.Node) bool {
		_, asked := operands(tree.Condition(tree.Unnested(s)))
		return tree.Unnested(s).Is(syntax.If) && len(only(clauses, asked)) == 0
	})
}

// asksOtherwise says that a condition was replaced as a whole.
func (w *writer) asksOtherwise(a, b tree.Node, q asked) {
	if a.Size() > maxCode || b.Size() > maxCode { // code would lose its end
		w.say(b, wBehaviour, "condition-changed", q.where, q.what+" now asks whether "+holds(b))
		w.say(b, wAside, "condition-before", q.where, q.what+" previously asked whether "+holds(a))
		return
	}
	w.say(b, wBehaviour, "condition-changed", q.where, q.what+" was changed from "+code(a.Text())+" to "+code(b.Text()))
}

// altered pairs the comparisons of which only the operator or the right side
// was changed; it returns the pairs and the others.
func altered(gone, come []tree.Node) (pairs [][2]tree.Node, restGone, restCome []tree.Node) {
	restCome = slices.Clone(come)
	for _, g := range gone {
		x := g.NamedKids()
		i := slices.IndexFunc(restCome, func(c tree.Node) bool {
			y := c.NamedKids()
			return g.Is(syntax.Binary) && c.Is(syntax.Binary) && len(x) == 2 && len(y) == 2 && tree.Compares(tree.Operator(g)) && tree.Compares(tree.Operator(c)) && treediff.Same(x[0], y[0])
		})
		if i < 0 {
			restGone = append(restGone, g)
			continue
		}
		pairs = append(pairs, [2]tree.Node{g, restCome[i]})
		restCome = slices.Delete(restCome, i, i+1)
	}
	return pairs, restGone, restCome
}

// operand says how one part of a condition became another. It answers whether the
// words for them differ.
func (w *writer) operand(a, b tree.Node, q asked) bool {
	part := ""
	var gone, come tree.Node
	switch edits := diffOf(a, b); {
	case len(edits) == 1:
		gone, come = tree.Strip(edits[0].Old), tree.Strip(edits[0].New)
	case len(edits) == 2 && edits[0].Old.Ok() && !edits[0].New.Ok() && edits[1].New.Ok() && !edits[1].Old.Ok():
		gone, come = tree.Strip(edits[0].Old), tree.Strip(edits[1].New)
	}
	if gone.Ok() && come.Ok() && gone.Hash() != a.Hash() && come.Hash() != b.Hash() && gone.Size() <= maxCode && come.Size() <= maxCode {
		part = say(gone) + " was replaced by " + say(come) + " in the condition"
	}
	x, y := holds(a), holds(b)
	if x != y {
		w.say(b, wBehaviour, "condition-changed", q.where, q.what+" now asks whether "+y+" instead of whether "+x)
	}
	if part != "" && (x == y || a.Size() > maxCode || b.Size() > maxCode) { // the words for the whole may leave that out
		w.say(b, wValue, "condition-part", "", part)
	}
	return x != y
}

// operands splits a condition at its outermost "and" or "or".
func operands(n tree.Node) (op string, parts []tree.Node) {
	n = tree.Strip(n)
	if n.Is(syntax.Binary) {
		op = logical(tree.Operator(n))
	}
	if op == "" {
		return "", []tree.Node{n}
	}
	var walk func(tree.Node, int)
	walk = func(x tree.Node, depth int) {
		if x.Is(syntax.Binary) && logical(tree.Operator(x)) == op && depth < treediff.MaxDepth {
			for _, k := range x.NamedKids() {
				walk(k, depth+1)
			}
			return
		}
		parts = append(parts, tree.Strip(x))
	}
	walk(n, 0)
	return op, parts
}

// only lists the items of xs that ys does not hold.
func only(xs, ys []tree.Node) []tree.Node {
	held := map[treediff.Subtree]bool{}
	for _, y := range ys {
		held[treediff.SubtreeOf(y)] = true
	}
	var out []tree.Node
	for _, x := range xs {
		if !held[treediff.SubtreeOf(x)] {
			out = append(out, x)
		}
	}
	return out
}

func clausesOf(ns []tree.Node, want bool) []string {
	var out []string
	for _, n := range ns {
		out = append(out, clause(n, want, 0))
	}
	return out
}
