package figures

// Boxes compare the values of groups: median, quartiles, the farthest values
// within one and a half box lengths, the mean, and the values themselves as points.
type Boxes struct {
	Title, Note string
	X           string // what the groups are, such as "human label"
	Y           Axis
	Groups      []Box
}

// Box is a group of values. Low and High are an interval for their mean, drawn
// where Low < High.
type Box struct {
	Sample
	Low, High float64
}
