// Package tree is the view of claims on a tree of internal/syntax. A text is parsed once, and its nodes lie in one
// syntax.NodeList. A Tree lists those that say something in the form that rules ask for: each with its role where it
// stands and the field that it is in everywhere. Nodes that a grammar spreads over others are put together, and what
// lies far from a change has no inside. Beside it are an index of the words in the text and a meter of the work.
//
// It says nothing about a change and holds no English.
package tree

import (
	"bytes"
	"slices"
	"sort"

	"crscore/change"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
	"crscore/internal/syntax"
)

// SmallNode is the size in bytes up to which nodes beside changed lines are kept with all that is in them. Larger
// ones are kept without their inside.
const SmallNode = 300

// Tree is a syntax tree of one side, without ERROR nodes (their children take their place) and without the inside of
// what lies far from every change.
type Tree struct {
	Frag      *syntax.Fragment // the text with the grammar's own tree
	Meter     *Meter           // counts the work that the tree costs
	Src       []byte           // the source text
	Section   string           // the heading of the hunk, empty for a whole file
	ErrorRows []int            // the rows with an ERROR node that ends on the same row
	errors    int              // the number of bytes in ERROR nodes
	nodes     []node           // in preorder
	lines     []int            // byte offset of each line's start
	words     map[string][]int // the bytes where a word begins in the text, for the words that were asked for

	// sums and counts give the hash of any stretch of the text without its white space in constant time.
	sums   []uint64
	counts []int32
}

// Pairs returns the fragments of both sides that belong together: those of the whole file, or those of each hunk.
// Either may be nil.
func Pairs(f *syntax.File) [][2]*syntax.Fragment {
	var out [][2]*syntax.Fragment
	at := map[int]int{}
	for _, side := range []change.Side{change.Old, change.New} {
		for _, fr := range f.Fragments(side) {
			if len(fr.Source) > limits.FileTree {
				continue
			}
			k, ok := at[fr.Hunk]
			if !ok {
				k, out = len(out), append(out, [2]*syntax.Fragment{})
				at[fr.Hunk] = k
			}
			out[k][side] = fr
		}
	}
	return out
}

// Of makes the tree of a fragment of a file; nil has none.
func Of(f *change.File, fr *syntax.Fragment, m *Meter) *Tree {
	switch {
	case fr == nil:
		return nil
	case fr.Whole:
		return NewTree(fr, interest(f, fr.Side), m)
	}
	t := NewTree(fr, nil, m)
	t.Section = f.Hunks[fr.Hunk].Section
	if fr.Table.SpreadTypes && structHeading.MatchString(t.Section) {
		for k := range t.Root().kids { // the hunk alone reads like the inside of a function
			if nd := k.node(); nd.role == syntax.Variable {
				nd.role = syntax.Field
			}
		}
	}
	return t
}

// structHeading is the heading of a hunk within a struct of C.
var structHeading = regexp.MustCompile(`^\s*(?:typedef\s+)?(?:struct|union)\b[^()=;]*$`)

// Span is a run of row indices, both ends included.
type Span struct{ First, Last int }

// interest returns, for a side of a file, the rows that hold or border on changes, counted from 0 in the whole file.
// The line before a change and the line after it are taken in, so that what encloses the change is known on the side
// without its lines.
func interest(f *change.File, side change.Side) []Span {
	var out []Span
	for _, h := range f.Hunks {
		row := h.NewStart - 1
		if side == change.Old {
			row = h.OldStart - 1
		}
		for _, l := range h.Lines {
			if k := len(out) - 1; l.Op == change.Context {
			} else if k >= 0 && row-1 <= out[k].Last+1 {
				out[k].Last = max(out[k].Last, row+1)
			} else {
				out = append(out, Span{max(row-1, 0), row + 1})
			}
			if l.Number(side) != 0 {
				row++
			}
		}
	}
	return out
}

// NewTree lists the nodes of a fragment. Those that do not touch spans, which are sorted and apart, are kept without
// their inside unless they are small; nil spans keep everything.
func NewTree(frag *syntax.Fragment, spans []Span, m *Meter) *Tree {
	t := &Tree{Frag: frag, Meter: m, Src: frag.Source, lines: []int{0}, words: map[string][]int{}}
	for i, c := range t.Src {
		if c == '\n' {
			t.lines = append(t.lines, i+1)
		}
	}
	b := &builder{Tree: t, table: frag.Table, spans: spans, cur: frag.Nodes.Cursor(frag.Root())}
	b.read(scope{open: -1})
	t.rebuild()
	t.giveForms()
	t.fillHashes(nil)
	return t
}

