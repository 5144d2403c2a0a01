package agreement

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// This file measures how far raters agree with each other. A table of ratings has a row for
// each item and a column for each rater; NaN is a rating that is missing.

// ICCs are intraclass correlations of n items that each of k raters rated (Shrout and Fleiss
// 1979). 1 is full agreement; noise can be below 0.
type ICCs struct {
	// Agreement1 is ICC(2,1): how well one rater's value stands for any other's.
	Agreement1 float64
	// Consistency1 is ICC(3,1): the same, with each rater's own level left out.
	Consistency1 float64
	// AgreementK is ICC(2,k): how well the mean of these k raters stands for other k raters' mean.
	AgreementK float64
	// ConsistencyK is ICC(3,k): the same, with each rater's own level left out; Cronbach's α.
	ConsistencyK float64
}

// ICC returns the intraclass correlations of a table. The errors are ErrTooFew (two items and
// two raters are the least), ErrNaN for a missing rating, and ErrConstant.
func ICC(table [][]float64) (ICCs, error) {
	n := len(table)
	if n < 2 || len(table[0]) < 2 {
		return ICCs{}, fmt.Errorf("the intraclass correlation: %w: it needs two items and two raters", ErrTooFew)
	}
	k := len(table[0])
	rows, columns, mean := make([]float64, n), make([]float64, k), 0.0
	for i, row := range table {
		if len(row) != k {
			return ICCs{}, fmt.Errorf("the intraclass correlation: %w: item %d has %d ratings and item 1 has %d", ErrLength, i+1, len(row), k)
		}
		for j, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return ICCs{}, fmt.Errorf("the intraclass correlation: %w: item %d, rater %d", ErrNaN, i+1, j+1)
			}
			rows[i] += v / float64(k)
			columns[j] += v / float64(n)
			mean += v / float64(n*k)
		}
	}
	var between, raters, residual float64 // sums of squares
	for i, row := range table {
		between += float64(k) * square(rows[i]-mean)
		for j, v := range row {
			residual += square(v - rows[i] - columns[j] + mean)
		}
	}
	for _, c := range columns {
		raters += float64(n) * square(c-mean)
	}
	N, K := float64(n), float64(k)
	R, C, E := between/(N-1), raters/(K-1), residual/((N-1)*(K-1))
	const rounding = 1e-12 // of sums of squares, as shares
	if between <= rounding*max(between+raters+residual, square(mean)*N*K) {
		return ICCs{}, fmt.Errorf("the intraclass correlation: %w: all items have the same mean", ErrConstant)
	}
	return ICCs{
		Agreement1:   (R - E) / (R + (K-1)*E + K*(C-E)/N),
		Consistency1: (R - E) / (R + (K-1)*E),
		AgreementK:   (R - E) / (R + (C-E)/N),
		ConsistencyK: (R - E) / R,
	}, nil
}

func square(v float64) float64 { return v * v }

// FleissKappa returns Fleiss' κ (1971) of a table: the agreement of pairs of raters on
// categories beyond chance, 1 at most. Every item needs the same number of ratings, two at
// least: ErrTooFew, ErrLength. ErrConstant: all ratings are the same.
func FleissKappa(table [][]float64) (float64, error) {
	shares := map[float64]float64{}
	var observed float64
	for i, row := range table {
		if len(row) != len(table[0]) {
			return 0, fmt.Errorf("the κ of Fleiss: %w: item %d has %d ratings and item 1 has %d", ErrLength, i+1, len(row), len(table[0]))
		}
		if len(row) < 2 {
			return 0, fmt.Errorf("the κ of Fleiss: %w: it needs two raters", ErrTooFew)
		}
		counts := map[float64]int{}
		for j, v := range row {
			if math.IsNaN(v) {
				return 0, fmt.Errorf("the κ of Fleiss: %w: item %d, rater %d", ErrNaN, i+1, j+1)
			}
			counts[v]++
		}
		pairs := 0
		for v, c := range counts {
			pairs += c * (c - 1)
			shares[v] += float64(c)
		}
		observed += float64(pairs) / float64(len(row)*(len(row)-1))
	}
	if len(table) == 0 {
		return 0, fmt.Errorf("the κ of Fleiss: %w: there are no items", ErrTooFew)
	}
	total := float64(len(table) * len(table[0]))
	expected := 0.0
	for _, v := range slices.Sorted(maps.Keys(shares)) {
		expected += square(shares[v] / total)
	}
	if len(shares) < 2 {
		return 0, fmt.Errorf("the κ of Fleiss: %w", ErrConstant)
	}
	return (observed/float64(len(table)) - expected) / (1 - expected), nil
}

// Distance says how far apart two ratings are, for κ and α.
type Distance string

// The distances.
const (
	// Nominal ratings are the same or not.
	Nominal Distance = "nominal"
	// Ordinal ratings are as far apart as there are ratings between them. Only α has it.
	Ordinal Distance = "ordinal"
	// Interval ratings differ by the square of their difference: quadratic weights.
	Interval Distance = "interval"
)

