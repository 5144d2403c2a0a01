package syntax

// #include "bounded.h"
import "C"

import (
	"iter"
	"sort"

	sitter "github.com/smacker/go-tree-sitter"
)

// NodeList is a tree as a list: the nodes in the order of the text, each node before the
// nodes inside it. No node is deeper than TreeDepth, so that a walk may recurse. Two
// goroutines must not use a NodeList at once.
type NodeList struct {
	f      *Fragment
	nodes  []C.Listed
	handed []Node // by number

	// Caches for nodes with many children, which callers visit one by one.
	child  [2]childAt // any and the named one
	counts map[countOf]uint32
	fields map[fieldOf]int
}

// childAt is a child by number.
type childAt struct{ parent, number, at int }

type countOf struct {
	parent int
	named  bool
}

type fieldOf struct {
	parent int
	field  C.uint16_t
}

// manyChildren is the number of children from which on counts and fields are cached.
const manyChildren = 32

func newNodeList(f *Fragment, nodes []C.Listed) *NodeList {
	l := &NodeList{f: f, nodes: nodes, handed: make([]Node, len(nodes))}
	for i := range l.handed {
		l.handed[i] = Node{l, i}
	}
	return l
}

// Root returns the root of the tree.
func (l *NodeList) Root() *Node { return &l.handed[0] }

// All returns the nodes in the order of the text, each node before the nodes inside it.
func (l *NodeList) All() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for i := range l.handed {
			if !yield(&l.handed[i]) {
				return
			}
		}
	}
}

// Field is n.ChildByFieldName(name).
func (l *NodeList) Field(n *Node, name string) *Node { return n.ChildByFieldName(name) }

// NamedAt returns the innermost named node around a byte of the source, or nil.
func (l *NodeList) NamedAt(at int) *Node {
	i := sort.Search(len(l.nodes), func(i int) bool { return int(l.nodes[i].start) > at }) - 1
	for i > 0 && (int(l.nodes[i].end) <= at || !bool(l.nodes[i].named)) {
		i = int(l.nodes[i].parent)
	}
	if i < 0 || int(l.nodes[i].end) <= at {
		return nil
	}
	return &l.handed[i]
}

// Node is a node of a NodeList. There is one Node for each node of the tree, so that
// pointers can be compared. The methods are those of tree-sitter's nodes.
type Node struct {
	list *NodeList
	at   int
}

// Symbol is the number of a kind of node.
type Symbol = sitter.Symbol

// errorSymbol is the kind of text that is not valid for the grammar.
const errorSymbol = 1<<16 - 1

func (n *Node) listed() *C.Listed { return &n.list.nodes[n.at] }

// StartByte is where the node starts in the source.
func (n *Node) StartByte() uint32 { return uint32(n.listed().start) }

// EndByte is the first byte after the node.
func (n *Node) EndByte() uint32 { return uint32(n.listed().end) }

// StartPoint is StartByte as a row and a column, counted from 0.
func (n *Node) StartPoint() sitter.Point {
	return sitter.Point{Row: uint32(n.listed().row), Column: uint32(n.listed().column)}
}

// EndPoint is EndByte as a row and a column, counted from 0.
func (n *Node) EndPoint() sitter.Point {
	return sitter.Point{Row: uint32(n.listed().end_row), Column: uint32(n.listed().end_column)}
}

// Symbol is the number of the node's kind.
func (n *Node) Symbol() Symbol { return Symbol(n.listed().symbol) }

// Type is the name of the node's kind.
func (n *Node) Type() string {
	if n.IsError() {
		return "ERROR"
	}
	return n.list.f.Table.loaded().kinds[n.Symbol()]
}

// IsError reports whether the text of the node is not valid for the grammar.
func (n *Node) IsError() bool { return n.Symbol() == errorSymbol }

// IsMissing reports whether the grammar inserted the node for a missing token.
func (n *Node) IsMissing() bool { return bool(n.listed().missing) }

// Content is the text of the node.
func (n *Node) Content() string { return n.list.f.Text(n) }

// Parent returns the node around the node, nil for the root.
func (n *Node) Parent() *Node {
	if n.at == 0 {
		return nil
	}
	return &n.list.handed[n.listed().parent]
}

// NextNamedSibling returns the named node that follows under the same parent, or nil.
func (n *Node) NextNamedSibling() *Node {
	nodes := n.list.nodes
	if n.at == 0 {
		return nil
	}
	for i := int(nodes[n.at].next); i < int(nodes[nodes[n.at].parent].next); i = int(nodes[i].next) {
		if nodes[i].named {
			return &n.list.handed[i]
		}
	}
	return nil
}

// IsNamed reports whether the node is more than a token.
func (n *Node) IsNamed() bool { return bool(n.listed().named) }

// HasError reports whether the node contains an error or a missing token.
func (n *Node) HasError() bool { return bool(n.listed().wrong) }

// Child returns a child by number, or nil.
func (n *Node) Child(i int) *Node { return n.child(i, false) }

// NamedChild returns a named child by number, or nil.
func (n *Node) NamedChild(i int) *Node { return n.child(i, true) }