// builder lists the nodes of a fragment.
type builder struct {
	*Tree
	table *syntax.Table
	spans []Span
	cur   *syntax.Cursor
}

// scope is what is known of an open node of the grammar while its children are read.
type scope struct {
	open  int    // the innermost node that is listed, -1 at the top
	kind  string // of that node
	whole bool   // everything below is kept
	wrong bool   // it lies in an ERROR node
}

// read lists the node that the cursor is at, and then what is in it. The depth is bounded by limits.TreeDepth.
func (b *builder) read(in scope) {
	n := b.cur.CurrentNode()
	start, end := int(n.StartByte()), int(n.EndByte())
	b.noteError(n, start, end, in)
	nd := node{kind: b.table.Kind(n.Type()), named: n.IsNamed(), start: start, end: end, parent: in.open}
	top := in.open < 0
	flat := !top && nd.named && b.table.Flat(in.kind, nd.kind) // its children take its place
	framed := b.Frag.Framed(start)
	empty := n.IsError() || end <= start || framed && (n.ChildCount() == 0 || b.Frag.Beyond(start)) // or not in the text
	touches := b.spans == nil || b.touches(start, end)                                              // else its inside is not needed
	sub := scope{in.open, in.kind, in.whole || !flat && !touches && end-start <= SmallNode, in.wrong || n.IsError()}
	listed := !flat && (!empty || top)
	first := len(b.nodes) // of the nodes that this one gets
	if listed {
		nd.field = b.table.FieldIn(in.kind, nd.kind, b.cur.CurrentFieldName())
		b.add(n, nd, in.kind, framed)
		sub.open, sub.kind = len(b.nodes)-1, nd.kind
	}
	if (flat || touches || sub.whole) && (!listed || !b.table.Leaf(nd.kind)) {
		b.inside(sub)
	}
	if listed {
		for i := first; i <= sub.open; i++ {
			b.nodes[i].last = len(b.nodes)
		}
	}
}

// inside reads the children of the node that the cursor is at.
func (b *builder) inside(in scope) {
	for more := b.cur.GoToFirstChild(); more; {
		b.read(in)
		if more = b.cur.GoToNextSibling(); !more {
			b.cur.GoToParent()
		}
	}
}

// touches tells whether a stretch of the text touches the spans.
func (b *builder) touches(start, end int) bool {
	first, last := b.row(start), b.row(max(end-1, start))
	i := sort.Search(len(b.spans), func(i int) bool { return b.spans[i].Last >= first })
	return i < len(b.spans) && b.spans[i].First <= last
}

// noteError notes what the grammar finds wrong or missing: its row, and how much it is. Something missing at the end
// of a text was only cut off.
func (b *builder) noteError(n *syntax.Node, start, end int, in scope) {
	wrong, missing := n.IsError() && end > start, end <= start && n.IsMissing()
	if r := b.row(start); wrong && r == b.row(end-1) || missing && len(bytes.TrimSpace(b.Frag.Rest(start))) > 0 {
		b.ErrorRows = append(b.ErrorRows, r)
	}
	if wrong && !in.wrong {
		b.errors += end - start
	}
}

// add lists a node below one of the kind above. What is returned without a statement that says so gets one around it,
// so that nothing else needs to know of it.
func (b *builder) add(n *syntax.Node, nd node, above string, framed bool) {
	if nd.role, nd.named = b.table.Named(nd.kind, nd.named); nd.named && nd.role == syntax.Other {
		nd.role = b.table.RoleIn(above, nd.kind, nd.field)
	}
	if nd.named && nd.parent >= 0 {
		nd.role = b.callRole(&nd, b.nodes[nd.parent].role)
	}
	// What a frame put around a hunk is nothing but a place for blocks.
	if framed && nd.role != syntax.Block {
		nd.role = syntax.Other
	}
	if kind, ok := b.table.Returned(n); ok {
		around := nd
		around.kind, around.role, around.named = kind, syntax.Return, true
		nd.parent, nd.field = len(b.nodes), ""
		b.nodes = append(b.nodes, around)
	}
	b.nodes = append(b.nodes, nd)
}

