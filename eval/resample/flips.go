package resample

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
)

// Flips tests whether two paired samples have the same mean, by approximate
// randomisation (Noreen 1989; Riezler and Maxwell 2005, who prefer it to the
// bootstrap for tests): were there no difference, each pair's two values could as
// well be the other way round, so that each difference could as well have the other
// sign. The two-sided p-value is the share of all ways to choose the signs whose sum
// is as far from 0 as what was observed, or farther.
//
// Where there are no more ways than Draws (differences of 0 have one), all of them
// are counted, and the p-value is exact. Else signs are drawn so many times, and the
// observation counts as one more draw, so that the p-value is never 0 and never too
// small (Phipson and Smyth 2010). The zero value draws DefaultFlips times.
//
// The same seed gives the same draws, whatever the number of workers. All tests of
// one call share them.
type Flips struct {
	Draws   int // 0: DefaultFlips
	Seed    uint64
	Workers int // 0: as many as there are processors
}

const (
	DefaultFlips = 10_000
	MinFlips     = 1000
	MaxFlips     = 1_000_000
	// block is how many draws have a stream of random numbers of their own.
	block = 1024
	// rounding is the share of the sum of all values below which two sums are the
	// same: those of the same values in another order differ by less.
	rounding = 1e-11
)

// Test names two samples by their places among the vectors of a call. B is negative
// where A holds differences already.
type Test struct{ A, B int }

// PValue is what a test comes to.
type PValue struct {
	P     float64
	Exact bool // all signs were counted, none drawn
}

// Number returns the number of draws, or what is wrong with it.
func (f Flips) Number() (int, error) {
	switch n := f.Draws; {
	case n == 0:
		return DefaultFlips, nil
	case n < MinFlips || n > MaxFlips:
		return 0, fmt.Errorf("%d draws of signs: need %d to %d", n, MinFlips, MaxFlips)
	default:
		return n, nil
	}
}

// Test computes the p-value of each test. The vectors that tests name are as long as
// each other, and their numbers are finite and can be added up. Time grows with their numbers times the
// draws, and not with the number of tests, but for one step a draw each.
func (f Flips) Test(ctx context.Context, vectors [][]float64, tests []Test) ([]PValue, error) {
	draws, err := f.Number()
	if err != nil {
		return nil, err
	}
	out := make([]PValue, len(tests))
	// far is how far from 0 a sum has to be to count, for tests that need draws.
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
	workers := f.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(workers, blocks) {
		group.Go(func() {
			w := newFlipper(vectors)
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= blocks {
					return
				}
				w.draw(ctx, f.Seed, i)
				n := min(block, draws-i*block)
				for k, t := range tests {
					counts[k].Add(w.farther(t, far[k], n))
				}
			}
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("drawing signs: %w", err)
	}
	for i := range out {
		if !out[i].Exact {
			out[i].P = float64(1+counts[i].Load()) / float64(1+draws)
		}
	}
	return out, nil
}

// enumerate tests by all ways to choose the signs, if they are no more than draws, and
// returns how far from 0 a sum has to be to count.
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

// flipper is a worker's memory: for a block of draws, the signs, and the sums of each
// vector with them.
type flipper struct {
	vectors [][]float64
	signs   []byte // of eight values at once, a block for each eight
	sums    [][block]float64
}

func newFlipper(vectors [][]float64) *flipper {
	eights := 0
	for _, v := range vectors {
		eights = max(eights, (len(v)+7)/8)
	}
	return &flipper{vectors, make([]byte, eights*block), make([][block]float64, len(vectors))}
}

// draw draws the signs of a block and adds the values up with them. The sums of eight
// values with all of their signs are made once for the whole block.
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

// farther counts the first n draws of the block in which a test's sum is at least so
// far from 0.
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
