package perturb

import (
	"strings"

	"crscore/internal/syntax"
)

// swapBranches is p1: `if (c) A else B` becomes `if (!(c)) B else A`.
func (j *job) swapBranches() {
	for u := range j.units {
		for n := range u.inside {
			if u.frag.Role(n) != syntax.If || n.ChildByFieldName("alternative") == nil {
				continue
			}
			if why := u.swapIf(n); why != "" {
				j.skip(why)
			} else {
				j.places++
			}
		}
	}
}

func (u *unit) swapIf(n *syntax.Node) (why string) {
	const chain = "if with else-if"
	condition, then := n.ChildByFieldName("condition"), n.ChildByFieldName("consequence")
	other := n.ChildByFieldName("alternative")
	if p := n.Parent(); is(n, "alternative") || p != nil && u.frag.Role(p) == syntax.Else {
		return chain
	}
	switch u.frag.Role(other) {
	case syntax.ElseIf, syntax.If:
		return chain
	case syntax.Else: // a node around the block
		body := other.ChildByFieldName("body")
		if body == nil && other.NamedChildCount() == 1 {
			body = other.NamedChild(0)
		}
		if body != nil && u.frag.Role(body) == syntax.If {
			return chain
		}
		other = body
	}
	if condition == nil || then == nil || other == nil || u.frag.Role(then) != syntax.Block || u.frag.Role(other) != syntax.Block {
		return "if without blocks"
	}
	if strings.TrimSpace(between(u, condition, then)) != u.d.colon() || strings.Trim(between(u, then, other), "} \t\n") != "else"+u.d.colon() {
		return "if with comments between its parts"
	}
	if why := u.unswappable(n, condition, then, other); why != "" {
		return why
	}
	at := where(condition)
	if condition.Type() == "parenthesized_expression" && !u.d.indented {
		at = span{at.from + 1, at.to - 1}
	}
	u.edit.insert(at.from, u.d.not[0])
	u.edit.insert(at.to, u.d.not[1])
	u.edit.swap(where(then), where(other))
	return ""
}

// unswappable returns why the blocks of an if must stay.
func (u *unit) unswappable(n, condition, then, other *syntax.Node) string {
	if u.d.indented && (!u.leads(then) || !u.leads(other) || u.indent(int(then.StartByte())) != u.indent(int(other.StartByte()))) {
		return "if in one line, or with parts that are indented differently"
	}
	for c := range u.within(n) {
		switch in := where(condition).has(where(c)); {
		case in && (c.Type() == "instanceof_expression" && c.ChildByFieldName("name") != nil || strings.HasSuffix(c.Type(), "_pattern")):
			return "conditions with patterns"
		case c.Type() == "global_statement" || c.Type() == "nonlocal_statement":
			return "if with a declaration that must come first"
		}
	}
	return ""
}

// between is the text between two nodes.
func between(u *unit, a, b *syntax.Node) string { return u.text[a.EndByte():b.StartByte()] }

// colon is the sign behind the head of a block.
func (d *dialect) colon() string {
	if d.indented {
		return ":"
	}
	return ""
}
