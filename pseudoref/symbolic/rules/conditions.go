package rules

import (
	"cmp"
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/phrase"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
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
	sb, sa := phrase.SlotOf(new), phrase.SlotOf(old)
	if sb.Kind != phrase.ConditionSlot || sa.Kind != phrase.ConditionSlot || phrase.Conditional(sa.Holder) != phrase.Conditional(sb.Holder) {
		return false
	}
	return w.conditionPair(sa, sb)
}

// asked is a condition of which something changed, in the words of its claims.
type asked struct {
	node, check tree.Node // the condition, and what has it
	what, where string    // the condition, and where it stands
	then        string    // what runs under it; "" where that is not told
	unless      bool      // then runs when the condition fails
	other       bool      // then did something else before
}

// askedOf returns the words for a condition.
func askedOf(before, s phrase.Slot) asked {
	b := tree.Strip(s.Part)
	a := asked{node: b, check: s.Holder, what: s.Phrase, where: phrase.Inside(b), unless: strings.HasPrefix(s.Holder.Kind(), "unless")}
	if s.Holder.Is(syntax.If, syntax.ElseIf) {
		a.then = "the code under the condition"
		if eff := phrase.Effects(tree.Body(s.Holder)); len(eff) > 0 {
			a.then, a.other = "the branch that "+eff[0], doesOther(tree.Body(before.Holder), eff[0])
		}
	}
	return a
}

// doesOther tells whether no statement of a block did what an effect says, whatever it did
// that to.
func doesOther(before []tree.Node, effect string) bool {
	did := phrase.Effects(before)
	return len(did) > 0 && !slices.ContainsFunc(did, func(e string) bool { return phrase.FirstWord(e) == phrase.FirstWord(effect) })
}

// effect says what the change of a condition means for the code under it.
func (w *writer) effect(q asked, id, form, when string) {
	if q.then != "" {
		w.add(q.node, id, "", fact.Slots{Form: form, Object: q.then, Detail: when})
	}
}

// conditionPair says how a condition became another one.
func (w *writer) conditionPair(sa, sb phrase.Slot) bool {
	if w.done[sb.Part] {
		return true
	}
	w.done[sb.Part] = true
	a, b, q := tree.Strip(sa.Part), tree.Strip(sb.Part), askedOf(sa, sb)
	op, xs, ys := bothOperands(a, b)
	var gone, come []tree.Node
	if xs != nil {
		gone, come = only(xs, ys), only(ys, xs)
	}
	switch {
	case op != "" && len(come) > 0 && len(come) < len(ys) && len(gone) == 0:
		w.conditionPartCame(q, op, come)
		return true
	case op == "and" && len(gone) > 0 && len(gone) < len(xs) && len(come) == 0:
		w.conditionPartWent(q, gone)
		return true
	case len(gone) == 1 && len(come) == 1:
		if !w.operand(gone[0], come[0], q) {
			return true
		}
	default:
		w.add(b, "condition-changed", q.where, fact.Slots{Object: q.what, New: phrase.Holds(b), Old: phrase.Holds(a)})
	}
	if !q.other { // else claims about the statements tell what is done now
		w.effect(q, "condition-effect", "implied", phrase.Clause(b, !q.unless, 0))
	}
	return true
}

// bothOperands splits two conditions at the operator of either. There are no operands
// where both have one, and not the same.
func bothOperands(a, b tree.Node) (op string, xs, ys []tree.Node) {
	opA, xs := operands(a)
	opB, ys := operands(b)
	// What was the whole condition is a part of it now, or the other way round.
	switch {
	case opA != opB && opB != "" && slices.ContainsFunc(ys, func(y tree.Node) bool { return treediff.Same(y, a) }):
		return opB, []tree.Node{a}, ys
	case opA != opB && opA != "" && slices.ContainsFunc(xs, func(x tree.Node) bool { return treediff.Same(x, b) }):
		return opA, xs, []tree.Node{b}
	case opA != opB && opA != "" && opB != "":
		return opB, nil, nil
	}
	return cmp.Or(opB, opA), xs, ys
}

// conditionPartCame says that a condition asks for more than before.
func (w *writer) conditionPartCame(q asked, op string, come []tree.Node) {
	also, form := clausesOf(come, true), phrase.Either(q.unless, "unless", "")
	if op != "and" {
		w.add(q.node, "condition-widened", q.where, fact.Slots{Object: q.what, Detail: phrase.ListOf(also, 3, "or")})
		w.effect(q, "condition-widened-effect", form, phrase.ListOf(also, 3, "or"))
		return
	}
	w.add(q.node, "condition-narrowed", q.where, fact.Slots{Object: q.what, Detail: phrase.List(also)})
	w.effect(q, "condition-narrowed-effect", form, phrase.ListOf(clausesOf(come, false), 3, "or"))
}

