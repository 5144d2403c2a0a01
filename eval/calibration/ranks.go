package calibration

import (
	"math"
	"slices"
)

// weights are the numbers of times that each change of a table is used: 0 or 1 for folds,
// more in a draw of the bootstrap. Fitting, holding out and drawing share this type.
type weights []uint16

// levels are values as ranks: equal values have equal levels, counted from 0.
type levels struct {
	of    []int32
	count int
}

// levelsOf sorts one list. Code that sorts many lists uses a sorter.
func levelsOf(values []float64) levels { return new(sorter).levels(values) }

// sorter makes levels of many lists of values. A sweep spends most of its time on this, so
// it is a radix sort: it takes one step for each value and digit.
type sorter struct {
	keys, spareKeys []uint64
	at, spareAt     []int32 // the place that each key comes from
}

// digit is the number of bits of a key that one pass sorts by.
const digit = 11

func (s *sorter) levels(values []float64) levels {
	s.keys, s.at = s.keys[:0], s.at[:0]
	for i, v := range values {
		s.keys, s.at = append(s.keys, sortable(v)), append(s.at, int32(i))
	}
	s.spareKeys = slices.Grow(s.spareKeys[:0], len(values))[:len(values)]
	s.spareAt = slices.Grow(s.spareAt[:0], len(values))[:len(values)]
	for shift := 0; shift < 64; shift += digit {
		s.pass(shift)
	}
	l := levels{of: make([]int32, len(values))}
	for i, key := range s.keys {
		if i == 0 || key != s.keys[i-1] {
			l.count++
		}
		l.of[s.at[i]] = int32(l.count - 1)
	}
	return l
}

// sortable returns an integer for a number. The integers have the order of the numbers.
func sortable(v float64) uint64 {
	bits := math.Float64bits(v + 0) // -0 becomes 0
	if bits>>63 == 1 {
		return ^bits
	}
	return bits | 1<<63
}

// pass sorts by one digit and keeps the order of equal keys.
func (s *sorter) pass(shift int) {
	const mask = 1<<digit - 1
	var starts [1 << digit]int32
	for _, key := range s.keys {
		starts[key>>shift&mask]++
	}
	if len(s.keys) == 0 || starts[s.keys[0]>>shift&mask] == int32(len(s.keys)) {
		return // all keys have the same digit
	}
	below := int32(0)
	for d, n := range starts {
		starts[d] = below
		below += n
	}
	for i, key := range s.keys {
		to := &starts[key>>shift&mask]
		s.spareKeys[*to], s.spareAt[*to] = key, s.at[i]
		*to++
	}
	s.keys, s.spareKeys = s.spareKeys, s.keys
	s.at, s.spareAt = s.spareAt, s.at
}

// ranker computes Spearman's ρ for any weights of the changes, thousands of times over the
// same values, without sorting. A ranker is for one goroutine, because it keeps its memory.
type ranker struct {
	xs, ys       []int64
	xrank, yrank []float64
}

// spearman equals agreement.Spearman, to the last digit, of x and y where observation i
// occurs as often as its change has weight. It is NaN where ρ is undefined.
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

// centred turns the numbers of observations at each level into mean ranks, minus the mean
// rank of all, times two. The results are whole numbers, so that sums of them are exact.
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
