package symbolic

import (
	"slices"
	"sort"
	"strings"

	"crscore/internal/syntax"
)

// wordIndex says where the words of a tree stand, so that looking one up costs no
// walk through the tree.
type wordIndex struct {
	// source are the bytes where a word begins in the text.
	source map[string][]int
	// leaves are the nodes without an inside that are no comments, by their text
	// without the sign that marks variables.
	leaves map[string][]int
	// inside are the words in texts and in what was kept without its inside.
	inside map[string][]wordIn
}

// wordIn is a word in a leaf.
type wordIn struct{ leaf, at int }

// indexed returns the index of the tree. It is made when it is first asked
// for: most changes need none.
func (t *tree) indexed() *wordIndex {
	if t.index != nil {
		return t.index
	}
	m := &wordIndex{source: map[string][]int{}, leaves: map[string][]int{}, inside: map[string][]wordIn{}}
	t.index = m
	eachWord(t.src, 0, len(t.src), func(start, end int) {
		m.source[string(t.src[start:end])] = append(m.source[string(t.src[start:end])], start)
	})
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
			eachWord(t.src, nd.start, nd.end, func(start, end int) {
				m.inside[string(t.src[start:end])] = append(m.inside[string(t.src[start:end])], wordIn{i, start})
			})
		}
	}
	return m
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
	all := n.indexed().leaves[strings.TrimPrefix(name, "$")]
	var out []item
	for _, i := range all[sort.SearchInts(all, n.i):] {
		if i >= n.node().last {
			break
		}
		out = append(out, item{n.tree, i})
	}
	return out
}

// insideOf lists where a word stands within leaves in n.
func (n item) insideOf(word string) []wordIn {
	if !n.ok() {
		return nil
	}
	all := n.indexed().inside[word]
	from := sort.Search(len(all), func(k int) bool { return all[k].leaf >= n.i })
	to := sort.Search(len(all), func(k int) bool { return all[k].leaf >= n.node().last })
	return all[from:max(from, to)]
}

// placesOf lists where a word stands in the text from one byte to another.
func (t *tree) placesOf(word string, from, to int) []int {
	all := t.indexed().source[word]
	all = all[sort.SearchInts(all, from):]
	return all[:sort.SearchInts(all, to-len(word)+1)]
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
