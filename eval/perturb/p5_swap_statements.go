package perturb

import (
	"slices"
	"strings"

	"crscore/internal/lang"
	"crscore/internal/syntax"
)

// effect is what a declaration or an assignment may do beside giving a value to its variables.
type effect uint8

const (
	constant effect = iota // nothing: its values are literals
	plain                  // nothing: its values are local variables and literals
	operates               // what operators do: an object may have its own
	anything
)

// plainStatement is a declaration or an assignment.
type plainStatement struct {
	node          *syntax.Node
	effect        effect
	names, writes map[string]bool // the names that it mentions; the variables that it gives values
	own           bool            // no other function has its variables, and for Go no pointer
}

// swapStatements is p5: it exchanges two neighbouring declarations or assignments that do not
// depend on each other, the second without a call: the first such pair of a function, and where
// both texts have the function a pair that both have.
func (j *job) swapStatements() {
	pairs := map[string][2][][2]plainStatement{} // by function and side
	for u := range j.units {
		p := pairs[u.key]
		if p[u.of] = u.independent(); len(p[u.of]) == 0 {
			j.skip("functions without two plain statements that are independent")
		}
		pairs[u.key] = p
	}
	both := map[string]string{} // by function: the text of the first pair that both sides have
	for key, p := range pairs {
		has := map[string]bool{}
		for _, q := range p[1] {
			has[text(q)] = true
		}
		if i := slices.IndexFunc(p[0], func(q [2]plainStatement) bool { return has[text(q)] }); i >= 0 {
			both[key] = text(p[0][i])
		}
	}
	for u := range j.units {
		mine := pairs[u.key][u.of]
		if len(mine) == 0 {
			continue
		}
		i := slices.IndexFunc(mine, func(q [2]plainStatement) bool { return text(q) == both[u.key] })
		chosen := mine[max(i, 0)]
		u.edit.swap(where(chosen[0].node), where(chosen[1].node))
		j.places++
	}
}

func text(p [2]plainStatement) string { return p[0].node.Content() + "\n" + p[1].node.Content() }

// independent returns the pairs of neighbouring statements that may change places.
func (u *unit) independent() (out [][2]plainStatement) {
	captured := map[string]bool{} // by other functions, or by a pointer
	for n := range u.inside {
		switch r := u.frag.Role(n); {
		case r.Is(syntax.Try, syntax.With, syntax.Defer):
			return nil // what a failing statement did before may be seen
		case r == syntax.Identifier && u.frag.Enclosing(n, apart) != u.node:
			captured[n.Content()] = true
		}
	}
	for n := range u.inside {
		if u.frag.Role(n) != syntax.Block {
			continue
		}
		var last plainStatement
		for c := range children(n) {
			s, ok := u.plainStatement(c, captured)
			if ok && last.node != nil && commute(last, s) && u.alone(last.node, s.node) {
				out = append(out, [2]plainStatement{last, s})
			}
			if last = (plainStatement{}); ok {
				last = s
			}
		}
	}
	return out
}

// apart are the roles of code that may run at another time than the code around it.
func apart(r syntax.Role) bool {
	return r.IsFunction() || r.IsClass() || r.Is(syntax.Lambda, syntax.Comprehension)
}

// alone reports whether two statements have lines of their own without comments, and ends that
// the next line cannot go on from.
func (u *unit) alone(a, b *syntax.Node) bool {
	rest, _, _ := strings.Cut(u.text[b.EndByte():], "\n")
	return u.leads(a) && u.leads(b) && strings.Trim(between(u, a, b), "; \t\n") == "" && strings.Trim(rest, "; \t") == "" &&
		strings.HasSuffix(a.Content(), u.d.end) && strings.HasSuffix(b.Content(), u.d.end) && a.Content() != b.Content()
}

// commute reports whether neither statement mentions what the other writes, and at most one of
// them has effects, which the other cannot see or suffer.
func commute(a, b plainStatement) bool {
	for w := range a.writes {
		if b.names[w] {
			return false
		}
	}
	for w := range b.writes {
		if a.names[w] {
			return false
		}
	}
	return b.effect != anything && (a.effect <= plain && b.effect <= plain ||
		a.effect == constant && a.own || b.effect == constant && b.own)
}

// plainStatement reads a statement.
func (u *unit) plainStatement(n *syntax.Node, captured map[string]bool) (plainStatement, bool) {
	s := plainStatement{node: n, names: map[string]bool{}, writes: map[string]bool{}}
	switch r := u.frag.Role(n); {
	case r == syntax.Variable || r == syntax.Assign:
	case r == syntax.ExpressionStatement && n.NamedChildCount() == 1 && u.frag.Role(n.NamedChild(0)) == syntax.Assign:
	default:
		return s, false
	}
	s.own = u.d.lang != lang.Go || u.frag.Role(n) == syntax.Variable
	for c := range u.within(n) {
		if c.ChildCount() > 0 || !slices.Contains(u.d.names, c.Type()) {
			continue
		}
		name := c.Content()
		s.names[name] = true
		if m := u.d.mention(u, c); m.usage == declares || m.usage != elsewhere && u.written(c) {
			s.writes[name] = true
			s.own = s.own && !captured[name]
			if !u.local(name) {
				s.effect = anything
			}
		}
	}
	s.effect = max(s.effect, u.effectOf(n, 0))
	return s, len(s.writes) > 0
}

// effectOf is the effect of a node in a statement, below a number of assignments.
func (u *unit) effectOf(n *syntax.Node, assigns int) (e effect) {
	switch role := u.frag.Role(n); role {
	case syntax.Type, syntax.TypeArguments, syntax.Modifier, syntax.Number, syntax.Bool, syntax.Null:
		return constant
	case syntax.Identifier:
		switch m := u.d.mention(u, n); {
		case !slices.Contains(u.d.names, n.Type()) || !u.local(n.Content()):
			return anything
		case m.usage == declares || u.written(n):
			return constant
		}
		return plain
	case syntax.String:
		for c := range u.within(n) {
			if strings.Contains(c.Type(), "interpolation") || strings.Contains(c.Type(), "substitution") {
				return anything
			}
		}
		return constant
	case syntax.Assign:
		if assigns++; assigns > 1 {
			return anything
		}
	case syntax.Variable, syntax.Declarator, syntax.ExpressionStatement, syntax.Parens, syntax.Collection:
	case syntax.Conditional, syntax.Binary, syntax.Unary:
		// &x and *x are not what an operator does to a value, and a division may fail.
		op := n.ChildByFieldName("operator")
		risky := " / % // @ <- delete "
		if role == syntax.Unary {
			risky += "& * "
		}
		if op != nil && strings.Contains(risky, " "+op.Content()+" ") {
			return anything
		}
		e = operates
		if value := n.NamedChild(0); role == syntax.Unary && n.NamedChildCount() == 1 && u.frag.Role(value) == syntax.Number {
			e = constant
		}
	default:
		return anything
	}
	for c := range children(n) {
		e = max(e, u.effectOf(c, assigns))
	}
	return e
}
