// Package treediff compares the two trees of a change: Diff finds which nodes were added, removed, changed or moved,
// and what is the same.
//
// It knows nodes and their likeness, no rules and no English. Its work is bounded.
package treediff

import (
	"hash/maphash"
	"slices"
	"strings"

	"crscore/internal/limits"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
)

// Edit is a smallest difference between two trees: an old node replaced by a new one; an added node (old is none); a
// removed one (new is none); or a move.
type Edit struct {
	Old, New     tree.Node // the nodes
	OldIn, NewIn tree.Node // the matched nodes around it; for an added node, OldIn is where it would be on the old side
	Link         bool      // the node is one call of a chain, without the calls before it
	Move         bool      // the node stands elsewhere now; what was changed in it follows as edits of its own
}

const (
	PairWindow = 8   // else: how far from the diagonal pairs are looked for
	MinSimilar = 0.4 // Dice coefficient of tokens above which two nodes are one, changed
	unitEdits  = 4   // more edits than that in a statement: it was rewritten
)

// differ compares two trees from the top down, along what a matching has found.
type differ struct {
	edits  []Edit
	same   *Matching              // of the two trees, as far as it is known
	inner  map[tree.Node][]Edit   // of moved nodes, by the new one
	tokens map[tree.Node][]uint64 // what bag has found
	seed   maphash.Seed           // of the hashes in tokens
}

func newDiffer() *differ {
	return &differ{inner: map[tree.Node][]Edit{}, tokens: map[tree.Node][]uint64{}, seed: maphash.MakeSeed()}
}

// Diff returns the smallest differences of two trees, in document order, and what is the same in them.
func Diff(a, b tree.Node) ([]Edit, *Matching) {
	d := newDiffer()
	d.same = match(a.Tree, b.Tree)
	d.pair(a, b, 0)
	d.ordered(nil, d.edits, tree.Node{}) // which matches what is in moved nodes
	d.leftovers(d.ordered(nil, d.edits, tree.Node{}))
	d.ordered(nil, d.edits, tree.Node{}) // the same for what the leftovers have matched
	return d.ordered(nil, d.edits, tree.Node{}), d.same
}

// NewSimilar returns a function for the Dice coefficient of the tokens of two nodes, in [0,1]. It remembers the
// tokens.
func NewSimilar() func(a, b tree.Node) float64 { return newDiffer().similar }

// unit tells whether a statement is said to be rewritten as a whole when much of it changed.
func unit(r syntax.Role) bool {
	return r.Is(syntax.ExpressionStatement, syntax.Variable, syntax.Return, syntax.Throw, syntax.Field, syntax.Assert, syntax.Import,
		syntax.Call, syntax.Assign, syntax.AugAssign, syntax.Binary, syntax.New, syntax.Collection, syntax.Conditional, syntax.Parameter,
		syntax.Decorator, syntax.Heritage, syntax.Comprehension, syntax.Yield, syntax.Package)
}

// pair compares two nodes that are taken to be the same one, before and after.
func (d *differ) pair(a, b tree.Node, depth int) {
	single := a // stands for a block, if the other is one
	if a.Is(syntax.Block) {
		single = b
	}
	braces := a.Is(syntax.Block) != b.Is(syntax.Block) && a.Named() && b.Named() && Movable(single)
	if !braces {
		d.same.link(a, b)
	}
	if Same(a, b) {
		return
	}
	x, y := tree.Unnested(a), tree.Unnested(b)
	switch {
	case a.Kind() != b.Kind() && x.Kind() == y.Kind() && (x != a || y != b):
		d.lists(a, b, wrappers(a, x), wrappers(b, y), depth)
		d.pair(x, y, depth+1)
	case braces: // were put around a single statement, or taken off
		xs, ys := []tree.Node{a}, b.Kids()
		if a.Is(syntax.Block) {
			xs, ys = a.Kids(), []tree.Node{b}
		}
		d.lists(a, b, xs, ys, depth)
	case depth > limits.MatchedDepth || whole(a, b):
		d.replaced(a, b)
	case a.Is(syntax.Call) && b.Is(syntax.Call) && d.chains(a, b, depth): // a.b().c()
	case a.Is(syntax.Binary) && b.Is(syntax.Binary) && d.terms(a, b, depth): // a + b + c
	default:
		d.children(a, b, depth)
	}
}

// replaced notes that a node became another one as a whole.
func (d *differ) replaced(a, b tree.Node) {
	d.edits = append(d.edits, Edit{Old: a, New: b, OldIn: a.Parent(), NewIn: b.Parent()})
}

