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
func (f *Fragment) Name(n *sitter.Node) string {
	// C and C++ nest the name in declarators; the depth is bounded because
	// hostile input nests without end.
	for depth := 0; n != nil && depth < 16; depth++ {
		if name := n.ChildByFieldName("name"); name != nil {
			return f.Text(name)
		}
		next := n.ChildByFieldName("declarator")
		if next == nil {
			for i := 0; i < int(n.NamedChildCount()) && i < 16; i++ {
				c := n.NamedChild(i)
				if f.Role(c) == Identifier || c.Type() == "type_identifier" {
					return f.Text(c)
				}
			}
			return ""
		}
		if f.Role(next) == Identifier {
			return f.Text(next)
		}
		n = next
	}
	return ""
}
