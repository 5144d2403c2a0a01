package symbolic

import (
	"slices"

	"crscore/internal/syntax"
)

// node is one node of a tree. Nodes lie in preorder, so that the subtree of
// nodes[i] is nodes[i:nodes[i].last] and nothing needs recursion.
type node struct {
	kind, field  string
	role         syntax.Role
	named        bool
	start, end   int // bytes
	parent, last int
}

// item is one node of a tree; the zero value is no node.
type item struct {
	*tree
	i int
}

func (n item) ok() bool { return n.tree != nil }

// spend takes work off the meter of the node's tree.
func (n item) spend(work int) {
	if n.tree != nil {
		n.meter.spend(work)
	}
}

// at returns the node with a number.
func (t *tree) at(i int) item { return item{t, i} }

// len returns the number of nodes.
func (t *tree) len() int { return len(t.nodes) }

// start is the first byte of the node in the text.
func (n item) start() int { return n.node().start }

// end is the first byte behind the node.
func (n item) end() int { return n.node().end }

// last is the number of the first node behind those in this one.
func (n item) last() int { return n.node().last }

// above is the number of the node around this one, -1 for the root.
func (n item) above() int { return n.node().parent }

func (n item) kind() string { return n.node().kind }

func (n item) field() string { return n.node().field }

func (n item) named() bool { return n.node().named }

func (n item) role() syntax.Role { return n.node().role }

// traits are the habits of the text's language; none for no node.
func (n item) traits() syntax.Traits {
	if n.tree == nil || n.frag.Table == nil {
		return syntax.Traits{}
	}
	return n.frag.Table.Traits
}

// is tells whether n is a node of one of the roles.
func (n item) is(roles ...syntax.Role) bool { return n.ok() && n.role().Is(roles...) }

// text is the source text of the node.
func (n item) text() string {
	if !n.ok() {
		return ""
	}
	nd := n.node()
	n.meter.spend(nd.end - nd.start)
	return string(n.src[nd.start:nd.end])
}

// size is the length of the source text.
func (n item) size() int { return n.node().end - n.node().start }

// parent returns the node above, or none.
func (n item) parent() item {
	if !n.ok() || n.node().parent < 0 {
		return item{}
	}
	return item{n.tree, n.node().parent}
}

// kids lists the children, keywords and punctuation included.
func (n item) kids() []item {
	if !n.ok() {
		return nil
	}
	var out []item
	for c := n.i + 1; c < n.node().last; c = n.nodes[c].last {
		out = append(out, item{n.tree, c})
	}
	n.meter.spend(1 + len(out))
	return out
}

// namedKids lists the children that are not mere tokens or comments.
func (n item) namedKids() []item {
	var out []item
	for _, k := range n.kids() {
		if k.named() && k.role() != syntax.Comment {
			out = append(out, k)
		}
	}
	return out
}

// next returns the sibling after n, or none.
func (n item) next() item {
	p := n.parent()
	if !p.ok() || n.node().last >= p.node().last {
		return item{}
	}
	return item{n.tree, n.node().last}
}

// prev returns the sibling before n, or none.
func (n item) prev() item {
	p := n.parent()
	if !p.ok() || n.i == p.i+1 {
		return item{}
	}
	x := item{n.tree, n.i - 1} // the last node inside it
	for x.node().parent != p.i {
		n.meter.spend(1)
		x = x.parent()
	}
	return x
}

// leaf tells whether the node has no children.
func (n item) leaf() bool { return n.node().last <= n.i+1 }

// child returns the first child of one of the fields, or none.
func (n item) child(fields ...string) item {
	if !n.ok() {
		return item{}
	}
	for _, f := range fields {
		for c := n.i + 1; c < n.node().last; c = n.nodes[c].last {
			n.meter.spend(1)
			if n.nodes[c].field == f {
				return item{n.tree, c}
			}
		}
	}
	return item{}
}

// first returns the first child with one of the roles, or none.
func (n item) first(roles ...syntax.Role) item {
	if !n.ok() {
		return item{}
	}
	for c := n.i + 1; c < n.node().last; c = n.nodes[c].last {
		n.meter.spend(1)
		if n.nodes[c].role.Is(roles...) {
			return item{n.tree, c}
		}
	}
	return item{}
}

