package agreement

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"crscore/eval/resample"
)

// Ranking tells how well the metric's order of the systems agrees with the
// people's order: the correlation of the systems' mean scores with their mean labels,
// as in the paper's Table 2.
type Ranking struct {
	// Systems are sorted by name.
	Systems []System `json:"systems"`
	ByDimension[Coefficients]
	// LeftOut has the reviews that no mean contains.
	LeftOut LeftOut `json:"left_out"`
}

// System is one system's means. With LeaveOut, both are over the reviews that
// the metric scored.
type System struct {
	// Name is the id of the system's reviews.
	Name string `json:"name"`
	// Reviews is the number of reviews behind the means.
	Reviews int `json:"reviews"`
	// Means has the mean score and the mean label of each dimension.
	Means ByDimension[MeanPair] `json:"means"`
}

// MeanPair are the means of the metric's scores and of the human labels (1 to 5).
type MeanPair struct {
	// Metric is the mean score.
	Metric Estimate `json:"metric"`
	// Human is the mean label.
	Human Estimate `json:"human"`
}

// Rank compares the order of the systems. Rows may be in any order; errors are
// those of Study. With fewer than three systems the correlations are undefined,
// not the means: two are always in one order or the other. With more than there is
// memory for, as where each review has a name of its own, there are no means either.
func Rank(ctx context.Context, rows []Row, o Options) (Ranking, error) {
	used, left, err := choose(rows, o.Unscored)
	if err != nil {
		return Ranking{}, err
	}
	r := Ranking{LeftOut: left}
	cluster, changes := resample.Clusters(used, func(r Row) string { return r.Change })
	reviews := make(map[string]int)
	for _, row := range used {
		reviews[row.Review]++
	}
	number := make(map[string]int)
	for _, name := range slices.Sorted(maps.Keys(reviews)) {
		number[name] = len(r.Systems)
		r.Systems = append(r.Systems, System{Name: name, Reviews: reviews[name]})
	}
	system := make([]int, len(used))
	for i, row := range used {
		system[i] = number[row.Review]
	}

	// The values of a draw: the systems' means of metric and human by dimension,
	// then the coefficients.
	systems := len(r.Systems)
	coefficients := 6 * systems
	compute := func() func(drawn []int32, out []float64) {
		weights := make([]float64, systems)
		return func(drawn []int32, out []float64) {
			clear(out)
			clear(weights)
			for i, row := range used {
				w := 1.0
				if drawn != nil {
					w = float64(drawn[cluster[i]])
				}
				weights[system[i]] += w
				for d := range dimensions {
					out[2*d*systems+system[i]] += w * dimensions[d].of(*row.Metric)
					out[(2*d+1)*systems+system[i]] += w * dimensions[d].of(*row.Human)
				}
			}
			for i := range coefficients {
				out[i] /= weights[i%systems] // NaN for a system that no draw hit
			}
			for d := range dimensions {
				metric, human := out[2*d*systems:][:systems], out[(2*d+1)*systems:][:systems]
				c := coefficientsOf(metric, human)
				at := out[coefficients+3*d:]
				at[0], at[1], at[2] = c.spearman, c.kendall, c.pearson
			}
		}
	}
	observed := make([]float64, coefficients+9)
	compute()(nil, observed)
	samples, err := o.Draw(ctx, changes, len(observed), compute)
	if errors.Is(err, resample.ErrTooMany) {
		r.Systems = nil
		for _, c := range r.ByDimension.all() {
			*c = noCoefficients(fmt.Sprintf("systems: %d: %v", systems, err))
		}
		return r, nil
	}
	if err != nil {
		return Ranking{}, fmt.Errorf("agreement: %w", err)
	}
	for d, c := range r.ByDimension.all() {
		for i := range r.Systems {
			means := r.Systems[i].Means.all()[d]
			means.Metric = resample.MeanOf(observed[2*d*systems+i], lacked(used, d))
			means.Metric.SetInterval(samples[2*d*systems+i], changes)
			means.Human = resample.MeanOf(observed[(2*d+1)*systems+i], "")
			means.Human.SetInterval(samples[(2*d+1)*systems+i], changes)
		}
		if why := lacked(used, d); why != "" {
			*c = noCoefficients(why)
			continue
		}
		if systems < 3 {
			*c = noCoefficients(fmt.Sprintf("systems: %d, need at least 3", systems))
			continue
		}
		metric, human := observed[2*d*systems:][:systems], observed[(2*d+1)*systems:][:systems]
		if slices.ContainsFunc(metric, notFinite) {
			*c = noCoefficients("a mean is undefined")
			continue
		}
		*c = newPairs(metric, human, nil).estimates()
		for k, e := range c.all() {
			e.SetInterval(samples[coefficients+3*d+k], changes)
		}
	}
	return r, nil
}

// coefficientsOf correlates two vectors; all NaN where one has no number.
func coefficientsOf(x, y []float64) coefficients {
	if slices.ContainsFunc(x, notFinite) || slices.ContainsFunc(y, notFinite) {
		return noneDefined
	}
	p := newPairs(x, y, nil)
	return p.correlate(nil, p.scratch())
}
