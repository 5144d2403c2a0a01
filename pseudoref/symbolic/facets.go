package symbolic

import (
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// facets says what else is to be known of a thing that came or went: what is done
// with a new parameter, and what a removed function did.
func (w *writer) facets(n tree.Node, added bool) {
	n = tree.Unnested(n)
	switch {
	case n.Parent().Is(syntax.Parameters) && added:
		w.parameterUse(n)
	case n.Role().IsFunction() && !added:
		w.removedFunction(n)
	}
}

// parameterUse says what a function does with a new parameter.
func (w *writer) parameterUse(p tree.Node) {
	f, _ := phrase.OwnerOf(p)
	owner, name := phrase.PlaceOf(p).String(), tree.ParameterName(p)
	b := treediff.BodyOf(f)
	if !b.Ok() || owner == "" || !phrase.SimpleName(name) {
		return
	}
	var out []string
	for i := b.I; i < b.Last() && i < b.I+maxLookup && len(out) < 3; i++ {
		x := b.Tree.At(i)
		if x.Leaf() && tree.NameLike(x) && x.Text() == name && !tree.Member(x) {
			if f := flow(x); f != "" {
				out = append(out, f)
			}
		}
	}
	if out = phrase.Uniq(out); len(out) > 0 && !onlyTested(out) {
		w.add(p, "parameter-used", "", fact.Slots{Object: phrase.Code(name), Of: owner, Detail: usesList(out)})
	}
}

// removedFunction says what a function did that is gone.
func (w *writer) removedFunction(f tree.Node) {
	if phrase.IsTest(f, tree.NameOf(f)) || len(w.inner(f)) > 0 {
		return
	}
	for _, d := range phrase.Effects(tree.Body(f)) {
		w.add(f, "function-did", "", fact.Slots{Object: phrase.FunctionWord(f) + " " + phrase.Code(tree.NameOf(f)), Detail: d})
	}
}

func facetRules() []fact.Rule {
	return []fact.Rule{
		fact.Claim("function-did", fact.Detail, "the removed {object} {detail}"),
		fact.Claim("parameter-used", fact.Result, "in {of}, the new parameter {object} is {detail}"),
	}
}
