package treediff

import (
	"iter"
	"maps"
	"slices"
	"sort"

	"crscore/pseudoref/symbolic/tree"

	"crscore/internal/syntax"
)

// Matching says which nodes of two trees are the same one, before and after.
// It is found in the way of GumTree (Falleri et al., ASE 2014): equal subtrees
// wherever they stand, the greatest first; declarations by their names, then by
// their bodies; what holds enough of what was matched; and at last, between
// matched nodes, what stands in the same place (differ.pair). What is still
// alone then, and has its like among what is alone on the other side, was
// moved and perhaps changed on the way.
type Matching struct {
	// Old and New are the trees.
	Old, New *tree.Tree

	to, from []int32 // the partner's index and 1; 0 for none
	work     int     // what is left of maxWork
	links    int     // pairs so far
	words    *differ
}

const (
	maxWork      = 1 << 22 // steps that are spent on matching containers
	MinAnchor    = 12      // characters in equal statements, below which they are alike by chance
	minUnique    = 9       // the same for an assignment, which is matched only where it is alone in its function
	minFar       = 24      // the same for those in differently named functions
	minDice      = 0.4     // share of matched descendants above which containers are one
	minMovedLike = 0.6     // likeness above which a statement was moved and changed
	minBodyLike  = 0.6     // likeness of bodies above which a declaration was renamed
)

// match finds what is the same in two trees, but for what only its place shows.
func match(old, new *tree.Tree, words *differ) *Matching {
	m := &Matching{Old: old, New: new, to: make([]int32, old.Len()), from: make([]int32, new.Len()), work: maxWork, words: words}
	m.equal()
	m.declarations()
	m.containers()
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
	if m != nil && a.Tree == m.Old && b.Tree == m.New && m.to[a.I] == 0 && m.from[b.I] == 0 {
		m.to[a.I], m.from[b.I] = int32(b.I)+1, int32(a.I)+1
		m.links++
	}
}

// linkOut is link, also for the wrappers that both nodes have.
func (m *Matching) linkOut(a, b tree.Node) {
	m.link(a, b)
	for {
		p, q := a.Parent(), b.Parent()
		if !p.Ok() || !q.Ok() || tree.Unnested(p) != tree.Unnested(a) || tree.Unnested(q) != tree.Unnested(b) {
			return
		}
		m.link(p, q)
		a, b = p, q
	}
}

// linkAll matches two equal nodes and all that is in them.
func (m *Matching) linkAll(a, b tree.Node) {
	m.link(a, b)
	if m == nil || a.Last()-a.I != b.Last()-b.I {
		return // the inside of one was not kept
	}
	for k := 1; k < a.Last()-a.I; k++ {
		m.link(a.Tree.At(a.I+k), b.Tree.At(b.I+k))
	}
}

// mates tells whether two nodes are known to be one, or what they wrap is; and
// whether they may be.
func (m *Matching) mates(a, b tree.Node) (are, may bool) {
	find := func(n tree.Node) tree.Node {
		p := m.Partner(n)
		if !p.Ok() {
			p = m.Partner(tree.Unnested(n))
		}
		return p
	}
	x, y := find(a), find(b)
	are = x.Ok() && (x == b || x == tree.Unnested(b))
	return are, are || !x.Ok() && !y.Ok()
}

// otherCallback tells whether two calls are handed a function and are not of the
// same function: what they hold in common was moved, and not they.
func otherCallback(a, b tree.Node) bool {
	x, y := tree.Strip(tree.Unnested(a)), tree.Strip(tree.Unnested(b))
	return takesFunction(x) && takesFunction(y) && tree.Callee(x) != tree.Callee(y)
}

// Movable tells whether nodes are matched wherever they stand: statements and
// declarations. A block goes with what has it.
func Movable(n tree.Node) bool {
	if n.Is(syntax.Loop, syntax.Switch) && n.Parent().Is(syntax.Variable, syntax.Declarator, syntax.Field, syntax.Assign, syntax.Return, syntax.Arguments) {
		return false // an expression
	}
	return n.Named() && !n.Is(syntax.Block) && (tree.Statement(n) || n.Parent().Is(syntax.Block) || n.Field() == "consequence" && n.Parent().Is(syntax.If))
}

// Subtree is equal for nodes of one kind with equal text.
type Subtree struct {
	kind string
	hash uint64
}

// SubtreeOf is the subtree under a node.
func SubtreeOf(n tree.Node) Subtree { return Subtree{n.Kind(), n.Hash()} }

