// Package tree is the node model of claims: the trees of internal/syntax as flat lists of
// nodes with roles, fields and places, the same in every language, with an index of their
// words and a meter of the work that they cost.
//
// It says nothing about a change and holds no English.
package tree

import (
	"bytes"
	"slices"
	"sort"

	regexp "crscore/internal/lazyregexp"

	"crscore/change"
	"crscore/internal/syntax"
)

// MaxTreeBytes is the size above which a text is read line by line only: its
// tree would cost more than its claims are worth.
const MaxTreeBytes = 512 << 10

// SmallNode is the size in bytes up to which nodes beside changed lines are
// kept with all that is in them. Larger ones are kept without their inside.
const SmallNode = 300

// Tree is a syntax tree of one side, without ERROR nodes (their children take
// their place) and without the inside of what lies far from every change.
type Tree struct {
	// Frag is the text with the grammar's own tree.
	Frag *syntax.Fragment
	// Meter counts the work that the tree costs.
	Meter *Meter
	// Src is the source text.
	Src   []byte
	nodes []node
	lines []int // byte offset of each line's start
	// errors is the number of bytes in ERROR nodes that touch a change.
	errors int
	// ErrorRows are the rows with an ERROR node that ends on the same row.
	ErrorRows []int
	// Section is the heading of the hunk, empty for a whole file.
	Section string

	// sums, counts and powers give the hash of any stretch of the text
	// without its white space in constant time.
	sums   []uint64
	counts []int32
	powers []uint64 // of hashBase
	// read holds stretches of the text that count as others in hashes.
	read  []Substitution
	index wordIndex
	// Joined holds the comments, by their number, that were asked whether they go on in
	// the next node.
	Joined map[int]bool
}

// node returns the node's entry; that of no node is empty, so that every
// question about none is answered and none needs a check.
func (n Node) node() *node {
	if n.Tree == nil {
		return &node{parent: -1}
	}
	return &n.nodes[n.I]
}

// hashBase is the base of the hash of a stretch of text, a polynomial of its
// characters. It is odd, and sums wrap.
const hashBase = 0x9d8af3b7c95e42f1

func (t *Tree) hashRange(i, j int) uint64 {
	return t.sums[j] - t.sums[i]*t.powers[t.counts[j]-t.counts[i]]
}

// fillHashes fills in what the hashes of stretches need.
func (t *Tree) fillHashes() {
	n := len(t.Src)
	t.sums, t.counts = make([]uint64, n+1), make([]int32, n+1)
	sum, count := uint64(0), int32(0)
	step := func(text ...byte) {
		for _, c := range text {
			if c > ' ' { // white space does not count
				sum, count = sum*hashBase+uint64(c)+1, count+1
			}
		}
	}
	read := t.read
	for k := 0; k < n; k++ {
		if len(read) > 0 && read[0].Start == k {
			step([]byte(read[0].Text)...)
			for ; k < read[0].End-1; k++ {
				t.sums[k+1], t.counts[k+1] = sum, count
			}
			read = read[1:]
		} else {
			step(t.Src[k])
		}
		t.sums[k+1], t.counts[k+1] = sum, count
	}
	t.powers = make([]uint64, count+1)
	t.powers[0] = 1
	for k := range count {
		t.powers[k+1] = t.powers[k] * hashBase
	}
}

// row returns the index of the line that holds a byte.
func (t *Tree) row(offset int) int {
	return sort.SearchInts(t.lines, offset+1) - 1
}

// Span is a run of row indices, both ends included.
type Span struct{ First, Last int }

// near tells whether rows first to last touch one of the spans, which are
// sorted and apart.
func near(spans []Span, first, last int) bool {
	i := sort.Search(len(spans), func(i int) bool { return spans[i].Last >= first })
	return i < len(spans) && spans[i].First <= last
}

