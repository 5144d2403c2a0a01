package symbolic

import (
	"strings"

	"crscore/pseudoref/symbolic/tree"

	"crscore/internal/syntax"
)

// maxRounds bounds how often what is alone is looked at for moves: in what was
// moved and changed there may be more of it.
const maxRounds = 3

// follow compares the insides of what was moved to where the edits of a node add
// something.
func (d *differ) follow(edits []edit, in tree.Node) {
	for _, e := range edits {
		if e.old.Ok() || e.link {
			continue
		}
		for _, y := range d.same.arrived(e.new, in) {
			if _, ok := d.inner[y]; ok {
				continue
			}
			outer := d.edits
			d.edits = nil
			if x := d.same.partner(y); !same(x, y) {
				d.inside(x, y)
			}
			d.inner[y] = d.edits
			d.edits = outer
			d.follow(d.inner[y], y)
		}
	}
}

// all lists the edits of a node and those in what they move.
func (d *differ) all(out, edits []edit, in tree.Node) []edit {
	for _, e := range edits {
		out = append(out, e)
		if e.new.Ok() && !e.old.Ok() && !e.link {
			for _, y := range d.same.arrived(e.new, in) {
				out = d.all(out, d.inner[y], y)
			}
		}
	}
	return out
}

// inside compares two matched nodes.
func (d *differ) inside(x, y tree.Node) {
	if x.Kind() != y.Kind() && !(branch(x) && branch(y)) {
		return
	}
	d.pair(x, y, 0)
}

// arrived lists the greatest nodes in n, or n itself, that have a partner and lie
// inside another node, if there is one. What is moved into a moved node is thus always
// smaller than that, and the way down ends.
func (m *matching) arrived(n, in tree.Node) []tree.Node {
	var out []tree.Node
	for i := n.I; i < n.Last(); {
		x := n.Tree.At(i)
		if m.partner(x).Ok() && (!in.Ok() || x != in && in.Contains(x)) {
			out = append(out, x)
			i = x.Last()
			continue
		}
		i++
	}
	return out
}

// ordered appends the edits of a node in document order: where something was moved,
// its move and then what was changed in it, for its removal and its addition.
func (d *differ) ordered(out, edits []edit, in tree.Node) []edit {
	for _, e := range edits {
		gone, came := e.old.Ok() && !e.new.Ok(), e.new.Ok() && !e.old.Ok()
		if e.link || !gone && !came {
			out = append(out, e)
			continue
		}
		if gone && !d.same.partner(e.old).Ok() || came && !d.same.partner(e.new).Ok() {
			out = append(out, e)
		}
		if came {
			for _, y := range d.same.arrived(e.new, in) {
				x := d.same.partner(y)
				out = append(out, edit{old: x, new: y, oldIn: x.Parent(), newIn: y.Parent(), move: true})
				out = d.ordered(out, d.inner[y], y)
			}
		}
	}
	return out
}

// branch tells whether a node is an if or an else-if.
func branch(n tree.Node) bool {
	return n.Is(syntax.If, syntax.ElseIf) && !strings.HasPrefix(n.Kind(), "guard")
}

// otherwise returns the block of an if's else, or none.
func otherwise(n tree.Node) tree.Node {
	e := n.Child("alternative")
	if !e.Ok() {
		e = n.First(syntax.Else)
	}
	if e.Is(syntax.Else) {
		if b := e.First(syntax.Block); b.Ok() {
			return b
		}
		if k := e.NamedKids(); len(k) == 1 {
			return k[0] // a statement without braces
		}
		return tree.Node{}
	}
	return e
}