// conditionPartWent says that a condition asks for less than before.
func (w *writer) conditionPartWent(q asked, gone []tree.Node) {
	clauses := phrase.List(clausesOf(gone, true))
	if asksLater(q.check, gone) {
		w.add(q.node, "condition-split", q.where, fact.Slots{Object: q.what, Detail: clauses})
		return
	}
	w.add(q.node, "condition-widened", q.where, fact.Slots{Form: "less", Object: q.what, Detail: clauses})
	w.effect(q, "condition-widened-effect", "less", clauses)
}

// asksLater tells whether an if in the body of a check asks for all clauses.
func asksLater(check tree.Node, clauses []tree.Node) bool {
	return slices.ContainsFunc(tree.Body(check), func(s tree.Node) bool {
		_, asked := operands(tree.Condition(tree.Unnested(s)))
		return tree.Unnested(s).Is(syntax.If) && len(only(clauses, asked)) == 0
	})
}

// operand says how one part of a condition became another. It answers whether the
// words for them differ.
func (w *writer) operand(a, b tree.Node, q asked) bool {
	x, y := phrase.Holds(a), phrase.Holds(b)
	if x != y {
		w.add(b, "condition-changed", q.where, fact.Slots{Form: "part", Object: q.what, New: y, Old: x})
	}
	edits := diffOf(a, b)
	if len(edits) == 0 || len(edits) > 2 || x != y && a.Size() <= phrase.MaxCode && b.Size() <= phrase.MaxCode {
		return x != y
	}
	// The words for the whole may leave out what changed.
	first, last := edits[0], edits[len(edits)-1]
	gone, come := tree.Strip(first.Old), tree.Strip(last.New)
	one := gone.Ok() && come.Ok() && (len(edits) == 1 || !first.New.Ok() && !last.Old.Ok())
	if one && gone.Hash() != a.Hash() && come.Hash() != b.Hash() && gone.Size() <= phrase.MaxCode && come.Size() <= phrase.MaxCode {
		w.add(b, "condition-part", "", fact.Slots{Old: phrase.Say(gone), New: phrase.Say(come)})
	}
	return x != y
}

// operands splits a condition at its outermost "and" or "or".
func operands(n tree.Node) (op string, parts []tree.Node) {
	n = tree.Strip(n)
	if n.Is(syntax.Binary) {
		op = phrase.Logical(tree.Operator(n))
	}
	if op == "" {
		return "", []tree.Node{n}
	}
	var walk func(tree.Node, int)
	walk = func(x tree.Node, depth int) {
		if x.Is(syntax.Binary) && phrase.Logical(tree.Operator(x)) == op && depth < treediff.MaxDepth {
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
	return slices.DeleteFunc(slices.Clone(xs), func(x tree.Node) bool { return held[treediff.SubtreeOf(x)] })
}

// clausesOf says when each of some conditions holds, or when it does not.
func clausesOf(ns []tree.Node, want bool) []string {
	return phrase.Each(ns, func(n tree.Node) string { return phrase.Clause(n, want, 0) })
}

func conditionRules() []fact.Rule {
	changed := fact.Swapped("condition", fact.Behaviour, "{object} now asks whether {new}", "{object} previously asked whether {old}")
	changed[0] = changed[0].Or("part", "{object} now asks whether {new} instead of whether {old}").
		Or("replaced", "the check whether {old} was replaced by a check whether {new}")
	return append(changed,
		fact.Claim("condition-narrowed", fact.Behaviour, "{object} now also requires that {detail}"),
		fact.Implication("condition-narrowed-effect", "{object} no longer runs when {detail}").
			Or("unless", "{object} now also runs when {detail}"),
		fact.Claim("condition-part", fact.Value, "{old} was replaced by {new} in the condition"),
		fact.Claim("condition-split", fact.Behaviour, "{object} was split: whether {detail} is asked by an `if` inside it").
			Or("out", "the check whether {detail} now stands in an `if` of its own"),
		fact.Claim("condition-widened", fact.Behaviour, "{object} now also holds when {detail}").
			Or("less", "{object} no longer requires that {detail}"),
		fact.Implication("condition-widened-effect", "{object} now also runs when {detail}").
			Or("unless", "{object} no longer runs when {detail}").Or("less", "{object} no longer depends on whether {detail}"),
	)
}
