package syntax

import (
	sitter "github.com/smacker/go-tree-sitter"
)

// Role returns what a node means; Other for keywords and punctuation.
func (f *Fragment) Role(n *sitter.Node) Role {
	if n == nil || !n.IsNamed() || f.Framed(int(n.StartByte())) {
		return Other
	}
	return f.Table.Role(n.Type())
}

// Enclosing returns the nearest ancestor of n for whose role ok says yes, or
// nil: the function around a statement is f.Enclosing(n, Role.IsFunction).
func (f *Fragment) Enclosing(n *sitter.Node, ok func(Role) bool) *sitter.Node {
	for p := n.Parent(); p != nil; p = p.Parent() {
		if ok(f.Role(p)) {
			return p
		}
	}
	return nil
}

// Name returns the name of a declaration as it is written, or "" where it has
// none or the grammar hides it.
func (f *Fragment) Name(n *Node) string { return nameOf(f, n) }

// TreeName is Name for a node of tree-sitter's own.
func (f *Fragment) TreeName(n *sitter.Node) string { return nameOf(f, n) }

// eitherNode is what a node of tree-sitter's own and one of a NodeList have in common.
type eitherNode[N any] interface {
	comparable
	StartByte() uint32
	EndByte() uint32
	Type() string
	IsNamed() bool
	NamedChild(int) N
	NamedChildCount() uint32
	ChildByFieldName(string) N
}

func nameOf[N eitherNode[N]](f *Fragment, n N) string {
	var none N
	text := func(n N) string { return string(f.Source[n.StartByte():n.EndByte()]) }
	identifier := func(n N) bool {
		return n.IsNamed() && !f.Framed(int(n.StartByte())) && f.Table.Role(n.Type()) == Identifier
	}
	// C and C++ nest the name in declarators; the depth is bounded because
	// hostile input nests without end.
	for depth := 0; n != none && depth < 16; depth++ {
		if name := n.ChildByFieldName("name"); name != none {
			return text(name)
		}
		next := n.ChildByFieldName("declarator")
		if next == none {
			for i := 0; i < int(n.NamedChildCount()) && i < 16; i++ {
				if c := n.NamedChild(i); identifier(c) || c.Type() == "type_identifier" {
					return text(c)
				}
			}
			return ""
		}
		if identifier(next) {
			return text(next)
		}
		n = next
	}
	return ""
}
