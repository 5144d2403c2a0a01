package outline

import (
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Edit is a smallest difference between two outlines: an added node (Old is nil), a
// removed node (New is nil), or a changed node.
type Edit struct {
	// Old is a node of the old outline, New a node of the new outline.
	Old, New *Node
	// Renamed says that only the name differs, Moved that only the place does.
	Renamed, Moved bool
}

const (
	likeWindow = 20  // how far apart siblings are compared for likeness
	maxFree    = 200 // siblings, above which it is farWindow
	farWindow  = 2
	maxWords   = 300  // of a node, that are compared
	minAlike   = 0.5  // Dice coefficient above which two nodes are one, changed
	aloneAlike = 0.25 // likewise where both are alone between their neighbours
)

// Diff returns the smallest differences between two outlines, in the order of the new
// text. Removed nodes are at their old places.
func Diff(a, b *Node) []Edit {
	// A single document is compared with the first of several.
	if x, y := a.documents(), b.documents(); x != y {
		for _, n := range []*Node{a, b} {
			if !n.documents() {
				n.wrap()
				n.seal()
			}
		}
	}
	d := &differ{}
	d.pair(a, b)
	return d.moves()
}

// documents reports whether a root holds several documents.
func (n *Node) documents() bool { return len(n.Kids) > 0 && n.Kids[0].Type == Document }

// wrap makes one document of all children of a root.
func (n *Node) wrap() {
	first := &Node{Kind: Item, Type: Document, Parent: n, Kids: n.Kids}
	for _, k := range first.Kids {
		k.Parent = first
		first.Last = max(first.Last, k.Last)
	}
	if len(n.Kids) > 0 {
		first.First = n.Kids[0].First
		n.Kids = []*Node{first}
	}
}

type differ struct{ edits []Edit }

// pair compares two nodes that match each other.
func (d *differ) pair(a, b *Node) {
	if a.hash == b.hash {
		return
	}
	if a.Name != b.Name {
		d.edits = append(d.edits, Edit{Old: a, New: b, Renamed: true})
	}
	scalar := !a.Heading && a.Type == "" && (len(a.Kids) == 0) != (len(b.Kids) == 0) && (a.Kind == Key || a.Kind == Item)
	if scalar || a.Value != b.Value || a.Type != b.Type || a.marked() != b.marked() {
		d.edits = append(d.edits, Edit{Old: a, New: b})
		if scalar {
			return
		}
	}
	m := match(a.Kids, b.Kids)
	j := 0
	come := func(end int) {
		for ; j < end; j++ {
			if !m.taken[j] {
				d.edits = append(d.edits, Edit{New: b.Kids[j]})
			}
		}
	}
	for i, x := range a.Kids {
		if m.pairs[i] < 0 {
			d.edits = append(d.edits, Edit{Old: x})
			continue
		}
		come(m.pairs[i])
		d.pair(x, b.Kids[m.pairs[i]])
	}
	come(len(b.Kids))
}

// id identifies a node among its siblings; it is empty if nothing does.
func (n *Node) id() string {
	switch n.Kind {
	case Key, Section:
		if n.Name != "" {
			return string(rune(n.Kind)) + n.Type + "\x00" + n.Name
		}
	case Item:
		if k, v := n.Identity(); v != "" {
			return "item\x00" + n.Type + "\x00" + k + "\x00" + v
		}
	case Element:
		switch n.Name {
		case "html", "head", "body", "title", "main": // a page has one of them
			return "<" + n.Name
		}
		for _, a := range []string{"id", "name", "key"} {
			if k := n.Kid(a); k != nil && k.Type == Attribute {
				return "<" + n.Name + "\x00" + a + "\x00" + k.Value
			}
		}
	}
	return ""
}

// matching pairs siblings. For each node of as, pairs holds the index of its partner in
// bs, or -1; taken marks the nodes of bs that have one.
type matching struct {
	as, bs []*Node
	pairs  []int
	taken  []bool
}

// match pairs first equal nodes, then nodes with the same name, then similar nodes
// between the same neighbours.
func match(as, bs []*Node) *matching {
	m := &matching{as, bs, make([]int, len(as)), make([]bool, len(bs))}
	for i := range m.pairs {
		m.pairs[i] = -1
	}
	a0, b0, a1, b1 := 0, 0, len(as), len(bs)
	for a0 < a1 && b0 < b1 && as[a0].hash == bs[b0].hash {
		m.join(a0, b0)
		a0, b0 = a0+1, b0+1
	}
	for a0 < a1 && b0 < b1 && as[a1-1].hash == bs[b1-1].hash {
		a1, b1 = a1-1, b1-1
		m.join(a1, b1)
	}
	// By content, then by name, in order of appearance.
	for _, key := range []func(*Node) string{func(n *Node) string { return strconv.FormatUint(n.hash, 36) }, (*Node).id} {
		at := map[string][]int{}
		for j := b0; j < b1; j++ {
			if k := key(bs[j]); k != "" && !m.taken[j] {
				at[k] = append(at[k], j)
			}
		}
		for i := a0; i < a1; i++ {
			if k := key(as[i]); k != "" && m.pairs[i] < 0 && len(at[k]) > 0 {
				m.join(i, at[k][0])
				at[k] = at[k][1:]
			}
		}
	}
	m.similar(a0, a1)
	return m
}

func (m *matching) join(i, j int) { m.pairs[i], m.taken[j] = j, true }

// similar pairs the nodes of as from a0 to a1 by likeness, between the same neighbours.
func (m *matching) similar(a0, a1 int) {
	type candidate struct {
		i, j  int
		score float64
	}
	var cands []candidate
	for i := a0; i < a1; i++ {
		if m.pairs[i] >= 0 {
			continue
		}
		free := []int{}
		before := i
		for ; i < a1 && m.pairs[i] < 0; i++ {
			free = append(free, i)
		}
		j := 0
		if before > 0 {
			j = m.pairs[before-1] + 1
		}
		var there []int
		for ; j < len(m.bs) && !m.taken[j]; j++ {
			there = append(there, j)
		}
		window := likeWindow
		if max(len(free), len(there)) > maxFree {
			window = farWindow
		}
		for k, x := range free {
			for l := max(0, k-window); l < min(len(there), k+window+1); l++ {
				alone := len(free) == 1 && len(there) == 1 || lone(m.as, free, m.as[x]) && lone(m.bs, there, m.as[x])
				if s := alike(m.as[x], m.bs[there[l]], alone); s > 0 {
					cands = append(cands, candidate{x, there[l], s})
				}
			}
		}
	}
	sort.SliceStable(cands, func(x, y int) bool { return cands[x].score > cands[y].score })
	for _, c := range cands {
		if m.pairs[c.i] < 0 && !m.taken[c.j] {
			m.join(c.i, c.j)
		}
	}
}

// lone reports whether at most one node has the kind and the tag of n.
func lone(all []*Node, at []int, n *Node) bool {
	if n.Kind != Element && n.Kind != Text && n.Type != StyleRule {
		return false
	}
	found := 0
	for _, i := range at[:min(len(at), 100)] {
		if all[i].Kind == n.Kind && (all[i].Name == n.Name || n.Type == StyleRule) {
			found++
		}
	}
	return found <= 1
}

// alike returns the similarity of b, as the new form of a, from 0 to 1.
func alike(a, b *Node, alone bool) float64 {
	if a.Kind != b.Kind || a.Loose != b.Loose || a.Type != b.Type && a.Kind != Code {
		return 0
	}
	leaves := len(a.Kids) == 0 && len(b.Kids) == 0
	switch a.Kind {
	case Key, Section:
		return renamed(a, b, alone, leaves)
	case Element:
		if a.Name != b.Name {
			return 0
		}
		if alone && len(a.Of(Element)) == 0 && len(b.Of(Element)) == 0 {
			return max(minAlike/2, Dice(a.words(true), b.words(true)))
		}
	case Text:
		if alone {
			return 1
		}
	case Item:
		if otherItem(a, b, leaves, alone) {
			return 0
		}
		if leaves && alone {
			return minAlike
		}
	}
	if s := Dice(a.words(true), b.words(true)); s >= minAlike || alone && s >= aloneAlike {
		return s
	}
	return 0
}

// otherItem reports whether two items are known to be different things.
func otherItem(a, b *Node, leaves, alone bool) bool {
	if leaves { // clauses begin with their keyword
		return a.Type == "clause" && strings.SplitN(a.Value, " ", 2)[0] != strings.SplitN(b.Value, " ", 2)[0]
	}
	_, x := a.Identity()
	_, y := b.Identity()
	return len(a.Kids) == 0 || len(b.Kids) == 0 || !alone && x != "" && y != "" && Dice(a.words(true), b.words(true)) < 0.7
}

// renamed returns the similarity of two nodes with different names: they match if their
// content does.
func renamed(a, b *Node, alone, leaves bool) float64 {
	switch {
	case a.Type == Attribute || a.Type == Property:
		return 0
	case a.Kind == Section && alone && leaves:
		return minAlike
	case !leaves:
		if s := Dice(a.words(false), b.words(false)); s >= 0.6 {
			return s
		}
		return 0
	case a.Open && b.Open && (alone || Dice(wordsOf(a.Name), wordsOf(b.Name)) >= minAlike):
		return 0.9
	case a.Value != b.Value || a.Value == "":
		return 0
	case alone && (len(a.Value) > 2 || Dice(nameWords(a.Name), nameWords(b.Name)) > 0):
		return 0.9
	case len(a.Value) > 3 && !looksTyped.MatchString(a.Value):
		return 0.8
	}
	return 0
}

// words returns the words of a node and of the nodes inside it.
func (n *Node) words(own bool) []string {
	var out []string
	n.Walk(func(k *Node) {
		if len(out) < maxWords {
			if own || k != n {
				out = append(out, wordsOf(k.Name)...)
			}
			out = append(out, wordsOf(k.Value)...)
		}
	})
	return out[:min(len(out), maxWords)]
}

func wordsOf(s string) []string {
	s = s[:min(len(s), 8*maxWords)]
	return strings.FieldsFunc(s, func(r rune) bool { return r < 0x80 && (r == '$' || r == '@' || !wordByte(byte(r))) })
}

// nameWords splits a name at signs and capitals.
func nameWords(s string) []string {
	var b strings.Builder
	for i, r := range s[:min(len(s), 200)] {
		if r >= 'A' && r <= 'Z' && i > 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return wordsOf(strings.ReplaceAll(strings.ToLower(b.String()), "_", " "))
}

// Dice returns the Dice coefficient of two bags of words, from 0 to 1; 0 if both are
// empty.
func Dice(x, y []string) float64 {
	if len(x)+len(y) == 0 {
		return 0
	}
	count := map[string]int{}
	for _, t := range x {
		count[t]++
	}
	common := 0
	for _, t := range y {
		if count[t] > 0 {
			count[t]--
			common++
		}
	}
	return 2 * float64(common) / float64(len(x)+len(y))
}

// moves joins a removed and an added node with the same content, or elements with the same
// identity, into one edit, even where the added one stands inside another.
func (d *differ) moves() []Edit {
	key := func(n *Node) string {
		if id := n.id(); id != "" && n.Kind == Element {
			return id
		}
		return strconv.FormatUint(n.hash, 36)
	}
	count := map[string]int{}
	came := map[string]*Node{}
	for _, e := range d.edits {
		if e.Old == nil {
			e.New.Walk(func(n *Node) {
				count[key(n)]++
				came[key(n)] = n
			})
		} else if e.New == nil {
			count[key(e.Old)]++
		}
	}
	moved := map[*Node]bool{}
	inner := &differ{}
	for i, e := range d.edits {
		if e.New == nil && came[key(e.Old)] != nil && count[key(e.Old)] == 2 && e.Old.movable() {
			n := came[key(e.Old)]
			d.edits[i].New, d.edits[i].Moved, moved[n] = n, true, true
			inner.pair(e.Old, n)
		}
	}
	return slices.DeleteFunc(append(d.edits, inner.edits...), func(e Edit) bool { return e.Old == nil && moved[e.New] })
}

// movable reports whether a node has enough content to be recognised at another place.
func (n *Node) movable() bool {
	return n.Type != Attribute && n.Type != Property && (len(n.Kids) > 1 || len(n.Value) > 7 && !looksTyped.MatchString(n.Value))
}
