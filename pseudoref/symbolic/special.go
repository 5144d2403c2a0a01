package symbolic

import (
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// Members that C++ makes by itself, and returns of several values.

// deleted says that a member is there to be forbidden, or left to the compiler.
func (w *writer) deleted(n tree.Node, word string, added bool) bool {
	for _, k := range n.Kids() {
		switch {
		case k.Kind() == "delete_method_clause" && added:
			w.say(n, wSignature, "deleted", "", "the "+word+" "+headline(n)+" is now forbidden")
			return true
		case k.Kind() == "default_method_clause" && added:
			w.say(n, wSignature, "defaulted", "", "the "+word+" "+headline(n)+" is now left to the compiler")
			return true
		}
	}
	return false
}

// returnsOthers says that a return of several values gives others in their place.
func (w *writer) returnsOthers(e treediff.Edit) bool {
	x, y := e.OldIn, e.NewIn
	if !x.Is(syntax.Parens) || !y.Is(syntax.Parens) || !x.Parent().Is(syntax.Return) || !y.Parent().Is(syntax.Return) {
		return false
	}
	if w.done[y] {
		return true
	}
	gone, come := differing(x.NamedKids(), y.NamedKids())
	if len(gone) == 0 || len(gone) != len(come) {
		return false
	}
	w.done[y] = true
	w.swapped(y, wBehaviour, "return-changed", "", placeOf(y).subject(), "returns", list(come), list(gone))
	return true
}
