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
	// leaves are the nodes without an inside that are no comments, by their text
	// without the sign that marks variables; texts those that may hold words: strings,
	// and what was kept without its inside. Both are nil until they are asked for.
	leaves map[string][]int
	texts  []int
	// inside are the words in texts.
	inside map[string][]WordIn
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
		x := t.At(i)
		nd := x.node()
		if !x.Leaf() || nd.role == syntax.Comment {
			continue
		}
		if x.Size() <= SmallNode {
			word := strings.TrimPrefix(x.Text(), "$")
			m.leaves[word] = append(m.leaves[word], i)
		}
		if nd.role == syntax.String || x.Size() > SmallNode {
			m.texts = append(m.texts, i)
		}
	}
}

// WordsInside lists where a word stands in texts.
func (t *Tree) WordsInside(word string) []WordIn {
	t.listLeaves()
	out, ok := t.index.inside[word]
	if !ok {
		if t.index.inside == nil {
			t.index.inside = map[string][]WordIn{}
		}
		for _, i := range t.index.texts {
			for _, at := range t.PlacesOf(word, t.nodes[i].start, t.nodes[i].end) {
				out = append(out, WordIn{i, at})
			}
		}
		t.index.inside[word] = out
	}
	return out
}

// wordsOf lists where a word stands in the text.
func (t *Tree) wordsOf(word string) []int {
	if out, ok := t.index.source[word]; ok || word == "" || strings.IndexFunc(word, BetweenWords) >= 0 {
		return out
	}
	t.Meter.Spend(1 + len(t.Src)/bytesPerWork)
	var out []int
	for from := 0; ; {
		at := bytes.Index(t.Src[from:], []byte(word))
		if at < 0 {
			break
		}
		at += from
		from = at + len(word)
		if (at == 0 || !WordByte(t.Src[at-1])) && (from == len(t.Src) || !WordByte(t.Src[from])) {
			out = append(out, at)
		}
		for from < len(t.Src) && WordByte(t.Src[from]) {
			from++
		}
	}
	if t.index.source == nil {
		t.index.source = map[string][]int{}
	}
	t.index.source[word] = out
	return out
}

// LongestName is the length from which on a word is no name.
const LongestName = 80

// WordCounts tells how often a text mentions an identifier, without a walk through
// its tree. That of no tree, or nil, has none.
type WordCounts struct {
	// Tree is the tree of the whole text; nil has no words.
	Tree *Tree
}

// Of returns how often a name stands in the text as a word of its own.
func (w *WordCounts) Of(name string) (n int) {
	if w == nil || w.Tree == nil || name == "" || len(name) >= LongestName {
		return 0
	}
	t := w.Tree
	suffixes := t.Frag.Table.NameSuffixes
	word, suffix := name, byte(0)
	if last := name[len(name)-1]; strings.IndexByte(suffixes, last) >= 0 {
		word, suffix = name[:len(name)-1], last
	}
	for _, at := range t.wordsOf(word) {
		end, follows := at+len(word), byte(0)
		if end < len(t.Src) && strings.IndexByte(suffixes, t.Src[end]) >= 0 {
			follows = t.Src[end]
		}
		if follows == suffix {
			n++
		}
	}
	return n
}

// LeavesOf lists the leaves in n that are a name and nothing else.
func (n Node) LeavesOf(name string) []Node {
	if !n.Ok() {
		return nil
	}
	n.listLeaves()
	all := n.index.leaves[strings.TrimPrefix(name, "$")]
	var out []Node
	for k := sort.SearchInts(all, n.I); k < len(all) && all[k] < n.Last(); k++ {
		out = append(out, n.Tree.At(all[k]))
	}
	n.Meter.Spend(1 + len(out))
	return out
}

