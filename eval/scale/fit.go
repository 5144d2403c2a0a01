package main

import (
	"fmt"
	"math"
)

// exponent is b in y = a·x^b, with an interval of 95%.
type exponent struct{ value, low, high float64 }

// String returns the exponent with its interval.
func (e exponent) String() string {
	if math.IsInf(e.high, 1) {
		return fmt.Sprintf("%.3f", e.value)
	}
	return fmt.Sprintf("%.3f (95%% interval %.3f to %.3f)", e.value, e.low, e.high)
}

// fit fits a straight line to the logarithms by least squares. Two points give no interval,
// fewer give no line.
func fit(x, y []float64) (exponent, bool) {
	n := len(x)
	if n < 2 {
		return exponent{}, false
	}
	var mx, my float64
	for i := range x {
		mx += math.Log(x[i]) / float64(n)
		my += math.Log(y[i]) / float64(n)
	}
	var xx, xy float64
	for i := range x {
		dx := math.Log(x[i]) - mx
		xx += dx * dx
		xy += dx * (math.Log(y[i]) - my)
	}
	if xx == 0 {
		return exponent{}, false
	}
	b, rest := xy/xx, 0.0
	for i := range x {
		r := math.Log(y[i]) - my - b*(math.Log(x[i])-mx)
		rest += r * r
	}
	half := math.Inf(1)
	if n > 2 {
		half = student(n-2) * math.Sqrt(rest/float64(n-2)/xx)
	}
	return exponent{b, b - half, b + half}, true
}

// student is the 97.5th percentile of Student's t distribution; it approaches 1.96.
func student(freedom int) float64 {
	table := []float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228}
	if freedom <= len(table) {
		return table[freedom-1]
	}
	return 2.228 // of 10: a little too wide
}
