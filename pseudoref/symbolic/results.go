package symbolic

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
)

// results lists the names and the types of what a function returns, where it
// returns several values.
func results(n item) (names, types []string) {
	if !strings.HasPrefix(n.text(), "(") {
		return []string{""}, []string{oneLine(n.text())}
	}
	for _, p := range n.namedKids() {
		typ := oneLine(p.child("type").text())
		var own []string
		for _, k := range p.kids() {
			if k.field() == "name" {
				own = append(own, oneLine(k.text()))
			}
		}
		if len(own) == 0 {
			own = []string{""}
		}
		for _, name := range own {
			names, types = append(names, name), append(types, typ)
		}
	}
	return names, types
}

// resultsChanged says which results a function has gained or lost, or that they
// were named. It answers false where the list as a whole says more.
func (w *writer) resultsChanged(a, b, f item) bool {
	if !f.traits().ErrorValues {
		return false
	}
	_, before := results(a)
	named, after := results(b)
	name := code(nameOf(f))
	switch k := len(before); {
	case slices.Equal(before, after):
		if named = uniq(named); len(named) > 0 {
			w.say(b, wSignature, "results-named", "", "the results of "+name+" are now named "+list(codes(named)))
		} else {
			w.say(b, wSignature, "results-unnamed", "", "the results of "+name+" no longer have names")
		}
	case len(after) > k && slices.Equal(before, after[:k]):
		w.say(b, wSignature, "result-added", "", name+" now also returns a value of type "+list(codes(after[k:])))
		w.follows(b, "result-added-callers", "callers of "+name+" must take the new result")
	case len(after) < k && slices.Equal(after, before[:len(after)]):
		w.say(b, wSignature, "result-removed", "", name+" no longer returns a value of type "+list(codes(before[len(after):])))
		w.follows(b, "result-removed-callers", "callers of "+name+" must no longer take that result")
	default:
		return false
	}
	return true
}

func (w *writer) returns(n item, at place, added bool) {
	if exits(n) {
		if added {
			w.say(n, wBehaviour, "exit-added", "", at.subject()+" now "+does(n, 0)+guard(n))
		} else {
			w.say(n, wBehaviour, "exit-removed", "", at.subject()+" no longer "+does(n, 0)+guard(n))
		}
		return
	}
	v, gone := "early", "the early return"
	if r := returned(n); r.ok() {
		v, gone = say(r), "the return of "+say(r)
	}
	if added {
		w.say(n, wBehaviour, "return-added", "", at.subject()+" now returns "+v+guard(n))
		if strip(returned(n)).is(syntax.Switch) {
			w.details(returned(n), "the return value")
		}
		return
	}
	w.say(n, wBehaviour, "return-removed", at.String(), gone+guard(n)+" was removed")
}

// returned is what a return statement gives back, or none.
func returned(n item) item {
	if a := n.first(syntax.Arguments); a.ok() {
		if k := a.namedKids(); len(k) == 1 {
			return k[0]
		}
		return a
	}
	if k := n.namedKids(); len(k) > 0 && k[0].field() != "name" {
		if before := neighbour(n, false); carrier(before) == n {
			return assigned(strip(unnested(before)))
		}
		return k[0]
	}
	return item{}
}

// exits tells whether a return ends the whole program.
func exits(n item) bool { return strings.HasPrefix(n.text(), "exit") && n.is(syntax.Return) }
