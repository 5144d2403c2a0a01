package symbolic

import (
	"slices"

	"crscore/pseudoref/symbolic/treediff"

	"crscore/pseudoref/symbolic/tree"

	"crscore/change"
	"crscore/internal/syntax"
)

// Code that went from one hunk into another: each hunk has a tree of its own, so
// that no matching of trees finds it.

// lone is a statement that an edit of a hunk adds or removes, and its claims.
type lone struct {
	node  tree.Node
	facts []*fact
}

// maxLone bounds the statements that are remembered.
const maxLone = 2000

// remember notes the claims about a statement of a hunk that came or went.
func (w *writer) remember(e treediff.Edit, facts []*fact) {
	n := e.New
	if !n.Ok() {
		n = e.Old
	}
	if k := n.NamedKids(); n.Is(syntax.Block) && len(k) == 1 {
		n = k[0]
	}
	if e.Old.Ok() == e.New.Ok() || e.Link || e.Move || n.Frag.Whole || len(w.lone) >= maxLone || n.Letters() < treediff.MinAnchor || !treediff.Movable(n) || n.Is(syntax.Import, syntax.Comment) {
		return
	}
	w.lone = append(w.lone, lone{n, slices.Clone(facts)})
}

// movedApart says of equal statements of which one went in a hunk and one came in
// another that the code was moved, in the place of what was said of both.
func (w *writer) movedApart() {
	type pair struct{ gone, come []lone }
	byHash := map[treediff.Subtree]*pair{}
	var order []*pair
	for _, l := range w.lone {
		k := treediff.SubtreeOf(l.node)
		p := byHash[k]
		if p == nil {
			p = &pair{}
			byHash[k] = p
			order = append(order, p)
		}
		if l.node.Frag.Side == change.Old {
			p.gone = append(p.gone, l)
		} else {
			p.come = append(p.come, l)
		}
	}
	w.lone = nil
	for _, p := range order {
		if len(p.gone) != 1 || len(p.come) != 1 || p.gone[0].node.Frag.Hunk == p.come[0].node.Frag.Hunk {
			continue
		}
		x, y := p.gone[0], p.come[0]
		said := append(x.facts, y.facts...)
		had := len(w.facts)
		w.facts = slices.DeleteFunc(w.facts, func(f *fact) bool { return slices.Contains(said, f) })
		if len(w.facts) == had {
			continue // the claims of a hunk were not believed
		}
		name := code(tree.NameOf(tree.Unnested(y.node)))
		w.untested = slices.DeleteFunc(w.untested, func(s string) bool { return s == name })
		from, to := placeOf(x.node).String(), placeOf(y.node).String()
		what := noun(y.node, "the") + " was moved"
		if from != to && from != "" && to != "" {
			w.say(y.node, wBehaviour, "moved", "", what+" from "+from+" to "+to)
			continue
		}
		if y.node.Frag.Hunk > x.node.Frag.Hunk {
			what += " further down"
		} else {
			what += " further up"
		}
		w.say(y.node, wBehaviour, "moved", to, what)
	}
}
