package syntax

import (
	"strings"

	"crscore/internal/lang"
	"crscore/internal/limits"
)

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

// Constant reports whether an expression is true or false whatever the program does: a literal, or
// a chain of conditions that one literal decides, as in `x || true`. Of numbers only 0 and 1
// count, since another number is in no language a slip; in Ruby all numbers are true.
func (f *Fragment) Constant(n *Node) (holds, constant bool) { return f.constant(n, 0) }

func (f *Fragment) constant(n *Node, depth int) (holds, constant bool) {
	var sides []*Node
	operator := ""
	for i := range min(int(n.ChildCount()), limits.ConstantDepth) {
		switch c := n.Child(i); {
		case !c.IsNamed():
			operator += c.Type()
		case f.Role(c) != Comment:
			sides = append(sides, c)
		}
	}
	either := operator == "||" || operator == "or"
	switch role := f.Role(n); {
	case role == Bool:
		return strings.EqualFold(f.Text(n), "true"), true
	case role == Number:
		text := f.Text(n)
		return text == "1", (text == "0" || text == "1") && f.Lang != lang.Ruby
	case depth == limits.ConstantDepth:
	case role == Parens && len(sides) == 1:
		return f.constant(sides[0], depth+1)
	case role == Binary && (either || operator == "&&" || operator == "and"):
		for _, s := range sides {
			if holds, constant := f.constant(s, depth+1); constant && holds == either {
				return holds, true
			}
		}
	}
	return false, false
}
