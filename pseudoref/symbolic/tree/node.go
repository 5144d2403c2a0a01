package tree

import (
	"slices"

	"crscore/internal/limits"
	"crscore/internal/syntax"
)

// node is one node of a tree. Nodes lie in preorder, so that the subtree of nodes[i] is nodes[i:nodes[i].last] and
// nothing needs recursion.
type node struct {
	kind, field  string
	role         syntax.Role
	named        bool
	start, end   int // bytes
	parent, last int
}

// Node is one node of a tree; the zero value is no node.
type Node struct {
	*Tree
	I int // the number of the node in the tree
}

// Ok reports whether n is a node.
func (n Node) Ok() bool { return n.Tree != nil }

// Spend takes work off the meter of the node's tree.
func (n Node) Spend(work int) {
	if n.Tree != nil {
		n.Meter.Spend(work)
	}
}

// node returns the node's entry; that of no node is empty, so that every question about none is answered and none
// needs a check.
func (n Node) node() *node {
	if n.Tree == nil {
		return &node{parent: -1}
	}
	return &n.nodes[n.I]
}

// At returns the node with a number.
func (t *Tree) At(i int) Node { return Node{t, i} }

// Root returns the root node.
func (t *Tree) Root() Node { return t.At(0) }

// Len returns the number of nodes.
func (t *Tree) Len() int { return len(t.nodes) }

// Start is the first byte of the node in the text.
func (n Node) Start() int { return n.node().start }

// End is the first byte behind the node.
func (n Node) End() int { return n.node().end }

// Last is the number of the first node behind those in this one.
func (n Node) Last() int { return n.node().last }

// Kind is the name of the grammar for what the node is.
func (n Node) Kind() string { return n.node().kind }

// Field is the name of the part of its parent that the node is, or empty.
func (n Node) Field() string { return n.node().field }

// Named reports whether the node is more than a token.
func (n Node) Named() bool { return n.node().named }

// Role is the meaning of the node, the same in every language.
func (n Node) Role() syntax.Role { return n.node().role }

// Traits are the habits of the text's language; none for no node.
func (n Node) Traits() syntax.Traits {
	if n.Tree == nil || n.Frag.Table == nil {
		return syntax.Traits{}
	}
	return n.Frag.Table.Traits
}

// Is tells whether n is a node of one of the roles.
func (n Node) Is(roles ...syntax.Role) bool { return n.Ok() && n.Role().Is(roles...) }

// Text is the source text of the node.
func (n Node) Text() string {
	if !n.Ok() {
		return ""
	}
	nd := n.node()
	n.Meter.Spend(nd.end - nd.start)
	return string(n.Src[nd.start:nd.end])
}

// Size is the length of the source text.
func (n Node) Size() int { return n.node().end - n.node().start }

// Parent returns the node above, or none.
func (n Node) Parent() Node {
	if p := n.node().parent; p >= 0 {
		return Node{n.Tree, p}
	}
	return Node{}
}

// kids goes over the children, each for a unit of work.
func (n Node) kids(yield func(Node) bool) {
	for c := n.I + 1; c < n.node().last; c = n.nodes[c].last {
		n.Meter.Spend(1)
		if !yield(Node{n.Tree, c}) {
			return
		}
	}
}

// Kids lists the children, keywords and punctuation included.
func (n Node) Kids() []Node { return slices.Collect(n.kids) }

// NamedKids lists the children that are not mere tokens or comments.
func (n Node) NamedKids() []Node {
	var out []Node
	for k := range n.kids {
		if k.Named() && k.Role() != syntax.Comment {
			out = append(out, k)
		}
	}
	return out
}

// kid returns the first child for which ok says yes, or none.
func (n Node) kid(ok func(*node) bool) Node {
	for k := range n.kids {
		if ok(k.node()) {
			return k
		}
	}
	return Node{}
}

// Child returns the first child of one of the fields, those in front first, or none.
func (n Node) Child(fields ...string) Node {
	for _, f := range fields {
		if k := n.kid(func(k *node) bool { return k.field == f }); k.Ok() {
			return k
		}
	}
	return Node{}
}

// First returns the first child with one of the roles, or none.
func (n Node) First(roles ...syntax.Role) Node {
	return n.kid(func(k *node) bool { return k.role.Is(roles...) })
}

// Leaf tells whether the node has no children.
func (n Node) Leaf() bool { return n.node().last <= n.I+1 }

// Next returns the sibling after n, or none.
func (n Node) Next() Node {
	if nd := n.node(); nd.last < n.Parent().Last() {
		return Node{n.Tree, nd.last}
	}
	return Node{}
}

