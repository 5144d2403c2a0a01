package treediff

import (
	"hash/maphash"
	"slices"

	"crscore/internal/limits"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
)

// likeness says how probable it is that b is what became of a: 0 for not at all, 2 for certainly. Alone nodes have no
// rival in their gap.
func (d *differ) likeness(a, b tree.Node, alone bool) float64 {
	switch {
	case punctuation(a) || punctuation(b):
		return 0
	case framed(a, b), sameField(a, b):
		return 2
	case !a.Named() && !b.Named() && alone:
		return 1 // one operator for another
	case !a.Named() || !b.Named():
	case a.Parent().Is(syntax.Parameters) && b.Parent().Is(syntax.Parameters) && tree.ParameterName(a) == tree.ParameterName(b):
		return 2 // a default or a type was put to it
	case a.Role() == b.Role() && (a.Role() != syntax.Other || a.Kind() == b.Kind()):
		return d.related(a, b, alone)
	case alone && a.Parent().Ok() && !Block(a.Parent()):
		return 0.5 // in an expression, what stands alone in its place is the same place
	}
	return 0
}

// related is the likeness of two nodes of one role.
func (d *differ) related(a, b tree.Node, alone bool) float64 {
	if name := tree.NameOf(a); Declares(a.Role()) && name != "" && name == tree.NameOf(b) {
		return 2
	}
	s := d.similar(a, b)
	if x, y := tree.Unnested(a), tree.Unnested(b); x.Is(syntax.Assign) && y.Is(syntax.Assign) && tree.Target(x) == tree.Target(y) {
		s = max(s, MinSimilar+s/4) // the same variable gets another value
	}
	switch {
	case s >= MinSimilar:
		return s
	case alone && (!Block(a.Parent()) || s >= MinSimilar/2):
		return s + 0.01
	case a.Is(syntax.Arguments, syntax.Parameters, syntax.Block, syntax.Modifier, syntax.Heritage):
		return 0.1 // a node has one of these at most
	}
	return 0
}

// sameField tells whether two nodes are the same part of what they are in, such as its condition. The names of an
// import and the arguments of a command are each in one field.
func sameField(a, b tree.Node) bool {
	p := a.Parent()
	return a.Field() != "" && a.Field() == b.Field() && !p.Is(syntax.Import, syntax.Arguments) &&
		(!Block(p) || p.Is(syntax.Case) && !tree.Statement(a) && !tree.Statement(b))
}

// similar is the Dice coefficient of the nodes' words.
func (d *differ) similar(a, b tree.Node) float64 {
	x, y := d.bag(a), d.bag(b)
	if len(x)+len(y) == 0 {
		return 0
	}
	a.Spend(len(x) + len(y))
	common, i, j := 0, 0, 0
	for i < len(x) && j < len(y) {
		switch {
		case x[i] == y[j]:
			common, i, j = common+1, i+1, j+1
		case x[i] < y[j]:
			i++
		default:
			j++
		}
	}
	return 2 * float64(common) / float64(len(x)+len(y))
}

// bag returns the sorted hashes of a node's words.
func (d *differ) bag(n tree.Node) []uint64 {
	out, ok := d.tokens[n]
	if ok || !n.Ok() {
		return out
	}
	src := n.Src[n.Start():n.End()]
	n.Spend(len(src))
	for i := 0; i < len(src) && len(out) < limits.MatchedTokens; i++ {
		from := i
		for i < len(src) && tree.WordByte(src[i]) {
			i++
		}
		if i > from {
			out = append(out, maphash.Bytes(d.seed, src[from:i]))
		}
	}
	slices.Sort(out)
	d.tokens[n] = out
	return out
}
