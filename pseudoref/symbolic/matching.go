package symbolic

import (
	"iter"
	"maps"
	"slices"
	"sort"

	"crscore/internal/syntax"
)

// matching says which nodes of two trees are the same one, before and after.
// It is found in the way of GumTree (Falleri et al., ASE 2014): equal subtrees
// wherever they stand, the greatest first; declarations by their names, then by
// their bodies; what holds enough of what was matched; and at last, between
// matched nodes, what stands in the same place (differ.pair). What is still
// alone then, and has its like among what is alone on the other side, was
// moved and perhaps changed on the way.
type matching struct {
	old, new *tree
	to, from []int32 // the partner's index and 1; 0 for none
	work     int     // what is left of maxWork
	links    int     // pairs so far
	words    *differ
}

const (
	maxWork      = 1 << 22 // steps that are spent on matching containers
	minAnchor    = 12      // characters in equal statements, below which they are alike by chance
	minUnique    = 9       // the same for an assignment, which is matched only where it is alone in its function
	minFar       = 24      // the same for those in differently named functions
	minDice      = 0.4     // share of matched descendants above which containers are one
	minMovedLike = 0.6     // likeness above which a statement was moved and changed
	minBodyLike  = 0.6     // likeness of bodies above which a declaration was renamed
)

// match finds what is the same in two trees, but for what only its place shows.
func match(old, new *tree, words *differ) *matching {
	m := &matching{old: old, new: new, to: make([]int32, old.len()), from: make([]int32, new.len()), work: maxWork, words: words}
	m.equal()
	m.declarations()
	m.containers()
	return m
}

// partner returns the node that n is on the other side, or none.
func (m *matching) partner(n item) item {
	switch {
	case m == nil || !n.ok():
	case n.tree == m.old:
		if k := m.to[n.i]; k > 0 {
			return m.new.at(int(k) - 1)
		}
	case n.tree == m.new:
		if k := m.from[n.i]; k > 0 {
			return m.old.at(int(k) - 1)
		}
	}
	return item{}
}

// link matches two nodes that have no partners yet.
func (m *matching) link(a, b item) {
	if m != nil && a.tree == m.old && b.tree == m.new && m.to[a.i] == 0 && m.from[b.i] == 0 {
		m.to[a.i], m.from[b.i] = int32(b.i)+1, int32(a.i)+1
		m.links++
	}
}

// linkOut is link, also for the wrappers that both nodes have.
func (m *matching) linkOut(a, b item) {
	m.link(a, b)
	for {
		p, q := a.parent(), b.parent()
		if !p.ok() || !q.ok() || unnested(p) != unnested(a) || unnested(q) != unnested(b) {
			return
		}
		m.link(p, q)
		a, b = p, q
	}
}

// linkAll matches two equal nodes and all that is in them.
func (m *matching) linkAll(a, b item) {
	m.link(a, b)
	if a.last()-a.i != b.last()-b.i {
		return // the inside of one was not kept
	}
	for k := 1; k < a.last()-a.i; k++ {
		m.link(a.tree.at(a.i+k), b.tree.at(b.i+k))
	}
}

// mates tells whether two nodes are known to be one, or what they wrap is; and
// whether they may be.
func (m *matching) mates(a, b item) (are, may bool) {
	find := func(n item) item {
		p := m.partner(n)
		if !p.ok() {
			p = m.partner(unnested(n))
		}
		return p
	}
	x, y := find(a), find(b)
	are = x.ok() && (x == b || x == unnested(b))
	return are, are || !x.ok() && !y.ok()
}

// otherCallback tells whether two calls are handed a function and are not of the
// same function: what they hold in common was moved, and not they.
func otherCallback(a, b item) bool {
	x, y := strip(unnested(a)), strip(unnested(b))
	return takesFunction(x) && takesFunction(y) && callee(x) != callee(y)
}

