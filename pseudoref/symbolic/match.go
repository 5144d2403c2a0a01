package symbolic

import (
	"hash/maphash"
	"slices"
	"sort"
	"strings"

	"crscore/internal/syntax"
)

// edit is a smallest difference between two trees: an old node replaced by a
// new one; an added node (old is none); a removed one (new is none); or a move.
type edit struct {
	old, new item
	// oldIn and newIn are the matched nodes around it; for an added node,
	// oldIn is where it would be on the old side.
	oldIn, newIn item
	// link is set when the node is one call of a chain, without the calls
	// before it.
	link bool
	// move is set when the node stands elsewhere now. What was changed in it
	// follows as edits of its own.
	move bool
	// swap is set when the two branches of an if changed places.
	swap bool
}

const (
	maxDepth     = 300     // of matched nodes: deeper ones are compared as a whole
	maxLCS       = 1 << 16 // product of lengths up to which children are aligned exactly
	maxPairs     = 1 << 12 // product of lengths up to which all pairs are compared
	pairWindow   = 8       // else: how far from the diagonal pairs are looked for
	minSimilar   = 0.4     // Dice coefficient of tokens above which two nodes are one, changed
	maxUnitEdits = 4       // more edits than that in a statement: it was rewritten
)

// differ compares two trees from the top down, along what a matching has found.
type differ struct {
	edits  []edit
	same   *matching       // nil for parts of trees
	inner  map[item][]edit // of moved nodes, by the new one
	tokens map[item][]uint64
	seed   maphash.Seed
}

func newDiffer() *differ {
	return &differ{inner: map[item][]edit{}, tokens: map[item][]uint64{}, seed: maphash.MakeSeed()}
}

// diff returns the smallest differences of two trees, in document order, and
// what is the same in them.
func diff(a, b item) ([]edit, *matching) {
	d := newDiffer()
	d.same = match(a.tree, b.tree, d)
	d.pair(a, b, 0)
	d.follow(d.edits)
	for range maxRounds {
		all := d.all(nil, d.edits)
		if d.same.leftovers(all) == 0 {
			break
		}
		d.follow(all)
	}
	return d.ordered(nil, d.edits), d.same
}

// unit roles are the statements that are said to be rewritten as a whole when
// too much of them has changed.
func unit(r syntax.Role) bool {
	return r.Is(syntax.ExpressionStatement, syntax.Variable, syntax.Return, syntax.Throw, syntax.Field, syntax.Assert, syntax.Import,
		syntax.Call, syntax.Assign, syntax.AugAssign, syntax.Binary, syntax.New, syntax.Collection, syntax.Conditional, syntax.Parameter, syntax.Decorator,
		syntax.Heritage, syntax.Comprehension, syntax.Yield, syntax.Package)
}

// pair compares two nodes that are taken to be the same one, before and after.
func (d *differ) pair(a, b item, depth int) {
	braces := a.is(syntax.Block) != b.is(syntax.Block) && a.named() && b.named() && movable(oneOf(a, b))
	if !braces {
		d.same.link(a, b)
	}
	if a.hash() == b.hash() && a.kind() == b.kind() {
		if d.same != nil {
			d.same.linkAll(a, b)
		}
		return
	}
	if d.swapped(a, b) {
		return
	}
	if x, y := unnested(a), unnested(b); a.kind() != b.kind() && x.kind() == y.kind() && (x != a || y != b) {
		d.wrappers(a, x, b, y)
		d.pair(x, y, depth+1)
		return
	}
	if braces {
		// Braces were put around a single statement, or taken off.
		d.lists(a, b, statements(a), statements(b), depth)
		return
	}
	if (a.leaf() || b.leaf()) && !framed(a, b) || depth > maxDepth || !kindred(a, b) || atom(a) ||
		compound(a) != compound(b) || compound(a) != "" && target(a) != target(b) ||
		a.is(syntax.KeywordArgument) && nameOf(a) != nameOf(b) {
		d.edits = append(d.edits, edit{old: a, new: b, oldIn: a.parent(), newIn: b.parent()})
		return
	}
	if a.is(syntax.Call) && b.is(syntax.Call) && d.chains(a, b, depth) {
		return
	}
	if a.is(syntax.Binary) && b.is(syntax.Binary) && d.terms(a, b, depth) {
		return
	}
	if a.kind() != b.kind() && branch(a) && (strings.HasSuffix(a.kind(), "_modifier") || strings.HasSuffix(b.kind(), "_modifier")) {
		d.turned(a, b, depth)
		return
	}
	d.children(a, b, depth)
}

