package symbolic

import (
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/phrase"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// Where the values go that a change sets: what is done with them next, and
// whether they decide what the function returns.

// flows says where the value goes that a statement sets, if the edit of n is in it.
func (w *writer) flows(s, n tree.Node) {
	name := phrase.DefinedName(s)
	if name == "" || phrase.Carrier(s).Ok() {
		return
	}
	if w.fresh[s] || tree.Unnested(n) == s || phrase.Assigned(tree.Strip(tree.Unnested(s))).Contains(n) {
		w.flowsOf(s, name)
	}
}

// flowsOf says where a value goes after a statement.
func (w *writer) flowsOf(s tree.Node, name string) {
	o := treediff.Owner(s)
	var out []string
	for i := s.Last(); i < o.Last() && i < s.Last()+maxLookup && len(out) < 3; i++ {
		x := s.Tree.At(i)
		if !x.Leaf() || !tree.NameLike(x) || x.Text() != name || tree.Member(x) {
			continue
		}
		if !o.Parent().Ok() && x.Under(syntax.Function, syntax.Constructor) != s.Under(syntax.Function, syntax.Constructor) {
			continue // it may be a name of its own there
		}
		if f := flow(x); f != "" {
			out = append(out, f)
		}
		if d := x.Up(treediff.Movable); phrase.DefinedName(d) == name && !frame(d, o).Ok() {
			break // another value from here on, whatever happens
		}
	}
	if out = phrase.Uniq(out); len(out) > 0 && !onlyTested(out) {
		w.add(s, "value-used", phrase.PlaceOf(s).String(), fact.Slots{Object: phrase.Code(name), Detail: usesList(out)})
	}
	if !slices.Contains(out, "returned") && !slices.Contains(out, "part of what is returned") {
		w.decides(s, name)
	}
}

// usesList joins uses, the calls among them under one verb: "passed to `f` and `g`".
func usesList(uses []string) string {
	const verb = "passed to "
	var calls, out []string
	for _, s := range uses {
		if call, ok := strings.CutPrefix(s, verb); ok {
			calls = append(calls, call)
		} else {
			out = append(out, s)
		}
	}
	if len(calls) > 0 {
		out = append([]string{verb + phrase.List(calls)}, out...)
	}
	return phrase.List(out)
}

// onlyTested tells whether a value is only asked for, which the claim about the
// condition says.
func onlyTested(uses []string) bool {
	return len(uses) == 1 && (uses[0] == "tested in a condition" || uses[0] == "checked by an assertion")
}

// decides says that what a function returns is made from a value that is set in
// it, over the variables between them.
func (w *writer) decides(s tree.Node, name string) {
	around := func(n tree.Node) tree.Node { return n.Under(syntax.Function, syntax.Constructor, syntax.Lambda) }
	f := around(s)
	if !f.Is(syntax.Function) || phrase.IsTest(f, tree.NameOf(f)) || tree.NameOf(f) == "" {
		return
	}
	made := map[string]bool{name: true}
	for i := s.Last(); i < f.Last() && i < s.Last()+maxLookup; i++ {
		x := s.Tree.At(i)
		if !x.Leaf() || !tree.NameLike(x) || !made[x.Text()] || tree.Member(x) || around(x) != f {
			continue
		}
		if x.Under(syntax.Return).Ok() {
			w.add(s, "result-affected", "", fact.Slots{Object: phrase.Code(name), Of: phrase.Code(tree.NameOf(f))})
			return
		}
		d := x.Up(treediff.Movable)
		switch v, t := phrase.Assigned(tree.Strip(tree.Unnested(d))), phrase.DefinedName(d); {
		case t == "" || !v.Ok():
		case v.Contains(x):
			made[t] = true
		case t == x.Text() && !phrase.Mentions(v, t):
			delete(made, t) // another value from here on
		}
	}
}

// flow says what is done with a value where its name stands. What is asked of its
// members is told by the claims about the calls.
func flow(x tree.Node) string {
	p, s := x.Parent(), phrase.SlotOf(x)
	if p.Is(syntax.Member) && p.NamedKids()[0] == x {
		return ""
	}
	switch s.Kind {
	case phrase.ArgumentSlot:
		c := tree.Callee(s.Holder)
		switch {
		case c == "", p.Is(syntax.Index) && !s.FilledBy(x): // a part of it is
		case len(tree.Chain(s.Holder)) > 1:
			return "passed to " + phrase.Code(tree.CalledName(s.Holder)) // and not to the calls before it
		default:
			return "passed to " + phrase.Called(s.Holder)
		}
	case phrase.ReturnSlot:
		return phrase.Either(s.FilledBy(x) && s.Holder.Is(syntax.Return), "returned", "part of what is returned")
	case phrase.ConditionSlot:
		return "tested in a condition"
	case phrase.AssertSlot:
		return "checked by an assertion"
	case phrase.ValueSlot:
		t := tree.Target(s.Holder)
		if s.Holder.Is(syntax.Assign, syntax.Variable, syntax.Declarator) && t != x.Text() && t != "" && !strings.ContainsAny(t[:1], "{[") {
			return "used to set " + phrase.Code(t)
		}
	}
	return ""
}

func dataflowRules() []fact.Rule {
	return []fact.Rule{
		fact.Implication("result-affected", "{object} goes into what {of} returns"),
		fact.Claim("value-used", fact.Result, "{object} is then {detail}"),
	}
}
