package compare

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"crscore/eval/resample"
	"crscore/internal/limits"
)

// sample holds numbers, one for each change that counts.
type sample struct {
	values []float64 // 0 where there is none
	in     []float64 // 1 where there is one; nil where there is one for each
	n      int
}

// numbers are those of the changes that have one.
func (s *sample) numbers() []float64 {
	if s.in == nil {
		return s.values
	}
	var out []float64
	for i, v := range s.values {
		if s.in[i] == 1 {
			out = append(out, v)
		}
	}
	return out
}

// mean is the mean of the numbers; NaN without any.
func (s *sample) mean() float64 {
	sum := 0.0
	for _, v := range s.values {
		sum += v
	}
	return sum / float64(s.n)
}

// grouping is a group in the making.
type grouping struct {
	*study
	Group
	takesPart []bool  // by columns: it has a number of the metric
	kept      []int32 // the changes that count
	// samples are the systems' numbers and, for Own, those of pairs.
	samples []sample
	at      [][3]int // by columns and dimensions: its sample, or -1
	// pairs are the places of columns; pairAt is the first one's sample.
	pairs  []resample.Test
	pairAt int
}

// group compares the systems over some of the changes.
func (s *study) group(ctx context.Context, name string, changes []int32) (Group, error) {
	g := grouping{study: s, Group: Group{Name: name, All: len(changes), Systems: []System{}, Pairs: []Pair{}}}
	g.count(changes)
	g.take()
	g.order()
	if err := g.pair(); err != nil {
		return Group{}, err
	}
	if err := g.draw(ctx); err != nil {
		return Group{}, err
	}
	if s.baseline < 0 {
		g.letter()
	}
	return g.Group, nil
}

// count counts reviews and chooses the changes that count.
func (g *grouping) count(changes []int32) {
	g.takesPart = make([]bool, len(g.columns))
	for i := range g.columns {
		c := &g.columns[i]
		sys := System{Name: c.label, Human: c.human, at: i}
		if g.single {
			sys.Score = &resample.Estimate{}
		}
		for _, change := range changes {
			switch c.state[change] {
			case absent:
				sys.Absent++
			case unscored:
				sys.Unscored++
			case scored:
				sys.Scored++
			}
		}
		g.takesPart[i] = sys.Scored > 0 && c.has(g.metric)
		g.Systems = append(g.Systems, sys)
	}
	for _, change := range changes {
		some, every := false, true
		for i := range g.columns {
			if g.takesPart[i] {
				has := g.columns[i].state[change] == scored
				some, every = some || has, every && has
			}
		}
		if some && (every || g.Over == Own) {
			g.kept = append(g.kept, change)
		}
	}
	g.Compared = len(g.kept)
}

// take takes the systems' samples and their means.
func (g *grouping) take() {
	g.at = make([][3]int, len(g.columns))
	for i := range g.Systems {
		sys, c := &g.Systems[i], &g.columns[i]
		for d, e := range sys.means() {
			g.at[i][d] = -1
			if g.single && d != g.metric {
				continue
			}
			switch {
			case sys.Scored == 0:
				*e = resample.None("no review has a score")
				continue
			case !c.has(d):
				*e = resample.None("its scores have no " + dimensions[d])
				continue
			case !g.takesPart[i]:
				*e = resample.None("its scores have no " + g.Metric)
				continue
			}
			one := g.sample(func(change int32) (float64, bool) { return c.values[d][change], c.state[change] == scored })
			if sys.Changes = one.n; one.n == 0 {
				*e = resample.None("no change counts")
				continue
			}
			*e = resample.MeanOf(one.mean(), "")
			if d == g.metric {
				sys.Values = one.numbers()
			}
			g.at[i][d] = len(g.samples)
			g.samples = append(g.samples, one)
		}
	}
}

// sample takes numbers of the changes that count.
func (g *grouping) sample(of func(change int32) (float64, bool)) sample {
	out := sample{values: make([]float64, len(g.kept))}
	if g.Over == Own {
		out.in = make([]float64, len(g.kept))
	}
	for i, change := range g.kept {
		v, ok := of(change)
		if !ok {
			continue
		}
		out.n++
		out.values[i] = v
		if out.in != nil {
			out.in[i] = 1
		}
	}
	return out
}

// order puts the best system first, and those without a mean last.
func (g *grouping) order() {
	slices.SortStableFunc(g.Systems, func(a, b System) int {
		x, y := a.means()[g.metric].Value, b.means()[g.metric].Value
		switch {
		case x != nil && y != nil && g.lower:
			return cmp.Compare(*x, *y)
		case x != nil && y != nil:
			return cmp.Compare(*y, *x)
		case x != nil:
			return -1
		case y != nil:
			return 1
		}
		return 0
	})
}