// Interest returns, for a side of a file, the rows that hold or border on changes, counted
// from 0 in the whole file. The line before a change and the line after it are taken in, so
// that what encloses the change is known on the side without its lines.
func Interest(f *change.File, side change.Side) []Span {
	var out []Span
	for i := range f.Hunks {
		h := &f.Hunks[i]
		row := h.NewStart - 1
		if side == change.Old {
			row = h.OldStart - 1
		}
		for j := range h.Lines {
			l := &h.Lines[j]
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

// symbol is what a grammar says of a sort of node.
type symbol struct {
	kind         string
	named, wrong bool // wrong for ERROR nodes
}

// builder flattens the tree of a fragment.
type builder struct {
	*Tree
	table    *syntax.Table
	spans    []Span
	symbols  map[syntax.Symbol]symbol
	open     []opened // the nodes that are being filled
	frames   []frame  // the grammar's nodes that are open
	returned []returning
}

// frame is an open node of the grammar.
type frame struct {
	skipped bool // it has no entry, as ERROR nodes
	whole   bool // everything below is kept
	inError bool
}

// NewTree flattens a fragment's tree. Nodes that do not touch spans are kept
// without their inside unless they are small; nil spans keep everything.
func NewTree(frag *syntax.Fragment, spans []Span, m *Meter) *Tree {
	t := &Tree{Frag: frag, Meter: m, Src: frag.Source, lines: []int{0}}
	for i, c := range t.Src {
		if c == '\n' {
			t.lines = append(t.lines, i+1)
		}
	}
	b := &builder{Tree: t, table: frag.Table, spans: spans, symbols: map[syntax.Symbol]symbol{}}
	b.read(frag.Nodes.Cursor(frag.Root()))
	t.giveReturns(b.returned)
	t.rebuild()
	t.giveForms()
	t.fillHashes()
	return t
}

// read walks over the grammar's nodes, each before what is in it.
func (b *builder) read(cur *syntax.Cursor) {
	for {
		f, expand := b.enter(cur.CurrentNode(), cur.CurrentFieldName())
		last := len(b.nodes) - 1
		if expand && (f.skipped || !b.table.Leaf(b.nodes[last].kind)) && cur.GoToFirstChild() {
			b.frames = append(b.frames, f)
			if !f.skipped {
				b.open = append(b.open, newOpened(b.Frag, b.nodes, last))
			}
			continue
		}
		if !f.skipped {
			b.nodes[last].last = len(b.nodes)
		}
		for !cur.GoToNextSibling() {
			if len(b.frames) == 0 || !cur.GoToParent() {
				return
			}
			b.leave()
		}
	}
}

// leave closes the innermost open node.
func (b *builder) leave() {
	if !b.frames[len(b.frames)-1].skipped {
		o := &b.open[len(b.open)-1]
		b.endGroup(o)
		b.nodes[o.node].last = len(b.nodes)
		b.open = b.open[:len(b.open)-1]
	}
	b.frames = b.frames[:len(b.frames)-1]
}

// enter adds an entry for a node of the grammar, if it gets one, and tells whether what
// is in the node is wanted.
func (b *builder) enter(n *syntax.Node, field string) (f frame, expand bool) {
	start, end := int(n.StartByte()), int(n.EndByte())
	for start < end && (b.Src[start] == ' ' || b.Src[start] == '\n') {
		start++ // some grammars put the space before markup into it
	}
	sym := b.symbol(n)
	if len(b.frames) > 0 {
		f = b.frames[len(b.frames)-1]
	}
	above := b.above()
	first, touches := len(b.nodes) == 0, b.spans == nil || b.touches(start, end)
	flat := !first && sym.named && b.table.Flat(above, sym.kind)
	framed := b.Frag.Framed(start)
	empty := sym.wrong || end <= start || framed && (n.ChildCount() == 0 || b.Frag.Beyond(start))
	f.skipped = flat || empty && !first
	b.noteError(n, sym.wrong, start, end)
	if sym.wrong && !f.inError && b.touches(start, end) {
		b.errors += end - start
	}
	f.inError = f.inError || sym.wrong
	if !f.skipped {
		b.add(node{kind: sym.kind, field: b.table.FieldIn(above, sym.kind, field), named: sym.named, start: start, end: end, parent: -1}, above, framed)
		if r, ok := b.table.Returned(n); ok {
			b.returned = append(b.returned, returning{len(b.nodes) - 1, r})
		}
	}
	wanted := f.whole || flat || touches
	f.whole = f.whole || !flat && !touches && end-start <= SmallNode
	return f, wanted || f.whole
}

// above is the kind of the innermost open node, empty at the top.
func (b *builder) above() string {
	if len(b.open) == 0 {
		return ""
	}
	return b.nodes[b.open[len(b.open)-1].node].kind
}

// symbol returns what the grammar says of a sort of node.
func (b *builder) symbol(n *syntax.Node) symbol {
	sym, ok := b.symbols[n.Symbol()]
	if !ok {
		sym = symbol{kind: b.table.Kind(n.Type()), named: n.IsNamed(), wrong: n.IsError()}
		b.symbols[n.Symbol()] = sym
	}
	return sym
}

// touches tells whether a stretch of the text touches the spans.
func (b *builder) touches(start, end int) bool {
	return near(b.spans, b.row(start), b.row(max(end-1, start)))
}

// noteError notes the row of what the grammar finds wrong or missing. Something missing at
// the end of a text was only cut off.
func (b *builder) noteError(n *syntax.Node, wrong bool, start, end int) {
	missing := end <= start && n.IsMissing()
	if r := b.row(start); len(b.ErrorRows) < maxErrors &&
		(wrong && end > start && r == b.row(end-1) || missing && len(bytes.TrimSpace(b.Frag.Rest(start))) > 0) {
		b.ErrorRows = append(b.ErrorRows, r)
	}
}

// add adds an entry below the innermost open one.
func (b *builder) add(nd node, above string, framed bool) {
	if nd.kind == ";" || nd.kind == "," {
		nd.field = "" // Bash's grammar takes them for parts of what is before
	}
	if nd.role, nd.named = b.table.Named(nd.kind, nd.named); nd.named && nd.role == syntax.Other {
		nd.role = b.table.RoleIn(above, nd.kind, nd.field)
	}
	if len(b.open) > 0 {
		o := &b.open[len(b.open)-1]
		if nd.named {
			nd.role = b.callRole(nd.role, &nd, b.nodes[o.node].role)
		}
		nd.parent = b.group(o, &nd)
	}
	// What a frame put around a hunk is nothing but a place for blocks.
	if framed && nd.role != syntax.Block {
		nd.role = syntax.Other
	}
	b.nodes = append(b.nodes, nd)
}

// returning is a node that is returned without a statement that says so, and
// the kind of such a statement.
type returning struct {
	node int
	kind string
}

// giveReturns puts a statement around each node that is returned without one,
// so that nothing else needs to know of them.
func (t *Tree) giveReturns(rs []returning) {
	if len(rs) == 0 {
		return
	}
	// before is the number of statements put before node i, or around it.
	before := func(i int, around bool) int {
		return sort.Search(len(rs), func(k int) bool { return rs[k].node > i || !around && rs[k].node == i })
	}
	out := make([]node, 0, len(t.nodes)+len(rs))
	k := 0
	for i, nd := range t.nodes {
		if nd.parent >= 0 {
			nd.parent += before(nd.parent, true)
		}
		nd.last += before(nd.last, false)
		if k < len(rs) && rs[k].node == i {
			out = append(out, node{kind: rs[k].kind, role: syntax.Return, named: true, field: nd.field, start: nd.start, end: nd.end, parent: nd.parent, last: nd.last})
			nd.parent, nd.field = len(out)-1, ""
			k++
		}
		out = append(out, nd)
	}
	t.nodes = out
}

// giveForms gives nodes the role that their children tell.
func (t *Tree) giveForms() {
	forms := map[string][]syntax.Form{}
	for i := range t.nodes {
		nd := &t.nodes[i]
		if !nd.named || i == 0 || t.Frag.Framed(nd.start) {
			continue
		}
		fs, ok := forms[nd.kind]
		if !ok {
			fs = t.Frag.Table.Forms(nd.kind)
			forms[nd.kind] = fs
		}
		has := func(what string) bool {
			for c := i + 1; c < nd.last; c = t.nodes[c].last {
				if t.nodes[c].field == what || t.nodes[c].kind == what {
					return true
				}
			}
			return false
		}
		for _, f := range fs {
			if (f.Has == "" || has(f.Has)) && (f.Lacks == "" || !has(f.Lacks)) && (len(f.In) == 0 || slices.Contains(f.In, t.nodes[nd.parent].kind)) {
				nd.role = f.Role
				break
			}
		}
	}
}

// opened is a node whose children are being read, with the group that some of
// them make up.
type opened struct {
	node    int
	group   syntax.List
	grouped bool // there is such a group
	begun   bool // what follows belongs to it
	made    int  // its node, 0 where there is none yet
}

func newOpened(frag *syntax.Fragment, nodes []node, i int) opened {
	o := opened{node: i}
	if nodes[i].named {
		o.group, o.grouped = frag.Table.List(nodes[i].kind)
		o.begun = frag.Framed(nodes[i].start) // the tokens of a frame are not there
	}
	return o
}

// group returns the parent of a new node: the one that is open, or the node
// made for a group of its children.
func (t *Tree) group(o *opened, nd *node) int {
	if !o.grouped {
		return o.node
	}
	in := nd.field == o.group.Of
	if o.group.Of == "" {
		in = o.begun && !slices.Contains(o.group.Until, nd.kind)
		o.begun = in || !nd.named && nd.kind == o.group.After
	}
	if !in {
		t.endGroup(o)
		return o.node
	}
	if o.made == 0 {
		o.made = len(t.nodes)
		t.nodes = append(t.nodes, node{kind: o.group.Kind, field: o.group.Field, role: o.group.Role, named: true, start: nd.start, parent: o.node})
	}
	t.nodes[o.made].end = nd.end
	return o.made
}

func (t *Tree) endGroup(o *opened) {
	if o.made > 0 {
		t.nodes[o.made].last = len(t.nodes)
		o.grouped, o.made = false, 0
	}
}

// callRole returns the role of a node that may be a call of something that is
// more than a function.
func (t *Tree) callRole(role syntax.Role, nd *node, parent syntax.Role) syntax.Role {
	if role != syntax.Call && !(role == syntax.Identifier && (parent == syntax.Block || nd.field == "body" || nd.field == "consequence")) || !t.Frag.Table.CallNames() {
		return role
	}
	k := nd.start
	for k < nd.end && (WordByte(t.Src[k]) || t.Src[k] == '-' || t.Src[k] == '.') {
		k++
	}
	if k < nd.end && t.Src[k] != ' ' && t.Src[k] != '(' && t.Src[k] != '\n' {
		return role
	}
	if r, ok := t.Frag.Table.CallRole(string(t.Src[nd.start:k])); ok {
		return r
	}
	return role
}

// maxErrors bounds the errors that are remembered.
const maxErrors = 1000

// maxGarbled is the share of a whole file in which the grammar finds its way
// no longer, above which its tree is not believed: the language is probably
// another one than was said.
const maxGarbled = 0.3

// Garbled tells whether the tree cannot be believed. Hunks are full of errors
// by nature and are believed.
func (t *Tree) Garbled() bool {
	return t != nil && t.Frag.Whole && float64(t.errors) > maxGarbled*float64(len(t.Src))
}

// Root returns the root node.
func (t *Tree) Root() Node { return t.At(0) }

// WordByte reports whether a byte may stand in a name.
func WordByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// FieldsOfHeading makes fields of the declarations of a hunk whose heading is a
// struct: the hunk alone reads like the inside of a function.
func (t *Tree) FieldsOfHeading() {
	if !t.Frag.Table.SpreadTypes || !structHeading.MatchString(t.Section) {
		return
	}
	for i := range t.nodes {
		if nd := &t.nodes[i]; nd.parent == 0 && nd.role == syntax.Variable {
			nd.role = syntax.Field
		}
	}
}

// Substitution is a stretch of a text that counts as another text.
type Substitution struct {
	// Start is the first byte, End the first byte behind the stretch.
	Start, End int
	// Text is what the stretch counts as.
	Text string
}

// ReadAs makes stretches of the text count as others in hashes.
func (t *Tree) ReadAs(read []Substitution) {
	sort.Slice(read, func(i, j int) bool { return read[i].Start < read[j].Start })
	t.read = slices.CompactFunc(read, func(a, b Substitution) bool { return a.Start == b.Start })
	t.fillHashes()
}

// structHeading is the heading of a hunk within a struct of C.
var structHeading = regexp.MustCompile(`^\s*(?:typedef\s+)?(?:struct|union)\b[^()=;]*$`)
