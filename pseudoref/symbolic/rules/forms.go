package rules

import (
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// Forms without a meaning of their own: a `try` whose handlers only throw the error again,
// a variable that only carries a value to the `return` behind it, and another name for a
// variable. What stands in them is told as it is without them. See also secondName.

// otherName is the variable that a statement gives another name, which nothing else sets, or none.
func otherName(s tree.Node) tree.Node {
	name := phrase.DefinedName(s)
	f := s.Under(syntax.Function, syntax.Constructor, syntax.Lambda)
	v := tree.Strip(phrase.Assigned(tree.Strip(tree.Unnested(s))))
	if name == "" || !f.Ok() || !v.Is(syntax.Identifier) || v.Text() == name {
		return tree.Node{}
	}
	if tree.Unnested(s).Is(syntax.Assign) && len(s.Root().LeavesOf(name)) > len(f.LeavesOf(name)) {
		return tree.Node{} // perhaps a variable of the file
	}
	for _, x := range f.LeavesOf(name) {
		if d := x.Up(treediff.Movable); phrase.DefinedName(d) == name && tree.Unnested(d) != tree.Unnested(s) && !phrase.Assigned(tree.Strip(tree.Unnested(d))).Contains(x) {
			return tree.Node{}
		}
	}
	return v
}
