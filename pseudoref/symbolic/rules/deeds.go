package rules

import (
	"cmp"
	"slices"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
)

// maxDeeds is the number of things said about what a new function does.
const maxDeeds = 5

// deed is a thing that a function does.
type deed struct {
	what string
	rank deedRank
}

// deedRank says how much a deed matters to a caller.
type deedRank int

const (
	localDeed  deedRank = iota // into a local variable
	plainDeed                  // for others
	givingDeed                 // to the caller, or under a condition
)

// deeds says what the body of a new function does, and under which condition:
// "returns early when `x` is null". Of many things those are said that matter to a
// caller, and what is only put into a local variable last.
func deeds(b []tree.Node) []string {
	var all []deed
	add := func(d deed) {
		if d.what != "" && len(all) < 100 && !slices.ContainsFunc(all, func(o deed) bool { return o.what == d.what }) {
			all = append(all, d)
		}
	}
	for _, s := range b {
		t := tree.Strip(tree.Unnested(s))
		if !t.Is(syntax.Try) {
			add(deedOf(t))
			continue
		}
		for _, x := range tree.Body(t) {
			add(deedOf(tree.Strip(tree.Unnested(x))))
		}
		if c := t.First(syntax.Catch); c.Ok() {
			add(deedWhen(tree.Body(c), cmp.Or(caught(c), "an error")+" is caught"))
		}
	}
	for len(all) > maxDeeds {
		least := 0 // the last one of the lowest rank
		for k, d := range all {
			if d.rank <= all[least].rank {
				least = k
			}
		}
		all = slices.Delete(all, least, least+1)
	}
	return phrase.Each(all, func(d deed) string { return d.what })
}

// deedOf says what a statement does.
func deedOf(n tree.Node) deed {
	switch {
	case n.Is(syntax.If) && !phrase.Conditional(n) && tree.Condition(n).Ok():
		return deedWhen(tree.Body(n), phrase.RunsWhen(n, true))
	case n.Is(syntax.Loop):
		what := phrase.Does(n, 0)
		for _, s := range tree.Body(n) {
			if d := phrase.Does(s, 0); what != "" && d != "" && !asks(s) {
				what += ", where it " + d
				break
			}
		}
		return deed{what, plainDeed}
	case phrase.Carrier(n).Ok(), otherName(n), tree.Callee(n) == ":": // what follows says more than a name, or a shell's nothing
		return deed{}
	case n.Is(syntax.Variable) || n.Is(syntax.Assign) && phrase.SimpleName(tree.Target(n)):
		return deed{phrase.Does(n, 0), localDeed}
	case n.Is(syntax.Return, syntax.Assert) || n.Is(syntax.Call) && phrase.Assertion(n):
		return deed{phrase.Does(n, 0), givingDeed}
	}
	return deed{phrase.Does(n, 0), plainDeed}
}

// asks tells whether a statement is a question, whose answer is told elsewhere or not at all.
func asks(s tree.Node) bool { return tree.Strip(tree.Unnested(s)).Is(syntax.If) }

// deedWhen says the first things that statements do under a condition, up to the next
// question: "returns early when `x` is null".
func deedWhen(stmts []tree.Node, cond string) deed {
	if i := slices.IndexFunc(stmts, asks); i >= 0 {
		stmts = stmts[:i]
	}
	e := phrase.Effects(stmts)
	switch {
	case len(e) == 0:
		return deed{}
	case len(e) > 1 && phrase.CountWords(e[0])+phrase.CountWords(e[1])+phrase.CountWords(cond) < phrase.MaxWords-7:
		e[0] += " and " + e[1]
	}
	return deed{e[0] + " when " + cond, givingDeed}
}
