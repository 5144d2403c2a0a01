package treediff

import (
	"crscore/internal/limits"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
)

// Matching says which nodes of two trees are the same one, before and after. It is found in the way of GumTree
// (Falleri et al., ASE 2014): equal subtrees wherever they stand; functions, classes and variables by their names;
// and then, between matched nodes, what stands in the same place (differ.pair). What is still alone then, and has its
// like among what is alone on the other side, was moved and perhaps changed on the way.
type Matching struct {
	Old, New *tree.Tree // the trees
	to, from []int32    // the partner's index and 1; 0 for none
}

const (
	MinAnchor    = 12  // characters in equal statements, below which they are alike by chance
	minUnique    = 9   // the same for an assignment that occurs once
	minLeaving   = 24  // the same for what leaves a function: returns are often equal
	minMovedLike = 0.6 // likeness above which a statement was moved and changed
)

// match finds what is the same in two trees, but for what only its place shows.
func match(old, new *tree.Tree) *Matching {
	m := &Matching{Old: old, New: new, to: make([]int32, old.Len()), from: make([]int32, new.Len())}
	m.unique(text)
	m.unique(signature)
	m.unique(declared)
	return m
}

// Partner returns the node that n is on the other side, or none.
func (m *Matching) Partner(n tree.Node) tree.Node {
	if m == nil || !n.Ok() || n.Tree != m.Old && n.Tree != m.New {
		return tree.Node{}
	}
	partners, other := m.to, m.New
	if n.Tree == m.New {
		partners, other = m.from, m.Old
	}
	if k := partners[n.I]; k > 0 {
		return other.At(int(k) - 1)
	}
	return tree.Node{}
}

// link matches two nodes, if neither has a partner yet, and all that is in them where they are equal.
func (m *Matching) link(a, b tree.Node) {
	size := 1
	switch n := a.Last() - a.I; {
	case m.to[a.I] != 0 || m.from[b.I] != 0:
		return
	case n == b.Last()-b.I && Same(a, b): // else the inside of one was not kept
		size = n
	}
	for k := range size {
		if i, j := a.I+k, b.I+k; m.to[i] == 0 && m.from[j] == 0 {
			m.to[i], m.from[j] = int32(j)+1, int32(i)+1
		}
	}
}

// mates tells whether what two nodes wrap is known to be one, and whether it may be: a function that is exported now
// is still the same function.
func (m *Matching) mates(a, b tree.Node) (are, may bool) {
	a, b = tree.Unnested(a), tree.Unnested(b)
	x, y := m.Partner(a), m.Partner(b)
	return x.Ok() && x == b, x == b || !x.Ok() && !y.Ok()
}

// Movable tells whether nodes are matched wherever they stand: statements and declarations, such as what stands
// before a modifier of Ruby: `save(a) if b`. A block goes with what has it.
func Movable(n tree.Node) bool {
	return n.Named() && !n.Is(syntax.Block) &&
		(tree.Statement(n) || n.Parent().Is(syntax.Block) || n.Field() == "consequence" && n.Parent().Is(syntax.If))
}

// key is what two nodes have in common that are one, if no other node of their sides has the same: their kind and
// text, or the name of what they declare, with its scope and perhaps its parameters.
type key struct {
	of   string
	hash uint64
}

// unique matches nodes that have no partner by a key that occurs once on either side.
func (m *Matching) unique(keyOf func(tree.Node) key) {
	buckets := map[key]*[2][]tree.Node{}
	var order []*[2][]tree.Node
	for side, t := range []*tree.Tree{m.Old, m.New} {
		for i := range t.Len() {
			n := t.At(i)
			if m.Partner(n).Ok() {
				continue
			}
			k := keyOf(n)
			if k == (key{}) {
				continue
			}
			b := buckets[k]
			if b == nil {
				b = &[2][]tree.Node{}
				buckets[k] = b
				order = append(order, b)
			}
			b[side] = append(b[side], n)
		}
	}
	for _, b := range order {
		if len(b[0]) == 1 && len(b[1]) == 1 {
			m.link(b[0][0], b[1][0])
		}
	}
}

