package rules

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
)

// maxDeeds is the number of things said about what a new function does.
const maxDeeds = 5

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
	if all = phrase.Uniq(all); len(all) > maxDeeds {
		return append(all[:maxDeeds-1:maxDeeds-1], all[len(all)-1])
	}
	all = phrase.Uniq(append(all, local...))
	return all[:min(len(all), maxDeeds)]
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
