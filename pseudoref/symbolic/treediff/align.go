package treediff

import (
	"cmp"
	"slices"
	"sort"

	"crscore/internal/limits"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
)

// align matches the children of two nodes. The result holds, for each of as, the index in bs or -1.
func (d *differ) align(as, bs []tree.Node) []int {
	pairs := slices.Repeat([]int{-1}, len(as))
	a0, a1, b0, b1 := 0, len(as), 0, len(bs)
	for a0 < a1 && b0 < b1 && samePart(as[a0], bs[b0]) {
		pairs[a0] = b0
		a0, b0 = a0+1, b0+1
	}
	for a0 < a1 && b0 < b1 && samePart(as[a1-1], bs[b1-1]) {
		a1, b1 = a1-1, b1-1
		pairs[a1] = b1
	}
	if a0 == a1 || b0 == b1 {
		return pairs
	}
	x, y := as[a0:a1], bs[b0:b1]
	n, m := len(x), len(y)
	var anchors [][2]int // what is surely one, in order; between two of them likeness decides
	if n*m <= limits.AlignedChildren {
		x[0].Spend(n * m)
		anchors = Subsequence(n, m, func(i, j int) bool { return d.anchors(x[i], y[j]) })
	} else {
		anchors = d.known(x, y)
	}
	i, j := a0, b0
	for _, k := range append(anchors, [2]int{n, m}) {
		to, at := a0+k[0], b0+k[1]
		d.gap(as, bs, i, to, j, at, pairs)
		if to < a1 {
			pairs[to] = at
		}
		i, j = to+1, at+1
	}
	return pairs
}

// Same reports whether two nodes are equal but for white space.
func Same(a, b tree.Node) bool { return a.Kind() == b.Kind() && a.Hash() == b.Hash() }

// samePart is Same for nodes that also play the same part: the left side of an assignment is not what stood on the
// right.
func samePart(a, b tree.Node) bool { return Same(a, b) && a.Field() == b.Field() }

// Subsequence pairs as many elements as it can of two lists of n and m, in order: the longest common subsequence.
func Subsequence(n, m int, same func(i, j int) bool) (out [][2]int) {
	w := m + 1
	sum := make([]int32, (n+1)*w) // how many pairs there are from i and j on
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			k := i*w + j
			if sum[k] = max(sum[k+w], sum[k+1]); same(i, j) {
				sum[k] = sum[k+w+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		switch k := i*w + j; {
		case same(i, j):
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case sum[k+w] >= sum[k+1]:
			i++
		default:
			j++
		}
	}
	return out
}

// anchors tells whether two nodes are the same one beyond doubt. Punctuation makes no anchor: a comma is like any
// other.
func (d *differ) anchors(a, b tree.Node) bool {
	are, may := d.same.mates(a, b)
	return are || may && !punctuation(a) && samePart(a, b)
}

// known stands in for the longest common subsequence of long lists: the nodes that were matched already, as far as
// they come in the same order.
func (d *differ) known(as, bs []tree.Node) (out [][2]int) {
	from := 0
	for i, a := range as {
		x := d.same.Partner(a)
		j := from + sort.Search(len(bs)-from, func(j int) bool { return bs[from+j].I >= x.I })
		if x.Ok() && j < len(bs) && bs[j] == x {
			out = append(out, [2]int{i, j})
			from = j + 1
		}
	}
	return out
}

// gap pairs what is left between two anchors by likeness.
func (d *differ) gap(as, bs []tree.Node, a0, a1, b0, b1 int, pairs []int) {
	n, m := a1-a0, b1-b0
	if n <= 0 || m <= 0 {
		return
	}
	taken := map[int]bool{}
	mostAlike(n, m, func(i, j int) float64 {
		if _, may := d.same.mates(as[a0+i], bs[b0+j]); !may {
			return 0
		}
		return d.likeness(as[a0+i], bs[b0+j], n == 1 && m == 1)
	}, func(i, j int) {
		if pairs[a0+i] < 0 && !taken[b0+j] {
			pairs[a0+i], taken[b0+j] = b0+j, true
		}
	})
	if !as[a0].Parent().Is(syntax.Arguments) {
		return
	}
	// An argument that has nothing in common with the one in its place before still takes that place.
	for k := 0; k < n && n == m; k++ {
		if x, y := as[a0+k], bs[b0+k]; pairs[a0+k] < 0 && !taken[b0+k] && x.Role() == y.Role() && x.Named() && y.Named() &&
			!x.Is(syntax.Lambda, syntax.KeywordArgument) {
			pairs[a0+k] = b0 + k
		}
	}
}

// mostAlike offers pairs of two lists of n and m, the most alike first: what is surely one is not taken by something
// that is only like it. What has a likeness of 0 is no pair. Of long lists only those are compared that stand at nearly
// the same place.
func mostAlike(n, m int, likeness func(i, j int) float64, offer func(i, j int)) {
	type candidate struct {
		i, j  int
		score float64
	}
	var cands []candidate
	for i := range n {
		lo, hi := 0, m
		if n*m > limits.PairedChildren {
			lo, hi = max(0, i*m/n-PairWindow), min(m, i*m/n+PairWindow+1)
		}
		for j := lo; j < hi; j++ {
			if s := likeness(i, j); s > 0 {
				cands = append(cands, candidate{i, j, s})
			}
		}
	}
	slices.SortStableFunc(cands, func(x, y candidate) int { return cmp.Compare(y.score, x.score) })
	for _, c := range cands {
		offer(c.i, c.j)
	}
}