// text is the key of a statement that may have moved anywhere, such as `save(order)`. Short ones are equal by chance.
func text(n tree.Node) key {
	least := MinAnchor
	switch s := tree.Strip(n); {
	case s.Is(syntax.Assign, syntax.AugAssign):
		least = minUnique
	case s.Is(syntax.Return, syntax.Throw):
		least = minLeaving
	}
	if n.Letters() < least && !n.Is(syntax.Import) || !Movable(n) {
		return key{}
	}
	return key{n.Kind(), n.Hash()}
}

// signature is the key of a function among overloads: its name and its parameters.
func signature(n tree.Node) key {
	if !n.Role().IsFunction() {
		return key{}
	}
	return key{declared(n).of, n.First(syntax.Parameters).Hash()}
}

// declared is the key of a function, a class or a variable: its name and those of all declarations around it, so that
// a method is known by its class.
func declared(n tree.Node) key {
	sort := "function"
	switch r := n.Role(); {
	case r.IsClass():
		sort = "class"
	case r == syntax.Variable || r == syntax.Field:
		sort = "variable"
	case !r.IsFunction():
		return key{}
	}
	s := tree.NameOf(n)
	for p, i := n.Parent(), 0; p.Ok() && i < limits.Climb; p, i = p.Parent(), i+1 {
		if r := p.Role(); r.IsFunction() || r.IsClass() || r == syntax.Namespace {
			s = tree.NameOf(p) + "\x00" + s
		}
	}
	return key{of: sort + "\x00" + s}
}

// BodyOf returns the block of a declaration, or none.
func BodyOf(n tree.Node) tree.Node {
	if b := n.Child("body"); b.Ok() {
		return b
	}
	return n.First(syntax.Block)
}

// leftovers matches what is alone in the edits of either side and alike, the most alike first.
func (d *differ) leftovers(edits []Edit) {
	var loose [2][]tree.Node
	collect := func(out *[]tree.Node, n tree.Node) {
		for i := n.I; i < n.Last() && len(*out) < limits.LooseNodes; i++ {
			if x := n.At(i); d.same.Partner(x).Ok() {
				i = x.Last() - 1
			} else if x.Parent().Is(syntax.Parameters) || Movable(x) && !x.Is(syntax.Import) && x.Letters() >= MinAnchor {
				*out = append(*out, x)
			}
		}
	}
	for _, e := range edits {
		switch {
		case !e.New.Ok():
			collect(&loose[0], e.Old)
		case !e.Old.Ok():
			collect(&loose[1], e.New)
		}
	}
	x, y := loose[0], loose[1]
	mostAlike(len(x), len(y), func(i, j int) float64 { return d.alike(x[i], y[j]) }, func(i, j int) { d.same.link(x[i], y[j]) })
}

// alike says how alike two nodes are that were moved and perhaps changed; 0 if not enough.
func (d *differ) alike(x, y tree.Node) float64 {
	r, p, q, kin, same := x.Role(), x.Parent(), y.Parent(), tree.Strip(x).Role() == tree.Strip(y).Role(), Same(x, y)
	switch {
	case p.Is(syntax.Parameters) || q.Is(syntax.Parameters):
		if same && p.Ok() && d.same.Partner(p) == q {
			return 1 // the order changed
		}
		return 0
	case !same && (!kin || r == syntax.Comment || r.IsFunction() && tree.NameOf(x) == tree.NameOf(y)):
		return 0 // functions of one name that are one were matched by it
	case !same && (Branch(x) || r == syntax.Loop) && d.similar(tree.Condition(x), tree.Condition(y)) < minMovedLike:
		return 0
	}
	s := d.similar(x, y)
	switch words := min(len(d.bag(x)), len(d.bag(y))); {
	case d.same.Partner(Owner(x)) == Owner(y) && s >= MinSimilar:
		return s + 0.2 // what stays in its function is sooner the same
	case s >= 0.75 && words >= 6:
		return s
	}
	return 0
}

// Owner is the function around a node, or else the class or the root.
func Owner(n tree.Node) tree.Node {
	return n.Up(func(p tree.Node) bool { return p.Role().IsFunction() || p.Role().IsClass() || !p.Parent().Ok() })
}
