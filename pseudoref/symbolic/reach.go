package symbolic

import (
	"bytes"
	"maps"
	"slices"
	"sort"

	"crscore/pseudoref/symbolic/tree"

	"crscore/change"
	"crscore/internal/syntax"
)

// reach says which other functions of the file a change reaches: those that call
// a function with changed lines. Only whole texts tell.
func (w *writer) reach(a, b *tree.Tree) {
	if a == nil || b == nil || !a.Frag.Whole || !b.Frag.Whole {
		return
	}
	was := w.touched(a, change.Old)
	for name, n := range w.touched(b, change.New) {
		was[name] = n
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		// It must be there before and after, and once: of several of one name the
		// call may mean another.
		if len(name) < 3 || !simpleName(name) || declaredTimes(a, name) != 1 || declaredTimes(b, name) != 1 {
			continue
		}
		n := was[name]
		if !w.behaves(n) {
			continue
		}
		if callers := callersOf(b, name); len(callers) > 0 {
			w.names(n, wFollows, "callers-affected", "", "the change in "+code(name)+" also affects "+slot+", which calls it",
				"the change in "+code(name)+" also affects "+slot+", which call it", callers...).kind = implication
		}
	}
}

// behaves tells whether more was said of a function than about its layout, its
// comments and its documentation.
func (w *writer) behaves(f tree.Node) bool {
	first, last := f.LineRange()
	return slices.ContainsFunc(w.facts, func(x *fact) bool {
		return x.weight > wText && (x.side != f.Frag.Side || x.first <= last && x.last >= first)
	})
}

// touched returns the functions of a side with changed lines of their own, by
// name; no tests and no constructors.
func (w *writer) touched(t *tree.Tree, side change.Side) map[string]tree.Node {
	lines := w.changedLines(side)
	inner := make([]tree.Node, len(lines)) // the function around each
	for i := range t.Len() {               // in preorder: the last one is the innermost
		f := t.At(i)
		if !f.Role().IsFunction() || w.fresh[f] {
			continue
		}
		first, last := f.LineRange()
		for k := sort.SearchInts(lines, first); k < len(lines) && lines[k] <= last; k++ {
			inner[k] = f
		}
	}
	out := map[string]tree.Node{}
	for k, f := range inner {
		if k > 0 && f == inner[k-1] {
			continue
		}
		if name := tree.NameOf(f); f.Ok() && !isConstructor(f) && !isTest(f, name) {
			out[name] = f
		}
	}
	return out
}

// declaredTimes counts the functions of a name in the tree that tree-sitter made.
func declaredTimes(t *tree.Tree, name string) int {
	count := 0
	for _, at := range t.FirstPlaces(name) {
		n := t.Frag.Nodes.NamedAt(at)
		if f := t.Frag.Enclosing(n, syntax.Role.IsFunction); f != nil && t.Frag.Name(f) == name && slices.Index(t.PlacesOf(name, int(f.StartByte()), int(f.EndByte())), at) == 0 {
			count++
		}
	}
	return count
}

// callersOf names the functions that call a function of the file by its name alone
// or on the object itself: a method of that name of another object is another thing.
func callersOf(t *tree.Tree, name string) []string {
	var out []string
	for _, at := range t.FirstPlaces(name) {
		if end := at + len(name); end >= len(t.Src) || t.Src[end] != '(' || !own(t.Src[:at]) {
			continue
		}
		n := t.Frag.Nodes.NamedAt(at)
		f := t.Frag.Enclosing(n, syntax.Role.IsFunction)
		if f == nil || !t.InCode(at) || t.Frag.Name(f) == name {
			continue
		}
		if caller := t.Frag.Name(f); caller != "" {
			out = append(out, code(caller))
		}
	}
	return uniq(out)
}

// receiverSigns stand between an object and the name of its member.
var receiverSigns = []byte(".:>@")

// ownNames end in the sign behind what stands for the object itself.
var ownNames = []string{"this.", "self.", "cls.", "super.", "$this->", "this->", "self::", "Self::", "static::", "parent::", "@"}

// own tells whether what follows a text is called on nothing or on the object
// itself.
func own(before []byte) bool {
	k := len(before)
	if k == 0 || bytes.IndexByte(receiverSigns, before[k-1]) < 0 {
		return k == 0 || before[k-1] != '"' && before[k-1] != '\''
	}
	return slices.ContainsFunc(ownNames, func(self string) bool { return bytes.HasSuffix(before, []byte(self)) })
}
