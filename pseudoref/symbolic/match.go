package symbolic

import (
	"hash/maphash"
	"slices"
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
	d.follow(d.edits, item{})
	for range maxRounds {
		all := d.all(nil, d.edits, item{})
		if d.same.leftovers(all) == 0 {
			break
		}
		d.follow(all, item{})
	}
	return d.ordered(nil, d.edits, item{}), d.same
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
	return a.ok() && b.ok() && a.kind() == b.kind() && a.frag.Framed(a.start()) && b.frag.Framed(b.start())
}

// headed tells whether two nodes begin at the same place of the heading of a hunk.
func headed(a, b item) bool {
	return a.ok() && b.ok() && a.kind() == b.kind() && a.start() == b.start() && a.frag.Headed(a.start()) && b.frag.Headed(b.start())
}

// terms compares the operands of two chains of one operator, such as a sum of
// strings. It answers false where there is no chain.
func (d *differ) terms(a, b item, depth int) bool {
	op := operator(a)
	if op == "" || op != operator(b) || comparisons[op][0] != "" {
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
			x, y := xs[m[0]], ys[m[1]]
			d.parts(x, y, arguments(x), arguments(y), depth)
			d.parts(x, y, x.child("block"), y.child("block"), depth)
		}
		i, j = m[0]+1, m[1]+1
	}
	return true
}

// parts compares the parts x and y of a and b, either of which may be none.
func (d *differ) parts(a, b, x, y item, depth int) {
	switch {
	case x.ok() && y.ok():
		d.pair(x, y, depth+1)
	case x.ok() && len(x.namedKids()) > 0:
		d.edits = append(d.edits, edit{old: x, oldIn: a, newIn: b})
	case y.ok() && len(y.namedKids()) > 0:
		d.edits = append(d.edits, edit{new: y, oldIn: a, newIn: b})
	}
}

// linkPairs matches the calls of two chains by name, in order; those with
// equal arguments first.
func linkPairs(xs, ys []item) [][2]int {
	return subsequence(len(xs), len(ys), func(i, j int) int {
		if calledName(xs[i]) != calledName(ys[j]) {
			return 0
		}
		if x, y := arguments(xs[i]), arguments(ys[j]); x.ok() && y.ok() && x.hash() == y.hash() {
			return 3
		}
		return 2
	})
}

// atom tells whether a node is compared as a whole: its parts say nothing, or
// less than the whole.
func atom(n item) bool {
	switch n.role() {
	case syntax.String, syntax.Comment, syntax.Identifier, syntax.TypeArguments, syntax.Type, syntax.Package, syntax.Receiver, syntax.Tag:
		return true
	case syntax.Import:
		return !n.child("module_name", "source").ok() && !n.frag.Headed(n.start())
	case syntax.Decorator:
		return n.traits().OuterAttributes
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

// declares tells whether nodes of a role are known by their name.
func declares(r syntax.Role) bool {
	return r.IsFunction() || r.IsClass() || r.Is(syntax.Field, syntax.Variable, syntax.Declarator, syntax.Parameter, syntax.EnumMember, syntax.Namespace,
		syntax.TypeAlias, syntax.Pair, syntax.KeywordArgument, syntax.Attribute, syntax.Decorator)
}

// block tells whether a node holds statements or declarations.
func block(n item) bool {
	return n.ok() && (n.is(syntax.Block, syntax.Case, syntax.Namespace) || !n.parent().ok())
}