// Prev returns the sibling before n, or none.
func (n Node) Prev() Node {
	p := n.Parent()
	if !p.Ok() || n.I == p.I+1 {
		return Node{}
	}
	x := Node{n.Tree, n.I - 1} // the last node inside it
	for x.node().parent != p.I {
		n.Meter.Spend(1)
		x = x.Parent()
	}
	return x
}

// Find lists descendants with one of the roles, in order, at most limit; it does not look into nodes for which skip
// says yes.
func (n Node) Find(limit int, skip func(syntax.Role) bool, roles ...syntax.Role) []Node {
	var out []Node
	for i := n.I + 1; i < n.node().last && len(out) < limit; i++ {
		n.Meter.Spend(1)
		x := Node{n.Tree, i}
		if x.Is(roles...) {
			out = append(out, x)
		}
		if skip != nil && skip(x.Role()) {
			i = x.Last() - 1
		}
	}
	return out
}

// Constant reports whether an expression is true or false whatever the program does, as `true` or `x && false`.
func (n Node) Constant() (holds, constant bool) {
	if !n.Ok() {
		return false, false
	}
	at := n.Frag.Nodes.NamedAt(n.Start())
	for i := 0; at != nil && int(at.EndByte()) < n.End() && i < limits.Climb; i++ {
		at = at.Parent()
	}
	if at == nil || int(at.StartByte()) != n.Start() || int(at.EndByte()) != n.End() {
		return false, false // the parser has no such node
	}
	return n.Frag.Constant(at)
}

// Up returns the nearest node above n for which ok says yes, or none.
func (n Node) Up(ok func(Node) bool) Node {
	p := n.Parent()
	for i := 0; p.Ok() && i < limits.Climb; i, p = i+1, p.Parent() {
		n.Meter.Spend(1)
		if ok(p) {
			return p
		}
	}
	return Node{}
}

// Under returns the nearest node above n with one of the roles, or none.
func (n Node) Under(roles ...syntax.Role) Node {
	return n.Up(func(p Node) bool { return p.Is(roles...) })
}

// Hash is equal for nodes whose text is equal but for white space. It does not depend on how much of a node's inside
// was kept.
func (n Node) Hash() uint64 {
	if n.Tree == nil {
		return 0
	}
	n.Meter.Spend(1)
	return n.sums[n.End()] - n.sums[n.Start()]*hashPower(n.Letters())
}

// Rows returns the indices of the node's first and last line.
func (n Node) Rows() (int, int) {
	if n.Tree == nil {
		return 0, 0
	}
	return n.row(n.Start()), n.row(max(n.End()-1, n.Start()))
}

// LeafText tells whether a string has no code inside.
func (n Node) LeafText() bool {
	return len(n.Find(1, nil, syntax.Identifier, syntax.Member, syntax.Call)) == 0
}

// Framed tells whether the node is of the frame around a hunk, and not of the change.
func (n Node) Framed() bool { return n.Ok() && n.Frag.Framed(n.Start()) }

// Contains reports whether m is n or lies in it.
func (n Node) Contains(m Node) bool {
	return n.Ok() && m.Ok() && n.Tree == m.Tree && n.I <= m.I && m.I < n.node().last
}

// LineRange returns the node's lines in its file, counted from 1.
func (n Node) LineRange() (int, int) {
	if !n.Ok() {
		return 0, 0
	}
	a, b := n.Rows()
	return n.Frag.LinesOfRows(a, b)
}

// Letters is the length of a node's text without white space.
func (n Node) Letters() int {
	nd := n.node()
	return int(n.counts[nd.end] - n.counts[nd.start])
}

// Indented tells whether a node's line is: what is not stands in nothing, or the heading of its hunk tells of what
// ended before it.
func (n Node) Indented() bool {
	at := n.lines[n.row(n.Start())]
	return at < len(n.Src) && (n.Src[at] == ' ' || n.Src[at] == '\t')
}

// Member tells whether a name is asked of something: what has the name without a dot before it is another thing.
func Member(n Node) bool { return MemberAt(n.Src, n.node().start) }

// MemberAt is Member for the name that begins at a byte of a text.
func MemberAt(src []byte, i int) bool {
	return i > 0 && src[i-1] == '.' && (i == 1 || src[i-2] != '.') || i > 1 && src[i-1] == '>' && src[i-2] == '-'
}

// NameLike tells whether a node is a name that people choose.
func NameLike(n Node) bool { return n.Is(syntax.Identifier) || n.Kind() == "type_identifier" }
