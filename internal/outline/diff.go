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
			if !m.taken[j] {
				edits = append(edits, Edit{New: b.Kids[j]})
			}
		}
	}
	for i, x := range a.Kids {
		if m.pairs[i] < 0 {
			edits = append(edits, Edit{Old: x})
			continue
		}
		come(m.pairs[i])
		edits = append(edits, Diff(x, b.Kids[m.pairs[i]])...)
	}
	come(len(b.Kids))
	return edits
}

// id identifies a node among its siblings; it is empty if nothing does.
func (n *Node) id() string {
	switch n.Kind {
	case Key, Section:
		if n.Name != "" {
			return string(rune(n.Kind)) + n.Type + "\x00" + n.Name
		}
	case Item:
		if n.Identity != "" {
			return "item\x00" + n.Type + "\x00" + n.Identity
		}
	}
	return ""
}

// tag identifies an element that is the only one of its name among its siblings, and a
// text that is the only one in its element.
func (n *Node) tag() string {
	switch {
	case n.Kind == Element:
		return n.Name
	case n.Kind == Text && n.Parent.Kind == Element:
		return "#text"
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
	m := &matching{as, bs, slices.Repeat([]int{-1}, len(as)), make([]bool, len(bs))}
	// The third key counts only where it names one node on either side.
	for k, key := range []func(*Node) string{func(n *Node) string { return n.sum }, (*Node).id, (*Node).tag} {
		old, now := map[string][]int{}, map[string][]int{}
		for i, n := range as {
			if s := key(n); s != "" && m.pairs[i] < 0 {
				old[s] = append(old[s], i)
			}
		}
		for j, n := range bs {
			if s := key(n); s != "" && !m.taken[j] {
				now[s] = append(now[s], j)
			}
		}
		for s, is := range old { // in order of appearance
			for x := 0; x < min(len(is), len(now[s])) && (k < 2 || len(is) == 1 && len(now[s]) == 1); x++ {
				m.join(is[x], now[s][x])
			}
		}
	}
	m.similar()
	return m
}

// join makes two nodes partners.
func (m *matching) join(i, j int) { m.pairs[i], m.taken[j] = j, true }

// similar pairs nodes between the same neighbours by likeness, the likest first.
func (m *matching) similar() {
	type candidate struct {
		i, j  int
		score float64
	}
	var cands []candidate
	there := 0 // behind the partner of the node before
	for i := 0; i < len(m.as); i++ {
		if m.pairs[i] >= 0 {
			there = m.pairs[i] + 1
			continue
		}
		from, end := i, there
		for i+1 < len(m.as) && m.pairs[i+1] < 0 {
			i++
		}
		for end < len(m.bs) && !m.taken[end] {
			end++
		}
		// Nodes far from each other in a long run are not compared, which bounds the work.
		window := max(2, min(likeWindow, maxLike/max(i+1-from, end-there)))
		for x := from; x <= i; x++ {
			for y := max(there, there+x-from-window); y < min(end, there+x-from+window+1); y++ {
				if s := alike(m.as[x], m.bs[y], i == from && end-there == 1); s > 0 {
					cands = append(cands, candidate{x, y, s})
				}
			}
		}
	}
	slices.SortStableFunc(cands, func(x, y candidate) int { return cmp.Compare(y.score, x.score) })
	for _, c := range cands {
		if m.pairs[c.i] < 0 && !m.taken[c.j] {
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
			out = append(out, wordsOf(k.Name)...)
		}
		out = append(out, wordsOf(k.Value)...)
		return len(out) < maxWords
	})
	return out[:min(len(out), maxWords)]
}

// wordsOf returns the words of a text. A sign outside of ASCII belongs to a word.
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
