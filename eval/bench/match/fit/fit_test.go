package main

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"crscore/eval/bench/match"
)

// drawn are samples whose first feature tells pairs apart, and whose others are noise.
func drawn() (out []sample) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 600 {
		s := sample{pull: strconv.Itoa(i / 10), known: i%7 > 0, same: i%3 == 0}
		if i >= 400 {
			s = sample{pull: "n" + strconv.Itoa(i/10), known: true, neighbor: true}
		}
		for range match.FeatureNames() {
			s.x = append(s.x, random.NormFloat64())
		}
		if s.same {
			s.x[0] += 3
		}
		out = append(out, s)
	}
	return out
}

// TestFit: the gradient of the penalised likelihood is 0 at the weights, and the feature that
// matters has the largest.
func TestFit(t *testing.T) {
	samples := drawn()
	w := fit(samples)
	gradient, total := make([]float64, len(w.Features)+1), 0.0
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
		total += weight
		residual := weight * (label - w.Score(s.x))
		for a, f := range w.Features {
			gradient[a] += residual * (s.x[a] - f.Mean) / f.Scale
		}
		gradient[len(w.Features)] += residual
	}
	for a, f := range w.Features {
		if g := gradient[a] - l2*total/10*f.Weight; math.Abs(g) > 0.01 {
			t.Errorf("%s: the gradient is %v", f.Name, g)
		}
		if a > 0 && math.Abs(f.Weight) >= w.Features[0].Weight {
			t.Errorf("%s, which is noise, has the weight %v", f.Name, f.Weight)
		}
	}
	if g := gradient[len(w.Features)]; math.Abs(g) > 0.01 {
		t.Errorf("bias: the gradient is %v", g)
	}
}

// TestThreshold: theta keeps its promise, and a step lower does not.
func TestThreshold(t *testing.T) {
	samples := drawn()
	held := holdOut(samples, foldOf(samples, 1))
	theta := placed(held, samples)
	if got := wrong(held, samples, theta); got > wrongRate {
		t.Errorf("%v of the neighbours at theta %v", got, theta)
	}
	if got := wrong(held, samples, theta-0.001); got <= wrongRate {
		t.Errorf("%v of the neighbours a step below theta %v", got, theta)
	}
}
