package symbolic

import (
	"slices"
	"strings"
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
