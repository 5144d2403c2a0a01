package refmetrics

import (
	"context"
	"math"
	"unicode/utf8"
)

// lengthInfo is the control: the number of characters of the review, whatever the
// reference says. A metric that does not beat it has shown little.
func lengthInfo() Info {
	return Info{
		Name: "length", About: "the number of characters, a control", Source: "code points of the hypothesis",
		Max: math.Inf(1), Control: true,
		build: func(*options, Needs) (Metric, error) { return length{}, nil },
	}
}

type length struct{}

func (length) Score(_ context.Context, hypothesis string, _ []string) (float64, error) {
	return float64(utf8.RuneCountInString(hypothesis)), nil
}
