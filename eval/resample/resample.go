// Package resample says how sure a number is by drawing changes again: intervals of
// a bootstrap (Bootstrap), tests of paired differences by flipping their signs
// (Flips), and the correction of many p-values (Correction). It is for the studies
// beside it, and knows nothing of scores, systems and labels.
package resample

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Bootstrap says how the uncertainty of a number is estimated: changes are drawn
// with replacement, each with all of its reviews (the reviews of one change share
// its difficulty and its references, so that drawing single reviews would give
// intervals that are too narrow), and the number is computed again on every draw.
// The zero value draws DefaultResamples times with the seed 0.
//
// The same seed gives the same draws, whatever the number of workers and the
// order of the rows.
type Bootstrap struct {
	Resamples int // 0: DefaultResamples
	Seed      uint64
	Workers   int // 0: as many as there are processors
}

const (
	// DefaultResamples is how often changes are drawn when nobody says otherwise.
	DefaultResamples = 1000
	// MinResamples is the smallest number of draws that has anything to say of the
	// outer 2.5%.
	MinResamples = 100
	// MaxResamples is the largest number of draws.
	MaxResamples = 100_000
	// maxKept bounds the numbers that one bootstrap keeps: 128 MiB.
	maxKept = 16 << 20
	// maxDegenerate is the share of draws without a value (all values tied, say)
	// above which there is no interval: it would speak of the other draws only.
	maxDegenerate = 0.05
)

// ErrTooMany: a bootstrap would keep more than maxKept numbers.
var ErrTooMany = errors.New("too many")

// Draws returns the number of draws, or what is wrong with it.
func (b Bootstrap) Draws() (int, error) {
	switch n := b.Resamples; {
	case n == 0:
		return DefaultResamples, nil
	case n < MinResamples || n > MaxResamples:
		return 0, fmt.Errorf("%d resamples: need %d to %d", n, MinResamples, MaxResamples)
	default:
		return n, nil
	}
}

// Draw calls, for every resample, a worker's function with the number of times
// that each cluster was drawn; it fills in the values, NaN where one is undefined.
// worker makes such a function with memory of its own. Draw returns the samples
// of each value, in the order of the draws.
func (b Bootstrap) Draw(ctx context.Context, clusters, values int, worker func() func(drawn []int32, out []float64)) ([][]float64, error) {
	resamples, err := b.Draws()
	if err != nil {
		return nil, err
	}
	if resamples*values > maxKept {
		return nil, fmt.Errorf("%d resamples of %d numbers are %w: at most %d are kept", resamples, values, ErrTooMany, maxKept)
	}
	samples := make([][]float64, values)
	for i := range samples {
		samples[i] = make([]float64, resamples)
	}
	workers := b.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(workers, resamples) {
		group.Go(func() {
			compute := worker()
			drawn, out := make([]int32, clusters), make([]float64, values)
			source := rand.NewPCG(0, 0)
			random := rand.New(source)
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= resamples {
					return
				}
				source.Seed(b.Seed, uint64(i)) // each draw has a stream of its own
				clear(drawn)
				for range clusters {
					drawn[random.IntN(clusters)]++
				}
				compute(drawn, out)
				for k, v := range out {
					samples[k][i] = v
				}
			}
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("drawing resamples: %w", err)
	}
	return samples, nil
}

// Estimate is a number with its uncertainty. Nothing in it is ever NaN: what is
// undefined is nil, and Undefined says why.
type Estimate struct {
	Value *float64 `json:"value"`
	// P is the two-sided p-value of 0, where one is computed.
	P *float64 `json:"p,omitempty"`
	// Interval is the 95% percentile interval of the bootstrap over changes.
	Interval *[2]float64 `json:"interval"`
	// Degenerate counts the draws without a value, which the interval leaves out.
	Degenerate int    `json:"degenerate_resamples,omitempty"`
	Undefined  string `json:"undefined,omitempty"`
}

// MeanOf is the estimate of a mean; why tells why it is undefined, if it is.
// Otherwise it is undefined where the sum is too large.
func MeanOf(v float64, why string) Estimate {
	if why != "" {
		return None(why)
	}
	if notFinite(v) {
		return None("the sum overflows")
	}
	return Estimate{Value: &v}
}

// None is an estimate without a value.
func None(why string) Estimate { return Estimate{Undefined: why} }

// String is the value with its interval, rounded for the eye.
func (e Estimate) String() string {
	switch {
	case e.Value == nil:
		return "undefined"
	case e.Interval == nil:
		return fmt.Sprintf("%.3f [undefined]", *e.Value)
	default:
		return fmt.Sprintf("%.3f [%.3f, %.3f]", *e.Value, e.Interval[0], e.Interval[1])
	}
}

// Because adds a reason.
func (e *Estimate) Because(why string) {
	if e.Undefined != "" {
		e.Undefined += "; "
	}
	e.Undefined += why
}

// SetInterval sets the interval from the samples, which are in any order.
func (e *Estimate) SetInterval(samples []float64, clusters int) {
	if e.Value == nil {
		return
	}
	if clusters < 2 {
		e.Because("no interval: fewer than two changes")
		return
	}
	defined := slices.DeleteFunc(slices.Clone(samples), notFinite)
	e.Degenerate = len(samples) - len(defined)
	if float64(e.Degenerate) > maxDegenerate*float64(len(samples)) {
		e.Because(fmt.Sprintf("no interval: %d of %d resamples have no value", e.Degenerate, len(samples)))
		return
	}
	slices.Sort(defined)
	out := outer(len(defined))
	e.Interval = &[2]float64{defined[out], defined[len(defined)-1-out]}
}

// outer is how many of n draws, at least MinResamples less the degenerate ones, an
// interval leaves out at each end. It is the same at both, so that A beside B and B
// beside A are each other's mirror, and an interval leaves out 0 just where the
// p-value of a comparison of the same draws is at most 0.05.
func outer(n int) int { return (n+1)/40 - 1 }

// Clusters numbers the changes in the order of their first occurrence.
func Clusters[T any](items []T, change func(T) string) (of []int32, count int) {
	numbers := make(map[string]int32, len(items))
	of = make([]int32, len(items))
	for i, item := range items {
		n, ok := numbers[change(item)]
		if !ok {
			n = int32(len(numbers))
			numbers[change(item)] = n
		}
		of[i] = n
	}
	return of, len(numbers)
}

func notFinite(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
