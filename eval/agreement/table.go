package agreement

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"crscore/eval/resample"
	"crscore/internal/spelling"
)

// Options say how the numbers are computed.
type Options struct {
	Bootstrap
	// Unscored tells how to treat reviews without a score.
	Unscored Unscored
}

// ByDimension has a value for each dimension.
type ByDimension[T any] struct {
	// Con is of conciseness.
	Con T `json:"con"`
	// Comp is of comprehensiveness.
	Comp T `json:"comp"`
	// Rel is of relevance.
	Rel T `json:"rel"`
}

// all returns the three in the order of dimensions.
func (d *ByDimension[T]) all() [3]*T { return [3]*T{&d.Con, &d.Comp, &d.Rel} }

// Coefficients are the correlations of one dimension.
type Coefficients struct {
	// Spearman is the rank correlation ρ.
	Spearman Estimate `json:"spearman"`
	// KendallTauB is the rank correlation τ-b, which allows for ties.
	KendallTauB Estimate `json:"kendall_tau_b"`
	// Pearson is the linear correlation r.
	Pearson Estimate `json:"pearson"`
}

func (c *Coefficients) all() [3]*Estimate {
	return [3]*Estimate{&c.Spearman, &c.KendallTauB, &c.Pearson}
}

// Group is the agreement over some of the reviews.
type Group struct {
	// Name is a language or a system; empty for all reviews.
	Name string `json:"name,omitempty"`
	// Reviews is the number of reviews with scores and labels.
	Reviews int `json:"reviews"`
	// Changes is the number of changes that the reviews are of.
	Changes int `json:"changes"`
	ByDimension[Coefficients]
}

// Table is the agreement with people over all reviews, over those of each
// language, and over those of each system, sorted by name. A language or system
// with fewer than MinReviews reviews is there with its count and the reason why
// it has no numbers. Reviews of changes without a language are in no language's
// group.
type Table struct {
	// All is over all reviews.
	All Group `json:"all"`
	// Languages has a group for each language, by name.
	Languages []Group `json:"languages"`
	// Systems has a group for each system, by name.
	Systems []Group `json:"systems"`
	// LeftOut has the reviews that no group contains.
	LeftOut LeftOut `json:"left_out"`
}

// Tabulate computes the table. Rows may be in any order; errors are those of
// Study, and of ctx and wrong options.
func Tabulate(ctx context.Context, rows []Row, o Options) (Table, error) {
	used, left, err := choose(rows, o.Unscored)
	if err != nil {
		return Table{}, err
	}
	t := Table{LeftOut: left}
	if t.All, err = o.group(ctx, "", used); err != nil {
		return Table{}, err
	}
	t.Languages, err = o.groups(ctx, used, func(r Row) string { return r.Language })
	if err != nil {
		return Table{}, err
	}
	t.Systems, err = o.groups(ctx, used, func(r Row) string { return r.Review })
	if err != nil {
		return Table{}, err
	}
	return t, nil
}

// groups makes a group of the rows of each key but the empty one.
func (o Options) groups(ctx context.Context, rows []Row, key func(Row) string) ([]Group, error) {
	byKey := make(map[string][]Row)
	for _, r := range rows {
		if k := key(r); k != "" {
			byKey[k] = append(byKey[k], r)
		}
	}
	out := make([]Group, 0, len(byKey))
	for _, k := range slices.Sorted(maps.Keys(byKey)) {
		g, err := o.group(ctx, k, byKey[k])
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}

func (o Options) group(ctx context.Context, name string, rows []Row) (Group, error) {
	g, _, err := o.sampled(ctx, name, rows)
	return g, err
}

// spearmanOfRel is the place of ρ with rel among the samples.
const spearmanOfRel = 6

// sampled returns the group and the draws behind its intervals: for each dimension those of
// its three coefficients. There are none for a group that is too small.
func (o Options) sampled(ctx context.Context, name string, rows []Row) (Group, [][]float64, error) {
	g := Group{Name: name, Reviews: len(rows)}
	cluster, changes := resample.Clusters(rows, func(r Row) string { return r.Change })
	g.Changes = changes
	if len(rows) < MinReviews {
		for _, d := range g.ByDimension.all() {
			*d = noCoefficients(spelling.Count("%d reviews, need at least %d", len(rows), MinReviews))
		}
		return g, nil, nil
	}
	observed := correlations(rows, cluster)
	for i, d := range g.ByDimension.all() {
		*d = observed.estimates(rows, i)
	}
	samples, err := o.Draw(ctx, changes, 9, func() func([]int32, []float64) {
		return observed.resampler()
	})
	if err != nil {
		return Group{}, nil, fmt.Errorf("agreement: %w", err)
	}
	for i, d := range g.ByDimension.all() {
		for k, e := range d.all() {
			e.SetInterval(samples[3*i+k], changes)
		}
	}
	return g, samples, nil
}

// threePairs are metric and labels in the three dimensions, nil for one that the
// metric does not have.
type threePairs [3]*pairs

// correlations pairs metric and labels of rows that have both.
func correlations(rows []Row, cluster []int32) (three threePairs) {
	for i, d := range dimensions {
		if lacked(rows, i) != "" {
			continue
		}
		metric, human := make([]float64, len(rows)), make([]float64, len(rows))
		for k, r := range rows {
			metric[k], human[k] = d.of(*r.Metric), d.of(*r.Human)
		}
		three[i] = newPairs(metric, human, cluster)
	}
	return three
}

// resampler returns a worker's function for draw: nine values, the three
// coefficients of each dimension.
func (three threePairs) resampler() func(drawn []int32, out []float64) {
	var memory [3]*scratch
	for i, p := range three {
		if p != nil {
			memory[i] = p.scratch()
		}
	}
	return func(drawn []int32, out []float64) {
		for i, p := range three {
			c := noneDefined
			if p != nil {
				c = p.correlate(drawn, memory[i])
			}
			out[3*i], out[3*i+1], out[3*i+2] = c.spearman, c.kendall, c.pearson
		}
	}
}

// estimates returns the coefficients of one dimension of the rows.
func (three threePairs) estimates(rows []Row, dimension int) Coefficients {
	if p := three[dimension]; p != nil {
		return p.estimates()
	}
	return noCoefficients(lacked(rows, dimension))
}

// estimates returns the coefficients over all observations with their p-values.
func (p *pairs) estimates() (c Coefficients) {
	n := len(p.cluster)
	switch {
	case n < 2:
		return noCoefficients(ErrTooFew.Error())
	case p.x.levels < 2:
		return noCoefficients("all scores are tied")
	case p.y.levels < 2:
		return noCoefficients("all human labels are tied")
	}
	v := p.correlate(nil, p.scratch())
	kendallP := p.kendallP()
	c.Spearman = Estimate{Value: &v.spearman}
	setP(&c.Spearman)(SpearmanP(v.spearman, n))
	c.KendallTauB = Estimate{Value: &v.kendall, P: &kendallP}
	if math.IsNaN(v.pearson) {
		c.Pearson = resample.None("all values are tied to within rounding")
	} else {
		c.Pearson = Estimate{Value: &v.pearson}
		setP(&c.Pearson)(PearsonP(v.pearson, n))
	}
	return c
}

func noCoefficients(why string) Coefficients {
	return Coefficients{resample.None(why), resample.None(why), resample.None(why)}
}

// setP takes a p-value for an estimate, or why there is none.
func setP(e *Estimate) func(p float64, err error) {
	return func(p float64, err error) {
		if err != nil {
			e.Because("no p-value: " + err.Error())
			return
		}
		e.P = &p
	}
}
