package stability

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"crscore/eval/agreement"
	"crscore/eval/perturb"
	"crscore/eval/resample"
)

// Report is the result of a study. Controls come first.
type Report struct {
	// Changes is the number of changes, Seed the seed of names and draws, Resamples the number of draws.
	Changes   int    `json:"changes"`
	Seed      uint64 `json:"seed"`
	Resamples int    `json:"resamples"`
	// Metric is the name of a metric that is a single number, which stands for rel.
	Metric string `json:"metric,omitempty"`
	// Perturbations has the two controls first.
	Perturbations []Perturbation `json:"perturbations"`
	// Signature names the scores and the version of the rules.
	Signature string `json:"signature"`
}

// Perturbation is what a perturbation did to the scores.
type Perturbation struct {
	// ID, Name and Group are those of the perturbation.
	ID    perturb.ID `json:"id"`
	Name  string     `json:"name"`
	Group string     `json:"group"`
	// Fits is the number of changes with a variant, Hunks that of those whose whole texts are not
	// known, Left why others have none, the most frequent reason first.
	Fits  int    `json:"fits"`
	Hunks int    `json:"hunks,omitempty"`
	Left  []Left `json:"left"`
	// Checked is what compilers say of the variants, where they were asked.
	Checked *Checked `json:"checked,omitempty"`
	// Reviews is the number of reviews with scores before and after, Unscored that of others.
	Reviews  int `json:"reviews"`
	Unscored int `json:"unscored"`
	// Con, Comp and Rel are the moves of the three scores.
	Con  Move `json:"con"`
	Comp Move `json:"comp"`
	Rel  Move `json:"rel"`
	// Flips is the share of ReviewPairs that change order by rel: pairs of reviews of one change
	// with another rel before.
	Flips       resample.Estimate `json:"flips"`
	ReviewPairs int               `json:"review_pairs"`
	// TauReviews and TauSystems are Kendall's τ-b of rel before and after, over reviews and over
	// the means of systems.
	TauReviews resample.Estimate `json:"tau_reviews"`
	TauSystems resample.Estimate `json:"tau_systems"`
	// Worst are the largest moves of rel, one of each change.
	Worst []Worst `json:"worst,omitempty"`
}

// Left is a reason why changes have no variant.
type Left struct {
	// Reason is in words, Changes the number of changes.
	Reason  string `json:"reason"`
	Changes int    `json:"changes"`
}

// Move tells how far a score moves, from 0 to 1: the mean and the 95th percentile of |Δ|, the
// share of reviews that keep their score, the mean Δ, and the means before and after.
type Move struct {
	// MAD is the mean of |Δ|, P95 its 95th percentile, Equal a share, Bias the mean of Δ.
	MAD   resample.Estimate `json:"mad"`
	P95   resample.Estimate `json:"p95"`
	Equal resample.Estimate `json:"equal"`
	Bias  resample.Estimate `json:"bias"`
	// Before and After are the means for the changes and for their variants.
	Before resample.Estimate `json:"before"`
	After  resample.Estimate `json:"after"`
}

// Worst is a review whose rel moved far.
type Worst struct {
	// Change and Review are ids, and System is Review. Text is the review.
	Change string `json:"change"`
	Review string `json:"review"`
	System string `json:"system"`
	Text   string `json:"text"`
	// Before and After are the scores for the change and for the variant.
	Before Scores `json:"before"`
	After  Scores `json:"after"`
	// Diff is the rewriting of the new text.
	Diff string `json:"diff"`
}

// numbers is the number of estimates of a perturbation: six of each score, flips and two τ.
const numbers = 21

// Summarize computes the numbers of moves with their intervals, by drawing changes.
func Summarize(ctx context.Context, moves []*Moves, o Options) ([]Perturbation, error) {
	var out []Perturbation
	for _, m := range moves {
		p := Perturbation{
			ID: m.Perturbation.ID, Name: m.Perturbation.Name, Group: m.Perturbation.Group,
			Fits: m.Fits, Hunks: m.Hunks, Left: left(m.Left), Checked: m.Checked, Reviews: len(m.Pairs), Unscored: m.Unscored,
		}
		s := newSample(m.Pairs)
		estimates, err := o.Bootstrap.Estimates(ctx, s.changes, numbers, s.worker, func(i int) string { return undefined(i, len(m.Pairs)) })
		if err != nil {
			return nil, err
		}
		for k, to := range []*Move{&p.Con, &p.Comp, &p.Rel} {
			e := estimates[6*k:]
			*to = Move{MAD: e[0], P95: e[1], Equal: e[2], Bias: e[3], Before: e[4], After: e[5]}
		}
		p.Flips, p.TauReviews, p.TauSystems, p.ReviewPairs = estimates[18], estimates[19], estimates[20], s.reviewPairs
		if m.Perturbation.Group != control {
			p.Worst = worst(m.Pairs, o.Worst)
		}
		out = append(out, p)
	}
	return out, nil
}

func undefined(number, reviews int) string {
	switch {
	case reviews == 0:
		return "no review"
	case number < 12:
		return "the metric has no such number"
	case number == 18:
		return "no change has reviews of different rel"
	}
	return "all numbers are equal"
}