// ChildCount returns the number of children.
func (n *Node) ChildCount() uint32 { return n.count(false) }

// NamedChildCount returns the number of named children.
func (n *Node) NamedChildCount() uint32 { return n.count(true) }

func (n *Node) child(i int, named bool) *Node {
	nodes := n.list.nodes
	last := &n.list.child[0]
	if named {
		last = &n.list.child[1]
	}
	c, number := n.at+1, 0
	if last.parent == n.at && last.at > 0 && last.number <= i {
		c, number = last.at, last.number
	}
	for ; c < int(nodes[n.at].next); c = int(nodes[c].next) {
		if named && !bool(nodes[c].named) {
			continue
		}
		if number == i {
			*last = childAt{n.at, i, c}
			return &n.list.handed[c]
		}
		number++
	}
	return nil
}

func (n *Node) count(named bool) (count uint32) {
	nodes := n.list.nodes
	key := countOf{n.at, named}
	if count, ok := n.list.counts[key]; ok {
		return count
	}
	seen := 0
	for c := n.at + 1; c < int(nodes[n.at].next); c = int(nodes[c].next) {
		if seen++; !named || bool(nodes[c].named) {
			count++
		}
	}
	if seen >= manyChildren {
		if n.list.counts == nil {
			n.list.counts = map[countOf]uint32{}
		}
		n.list.counts[key] = count
	}
	return count
}

// ChildByFieldName returns the child in a field, or nil. If a child is in two fields, as in
// Swift, the tree has one of the two.
func (n *Node) ChildByFieldName(name string) *Node {
	nodes := n.list.nodes
	if nodes[n.at].symbol == errorSymbol {
		return nil
	}
	key := fieldOf{n.at, n.list.fieldID(name)}
	if c, ok := n.list.fields[key]; ok {
		return n.list.handedAt(c)
	}
	seen, c := 0, n.at+1
	for ; c < int(nodes[n.at].next) && nodes[c].field != key.field; c = int(nodes[c].next) {
		seen++
	}
	if c == int(nodes[n.at].next) {
		c = 0
	}
	if seen >= manyChildren {
		if n.list.fields == nil {
			n.list.fields = map[fieldOf]int{}
		}
		n.list.fields[key] = c
	}
	return n.list.handedAt(c)
}

// FieldName is the name of the field that the node is in, "" for none.
func (n *Node) FieldName() string { return n.list.f.Table.loaded().fields[n.listed().field] }

// handedAt returns a node other than the root by number, nil for 0.
func (l *NodeList) handedAt(i int) *Node {
	if i == 0 {
		return nil
	}
	return &l.handed[i]
}

// fieldID returns the number of a field. A field that the grammar does not have gets a
// number that no node has.
func (l *NodeList) fieldID(name string) C.uint16_t {
	for i, field := range l.f.Table.loaded().fields[1:] {
		if field == name {
			return C.uint16_t(i + 1)
		}
	}
	return 1<<16 - 1
}

// Cursor walks over a NodeList as tree-sitter's cursor walks over a tree.
type Cursor struct {
	list *NodeList
	top  int // where it began
	at   int
}

// Cursor returns a cursor at a node of the tree.
func (l *NodeList) Cursor(n *Node) *Cursor { return &Cursor{list: l, top: n.at, at: n.at} }

// Reset puts the cursor to a node of the tree, which it does not leave.
func (c *Cursor) Reset(n *Node) { c.top, c.at = n.at, n.at }

// CurrentNode returns the node that the cursor is at.
func (c *Cursor) CurrentNode() *Node { return &c.list.handed[c.at] }

// CurrentSymbol is CurrentNode().Symbol().
func (c *Cursor) CurrentSymbol() Symbol { return Symbol(c.list.nodes[c.at].symbol) }

// CurrentBytes is where the current node starts and ends in the source.
func (c *Cursor) CurrentBytes() (start, end uint32) {
	n := &c.list.nodes[c.at]
	return uint32(n.start), uint32(n.end)
}

// CurrentLines is Fragment.Lines of the current node.
func (c *Cursor) CurrentLines() (first, last int) { return c.list.f.Lines(c.CurrentNode()) }

// CurrentFieldName returns the name of the field of the current node. It is "" for a node
// without a field, and for the node where the cursor began.
func (c *Cursor) CurrentFieldName() string {
	if c.at == c.top {
		return ""
	}
	return c.CurrentNode().FieldName()
}

// GoToFirstChild goes to the first child, if there is one.
func (c *Cursor) GoToFirstChild() bool {
	if int(c.list.nodes[c.at].next) == c.at+1 {
		return false
	}
	c.at++
	return true
}

// GoToNextSibling goes to the next sibling, if there is one.
func (c *Cursor) GoToNextSibling() bool {
	n := &c.list.nodes[c.at]
	next := int(n.next)
	if c.at == c.top || next >= int(c.list.nodes[n.parent].next) {
		return false
	}
	c.at = next
	return true
}

// GoToParent goes to the parent, unless the cursor is where it began.
func (c *Cursor) GoToParent() bool {
	if c.at == c.top {
		return false
	}
	c.at = int(c.list.nodes[c.at].parent)
	return true
}
