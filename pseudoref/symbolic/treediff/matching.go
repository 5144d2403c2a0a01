package treediff

import (
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
)

// Matching says which nodes of two trees are the same one, before and after. It is found in the way of GumTree
// (Falleri et al., ASE 2014): equal subtrees wherever they stand; functions, classes and variables by their names;
// and then, between matched nodes, what stands in the same place (differ.pair). What is still alone then, and has its
// like among what is alone on the other side, was moved and perhaps changed on the way.
type Matching struct {
	// Old and New are the trees.
	Old, New *tree.Tree

	to, from []int32 // the partner's index and 1; 0 for none
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
	m.equal()
	m.declarations()
	return m
}

// Partner returns the node that n is on the other side, or none.
func (m *Matching) Partner(n tree.Node) tree.Node {
	switch {
	case m == nil || !n.Ok():
	case n.Tree == m.Old:
		if k := m.to[n.I]; k > 0 {
			return m.New.At(int(k) - 1)
		}
	case n.Tree == m.New:
		if k := m.from[n.I]; k > 0 {
			return m.Old.At(int(k) - 1)
		}
	}
	return tree.Node{}
}

// link matches two nodes that have no partners yet.
func (m *Matching) link(a, b tree.Node) {
	if m.to[a.I] == 0 && m.from[b.I] == 0 {
		m.to[a.I], m.from[b.I] = int32(b.I)+1, int32(a.I)+1
	}
}

// linkAll matches two equal nodes and all that is in them.
func (m *Matching) linkAll(a, b tree.Node) {
	m.link(a, b)
	if n := a.Last() - a.I; n == b.Last()-b.I { // else the inside of one was not kept
		for k := 1; k < n; k++ {
			m.link(a.At(a.I+k), b.At(b.I+k))
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

// bucket holds the nodes of the old and of the new side that have the same key.
type bucket [2][]tree.Node

// single tells whether either side has one node only, so that the two are one.
func (b *bucket) single() bool { return len(b[0]) == 1 && len(b[1]) == 1 }

// key is what nodes that may be one have in common.
type key struct {
	sort, name string
	hash       uint64
}

// grouped puts those nodes of both sides that have a key and no partner into buckets by it, in the order in which the
// keys first occur.
func (m *Matching) grouped(keyOf func(tree.Node) key) (order []*bucket) {
	buckets := map[key]*bucket{}
	for side, t := range []*tree.Tree{m.Old, m.New} {
		for i := range t.Len() {
			n := t.At(i)
			k := keyOf(n)
			if k == (key{}) || m.Partner(n).Ok() {
				continue
			}
			b := buckets[k]
			if b == nil {
				b = &bucket{}
				buckets[k] = b
				order = append(order, b)
			}
			b[side] = append(b[side], n)
		}
	}
	return order
}

// equal matches equal subtrees that occur once on either side: `save(order)` wherever it stands. Those that occur
// more often are told apart by their place later.
func (m *Matching) equal() {
	for _, b := range m.grouped(func(n tree.Node) key {
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
		return key{sort: n.Kind(), hash: n.Hash()}
	}) {
		if b.single() {
			m.linkAll(b[0][0], b[1][0])
		}
	}
}

// scope names all declarations around a node, so that a method is known by its class.
func scope(n tree.Node) string {
	s := ""
	for p, i := n.Parent(), 0; p.Ok() && i < tree.MaxClimb; p, i = p.Parent(), i+1 {
		if r := p.Role(); r.IsFunction() || r.IsClass() || r == syntax.Namespace {
			s = tree.NameOf(p) + "\x00" + s
		}
	}
	return s
}

// declarations matches functions, classes and variables with the same name in the same scope; of overloads those with
// the same parameters. The others are told apart by their place later.
func (m *Matching) declarations() {
	for _, b := range m.grouped(func(n tree.Node) key {
		sort := "function"
		switch r := n.Role(); {
		case r.IsClass():
			sort = "class"
		case r == syntax.Variable || r == syntax.Field:
			sort = "variable"
		case !r.IsFunction():
			return key{}
		}
		return key{sort: sort, name: scope(n) + tree.NameOf(n)}
	}) {
		m.best(b, func(x, y tree.Node) float64 {
			p, q := x.First(syntax.Parameters), y.First(syntax.Parameters)
			if b.single() || p.Ok() && q.Ok() && p.Hash() == q.Hash() {
				return 1
			}
			return 0
		}, m.link)
	}
}

// BodyOf returns the block of a declaration, or none.
func BodyOf(n tree.Node) tree.Node {
	if b := n.Child("body"); b.Ok() {
		return b
	}
	return n.First(syntax.Block)
}

// best matches the nodes of a bucket, those with the highest score first. A score of 0 matches nothing.
func (m *Matching) best(b *bucket, score func(x, y tree.Node) float64, link func(x, y tree.Node)) {
	if len(b[0])*len(b[1]) > maxPairs {
		return
	}
	var cands []candidate
	for i, x := range b[0] {
		for j, y := range b[1] {
			if s := score(x, y); s > 0 {
				cands = append(cands, candidate{i, j, s})
			}
		}
	}
	inOrder(cands, func(i, j int) {
		if x, y := b[0][i], b[1][j]; !m.Partner(x).Ok() && !m.Partner(y).Ok() {
			link(x, y)
		}
	})
}

// leftovers matches what is alone in the edits of either side and alike, the most alike first.
func (d *differ) leftovers(edits []Edit) {
	var b bucket
	collect := func(out *[]tree.Node, n tree.Node) {
		for i := n.I; i < n.Last() && len(*out) < maxLoose; i++ {
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
			collect(&b[0], e.Old)
		case !e.Old.Ok():
			collect(&b[1], e.New)
		}
	}
	d.same.best(&b, d.alike, func(x, y tree.Node) {
		if d.same.link(x, y); Same(x, y) {
			d.same.linkAll(x, y)
		}
	})
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

// maxLoose bounds the nodes that are looked at for moves.
const maxLoose = 4000

// Owner is the function around a node, or else the class or the root.
func Owner(n tree.Node) tree.Node {
	return n.Up(func(p tree.Node) bool { return p.Role().IsFunction() || p.Role().IsClass() || !p.Parent().Ok() })
}