// turned compares two branches of which one has its condition last.
func (d *differ) turned(a, b item, depth int) {
	for _, field := range []string{"condition", "consequence", "alternative"} {
		switch x, y := a.child(field), b.child(field); {
		case x.ok() && y.ok():
			d.pair(x, y, depth+1)
		case x.ok():
			d.edits = append(d.edits, edit{old: x, oldIn: a, newIn: b})
		case y.ok():
			d.edits = append(d.edits, edit{new: y, oldIn: a, newIn: b})
		}
	}
}

// oneOf returns the one of two nodes that is no block.
func oneOf(a, b item) item {
	if a.is(syntax.Block) {
		return b
	}
	return a
}

// statements lists what is in a block; a statement stands for a block of one.
func statements(n item) []item {
	if n.is(syntax.Block) {
		return n.kids()
	}
	return []item{n}
}

// kindred tells whether two nodes can be compared part by part: they are of one
// kind, or of two kinds of one thing, such as a class that becomes abstract or a
// function that becomes an arrow function.
func kindred(a, b item) bool {
	if a.kind() == b.kind() || branch(a) && branch(b) && strings.HasPrefix(a.kind(), "unless") == strings.HasPrefix(b.kind(), "unless") {
		return true
	}
	if a.role() != b.role() {
		return false
	}
	if a.is(syntax.Lambda) {
		return a.first(syntax.Block).ok() && b.first(syntax.Block).ok()
	}
	name := nameOf(a)
	return (a.role().IsFunction() || a.role().IsClass() || a.is(syntax.Field, syntax.Parameter)) && name != "" && name == nameOf(b)
}

// framed tells whether two nodes are of the frame around a hunk, so that they are
// the same whatever stands in them.
func framed(a, b item) bool {
	return a.ok() && b.ok() && a.kind() == b.kind() && a.frag.Framed(a.node().start) && b.frag.Framed(b.node().start)
}

// terms compares the operands of two chains of one operator, such as a sum of
// strings. It answers false where there is no chain.
func (d *differ) terms(a, b item, depth int) bool {
	op := operator(a)
	if op == "" || op != operator(b) || comparisons[op] != "" {
		return false
	}
	xs, ys := flatten(a, op), flatten(b, op)
	if len(xs) < 3 && len(ys) < 3 || len(xs) > maxChain || len(ys) > maxChain {
		return false
	}
	d.lists(a, b, xs, ys, depth)
	return true
}

// flatten lists the operands of a chain of one operator.
func flatten(n item, op string) []item {
	var rest []item // right sides, last first
	for i := 0; i <= maxChain; i++ {
		k := n.namedKids()
		if !n.is(syntax.Binary) || operator(n) != op || len(k) != 2 {
			break
		}
		rest = append(rest, k[1])
		n = k[0]
	}
	rest = append(rest, n)
	slices.Reverse(rest)
	return rest
}

// wrappers notes the decorators and the export that only one of two
// declarations has around it.
func (d *differ) wrappers(a, x, b, y item) {
	around := func(outer, inner item) []item {
		var out []item
		for _, k := range outer.kids() {
			if outer != inner && !k.contains(inner) && (k.is(syntax.Decorator) || k.kind() == "export" || k.kind() == "default") {
				out = append(out, k)
			}
		}
		return out
	}
	for _, k := range around(a, x) {
		d.edits = append(d.edits, edit{old: k, oldIn: a, newIn: b})
	}
	for _, k := range around(b, y) {
		d.edits = append(d.edits, edit{new: k, oldIn: a, newIn: b})
	}
}

// children compares the insides of two nodes.
func (d *differ) children(a, b item, depth int) {
	from := len(d.edits)
	d.lists(a, b, a.kids(), b.kids(), depth)
	if unit(a.role()) && d.rewritten(a, b, d.edits[from:]) {
		d.edits = append(d.edits[:from:from], edit{old: a, new: b, oldIn: a.parent(), newIn: b.parent()})
	}
}

