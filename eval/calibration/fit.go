package calibration

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"crscore/eval/resample"
	"crscore/score"
)

// measure is the value by which rules are compared.
type measure interface {
	// name describes the value.
	name() string
	// used reports which changes have something to measure.
	used() []bool
	// size is the approximate number of steps for one value.
	size() int
	// worker returns a worker for one goroutine.
	worker() worker
	// heldOut returns the value over all folds together. Each fold is measured with the
	// rule that was fitted without it.
	heldOut(rules []score.Rule, fold []int) float64
}

// worker measures one rule after another.
type worker interface {
	set(rule score.Rule)
	// value is NaN where it is undefined.
	value(w weights) float64
}

// fitted is the best rule for some weights.
type fitted struct {
	rule  score.Rule
	value float64 // of the measure, on the changes of the fit; NaN: no rule was found
}

// fitter finds the best rule by a measure for each of several weights.
type fitter struct {
	measure
	fit func(ctx context.Context, ws []weights) ([]fitted, error)
	// steps is the approximate work for one of the weights.
	steps int
	// nothing says why there may be no rule.
	nothing string
}

// grid is the number of thresholds that are tried: 0, 0.005, … 0.995. At threshold 1 no
// similarity is greater.
const grid = 200

func threshold(k int) float64 { return float64(k) / grid }

// searched is a fitter that tries all candidates and returns the first of the best
// candidates.
func searched(m measure, candidates []score.Rule) fitter {
	nothing := fmt.Sprintf("%s is undefined with every candidate: all scores or all labels are the same", m.name())
	return fitter{measure: m, nothing: nothing, steps: len(candidates) * m.size(), fit: func(ctx context.Context, ws []weights) ([]fitted, error) {
		best := make([]pick, len(ws))
		var one sync.Mutex
		err := resample.Parallel(ctx, 0, len(candidates), func() func(int) {
			w, values := m.worker(), make([]float64, len(ws))
			return func(c int) {
				w.set(candidates[c])
				for i := range ws {
					values[i] = w.value(ws[i])
				}
				one.Lock()
				defer one.Unlock()
				for i, v := range values {
					best[i].offer(pick{true, c, v})
				}
			}
		})
		if err != nil {
			return nil, fmt.Errorf("looking for the best rule: %w", err)
		}
		out := make([]fitted, len(ws))
		for i, b := range best {
			out[i].value = math.NaN()
			if b.is {
				out[i] = fitted{candidates[b.candidate], b.value}
			}
		}
		return out, nil
	}}
}

// pick is a candidate, if there is one, and its value.
type pick struct {
	is        bool
	candidate int
	value     float64
}

// offer replaces the pick by a better pick. Of equally good candidates it takes the first,
// so that the order of the workers does not matter.
func (p *pick) offer(o pick) {
	if !o.is || math.IsNaN(o.value) {
		return
	}
	if !p.is || o.value > p.value || o.value == p.value && o.candidate < p.candidate {
		*p = o
	}
}

// candidates are the rules of a mode that are tried, each with each of the weights of
// references. A mode with one parameter uses the whole grid. A mode with two parameters
// uses at most coarse thresholds for each, over the range of the similarities.
func (t *Table) candidates(mode score.Mode, comp score.Coverage, weights []score.Weights) []score.Rule {
	const coarse = 40
	var out []score.Rule
	add := func(r score.Rule) {
		r.Comp = comp
		for _, w := range weights {
			r.Weights = w
			out = append(out, r)
		}
	}
	low, high := t.span()
	step := max(1, (high-low+coarse-1)/coarse)
	switch mode {
	case score.Soft:
		add(score.Rule{Mode: mode})
	case score.Hard:
		for k := range grid {
			add(score.Rule{Mode: mode, Tau: threshold(k)})
		}
	case score.Ramp:
		for width := (high - low + step - 1) / step * step; width > 0; width -= step { // of equally good rules take the gentlest
			for l := low; l+width <= min(high+step-1, grid); l += step {
				add(score.Rule{Mode: mode, Tau: threshold(l + width), Low: threshold(l)})
			}
		}
	case score.Calibrated:
		for tau := low; tau <= high; tau += step {
			for _, slope := range slopes {
				add(score.Rule{Mode: mode, Tau: threshold(tau), Slope: slope})
			}
		}
	}
	return out
}

// WeightCandidates are weights by kind, for the kinds in the table other than claims: 1, a
// half and a quarter. People find implications and smells unnecessary more often.
func (t *Table) WeightCandidates() []score.Weights {
	out := []score.Weights{nil}
	for _, kind := range []string{"implication", "smell"} {
		if !slices.ContainsFunc(t.kinds, func(r score.Ref) bool { return r.Kind == kind }) {
			continue
		}
		for _, w := range slices.Clone(out) {
			for _, v := range []float64{0.5, 0.25} {
				with := score.Weights{kind: v}
				maps.Copy(with, w)
				out = append(out, with)
			}
		}
	}
	return out
}

// slopes are the slopes of mode calibrated that are tried: from odds that hardly change
// over the whole range to nearly a step.
var slopes = []float64{1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256}

// span is the part of the grid with the best similarities, without the lowest half percent.
func (t *Table) span() (low, high int) {
	var counts [grid + 1]int
	all := 0
	for i := range t.changes {
		for j := range t.changes[i].reviews {
			r := &t.changes[i].reviews[j]
			if r.unscored {
				continue
			}
			for _, side := range [][]float32{r.sentences, r.refs} {
				for _, v := range side {
					counts[int(v*grid)]++
				}
				all += len(side)
			}
		}
	}
	for below := counts[0]; low < grid && below*200 <= all; below += counts[low] {
		low++
	}
	for high = grid; high > 0 && counts[high] == 0; high-- {
	}
	return low, min(high+1, grid)
}
