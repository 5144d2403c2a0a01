package figures

// Lines are curves over a common horizontal axis, such as scores over τ.
type Lines struct {
	Title, Note string
	X, Y        Axis
	// At are the places on the horizontal axis, ascending.
	At      []float64
	Series  []Series
	Markers []Marker
}

// Series is a curve. Its slices have a value for each place in [Lines].At; where
// one is NaN, or the slice has ended, the curve has a gap.
type Series struct {
	Name string
	Y    []float64
	// Low and High bound a band around the curve; nil for a curve without one.
	Low, High []float64
	// Dots asks for points, with their intervals as bars, that no line joins: for
	// what was observed, beside a curve that was fitted.
	Dots bool
}
