package symbolic

import (
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
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
	case (n.is(syntax.Field) || isFieldAssignment(n, placeOf(n))) && added:
		w.fieldScope(n)
	case n.is(syntax.Call, syntax.New, syntax.Await) && statementLike(n):
		if n.is(syntax.Await) && len(n.namedKids()) == 1 {
			n = n.namedKids()[0]
		}
		w.callFacets(n, added)
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
	for i := b.i; i < b.node().last && i < b.i+maxLookup && len(out) < 3; i++ {
		x := item{b.tree, i}
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

// lombok matches the annotations that make a constructor of the final fields.
var lombok = regexp.MustCompile(`^(?:Data|Value|AllArgsConstructor|RequiredArgsConstructor|Builder|SuperBuilder)$`)

// fieldScope says who can read and change a new field, where its modifiers tell.
func (w *writer) fieldScope(n item) {
	at := placeOf(n)
	if at.class == "" || at.fn != "" {
		return
	}
	mods := " " + oneLine(n.first(syntax.Modifier).text()) + " "
	for _, k := range n.kids() {
		if !k.named() {
			mods += k.text() + " "
		}
	}
	has := func(m string) bool { return strings.Contains(mods, " "+m+" ") }
	name, class := code(nameOf(n)), code(at.class)
	switch {
	case has("final") && !has("static") && !valueOf(n).ok():
		if slices.ContainsFunc(decorators(n.under(syntax.Class)), func(d item) bool { return lombok.MatchString(nameOf(d)) }) {
			w.say(n, wResult, "field-final", "", "the constructor that Lombok makes for "+class+" now also takes "+name)
			return
		}
		w.say(n, wResult, "field-final", "", "the final field "+name+" must be set by every constructor of "+class)
	}
}

// callFacets says whether what is called was called before, or still is.
func (w *writer) callFacets(c item, added bool) {
	name := calledName(c)
	if len(name) < 2 || w.oldWords == nil || w.newWords == nil || assertion(c) || printing(c) || c.traits().CallWord != "" {
		return
	}
	if _, ok := logging(c); ok {
		return
	}
	at := placeOf(c)
	switch {
	case !added && w.newWords.of(name) == 0:
		w.say(c, wFollows, "no-call-left", "", "no call to "+code(name)+" is left in the file")
	case !added && w.same != nil:
		if f := w.same.partner(owner(c)); f.role().IsFunction() && !w.calls(f, name) {
			w.say(c, wFollows, "no-call-left", "", at.subject()+" no longer calls "+code(name))
		}
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
