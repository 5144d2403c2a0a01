package symbolic

import (
	"crscore/internal/syntax"
)

// facets says what else is to be known of a thing that came or went: who may
// use it, whether it was there before, whether any of it is left.
func (w *writer) facets(n item, added bool) {
	n = unnested(n)
	switch {
	case n.parent().is(syntax.Parameters) && added:
		w.parameterUse(n)
	case n.role().IsFunction() && !added:
		w.removedFunction(n)
	case n.is(syntax.Assign) && added:
		w.assignFacets(n)
	}
}

// parameterUse says what a function does with a new parameter.
func (w *writer) parameterUse(p item) {
	f, _ := ownerOf(p)
	owner, name := placeOf(p).String(), parameterName(p)
	b := bodyOf(f)
	if !b.ok() || owner == "" || !simpleName(name) {
		return
	}
	var out []string
	for i := b.i; i < b.last() && i < b.i+maxLookup && len(out) < 3; i++ {
		x := b.tree.at(i)
		if x.leaf() && nameLike(x) && x.text() == name && !member(x) {
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
func (w *writer) removedFunction(f item) {
	if isTest(f, nameOf(f)) || len(w.inner(f)) > 0 {
		return
	}
	for _, d := range effects(body(f)) {
		w.say(f, wDetail, "function-did", "", "the removed "+functionWord(f)+" "+code(nameOf(f))+" "+d)
	}
}

// assignFacets says whether anything reads an attribute that is set now, and
// what becomes of what has it.
func (w *writer) assignFacets(n item) {
	l, _ := sides(n)
	if !l.is(syntax.Member) {
		return
	}
	name := lastName(l.text())
	if w.newWords != nil && w.newWords.of(name) == 1 && simpleName(name) && l.text() != "module.exports" {
		w.say(n, wFollows, "unread", "", "nothing else in the file mentions "+code(name)+", which is set there")
	}
	base := l.namedKids()
	if len(base) == 0 || !base[0].is(syntax.Identifier) {
		return
	}
	w.flowsOf(n, base[0].text(), code(base[0].text())+" is then ")
}
