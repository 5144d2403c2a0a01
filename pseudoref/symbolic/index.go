package symbolic

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
	inside map[string][]wordIn
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
		x := t.at(i)
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
	out, ok := t.index.inside[word]
	if !ok {
		if t.index.inside == nil {
			t.index.inside = map[string][]wordIn{}
		}
		for _, i := range t.index.texts {
			t.eachPlace(word, t.nodes[i].start, t.nodes[i].end, func(at int) { out = append(out, wordIn{i, at}) })
		}
		t.index.inside[word] = out
	}
	return out
}

// wordsOf lists where a word stands in the text.
func (t *tree) wordsOf(word string) []int {
	out, ok := t.index.source[word]
	if !ok {
		if t.index.source == nil {
			t.index.source = map[string][]int{}
		}
		t.eachPlace(word, 0, len(t.src), func(at int) { out = append(out, at) })
		t.index.source[word] = out
	}
	return out
}

// eachPlace calls a function with the places of a word in a stretch of a text.
func (t *tree) eachPlace(word string, from, to int, do func(at int)) {
	if word == "" || strings.IndexFunc(word, betweenWords) >= 0 {
		return
	}
	t.meter.spend(1 + (to-from)/bytesPerWork)
	src, want := t.src, []byte(word)
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

// longestName is the length from which on a word is no name.
const longestName = 80

// wordCounts tells how often a text mentions an identifier, without a walk through
// its tree. That of no tree, or nil, has none.
type wordCounts struct{ tree *tree }

func (w *wordCounts) of(name string) (n int) {
	if w == nil || w.tree == nil || name == "" || len(name) >= longestName {
		return 0
	}
	t := w.tree
	suffixes := t.frag.Table.NameSuffixes
	word, suffix := name, byte(0)
	if last := name[len(name)-1]; strings.IndexByte(suffixes, last) >= 0 {
		word, suffix = name[:len(name)-1], last
	}
	for _, at := range t.wordsOf(word) {
		end, follows := at+len(word), byte(0)
		if end < len(t.src) && strings.IndexByte(suffixes, t.src[end]) >= 0 {
			follows = t.src[end]
		}
		if follows == suffix {
			n++
		}
	}
	return n
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
		out = append(out, n.tree.at(i))
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
		x := scope.tree.at(o.leaf)
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
		x := n.tree.at(o.leaf)
		end := o.at + len(name)
		return x.size() > smallNode && !x.is(syntax.String) && !nameLike(x) && memberAt(x.src, o.at) == members &&
			(o.at == 0 || !wordByte(x.src[o.at-1])) && (end == len(x.src) || !wordByte(x.src[end]))
	})
}

// inComment tells whether a place in a text is in a comment or a docstring.
func (t *tree) inComment(at int) bool {
	n := t.frag.Nodes.NamedAt(at)
	for i := 0; n != nil && i < 3; i, n = i+1, n.Parent() {
		if r := t.frag.Role(n); r.Is(syntax.Comment) || r.Is(syntax.String) && n.Parent() != nil && t.frag.Role(n.Parent()).Is(syntax.ExpressionStatement) {
			return true
		}
	}
	return false
}

// inCode tells whether a place in a text is neither in a comment nor in a string,
// save the code that stands in one.
func (t *tree) inCode(at int) bool {
	n := t.frag.Nodes.NamedAt(at)
	for i := 0; n != nil && i < maxNested; i, n = i+1, n.Parent() {
		switch r := t.frag.Role(n); {
		case r.Is(syntax.String, syntax.Comment):
			return false
		case r.Is(syntax.Call, syntax.Member, syntax.Block) || r.IsFunction():
			return true
		}
	}
	return true
}

// firstPlaces lists where a name stands in the text, at most maxReach times.
func (t *tree) firstPlaces(name string) []int {
	all := t.placesOf(name, 0, len(t.src))
	return all[:min(len(all), maxReach)]
}

// maxReach bounds the places in a file where a name is looked up.
const maxReach = 50

// betweenWords tells whether a character stands in no word.
func betweenWords(r rune) bool { return r < 0x80 && !wordByte(byte(r)) }

// maxNested bounds the nodes above a place that are looked at.
const maxNested = 5
