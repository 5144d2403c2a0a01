package viewer

import (
	"math"

	"crscore/internal/dataset"
)

// bins is the number of bars of a histogram.
const bins = 20

// System is a column of the table, with the distribution of its values over the changes that
// the filter keeps.
type System struct {
	// Name is the system's id in addresses. Human says that it is the human reference.
	Name  string `json:"name"`
	Human bool   `json:"human,omitempty"`
	// Reviews are numbers of the system's reviews: scored, unscored, without a row, and those
	// whose similarities were not kept.
	Reviews  int `json:"reviews"`
	Scored   int `json:"scored"`
	Unscored int `json:"unscored"`
	NoRow    int `json:"no_row,omitempty"`
	NotKept  int `json:"not_kept,omitempty"`
	// Values is the number of reviews that have the measure, and Mean their mean; nil for none.
	Values int      `json:"values"`
	Mean   *float64 `json:"mean"`
	// Bins are numbers of reviews, from Low to High of the answer.
	Bins []int `json:"bins"`
}

// distributions are the distributions of all systems, and the ends of the histograms.
func (x *index) distributions(l *listing) (systems []System, low, high float64) {
	low, high = x.ends(l)
	systems = make([]System, len(x.systems.names))
	sums := make([]float64, len(systems))
	for i, name := range x.systems.names {
		systems[i] = System{Name: name, Human: name == dataset.HumanReference, Bins: make([]int, bins)}
	}
	for _, n := range l.order {
		c := &x.changes[n]
		for i := c.first; i < c.behind; i++ {
			at := x.reviews[i].system
			s := &systems[at]
			s.Reviews++
			switch l.scores.states[i] {
			case scored:
				s.Scored++
			case unscored:
				s.Unscored++
			case noRow:
				s.NoRow++
			case notKept:
				s.NotKept++
			}
			v := l.values[i]
			if math.IsNaN(v) {
				continue
			}
			s.Values++
			sums[at] += v
			s.Bins[bin(v, low, high)]++
		}
	}
	for i := range systems {
		if s := &systems[i]; s.Values > 0 {
			s.Mean = new(sums[i] / float64(s.Values))
		}
	}
	return systems, low, high
}

// ends are the ends of the scale of a measure: those of all reviews for other metrics.
func (x *index) ends(l *listing) (low, high float64) {
	switch l.query.measure.kind {
	case 's':
		return 0, 1
	case 'h':
		return 1, 5
	}
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range l.values {
		if !math.IsNaN(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	if low > high {
		return 0, 1
	}
	if low == high {
		return low, low + 1
	}
	return low, high
}

func bin(v, low, high float64) int {
	return min(max(int((v-low)/(high-low)*bins), 0), bins-1)
}