// lists compares two lists of nodes that stand in a and b.
func (d *differ) lists(a, b item, as, bs []item, depth int) {
	pairs := d.align(as, bs)
	taken := make([]bool, len(bs))
	for _, j := range pairs {
		if j >= 0 {
			taken[j] = true
		}
	}
	bi := 0
	come := func(end int) {
		for ; bi < end; bi++ {
			if !taken[bi] && !punctuation(bs[bi]) {
				d.edits = append(d.edits, edit{new: bs[bi], oldIn: a, newIn: b})
			}
		}
	}
	for i, x := range as {
		j := pairs[i]
		if j < 0 {
			if !punctuation(x) {
				d.edits = append(d.edits, edit{old: x, oldIn: a, newIn: b})
			}
			continue
		}
		come(j)
		d.pair(x, bs[j], depth+1)
	}
	come(len(bs))
}

// maxChain bounds the length of a chain of calls that is looked into.
const maxChain = 100

// chains compares two chains of calls, such as those of a builder, link by
// link. It answers false where there is no chain or nothing in common.
func (d *differ) chains(a, b item, depth int) bool {
	xs, ys := chain(a), chain(b)
	if len(xs) == 1 && len(ys) == 1 || len(xs) > maxChain || len(ys) > maxChain {
		return false
	}
	matched := linkPairs(xs, ys)
	if len(matched) == 0 {
		d.edits = append(d.edits, edit{old: a, new: b, oldIn: a.parent(), newIn: b.parent()})
		return true
	}
	if x, y := receiver(xs[0]), receiver(ys[0]); x.ok() && y.ok() && matched[0] == [2]int{0, 0} && !same(x, y) {
		d.pair(x, y, depth+1)
	}
	i, j := 0, 0
	for _, m := range append(matched, [2]int{len(xs), len(ys)}) {
		for ; i < m[0]; i++ {
			d.edits = append(d.edits, edit{old: xs[i], oldIn: a, newIn: b, link: true})
		}
		for ; j < m[1]; j++ {
			d.edits = append(d.edits, edit{new: ys[j], oldIn: a, newIn: b, link: true})
		}
		if m[0] < len(xs) {
			if x, y := arguments(xs[m[0]]), arguments(ys[m[1]]); x.ok() && y.ok() {
				d.pair(x, y, depth+1)
			}
		}
		i, j = m[0]+1, m[1]+1
	}
	return true
}

// linkPairs matches the calls of two chains by name, in order; those with
// equal arguments first.
func linkPairs(xs, ys []item) [][2]int {
	w := len(ys) + 1
	score := make([]int, (len(xs)+1)*w)
	value := func(i, j int) int {
		if calledName(xs[i]) != calledName(ys[j]) {
			return 0
		}
		if x, y := arguments(xs[i]), arguments(ys[j]); x.ok() && y.ok() && x.hash() == y.hash() {
			return 3
		}
		return 2
	}
	for i := len(xs) - 1; i >= 0; i-- {
		for j := len(ys) - 1; j >= 0; j-- {
			k := i*w + j
			score[k] = max(score[k+w], score[k+1])
			if v := value(i, j); v > 0 {
				score[k] = max(score[k], v+score[k+w+1])
			}
		}
	}
	var out [][2]int
	for i, j := 0, 0; i < len(xs) && j < len(ys); {
		k := i*w + j
		switch v := value(i, j); {
		case v > 0 && score[k] == v+score[k+w+1]:
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case score[k] == score[k+w]:
			i++
		default:
			j++
		}
	}
	return out
}

// atom tells whether a node is compared as a whole: its parts say nothing, or
// less than the whole.
func atom(n item) bool {
	switch n.role() {
	case syntax.String, syntax.Comment, syntax.Identifier, syntax.TypeArguments, syntax.Type, syntax.Package, syntax.Receiver, syntax.Tag:
		return true
	case syntax.Import:
		return !n.child("module_name", "source").ok()
	case syntax.Decorator:
		return len(derived(n)) > 0
	case syntax.Variable:
		return isRequire(n)
	case syntax.Member:
		// A dotted name without calls in it.
		return len(n.find(1, nil, syntax.Call, syntax.New, syntax.Index, syntax.Lambda)) == 0
	}
	return false
}

