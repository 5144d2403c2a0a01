package resample

import (
	"hash/fnv"
	"math/rand/v2"
)

// Stream draws clusters that arrive one after the other, in memory that does not grow with
// their number. It is the bootstrap with Poisson weights (Chamandy et al., 2012): each
// resample takes a cluster k times, where k is Poisson of mean 1, which is the limit of
// drawing n clusters of n with replacement.
//
// The weights of a cluster depend on its name and the seed alone. Order, workers, shards
// and resumed runs do not change them.
type Stream struct {
	Bootstrap

	cluster string
	weights []float64 // of cluster; nil before the first
}

// Weights returns how often each resample takes a cluster, until the next call.
func (s *Stream) Weights(cluster string) ([]float64, error) {
	if s.weights != nil && s.cluster == cluster {
		return s.weights, nil
	}
	n, err := s.Draws()
	if err != nil {
		return nil, err
	}
	if s.weights == nil {
		s.weights = make([]float64, n)
	}
	s.cluster = cluster
	name := fnv.New64a()
	_, _ = name.Write([]byte(cluster)) // a hash has no errors
	random := rand.New(rand.NewPCG(s.Seed, name.Sum64()))
	for i := range s.weights {
		s.weights[i] = poisson(random.Float64())
	}
	return s.weights, nil
}

// poisson is the Poisson number of mean 1 at a place of its distribution.
func poisson(u float64) float64 {
	const atZero = 0.36787944117144233 // 1/e
	k, probability := 0.0, atZero
	for u >= probability && k < 20 { // larger numbers are rarer than a float can tell
		u -= probability
		k++
		probability /= k
	}
	return k
}

// Means estimates the means of some numbers that every item of a stream has, with
// intervals. The zero value is ready for use.
type Means struct {
	items    int
	clusters int
	last     string
	sums     []float64
	// drawnItems and drawnSums are those of each resample.
	drawnItems []float64
	drawnSums  [][]float64
}

// Add adds an item of a cluster, whose items follow each other, with the cluster's weights
// and the item's numbers, always as many.
func (m *Means) Add(cluster string, weights []float64, numbers ...float64) {
	if m.sums == nil {
		m.sums, m.drawnItems = make([]float64, len(numbers)), make([]float64, len(weights))
		m.drawnSums = make([][]float64, len(numbers))
		for i := range m.drawnSums {
			m.drawnSums[i] = make([]float64, len(weights))
		}
	}
	if m.items == 0 || m.last != cluster {
		m.clusters++
		m.last = cluster
	}
	m.items++
	for r, w := range weights {
		m.drawnItems[r] += w
	}
	for i, x := range numbers {
		m.sums[i] += x
		sums := m.drawnSums[i]
		for r, w := range weights {
			sums[r] += float64(w * x) // rounded, so that all processors give the same
		}
	}
}

// Items is the number of items.
func (m *Means) Items() int { return m.items }

// Samples returns the means of the number at place i in all resamples, NaN in a resample without
// an item.
func (m *Means) Samples(i int) []float64 {
	samples := make([]float64, len(m.drawnItems))
	for r, n := range m.drawnItems {
		samples[r] = m.drawnSums[i][r] / n
	}
	return samples
}

// Estimates returns the mean of each number; none without an item.
func (m *Means) Estimates() []Estimate {
	out := make([]Estimate, len(m.sums))
	for i, sum := range m.sums {
		out[i] = MeanOf(sum/float64(m.items), "")
		out[i].SetInterval(m.Samples(i), m.clusters)
	}
	return out
}