// movable tells whether nodes are matched wherever they stand: statements and
// declarations. A block goes with what has it.
func movable(n item) bool {
	if n.is(syntax.Loop, syntax.Switch) && n.parent().is(syntax.Variable, syntax.Declarator, syntax.Field, syntax.Assign, syntax.Return, syntax.Arguments) {
		return false // an expression
	}
	return n.named() && !n.is(syntax.Block) && (statement(n) || n.parent().is(syntax.Block) || n.field() == "consequence" && n.parent().is(syntax.If))
}

type subtree struct {
	kind string
	hash uint64
}

// bucket holds the equal nodes of both sides.
type bucket struct{ old, new []item }

// letters is the length of each of its nodes, which are equal.
func (b *bucket) letters() int {
	if len(b.old) > 0 {
		return b.old[0].letters()
	}
	return b.new[0].letters()
}

// grouped puts those nodes of both sides that have a key into buckets by it, in the
// order in which the keys first occur.
func grouped[K comparable](m *matching, ns iter.Seq[item], keyOf func(item) (K, bool)) []*bucket {
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
		if n.tree == m.old {
			b.old = append(b.old, n)
		} else {
			b.new = append(b.new, n)
		}
	}
	return order
}

// nodes are those of both sides.
func (m *matching) nodes(yield func(item) bool) {
	for _, t := range []*tree{m.old, m.new} {
		for i := range t.len() {
			if !yield(t.at(i)) {
				return
			}
		}
	}
}

// equal matches equal subtrees that occur once on either side, the greatest
// first. Those that occur more often are told apart by their place later.
func (m *matching) equal() {
	order := grouped(m, m.nodes, func(n item) (subtree, bool) {
		least := minAnchor
		if strip(n).is(syntax.Assign, syntax.AugAssign) {
			least = minUnique
		}
		if !movable(n) || n.letters() < least && !n.is(syntax.Import) || n.is(syntax.Return, syntax.Throw) && n.letters() < minFar {
			return subtree{}, false
		}
		return subtree{n.kind(), n.hash()}, true
	})
	order = slices.DeleteFunc(order, func(b *bucket) bool { return len(b.old) == 0 || len(b.new) == 0 })
	sort.SliceStable(order, func(i, j int) bool { return order[i].old[0].letters() > order[j].old[0].letters() })
	for _, b := range order {
		x, y := m.alone(b.old), m.alone(b.new)
		if len(x) == 1 && len(y) == 1 && near2(x[0], y[0]) {
			m.linkAll(x[0], y[0])
		}
	}
}

// alone leaves out nodes that have a partner.
func (m *matching) alone(ns []item) []item {
	var out []item
	for _, n := range ns {
		if !m.partner(n).ok() {
			out = append(out, n)
		}
	}
	return out
}

// near2 tells whether equal nodes are the same one and not alike by chance, as
// short ones in different functions are.
func near2(a, b item) bool {
	return a.letters() >= minFar || a.is(syntax.Import) || scopeName(a) == scopeName(b)
}

// scopeName is the name of the function, or else the class, around a node.
func scopeName(n item) string {
	p := n.up(func(p item) bool { return p.role().IsFunction() || p.role().IsClass() })
	return nameOf(p)
}

// scope names all declarations around a node.
func scope(n item) string {
	s := ""
	for p, i := n.parent(), 0; p.ok() && i < maxClimb; p, i = p.parent(), i+1 {
		switch {
		case p.role().IsFunction(), p.role().IsClass(), p.is(syntax.Namespace):
			s = nameOf(p) + "\x00" + s
		case p.is(syntax.Lambda):
			name, _, callback := lambdaName(p, "")
			s = name + "\x01" + callback + "\x00" + s
		}
	}
	return s
}

// declaration tells whether a node is matched by its name, and what it is.
func declaration(n item) (class string, ok bool) {
	switch r := n.role(); {
	case r == syntax.Function, r == syntax.Constructor:
		return "function", true
	case r.IsClass(), r == syntax.TypeAlias:
		return "class", true
	case r == syntax.Namespace:
		return "namespace", true
	case r == syntax.EnumMember:
		return "member", true
	case r == syntax.Field, r == syntax.Variable && n.parent().ok():
		return "variable", true
	case r == syntax.ExpressionStatement || r == syntax.Call:
		if c := strip(n); c.is(syntax.Call) && (r == syntax.Call || c != n) && movable(n) {
			if name, ok := testCall(c); ok {
				return "test " + name, true
			}
		}
	}
	return "", false
}