// find lists descendants with one of the roles, in order, at most limit; it
// does not look into nodes for which skip says yes.
func (n item) find(limit int, skip func(syntax.Role) bool, roles ...syntax.Role) []item {
	if !n.ok() {
		return nil
	}
	var out []item
	for i := n.i + 1; i < n.node().last && len(out) < limit; {
		n.meter.spend(1)
		if n.nodes[i].role.Is(roles...) {
			out = append(out, item{n.tree, i})
		}
		if skip != nil && skip(n.nodes[i].role) {
			i = n.nodes[i].last
		} else {
			i++
		}
	}
	return out
}

// maxClimb bounds the way up, since hostile input nests without end.
const maxClimb = 200

// up returns the nearest node above n for which ok says yes, or none.
func (n item) up(ok func(item) bool) item {
	p := n.parent()
	for i := 0; p.ok() && i < maxClimb; i, p = i+1, p.parent() {
		n.meter.spend(1)
		if ok(p) {
			return p
		}
	}
	return item{}
}

// under returns the nearest node above n with one of the roles, or none.
func (n item) under(roles ...syntax.Role) item {
	return n.up(func(p item) bool { return p.is(roles...) })
}

// hash is equal for nodes whose text is equal but for white space. It does not
// depend on how much of a node's inside was kept.
func (n item) hash() uint64 {
	if n.tree == nil {
		return 0
	}
	n.meter.spend(1)
	return n.hashRange(n.node().start, n.node().end)
}

// rows returns the indices of the node's first and last line.
func (n item) rows() (int, int) {
	if n.tree == nil {
		return 0, 0
	}
	nd := n.node()
	end := nd.end
	for end > nd.start && n.src[end-1] == '\n' {
		end--
	}
	return n.row(nd.start), n.row(max(end-1, nd.start))
}

// leafText tells whether a string has no code inside.
func (n item) leafText() bool {
	return len(n.find(1, nil, syntax.Identifier, syntax.Member, syntax.Call)) == 0
}

func (n item) contains(m item) bool {
	return n.ok() && m.ok() && n.tree == m.tree && n.i <= m.i && m.i < n.node().last
}

// leaves lists the nodes without children, of some roles, in n and n itself.
func (n item) leaves(limit int, roles ...syntax.Role) []item {
	var out []item
	for i := n.i; i < n.node().last && len(out) < limit; i++ {
		if x := (item{n.tree, i}); x.leaf() && x.is(roles...) {
			out = append(out, x)
		}
	}
	return out
}

// lineRange returns the node's lines in its file, counted from 1.
func (n item) lineRange() (int, int) {
	if !n.ok() {
		return 0, 0
	}
	a, b := n.rows()
	return n.frag.LinesOfRows(a, b)
}

// letters is the length of a node's text without white space.
func (n item) letters() int {
	nd := n.node()
	return int(n.counts[nd.end] - n.counts[nd.start])
}

// kidOf tells whether a node has a child of a kind.
func (n item) kidOf(kind string) bool {
	return slices.ContainsFunc(n.kids(), func(k item) bool { return k.kind() == kind })
}

// indented tells whether a node's line is: what is not stands in nothing, or the
// heading of its hunk tells of what ended before it.
func (n item) indented() bool {
	start := n.node().start
	row := n.src[n.lines[n.row(start)]:start]
	return len(row) > 0 && (row[0] == ' ' || row[0] == '\t') || start < len(n.src) && (n.src[start] == ' ' || n.src[start] == '\t')
}

// member tells whether a name is asked of something: what has the name without
// a dot before it is another thing.
func member(n item) bool { return memberAt(n.src, n.node().start) }

func memberAt(src []byte, i int) bool {
	return i > 0 && src[i-1] == '.' && (i == 1 || src[i-2] != '.') || i > 1 && src[i-1] == '>' && src[i-2] == '-'
}

// nameLike tells whether a node is a name that people choose.
func nameLike(n item) bool {
	return n.is(syntax.Identifier) || n.kind() == "type_identifier"
}

func (n item) prevOrNext(next bool) item {
	if next {
		return n.next()
	}
	return n.prev()
}
