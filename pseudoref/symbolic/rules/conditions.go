package rules

import (
	"cmp"
	"slices"
	"strings"

	"crscore/internal/limits"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// condition says how the condition around an edit changed, once for all edits
// in it. It answers false when the edit is in no condition.
func (w *writer) condition(e treediff.Edit) bool {
	// What was added to or removed from a condition has a side only.
	sa := phrase.SlotOf(phrase.Either(e.Old.Ok(), e.Old, e.OldIn))
	sb := phrase.SlotOf(phrase.Either(e.New.Ok(), e.New, e.NewIn))
	if sb.Kind != phrase.ConditionSlot || sa.Kind != phrase.ConditionSlot || phrase.Conditional(sa.Holder) != phrase.Conditional(sb.Holder) {
		return false
	}
	if !w.done[sb.Part] {
		w.done[sb.Part] = true
		w.conditionPair(sa, sb)
	}
	return true
}

// conditionPair says how a condition became another one, and what that means for the code
// under it: "the condition now also requires that `n` is greater than `0`".
func (w *writer) conditionPair(sa, sb phrase.Slot) {
	a, b := tree.Strip(sa.Part), tree.Strip(sb.Part)
	where, unless := phrase.Inside(b), strings.HasPrefix(sb.Holder.Kind(), "unless")
	op, xs, ys := bothOperands(a, b)
	gone, come := only(xs, ys), only(ys, xs)
	follows := func(id, form, when string) {
		if then := underCondition(sa.Holder, sb.Holder); then != "" {
			w.add(b, id, "", fact.Slots{Form: form, Object: then, Detail: when})
		}
	}
	holds, constant := b.Constant()
	switch {
	case constant:
		w.add(b, "condition-changed", where, fact.Slots{Form: "constant", Object: sb.Phrase, New: phrase.Either(holds, "true", "false")})
		if holds == unless { // `unless true` never runs
			w.add(b, "condition-effect", "", fact.Slots{Form: "never"})
		}
		return
	case op == "and" && len(come) > 0 && len(come) < len(ys) && len(gone) == 0: // `a` became `a && b`
		w.add(b, "condition-narrowed", where, fact.Slots{Object: sb.Phrase, Detail: phrase.List(phrase.Each(come, phrase.Holds))})
		fails := phrase.Each(come, func(n tree.Node) string { return phrase.Clause(n, false) })
		follows("condition-narrowed-effect", phrase.Either(unless, "unless", ""), phrase.ListOf(fails, 3, "or"))
		return
	case len(gone) == 1 && len(come) == 1: // `a && b` became `a && c`
		x, y := phrase.Holds(gone[0]), phrase.Holds(come[0])
		if x == y { // the words leave out what changed
			x, y = phrase.Apart(gone[0].Text(), come[0].Text())
			w.add(come[0], "part-changed", where, fact.Slots{Object: sb.Phrase, Old: x, New: y})
			return
		}
		w.add(come[0], "condition-changed", where, fact.Slots{Form: "part", Object: sb.Phrase, New: y, Old: x})
	case len(xs) > 0 && len(gone)+len(come) == 0 && len(xs) == len(ys): // it means the same
		w.add(b, "condition-changed", where, fact.Slots{Form: "order", Object: sb.Phrase})
		return
	default:
		w.add(b, "condition-changed", where, fact.Slots{Object: sb.Phrase, New: phrase.Holds(b), Old: phrase.Holds(a)})
	}
	follows("condition-effect", phrase.Either(elseIf(sb.Holder), "implied else", "implied"), phrase.Clause(b, !unless))
}

// underCondition names what runs under a changed condition of an if: "the branch that returns `x`". It is empty where
// the branch does another thing than before, too: claims about its statements tell what is done now.
func underCondition(before, now tree.Node) string {
	if !now.Is(syntax.If, syntax.ElseIf) {
		return ""
	}
	is, was := tree.Body(now), tree.Body(before)
	e := phrase.Effects(is)
	switch {
	case len(e) == 0:
		return "the code under the condition"
	case len(was) > 0 && tree.Strip(was[0]).Role() != tree.Strip(is[0]).Role():
		return ""
	}
	return "the branch that " + e[0]
}

// bothOperands splits two conditions at the operator of either. Where the operators differ, a
// condition that is an operand of the other counts as one operand; else there are no operands.
func bothOperands(a, b tree.Node) (op string, xs, ys []tree.Node) {
	opA, xs := operands(a)
	opB, ys := operands(b)
	op = cmp.Or(opB, opA)
	if opA != "" && opB != "" && opA != opB {
		switch wasA, isB := []tree.Node{a}, []tree.Node{b}; {
		case len(only(wasA, ys)) == 0: // what was the whole condition is a part of it now
			xs = wasA
		case len(only(isB, xs)) == 0:
			op, ys = opA, isB
		default:
			xs, ys = nil, nil
		}
	}
	return op, xs, ys
}

// operands splits a condition at its outermost "and" or "or", of which languages have several signs, on both sides:
// grammars nest them to the left or to the right.
func operands(n tree.Node) (op string, parts []tree.Node) {
	joins := func(x tree.Node) string {
		return phrase.Either(x.Is(syntax.Binary), phrase.Logical(tree.Operator(x)), "")
	}
	op = joins(n)
	var walk func(tree.Node, int)
	walk = func(x tree.Node, depth int) {
		if op == "" || joins(x) != op || depth >= limits.MatchedDepth {
			parts = append(parts, tree.Strip(x))
			return
		}
		for _, k := range x.NamedKids() {
			walk(k, depth+1)
		}
	}
	walk(n, 0)
	return op, parts
}

// only lists the items of xs that ys does not hold.
func only(xs, ys []tree.Node) []tree.Node {
	return slices.DeleteFunc(slices.Clone(xs), func(x tree.Node) bool {
		return slices.ContainsFunc(ys, func(y tree.Node) bool { return treediff.Same(x, y) })
	})
}

func conditionRules() []fact.Rule {
	changed := fact.Swapped("condition", fact.Behaviour, "{object} now asks whether {new}", "{object} previously asked whether {old}")
	changed[0] = changed[0].Or("part", "{object} now asks whether {new} instead of whether {old}").
		Or("replaced", "the check whether {old} was replaced by a check whether {new}").Or("constant", "{object} is now always {new}").
		Or("order", "{object} asks the same in another order")
	return append(changed,
		fact.Claim("condition-narrowed", fact.Behaviour, "{object} now also requires that {detail}"),
		fact.Implication("condition-narrowed-effect", "{object} no longer runs when {detail}").
			Or("unless", "{object} now also runs when {detail}"),
	)
}
