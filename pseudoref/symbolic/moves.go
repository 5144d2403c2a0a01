package symbolic

import (
	"strings"

	"crscore/internal/syntax"
)

// maxRounds bounds how often what is alone is looked at for moves: in what was
// moved and changed there may be more of it.
const maxRounds = 3

// follow compares the insides of what was moved to where the edits of a node add
// something.
func (d *differ) follow(edits []edit, in item) {
	for _, e := range edits {
		if e.old.ok() || e.link {
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
func (d *differ) all(out, edits []edit, in item) []edit {
	for _, e := range edits {
		out = append(out, e)
		if e.new.ok() && !e.old.ok() && !e.link {
			for _, y := range d.same.arrived(e.new, in) {
				out = d.all(out, d.inner[y], y)
			}
		}
	}
	return out
}

// inside compares two matched nodes.
func (d *differ) inside(x, y item) {
	if x.kind() != y.kind() && !(branch(x) && branch(y)) {
		return
	}
	d.pair(x, y, 0)
}

// arrived lists the greatest nodes in n, or n itself, that have a partner and lie
// inside another node, if there is one. What is moved into a moved node is thus always
// smaller than that, and the way down ends.
func (m *matching) arrived(n, in item) []item {
	var out []item
	for i := n.i; i < n.last(); {
		x := n.tree.at(i)
		if m.partner(x).ok() && (!in.ok() || x != in && in.contains(x)) {
			out = append(out, x)
			i = x.last()
			continue
		}
		i++
	}
	return out
}

// ordered appends the edits of a node in document order: where something was moved,
// its move and then what was changed in it, for its removal and its addition.
func (d *differ) ordered(out, edits []edit, in item) []edit {
	for _, e := range edits {
		gone, came := e.old.ok() && !e.new.ok(), e.new.ok() && !e.old.ok()
		if e.link || !gone && !came {
			out = append(out, e)
			continue
		}
		if gone && !d.same.partner(e.old).ok() || came && !d.same.partner(e.new).ok() {
			out = append(out, e)
		}
		if came {
			for _, y := range d.same.arrived(e.new, in) {
				x := d.same.partner(y)
				out = append(out, edit{old: x, new: y, oldIn: x.parent(), newIn: y.parent(), move: true})
				out = d.ordered(out, d.inner[y], y)
			}
		}
	}
	return out
}

// branch tells whether a node is an if or an else-if.
func branch(n item) bool {
	return n.is(syntax.If, syntax.ElseIf) && !strings.HasPrefix(n.kind(), "guard")
}

// otherwise returns the block of an if's else, or none.
func otherwise(n item) item {
	e := n.child("alternative")
	if !e.ok() {
		e = n.first(syntax.Else)
	}
	if e.is(syntax.Else) {
		if b := e.first(syntax.Block); b.ok() {
			return b
		}
		if k := e.namedKids(); len(k) == 1 {
			return k[0] // a statement without braces
		}
		return item{}
	}
	return e
}
