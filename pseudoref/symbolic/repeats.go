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
	seen := 0
	for _, g := range w.old(f.tree).functions {
		if g.contains(f) || f.contains(g) {
			continue
		}
		if seen++; seen > maxSiblings {
			break
		}
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

// olds are the nodes of a tree that were there before: its functions, and what is
// long enough to be repeated, by its text.
type olds struct {
	functions []item
	like      map[subtree][]item
}

func (w *writer) old(t *tree) olds {
	o, ok := w.olds[t]
	if !ok {
		o.like = map[subtree][]item{}
		for i := range t.nodes {
			n := item{t, i}
			if !w.same.partner(n).ok() {
				continue
			}
			if n.role().IsFunction() {
				o.functions = append(o.functions, n)
			}
			if n.letters() >= minRepeat {
				k := subtree{n.kind(), n.hash()}
				o.like[k] = append(o.like[k], n)
			}
		}
		w.olds[t] = o
	}
	return o
}

// repeatedBlock says that a new loop, branch or block does what another
// statement of the file already does.
func (w *writer) repeatedBlock(n item) {
	if w.same == nil || n.letters() < minRepeat || !n.is(syntax.If, syntax.Loop, syntax.Try, syntax.With, syntax.Switch, syntax.ExpressionStatement) {
		return
	}
	for _, o := range w.old(n.tree).like[subtree{n.kind(), n.hash()}] {
		if o != n {
			at := placeOf(o).String()
			if at == "" || at == placeOf(n).String() {
				at = "the same code"
			}
			w.say(n, wBehaviour, "repeats", placeOf(n).String(), "the new "+noun(n, "the")[len("the "):]+" repeats what is already in "+at)
			return
		}
	}
}
