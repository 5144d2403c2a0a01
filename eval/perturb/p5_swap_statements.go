package perturb

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
)

// simple is a declaration or an assignment of local names and literals alone.
type simple struct {
	node          *syntax.Node
	reads, writes map[string]bool
}

// swapStatements is p5: it exchanges two neighbouring statements that do not depend on each
// other, the first such pair of a function, and where both texts have the function a pair that
// both have.
func (j *job) swapStatements() {
	pairs := map[string][2][][2]simple{}
	for k, s := range []*side{j.old, j.new} {
		if s == nil {
			continue
		}
		for _, u := range s.units {
			p := pairs[u.key]
			p[k] = u.independent()
			if len(p[k]) == 0 {
				j.skip("functions without two plain statements that are independent")
			}
			pairs[u.key] = p
		}
	}
	for u := range j.units {
		both := pairs[u.key]
		mine, other := both[0], both[1]
		if u.side == j.new {
			mine, other = other, mine
		}
		if len(mine) == 0 {
			continue
		}
		chosen := mine[0]
		if len(other) > 0 {
			// The first of the old text that the new text has, so that both sides choose alike.
			i := slices.IndexFunc(both[0], func(p [2]simple) bool {
				return slices.ContainsFunc(both[1], func(q [2]simple) bool { return text(p) == text(q) })
			})
			if i >= 0 {
				k := slices.IndexFunc(mine, func(p [2]simple) bool { return text(p) == text(both[0][i]) })
				chosen = mine[k]
			}
		}
		u.edit.swap(where(chosen[0].node), where(chosen[1].node))
		j.places++
	}
}

func text(p [2]simple) string { return p[0].node.Content() + "\n" + p[1].node.Content() }

// independent returns the pairs of neighbouring statements that may change places.
func (u *unit) independent() (out [][2]simple) {
	for n := range u.inside {
		if u.frag.Role(n) == syntax.Try {
			return nil // what a failing statement did before is seen there
		}
	}
	for n := range u.inside {
		if u.frag.Role(n) != syntax.Block {
			continue
		}
		var last simple
		for i := range int(n.NamedChildCount()) {
			s, ok := u.simple(n.NamedChild(i))
			if ok && last.node != nil && apart(last, s) && u.alone(last.node, s.node) {
				out = append(out, [2]simple{last, s})
			}
			last = simple{}
			if ok {
				last = s
			}
		}
	}
	return out
}

// alone reports whether two statements have lines of their own without comments.
func (u *unit) alone(a, b *syntax.Node) bool {
	rest, _, _ := strings.Cut(u.text[b.EndByte():], "\n")
	return u.leads(a) && u.leads(b) && strings.Trim(between(u, a, b), "; \t\n") == "" && strings.Trim(rest, "; \t") == "" &&
		a.Content() != b.Content()
}

// apart reports whether neither statement reads or writes what the other writes.
func apart(a, b simple) bool {
	for w := range a.writes {
		if b.reads[w] || b.writes[w] {
			return false
		}
	}
	for w := range b.writes {
		if a.reads[w] {
			return false
		}
	}
	return true
}

// simple reads a statement.
func (u *unit) simple(n *syntax.Node) (simple, bool) {
	s := simple{n, map[string]bool{}, map[string]bool{}}
	assigns := 0
	var walk func(n *syntax.Node) bool
	walk = func(n *syntax.Node) bool {
		switch role := u.frag.Role(n); role {
		case syntax.Type, syntax.TypeArguments, syntax.Modifier, syntax.Number, syntax.Bool, syntax.Null:
			return true
		case syntax.Identifier:
			name := n.Content()
			if !slices.Contains(u.d.names, n.Type()) || !u.local(name) {
				return false
			}
			if m := u.d.mention(u, n); m.usage == declares || u.written(n) {
				s.writes[name] = true
			} else {
				s.reads[name] = true
			}
			return true
		case syntax.String:
			for c := range within(n) {
				if strings.Contains(c.Type(), "interpolation") || strings.Contains(c.Type(), "substitution") {
					return false
				}
			}
			return true
		case syntax.Assign:
			if assigns++; assigns > 1 {
				return false
			}
		case syntax.Variable, syntax.Declarator, syntax.ExpressionStatement, syntax.Parens, syntax.Conditional:
		case syntax.Binary, syntax.Unary:
			if op := n.ChildByFieldName("operator"); op != nil && slices.Contains([]string{"/", "%", "//", "@", "<-", "&", "*", "delete"}, op.Content()) &&
				(role == syntax.Unary || op.Content() != "&" && op.Content() != "*") {
				return false
			}
		default:
			return false
		}
		for i := range int(n.NamedChildCount()) {
			if !walk(n.NamedChild(i)) {
				return false
			}
		}
		return true
	}
	switch u.frag.Role(n) {
	case syntax.Variable, syntax.ExpressionStatement, syntax.Assign:
		ok := walk(n) && len(s.writes) > 0
		return s, ok
	}
	return s, false
}
