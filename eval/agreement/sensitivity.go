package agreement

import (
	"context"
	"fmt"
	"math"

	"crscore/eval/resample"
)

// Sensitivity is the metric's mean at each human label. It shows how far the metric moves
// when people go from 1 to 5, which a rank correlation does not show.
type Sensitivity struct {
	ByDimension[[5]LabelMean]
	// LeftOut has the reviews that no mean contains.
	LeftOut LeftOut `json:"left_out"`
}

// LabelMean is the metric's mean over the reviews with one label.
type LabelMean struct {
	// Label is from 1 to 5.
	Label int `json:"label"`
	// Reviews is the number of reviews with this label.
	Reviews int `json:"reviews"`
	// Mean is their mean score.
	Mean Estimate `json:"mean"`
}

// MeasureSensitivity computes the means. Fractional labels (means of several
// annotators) count for the nearest whole one, halves for the higher. Rows may be
// in any order; errors are those of Study.
func MeasureSensitivity(ctx context.Context, rows []Row, o Options) (Sensitivity, error) {
	used, left, err := choose(rows, o.Unscored)
	if err != nil {
		return Sensitivity{}, err
	}
	s := Sensitivity{LeftOut: left}
	cluster, changes := resample.Clusters(used, func(r Row) string { return r.Change })
	compute := func() func(drawn []int32, out []float64) {
		return func(drawn []int32, out []float64) {
			var weights [15]float64
			clear(out)
			for i, row := range used {
				w := float64(drawn[cluster[i]])
				for d := range dimensions {
					at := 5*d + NearestLabel(dimensions[d].of(*row.Human)) - 1
					weights[at] += w
					out[at] += w * dimensions[d].of(*row.Metric)
				}
			}
			for i := range out {
				out[i] /= weights[i] // NaN for a label that no draw hit
			}
		}
	}
	all := s.ByDimension.all()
	for d, labels := range all {
		for _, row := range used {
			labels[NearestLabel(dimensions[d].of(*row.Human))-1].Reviews++
		}
	}
	means, err := o.Estimates(ctx, changes, 15, compute, func(i int) string {
		if all[i/5][i%5].Reviews == 0 {
			return "no review has this label"
		}
		return lacked(used, i/5)
	})
	if err != nil {
		return Sensitivity{}, fmt.Errorf("agreement: %w", err)
	}
	for i, mean := range means {
		l := &all[i/5][i%5]
		l.Label, l.Mean = i%5+1, mean
	}
	return s, nil
}

// NearestLabel rounds a label between 1 and 5, halves up.
func NearestLabel(label float64) int { return int(math.Floor(label + 0.5)) }