// InsideOf lists where a word stands within leaves in n.
func (n Node) InsideOf(word string) []WordIn {
	if !n.Ok() {
		return nil
	}
	all := n.WordsInside(word)
	from := sort.Search(len(all), func(k int) bool { return all[k].Leaf >= n.I })
	to := sort.Search(len(all), func(k int) bool { return all[k].Leaf >= n.node().last })
	n.Meter.Spend(1 + max(to-from, 0))
	return all[from:max(from, to)]
}

// PlacesOf lists where a word stands in the text from one byte to another.
func (t *Tree) PlacesOf(word string, from, to int) []int {
	all := t.wordsOf(word)
	all = all[sort.SearchInts(all, from):]
	all = all[:sort.SearchInts(all, to-len(word)+1)]
	t.Meter.Spend(1 + len(all))
	return all
}

// StandsIn counts where a name stands in a node, other than in comments or in
// documentation; as a member of something, as the name of an argument or as a key
// only if asked for. Texts count, for they may hold expressions, and so does what is
// kept without its inside.
func StandsIn(scope Node, name string, members bool) int {
	count := 0
	bare := strings.TrimPrefix(name, "$")
	for _, x := range scope.LeavesOf(bare) {
		p := x.Parent()
		key := p.Is(syntax.KeywordArgument, syntax.Pair) && p.I+1 == x.I && len(p.NamedKids()) > 1
		if members || !Member(x) && !key {
			count++
		}
	}
	for _, o := range scope.InsideOf(bare) {
		x := scope.Tree.At(o.Leaf)
		whole := x.Size() <= len(bare)+1 && strings.TrimPrefix(x.Text(), "$") == bare // counted above
		switch {
		case whole, x.Is(syntax.String) && x.Traits().Docstrings && x.Parent().Is(syntax.ExpressionStatement):
		case x.Size() > SmallNode && !x.Is(syntax.String) && (!members && MemberAt(x.Src, o.At) || x.Tree.inComment(o.At)):
		default:
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

// Hides tells whether a name, of members or not, stands in what was kept of n
// without its inside.
func Hides(n Node, name string, members bool) bool {
	return slices.ContainsFunc(n.InsideOf(name), func(o WordIn) bool {
		x := n.Tree.At(o.Leaf)
		end := o.At + len(name)
		return x.Size() > SmallNode && !x.Is(syntax.String) && !NameLike(x) && MemberAt(x.Src, o.At) == members &&
			(o.At == 0 || !WordByte(x.Src[o.At-1])) && (end == len(x.Src) || !WordByte(x.Src[end]))
	})
}

// inComment tells whether a place in a text is in a comment or a docstring.
func (t *Tree) inComment(at int) bool {
	n := t.Frag.Nodes.NamedAt(at)
	for i := 0; n != nil && i < 3; i, n = i+1, n.Parent() {
		if r := t.Frag.Role(n); r.Is(syntax.Comment) || r.Is(syntax.String) && n.Parent() != nil && t.Frag.Role(n.Parent()).Is(syntax.ExpressionStatement) {
			return true
		}
	}
	return false
}

// InCode tells whether a place in a text is neither in a comment nor in a string,
// save the code that stands in one.
func (t *Tree) InCode(at int) bool {
	n := t.Frag.Nodes.NamedAt(at)
	for i := 0; n != nil && i < maxNested; i, n = i+1, n.Parent() {
		switch r := t.Frag.Role(n); {
		case r.Is(syntax.String, syntax.Comment):
			return false
		case r.Is(syntax.Call, syntax.Member, syntax.Block) || r.IsFunction():
			return true
		}
	}
	return true
}

// FirstPlaces lists where a name stands in the text, at most 50 times.
func (t *Tree) FirstPlaces(name string) []int {
	all := t.wordsOf(name)
	return all[:min(len(all), 50)]
}

// BetweenWords tells whether a character stands in no word.
func BetweenWords(r rune) bool { return r < 0x80 && !WordByte(byte(r)) }

// maxNested bounds the nodes above a place that are looked at.
const maxNested = 5