// declarations matches what has a name: with the same name in the same scope,
// then with the same name and a similar body in another one, then with another
// name and a similar body.
func (m *matching) declarations() {
	type key struct{ class, scope, name string }
	group := func(k func(item, string) key) []*bucket {
		return grouped(m, m.nodes, func(n item) (key, bool) {
			class, ok := declaration(n)
			if !ok || m.partner(n).ok() {
				return key{}, false
			}
			return k(n, class), true
		})
	}
	for _, b := range group(func(n item, class string) key { return key{class, scope(n), nameOf(n)} }) {
		if len(b.old) == 1 && len(b.new) == 1 {
			m.linkOut(b.old[0], b.new[0])
			continue
		}
		m.best(b, func(x, y item) float64 {
			p, q := x.first(syntax.Parameters), y.first(syntax.Parameters)
			if p.ok() && q.ok() && p.hash() == q.hash() {
				return 2 // of overloads, the one with the same parameters
			}
			if !x.role().IsFunction() {
				return 0 // the place decides
			}
			return m.words.similar(x, y)
		}, m.linkOut)
	}
	for _, b := range group(func(n item, class string) key { return key{class, "", nameOf(n)} }) {
		if len(b.old) == 1 && len(b.new) == 1 && b.old[0].role().IsFunction() {
			m.best(b, m.bodies, m.linkOut)
		}
	}
	for _, b := range group(func(n item, class string) key { return key{class, scope(n), ""} }) {
		if b.old != nil && (b.old[0].role().IsFunction() || b.old[0].role().IsClass()) {
			m.best(b, m.bodies, m.linkOut)
		}
	}
}

