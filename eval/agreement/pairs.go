package agreement

import (
	"cmp"
	"math"
	"slices"
)

// pairs are the observations of two variables, prepared so that their
// correlations under any weights of the clusters take one pass and no sorting: a
// bootstrap asks for thousands. Observations are in the order of x.
type pairs struct {
	x, y    side
	cluster []int32 // of each observation
}

// side is one variable.
type side struct {
	values []float64 // scaled by a power of two into (-1, 1): sums of squares stay finite
	level  []int32   // dense ranks from 0
	levels int
}

// coefficients are the three correlations; NaN where one is undefined. Only
// inside this package: results say it with nil and a reason.
type coefficients struct{ spearman, kendall, pearson float64 }

var noneDefined = coefficients{math.NaN(), math.NaN(), math.NaN()}

// newPairs prepares x and y, which are as long as each other and without NaN. A
// nil cluster makes every observation its own.
func newPairs(x, y []float64, cluster []int32) *pairs {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	p := &pairs{x: newSide(x, order), y: newSide(y, order), cluster: make([]int32, len(x))}
	for i, from := range order {
		p.cluster[i] = int32(from)
		if cluster != nil {
			p.cluster[i] = cluster[from]
		}
	}
	return p
}

func newSide(v []float64, order []int) side {
	s := side{values: make([]float64, len(v)), level: make([]int32, len(v))}
	sorted := slices.Clone(v)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted) // zeros of both signs are one
	s.levels = len(sorted)
	exponent := 0
	if len(sorted) > 0 {
		_, exponent = math.Frexp(max(-sorted[0], sorted[len(sorted)-1]))
	}
	for i, from := range order {
		s.values[i] = math.Ldexp(v[from], -exponent)
		level, _ := slices.BinarySearch(sorted, v[from])
		s.level[i] = int32(level)
	}
	return s
}

// scratch is the memory for one worker's passes over pairs.
type scratch struct {
	weight       []int32
	xs, ys       []int64 // weight of each level
	xrank, yrank []float64
	tree         []int64 // Fenwick tree over the levels of y
}

func (p *pairs) scratch() *scratch {
	return &scratch{
		weight: make([]int32, len(p.cluster)),
		xs:     make([]int64, p.x.levels), ys: make([]int64, p.y.levels),
		xrank: make([]float64, p.x.levels), yrank: make([]float64, p.y.levels),
		tree: make([]int64, p.y.levels+1),
	}
}

// correlate returns the correlations where every observation occurs as often as
// its cluster was drawn; a nil drawn is once.
func (p *pairs) correlate(drawn []int32, s *scratch) coefficients {
	n := p.weigh(drawn, s)
	tiedX, tiedY := tied(s.xs), tied(s.ys)
	all := n * (n - 1) / 2
	if tiedX == all || tiedY == all {
		return noneDefined
	}
	root := math.Sqrt(float64(all-tiedX)) * math.Sqrt(float64(all-tiedY))
	return coefficients{
		spearman: p.spearman(n, s),
		kendall:  clamp(float64(p.concordance(s)) / root),
		pearson:  p.pearson(n, s),
	}
}

// weigh fills in the weights of observations and levels, and returns the sum.
func (p *pairs) weigh(drawn []int32, s *scratch) (n int64) {
	clear(s.xs)
	clear(s.ys)
	for i, c := range p.cluster {
		w := int32(1)
		if drawn != nil {
			w = drawn[c]
		}
		s.weight[i] = w
		s.xs[p.x.level[i]] += int64(w)
		s.ys[p.y.level[i]] += int64(w)
		n += int64(w)
	}
	return n
}

// tied counts the pairs of observations within the levels.
func tied(levels []int64) (pairs int64) {
	for _, c := range levels {
		pairs += c * (c - 1) / 2
	}
	return pairs
}

// clamp takes back what rounding led outside [-1, 1]; NaN stays NaN.
func clamp(v float64) float64 { return min(1, max(-1, v)) }

// spearman is Pearson's correlation of the mean ranks. Ranks are doubled and
// taken from their mean, which makes them whole numbers: the sums are exact up to
// 200,000 observations.
func (p *pairs) spearman(n int64, s *scratch) float64 {
	centre := func(levels []int64, ranks []float64) (squares float64) {
		var below int64
		for l, c := range levels {
			ranks[l] = float64(2*below + c - n)
			squares += float64(c) * ranks[l] * ranks[l]
			below += c
		}
		return squares
	}
	xx, yy := centre(s.xs, s.xrank), centre(s.ys, s.yrank)
	var xy float64
	for i, w := range s.weight {
		xy += float64(w) * s.xrank[p.x.level[i]] * s.yrank[p.y.level[i]]
	}
	return clamp(xy / math.Sqrt(xx*yy))
}

// concordance counts the concordant pairs less the discordant ones in
// O(n log n): a Fenwick tree holds the weights by the level of y of everything
// with a lower x.
func (p *pairs) concordance(s *scratch) (difference int64) {
	clear(s.tree)
	var inTree int64
	for start := 0; start < len(s.weight); {
		end := start
		for ; end < len(s.weight) && p.x.level[end] == p.x.level[start]; end++ {
			w := int64(s.weight[end])
			if w == 0 {
				continue
			}
			var below, atMost int64
			for l := p.y.level[end]; l > 0; l &= l - 1 {
				below += s.tree[l]
			}
			for l := p.y.level[end] + 1; l > 0; l &= l - 1 {
				atMost += s.tree[l]
			}
			difference += w * (below - (inTree - atMost))
		}
		for ; start < end; start++ {
			w := int64(s.weight[start])
			inTree += w
			for l := int(p.y.level[start]) + 1; l < len(s.tree) && w > 0; l += l & -l {
				s.tree[l] += w
			}
		}
	}
	return difference
}

// pearson takes the deviations from the mean in a second pass: the difference of
// large sums would lose every digit of values that lie close together.
func (p *pairs) pearson(n int64, s *scratch) float64 {
	var mx, my float64
	for i, w := range s.weight {
		mx += float64(w) * p.x.values[i]
		my += float64(w) * p.y.values[i]
	}
	mx, my = mx/float64(n), my/float64(n)
	var xx, yy, xy float64
	for i, w := range s.weight {
		dx, dy := p.x.values[i]-mx, p.y.values[i]-my
		xx += float64(w) * dx * dx
		yy += float64(w) * dy * dy
		xy += float64(w) * dx * dy
	}
	if xx == 0 || yy == 0 { // the values differ by less than a float64 can square
		return math.NaN()
	}
	return clamp(xy / math.Sqrt(xx) / math.Sqrt(yy))
}
