package symbolic

import (
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
)

// Forms without a meaning of their own: a `try` whose handlers only throw the error again,
// a variable that only carries a value to the `return` behind it, and another name for a
// variable. What stands in them is told as it is without them. See also secondName.

// rethrows tells whether a `try` does nothing but throw again what it catches.
func rethrows(n tree.Node) bool {
	if !n.Is(syntax.Try) || n.First(syntax.Finally).Ok() || len(resources(n)) > 0 {
		return false
	}
	handlers := 0
	for _, c := range n.Kids() {
		if c.Is(syntax.Else) {
			return false
		}
		if !c.Is(syntax.Catch) {
			continue
		}
		handlers++
		b := body(c)
		if len(b) != 1 || !strip(b[0]).Is(syntax.Throw) {
			return false
		}
		switch k := strip(b[0]).NamedKids(); {
		case len(k) == 0: // Python's `raise`
		case len(k) > 1 || !k[0].Is(syntax.Identifier) || !bindsError(c, k[0]):
			return false
		}
	}
	return handlers > 0
}

// bindsError tells whether the name of a thrown error is that of the catch clause.
func bindsError(c, thrown tree.Node) bool {
	for _, x := range c.Leaves(16, syntax.Identifier) {
		if x.Text() == thrown.Text() && x != thrown {
			return true
		}
	}
	return false
}

// neighbour returns the statement beside another, behind it or before it.
func neighbour(s tree.Node, behind bool) tree.Node {
	for s.Ok() && !block(s.Parent()) {
		if s = s.Parent(); s.Is(frames...) {
			return tree.Node{}
		}
	}
	for i := 0; s.Ok() && i < tree.MaxClimb; i++ {
		if behind {
			s = s.Next()
		} else {
			s = s.Prev()
		}
		if s.Named() && !s.Is(syntax.Comment) {
			return s
		}
	}
	return tree.Node{}
}

// carrier is the `return` behind a statement that gives a variable its value only for
// it, or none.
func carrier(s tree.Node) tree.Node {
	name := definedName(s)
	if name == "" {
		return tree.Node{}
	}
	r := strip(neighbour(s, true))
	if !r.Is(syntax.Return) || exits(r) {
		return tree.Node{}
	}
	if k := r.NamedKids(); len(k) != 1 || !k[0].Is(syntax.Identifier) || k[0].Text() != name {
		return tree.Node{}
	}
	return r
}

// otherName is the variable that a statement gives another name, which nothing else sets, or none.
func otherName(s tree.Node) tree.Node {
	name := definedName(s)
	f := s.Under(syntax.Function, syntax.Constructor, syntax.Lambda)
	v := strip(assigned(strip(unnested(s))))
	if name == "" || !f.Ok() || !v.Is(syntax.Identifier) || v.Text() == name {
		return tree.Node{}
	}
	if unnested(s).Is(syntax.Assign) && len(s.Root().LeavesOf(name)) > len(f.LeavesOf(name)) {
		return tree.Node{} // perhaps a variable of the file
	}
	for _, x := range f.LeavesOf(name) {
		if d := x.Up(movable); definedName(d) == name && unnested(d) != unnested(s) && !assigned(strip(unnested(d))).Contains(x) {
			return tree.Node{}
		}
	}
	return v
}
