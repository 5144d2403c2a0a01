package revision

import (
	"fmt"
	"slices"
)

// block is a run of tokens that both texts have: from a on in the first, from b on in the second.
type block struct{ a, b, size int }

// blocks are the matching blocks of two texts by the algorithm of Ratcliff and Obershelp (1988), as
// Python's difflib has it without the heuristics for junk: the longest run that both have, of
// several the first in the first text, then in the second; then the same to its left and right.
// The blocks are in the order of the texts. The last is empty, at the ends.
func blocks(a, b []string, steps int) ([]block, error) {
	places := map[string][]int{}
	for j, s := range b {
		places[s] = append(places[s], j)
	}
	// runs has the length of the run that ends before a place of the second text, for the token
	// before in the first text; next is for the token.
	runs, next := make([]int, len(b)+1), make([]int, len(b)+1)
	left := steps
	// longest finds the longest block between four places.
	longest := func(alo, ahi, blo, bhi int) block {
		best := block{a: alo, b: blo}
		var before []int // the places of the token before
		for i := alo; i <= ahi && left >= 0; i++ {
			var now []int
			if i < ahi {
				now = places[a[i]]
				from, _ := slices.BinarySearch(now, blo)
				to, _ := slices.BinarySearch(now, bhi)
				now = now[from:to]
			}
			left -= 1 + len(now)
			for _, j := range now {
				size := runs[j] + 1
				if next[j+1] = size; size > best.size {
					best = block{i - size + 1, j - size + 1, size}
				}
			}
			for _, j := range before {
				runs[j+1] = 0
			}
			runs, next, before = next, runs, now
		}
		return best
	}
	var out []block
	type part struct{ alo, ahi, blo, bhi int }
	for queue := []part{{0, len(a), 0, len(b)}}; len(queue) > 0; {
		p := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		found := longest(p.alo, p.ahi, p.blo, p.bhi)
		if left < 0 {
			return nil, fmt.Errorf("texts of %d and %d tokens take more than %d steps to compare", len(a), len(b), steps)
		}
		if found.size == 0 {
			continue
		}
		out = append(out, found)
		queue = append(queue, part{p.alo, found.a, p.blo, found.b}, part{found.a + found.size, p.ahi, found.b + found.size, p.bhi})
	}
	slices.SortFunc(out, func(x, y block) int { return x.a - y.a })
	return append(out, block{len(a), len(b), 0}), nil
}
