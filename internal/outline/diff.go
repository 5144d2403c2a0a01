package outline

import (
	"cmp"
	"slices"
	"strings"

	"crscore/internal/limits"
)

// Edit is a smallest difference between two outlines: an added node (Old is nil), a removed node (New is nil), or a
// changed node. What moved elsewhere was removed and added: of 9,285 real changes one moves a key.
type Edit struct {
	// Old is a node of the old outline, New a node of the new outline.
	Old, New *Node
	// Renamed says that only the name differs.
	Renamed bool
}

const (
	minAlike   = 0.5  // Dice coefficient above which two nodes are one, changed
	namedAlike = 0.6  // likewise for nodes with other names
	aloneAlike = 0.25 // likewise where both are alone between their neighbours
	keys       = 3    // of a node, by which it is paired
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
	mates := match(a.Kids, b.Kids)
	// What came is told before the next node that stayed.
	j := 0
	come := func(end int) {
		for ; j < end; j++ {
			if mates[1][j] < 0 {
				edits = append(edits, Edit{New: b.Kids[j]})
			}
		}
	}
	for i, x := range a.Kids {
		if mates[0][i] < 0 {
			edits = append(edits, Edit{Old: x})
			continue
		}
		come(mates[0][i])
		edits = append(edits, Diff(x, b.Kids[mates[0][i]])...)
	}
	come(len(b.Kids))
	return edits
}

// match pairs siblings by their keys, then similar ones between the same neighbours, the likest first. For each node
// of either side it returns the index of its partner on the other side, or -1.
func match(as, bs []*Node) (mates [2][]int) {
	mates = [2][]int{slices.Repeat([]int{-1}, len(as)), slices.Repeat([]int{-1}, len(bs))}
	for k := range keys {
		alike := map[string][2][]int{} // the nodes of both sides that have a key
		for side, nodes := range [2][]*Node{as, bs} {
			for i, n := range nodes {
				if s := n.key(k); s != "" && mates[side][i] < 0 {
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
					mates[0][g[0][x]], mates[1][g[1][x]] = g[1][x], g[0][x]
				}
			}
		}
	}
	for _, c := range candidates(as, bs, mates) {
		if mates[0][c.i] < 0 && mates[1][c.j] < 0 {
			mates[0][c.i], mates[1][c.j] = c.j, c.i
		}
	}
	return mates
}

// key returns the k-th key of a node, the surest one first; "" where the node has none. Nodes with equal keys are paired.
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

// candidate is a pair of similar siblings.
type candidate struct {
	i, j  int
	score float64
}

// candidates compares the siblings without a partner between the same neighbours, and
// returns the similar ones, the likest first.
func candidates(as, bs []*Node, mates [2][]int) (cands []candidate) {
	there := 0 // behind the partner of the node before
	for from := 0; from < len(as); from++ {
		if mates[0][from] >= 0 {
			there = mates[0][from] + 1
			continue
		}
		end, until := from, there
		for end < len(as) && mates[0][end] < 0 {
			end++
		}
		for until < len(bs) && mates[1][until] < 0 {
			until++
		}
		pairs := (end - from) * (until - there)
		for k := 0; k < pairs && pairs <= limits.OutlineSiblings; k++ {
			i, j := from+k/(until-there), there+k%(until-there)
			if s := alike(as[i], bs[j], pairs == 1); s > 0 {
				cands = append(cands, candidate{i, j, s})
			}
		}
		from = end - 1
	}
	slices.SortStableFunc(cands, func(x, y candidate) int { return cmp.Compare(y.score, x.score) })
	return cands
}

// alike returns the similarity of b, as the new form of a, from 0 to 1. Where both are
// alone between their neighbours, less of it is enough.
func alike(a, b *Node, alone bool) float64 {
	leaves, named, limit := len(a.Kids)+len(b.Kids) == 0, a.Kind == Key || a.Kind == Section, minAlike
	switch {
	case a.Kind != b.Kind, a.Loose != b.Loose, a.Type != b.Type && a.Kind != Code, a.Kind == Element && a.Name != b.Name,
		a.Type == Attribute, a.Type == Property:
		return 0 // two things
	case leaves && named: // their value or their place says that they are one; values such as `true` are no sign
		near := alone && (strings.Contains(a.Name, b.Name) || strings.Contains(b.Name, a.Name))
		telling := len(a.Value) > 3 && !looksTyped.MatchString(a.Value)
		if a.Value != "" && a.Value == b.Value && (near || telling) || alone && a.Kind == Section {
			return 1
		}
		return 0
	case named:
		limit = namedAlike
	case alone && leaves && a.Kind != Paragraph:
		return minAlike
	case alone:
		limit = aloneAlike
	}
	if s := Dice(a.words(!named), b.words(!named)); s >= limit {
		return s
	}
	return 0
}

// words returns the words of a node and of the nodes inside it.
func (n *Node) words(own bool) []string {
	var out []string
	n.Walk(func(k *Node) bool {
		if own || k != n {
			out = append(out, Words(k.Name)...)
		}
		out = append(out, Words(k.Value)...)
		return len(out) < limits.OutlineWords
	})
	return out[:min(len(out), limits.OutlineWords)]
}

// Words returns the words of a text that are compared. A sign outside of ASCII belongs to a word.
func Words(s string) []string {
	s = s[:min(len(s), 8*limits.OutlineWords)]
	return strings.FieldsFunc(s, func(r rune) bool { return !inWord(r) })
}

// Dice returns the Dice coefficient of two bags of words, from 0 to 1; 0 if both are empty.
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