// whole tells whether two different nodes are compared as a whole: their parts say nothing by themselves, or set
// other things.
func whole(a, b tree.Node) bool {
	op := tree.Compound(a)
	return (a.Leaf() || b.Leaf()) && !framed(a, b) || !kindred(a, b) || Atom(a) || b.Is(syntax.Decorator) && Atom(b) ||
		op != tree.Compound(b) || op != "" && tree.Target(a) != tree.Target(b) || // x += 1 and y += 1
		a.Is(syntax.KeywordArgument, syntax.Attribute) && tree.NameOf(a) != tree.NameOf(b) // f(x=1) and f(y=1)
}

// kindred tells whether two nodes can be compared part by part: they are of one kind, or of two kinds of one thing,
// such as a class that becomes abstract or a function that becomes an arrow function.
func kindred(a, b tree.Node) bool {
	r, name, unless := a.Role(), tree.NameOf(a), func(n tree.Node) bool { return strings.HasPrefix(n.Kind(), "unless") }
	return a.Kind() == b.Kind() || Branch(a) && Branch(b) && unless(a) == unless(b) ||
		r == b.Role() && r == syntax.Lambda && a.First(syntax.Block).Ok() && b.First(syntax.Block).Ok() ||
		r == b.Role() && name != "" && name == tree.NameOf(b) && (r.IsFunction() || r.IsClass() || r.Is(syntax.Field, syntax.Parameter))
}

// framed tells whether two nodes are of the frame around a hunk, or begin at the same place of its heading, so that
// they are the same whatever stands in them.
func framed(a, b tree.Node) bool {
	headed := a.Ok() && b.Ok() && a.Start() == b.Start() && a.Frag.Headed(a.Start()) && b.Frag.Headed(b.Start())
	return a.Kind() == b.Kind() && (headed || a.Framed() && b.Framed())
}

// terms compares the operands of two chains of one operator, such as a sum of strings. It answers false where there
// is no chain.
func (d *differ) terms(a, b tree.Node, depth int) bool {
	op := tree.Operator(a)
	if op == "" || op != tree.Operator(b) || tree.Compares(op) {
		return false
	}
	xs, ys := Flatten(a, op), Flatten(b, op)
	if len(xs) < 3 && len(ys) < 3 || len(xs) > limits.CallChain || len(ys) > limits.CallChain {
		return false
	}
	d.lists(a, b, xs, ys, depth)
	return true
}

// Flatten lists the operands of a chain of one operator.
func Flatten(n tree.Node, op string) []tree.Node {
	var rest []tree.Node // right sides, last first
	for i := 0; i <= limits.CallChain; i++ {
		k := n.NamedKids()
		if !n.Is(syntax.Binary) || tree.Operator(n) != op || len(k) != 2 {
			break
		}
		rest = append(rest, k[1])
		n = k[0]
	}
	rest = append(rest, n)
	slices.Reverse(rest)
	return rest
}

// wrappers lists the decorators and the export around a declaration.
func wrappers(outer, inner tree.Node) []tree.Node {
	return slices.DeleteFunc(outer.Kids(), func(k tree.Node) bool {
		return outer == inner || k.Contains(inner) || !k.Is(syntax.Decorator) && k.Kind() != "export" && k.Kind() != "default"
	})
}

// children compares the insides of two nodes.
func (d *differ) children(a, b tree.Node, depth int) {
	from := len(d.edits)
	d.lists(a, b, a.Kids(), b.Kids(), depth)
	if unit(a.Role()) && d.rewritten(a, b, d.edits[from:]) {
		d.edits = d.edits[:from:from]
		d.replaced(a, b)
	}
}

// lists compares two lists of nodes that stand in a and b.
func (d *differ) lists(a, b tree.Node, as, bs []tree.Node, depth int) {
	d.walk(Edit{OldIn: a, NewIn: b}, as, bs, d.align(as, bs), func(x, y tree.Node) { d.pair(x, y, depth+1) })
}

// walk goes over two lists of nodes side by side. An edit of the form like says of what has no partner in the other
// list that it is gone or came; both is called for the others.
func (d *differ) walk(like Edit, as, bs []tree.Node, pairs []int, both func(x, y tree.Node)) {
	tell := func(old, new tree.Node) {
		if !punctuation(old) && !punctuation(new) {
			like.Old, like.New = old, new
			d.edits = append(d.edits, like)
		}
	}
	taken := make([]bool, len(bs))
	for _, j := range pairs {
		if j >= 0 {
			taken[j] = true
		}
	}
	told := 0 // of bs
	come := func(end int) {
		for ; told < end; told++ {
			if !taken[told] {
				tell(tree.Node{}, bs[told])
			}
		}
	}
	for i, j := range pairs {
		if j < 0 {
			tell(as[i], tree.Node{})
			continue
		}
		come(j)
		both(as[i], bs[j])
	}
	come(len(bs))
}