// bucket holds the equal nodes of both sides.
type bucket struct{ old, new []tree.Node }

// letters is the length of each of its nodes, which are equal.
func (b *bucket) letters() int {
	if len(b.old) > 0 {
		return b.old[0].Letters()
	}
	return b.new[0].Letters()
}

// grouped puts those nodes of both sides that have a key into buckets by it, in the
// order in which the keys first occur.
func grouped[K comparable](m *Matching, ns iter.Seq[tree.Node], keyOf func(tree.Node) (K, bool)) []*bucket {
	buckets := map[K]*bucket{}
	var order []*bucket
	for n := range ns {
		k, ok := keyOf(n)
		if !ok {
			continue
		}
		b := buckets[k]
		if b == nil {
			b = &bucket{}
			buckets[k] = b
			order = append(order, b)
		}
		if n.Tree == m.Old {
			b.old = append(b.old, n)
		} else {
			b.new = append(b.new, n)
		}
	}
	return order
}

// nodes are those of both sides.
func (m *Matching) nodes(yield func(tree.Node) bool) {
	for _, t := range []*tree.Tree{m.Old, m.New} {
		for i := range t.Len() {
			if !yield(t.At(i)) {
				return
			}
		}
	}
}

// equal matches equal subtrees that occur once on either side, the greatest
// first. Those that occur more often are told apart by their place later.
func (m *Matching) equal() {
	order := grouped(m, m.nodes, func(n tree.Node) (Subtree, bool) {
		least := MinAnchor
		if tree.Strip(n).Is(syntax.Assign, syntax.AugAssign) {
			least = minUnique
		}
		if !Movable(n) || n.Letters() < least && !n.Is(syntax.Import) || n.Is(syntax.Return, syntax.Throw) && n.Letters() < minFar {
			return Subtree{}, false
		}
		return SubtreeOf(n), true
	})
	order = slices.DeleteFunc(order, func(b *bucket) bool { return len(b.old) == 0 || len(b.new) == 0 })
	sort.SliceStable(order, func(i, j int) bool { return order[i].old[0].Letters() > order[j].old[0].Letters() })
	for _, b := range order {
		x, y := m.alone(b.old), m.alone(b.new)
		if len(x) == 1 && len(y) == 1 && near2(x[0], y[0]) {
			m.linkAll(x[0], y[0])
		}
	}
}

// alone leaves out nodes that have a partner.
func (m *Matching) alone(ns []tree.Node) []tree.Node {
	var out []tree.Node
	for _, n := range ns {
		if !m.Partner(n).Ok() {
			out = append(out, n)
		}
	}
	return out
}

// near2 tells whether equal nodes are the same one and not alike by chance, as
// short ones in different functions are.
func near2(a, b tree.Node) bool {
	return a.Letters() >= minFar || a.Is(syntax.Import) || scopeName(a) == scopeName(b)
}

// scopeName is the name of the function, or else the class, around a node.
func scopeName(n tree.Node) string {
	p := n.Up(func(p tree.Node) bool { return p.Role().IsFunction() || p.Role().IsClass() })
	return tree.NameOf(p)
}

// scope names all declarations around a node.
func scope(n tree.Node) string {
	s := ""
	for p, i := n.Parent(), 0; p.Ok() && i < tree.MaxClimb; p, i = p.Parent(), i+1 {
		switch {
		case p.Role().IsFunction(), p.Role().IsClass(), p.Is(syntax.Namespace):
			s = tree.NameOf(p) + "\x00" + s
		case p.Is(syntax.Lambda):
			name, _, callback := tree.LambdaName(p, "")
			s = name + "\x01" + callback + "\x00" + s
		}
	}
	return s
}

// declaration tells whether a node is matched by its name, and what it is.
func declaration(n tree.Node) (class string, ok bool) {
	switch r := n.Role(); {
	case r == syntax.Function, r == syntax.Constructor:
		return "function", true
	case r.IsClass(), r == syntax.TypeAlias:
		return "class", true
	case r == syntax.Namespace:
		return "namespace", true
	case r == syntax.EnumMember:
		return "member", true
	case r == syntax.Field, r == syntax.Variable && n.Parent().Ok():
		return "variable", true
	case r == syntax.ExpressionStatement || r == syntax.Call:
		if c := tree.Strip(n); c.Is(syntax.Call) && (r == syntax.Call || c != n) && Movable(n) {
			if name, ok := tree.TestCall(c); ok {
				return "test " + name, true
			}
		}
	}
	return "", false
}

