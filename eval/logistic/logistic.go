// Package logistic fits a logistic regression with a penalty, for the studies that learn
// weights. It knows no texts and no scores.
package logistic

import "math"

// Sample is an observation.
type Sample struct {
	// X are the features, as many as those of all other samples.
	X []float64
	// Y is the label, a probability in [0,1].
	Y float64
	// Weight is the weight of the sample, above 0.
	Weight float64
}

// Feature is a feature of a fitted model.
type Feature struct {
	// Mean and Scale are the weighted mean and standard deviation in the samples.
	Mean, Scale float64
	// Weight is the change of the log-odds by one standard deviation.
	Weight float64
}

// Model is a fitted regression: log-odds = Bias + Σ Weight · (x - Mean) / Scale.
type Model struct {
	// Features has an entry a feature.
	Features []Feature
	// Bias are the log-odds of a sample at the means.
	Bias float64
}

// Fit maximises the likelihood less penalty/2 times the squared weights, by Newton's method.
// Numbers are rounded to 1e-6, so that they do not depend on the order of a sum on another
// processor. penalty is above 0.
func Fit(samples []Sample, penalty float64) Model {
	z, m := standardise(samples)
	d := len(m.Features)
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
			residual, curve := samples[i].Weight*(samples[i].Y-p), samples[i].Weight*p*(1-p)+1e-9
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
	for a := range m.Features {
		m.Features[a].Weight = Rounded(beta[a])
	}
	m.Bias = Rounded(beta[d])
	return m
}

// Rounded rounds to 1e-6.
func Rounded(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// standardise returns rows of features with mean 0 and deviation 1 and a last column of ones.
func standardise(samples []Sample) (z [][]float64, m Model) {
	var total float64
	for _, s := range samples {
		z = append(z, append(append([]float64{}, s.X...), 1))
		total += s.Weight
	}
	if len(samples) > 0 {
		m.Features = make([]Feature, len(samples[0].X))
	}
	for a := range m.Features {
		f := &m.Features[a]
		for i, row := range z {
			f.Mean += samples[i].Weight * row[a] / total
		}
		for i, row := range z {
			f.Scale += samples[i].Weight * (row[a] - f.Mean) * (row[a] - f.Mean) / total
		}
		f.Mean, f.Scale = Rounded(f.Mean), max(Rounded(math.Sqrt(f.Scale)), 1e-6)
		for _, row := range z {
			row[a] = (row[a] - f.Mean) / f.Scale
		}
	}
	return z, m
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