// callRole returns the role of a node that may be a call of something that is more than a function, as `raise` is in
// Ruby, or of a name that stands for such a call.
func (b *builder) callRole(nd *node, parent syntax.Role) syntax.Role {
	name := nd.role == syntax.Identifier && (parent == syntax.Block || nd.field == "body" || nd.field == "consequence") // `raise` alone
	if nd.role != syntax.Call && !name || !b.table.CallNames() {
		return nd.role
	}
	k := nd.start
	for k < nd.end && (WordByte(b.Src[k]) || b.Src[k] == '-' || b.Src[k] == '.') {
		k++
	}
	if k == nd.end || b.Src[k] == ' ' || b.Src[k] == '(' || b.Src[k] == '\n' {
		if r, ok := b.table.CallRole(string(b.Src[nd.start:k])); ok {
			return r
		}
	}
	return nd.role
}

// giveForms gives nodes the role that their children tell.
func (t *Tree) giveForms() {
	has := func(n Node, what string) bool {
		return n.kid(func(k *node) bool { return k.field == what || k.kind == what }).Ok()
	}
	for i := range t.nodes {
		n, nd := t.At(i), &t.nodes[i]
		if !nd.named || i == 0 || t.Frag.Framed(nd.start) {
			continue
		}
		for _, f := range t.Frag.Table.Forms(nd.kind) {
			if (f.Has == "" || has(n, f.Has)) && (f.Lacks == "" || !has(n, f.Lacks)) &&
				(len(f.In) == 0 || slices.Contains(f.In, t.nodes[nd.parent].kind)) {
				nd.role = f.Role
				break
			}
		}
	}
}

// garbledShare is the share of a whole file in which the grammar finds its way no longer, above which its tree is not
// believed: the language is probably another one than was said.
const garbledShare = 0.3

// Garbled tells whether the tree cannot be believed. Hunks are full of errors by nature and are believed.
func (t *Tree) Garbled() bool {
	return t != nil && t.Frag.Whole && float64(t.errors) > garbledShare*float64(len(t.Src))
}

// hashBase is the base of the hash of a stretch of text, a polynomial of its characters. It is odd, and sums wrap.
const hashBase = 0x9d8af3b7c95e42f1

func hashPower(n int) uint64 {
	out, square := uint64(1), uint64(hashBase)
	for ; n > 0; n, square = n>>1, square*square {
		out *= 1 + uint64(n&1)*(square-1)
	}
	return out
}

// fillHashes fills in what the hashes of stretches need. The stretches in read, which are sorted and apart, count as
// their texts.
func (t *Tree) fillHashes(read []Substitution) {
	t.sums, t.counts = make([]uint64, len(t.Src)+1), make([]int32, len(t.Src)+1)
	for k, sum, count := 0, uint64(0), int32(0); k < len(t.Src); k++ {
		text := t.Src[k : k+1]
		if len(read) > 0 && k >= read[0].Start {
			if text = nil; k == read[0].Start { // the first byte stands for all of the stretch
				text = []byte(read[0].Text)
			}
			if k+1 >= read[0].End {
				read = read[1:]
			}
		}
		for _, c := range text {
			if c > ' ' { // white space does not count
				sum, count = sum*hashBase+uint64(c)+1, count+1
			}
		}
		t.sums[k+1], t.counts[k+1] = sum, count
	}
}

// Substitution is a stretch of a text that counts as another text.
type Substitution struct {
	Start, End int    // the first byte, and the first byte behind the stretch
	Text       string // what the stretch counts as
}

// ReadAs makes stretches of the text count as others in hashes.
func (t *Tree) ReadAs(read []Substitution) {
	sort.Slice(read, func(i, j int) bool { return read[i].Start < read[j].Start })
	t.fillHashes(slices.CompactFunc(read, func(a, b Substitution) bool { return a.Start == b.Start }))
}

// row returns the index of the line that holds a byte.
func (t *Tree) row(offset int) int { return sort.SearchInts(t.lines, offset+1) - 1 }

// WordByte reports whether a byte may stand in a name.
func WordByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
