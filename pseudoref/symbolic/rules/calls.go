package rules

import (
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/phrase"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// call says that a call which is a statement came or went, and what it passes.
func (w *writer) call(n tree.Node, at phrase.Place, added bool) {
	where, c := at.String(), n
	if k := n.NamedKids(); n.Is(syntax.Await) && len(k) == 1 {
		c = k[0]
	}
	if name, ok := tree.TestCall(c); ok {
		w.test(c, name, added)
		return
	}
	switch {
	case !added && w.reused(c), w.locked(c, at, added):
	case phrase.Assertion(c):
		w.add(n, "assertion-"+fact.Verb(added), where, fact.Slots{Object: assertionPhrase(c)})
	default:
		what, passes := phrase.Noun(c, "a"), len(tree.Arguments(c).NamedKids()) > 0
		_, to, call := strings.Cut(what, " to ")
		beside := added && call && passes
		f := w.add(n, "call-"+fact.Verb(added), where, fact.Slots{Object: what, New: phrase.Either(passes && !beside, phrase.ArgumentList(c), ""), Detail: phrase.Guard(n)})
		if beside {
			w.Aside(f, "call-arguments", fact.Slots{Object: "call to " + to, New: phrase.ArgumentList(c)})
		}
	}
}

// callChanged says how a call became another one. It answers false when the
// general wording is better.
func (w *writer) callChanged(a, b tree.Node, at phrase.Place) bool {
	where, x, y := at.String(), tree.Callee(a), tree.Callee(b)
	argsA, argsB := tree.Arguments(a), tree.Arguments(b)
	sameArgs := argsA.Ok() && argsB.Ok() && argsA.Hash() == argsB.Hash()
	if x == y {
		if !argsA.Ok() || !argsB.Ok() || sameArgs {
			return false
		}
		w.argumentsChanged(b, argsA.NamedKids(), argsB.NamedKids(), where)
		return true
	}
	inner := b.Find(50, nil, syntax.Call, syntax.New)
	enclosed := slices.IndexFunc(inner, func(c tree.Node) bool { return tree.Callee(c) == x })
	if enclosed >= 0 && len(x) > 2 {
		w.add(b, "call-enclosed", where, fact.Slots{Object: callWord(a), Of: callWord(b)})
		w.describe(diffOf(a, inner[enclosed]))
		return true
	}
	for _, k := range append(argsA.NamedKids(), argsB.NamedKids()...) {
		w.done[k] = true // what it passes is said with it
	}
	f := w.add(b, "call-replaced", where, fact.Slots{Old: callWord(a), New: callWord(b)})
	if !sameArgs && len(argsB.NamedKids()) > 0 {
		call := strings.TrimPrefix(strings.TrimPrefix(callWord(b), "the "), "new ")
		w.Aside(f, "call-replaced-arguments", fact.Slots{Object: call, New: phrase.ArgumentList(b)})
	}
	return true
}

// argumentsChanged says what a call is given now in the place of what.
func (w *writer) argumentsChanged(call tree.Node, as, bs []tree.Node, where string) {
	gone, come := phrase.Each(only(as, bs), phrase.Argument), phrase.Each(only(bs, as), phrase.Argument)
	if len(come)+len(gone) == 0 { // they stand in another order
		gone, come = phrase.Each(as, phrase.Argument), phrase.Each(bs, phrase.Argument)
	}
	if len(come) > 0 && len(gone) > 0 {
		w.add(call, "argument-changed", where, fact.Slots{Object: phrase.CallPhrase(call), New: phrase.List(come), Old: phrase.List(gone)})
		return
	}
	w.add(call, "argument-"+fact.Verb(len(come) > 0), where, fact.Slots{Form: "several", Object: phrase.CallPhrase(call), Detail: phrase.List(append(come, gone...))})
}

// argumentsReplaced says that some arguments took the place of others, once for
// all of them, where none of them only changed.
func (w *writer) argumentsReplaced(e treediff.Edit, s phrase.Slot, where string) bool {
	if !e.OldIn.Ok() || !e.NewIn.Ok() || e.OldIn == e.NewIn || s.Kind == phrase.AssertSlot {
		return false
	}
	as, bs := e.OldIn.NamedKids(), e.NewIn.NamedKids()
	gone, come := only(as, bs), only(bs, as)
	stays := func(x tree.Node) bool { return !w.fresh[x] }
	if len(gone) == 0 || len(come) == 0 || len(gone)+len(come) > 4 || slices.ContainsFunc(append(gone, come...), stays) {
		return false
	}
	if !w.done[e.NewIn] {
		w.done[e.NewIn] = true
		w.argumentsChanged(e.NewIn.Parent(), as, bs, where)
	}
	return true
}

// callWord names a call or what it makes, also where it has other words as a statement.
func callWord(n tree.Node) string {
	return "the " + phrase.Either(n.Is(syntax.New), phrase.Made(n), phrase.CallNoun(n))
}

// diffOf compares two parts of trees.
func diffOf(a, b tree.Node) []treediff.Edit {
	if !a.Ok() || !b.Ok() {
		return nil
	}
	return treediff.Pair(a, b)
}

// maxFreshCalls bounds the calls that are looked at.
const maxFreshCalls = 2000

// reused tells whether a call that was a statement is part of another one now,
// whose claim says so.
func (w *writer) reused(n tree.Node) bool {
	if w.freshCalls == nil {
		w.freshCalls = map[*tree.Tree]map[uint64]bool{}
	}
	m, ok := w.freshCalls[n.Tree]
	if !ok {
		m = map[uint64]bool{}
		for f := range w.fresh {
			for _, x := range f.Find(50, nil, syntax.Call) {
				if f.Tree != n.Tree && f.I != 0 && tree.Strip(f) != x {
					m[x.Hash()] = true
				}
			}
			if len(m) > maxFreshCalls {
				clear(m)
				break
			}
		}
		w.freshCalls[n.Tree] = m
	}
	return m[n.Hash()]
}

func callRules() []fact.Rule {
	const passes = "the new {object} passes {new}"
	return slices.Concat(fact.Both("call", fact.Behaviour, "{object}[ with {new}] was {added}{detail}"), []fact.Rule{
		fact.Claim("argument-added", fact.Value, "{object} now also passes {names}").
			Or("replaced", "{object} now passes {names}").Or("several", "{object} now also passes {detail}").
			Or("alone", "the argument{|s} {names} {was|were} added"),
		fact.Claim("argument-removed", fact.Value, "{object} no longer passes {names}").Or("several", "{object} no longer passes {detail}").
			Or("alone", "the argument{|s} {names} {was|were} removed"),
		fact.Claim("call-arguments", fact.Aside, passes),
		fact.Claim("call-enclosed", fact.Behaviour, "{object} now stands inside {of}"),
		fact.Claim("call-replaced", fact.Behaviour, "{old} was replaced by {new}"),
		fact.Claim("call-replaced-arguments", fact.Aside, passes),
	}, fact.Swapped("argument", fact.Value, "{object} now passes {new}", "{object} previously passed {old}"))
}
