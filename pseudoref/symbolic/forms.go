package symbolic

import (
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// Forms without a meaning of their own: a `try` whose handlers only throw the error again,
// a variable that only carries a value to the `return` behind it, and another name for a
// variable. What stands in them is told as it is without them. See also secondName.

// neighbour returns the statement beside another, behind it or before it.
func neighbour(s tree.Node, behind bool) tree.Node {
	for s.Ok() && !treediff.Block(s.Parent()) {
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
	r := tree.Strip(neighbour(s, true))
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
	v := tree.Strip(assigned(tree.Strip(tree.Unnested(s))))
	if name == "" || !f.Ok() || !v.Is(syntax.Identifier) || v.Text() == name {
		return tree.Node{}
	}
	if tree.Unnested(s).Is(syntax.Assign) && len(s.Root().LeavesOf(name)) > len(f.LeavesOf(name)) {
		return tree.Node{} // perhaps a variable of the file
	}
	for _, x := range f.LeavesOf(name) {
		if d := x.Up(treediff.Movable); definedName(d) == name && tree.Unnested(d) != tree.Unnested(s) && !assigned(tree.Strip(tree.Unnested(d))).Contains(x) {
			return tree.Node{}
		}
	}
	return v
}
