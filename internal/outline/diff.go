package outline

import (
	"sort"
	"strings"
)

// Edit is a smallest difference between two outlines: an added node (Old is nil), a
// removed node (New is nil), or a changed node.
type Edit struct {
	// Old is a node of the old outline, New a node of the new outline.
	Old, New *Node
	// Renamed says that only the name differs, Moved that only the place does.
	Renamed, Moved bool
	// Around is the node that an added node encloses now, or that a removed node
	// enclosed before. Other changes inside the node are edits of their own.
	Around *Node
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
				n.seal(0)
			}
		}
	}
	d := &differ{}
	d.pair(a, b)
	return d.moves()
}

// documents reports whether a root holds several documents.
func (n *Node) documents() bool { return len(n.Kids) > 0 && n.Kids[0].Type == Document }

type differ struct{ edits []Edit }

// pair compares two nodes that match each other.
func (d *differ) pair(a, b *Node) {
	if a.hash == b.hash {
		return
	}
	if a.Name != b.Name {
		d.edits = append(d.edits, Edit{Old: a, New: b, Renamed: true})
	}
	if a.Kind == Row {
		d.edits = append(d.edits, Edit{Old: a, New: b}) // the cells of a row are one edit
		return
	}
	scalar := !a.Heading && (len(a.Kids) == 0) != (len(b.Kids) == 0) && (a.Kind == Key || a.Kind == Item)
	if scalar || a.Value != b.Value || a.Type != b.Type || a.marked() != b.marked() {
		d.edits = append(d.edits, Edit{Old: a, New: b})
		if scalar {
			return
		}
	}
	d.lists(a.Kids, b.Kids)
}

func (d *differ) lists(as, bs []*Node) {
	pairs := match(as, bs)
	taken := make([]bool, len(bs))
	for _, j := range pairs {
		if j >= 0 {
			taken[j] = true
		}
	}
	wraps := map[int]wrap{}
	for i, x := range as {
		if pairs[i] >= 0 {
			continue
		}
		for _, within := range []bool{false, true} {
			if k, z := wrapper(x, bs, taken, within); z != nil {
				wraps[i], taken[k] = wrap{k, z, within}, true
				break
			}
		}
	}
	j := 0
	come := func(end int) {
		for ; j < end; j++ {
			if !taken[j] {
				d.edits = append(d.edits, Edit{New: bs[j]})
			}
		}
	}
	for i, x := range as {
		if pairs[i] < 0 {
			if w, ok := wraps[i]; ok {
				come(w.at)
				outer, inner := Edit{New: bs[w.at], Around: w.held}, w.held
				if w.within {
					outer = Edit{Old: x, Around: w.held}
					d.edits = append(d.edits, outer)
					d.pair(inner, bs[w.at])
				} else {
					d.edits = append(d.edits, outer)
					d.pair(x, inner)
				}
				for _, k := range inner.Parent.Kids {
					switch {
					case k == inner || k.Kind == Attribute:
					case w.within:
						d.edits = append(d.edits, Edit{Old: k})
					default:
						d.edits = append(d.edits, Edit{New: k})
					}
				}
				continue
			}
			d.edits = append(d.edits, Edit{Old: x})
			continue
		}
		come(pairs[i])
		d.pair(x, bs[pairs[i]])
	}
	come(len(bs))
}

// wrap says which added node encloses a sibling, or which node was taken out of it.
type wrap struct {
	at     int
	held   *Node // the node within the other
	within bool  // the old node held the new one
}

// wrapper finds an added node that encloses the new form of x or, if within, the new form
// of a node that x enclosed.
func wrapper(x *Node, bs []*Node, taken []bool, within bool) (int, *Node) {
	for j, y := range bs[:min(len(bs), 200)] {
		if !taken[j] {
			outer, inner := y, x
			if within {
				outer, inner = x, y
			}
			if z := heldBy(outer, inner); z != nil {
				return j, z
			}
		}
	}
	return 0, nil
}

// heldBy returns the child of an element or a rule that is similar to x.
func heldBy(y, x *Node) *Node {
	if y.Kind != Element && y.Kind != Rule || x.Kind != y.Kind || len(x.Kids) == 0 {
		return nil
	}
	for _, z := range y.Kids[:min(len(y.Kids), 50)] {
		if z.Kind == x.Kind && z.Name == x.Name && z.Name != "" && (z.hash == x.hash || x.Kind == Rule || x.Get("id") != "" && x.Get("id") == z.Get("id") || Dice(x.words(true), z.words(true)) > 0.7) {
			return z
		}
	}
	return nil
}