// declarations matches what has a name: with the same name in the same scope, then with
// another name and a similar body.
func (m *Matching) declarations() {
	type key struct{ class, scope, name string }
	group := func(k func(tree.Node, string) key) []*bucket {
		return grouped(m, m.nodes, func(n tree.Node) (key, bool) {
			class, ok := declaration(n)
			if !ok || m.Partner(n).Ok() {
				return key{}, false
			}
			return k(n, class), true
		})
	}
	for _, b := range group(func(n tree.Node, class string) key { return key{class, scope(n), tree.NameOf(n)} }) {
		if len(b.old) == 1 && len(b.new) == 1 {
			m.linkOut(b.old[0], b.new[0])
			continue
		}
		m.best(b, func(x, y tree.Node) float64 {
			p, q := x.First(syntax.Parameters), y.First(syntax.Parameters)
			if p.Ok() && q.Ok() && p.Hash() == q.Hash() {
				return 2 // of overloads, the one with the same parameters
			}
			if !x.Role().IsFunction() {
				return 0 // the place decides
			}
			return m.words.similar(x, y)
		}, m.linkOut)
	}
	for _, b := range group(func(n tree.Node, class string) key { return key{class, scope(n), ""} }) {
		if b.old != nil && (b.old[0].Role().IsFunction() || b.old[0].Role().IsClass()) {
			m.best(b, m.bodies, m.linkOut)
		}
	}
}

// bodies says how alike two declarations are but for their names, 0 if not
// enough. Of short ones more is asked.
func (m *Matching) bodies(a, b tree.Node) float64 {
	if a.Role() != b.Role() {
		return 0
	}
	x, y := BodyOf(a), BodyOf(b)
	if !x.Ok() || !y.Ok() || x.Letters() < MinAnchor || y.Letters() < MinAnchor {
		return 0
	}
	s, least := m.words.similar(x, y), minBodyLike
	if min(len(m.words.bag(x)), len(m.words.bag(y))) < 8 {
		least = 0.8
	}
	if s < least {
		return 0
	}
	return s
}

// BodyOf returns the block of a declaration, or none.
func BodyOf(n tree.Node) tree.Node {
	if b := n.Child("body"); b.Ok() {
		return b
	}
	return n.First(syntax.Block)
}

// best matches the nodes of a bucket, those with the highest score first. A
// score of 0 matches nothing.
func (m *Matching) best(b *bucket, score func(x, y tree.Node) float64, link func(x, y tree.Node)) {
	type pair struct {
		x, y  tree.Node
		score float64
	}
	if len(b.old)*len(b.new) > maxPairs {
		return
	}
	var pairs []pair
	for _, x := range b.old {
		for _, y := range b.new {
			if s := score(x, y); s > 0 {
				pairs = append(pairs, pair{x, y, s})
			}
		}
	}
	sort.SliceStable(pairs, func(i, j int) bool { return pairs[i].score > pairs[j].score })
	for _, p := range pairs {
		if !m.Partner(p.x).Ok() && !m.Partner(p.y).Ok() {
			link(p.x, p.y)
		}
	}
}

// family is the role of a container: an if may become an else-if.
func family(n tree.Node) syntax.Role {
	switch r := n.Role(); r {
	case syntax.ElseIf:
		return syntax.If
	case syntax.ExpressionStatement:
		// An assignment is no call.
		if k := n.NamedKids(); len(k) == 1 && k[0].Is(syntax.Call, syntax.Assign, syntax.AugAssign, syntax.Update, syntax.Delete) {
			return k[0].Role()
		}
		return r
	default:
		return r
	}
}

// containers matches, from the bottom up, statements that hold enough of the
// same matched nodes.
func (m *Matching) containers() {
	for i := m.Old.Len() - 1; i > 0; i-- {
		x := m.Old.At(i)
		if m.to[i] > 0 || !Movable(x) || x.Leaf() || x.Is(syntax.Import, syntax.Comment) {
			continue
		}
		size := x.Last() - x.I
		if m.work -= size; m.work < 0 {
			return
		}
		common := map[int]int{}
		for k := i + 1; k < x.Last(); k++ {
			j := int(m.to[k]) - 1
			if j < 0 {
				continue
			}
			// Of what lies around the partner, the innermost of the kind.
			for p, depth := (m.New.At(j)).Parent(), 0; p.Ok() && depth < 30; p, depth = p.Parent(), depth+1 {
				m.work--
				if m.from[p.I] == 0 && Movable(p) && family(p) == family(x) && !otherCallback(x, p) && (x.Role() != syntax.Other || x.Kind() == p.Kind()) {
					common[p.I]++
					break
				}
				if p.Role().IsClass() || p.Role().IsFunction() {
					break
				}
			}
		}
		best, at := minDice, -1
		for _, j := range slices.Sorted(maps.Keys(common)) {
			y := m.New.At(j)
			common[j] += header(x, y)
			if s := 2 * float64(common[j]) / float64(size-1+y.Last()-y.I-1); s > best {
				best, at = s, j
			}
		}
		if at >= 0 {
			m.link(x, m.New.At(at))
		}
	}
}

