package syntax

// Role returns what a node means; Other for keywords and punctuation.
func (f *Fragment) Role(n *Node) Role {
	if n == nil || !n.IsNamed() || f.Framed(int(n.StartByte())) {
		return Other
	}
	return f.Table.Role(n.Type())
}

// Enclosing returns the nearest ancestor of n for whose role ok says yes, or
// nil: the function around a statement is f.Enclosing(n, Role.IsFunction).
func (f *Fragment) Enclosing(n *Node, ok func(Role) bool) *Node {
	for p := n.Parent(); p != nil; p = p.Parent() {
		if ok(f.Role(p)) {
			return p
		}
	}
	return nil
}

// Name returns the name of a declaration as it is written, or "" where it has
// none or the grammar hides it.
func (f *Fragment) Name(n *Node) string {
	identifier := func(n *Node) bool {
		return n.IsNamed() && !f.Framed(int(n.StartByte())) && f.Table.Role(n.Type()) == Identifier
	}
	// C and C++ nest the name in declarators; the depth is bounded because
	// hostile input nests without end.
	for depth := 0; n != nil && depth < 16; depth++ {
		if name := n.ChildByFieldName("name"); name != nil {
			return f.Text(name)
		}
		next := n.ChildByFieldName("declarator")
		if next == nil {
			for i := 0; i < int(n.NamedChildCount()) && i < 16; i++ {
				if c := n.NamedChild(i); identifier(c) || c.Type() == "type_identifier" {
					return f.Text(c)
				}
			}
			return ""
		}
		if identifier(next) {
			return f.Text(next)
		}
		n = next
	}
	return ""
}