// rewritten tells whether the edits inside a statement are better said as one.
func (d *differ) rewritten(a, b item, edits []edit) bool {
	if a.is(syntax.Field, syntax.Parameter) && nameOf(a) != "" && nameOf(a) == nameOf(b) {
		return false // of a declaration that stays, each part is told
	}
	gone, come := 0, 0
	for _, e := range edits {
		for _, n := range []item{e.old, e.new} {
			if !n.ok() {
				continue
			}
			top := a
			if n.tree == b.tree {
				top = b
			}
			// What stands in a block inside (a callback's body) is no part of
			// the statement's own words.
			// What is under a key of an object is told with the key.
			for p := n; p.ok() && p.i != top.i; p = p.parent() {
				if p.is(syntax.Block, syntax.Lambda, syntax.Pair) {
					return false
				}
			}
			if n.tree == b.tree {
				come += n.size()
			} else {
				gone += n.size()
			}
		}
	}
	return len(edits) > maxUnitEdits || len(edits) > 1 && gone*10 > a.size()*7 && come*10 > b.size()*7
}

// punctuation tells whether a node is a token that says nothing by itself.
func punctuation(n item) bool {
	if n.named() {
		return false
	}
	t := n.kind()
	switch t {
	case "?":
		return !n.parent().is(syntax.Field, syntax.Parameter)
	case "==", "!=", "===", "!==", "<", ">", "<=", ">=", "&&", "||", "+", "-", "*", "/", "%", "!", "&", "|", "^", "<<", ">>", ">>>", "??", "**", "//":
		return false
	}
	return len(t) > 0 && !wordByte(t[0]) && t[0] != '@'
}

// align matches the children of two nodes. The result holds, for each of as,
// the index in bs or -1.
func (d *differ) align(as, bs []item) []int {
	pairs := make([]int, len(as))
	for i := range pairs {
		pairs[i] = -1
	}
	d.alignRange(as, bs, 0, len(as), 0, len(bs), pairs)
	return pairs
}

func same(a, b item) bool { return a.kind() == b.kind() && a.hash() == b.hash() }

// samePart is same for nodes that also play the same part: the left side of an
// assignment is not what stood on the right.
func samePart(a, b item) bool { return same(a, b) && a.field() == b.field() }

func (d *differ) alignRange(as, bs []item, a0, a1, b0, b1 int, pairs []int) {
	for a0 < a1 && b0 < b1 && samePart(as[a0], bs[b0]) && d.may(as[a0], bs[b0]) {
		pairs[a0] = b0
		a0, b0 = a0+1, b0+1
	}
	for a0 < a1 && b0 < b1 && samePart(as[a1-1], bs[b1-1]) && d.may(as[a1-1], bs[b1-1]) {
		a1, b1 = a1-1, b1-1
		pairs[a1] = b1
	}
	if a0 == a1 || b0 == b1 {
		return
	}
	var anchors [][2]int
	if (a1-a0)*(b1-b0) <= maxLCS {
		anchors = d.lcs(as, bs, a0, a1, b0, b1)
	} else {
		anchors = d.unique(as, bs, a0, a1, b0, b1)
	}
	anchors = append(anchors, [2]int{a1, b1})
	for _, k := range anchors {
		d.gap(as, bs, a0, k[0], b0, k[1], pairs)
		if k[0] < a1 {
			pairs[k[0]] = k[1]
		}
		a0, b0 = k[0]+1, k[1]+1
	}
}

// lcs returns the longest common subsequence as pairs of indices. Punctuation
// makes no anchor: a comma is like any other.
func (d *differ) lcs(as, bs []item, a0, a1, b0, b1 int) [][2]int {
	w := b1 - b0 + 1
	table := make([]int32, (a1-a0+1)*w)
	eq := func(i, j int) bool { return d.anchor(as[i], bs[j]) }
	for i := a1 - 1; i >= a0; i-- {
		for j := b1 - 1; j >= b0; j-- {
			k := (i-a0)*w + j - b0
			if eq(i, j) {
				table[k] = table[k+w+1] + 1
			} else {
				table[k] = max(table[k+w], table[k+1])
			}
		}
	}
	var out [][2]int
	for i, j := a0, b0; i < a1 && j < b1; {
		k := (i-a0)*w + j - b0
		switch {
		case eq(i, j):
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case table[k+w] >= table[k+1]:
			i++
		default:
			j++
		}
	}
	return out
}

