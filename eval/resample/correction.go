package resample

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Correction is a method to correct several p-values.
type Correction string

const (
	// Holm bounds the chance of any false difference among all that are tested (Holm
	// 1979), whatever their dependence.
	Holm Correction = "holm"
	// BH bounds the expected share of false differences among those that are found
	// (Benjamini and Hochberg 1995).
	BH Correction = "bh"
	// Uncorrected leaves p-values as they are.
	Uncorrected Correction = "none"
)

// Corrections lists the corrections.
func Corrections() []string { return []string{string(Holm), string(BH), string(Uncorrected)} }

// Adjust returns adjusted p-values, to compare with the level of a single test. NaN is a test
// without a p-value; it is ignored. The order does not matter, and equal p-values have equal
// results.
func (c Correction) Adjust(p []float64) ([]float64, error) {
	if !slices.Contains(Corrections(), string(c)) {
		return nil, fmt.Errorf("unknown correction %q: choose %s", string(c), strings.Join(Corrections(), ", "))
	}
	out := slices.Clone(p)
	if c == Uncorrected {
		return out, nil
	}
	var order []int
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	m := len(order)
	if c == Holm {
		least := 0.0 // of the next smaller p-value
		for rank, i := range order {
			least = max(least, min(1, float64(m-rank)*p[i]))
			out[i] = least
		}
		return out, nil
	}
	most := 1.0 // of the next larger p-value
	for rank := m - 1; rank >= 0; rank-- {
		i := order[rank]
		most = min(most, p[i]*float64(m)/float64(rank+1))
		out[i] = most
	}
	return out, nil
}
