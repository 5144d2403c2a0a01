package symbolic

import (
	"bytes"
	"slices"
	"sort"
	"strings"

	"crscore/internal/syntax"
)

// maxLookups is how many words are searched for in a text one by one. Most changes
// ask for a few; where there are more, all words of the text are indexed, so that
// looking one up costs no walk through a large one.
const maxLookups = 32

// lookup remembers what was found of words.
type lookup[T any] struct {
	known map[string]T
	all   bool // what is not known is not there
}

// of returns what one finds of a word, or what all finds of every word.
func (l *lookup[T]) of(word string, one func(string) T, all func() map[string]T) T {
	v, ok := l.known[word]
	switch {
	case ok || l.all:
		return v
	case len(l.known) == maxLookups:
		l.known, l.all = all(), true
		return l.known[word]
	case l.known == nil:
		l.known = map[string]T{}
	}
	v = one(word)
	l.known[word] = v
	return v
}

// wordIndex says where the words of a tree stand.
type wordIndex struct {
	// source are the bytes where a word begins in the text.
	source lookup[[]int]
	// leaves are the nodes without an inside that are no comments, by their text
	// without the sign that marks variables; texts those that may hold words: strings,
	// and what was kept without its inside. Both are nil until they are asked for.
	leaves map[string][]int
	texts  []int
	// inside are the words in texts.
	inside lookup[[]wordIn]
}

// wordIn is a word in a leaf.
type wordIn struct{ leaf, at int }

// listLeaves fills in the leaves, the first time.
func (t *tree) listLeaves() {
	m := &t.index
	if m.leaves != nil {
		return
	}
	m.leaves = map[string][]int{}
	for i := range t.nodes {
		x := item{t, i}
		nd := x.node()
		if !x.leaf() || nd.role == syntax.Comment {
			continue
		}
		if x.size() <= smallNode {
			word := strings.TrimPrefix(x.text(), "$")
			m.leaves[word] = append(m.leaves[word], i)
		}
		if nd.role == syntax.String || x.size() > smallNode {
			m.texts = append(m.texts, i)
		}
	}
}

// wordsInside lists where a word stands in texts.
func (t *tree) wordsInside(word string) []wordIn {
	t.listLeaves()
	return t.index.inside.of(word, func(word string) (out []wordIn) {
		for _, i := range t.index.texts {
			eachPlace(t.src, word, t.nodes[i].start, t.nodes[i].end, func(at int) { out = append(out, wordIn{i, at}) })
		}
		return out
	}, func() map[string][]wordIn {
		all := map[string][]wordIn{}
		for _, i := range t.index.texts {
			eachWord(t.src, t.nodes[i].start, t.nodes[i].end, func(start, end int) {
				all[string(t.src[start:end])] = append(all[string(t.src[start:end])], wordIn{i, start})
			})
		}
		return all
	})
}

// wordsOf lists where a word stands in the text.
func (t *tree) wordsOf(word string) []int {
	return t.index.source.of(word, func(word string) (out []int) {
		eachPlace(t.src, word, 0, len(t.src), func(at int) { out = append(out, at) })
		return out
	}, func() map[string][]int {
		all := map[string][]int{}
		eachWord(t.src, 0, len(t.src), func(start, end int) {
			all[string(t.src[start:end])] = append(all[string(t.src[start:end])], start)
		})
		return all
	})
}

// eachPlace calls a function with the places of a word in a stretch of a text.
func eachPlace(src []byte, word string, from, to int, do func(at int)) {
	if word == "" || strings.IndexFunc(word, func(r rune) bool { return r < 0x80 && !wordByte(byte(r)) }) >= 0 {
		return
	}
	want := []byte(word)
	for i := from; ; {
		at := bytes.Index(src[i:to], want)
		if at < 0 {
			return
		}
		at += i
		i = at + len(want)
		whole := (at == from || !wordByte(src[at-1])) && (i == to || !wordByte(src[i]))
		if whole {
			do(at)
		}
		for i < to && wordByte(src[i]) {
			i++
		}
	}
}

// wordCounts tells how often a text mentions an identifier, without a walk through
// its tree. That of no tree, or nil, has none.
type wordCounts struct {
	tree  *tree
	known lookup[int]
}

// longestName is the length from which on a word is no name.
const longestName = 80

func (w *wordCounts) of(name string) int {
	if w == nil || w.tree == nil {
		return 0
	}
	return w.known.of(name, w.count, w.all)
}

// any tells whether there is any identifier.
func (w *wordCounts) any() bool { return w != nil && w.tree != nil && len(w.all()) > 0 }

