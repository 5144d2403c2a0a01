package logistic

import (
	"math"
	"testing"
)

// TestFit finds the odds of a table that a person can work out.
func TestFit(t *testing.T) {
	var samples []Sample
	for _, s := range []struct{ x, y, weight float64 }{{0, 1, 1}, {0, 0, 3}, {1, 1, 3}, {1, 0, 1}} {
		samples = append(samples, Sample{X: []float64{s.x}, Y: s.y, Weight: s.weight})
	}
	m := Fit(samples, 1e-9)
	f := m.Features[0]
	at := func(x float64) float64 { return m.Bias + f.Weight*(x-f.Mean)/f.Scale }
	for x, want := range map[float64]float64{0: -math.Log(3), 1: math.Log(3)} {
		if got := at(x); math.Abs(got-want) > 1e-5 {
			t.Errorf("the log-odds at %v are %v, not %v", x, got, want)
		}
	}
	if small := Fit(samples, 10).Features[0].Weight; small <= 0 || small >= f.Weight/2 {
		t.Errorf("a penalty leaves the weight at %v of %v", small, f.Weight)
	}
}

// TestConstant: a feature that is always the same has no weight.
func TestConstant(t *testing.T) {
	m := Fit([]Sample{{X: []float64{2}, Y: 1, Weight: 1}, {X: []float64{2}, Y: 0, Weight: 1}}, 1)
	if f := m.Features[0]; f.Weight != 0 || m.Bias != 0 {
		t.Errorf("%+v", m)
	}
}
