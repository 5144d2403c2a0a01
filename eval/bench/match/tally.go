package match

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"crscore/eval/agreement"
	"crscore/eval/bench"
	"crscore/eval/resample"
)

// counts are of a tool in a pull request: its candidates, the golden comments, and those that the
// judge, the other and both found.
type counts struct{ candidates, golden, judge, other, both float64 }

func (c *counts) add(d counts, times float64) {
	c.candidates += times * d.candidates
	c.golden += times * d.golden
	c.judge += times * d.judge
	c.other += times * d.other
	c.both += times * d.both
}

// tally collects what the agreement with a judge is of.
type tally struct {
	judged    []*Judged // of one judge, a pull request each
	tools     []string  // sorted
	pulls     [][]counts
	scored    []scored // sorted from the highest
	undecided int
}

// scored is a pair with a label and a score.
type scored struct {
	pull  int
	score float64
	same  bool
}

func newTally(judged []*Judged) *tally {
	names := map[string]bool{}
	for _, j := range judged {
		for name := range j.Tools {
			names[name] = true
		}
	}
	t := &tally{judged: judged, tools: slices.Sorted(maps.Keys(names)), pulls: make([][]counts, len(judged))}
	for i := range t.pulls {
		t.pulls[i] = make([]counts, len(t.tools))
	}
	return t
}

// count adds what the judge and the other found of the golden comments of a tool. NaN is a golden
// comment of which that is not known.
func (t *tally) count(pull, tool int, a *Answer, other []float64) {
	c := &t.pulls[pull][tool]
	c.candidates += float64(len(a.Candidates))
	for g, found := range other {
		if math.IsNaN(found) {
			continue
		}
		c.golden++
		c.other += found
		if _, ok := a.Match[g]; ok {
			c.judge++
			c.both += found
		}
	}
}

// match counts what a matcher found: by its own verdicts, or from a threshold of its scores on.
func (t *tally) match(ctx context.Context, all verdicts, theta *float64) error {
	for i, j := range t.judged {
		for k, name := range t.tools {
			a, ok := j.Tools[name]
			if !ok {
				continue
			}
			table := make([][]bench.Verdict, len(j.Golden))
			found := make([]float64, len(j.Golden))
			for g, golden := range j.Golden {
				for c, text := range a.Candidates {
					v := all[bench.Pair{Generated: text, Reference: golden.Text}]
					if theta != nil {
						v.Same = v.Score >= *theta
					}
					table[g] = append(table[g], v)
					if same, known := a.Label(g, c); v.Undecided != "" {
						t.undecided++
						found[g] = math.NaN() // unless another candidate has it
					} else if known {
						t.scored = append(t.scored, scored{i, v.Score, same})
					}
				}
			}
			given, err := bench.Assignment(ctx, table)
			if err != nil {
				return err
			}
			for g, c := range given {
				if c >= 0 {
					found[g] = 1
				}
			}
			t.count(i, k, &a, found)
		}
	}
	slices.SortStableFunc(t.scored, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	return nil
}

// between holds a judge's counts against another judge's, with the first judge's candidates.
func between(rater string, judged []*Judged, name string, others []*Judged) Between {
	found := map[[3]string]float64{} // by pull request, tool and golden comment
	for _, j := range others {
		for tool, a := range j.Tools {
			for g, golden := range j.Golden {
				if _, ok := a.Match[g]; ok {
					found[[3]string{j.PR, tool, golden.Text}] = 1
				} else {
					found[[3]string{j.PR, tool, golden.Text}] = 0
				}
			}
		}
	}
	t := newTally(judged)
	for i, j := range judged {
		for k, tool := range t.tools {
			a, ok := j.Tools[tool]
			if !ok {
				continue
			}
			other := make([]float64, len(j.Golden))
			for g, golden := range j.Golden {
				if other[g], ok = found[[3]string{j.PR, tool, golden.Text}]; !ok {
					other[g] = math.NaN()
				}
			}
			t.count(i, k, &a, other)
		}
	}
	f := t.figures(nil)
	return Between{Rater: rater, Other: name, Figures: f.pointers(), Golden: f.golden}
}

// values are numbers, NaN where they are undefined.
type values struct {
	auc, kappa, precision, recall, kendall, f1Error float64

	golden int
}

// figures computes the numbers of the pull requests, each so many times; nil: once.
func (t *tally) figures(drawn []int32) (f values) {
	times := func(pull int) float64 {
		if drawn == nil {
			return 1
		}
		return float64(drawn[pull])
	}
	all := make([]counts, len(t.tools))
	for i, row := range t.pulls {
		for k, c := range row {
			all[k].add(c, times(i))
		}
	}
	var sum counts
	judge, other := make([]float64, len(all)), make([]float64, len(all))
	for k, c := range all {
		sum.add(c, 1)
		of := max(c.candidates+c.golden, 1) // a tool without either has F1 = 0
		judge[k], other[k] = 2*c.judge/of, 2*c.other/of
		f.f1Error += math.Abs(judge[k]-other[k]) / float64(len(all))
	}
	f.golden = int(sum.golden)
	f.precision, f.recall = sum.both/sum.other, sum.both/sum.judge
	chance := (sum.judge*sum.other + (sum.golden-sum.judge)*(sum.golden-sum.other)) / (sum.golden * sum.golden)
	observed := (sum.golden - sum.judge - sum.other + 2*sum.both) / sum.golden
	f.kappa = (observed - chance) / (1 - chance)
	if sum.golden == 0 {
		f.f1Error = math.NaN()
	}
	var err error
	if f.kendall, err = agreement.KendallTauB(judge, other); err != nil {
		f.kendall = math.NaN() // fewer than two tools, or all are equal
	}
	f.auc = t.auc(times)
	return f
}

// auc is the share of pairs of a same and a different pair where the same pair has the higher score;
// equal scores count one half.
func (t *tally) auc(times func(pull int) float64) float64 {
	var positive, negative, above float64
	for i := 0; i < len(t.scored); {
		var same, different float64
		score := t.scored[i].score
		for ; i < len(t.scored) && t.scored[i].score == score; i++ {
			if n := times(t.scored[i].pull); t.scored[i].same {
				same += n
			} else {
				different += n
			}
		}
		above += different * (positive + same/2)
		positive += same
		negative += different
	}
	return above / (positive * negative) // 0/0 is NaN
}

func defined(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

func (f values) pointers() Figures {
	return Figures{defined(f.kappa), defined(f.precision), defined(f.recall), defined(f.kendall), defined(f.f1Error)}
}

// agreement computes the figures and their intervals.
func (t *tally) agreement(ctx context.Context, b resample.Bootstrap) (a Agreement, err error) {
	f := t.figures(nil)
	a.AUC, a.Figures = defined(f.auc), f.pointers()
	a.Pairs, a.Golden, a.Tools, a.Undecided = len(t.scored), f.golden, len(t.tools), t.undecided
	e, err := b.Estimates(ctx, len(t.pulls), 4, func() func([]int32, []float64) {
		return func(drawn []int32, out []float64) {
			f := t.figures(drawn)
			out[0], out[1], out[2], out[3] = f.auc, f.kappa, f.kendall, f.f1Error
		}
	}, func(int) string { return "" })
	if err != nil {
		return a, err
	}
	a.Intervals = Intervals{e[0].Interval, e[1].Interval, e[2].Interval, e[3].Interval}
	return a, nil
}
