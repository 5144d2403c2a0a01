package agreement

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/montanaflynn/stats"
)

// These say why a statistic has no value. They are wrapped with the details;
// compare with errors.Is.
var (
	// ErrLength: the two vectors have different lengths.
	ErrLength = errors.New("lengths differ")
	// ErrTooFew: fewer than two observations.
	ErrTooFew = errors.New("fewer than two observations")
	// ErrNaN: one of the numbers is not a number.
	ErrNaN = errors.New("not a number")
	// ErrConstant: all values on one side are the same, so that they order
	// nothing.
	ErrConstant = errors.New("all values are tied")
	// ErrOneClass: there are only positive or only negative labels.
	ErrOneClass = errors.New("only one class")
)

// checkPairs returns why no rank correlation of x and y is defined, nil when one
// is.
func checkPairs(x, y []float64) error {
	if len(x) != len(y) {
		return fmt.Errorf("%w: %d and %d", ErrLength, len(x), len(y))
	}
	if len(x) < 2 {
		return fmt.Errorf("%w: %d", ErrTooFew, len(x))
	}
	for side, v := range [][]float64{x, y} {
		if i := slices.IndexFunc(v, math.IsNaN); i >= 0 {
			return fmt.Errorf("%w: observation %d of the %s vector", ErrNaN, i+1, ordinal[side])
		}
		if !varies(v) {
			return fmt.Errorf("%w: the %s vector is %g throughout", ErrConstant, ordinal[side], v[0])
		}
	}
	return nil
}

var ordinal = [2]string{"first", "second"}

// varies reports whether v holds two different values.
func varies(v []float64) bool {
	return slices.ContainsFunc(v, func(f float64) bool { return f != v[0] })
}

// Spearman returns Spearman's rank correlation ρ of x and y in [-1, 1]: Pearson's
// correlation of the ranks, where ties share the mean of their ranks. Equal to
// scipy.stats.spearmanr. The order of observations does not matter. Where ρ is
// undefined the error says why: ErrLength, ErrTooFew, ErrNaN, ErrConstant.
func Spearman(x, y []float64) (float64, error) {
	if err := checkPairs(x, y); err != nil {
		return 0, fmt.Errorf("Spearman is undefined: %w", err)
	}
	rho, err := stats.Spearman(x, y)
	if err != nil {
		return 0, fmt.Errorf("Spearman is undefined: %w", err)
	}
	return min(1, max(-1, rho)), nil // rounding may lead outside
}

// KendallTauB returns Kendall's rank correlation τ-b of x and y in [-1, 1], which
// corrects for ties on both sides. Equal to scipy.stats.kendalltau. Errors as
// Spearman's.
//
// It counts discordant pairs as exchanges of a merge sort (Knight 1966), in
// O(n log n): the plain comparison of all pairs that package stats has takes a
// second for 20,000 reviews, and hours once it is bootstrapped.
func KendallTauB(x, y []float64) (float64, error) {
	if err := checkPairs(x, y); err != nil {
		return 0, fmt.Errorf("KendallTauB is undefined: %w", err)
	}
	type pair struct{ x, y float64 }
	pairs := make([]pair, len(x))
	for i := range x {
		pairs[i] = pair{x[i], y[i]}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y))
	})
	tiedX := tiedPairs(pairs, func(a, b pair) bool { return a.x == b.x })
	tiedBoth := tiedPairs(pairs, func(a, b pair) bool { return a == b })
	sorted := make([]float64, len(pairs))
	for i, p := range pairs {
		sorted[i] = p.y
	}
	discordant := exchanges(sorted, make([]float64, len(sorted)))
	tiedY := tiedPairs(sorted, func(a, b float64) bool { return a == b })

	n := int64(len(pairs))
	all := n * (n - 1) / 2
	difference := all - tiedX - tiedY + tiedBoth - 2*discordant // concordant - discordant
	tau := float64(difference) / math.Sqrt(float64(all-tiedX)) / math.Sqrt(float64(all-tiedY))
	return min(1, max(-1, tau)), nil
}

// tiedPairs counts the pairs of equal elements of a sorted slice.
func tiedPairs[T any](sorted []T, equal func(a, b T) bool) int64 {
	var count, run int64
	for i := 1; i < len(sorted); i++ {
		if run++; !equal(sorted[i-1], sorted[i]) {
			run = 0
		}
		count += run
	}
	return count
}

// exchanges sorts v and returns the number of pairs that stood in the wrong
// order. scratch is as long as v.
func exchanges(v, scratch []float64) int64 {
	if len(v) < 2 {
		return 0
	}
	half := len(v) / 2
	count := exchanges(v[:half], scratch[:half]) + exchanges(v[half:], scratch[half:])
	left, right, out := v[:half], v[half:], scratch[:0]
	for len(left) > 0 && len(right) > 0 {
		if right[0] < left[0] {
			count += int64(len(left))
			out, right = append(out, right[0]), right[1:]
		} else {
			out, left = append(out, left[0]), left[1:]
		}
	}
	out = append(append(out, left...), right...)
	copy(v, out)
	return count
}

// ROCAUC returns the area under the ROC curve in [0, 1]: the probability that a
// positive observation scores higher than a negative one, where a tie counts one
// half. 0.5 is chance. It equals the Mann-Whitney U of the positive scores over
// the number of pairs. Errors: ErrLength, ErrNaN, and ErrOneClass without
// positive or without negative labels.
func ROCAUC(scores []float64, labels []bool) (float64, error) {
	if len(scores) != len(labels) {
		return 0, fmt.Errorf("ROCAUC is undefined: %w: %d scores and %d labels", ErrLength, len(scores), len(labels))
	}
	if i := slices.IndexFunc(scores, math.IsNaN); i >= 0 {
		return 0, fmt.Errorf("ROCAUC is undefined: %w: score %d", ErrNaN, i+1)
	}
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	var positives, negatives, doubled int64 // doubled: twice the pairs won, so that ties stay whole
	for i := 0; i < len(order); {
		var p, n int64
		for value := scores[order[i]]; i < len(order) && scores[order[i]] == value; i++ {
			if labels[order[i]] {
				p++
			} else {
				n++
			}
		}
		doubled += p * (2*negatives + n)
		positives, negatives = positives+p, negatives+n
	}
	if positives == 0 || negatives == 0 {
		return 0, fmt.Errorf("ROCAUC is undefined: %w: %d positive and %d negative labels", ErrOneClass, positives, negatives)
	}
	return float64(doubled) / 2 / (float64(positives) * float64(negatives)), nil
}