// may tells whether two nodes can be one by what is known.
func (d *differ) may(a, b item) bool {
	_, may := d.same.mates(a, b)
	return may
}

// anchor tells whether two nodes are the same one beyond doubt.
func (d *differ) anchor(a, b item) bool {
	are, may := d.same.mates(a, b)
	return are || may && !punctuation(a) && samePart(a, b)
}

// unique is lcs for long lists: nodes that occur once on either side, kept in
// order by the longest increasing subsequence (patience diff).
func (d *differ) unique(as, bs []item, a0, a1, b0, b1 int) [][2]int {
	count := map[uint64][3]int{} // times in a, times in b, index in b
	for i := a0; i < a1; i++ {
		c := count[as[i].hash()]
		c[0]++
		count[as[i].hash()] = c
	}
	for j := b0; j < b1; j++ {
		c := count[bs[j].hash()]
		c[1]++
		c[2] = j
		count[bs[j].hash()] = c
	}
	var cand [][2]int
	index := map[item]int{}
	for j := b0; j < b1; j++ {
		index[bs[j]] = j
	}
	for i := a0; i < a1; i++ {
		if x := d.same.partner(as[i]); x.ok() {
			if j, ok := index[x]; ok {
				cand = append(cand, [2]int{i, j})
			}
			continue
		}
		if c := count[as[i].hash()]; c[0] == 1 && c[1] == 1 && d.anchor(as[i], bs[c[2]]) {
			cand = append(cand, [2]int{i, c[2]})
		}
	}
	// tails[k] is the candidate that ends the best run of length k+1.
	var tails []int
	prev := make([]int, len(cand))
	for i, c := range cand {
		k := sort.Search(len(tails), func(k int) bool { return cand[tails[k]][1] >= c[1] })
		prev[i] = -1
		if k > 0 {
			prev[i] = tails[k-1]
		}
		if k == len(tails) {
			tails = append(tails, i)
		} else {
			tails[k] = i
		}
	}
	var out [][2]int
	if len(tails) > 0 {
		for i := tails[len(tails)-1]; i >= 0; i = prev[i] {
			out = append(out, cand[i])
		}
	}
	slices.Reverse(out)
	return out
}

// gap pairs what is left between two anchors by likeness.
func (d *differ) gap(as, bs []item, a0, a1, b0, b1 int, pairs []int) {
	n, m := a1-a0, b1-b0
	if n <= 0 || m <= 0 {
		return
	}
	type candidate struct {
		i, j  int
		score float64
	}
	var cands []candidate
	for i := a0; i < a1; i++ {
		lo, hi := b0, b1
		if n*m > maxPairs {
			mid := b0 + (i-a0)*m/n
			lo, hi = max(b0, mid-pairWindow), min(b1, mid+pairWindow+1)
		}
		for j := lo; j < hi; j++ {
			if !d.may(as[i], bs[j]) {
				continue
			}
			if s := d.likeness(as[i], bs[j], n == 1 && m == 1); s > 0 {
				cands = append(cands, candidate{i, j, s})
			}
		}
	}
	sort.SliceStable(cands, func(x, y int) bool { return cands[x].score > cands[y].score })
	taken := map[int]bool{}
	for _, c := range cands {
		if pairs[c.i] < 0 && !taken[c.j] {
			pairs[c.i] = c.j
			taken[c.j] = true
		}
	}
	if !as[a0].parent().is(syntax.Arguments) {
		return
	}
	// An argument that has nothing in common with the one in its place before
	// still takes that place.
	for k := 0; k < n && n == m; k++ {
		if x, y := as[a0+k], bs[b0+k]; pairs[a0+k] < 0 && !taken[b0+k] && x.role() == y.role() && x.named() && y.named() && !x.is(syntax.Lambda, syntax.KeywordArgument) {
			pairs[a0+k] = b0 + k
		}
	}
}

