package outline

import (
	"cmp"
	"slices"
	"strings"
)

// Edit is a smallest difference between two outlines: an added node (Old is nil), a
// removed node (New is nil), or a changed node. What moved elsewhere was removed and added:
// of 9,285 real changes one moves a key.
type Edit struct {
	// Old is a node of the old outline, New a node of the new outline.
	Old, New *Node
	// Renamed says that only the name differs.
	Renamed bool
}

const (
	likeWindow = 20   // how far apart siblings are compared for likeness
	maxLike    = 4000 // comparisons of siblings; among more siblings the window is smaller
	maxWords   = 300  // of a node, that are compared
	minAlike   = 0.5  // Dice coefficient above which two nodes are one, changed
	namedAlike = 0.6  // likewise for nodes with other names
	aloneAlike = 0.25 // likewise where both are alone between their neighbours
)

// Diff returns the smallest differences between two outlines, or two nodes that match each
// other, in the order of the new text. Removed nodes are at their old places.
func Diff(a, b *Node) []Edit {
	if a.sum == b.sum {
		return nil
	}
	var edits []Edit
	if a.Name != b.Name && a.Name != "" && b.Name != "" {
		edits = append(edits, Edit{Old: a, New: b, Renamed: true})
	}
	// What had a value has nodes below it now, or the other way round.
	scalar := !a.Heading && a.Type == "" && (len(a.Kids) == 0) != (len(b.Kids) == 0) && (a.Kind == Key || a.Kind == Item)
	if scalar || a.Value != b.Value || a.Type != b.Type {
		edits = append(edits, Edit{Old: a, New: b})
	}
	if scalar {
		return edits
	}
	m := match(a.Kids, b.Kids)
	// What came is told before the next node that stayed.
	j := 0
	come := func(end int) {
		for ; j < end; j++ {
			if m.mates[1][j] < 0 {
				edits = append(edits, Edit{New: b.Kids[j]})
			}
		}
	}
	for i, x := range a.Kids {
		if m.mates[0][i] < 0 {
			edits = append(edits, Edit{Old: x})
			continue
		}
		come(m.mates[0][i])
		edits = append(edits, Diff(x, b.Kids[m.mates[0][i]])...)
	}
	come(len(b.Kids))
	return edits
}

// matching pairs siblings. For each node of either side, mates holds the index of its
// partner on the other side, or -1.
type matching struct {
	nodes [2][]*Node
	mates [2][]int
}

// keys are how many keys a node has.
const keys = 3

// key is what a node is paired by, the surest key first; it is empty where it has none.
func (n *Node) key(k int) string {
	switch {
	case k == 0: // what it is and holds
		return n.sum
	case k == 1 && n.Identity != "" && (n.Kind == Key || n.Kind == Section || n.Kind == Item):
		return string(rune(n.Kind)) + n.Type + "\x00" + n.Identity
	case k == 2 && (n.Kind == Element || n.Kind == Text && n.Parent.Kind == Element): // the tag
		return "<" + n.Name
	}
	return ""
}

// match pairs nodes by their keys, then similar nodes between the same neighbours.
func match(as, bs []*Node) *matching {
	m := &matching{nodes: [2][]*Node{as, bs}, mates: [2][]int{slices.Repeat([]int{-1}, len(as)), slices.Repeat([]int{-1}, len(bs))}}
	for k := range keys {
		alike := map[string][2][]int{} // the nodes of both sides that have a key
		for side, nodes := range m.nodes {
			for i, n := range nodes {
				if s := n.key(k); s != "" && m.mates[side][i] < 0 {
					g := alike[s]
					g[side] = append(g[side], i)
					alike[s] = g
				}
			}
		}
		for _, g := range alike {
			// A tag tells nothing where there are several: of two `<p>`, either may be the new one.
			if k < keys-1 || len(g[0]) == 1 && len(g[1]) == 1 {
				for x := range min(len(g[0]), len(g[1])) {
					m.join(g[0][x], g[1][x])
				}
			}
		}
	}
	m.similar()
	return m
}

// join makes two nodes partners.
func (m *matching) join(i, j int) { m.mates[0][i], m.mates[1][j] = j, i }

// similar pairs nodes between the same neighbours by likeness, the likest first.
func (m *matching) similar() {
	type candidate struct {
		i, j  int
		score float64
	}
	var cands []candidate
	there := 0 // behind the partner of the node before
	for i := 0; i < len(m.nodes[0]); i++ {
		if m.mates[0][i] >= 0 {
			there = m.mates[0][i] + 1
			continue
		}
		from, end := i, there
		for i+1 < len(m.nodes[0]) && m.mates[0][i+1] < 0 {
			i++
		}
		for end < len(m.nodes[1]) && m.mates[1][end] < 0 {
			end++
		}
		// Nodes far from each other in a long run are not compared, which bounds the work.
		window := max(2, min(likeWindow, maxLike/max(i+1-from, end-there)))
		for x := from; x <= i; x++ {
			for y := max(there, there+x-from-window); y < min(end, there+x-from+window+1); y++ {
				if s := alike(m.nodes[0][x], m.nodes[1][y], i == from && end-there == 1); s > 0 {
					cands = append(cands, candidate{x, y, s})
				}
			}
		}
	}
	slices.SortStableFunc(cands, func(x, y candidate) int { return cmp.Compare(y.score, x.score) })
	for _, c := range cands {
		if m.mates[0][c.i] < 0 && m.mates[1][c.j] < 0 {
			m.join(c.i, c.j)
		}
	}
}

// alike returns the similarity of b, as the new form of a, from 0 to 1. Where both are
// alone between their neighbours, less of it is enough.
func alike(a, b *Node, alone bool) float64 {
	leaves, named, limit := len(a.Kids)+len(b.Kids) == 0, a.Kind == Key || a.Kind == Section, minAlike
	switch {
	case a.Kind != b.Kind, a.Loose != b.Loose, a.Type != b.Type && a.Kind != Code, a.Kind == Element && a.Name != b.Name,
		a.Type == Attribute, a.Type == Property:
		return 0 // two things
	case leaves && named: // the value says that they are one, or their place
		near := alone && (strings.Contains(a.Name, b.Name) || strings.Contains(b.Name, a.Name))
		if a.Value != "" && a.Value == b.Value && (near || telling(a.Value)) || alone && a.Kind == Section {
			return 1
		}
		return 0
	case named:
		limit = namedAlike
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

// telling tells whether a value is like no other.
func telling(s string) bool { return len(s) > 3 && !looksTyped.MatchString(s) }

// words returns the words of a node and of the nodes inside it.
func (n *Node) words(own bool) []string {
	var out []string
	n.Walk(func(k *Node) bool {
		if own || k != n {
			out = append(out, Words(k.Name)...)
		}
		out = append(out, Words(k.Value)...)
		return len(out) < maxWords
	})
	return out[:min(len(out), maxWords)]
}

// Words returns the words of a text that are compared. A sign outside of ASCII belongs to a
// word.
func Words(s string) []string {
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
