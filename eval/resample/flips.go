package resample

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"

	"crscore/internal/limits"
)

// Flips tests whether two paired samples have the same mean, by approximate randomisation
// (Noreen 1989; Riezler and Maxwell 2005 prefer it to the bootstrap for tests). Without a
// difference, the two values of each pair could be exchanged, and each difference could have
// the other sign. The two-sided p-value is the share of all choices of signs whose sum is at
// least as far from 0 as the observed sum.
//
// If there are at most Draws choices (a difference of 0 has one sign), all are enumerated and
// the p-value is exact. Else signs are drawn Draws times. The observation counts as one more
// draw, so that the p-value is never 0 and never too small (Phipson and Smyth 2010). The zero
// value draws DefaultFlips times.
//
// The same seed gives the same draws, for any number of workers. All tests of a call share
// the draws.
type Flips struct {
	Draws   int    // number of draws; 0: DefaultFlips
	Seed    uint64 // of the draws
	Workers int    // 0: one for each processor
}

const (
	// DefaultFlips is the default number of draws.
	DefaultFlips = 10_000
	// MinFlips is the smallest number of draws.
	MinFlips = 1000
	// block is the number of draws that share a stream of random numbers.
	block = 1024
	// rounding is the tolerance for equal sums, as a share of the sum of absolute values:
	// sums of the same values in another order differ by less.
	rounding = 1e-11
)

// Test is a test of two samples.
type Test struct {
	A int // index of a vector in the call
	B int // index of the other vector; negative if A holds differences
}

// PValue is the result of a test.
type PValue struct {
	P     float64 // two-sided
	Exact bool    // all choices of signs were enumerated
}

// Number returns the number of draws, or an error if it is out of range.
func (f Flips) Number() (int, error) {
	switch n := f.Draws; {
	case n == 0:
		return DefaultFlips, nil
	case n < MinFlips || n > limits.Flips:
		return 0, fmt.Errorf("%d draws of signs: need %d to %d", n, MinFlips, limits.Flips)
	default:
		return n, nil
	}
}

// Test computes the p-value of each test. The vectors of a test have the same length; their
// numbers and sums are finite. Time grows with the length of all vectors times the draws; each
// test adds one step a draw.
func (f Flips) Test(ctx context.Context, vectors [][]float64, tests []Test) ([]PValue, error) {
	draws, err := f.Number()
	if err != nil {
		return nil, err
	}
	out := make([]PValue, len(tests))
	// far is the distance of the observed sum from 0, for tests that need draws.
	far := make([]float64, len(tests))
	drawn := 0
	for i, t := range tests {
		exact, limit := enumerate(vectors, t, draws)
		if out[i] = exact; exact.Exact {
			far[i] = math.Inf(1)
			continue
		}
		far[i] = limit
		drawn++
	}
	if drawn == 0 {
		return out, nil
	}
	counts := make([]atomic.Int64, len(tests))
	blocks := (draws + block - 1) / block
	err = Parallel(ctx, f.Workers, blocks, func() func(int) {
		w := newFlipper(vectors)
		return func(i int) {
			w.draw(ctx, f.Seed, i)
			n := min(block, draws-i*block)
			for k, t := range tests {
				counts[k].Add(w.farther(t, far[k], n))
			}
		}
	})
	if err != nil {
		return nil, fmt.Errorf("drawing signs: %w", err)
	}
	for i := range out {
		if !out[i].Exact {
			out[i].P = float64(1+counts[i].Load()) / float64(1+draws)
		}
	}
	return out, nil
}

// enumerate tests all choices of signs, if there are at most draws. It also returns the
// distance of the observed sum from 0.
func enumerate(vectors [][]float64, t Test, draws int) (PValue, float64) {
	a := vectors[t.A]
	var b []float64
	if t.B >= 0 {
		b = vectors[t.B]
	}
	var observed, size float64
	var differences []float64
	for i, v := range a {
		size += math.Abs(v)
		if b != nil {
			size += math.Abs(b[i])
			v -= b[i]
		}
		observed += v
		if v != 0 && len(differences) < 64 {
			differences = append(differences, v)
		}
	}
	far := math.Abs(observed) - rounding*size
	if len(differences) == 64 || 1<<len(differences) > draws {
		return PValue{}, far
	}
	sums := make([]float64, 1, 1<<len(differences))
	for _, d := range differences {
		for i, s := range sums {
			sums[i] = s - d
			sums = append(sums, s+d)
		}
	}
	count := 0
	for _, s := range sums {
		if math.Abs(s) >= far {
			count++
		}
	}
	return PValue{float64(count) / float64(len(sums)), true}, far
}

// flipper is the memory of a worker: the signs of a block of draws, and the sums of each
// vector with these signs.
type flipper struct {
	vectors [][]float64
	signs   []byte // a byte has the signs of eight values; a block for each eight values
	sums    [][block]float64
}

func newFlipper(vectors [][]float64) *flipper {
	eights := 0
	for _, v := range vectors {
		eights = max(eights, (len(v)+7)/8)
	}
	return &flipper{vectors, make([]byte, eights*block), make([][block]float64, len(vectors))}
}

// draw draws the signs of a block and sums the values. The sums of eight values for all 256
// choices of signs are computed once for the whole block.
func (w *flipper) draw(ctx context.Context, seed uint64, number int) {
	source := rand.NewPCG(seed, 1<<63|uint64(number)) // no stream of a Bootstrap
	for i := 0; i < len(w.signs); i += 8 {
		binary.LittleEndian.PutUint64(w.signs[i:], source.Uint64())
	}
	var table [256]float64
	for i, v := range w.vectors {
		if ctx.Err() != nil {
			return
		}
		sums := &w.sums[i]
		clear(sums[:])
		for k := 0; k < len(v); k += 8 {
			table[0] = 0
			ways := 1
			for _, x := range v[k:min(k+8, len(v))] {
				for m, s := range table[:ways] {
					table[m], table[m+ways] = s-x, s+x
				}
				ways *= 2
			}
			for ; ways < 256; ways *= 2 {
				copy(table[ways:2*ways], table[:ways])
			}
			for d, signs := range w.signs[k*block/8:][:block] {
				sums[d] += table[signs]
			}
		}
	}
}

// farther counts the draws, of the first n in the block, whose sum is at least far from 0.
func (w *flipper) farther(t Test, far float64, n int) (count int64) {
	a := w.sums[t.A][:n]
	if t.B < 0 {
		for _, v := range a {
			if math.Abs(v) >= far {
				count++
			}
		}
		return count
	}
	for i, v := range w.sums[t.B][:n] {
		if math.Abs(a[i]-v) >= far {
			count++
		}
	}
	return count
}
