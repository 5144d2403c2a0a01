package figures

// Histogram counts the values of one or several groups in the same bins.
type Histogram struct {
	Title, Note string
	X           Axis
	Bins        int // 0 means 20
	Groups      []Sample
	// Counts asks for numbers of values, where the default is each group's shares:
	// groups are rarely of the same size.
	Counts  bool
	Markers []Marker
}

// Sample is a group of values. Those that are not finite are counted and left out.
type Sample struct {
	Name   string
	Values []float64
}
