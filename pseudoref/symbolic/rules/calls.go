package rules

import (
	"slices"
	"strings"

	"crscore/change"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
)

// call says that a call which is a statement came or went, and what it passes: "a call to
// `save` was added", "the new call to `save` passes `user`".
func (w *writer) call(n tree.Node, at phrase.Place, added bool) {
	where, c := at.String(), tree.Strip(n)
	if k := n.NamedKids(); n.Is(syntax.Await) && len(k) == 1 {
		c = k[0]
	}
	if name, ok := tree.TestCall(c); ok {
		what := "a test " + phrase.Quote(name, phrase.CodeRunes)
		if f, _, _ := strings.Cut(tree.Callee(c), "."); slices.Contains([]string{"describe", "suite", "context"}, f) {
			what = "a group of tests, " + phrase.Quote(name, phrase.CodeRunes) + ","
		}
		w.add(c, "test-"+fact.Verb(added), "", fact.Slots{Object: what})
		return
	}
	switch {
	case !added && w.reused(c): // the claim about what it is part of says so
	case phrase.Assertion(c):
		w.add(n, "assertion-"+fact.Verb(added), where, fact.Slots{Object: "the assertion " + phrase.Asserted(c)})
	default:
		s := fact.Slots{Object: phrase.Noun(c, "a"), Detail: phrase.Guard(n)}
		passes := len(tree.Arguments(c).NamedKids()) > 0
		// What prints or logs has a short name: there the arguments are the point.
		beside := added && passes && c.Traits().CallWord == "" && s.Object == phrase.An(phrase.CallNoun(c))
		if passes && !beside {
			s.New = phrase.ArgumentList(c)
		}
		f := w.add(n, "call-"+fact.Verb(added), where, s)
		if beside {
			w.Aside(f, "call-arguments", fact.Slots{Object: "call to " + phrase.Called(c), New: phrase.ArgumentList(c)})
		}
	}
}

// callChanged says how a call became another one: "the call to `open` was replaced by a
// call to `create`". It answers false when the general wording is better.
func (w *writer) callChanged(a, b tree.Node, at phrase.Place) bool {
	where, x := at.String(), tree.Callee(a)
	argsA, argsB := tree.Arguments(a), tree.Arguments(b)
	sameArgs := argsA.Ok() && argsB.Ok() && argsA.Hash() == argsB.Hash()
	if x == tree.Callee(b) { // only what it is given changed
		as, bs := argsA.NamedKids(), argsB.NamedKids()
		gone, come := phrase.Each(only(as, bs), phrase.Argument), phrase.Each(only(bs, as), phrase.Argument)
		if len(come) == 0 || len(gone) == 0 { // arguments only came, only went, or stand in another order
			return false
		}
		w.add(b, "argument-changed", where, fact.Slots{Object: phrase.CallPhrase(b), New: phrase.List(come), Old: phrase.List(gone)})
		return true
	}
	if slices.ContainsFunc(b.Find(50, nil, syntax.Call, syntax.New), func(c tree.Node) bool { return tree.Callee(c) == x }) {
		return false // the old call is part of the new one, and not replaced
	}
	for _, k := range append(argsA.NamedKids(), argsB.NamedKids()...) {
		w.done[k] = true // what it passes is said with it
	}
	s := fact.Slots{Old: callWord(a, phrase.Article(a)), New: callWord(b, "a")}
	f := w.add(b, "call-replaced", where, s)
	if !sameArgs && len(argsB.NamedKids()) > 0 {
		call := phrase.Either(b.Is(syntax.New), phrase.Code(tree.Callee(b)), phrase.CallNoun(b))
		w.Aside(f, "call-arguments", fact.Slots{Object: call, New: phrase.ArgumentList(b)})
	}
	return true
}

// callWord names a call or what it makes, also where it has other words as a statement.
func callWord(n tree.Node, article string) string {
	what := phrase.Either(n.Is(syntax.New), phrase.Made(n), phrase.CallNoun(n))
	return phrase.Either(article == "a", phrase.An(what), "the "+what)
}

// callOn is a call with its text on a side.
type callOn struct {
	side change.Side
	hash uint64
}

// reused tells whether a call that was a statement is part of another one on the other
// side, whose claim says so: `save()` is now `err = save()`.
func (w *writer) reused(n tree.Node) bool {
	if w.freshCalls == nil {
		w.freshCalls = map[callOn]bool{}
		for f := range w.fresh {
			for _, x := range f.Find(50, nil, syntax.Call) {
				if f.I != 0 && tree.Strip(f) != x {
					w.freshCalls[callOn{f.Frag.Side, x.Hash()}] = true
				}
			}
		}
	}
	return w.freshCalls[callOn{change.New - n.Frag.Side, n.Hash()}]
}

func callRules() []fact.Rule {
	return slices.Concat(fact.Both("call", fact.Behaviour, "{object}[ with {new}] was {added}{detail}"), []fact.Rule{
		fact.Claim("argument-added", fact.Value, "{object} now also passes {names}").Or("replaced", "{object} now passes {names}").
			Or("alone", "the argument{|s} {names} {was|were} added"),
		fact.Claim("argument-removed", fact.Value, "{object} no longer passes {names}").Or("alone", "the argument{|s} {names} {was|were} removed"),
		fact.Claim("call-arguments", fact.Aside, "the new {object} passes {new}"),
		fact.Claim("call-replaced", fact.Behaviour, "{old} was replaced by {new}"),
	}, fact.Swapped("argument", fact.Value, "{object} now passes {new}", "{object} previously passed {old}"))
}