// id identifies a node among its siblings; it is empty if nothing does.
func (n *Node) id() string {
	switch n.Kind {
	case Key, Section, Rule, Property, Attribute, Column:
		return string(rune(n.Kind)) + n.Name
	case Item:
		if k, v := n.Identity(); v != "" {
			return "item\x00" + k + "\x00" + v
		}
	case Element:
		switch n.Name {
		case "html", "head", "body", "title", "main": // a page has one of them
			return "<" + n.Name
		}
		for _, a := range []string{"id", "name", "key"} {
			if v := n.Get(a); v != "" {
				return "<" + n.Name + "\x00" + a + "\x00" + v
			}
		}
	case Statement:
		if n.Name != "" && n.Type != "insert" && n.Type != "select" {
			return n.Type + "\x00" + n.Name
		}
	case Instruction:
		switch n.Type {
		case "CMD", "ENTRYPOINT", "HEALTHCHECK", "SHELL":
			return n.Type
		}
	case Clause:
		return "clause\x00" + n.Name
	}
	return ""
}

// match pairs siblings: first equal nodes, then nodes with the same name, then similar
// nodes between the same neighbours. The result has, for each node of as, the index of
// its partner in bs, or -1.
func match(as, bs []*Node) []int {
	pairs, taken := make([]int, len(as)), make([]bool, len(bs))
	for i := range pairs {
		pairs[i] = -1
	}
	join := func(i, j int) { pairs[i], taken[j] = j, true }
	a0, b0, a1, b1 := 0, 0, len(as), len(bs)
	for a0 < a1 && b0 < b1 && as[a0].hash == bs[b0].hash {
		join(a0, b0)
		a0, b0 = a0+1, b0+1
	}
	for a0 < a1 && b0 < b1 && as[a1-1].hash == bs[b1-1].hash {
		a1, b1 = a1-1, b1-1
		join(a1, b1)
	}
	// By content, then by name, in order of appearance.
	for _, key := range []func(*Node) string{
		func(n *Node) string { return string(appendHash(nil, n.hash)) },
		(*Node).id,
	} {
		at := map[string][]int{}
		for j := b0; j < b1; j++ {
			if k := key(bs[j]); k != "" && !taken[j] {
				at[k] = append(at[k], j)
			}
		}
		for i := a0; i < a1; i++ {
			if k := key(as[i]); k != "" && pairs[i] < 0 && len(at[k]) > 0 {
				join(i, at[k][0])
				at[k] = at[k][1:]
			}
		}
	}
	// By likeness, between the same neighbours.
	type candidate struct {
		i, j  int
		score float64
	}
	var cands []candidate
	last := -1
	var free []int
	gap := func() {
		var there []int
		for j := max(b0, last+1); j < b1; j++ {
			if taken[j] {
				break
			}
			there = append(there, j)
		}
		window := likeWindow
		if max(len(free), len(there)) > maxFree {
			window = farWindow
		}
		for k, i := range free {
			for l := max(0, k-window); l < min(len(there), k+window+1); l++ {
				if s := alike(as[i], bs[there[l]], len(free) == 1 && len(there) == 1 || lone(as, free, as[i]) && lone(bs, there, as[i])); s > 0 {
					cands = append(cands, candidate{i, there[l], s})
				}
			}
		}
		free = free[:0]
	}
	for i := a0; i < a1; i++ {
		if pairs[i] >= 0 {
			gap()
			last = pairs[i]
			continue
		}
		if len(free) == 0 {
			last = -1
			for k := i - 1; k >= 0; k-- {
				if pairs[k] >= 0 {
					last = pairs[k]
					break
				}
			}
		}
		free = append(free, i)
	}
	gap()
	sort.SliceStable(cands, func(x, y int) bool { return cands[x].score > cands[y].score })
	for _, c := range cands {
		if pairs[c.i] < 0 && !taken[c.j] {
			join(c.i, c.j)
		}
	}
	return pairs
}

// lone reports whether at most one node has the kind and type of n.
func lone(all []*Node, at []int, n *Node) bool {
	if n.Kind != Element && n.Kind != Text && n.Kind != Rule {
		return false
	}
	found := 0
	for _, i := range at[:min(len(at), 100)] {
		if all[i].Kind == n.Kind && (all[i].Name == n.Name || n.Kind == Rule) {
			found++
		}
	}
	return found <= 1
}

