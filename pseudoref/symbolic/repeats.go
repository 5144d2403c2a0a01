package symbolic

import (
	"crscore/internal/syntax"
)

const (
	minRepeat   = 60   // characters of a function's body below which it repeats another by chance
	repeatLike  = 0.85 // likeness above which a function repeats another
	maxSiblings = 300
)

// repeats says that a new function has the same body as another one, or nearly.
func (w *writer) repeats(f item) {
	b := bodyOf(f)
	if !b.ok() || b.letters() < minRepeat || w.same == nil {
		return
	}
	d := w.same.words
	for i, seen := 0, 0; i < len(f.nodes) && seen < maxSiblings; i++ {
		g := item{f.tree, i}
		if !g.role().IsFunction() || g.contains(f) || f.contains(g) || !w.same.partner(g).ok() {
			continue
		}
		seen++
		o := bodyOf(g)
		if !o.ok() {
			o = g // kept without its inside
		}
		name := functionName(g)
		if name == "" || o.letters() > 2*b.letters() {
			continue
		}
		switch s := d.similar(b, o); {
		case same(b, o):
			w.say(f, wBehaviour, "repeats", "", "the new "+functionWord(f)+" "+code(nameOf(f))+" repeats the body of "+code(name)+" word for word")
			return
		case s >= repeatLike:
			w.say(f, wBehaviour, "repeats", "", "the new "+functionWord(f)+" "+code(nameOf(f))+" is largely the same as "+code(name))
			return
		}
	}
}

// repeatedBlock says that a new loop, branch or block does what another
// statement of the file already does.
func (w *writer) repeatedBlock(n item) {
	if w.same == nil || n.letters() < minRepeat || !n.is(syntax.If, syntax.Loop, syntax.Try, syntax.With, syntax.Switch, syntax.ExpressionStatement) {
		return
	}
	h := n.hash()
	for i := range n.nodes {
		o := item{n.tree, i}
		if i != n.i && o.kind() == n.kind() && o.hash() == h && w.same.partner(o).ok() {
			at := placeOf(o).String()
			if at == "" || at == placeOf(n).String() {
				at = "the same code"
			}
			w.say(n, wBehaviour, "repeats", placeOf(n).String(), "the new "+noun(n, "the")[len("the "):]+" repeats what is already in "+at)
			return
		}
	}
}
