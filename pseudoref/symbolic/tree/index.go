package tree

import (
	"bytes"
	"slices"
	"sort"
	"strings"

	"crscore/internal/limits"
	"crscore/internal/syntax"
)

// bytesPerWork is how much of a text is searched for a word in a unit of work.
const bytesPerWork = 256

// wordsOf lists where a word stands in the text. In Ruby `empty` does not stand in `empty?`, but in
// `empty!=x`.
func (t *Tree) wordsOf(word string) []int {
	suffixes := t.Frag.Table.NameSuffixes
	out, ok := t.words[word]
	if ok || strings.TrimRight(word, suffixes) == "" {
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
		suffix := end < len(t.Src) && strings.IndexByte(suffixes, t.Src[end]) >= 0 && !bytes.HasPrefix(t.Src[end:], []byte("!="))
		if !inWord(from-1) && !inWord(end) && !suffix {
			out = append(out, from)
		}
		for at = end; inWord(at); {
			at++
		}
	}
	t.words[word] = out
	return out
}

// LongestName is the length from which on a word is no name.
const LongestName = 80

// Count tells how often a name stands in the text as a word of its own, without a walk through the tree. A nil
// tree has no names.
func (t *Tree) Count(name string) int {
	if t == nil || len(name) >= LongestName {
		return 0
	}
	return len(t.wordsOf(name))
}

// PlacesOf lists where a word stands in the text from one byte to another.
func (t *Tree) PlacesOf(word string, from, to int) []int {
	all := t.wordsOf(word)
	all = all[sort.SearchInts(all, from):]
	all = all[:sort.SearchInts(all, to-len(word)+1)]
	t.Meter.Spend(1 + len(all))
	return all
}

// Mention is a place of a name in the leaf that it stands in.
type Mention struct {
	Node
	// At is the first byte of the name, Whole tells whether it is all of the leaf. Else it stands in a string, or in what
	// was kept without its inside.
	At    int
	Whole bool
}

// Member tells whether the name is asked of something.
func (m Mention) Member() bool { return MemberAt(m.Src, m.At) }

// Mentions lists where a name stands in n other than in comments, with and without the sign that marks variables: that
// of PHP's `$a` is a leaf of its own.
func (n Node) Mentions(name string) (out []Mention) {
	if !n.Ok() {
		return nil
	}
	bare := strings.TrimPrefix(name, "$")
	for _, word := range []string{bare, "$" + bare} {
		for _, at := range n.PlacesOf(word, n.Start(), n.End()) {
			end := at + len(word)
			behind := sort.Search(n.Last()-n.I, func(k int) bool { return n.nodes[n.I+k].start >= end })
			x := n.At(n.I + behind - 1)
			at = max(at, x.Start())
			whole := x.Size() == end-at && !x.Is(syntax.String)
			if x.Leaf() && end <= x.End() && !x.Is(syntax.Comment) && (whole || x.TextAt(at) != syntax.Comment) {
				out = append(out, Mention{x, at, whole})
			}
		}
	}
	slices.SortFunc(out, func(x, y Mention) int { return x.At - y.At })
	return out
}

// StandsIn counts where a name stands in a node; as a member of something only if asked for. Strings count, for they
// may hold expressions.
func StandsIn(scope Node, name string, members bool) int {
	return len(slices.DeleteFunc(scope.Mentions(name), func(m Mention) bool { return !members && m.Member() && !m.Is(syntax.String) }))
}

// LeavesOf lists the leaves in n that are a name and nothing else.
func (n Node) LeavesOf(name string) (out []Node) {
	for _, m := range n.Mentions(name) {
		if m.Whole {
			out = append(out, m.Node)
		}
	}
	return out
}

// MentionsOf lists the identifiers in n with a name, members or not.
func MentionsOf(n Node, name string, members bool) []Node {
	return slices.DeleteFunc(n.LeavesOf(name), func(x Node) bool {
		return !NameLike(x) || x.Text() != name || Member(x) != members
	})
}

// Hides tells whether a name, of members or not, stands in what was kept of n without its inside.
func Hides(n Node, name string, members bool) bool {
	return slices.ContainsFunc(n.Mentions(name), func(m Mention) bool { return !m.Whole && !m.Is(syntax.String) && m.Member() == members })
}

// TextAt tells what a place in a text lies in: syntax.Comment, syntax.String save for the code that stands in it, or
// syntax.Other.
func (t *Tree) TextAt(at int) syntax.Role {
	n := t.Frag.Nodes.NamedAt(at)
	for i := 0; n != nil && i < limits.NestedAbove; i, n = i+1, n.Parent() {
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
