package rules

import (
	"maps"
	"slices"
	"strings"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// The second level of claims: what comes of a change. What an edit did is said before; here is said where the values
// go that it sets, what a new check keeps from running, and what a removed function did.

// results says what comes of an edit. It is asked once for each statement.
func (w *writer) results(e treediff.Edit) {
	if !e.New.Ok() {
		// Of a function whose code only stands elsewhere the moves tell.
		f, name := tree.Unnested(e.Old), tree.NameOf(tree.Unnested(e.Old))
		if f.Role().IsFunction() && !e.Link && !phrase.IsTest(f, name) && len(w.inner(f)) == 0 {
			w.effects(f, "function-did", "", fact.Slots{Object: phrase.FunctionWord(f) + " " + phrase.Code(name)}, tree.Body(f))
		}
		return
	}
	s := tree.Unnested(e.New)
	if !treediff.Movable(e.New) && !treediff.Movable(s) {
		s = tree.Unnested(e.New.Up(treediff.Movable))
	}
	if !s.Ok() || w.resulted[s] {
		return
	}
	w.resulted[s] = true
	at := phrase.PlaceOf(s)
	if s.Is(syntax.Variable, syntax.Assign, syntax.ExpressionStatement) && (at.Fn != "" || at.Callback != "" || at.Class == "") {
		w.flows(s, e.New)
	} else {
		w.guards(s, e, at)
	}
}

// guards says what a new check that leaves its block keeps from running: behind
// `if x == nil { return }` the next statement only runs when `x` is not null.
func (w *writer) guards(s tree.Node, e treediff.Edit, at phrase.Place) {
	// Only a new check that leaves its block keeps the next statement from running.
	if e.Old.Ok() || e.Move || !treediff.Branch(s) || treediff.Otherwise(s).Ok() || !leavesBlock(s) {
		return
	}
	next := phrase.Neighbour(s, true)
	if w.fresh[next] || !treediff.Movable(next) || next.Role().IsFunction() || next.Role().IsClass() {
		return
	}
	if holds, constant := tree.Condition(s).Constant(); constant {
		if holds != strings.HasPrefix(s.Kind(), "unless") {
			w.add(s, "condition-effect", "", fact.Slots{Form: "ends"})
		}
		return
	}
	if d := phrase.Does(next); d != "" {
		w.add(s, "guards", "", fact.Slots{Object: at.Subject(), New: d, Detail: phrase.RunsWhen(s, false)})
	}
}

// leavesBlock reports whether the last statement of a branch leaves the block around the
// branch: `return`, `throw`, `break`, `continue` or `goto`.
func leavesBlock(branch tree.Node) bool {
	b := tree.Body(branch)
	return len(b) > 0 && tree.Strip(b[len(b)-1]).Is(syntax.Leaving...)
}

// apart reports whether a run reaches at most one of two places; x stands before y. Either they are in two branches
// of an if, or the branch of x leaves the block before y, as in `if (bad) { return x } use(x)`.
func apart(x, y tree.Node) bool {
	for b := x.Up(treediff.Branch); b.Ok(); b = b.Up(treediff.Branch) {
		other, asked := treediff.Otherwise(b), tree.Condition(b).Contains(x)
		if asked {
			continue
		}
		if b.Contains(y) && other.Contains(x) != other.Contains(y) || !b.Contains(y) && !other.Contains(x) && leavesBlock(b) {
			return true
		}
	}
	return false
}

// flows says where the value goes that a statement sets, if the edit of n is in it:
// "`x` is then passed to `f` and `g`".
func (w *writer) flows(s, n tree.Node) {
	name := phrase.DefinedName(s)
	if name == "" || phrase.Carrier(s).Ok() ||
		!w.fresh[s] && tree.Unnested(n) != s && !phrase.Assigned(tree.Strip(tree.Unnested(s))).Contains(n) {
		return
	}
	var said []string
	var places []tree.Node
	uses, and, o := map[string][]string{}, "and", treediff.Owner(s)
	for _, x := range o.LeavesOf(name) {
		if x.I < s.Last() || x.I > s.Last()+4000 || len(places) == 3 || tree.Member(x) || !tree.NameLike(x) { // 4,000 nodes bound the work
			continue
		}
		if !o.Parent().Ok() && x.Under(syntax.Function, syntax.Constructor) != s.Under(syntax.Function, syntax.Constructor) {
			continue // it may be a name of its own there
		}
		if verb, what := useOf(x); verb != "" && !slices.Contains(uses[verb], what) {
			if slices.ContainsFunc(places, func(before tree.Node) bool { return apart(before, x) }) {
				and = "or"
			}
			uses[verb], places = append(uses[verb], what), append(places, x)
		}
		if d := x.Up(treediff.Movable); phrase.DefinedName(d) == name && !frame(d, o).Ok() {
			break // another value from here on, whatever happens
		}
	}
	for _, verb := range slices.Sorted(maps.Keys(uses)) {
		said = append(said, strings.TrimSpace(verb+" "+phrase.ListOf(uses[verb], 3, and)))
	}
	if len(said) > 0 {
		w.add(s, "value-used", phrase.PlaceOf(s).String(), fact.Slots{Object: phrase.Code(name), Detail: phrase.ListOf(said, 3, and)})
	}
}

// useOf says what is done with a value where its name stands: it is "passed to" a function, or "used to set" a name. What is asked of its
// members is told by the claims about the calls, what is tested by those about conditions.
func useOf(x tree.Node) (verb, what string) {
	p, s := x.Parent(), phrase.SlotOf(x)
	t := tree.Target(s.Holder)
	switch {
	case p.Is(syntax.Member) && p.NamedKids()[0] == x, p.Is(syntax.Index) && !s.FilledBy(x): // a part of it is
	case s.Kind == phrase.ArgumentSlot && tree.Callee(s.Holder) != "" && len(tree.Chain(s.Holder)) < 2:
		return "passed to", phrase.Called(s.Holder)
	case s.Kind == phrase.ReturnSlot && s.FilledBy(x):
		return "returned", ""
	case s.Kind == phrase.ValueSlot && s.Holder.Is(syntax.Assign, syntax.Variable, syntax.Declarator) &&
		t != "" && t != x.Text() && t[0] != '{' && t[0] != '[':
		return "used to set", phrase.Code(t)
	}
	return "", ""
}

// saidDeeds is the number of things said about what a new function does.
const saidDeeds = 5

// deeds says what the body of a new function does, and under which condition: "returns early
// when `x` is null". Of many things the first ones are said, and how the function ends. What
// it puts into local variables matters less to a caller, and is said last.
func deeds(body []tree.Node) []string {
	var all, local []string
	for _, s := range body {
		switch n := tree.Strip(tree.Unnested(s)); {
		case n.Is(syntax.If) && !phrase.Conditional(n) && tree.Condition(n).Ok():
			all = append(all, deedWhen(n))
		case n.Is(syntax.Try): // what it catches matters less
			all = append(all, phrase.Effects(tree.Body(n))...)
		case n.Is(syntax.Loop):
			what := phrase.Does(n)
			if within := phrase.Effects(tree.Body(n)); len(within) > 0 {
				what += ", where it " + within[0]
			}
			all = append(all, what)
		case n.Is(syntax.Variable) || n.Is(syntax.Assign) && phrase.SimpleName(tree.Target(n)):
			local = append(local, phrase.Does(n))
		case tree.Callee(n) != ":": // which does nothing in a shell
			all = append(all, phrase.Does(n))
		}
	}
	if all = phrase.Uniq(all); len(all) > saidDeeds {
		return append(all[:saidDeeds-1:saidDeeds-1], all[len(all)-1])
	}
	all = phrase.Uniq(append(all, local...))
	return all[:min(len(all), saidDeeds)]
}

// deedWhen says the first things that a branch does, and when: "returns early when `x` is
// null". A question within the branch is told elsewhere or not at all.
func deedWhen(branch tree.Node) string {
	body := tree.Body(branch)
	if i := slices.IndexFunc(body, func(s tree.Node) bool { return tree.Strip(tree.Unnested(s)).Is(syntax.If) }); i >= 0 {
		body = body[:i]
	}
	if e := phrase.Effects(body); len(e) > 0 {
		return strings.Join(e[:min(len(e), 2)], " and ") + " when " + phrase.RunsWhen(branch, true)
	}
	return ""
}

func outcomeRules() []fact.Rule {
	return []fact.Rule{
		fact.Claim("function-did", fact.Detail, "the removed {object} {detail}"),
		fact.Claim("guards", fact.Result, "{object} now {new} only when {detail}"),
		fact.Claim("value-used", fact.Result, "{object} is then {detail}"),
	}
}