func appendHash(b []byte, h uint64) []byte {
	for i := range 8 {
		b = append(b, byte(h>>(8*i)))
	}
	return b
}

// alike returns the similarity of b, as the new form of a, from 0 to 1.
func alike(a, b *Node, alone bool) float64 {
	if a.Kind != b.Kind || a.Loose != b.Loose {
		return 0
	}
	switch a.Kind {
	case Attribute, Property:
		return 0
	case Clause:
		if a.Value == b.Value && len(a.Value) > 3 {
			return 0.9
		}
		return 0
	case Column:
		if alone && a.Type == b.Type && len(a.Kids) == len(b.Kids) {
			return 0.5
		}
		return 0
	case Key, Section, Rule:
		// Nodes with different names match if their content does.
		if len(a.Kids) == 0 && len(b.Kids) == 0 {
			switch {
			case a.Open && b.Open && (alone || Dice(wordsOf(a.Name), wordsOf(b.Name)) >= minAlike):
				return 0.9
			case a.Value != b.Value || a.Value == "":
				return 0
			case alone && (len(a.Value) > 2 || Dice(nameWords(a.Name), nameWords(b.Name)) > 0):
				return 0.9
			case len(a.Value) > 3 && !looksTyped.MatchString(a.Value) && a.Kind == Key:
				return 0.8
			}
			return 0
		}
		if s := Dice(a.words(false), b.words(false)); s >= 0.6 {
			return s
		}
		return 0
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
	case Instruction:
		if a.Type != b.Type {
			if a.Value == b.Value && a.Value != "" {
				return 0.9
			}
			return 0
		}
	case Statement, Code:
		if a.Type != b.Type {
			return 0
		}
	case Item:
		if (len(a.Kids) == 0) != (len(b.Kids) == 0) {
			return 0
		}
		if _, v := a.Identity(); v != "" && len(a.Kids) > 0 && !alone {
			if _, v := b.Identity(); v != "" && Dice(a.words(true), b.words(true)) < 0.7 {
				return 0
			}
		}
		if alone && len(a.Kids) == 0 {
			return 0.5
		}
	case Row:
		if first := a.Kids; len(first) > 0 && len(b.Kids) > 0 && first[0].Value == b.Kids[0].Value {
			return 1
		}
	}
	s := Dice(a.words(true), b.words(true))
	if s >= minAlike || alone && (s >= aloneAlike || a.Kind == Instruction && a.Type == "FROM" || a.Kind == Text && s > 0) {
		return s
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
	return strings.FieldsFunc(s, func(r rune) bool {
		return r < 0x80 && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
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

// moves joins a removed and an added node with the same content into one edit, even
// inside other removed or added nodes.
func (d *differ) moves() []Edit {
	count := map[uint64]int{} // of what could have moved, on the side that came
	came := map[uint64]*Node{}
	gone := map[uint64]int{}
	for _, e := range d.edits {
		switch {
		case e.Around != nil:
		case e.Old == nil:
			e.New.Walk(func(n *Node) {
				if n.movable() {
					count[n.hash]++
					came[n.hash] = n
				}
			})
		case e.New == nil && e.Old.movable():
			gone[e.Old.hash]++
		}
	}
	moved := map[*Node]*Node{} // new to old, where the new one is an edit itself
	out := d.edits[:0:0]
	for _, e := range d.edits {
		if e.New == nil && e.Around == nil && gone[e.Old.hash] == 1 && count[e.Old.hash] == 1 {
			moved[came[e.Old.hash]] = e.Old
			continue
		}
		out = append(out, e)
	}
	if len(moved) == 0 {
		return out
	}
	edits := out
	out = edits[:0:0]
	for _, e := range edits {
		if e.Old == nil && moved[e.New] != nil {
			out = append(out, Edit{Old: moved[e.New], New: e.New, Moved: true})
			continue
		}
		out = append(out, e)
		if e.Old == nil && e.Around == nil {
			e.New.Walk(func(n *Node) {
				if n != e.New && moved[n] != nil {
					out = append(out, Edit{Old: moved[n], New: n, Moved: true})
				}
			})
		}
	}
	return out
}

// movable reports whether a node has enough content to be recognised at another place.
func (n *Node) movable() bool {
	switch n.Kind {
	case Attribute, Property, Clause, Root:
		return false
	}
	return len(n.Kids) > 1 || len(n.Value) > 7 && !looksTyped.MatchString(n.Value)
}