// chains compares two chains of calls, such as those of a builder, link by link, by their names and in
// order. It answers false where there is no chain or nothing in common.
func (d *differ) chains(a, b tree.Node, depth int) bool {
	xs, ys := tree.Chain(a), tree.Chain(b)
	if len(xs) == 1 && len(ys) == 1 || len(xs) > limits.CallChain || len(ys) > limits.CallChain {
		return false
	}
	matched := Subsequence(len(xs), len(ys), func(i, j int) bool { return tree.CalledName(xs[i]) == tree.CalledName(ys[j]) })
	if len(matched) == 0 {
		d.replaced(a, b)
		return true
	}
	if x, y := tree.Receiver(xs[0]), tree.Receiver(ys[0]); x.Ok() && y.Ok() && matched[0] == [2]int{0, 0} && !Same(x, y) {
		d.pair(x, y, depth+1)
	}
	pairs := slices.Repeat([]int{-1}, len(xs))
	for _, m := range matched {
		pairs[m[0]] = m[1]
	}
	d.walk(Edit{OldIn: a, NewIn: b, Link: true}, xs, ys, pairs, func(x, y tree.Node) {
		for _, p := range [][2]tree.Node{{tree.Arguments(x), tree.Arguments(y)}, {x.Child("block"), y.Child("block")}} {
			if p[0].Ok() && p[1].Ok() {
				d.pair(p[0], p[1], depth+1)
			} else if p[0].Ok() || p[1].Ok() {
				d.edits = append(d.edits, Edit{Old: p[0], New: p[1], OldIn: x, NewIn: y})
			}
		}
	})
	return true
}

// Atom tells whether a node is compared as a whole: its parts say nothing, or less than the whole.
func Atom(n tree.Node) bool {
	switch n.Role() {
	case syntax.String, syntax.Comment, syntax.Identifier, syntax.TypeArguments, syntax.Type, syntax.Package, syntax.Receiver, syntax.Tag:
		return true
	case syntax.Import: // but for one that lists names: `from a import b, c`
		return !n.Child("module_name", "source").Ok() && !n.Frag.Headed(n.Start())
	case syntax.Variable: // which is told as an import
		return tree.RequireName(n) != ""
	case syntax.Decorator: // of Rust: paths and conditions in it are runs of tokens
		return n.Traits().OuterAttributes && strings.ContainsAny(n.Text(), ":=")
	case syntax.Member: // a dotted name without calls in it
		return len(n.Find(1, nil, syntax.Call, syntax.New, syntax.Index, syntax.Lambda)) == 0
	}
	return false
}

// rewritten tells whether the edits inside a statement are better said as one: there are many, or most of its text is
// in them.
func (d *differ) rewritten(a, b tree.Node, edits []Edit) bool {
	if a.Is(syntax.Field, syntax.Parameter) && tree.NameOf(a) != "" && tree.NameOf(a) == tree.NameOf(b) {
		return false // of a declaration that stays, each part is told
	}
	// What stands in a block inside (a callback's body) is no part of the statement's own words, and what is under a
	// key of an object is told with the key.
	apart := []syntax.Role{syntax.Block, syntax.Lambda, syntax.Pair}
	tops, sizes := [2]tree.Node{a, b}, [2]int{}
	for _, e := range edits {
		for side, n := range [2]tree.Node{e.Old, e.New} {
			top := tops[side]
			if n.Is(apart...) || n.Ok() && n.Up(func(p tree.Node) bool { return p == top || p.Is(apart...) }) != top {
				return false
			}
			sizes[side] += n.Size()
		}
	}
	return len(edits) > unitEdits || len(edits) > 1 && sizes[0]*10 > a.Size()*7 && sizes[1]*10 > b.Size()*7
}

// telling are the tokens other than words that say something by themselves.
const telling = " == != === !== < > <= >= && || + - * / % ! & | ^ << >> >>> ?? ** // "

// punctuation tells whether a node is a token that says nothing by itself.
func punctuation(n tree.Node) bool {
	t := n.Kind()
	switch {
	case n.Named() || t == "" || tree.WordByte(t[0]) || t[0] == '@':
		return false
	case t == "?": // of a field or a parameter that need not be there
		return !n.Parent().Is(syntax.Field, syntax.Parameter)
	}
	return !strings.Contains(telling, " "+t+" ")
}

// Declares tells whether nodes of a role are known by their name.
func Declares(r syntax.Role) bool {
	return r.IsFunction() || r.IsClass() || r.Is(syntax.Field, syntax.Variable, syntax.Declarator, syntax.Parameter, syntax.EnumMember,
		syntax.Namespace, syntax.TypeAlias, syntax.Pair, syntax.KeywordArgument, syntax.Attribute, syntax.Decorator)
}

// Block tells whether a node holds statements or declarations.
func Block(n tree.Node) bool {
	return n.Ok() && (n.Is(syntax.Block, syntax.Case, syntax.Namespace) || !n.Parent().Ok())
}
