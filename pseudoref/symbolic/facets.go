package symbolic

import (
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// facets says what else is to be known of a thing that came or went: who may
// use it, whether it was there before, whether any of it is left.
func (w *writer) facets(n tree.Node, added bool) {
	n = tree.Unnested(n)
	switch {
	case n.Parent().Is(syntax.Parameters) && added:
		w.parameterUse(n)
	case n.Role().IsFunction() && !added:
		w.removedFunction(n)
	case n.Is(syntax.Assign) && added:
		w.assignFacets(n)
	}
}

// parameterUse says what a function does with a new parameter.
func (w *writer) parameterUse(p tree.Node) {
	f, _ := ownerOf(p)
	owner, name := placeOf(p).String(), tree.ParameterName(p)
	b := treediff.BodyOf(f)
	if !b.Ok() || owner == "" || !simpleName(name) {
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
	if out = uniq(out); len(out) > 0 && !onlyTested(out) {
		w.say(p, wResult, "parameter-used", "", "in "+owner+", the new parameter "+code(name)+" is "+usesList(out))
	}
}

// removedFunction says what a function did that is gone.
func (w *writer) removedFunction(f tree.Node) {
	if isTest(f, tree.NameOf(f)) || len(w.inner(f)) > 0 {
		return
	}
	for _, d := range effects(tree.Body(f)) {
		w.say(f, wDetail, "function-did", "", "the removed "+functionWord(f)+" "+code(tree.NameOf(f))+" "+d)
	}
}

// assignFacets says whether anything reads an attribute that is set now, and
// what becomes of what has it.
func (w *writer) assignFacets(n tree.Node) {
	l, _ := tree.Sides(n)
	if !l.Is(syntax.Member) {
		return
	}
	name := tree.LastName(l.Text())
	if w.newWords != nil && w.newWords.Of(name) == 1 && simpleName(name) && l.Text() != "module.exports" {
		w.say(n, wFollows, "unread", "", "nothing else in the file mentions "+code(name)+", which is set there")
	}
	base := l.NamedKids()
	if len(base) == 0 || !base[0].Is(syntax.Identifier) {
		return
	}
	w.flowsOf(n, base[0].Text())
}
