package calibration

import (
	"math"
	"slices"
)

// weights say how often each change of a table counts: 0 or 1 for folds, more in
// a draw of the bootstrap. One mechanism serves fitting, holding out and drawing.
type weights []uint16

// levels are values by their rank: equal values have equal levels, from 0.
type levels struct {
	of    []int32
	count int
}

func levelsOf(values []float64) levels {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	l := levels{of: make([]int32, len(values)), count: len(sorted)}
	for i, v := range values {
		n, _ := slices.BinarySearch(sorted, v)
		l.of[i] = int32(n)
	}
	return l
}

// ranker computes Spearman's ρ under any weights of the changes, thousands of
// times over the same values, without sorting. The memory is one goroutine's.
type ranker struct {
	xs, ys       []int64
	xrank, yrank []float64
}

// spearman is agreement.Spearman of x and y where observation i occurs as often
// as its change is weighed, to the last digit; NaN where that is undefined.
func (r *ranker) spearman(x, y levels, change []int32, w weights) float64 {
	r.xs, r.ys = zeros(r.xs, x.count), zeros(r.ys, y.count)
	var n int64
	for i, c := range change {
		k := int64(w[c])
		r.xs[x.of[i]] += k
		r.ys[y.of[i]] += k
		n += k
	}
	var xx, yy, xy float64
	r.xrank, xx = centred(r.xrank, r.xs, n)
	r.yrank, yy = centred(r.yrank, r.ys, n)
	if xx == 0 || yy == 0 {
		return math.NaN()
	}
	for i, c := range change {
		xy += float64(w[c]) * r.xrank[x.of[i]] * r.yrank[y.of[i]]
	}
	return min(1, max(-1, xy/math.Sqrt(xx*yy)))
}

// centred turns the numbers of observations at each level into mean ranks, less
// the mean of all and doubled, which makes them whole numbers and sums of them
// exact.
func centred(ranks []float64, counts []int64, n int64) (_ []float64, squares float64) {
	ranks = ranks[:0]
	var below int64
	for _, c := range counts {
		rank := float64(2*below + c - n)
		ranks = append(ranks, rank)
		squares += float64(c) * rank * rank
		below += c
	}
	return ranks, squares
}

func zeros(s []int64, n int) []int64 {
	if cap(s) < n {
		return make([]int64, n)
	}
	s = s[:n]
	clear(s)
	return s
}
