package tree

import (
	"bytes"
	"slices"
	"sort"
	"strings"

	"crscore/internal/syntax"
)

// bytesPerWork is how much of a text is searched for a word in a unit of work.
const bytesPerWork = 256

// wordIndex says where the words of a tree stand.
type wordIndex struct {
	// source are the bytes where a word begins in the text.
	source map[string][]int
	// leaves are the nodes without an inside that are no comments, by their text without the sign that marks
	// variables; texts are those that may hold words: strings, and what was kept without its inside. Both are nil
	// until they are asked for.
	leaves map[string][]int
	texts  []int
}

// WordIn is a word in a leaf.
type WordIn struct{ Leaf, At int }

// listLeaves fills in the leaves, the first time.
func (t *Tree) listLeaves() {
	m := &t.index
	if m.leaves != nil {
		return
	}
	m.leaves = map[string][]int{}
	for i := range t.nodes {
		switch x := t.At(i); {
		case !x.Leaf() || x.Is(syntax.Comment):
		case x.Is(syntax.String) || x.Size() > SmallNode:
			m.texts = append(m.texts, i)
		default:
			word := strings.TrimPrefix(x.Text(), "$")
			m.leaves[word] = append(m.leaves[word], i)
		}
	}
}

// wordsOf lists where a word stands in the text. In Ruby `empty` does not stand in `empty?`.
func (t *Tree) wordsOf(word string) []int {
	suffixes := t.Frag.Table.NameSuffixes
	out, ok := t.index.source[word]
	if bare := strings.TrimRight(word, suffixes); ok || bare == "" || strings.IndexFunc(bare, BetweenWords) >= 0 {
		return out
	}
	t.Meter.Spend(1 + len(t.Src)/bytesPerWork)
	inWord := func(i int) bool { return i >= 0 && i < len(t.Src) && WordByte(t.Src[i]) }
	for at := 0; ; {
		k := bytes.Index(t.Src[at:], []byte(word))
		if k < 0 {
			break
		}
		from, end := at+k, at+k+len(word)
		suffix := end < len(t.Src) && strings.IndexByte(suffixes, t.Src[end]) >= 0
		if !inWord(from-1) && !inWord(end) && !suffix {
			out = append(out, from)
		}
		for at = end; inWord(at); {
			at++
		}
	}
	t.index.source[word] = out
	return out
}

// LongestName is the length from which on a word is no name.
const LongestName = 80

// Count tells how often a name stands in the text as a word of its own, without a walk through the tree. It stands in
// no tree.
func (t *Tree) Count(name string) int {
	if t == nil || len(name) >= LongestName {
		return 0
	}
	return len(t.wordsOf(name))
}

// LeavesOf lists the leaves in n that are a name and nothing else.
func (n Node) LeavesOf(name string) (out []Node) {
	if !n.Ok() {
		return nil
	}
	n.listLeaves()
	all := n.index.leaves[strings.TrimPrefix(name, "$")]
	for k := sort.SearchInts(all, n.I); k < len(all) && all[k] < n.Last(); k++ {
		out = append(out, n.At(all[k]))
	}
	n.Meter.Spend(1 + len(out))
	return out
}

// InsideOf lists where a word stands within strings in n, and within what was kept of n without its inside.
func (n Node) InsideOf(word string) (out []WordIn) {
	if !n.Ok() {
		return nil
	}
	n.listLeaves()
	texts := n.index.texts
	for _, at := range n.PlacesOf(word, n.Start(), n.End()) {
		k := sort.Search(len(texts), func(k int) bool { return n.At(texts[k]).End() > at })
		if k < len(texts) && n.At(texts[k]).Start() <= at {
			out = append(out, WordIn{texts[k], at})
		}
	}
	return out
}

// PlacesOf lists where a word stands in the text from one byte to another.
func (t *Tree) PlacesOf(word string, from, to int) []int {
	all := t.wordsOf(word)
	all = all[sort.SearchInts(all, from):]
	all = all[:sort.SearchInts(all, to-len(word)+1)]
	t.Meter.Spend(1 + len(all))
	return all
}

// StandsIn counts where a name stands in a node, other than in comments; as a member of something only if asked for.
// Texts count, for they may hold expressions, and so does what is kept without its inside.
func StandsIn(scope Node, name string, members bool) int {
	count := 0
	bare := strings.TrimPrefix(name, "$")
	for _, x := range scope.LeavesOf(bare) {
		if members || !Member(x) {
			count++
		}
	}
	for _, o := range scope.InsideOf(bare) {
		x := scope.At(o.Leaf)
		member := !members && !x.Is(syntax.String) && MemberAt(x.Src, o.At)
		if !member && x.TextAt(o.At) != syntax.Comment {
			count++
		}
	}
	return count
}

// MentionsOf lists the identifiers in n with a name, members or not.
func MentionsOf(n Node, name string, members bool) []Node {
	return slices.DeleteFunc(n.LeavesOf(name), func(x Node) bool {
		return !NameLike(x) || x.Text() != name || Member(x) != members
	})
}

// Hides tells whether a name, of members or not, stands in what was kept of n without its inside.
func Hides(n Node, name string, members bool) bool {
	return slices.ContainsFunc(n.InsideOf(name), func(o WordIn) bool {
		return !n.At(o.Leaf).Is(syntax.String) && MemberAt(n.Src, o.At) == members
	})
}

// TextAt tells what a place in a text lies in: syntax.Comment, syntax.String save for the code that stands in it, or
// syntax.Other.
func (t *Tree) TextAt(at int) syntax.Role {
	n := t.Frag.Nodes.NamedAt(at)
	for i := 0; n != nil && i < maxNested; i, n = i+1, n.Parent() {
		switch r := t.Frag.Role(n); {
		case r.Is(syntax.String, syntax.Comment):
			return r
		case r.Is(syntax.Call, syntax.Member, syntax.Block) || r.IsFunction():
			return syntax.Other
		}
	}
	return syntax.Other
}

// BetweenWords tells whether a character stands in no word.
func BetweenWords(r rune) bool { return r < 0x80 && !WordByte(byte(r)) }

// maxNested bounds the nodes above a place that are looked at.
const maxNested = 5
