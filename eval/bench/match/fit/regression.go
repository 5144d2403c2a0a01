package main

import (
	"crscore/eval/bench/match"
	"crscore/eval/logistic"
)

// fit fits the weights to the samples with a label. The penalty grows with the weight of the
// samples, so that l2 does not depend on their number.
func fit(samples []sample) (w match.Weights) {
	var known []logistic.Sample
	var total float64
	for _, s := range samples {
		if !s.known {
			continue
		}
		one := logistic.Sample{X: s.x, Weight: 1}
		if s.neighbor {
			one.Weight = neighbourWeight
		}
		if s.same {
			one.Y = 1
		}
		known = append(known, one)
		total += one.Weight
	}
	m := logistic.Fit(known, l2*total/10)
	w.Bias = m.Bias
	for a, name := range match.FeatureNames() {
		f := m.Features[a]
		w.Features = append(w.Features, match.Feature{Name: name, Mean: f.Mean, Scale: f.Scale, Weight: f.Weight})
	}
	return w
}