// CohenKappa returns Cohen's κ of two raters: plain (1960) with Nominal, with quadratic
// weights (1968) with Interval. It is 1 at most. The errors are ErrLength, ErrTooFew, ErrNaN,
// and ErrConstant where both raters gave one rating throughout.
func CohenKappa(a, b []float64, d Distance) (float64, error) {
	switch {
	case len(a) != len(b):
		return 0, fmt.Errorf("the κ of Cohen: %w: %d and %d", ErrLength, len(a), len(b))
	case len(a) == 0:
		return 0, fmt.Errorf("the κ of Cohen: %w: there are no items", ErrTooFew)
	case d != Nominal && d != Interval:
		return 0, fmt.Errorf("the κ of Cohen has no distance %q", d)
	}
	left, right := map[float64]int{}, map[float64]int{}
	observed := 0.0
	for i := range a {
		if math.IsNaN(a[i]) || math.IsNaN(b[i]) {
			return 0, fmt.Errorf("the κ of Cohen: %w: item %d", ErrNaN, i+1)
		}
		left[a[i]]++
		right[b[i]]++
		observed += d.of(a[i], b[i])
	}
	if len(left) == 1 && len(right) == 1 && a[0] == b[0] {
		return 0, fmt.Errorf("the κ of Cohen: %w", ErrConstant)
	}
	// A loop over all pairs of ratings would take minutes where a rater is a score, with
	// thousands of different numbers.
	n := float64(len(a))
	expected := n * n
	if d == Interval {
		meanA, aroundA := around(left)
		meanB, aroundB := around(right)
		expected = n*(aroundA+aroundB) + square(n*(meanA-meanB))
	} else {
		for x, count := range left {
			expected -= float64(count * right[x]) // whole numbers: any order has the same sum
		}
	}
	return 1 - observed*n/expected, nil
}

// around returns the mean of counted values, and the sum of their squared distances from it.
func around(counts map[float64]int) (mean, squares float64) {
	values, n := slices.Sorted(maps.Keys(counts)), 0.0
	for _, v := range values {
		n += float64(counts[v])
		mean += (v - mean) * float64(counts[v]) / n
	}
	for _, v := range values {
		squares += float64(counts[v]) * square(v-mean)
	}
	return mean, squares
}

// of is the distance of two ratings, for all but Ordinal.
func (d Distance) of(x, y float64) float64 {
	if d == Interval {
		return square(x - y)
	}
	if x == y {
		return 0
	}
	return 1
}

// KrippendorffAlpha returns Krippendorff's α (2011) of a table in which ratings may be
// missing (NaN): 1 less the observed disagreement by the disagreement of chance. Items with
// fewer than two ratings do not count. The errors are ErrTooFew and ErrConstant.
func KrippendorffAlpha(table [][]float64, d Distance) (float64, error) {
	counts := map[float64]int{} // of ratings that can be paired
	var units [][]float64
	for _, row := range table {
		unit := slices.DeleteFunc(slices.Clone(row), math.IsNaN)
		if len(unit) < 2 {
			continue
		}
		units = append(units, unit)
		for _, v := range unit {
			counts[v]++
		}
	}
	if len(units) == 0 {
		return 0, fmt.Errorf("the α of Krippendorff: %w: no item has two ratings", ErrTooFew)
	}
	if len(counts) < 2 {
		return 0, fmt.Errorf("the α of Krippendorff: %w", ErrConstant)
	}
	if d == Ordinal {
		units, counts = places(units, counts)
		d = Interval
	}
	var observed, n float64
	for _, unit := range units {
		n += float64(len(unit))
		sum := 0.0
		for i, x := range unit {
			for _, y := range unit[i+1:] {
				sum += 2 * d.of(x, y)
			}
		}
		observed += sum / float64(len(unit)-1)
	}
	expected := n * n
	if d == Interval {
		_, squares := around(counts)
		expected = 2 * n * squares
	} else {
		for _, count := range counts {
			expected -= square(float64(count)) // whole numbers: any order has the same sum
		}
	}
	return 1 - (n-1)*observed/expected, nil
}

// places replaces ratings by their places among all: the ratings below, and half of the equal
// ones. The ordinal distance of ratings is the interval distance of their places.
func places(units [][]float64, counts map[float64]int) ([][]float64, map[float64]int) {
	place, counted := map[float64]float64{}, map[float64]int{}
	below := 0
	for _, v := range slices.Sorted(maps.Keys(counts)) {
		place[v] = float64(below) + float64(counts[v])/2
		counted[place[v]] = counts[v]
		below += counts[v]
	}
	for _, unit := range units { // copies
		for i, v := range unit {
			unit[i] = place[v]
		}
	}
	return units, counted
}

// KolmogorovSmirnov returns the largest distance of the empirical distributions of two
// samples, from 0 to 1: D of the two-sample test. ErrTooFew: a sample is empty.
func KolmogorovSmirnov(a, b []float64) (float64, error) {
	if len(a) == 0 || len(b) == 0 {
		return 0, fmt.Errorf("the Kolmogorov-Smirnov distance: %w: a sample is empty", ErrTooFew)
	}
	if slices.ContainsFunc(a, math.IsNaN) || slices.ContainsFunc(b, math.IsNaN) {
		return 0, fmt.Errorf("the Kolmogorov-Smirnov distance: %w", ErrNaN)
	}
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	largest := 0.0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		v := min(a[i], b[j])
		for i < len(a) && a[i] == v {
			i++
		}
		for j < len(b) && b[j] == v {
			j++
		}
		largest = max(largest, math.Abs(float64(i)/float64(len(a))-float64(j)/float64(len(b))))
	}
	return largest, nil
}