// pair chooses the pairs, and takes their samples where they have their own.
func (g *grouping) pair() error {
	for i := range g.Systems {
		for k := i + 1; k < len(g.Systems); k++ {
			a, b := g.Systems[i].at, g.Systems[k].at
			switch {
			case !g.takesPart[a] || !g.takesPart[b]:
			case g.baseline < 0 || g.baseline == b:
				g.pairs = append(g.pairs, resample.Test{A: a, B: b})
			case g.baseline == a:
				g.pairs = append(g.pairs, resample.Test{A: b, B: a})
			}
		}
	}
	g.pairAt = len(g.samples)
	numbers := g.pairAt
	if g.Over == Own {
		numbers += len(g.pairs)
	}
	if len(g.kept) > 0 && numbers > limits.StudyNumbers/len(g.kept) {
		return fmt.Errorf("%d samples of %d changes are too many: at most %d numbers are kept; name a baseline, or compare fewer systems", numbers, len(g.kept), limits.StudyNumbers)
	}
	for _, p := range g.pairs {
		a, b := &g.columns[p.A], &g.columns[p.B]
		out := Pair{A: a.label, B: b.label}
		for _, change := range g.kept {
			if a.state[change] != scored || b.state[change] != scored {
				continue
			}
			out.Changes++
			switch x, y := a.values[g.metric][change], b.values[g.metric][change]; {
			case x == y:
				out.Tied++
			case x > y != g.lower:
				out.Better++
			default:
				out.Worse++
			}
		}
		g.Pairs = append(g.Pairs, out)
		if g.Over == Own {
			g.samples = append(g.samples, g.sample(func(change int32) (float64, bool) {
				return a.values[g.metric][change] - b.values[g.metric][change], a.state[change] == scored && b.state[change] == scored
			}))
		}
	}
	return nil
}

// resample draws changes as crscore score does, so that one number has one interval. It returns
// the means of each sample in all draws.
func (g *grouping) resample(ctx context.Context) ([][]float64, error) {
	stream := resample.Stream{Bootstrap: g.Bootstrap}
	if draws, err := stream.Draws(); err != nil {
		return nil, err
	} else if draws > limits.StudyNumbers/max(1, len(g.samples)) {
		return nil, fmt.Errorf("%d resamples of %d numbers are too many: at most %d are kept; name a baseline, compare fewer systems, or draw fewer resamples", draws, len(g.samples), limits.StudyNumbers)
	}
	means := make([]resample.Means, len(g.samples))
	for i, change := range g.kept {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("drawing resamples: %w", err)
		}
		weights, err := stream.Weights(g.ids[change])
		if err != nil {
			return nil, err
		}
		for k, s := range g.samples {
			if s.in == nil || s.in[i] == 1 {
				means[k].Add(g.ids[change], weights, s.values[i])
			}
		}
	}
	drawn := make([][]float64, len(means))
	for k := range means {
		if means[k].Items() > 0 {
			drawn[k] = means[k].Samples(0)
		}
	}
	return drawn, nil
}

// draw computes intervals, differences and tests.
func (g *grouping) draw(ctx context.Context) error {
	drawn := make([][]float64, len(g.samples))
	values := make([]resample.PValue, len(g.pairs))
	if len(g.kept) > 1 {
		var err error
		if drawn, err = g.resample(ctx); err != nil {
			return err
		}
		if values, err = g.Flips.Test(ctx, g.vectors(), g.tests()); err != nil {
			return err
		}
	}
	for i := range g.Systems {
		sys := &g.Systems[i]
		for d, e := range sys.means() {
			if k := g.at[sys.at][d]; k >= 0 {
				e.SetInterval(drawn[k], g.samples[k].n)
			}
		}
	}
	raw := g.differ(drawn, values)
	corrected, err := g.Correction.Adjust(raw)
	if err != nil {
		return err
	}
	for i := range g.Pairs {
		if g.Pairs[i].Difference.P != nil {
			g.Pairs[i].Corrected = &corrected[i]
		}
	}
	return nil
}

// differ sets the differences of the pairs from the drawn means, and returns the p-values,
// NaN where there is no test.
func (g *grouping) differ(drawn [][]float64, values []resample.PValue) []float64 {
	raw := make([]float64, len(g.pairs))
	for i, p := range g.pairs {
		pair := &g.Pairs[i]
		raw[i] = math.NaN()
		if pair.Changes == 0 {
			pair.Difference = resample.None("no change has a score of both")
			continue
		}
		var v float64
		var differences []float64
		if g.Over == Own {
			v, differences = g.samples[g.pairAt+i].mean(), drawn[g.pairAt+i]
		} else {
			a, b := g.at[p.A][g.metric], g.at[p.B][g.metric]
			v = g.samples[a].mean() - g.samples[b].mean()
			differences = slices.Clone(drawn[a])
			for k := range differences {
				differences[k] -= drawn[b][k]
			}
		}
		pair.Difference = resample.Estimate{Value: &v}
		if pair.Changes < 2 {
			pair.Difference.Because("no interval and no test: fewer than two changes")
			continue
		}
		pair.Difference.SetInterval(differences, pair.Changes)
		raw[i] = values[i].P
		pair.Difference.P, pair.Exact = &values[i].P, values[i].Exact
	}
	return raw
}

// vectors are what tests are of: the systems' numbers, or the pairs' differences.
func (g *grouping) vectors() (out [][]float64) {
	if g.Over == Own {
		for i := range g.pairs {
			out = append(out, g.samples[g.pairAt+i].values)
		}
		return out
	}
	for i := range g.columns {
		var v []float64 // nobody asks for it
		if k := g.at[i][g.metric]; k >= 0 {
			v = g.samples[k].values
		}
		out = append(out, v)
	}
	return out
}

func (g *grouping) tests() []resample.Test {
	if g.Over == Common {
		return g.pairs
	}
	out := make([]resample.Test, len(g.pairs))
	for i := range out {
		out[i] = resample.Test{A: i, B: -1}
	}
	return out
}
