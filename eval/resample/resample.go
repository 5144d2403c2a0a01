// Package resample estimates the uncertainty of numbers: bootstrap intervals over changes
// (Bootstrap), tests of paired differences by random signs (Flips), and the correction of
// several p-values (Correction). The studies in eval use it. It knows nothing of scores,
// systems and labels.
package resample

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"crscore/internal/limits"
)

// Bootstrap draws changes with replacement, each with all of its reviews, and computes a
// number again on every draw. It does not draw single reviews: the reviews of a change share
// its difficulty and its references, so the intervals would be too narrow. The zero value
// draws DefaultResamples times with the seed 0.
//
// The same seed gives the same draws, for any number of workers and any order of the rows.
type Bootstrap struct {
	Resamples int    // number of draws; 0: DefaultResamples
	Seed      uint64 // of the draws
	Workers   int    // 0: one for each processor
}

const (
	// DefaultResamples is the default number of draws.
	DefaultResamples = 1000
	// MinResamples is the smallest number of draws with a meaningful outer 2.5%.
	MinResamples = 100
	// degenerateShare is the largest share of draws without a value (such as ties only).
	// Beyond it there is no interval, since the interval would cover the other draws only.
	degenerateShare = 0.05
)

// ErrTooMany is the error of a bootstrap that would hold more than limits.StudyNumbers numbers.
var ErrTooMany = errors.New("too many")

// Draws returns the number of draws, or an error if it is out of range.
func (b Bootstrap) Draws() (int, error) {
	switch n := b.Resamples; {
	case n == 0:
		return DefaultResamples, nil
	case n < MinResamples || n > limits.Resamples:
		return 0, fmt.Errorf("%d resamples: need %d to %d", n, MinResamples, limits.Resamples)
	default:
		return n, nil
	}
}

// Draw draws clusters and computes values on every draw. worker returns a function with its
// own memory; Draw calls it with the number of times that each cluster was drawn, and it
// fills in the values, NaN for an undefined value. Draw returns the samples of each value in
// the order of the draws.
func (b Bootstrap) Draw(ctx context.Context, clusters, values int, worker func() func(drawn []int32, out []float64)) ([][]float64, error) {
	resamples, err := b.Draws()
	if err != nil {
		return nil, err
	}
	if resamples*values > limits.StudyNumbers {
		return nil, fmt.Errorf("%d resamples of %d numbers are %w: at most %d are kept", resamples, values, ErrTooMany, limits.StudyNumbers)
	}
	samples := make([][]float64, values)
	for i := range samples {
		samples[i] = make([]float64, resamples)
	}
	err = Parallel(ctx, b.Workers, resamples, func() func(int) {
		compute := worker()
		drawn, out := make([]int32, clusters), make([]float64, values)
		source := rand.NewPCG(0, 0)
		random := rand.New(source)
		return func(i int) {
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
	if err != nil {
		return nil, fmt.Errorf("drawing resamples: %w", err)
	}
	return samples, nil
}

// Parallel does n tasks by so many workers; 0: one for each processor. worker returns a function
// with its own memory, which gets the numbers of tasks. The error is ctx's own.
func Parallel(ctx context.Context, workers, n int, worker func() func(task int)) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(workers, n) {
		group.Go(func() {
			do := worker()
			for i := next.Add(1) - 1; i < int64(n) && ctx.Err() == nil; i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	group.Wait()
	return ctx.Err()
}

// Estimates computes values with every cluster once, and their intervals by drawing clusters.
// worker is that of Draw, why the reason of a value that is NaN, by its number.
func (b Bootstrap) Estimates(
	ctx context.Context, clusters, values int, worker func() func(drawn []int32, out []float64), why func(value int) string,
) ([]Estimate, error) {
	whole := make([]float64, values)
	worker()(slices.Repeat([]int32{1}, clusters), whole)
	samples, err := b.Draw(ctx, clusters, values, worker)
	if err != nil {
		return nil, err
	}
	out := make([]Estimate, values)
	for i, v := range whole {
		if math.IsNaN(v) {
			out[i] = None(why(i))
			continue
		}
		out[i] = MeanOf(v, "")
		out[i].SetInterval(samples[i], clusters)
	}
	return out, nil
}

// Estimate is a number with its uncertainty. It never holds NaN: an undefined number is nil,
// and Undefined gives the reason.
type Estimate struct {
	// Value is the number.
	Value *float64 `json:"value"`
	// P is the two-sided p-value of the hypothesis that the number is 0, if computed.
	P *float64 `json:"p,omitempty"`
	// Interval is the 95% percentile interval of the bootstrap over changes.
	Interval *[2]float64 `json:"interval"`
	// Degenerate counts the draws without a value, which the interval leaves out.
	Degenerate int `json:"degenerate_resamples,omitempty"`
	// Undefined is the reason why the value or the interval is nil.
	Undefined string `json:"undefined,omitempty"`
}

// MeanOf returns the estimate of a mean. why is the reason if the mean is undefined, else
// empty. A mean that is not finite is undefined too.
func MeanOf(v float64, why string) Estimate {
	if why != "" {
		return None(why)
	}
	if notFinite(v) {
		return None("the sum overflows")
	}
	return Estimate{Value: &v}
}

// None returns an estimate without a value.
func None(why string) Estimate { return Estimate{Undefined: why} }

// String returns the rounded value with its interval.
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

// Columns are the value, both ends of the interval and Undefined as cells of CSV, not rounded.
// What is not known is empty.
func (e Estimate) Columns() []string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	out := []string{"", "", "", e.Undefined}
	if e.Value != nil {
		out[0] = number(*e.Value)
	}
	if e.Interval != nil {
		out[1], out[2] = number(e.Interval[0]), number(e.Interval[1])
	}
	return out
}

// Because adds a reason to Undefined.
func (e *Estimate) Because(why string) {
	if e.Undefined != "" {
		e.Undefined += "; "
	}
	e.Undefined += why
}

// SetInterval computes the interval from samples in any order.
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
	if float64(e.Degenerate) > degenerateShare*float64(len(samples)) {
		e.Because(fmt.Sprintf("no interval: %d of %d resamples have no value", e.Degenerate, len(samples)))
		return
	}
	slices.Sort(defined)
	out := cutEachEnd(len(defined))
	e.Interval = &[2]float64{defined[out], defined[len(defined)-1-out]}
}

// Difference returns the estimate of b - a. Both samples come from the same draws, so the
// comparison is paired. The p-value is twice the share of draws in which the sign of the
// difference is the other, or the difference is 0.
func Difference(a, b float64, samplesA, samplesB []float64, clusters int) Estimate {
	value := b - a
	e := Estimate{Value: &value}
	differences := make([]float64, len(samplesA))
	var notAbove, notBelow, defined int
	for i := range differences {
		v := samplesB[i] - samplesA[i]
		differences[i] = v
		if math.IsNaN(v) {
			continue
		}
		defined++
		if v <= 0 {
			notAbove++
		}
		if v >= 0 {
			notBelow++
		}
	}
	e.SetInterval(differences, clusters)
	if e.Interval != nil {
		p := min(1, 2*float64(1+min(notAbove, notBelow))/float64(1+defined))
		e.P = &p
	}
	return e
}

// cutEachEnd returns how many of n draws an interval leaves out at each end. Both ends are
// equal, so that the comparison of A with B mirrors the comparison of B with A. An interval
// excludes 0 exactly if the p-value of the same draws is at most 0.05.
func cutEachEnd(n int) int { return (n+1)/40 - 1 }

// Clusters numbers the changes of items in the order of their first occurrence.
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
