package treediff

import (
	"strings"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
)

// inside lists the edits in what was moved, which are made when they are first asked for.
func (d *differ) inside(y tree.Node) []Edit {
	inner, ok := d.inner[y]
	if x := d.same.Partner(y); !ok && !Same(x, y) && (x.Kind() == y.Kind() || Branch(x) && Branch(y)) {
		outer := d.edits
		d.edits = nil
		d.pair(x, y, 0)
		inner, d.edits = d.edits, outer
	}
	d.inner[y] = inner
	return inner
}

// arrived lists the greatest nodes in n, or n itself, that have a partner and lie inside another node, if there is
// one. What is moved into a moved node is thus always smaller than that, and the way down ends.
func (m *Matching) arrived(n, in tree.Node) []tree.Node {
	var out []tree.Node
	for i := n.I; i < n.Last(); i++ {
		if x := n.At(i); m.Partner(x).Ok() && (!in.Ok() || x != in && in.Contains(x)) {
			out = append(out, x)
			i = x.Last() - 1
		}
	}
	return out
}

// ordered appends the edits of a node in document order: where something was moved, its move and then what was
// changed in it, for its removal and its addition. A look into what was moved may show that more was.
func (d *differ) ordered(out, edits []Edit, in tree.Node) []Edit {
	for _, e := range edits {
		gone, came := e.Old.Ok() && !e.New.Ok(), e.New.Ok() && !e.Old.Ok()
		if e.Link || !gone && !came {
			out = append(out, e)
			continue
		}
		if gone && !d.same.Partner(e.Old).Ok() || came && !d.same.Partner(e.New).Ok() {
			out = append(out, e)
		}
		if came {
			for _, y := range d.same.arrived(e.New, in) {
				x := d.same.Partner(y)
				out = append(out, Edit{Old: x, New: y, OldIn: x.Parent(), NewIn: y.Parent(), Move: true})
				out = d.ordered(out, d.inside(y), y)
			}
		}
	}
	return out
}

// Branch tells whether a node is an if or an else-if. Swift's guard is none: what is in it runs where its condition
// does not hold.
func Branch(n tree.Node) bool {
	return n.Is(syntax.If, syntax.ElseIf) && !strings.HasPrefix(n.Kind(), "guard")
}

// Otherwise returns what an if's else holds, or none: a block, or a statement without braces.
func Otherwise(n tree.Node) tree.Node {
	e := n.Child("alternative")
	if !e.Ok() {
		e = n.First(syntax.Else)
	}
	if k := e.NamedKids(); e.Is(syntax.Else) && len(k) > 0 {
		return k[len(k)-1]
	}
	return e
}