// bodies says how alike two declarations are but for their names, 0 if not
// enough. Of short ones more is asked.
func (m *matching) bodies(a, b item) float64 {
	if a.role() != b.role() {
		return 0
	}
	x, y := bodyOf(a), bodyOf(b)
	if !x.ok() || !y.ok() || x.letters() < minAnchor || y.letters() < minAnchor {
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

// bodyOf returns the block of a declaration, or none.
func bodyOf(n item) item {
	if b := n.child("body"); b.ok() {
		return b
	}
	return n.first(syntax.Block)
}

// best matches the nodes of a bucket, those with the highest score first. A
// score of 0 matches nothing.
func (m *matching) best(b *bucket, score func(x, y item) float64, link func(x, y item)) {
	type pair struct {
		x, y  item
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
		if !m.partner(p.x).ok() && !m.partner(p.y).ok() {
			link(p.x, p.y)
		}
	}
}

// family is the role of a container: an if may become an else-if.
func family(n item) syntax.Role {
	switch r := n.role(); r {
	case syntax.ElseIf:
		return syntax.If
	case syntax.ExpressionStatement:
		// An assignment is no call.
		if k := n.namedKids(); len(k) == 1 && k[0].is(syntax.Call, syntax.Assign, syntax.AugAssign, syntax.Update, syntax.Delete) {
			return k[0].role()
		}
		return r
	default:
		return r
	}
}

// containers matches, from the bottom up, statements that hold enough of the
// same matched nodes.
func (m *matching) containers() {
	for i := m.old.len() - 1; i > 0; i-- {
		x := m.old.at(i)
		if m.to[i] > 0 || !movable(x) || x.leaf() || x.is(syntax.Import, syntax.Comment) {
			continue
		}
		size := x.last() - x.i
		if m.work -= size; m.work < 0 {
			return
		}
		common := map[int]int{}
		for k := i + 1; k < x.last(); k++ {
			j := int(m.to[k]) - 1
			if j < 0 {
				continue
			}
			// Of what lies around the partner, the innermost of the kind.
			for p, depth := (m.new.at(j)).parent(), 0; p.ok() && depth < 30; p, depth = p.parent(), depth+1 {
				m.work--
				if m.from[p.i] == 0 && movable(p) && family(p) == family(x) && !otherCallback(x, p) && (x.role() != syntax.Other || x.kind() == p.kind()) {
					common[p.i]++
					break
				}
				if p.role().IsClass() || p.role().IsFunction() {
					break
				}
			}
		}
		best, at := minDice, -1
		for _, j := range slices.Sorted(maps.Keys(common)) {
			y := m.new.at(j)
			common[j] += header(x, y)
			if s := 2 * float64(common[j]) / float64(size-1+y.last()-y.i-1); s > best {
				best, at = s, j
			}
		}
		if at >= 0 {
			m.link(x, m.new.at(at))
		}
	}
}

// header counts the nodes of equal parts of two statements that are no blocks,
// such as their conditions.
func header(a, b item) int {
	n := 0
	for _, x := range a.namedKids() {
		if x.is(syntax.Block) || movable(x) {
			continue
		}
		for _, y := range b.namedKids() {
			if samePart(x, y) {
				n += x.last() - x.i
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
func (m *matching) leftovers(edits []edit) int {
	before := m.links
	var old, new []item
	collect := func(out *[]item, n item) {
		for i := n.i; i < n.last() && len(*out) < maxLoose; i++ {
			x := n.tree.at(i)
			if m.partner(x).ok() {
				i = x.last() - 1
				continue
			}
			if x.parent().is(syntax.Parameters) || movable(x) && !x.is(syntax.Import) {
				*out = append(*out, x)
			}
		}
	}
	for _, e := range edits {
		switch {
		case !e.new.ok():
			collect(&old, e.old)
		case !e.old.ok():
			collect(&new, e.new)
		}
	}
	if len(old) == 0 || len(new) == 0 {
		return 0
	}
	order := grouped(m, slices.Values(slices.Concat(old, new)), func(n item) (subtree, bool) { return subtree{n.kind(), n.hash()}, true })
	sort.SliceStable(order, func(i, j int) bool { return order[i].letters() > order[j].letters() })
	for _, b := range order {
		b.old, b.new = m.alone(b.old), m.alone(b.new)
		m.best(b, m.surroundings, m.linkAll)
	}
	telling := func(ns []item) []item {
		return slices.DeleteFunc(m.alone(ns), func(n item) bool { return n.letters() < minAnchor || n.is(syntax.Comment) })
	}
	m.best(&bucket{telling(old), telling(new)}, m.alike, m.linkOut)
	return m.links - before
}

// alike says how alike two statements are that were moved and changed; 0 if not
// enough.
func (m *matching) alike(x, y item) float64 {
	if family(x) != family(y) || x.role() == syntax.Other && x.kind() != y.kind() || x.role().IsFunction() || x.role().IsClass() || x.is(syntax.Field) {
		return 0 // declarations were matched by name and body
	}
	if branch(x) || x.is(syntax.Loop) {
		// What they hold was looked at before; it was not enough.
		if a, b := condition(x), condition(y); m.words.similar(a, b) < minMovedLike {
			return 0
		}
	}
	p, q := m.partner(owner(x)), owner(y)
	s := m.words.similar(x, y)
	if p == q && p.ok() && s >= minSimilar {
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

// owner is the function around a node, or else the class or the root.
func owner(n item) item {
	return n.up(func(p item) bool { return p.role().IsFunction() || p.role().IsClass() || !p.parent().ok() })
}

// surroundings says how alike the places of two equal nodes are; 0 where they
// are equal by chance.
func (m *matching) surroundings(x, y item) float64 {
	p, q := x.parent(), y.parent()
	if p.is(syntax.Parameters) || q.is(syntax.Parameters) {
		if m.partner(p) == q && p.ok() {
			return 1 // the order changed
		}
		return 0
	}
	s := 0.0
	if m.partner(owner(x)) == owner(y) {
		s = 1
	}
	switch n := x.letters(); {
	case n < minAnchor, s == 0 && n < minFar:
		return 0
	}
	return s + m.words.similar(p, q) + 0.01
}