func (w *wordCounts) count(name string) (n int) {
	src, suffixes := w.tree.src, w.tree.frag.Table.NameSuffixes
	if name == "" || len(name) >= longestName {
		return 0
	}
	word, suffix := name, byte(0)
	if last := name[len(name)-1]; strings.IndexByte(suffixes, last) >= 0 {
		word, suffix = name[:len(name)-1], last
	}
	eachPlace(src, word, 0, len(src), func(at int) {
		end, follows := at+len(word), byte(0)
		if end < len(src) && strings.IndexByte(suffixes, src[end]) >= 0 {
			follows = src[end]
		}
		if follows == suffix {
			n++
		}
	})
	return n
}

func (w *wordCounts) all() map[string]int {
	src, out := w.tree.src, map[string]int{}
	eachWord(src, 0, len(src), func(start, end int) {
		if end < len(src) && strings.IndexByte(w.tree.frag.Table.NameSuffixes, src[end]) >= 0 {
			end++
		}
		if end-start < longestName {
			out[string(src[start:end])]++
		}
	})
	return out
}

// eachWord calls a function with the ends of each word in a stretch of a text.
func eachWord(src []byte, from, to int, do func(start, end int)) {
	for i := from; i < to; i++ {
		if !wordByte(src[i]) {
			continue
		}
		start := i
		for i < to && wordByte(src[i]) {
			i++
		}
		do(start, i)
	}
}

// leavesOf lists the leaves in n that are a name and nothing else.
func (n item) leavesOf(name string) []item {
	if !n.ok() {
		return nil
	}
	n.listLeaves()
	all := n.index.leaves[strings.TrimPrefix(name, "$")]
	var out []item
	for _, i := range all[sort.SearchInts(all, n.i):] {
		if i >= n.node().last {
			break
		}
		out = append(out, item{n.tree, i})
	}
	n.meter.spend(1 + len(out))
	return out
}

// insideOf lists where a word stands within leaves in n.
func (n item) insideOf(word string) []wordIn {
	if !n.ok() {
		return nil
	}
	all := n.wordsInside(word)
	from := sort.Search(len(all), func(k int) bool { return all[k].leaf >= n.i })
	to := sort.Search(len(all), func(k int) bool { return all[k].leaf >= n.node().last })
	n.meter.spend(1 + max(to-from, 0))
	return all[from:max(from, to)]
}

// placesOf lists where a word stands in the text from one byte to another.
func (t *tree) placesOf(word string, from, to int) []int {
	all := t.wordsOf(word)
	all = all[sort.SearchInts(all, from):]
	all = all[:sort.SearchInts(all, to-len(word)+1)]
	t.meter.spend(1 + len(all))
	return all
}

// standsIn counts where a name stands in a node, other than in comments or in
// documentation; as a member of something, as the name of an argument or as a key
// only if asked for. Texts count, for they may hold expressions, and so does what is
// kept without its inside.
func standsIn(scope item, name string, members bool) int {
	count := 0
	bare := strings.TrimPrefix(name, "$")
	for _, x := range scope.leavesOf(bare) {
		p := x.parent()
		key := p.is(syntax.KeywordArgument, syntax.Pair) && p.i+1 == x.i && len(p.namedKids()) > 1
		if members || !member(x) && !key {
			count++
		}
	}
	for _, o := range scope.insideOf(bare) {
		x := item{scope.tree, o.leaf}
		whole := x.size() <= len(bare)+1 && strings.TrimPrefix(x.text(), "$") == bare // counted above
		switch {
		case whole, x.is(syntax.String) && x.traits().Docstrings && x.parent().is(syntax.ExpressionStatement):
		case x.size() > smallNode && !x.is(syntax.String) && (!members && memberAt(x.src, o.at) || x.tree.inComment(o.at)):
		default:
			count++
		}
	}
	return count
}

// mentionsOf lists the identifiers in n with a name, members or not.
func mentionsOf(n item, name string, members bool) []item {
	return slices.DeleteFunc(n.leavesOf(name), func(x item) bool {
		return !nameLike(x) || x.text() != name || member(x) != members
	})
}

// hides tells whether a name, of members or not, stands in what was kept of n
// without its inside.
func hides(n item, name string, members bool) bool {
	return slices.ContainsFunc(n.insideOf(name), func(o wordIn) bool {
		x := item{n.tree, o.leaf}
		end := o.at + len(name)
		return x.size() > smallNode && !x.is(syntax.String) && !nameLike(x) && memberAt(x.src, o.at) == members &&
			(o.at == 0 || !wordByte(x.src[o.at-1])) && (end == len(x.src) || !wordByte(x.src[end]))
	})
}