func left(of map[string]int) []Left {
	out := []Left{}
	for _, reason := range slices.Sorted(maps.Keys(of)) {
		out = append(out, Left{reason, of[reason]})
	}
	slices.SortStableFunc(out, func(a, b Left) int { return cmp.Compare(b.Changes, a.Changes) })
	return out
}

func worst(pairs []Pair, n int) (out []Worst) {
	sorted := slices.Clone(pairs)
	far := func(p Pair) float64 { return math.Abs(p.After.Rel - p.Before.Rel) }
	slices.SortStableFunc(sorted, func(a, b Pair) int { return cmp.Compare(far(b), far(a)) })
	seen := map[string]bool{}
	for _, p := range sorted {
		if len(out) == n || far(p) == 0 {
			break
		}
		if !seen[p.Change] {
			seen[p.Change] = true
			out = append(out, Worst{p.Change, p.Review, p.Review, p.text, p.Before, p.After, p.diff})
		}
	}
	return out
}

// sample has the pairs by change, ready for drawing.
type sample struct {
	changes     int
	of          []int32      // the change of each pair
	before      [3][]float64 // of each pair
	delta       [3][]float64
	sorted      [3][]int // pairs by |Δ|
	system      []int32
	systems     int
	rel         [2][]float64
	flips       []float64 // of each change
	pairs       []float64
	reviewPairs int
}

func newSample(pairs []Pair) *sample {
	s := &sample{}
	s.of, s.changes = resample.Clusters(pairs, func(p Pair) string { return p.Change })
	s.system, s.systems = resample.Clusters(pairs, func(p Pair) string { return p.Review })
	s.flips, s.pairs = make([]float64, s.changes), make([]float64, s.changes)
	first := 0
	for i, p := range pairs {
		before, after := p.Before.list(), p.After.list()
		for k := range s.delta {
			s.before[k] = append(s.before[k], before[k])
			s.delta[k] = append(s.delta[k], after[k]-before[k])
			s.sorted[k] = append(s.sorted[k], i)
		}
		s.rel[0], s.rel[1] = append(s.rel[0], p.Before.Rel), append(s.rel[1], p.After.Rel)
		if s.of[i] != s.of[first] {
			first = i
		}
		for j := first; j < i; j++ {
			was, is := s.rel[0][i]-s.rel[0][j], s.rel[1][i]-s.rel[1][j]
			if was == 0 {
				continue
			}
			s.pairs[s.of[i]]++
			s.reviewPairs++
			if was*is < 0 {
				s.flips[s.of[i]]++
			}
		}
	}
	for k := range s.sorted {
		slices.SortStableFunc(s.sorted[k], func(a, b int) int {
			return cmp.Compare(math.Abs(s.delta[k][a]), math.Abs(s.delta[k][b]))
		})
	}
	return s
}

// worker returns a function that computes the numbers of a draw.
func (s *sample) worker() func(drawn []int32, out []float64) {
	var x, y []float64
	sums, counts := [2][]float64{make([]float64, s.systems), make([]float64, s.systems)}, make([]float64, s.systems)
	return func(drawn []int32, out []float64) {
		n := 0.0
		for _, c := range s.of {
			n += float64(drawn[c])
		}
		for k := range s.delta {
			s.moved(k, n, drawn, out[6*k:])
		}
		flips, pairs := 0.0, 0.0
		for c, times := range drawn {
			flips += float64(times) * s.flips[c]
			pairs += float64(times) * s.pairs[c]
		}
		out[18] = flips / pairs // NaN without pairs
		x, y = x[:0], y[:0]
		clear(sums[0])
		clear(sums[1])
		clear(counts)
		for i, c := range s.of {
			for range drawn[c] {
				x, y = append(x, s.rel[0][i]), append(y, s.rel[1][i])
			}
			times := float64(drawn[c])
			counts[s.system[i]] += times
			sums[0][s.system[i]] += times * s.rel[0][i]
			sums[1][s.system[i]] += times * s.rel[1][i]
		}
		out[19] = tau(x, y)
		x, y = x[:0], y[:0]
		for i, n := range counts {
			if n > 0 {
				x, y = append(x, sums[0][i]/n), append(y, sums[1][i]/n)
			}
		}
		out[20] = tau(x, y)
	}
}

// moved computes the six numbers of a score.
func (s *sample) moved(k int, n float64, drawn []int32, out []float64) {
	sum, bias, before, equal, at, p95 := 0.0, 0.0, 0.0, 0.0, 0.0, math.NaN()
	for _, i := range s.sorted[k] {
		times, d := float64(drawn[s.of[i]]), s.delta[k][i]
		sum += times * math.Abs(d)
		bias += times * d
		before += times * s.before[k][i]
		if d == 0 {
			equal += times
		}
		if at += times; math.IsNaN(p95) && times > 0 && at >= .95*n {
			p95 = math.Abs(d)
		}
	}
	out[0], out[1], out[2], out[3], out[4], out[5] = sum/n, p95, equal/n, bias/n, before/n, (before+bias)/n
}

func tau(x, y []float64) float64 {
	t, err := agreement.KendallTauB(x, y)
	if err != nil {
		return math.NaN()
	}
	return t
}
