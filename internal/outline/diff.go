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
	// Renamed says that only the name differs.
	Renamed bool
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
	d := &differ{}
	d.pair(a, b)
	// What stands within something new did not go.
	wrapped := map[string]bool{}
	key := func(n *Node) string {
		if id := n.id(); id != "" && n.Kind == Element {
			return id
		}
		return strconv.FormatUint(n.hash, 36)
	}
	for _, e := range d.edits {
		if e.Old == nil {
			e.New.Walk(func(n *Node) { wrapped[key(n)] = wrapped[key(n)] || n != e.New && len(n.Kids) > 1 })
		}
	}
	return slices.DeleteFunc(d.edits, func(e Edit) bool { return e.New == nil && wrapped[key(e.Old)] })
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
	if scalar || a.Value != b.Value || a.Type != b.Type {
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
		from, there := i, 0
		if from > 0 && m.pairs[from-1] >= 0 {
			there = m.pairs[from-1] + 1
		}
		for i < a1 && m.pairs[i] < 0 {
			i++
		}
		end := there
		for end < len(m.bs) && !m.taken[end] {
			end++
		}
		window := likeWindow
		if max(i-from, end-there) > maxFree {
			window = farWindow
		}
		for x := from; x < i; x++ {
			for y := max(there, there+x-from-window); y < min(end, there+x-from+window+1); y++ {
				if s := alike(m.as[x], m.bs[y], i-from == 1 && end-there == 1); s > 0 {
					cands = append(cands, candidate{x, y, s})
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

// alike returns the similarity of b, as the new form of a, from 0 to 1. Where both are
// alone between their neighbours, less of it is enough.
func alike(a, b *Node, alone bool) float64 {
	leaves, named, limit := len(a.Kids) == 0 && len(b.Kids) == 0, a.Kind == Key || a.Kind == Section, minAlike
	switch {
	case unlike(a, b):
		return 0
	case leaves && named:
		return renamed(a, b, alone)
	case named:
		limit = 0.6
	case leaves && alone && a.Kind != Paragraph:
		return minAlike
	case alone:
		limit = aloneAlike
	}
	if s := Dice(a.words(!named), b.words(!named)); s >= limit {
		return s
	}
	return 0
}

// unlike reports whether two nodes are of two kinds, or known to be two things.
func unlike(a, b *Node) bool {
	switch {
	case a.Kind != b.Kind || a.Loose != b.Loose || a.Type != b.Type && a.Kind != Code:
		return true
	case a.Kind == Element:
		return a.Name != b.Name
	case a.Kind == Item && (len(a.Kids) == 0) != (len(b.Kids) == 0):
		return true
	case a.Type == "clause": // it begins with its keyword
		return firstWord(a.Value) != firstWord(b.Value)
	}
	return a.Type == Attribute || a.Type == Property
}

// renamed returns the similarity of two nodes with names and nothing in them: the value
// says that they are one.
func renamed(a, b *Node, alone bool) float64 {
	near := alone && (strings.Contains(a.Name, b.Name) || strings.Contains(b.Name, a.Name))
	told := a.Value == b.Value && a.Value != "" && (near || len(a.Value) > 3 && !looksTyped.MatchString(a.Value))
	if told || alone && (a.Kind == Section || a.Open && b.Open) {
		return 0.9
	}
	return 0
}

func firstWord(s string) string { return strings.SplitN(s, " ", 2)[0] }

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