// likeness says how probable it is that b is what became of a: 0 for not at
// all, 2 for certainly. Alone nodes have no rival in their gap.
func (d *differ) likeness(a, b item, alone bool) float64 {
	if punctuation(a) || punctuation(b) || a.is(syntax.Import) != b.is(syntax.Import) {
		return 0
	}
	if framed(a, b) {
		return 2
	}
	if a.field() != "" && a.field() == b.field() && (!block(a.parent()) || a.parent().is(syntax.Case) && !statement(a) && !statement(b)) && !repeated(a.parent()) && !repeated(b.parent()) {
		return 2
	}
	if a.named() != b.named() {
		return 0
	}
	if !a.named() {
		if alone {
			return 1
		}
		return 0
	}
	if x, y := unnested(a), unnested(b); a.kind() != b.kind() && x.kind() == y.kind() && declares(x.role()) && nameOf(x) == nameOf(y) {
		return 2
	}
	if a.parent().is(syntax.Parameters) && b.parent().is(syntax.Parameters) && parameterName(a) == parameterName(b) {
		return 2 // a default or a type was put to it
	}
	if a.role() != b.role() || a.role() == syntax.Other && a.kind() != b.kind() {
		// In an expression, what stands alone in its place is the same place.
		if alone && a.parent().ok() && !block(a.parent()) {
			return 0.5
		}
		return 0
	}
	if a.is(syntax.Case) && caseLabel(a) == caseLabel(b) {
		return 2
	}
	if declares(a.role()) {
		x, y := nameOf(a), nameOf(b)
		if x != "" && x == y {
			// Of overloads, the one with the same parameters is the same.
			if p, q := a.first(syntax.Parameters), b.first(syntax.Parameters); p.ok() && q.ok() && p.hash() == q.hash() {
				return 2.5
			}
			return 2
		}
		if a.is(syntax.Attribute) {
			return 0
		}
	}
	s := d.similar(a, b)
	if x, y := unnested(a), unnested(b); x.is(syntax.Assign) && y.is(syntax.Assign) && compound(x) == compound(y) && target(x) == target(y) {
		s = max(s, minSimilar+s/4) // the same variable gets another value
	} else if takesFunction(x) && takesFunction(y) && callee(x) != "" && callee(x) == callee(y) {
		s = max(s, minSimilar+s/4) // a callback with another body
	}
	switch {
	case s >= minSimilar:
		return s
	case alone && (!block(a.parent()) || s >= minSimilar/2):
		return s + 0.01
	case a.is(syntax.Arguments, syntax.Parameters, syntax.Block, syntax.Modifier, syntax.Heritage):
		return 0.1
	}
	return 0
}

// takesFunction tells whether n is a call that is handed a function.
func takesFunction(n item) bool {
	return n.is(syntax.Call) && arguments(n).first(syntax.Lambda).ok()
}

// repeated tells whether a field name may occur several times in a node.
func repeated(n item) bool {
	if n.node().last-n.i > 2000 {
		return true // long lists; looking costs too much
	}
	count := map[string]int{}
	for _, k := range n.kids() {
		if f := k.field(); f != "" {
			if count[f]++; count[f] > 1 {
				return true
			}
		}
	}
	return false
}

// declares tells whether nodes of a role are known by their name.
func declares(r syntax.Role) bool {
	return r.IsFunction() || r.IsClass() || r.Is(syntax.Field, syntax.Variable, syntax.Declarator, syntax.Parameter, syntax.EnumMember, syntax.Namespace,
		syntax.TypeAlias, syntax.Pair, syntax.KeywordArgument, syntax.Attribute, syntax.Decorator)
}

// block tells whether a node holds statements or declarations.
func block(n item) bool {
	return n.ok() && (n.is(syntax.Block, syntax.Case, syntax.Namespace) || !n.parent().ok())
}

// maxTokens bounds how much of a node is looked at to compare it.
const maxTokens = 400

// similar is the Dice coefficient of the nodes' words.
func (d *differ) similar(a, b item) float64 {
	x, y := d.bag(a), d.bag(b)
	if len(x)+len(y) == 0 {
		return 0
	}
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
func (d *differ) bag(n item) []uint64 {
	if b, ok := d.tokens[n]; ok {
		return b
	}
	var out []uint64
	src := n.src[n.node().start:n.node().end]
	for i := 0; i < len(src) && len(out) < maxTokens; {
		if src[i] <= ' ' {
			i++
			continue
		}
		j := i + 1
		if wordByte(src[i]) {
			for j < len(src) && wordByte(src[j]) {
				j++
			}
			out = append(out, maphash.Bytes(d.seed, src[i:j]))
		}
		i = j
	}
	slices.Sort(out)
	d.tokens[n] = out
	return out
}
