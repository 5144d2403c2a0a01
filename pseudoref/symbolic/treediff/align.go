package treediff

import (
	"slices"
	"sort"

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
	var anchors [][2]int
	if (a1-a0)*(b1-b0) <= maxLCS {
		as[a0].Spend((a1 - a0) * (b1 - b0))
		from, to := a0, b0
		for _, k := range Subsequence(a1-a0, b1-b0, func(i, j int) int { return d.anchor(as[from+i], bs[to+j]) }) {
			anchors = append(anchors, [2]int{a0 + k[0], b0 + k[1]})
		}
	} else {
		anchors = d.known(as, bs, a0, a1, b0, b1)
	}
	for _, k := range append(anchors, [2]int{a1, b1}) {
		d.gap(as, bs, a0, k[0], b0, k[1], pairs)
		if k[0] < a1 {
			pairs[k[0]] = k[1]
		}
		a0, b0 = k[0]+1, k[1]+1
	}
	return pairs
}

// Same reports whether two nodes are equal but for white space.
func Same(a, b tree.Node) bool { return a.Kind() == b.Kind() && a.Hash() == b.Hash() }

// samePart is same for nodes that also play the same part: the left side of an assignment is not what stood on the
// right.
func samePart(a, b tree.Node) bool { return Same(a, b) && a.Field() == b.Field() }

// Subsequence pairs the elements of two lists of n and m, in order, so that the values of the pairs make the greatest
// sum. A value of 0 pairs nothing.
func Subsequence(n, m int, value func(i, j int) int) [][2]int {
	w := m + 1
	sum := make([]int32, (n+1)*w)
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			k := i*w + j
			sum[k] = max(sum[k+w], sum[k+1])
			if v := value(i, j); v > 0 {
				sum[k] = max(sum[k], int32(v)+sum[k+w+1])
			}
		}
	}
	var out [][2]int
	for i, j := 0, 0; i < n && j < m; {
		k := i*w + j
		switch v := value(i, j); {
		case v > 0 && sum[k] == int32(v)+sum[k+w+1]:
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

// anchor is 1 for two nodes that are the same one beyond doubt, else 0. Punctuation makes no anchor: a comma is like
// any other.
func (d *differ) anchor(a, b tree.Node) int {
	if are, may := d.same.mates(a, b); are || may && !punctuation(a) && samePart(a, b) {
		return 1
	}
	return 0
}

// known stands in for the longest common subsequence of long lists: the nodes that were matched already, as far as
// they come in the same order.
func (d *differ) known(as, bs []tree.Node, a0, a1, b0, b1 int) (out [][2]int) {
	for i := a0; i < a1; i++ {
		x := d.same.Partner(as[i])
		j := b0 + sort.Search(b1-b0, func(j int) bool { return bs[b0+j].I >= x.I })
		if x.Ok() && j < b1 && bs[j] == x {
			out = append(out, [2]int{i, j})
			b0 = j + 1
		}
	}
	return out
}

// candidate is a pair of two lists, by their indices, that may be one.
type candidate struct {
	i, j  int
	score float64
}

// inOrder offers candidates, those with the highest score first: what is surely one is not taken by something that is
// only like it.
func inOrder(cands []candidate, link func(i, j int)) {
	sort.SliceStable(cands, func(x, y int) bool { return cands[x].score > cands[y].score })
	for _, c := range cands {
		link(c.i, c.j)
	}
}

// gap pairs what is left between two anchors by likeness.
func (d *differ) gap(as, bs []tree.Node, a0, a1, b0, b1 int, pairs []int) {
	n, m := a1-a0, b1-b0
	if n <= 0 || m <= 0 {
		return
	}
	var cands []candidate
	for i := a0; i < a1; i++ {
		lo, hi := b0, b1
		if n*m > maxPairs {
			mid := b0 + (i-a0)*m/n
			lo, hi = max(b0, mid-PairWindow), min(b1, mid+PairWindow+1)
		}
		for j := lo; j < hi; j++ {
			if _, may := d.same.mates(as[i], bs[j]); !may {
				continue
			}
			if s := d.likeness(as[i], bs[j], n == 1 && m == 1); s > 0 {
				cands = append(cands, candidate{i, j, s})
			}
		}
	}
	taken := map[int]bool{}
	inOrder(cands, func(i, j int) {
		if pairs[i] < 0 && !taken[j] {
			pairs[i], taken[j] = j, true
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
