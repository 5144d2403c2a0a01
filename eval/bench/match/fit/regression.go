package main

import (
	"math"

	"crscore/eval/bench/match"
)

// fit is a logistic regression with a penalty of squared weights, by Newton's method. Features are
// standardised. The penalty grows with the weight of the samples, so that l2 does not depend on
// their number. Weights are rounded to 1e-6.
func fit(samples []sample) match.Weights {
	z, y, importance, w := standardise(samples)
	d := len(w.Features)
	var total float64
	for _, v := range importance {
		total += v
	}
	beta := make([]float64, d+1) // the last is the bias
	for range 25 {
		h := make([][]float64, d+1) // the Hessian, and the gradient in the last column
		for a := range h {
			h[a] = make([]float64, d+2)
		}
		for i, row := range z {
			var logit float64
			for a, v := range row {
				logit += beta[a] * v
			}
			p := 1 / (1 + math.Exp(-logit))
			residual, curve := importance[i]*(y[i]-p), importance[i]*p*(1-p)+1e-9
			for a, v := range row {
				h[a][d+1] += residual * v
				for b := range a + 1 {
					h[a][b] += curve * v * row[b]
				}
			}
		}
		for a := range h {
			for b := range a {
				h[b][a] = h[a][b]
			}
		}
		penalty := l2 * total / 10
		for a := range d {
			h[a][a] += penalty
			h[a][d+1] -= penalty * beta[a]
		}
		largest := 0.0
		for a, step := range solve(h) {
			beta[a] += step
			largest = max(largest, math.Abs(step))
		}
		if largest < 1e-6 {
			break
		}
	}
	for a := range w.Features {
		w.Features[a].Weight = rounded(beta[a])
	}
	w.Bias = rounded(beta[d])
	return w
}

func rounded(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// standardise returns rows of features with mean 0 and deviation 1 and a last column of ones, the
// labels and what each row weighs, of the samples with a label.
func standardise(samples []sample) (z [][]float64, y, importance []float64, w match.Weights) {
	for _, name := range match.FeatureNames() {
		w.Features = append(w.Features, match.Feature{Name: name})
	}
	var total float64
	for _, s := range samples {
		if !s.known {
			continue
		}
		weight, label := 1.0, 0.0
		if s.neighbor {
			weight = neighbourWeight
		}
		if s.same {
			label = 1
		}
		z, y, importance = append(z, append(append([]float64{}, s.x...), 1)), append(y, label), append(importance, weight)
		total += weight
	}
	for a := range w.Features {
		f := &w.Features[a]
		for i, row := range z {
			f.Mean += importance[i] * row[a] / total
		}
		for i, row := range z {
			f.Scale += importance[i] * (row[a] - f.Mean) * (row[a] - f.Mean) / total
		}
		f.Mean, f.Scale = rounded(f.Mean), max(rounded(math.Sqrt(f.Scale)), 1e-6)
		for _, row := range z {
			row[a] = (row[a] - f.Mean) / f.Scale
		}
	}
	return z, y, importance, w
}

// solve is Gauss and Jordan's elimination with pivots, of a matrix whose last column is the right
// side. The penalty keeps the matrix regular.
func solve(h [][]float64) []float64 {
	n := len(h)
	for i := range n {
		pivot := i
		for r := i + 1; r < n; r++ {
			if math.Abs(h[r][i]) > math.Abs(h[pivot][i]) {
				pivot = r
			}
		}
		h[i], h[pivot] = h[pivot], h[i]
		for r := range n {
			if r == i {
				continue
			}
			f := h[r][i] / h[i][i]
			for k := i; k <= n; k++ {
				h[r][k] -= f * h[i][k]
			}
		}
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = h[i][n] / h[i][i]
	}
	return out
}