// header counts the nodes of equal parts of two statements that are no blocks,
// such as their conditions.
func header(a, b tree.Node) int {
	n := 0
	for _, x := range a.NamedKids() {
		if x.Is(syntax.Block) || Movable(x) {
			continue
		}
		for _, y := range b.NamedKids() {
			if samePart(x, y) {
				n += x.Last() - x.I
				break
			}
		}
	}
	return n
}

// leftovers matches what is alone in the edits of either side: nodes that are
// equal, those in the most similar surroundings first, and then nodes that are
// alike.
// It returns how many it has matched.
func (m *Matching) leftovers(edits []Edit) int {
	before := m.links
	var old, new []tree.Node
	collect := func(out *[]tree.Node, n tree.Node) {
		for i := n.I; i < n.Last() && len(*out) < maxLoose; i++ {
			x := n.Tree.At(i)
			if m.Partner(x).Ok() {
				i = x.Last() - 1
				continue
			}
			if x.Parent().Is(syntax.Parameters) || Movable(x) && !x.Is(syntax.Import) {
				*out = append(*out, x)
			}
		}
	}
	for _, e := range edits {
		switch {
		case !e.New.Ok():
			collect(&old, e.Old)
		case !e.Old.Ok():
			collect(&new, e.New)
		}
	}
	if len(old) == 0 || len(new) == 0 {
		return 0
	}
	order := grouped(m, slices.Values(slices.Concat(old, new)), func(n tree.Node) (Subtree, bool) { return SubtreeOf(n), true })
	sort.SliceStable(order, func(i, j int) bool { return order[i].letters() > order[j].letters() })
	for _, b := range order {
		b.old, b.new = m.alone(b.old), m.alone(b.new)
		m.best(b, m.surroundings, m.linkAll)
	}
	telling := func(ns []tree.Node) []tree.Node {
		return slices.DeleteFunc(m.alone(ns), func(n tree.Node) bool { return n.Letters() < MinAnchor || n.Is(syntax.Comment) })
	}
	m.best(&bucket{telling(old), telling(new)}, m.alike, m.linkOut)
	return m.links - before
}

// alike says how alike two statements are that were moved and changed; 0 if not
// enough.
func (m *Matching) alike(x, y tree.Node) float64 {
	if family(x) != family(y) || x.Role() == syntax.Other && x.Kind() != y.Kind() || x.Role().IsFunction() || x.Role().IsClass() || x.Is(syntax.Field) {
		return 0 // declarations were matched by name and body
	}
	if Branch(x) || x.Is(syntax.Loop) {
		// What they hold was looked at before; it was not enough.
		if a, b := tree.Condition(x), tree.Condition(y); m.words.similar(a, b) < minMovedLike {
			return 0
		}
	}
	p, q := m.Partner(Owner(x)), Owner(y)
	s := m.words.similar(x, y)
	if p == q && p.Ok() && s >= MinSimilar {
		return s + 0.2 // in the same function
	}
	words := min(len(m.words.bag(x)), len(m.words.bag(y)))
	if s >= minMovedLike && words >= 8 || s >= 0.75 && words >= 6 {
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

// surroundings says how alike the places of two equal nodes are; 0 where they
// are equal by chance.
func (m *Matching) surroundings(x, y tree.Node) float64 {
	p, q := x.Parent(), y.Parent()
	if p.Is(syntax.Parameters) || q.Is(syntax.Parameters) {
		if m.Partner(p) == q && p.Ok() {
			return 1 // the order changed
		}
		return 0
	}
	s := 0.0
	if m.Partner(Owner(x)) == Owner(y) {
		s = 1
	}
	switch n := x.Letters(); {
	case n < MinAnchor, s == 0 && n < minFar:
		return 0
	}
	return s + m.words.similar(p, q) + 0.01
}
