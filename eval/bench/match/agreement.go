package match

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"crscore/eval/agreement"
	"crscore/eval/bench"
)

// Agreement is how a matcher agrees with a judge. Comments are given to golden ones as
// bench.Assignment does.
type Agreement struct {
	// Rater is the judge.
	Rater string `json:"rater"`
	// Pairs, Golden and Tools are the numbers of what the figures are of: pairs with a label,
	// golden comments for each tool, and tools.
	Pairs  int `json:"pairs"`
	Golden int `json:"golden"`
	Tools  int `json:"tools"`
	// AUC is the area under the ROC curve of the scores of pairs, in [0,1].
	AUC float64 `json:"auc"`
	// Kappa is Cohen's κ, in [-1,1], of whether a tool found a golden comment.
	Kappa float64 `json:"kappa"`
	// Recall and Precision are the shares, in [0,1], of the judge's found golden comments that the
	// matcher has found too, and of the matcher's that the judge has.
	Recall    float64 `json:"recall"`
	Precision float64 `json:"precision"`
	// Kendall is τ-b, in [-1,1], of the tools' F1 by the judge and by the matcher, where
	// F1 = 2·found / (candidates + golden).
	Kendall float64 `json:"kendall"`
	// F1Error is the mean absolute difference of these F1, in [0,1].
	F1Error float64 `json:"f1_error"`
}

// counts are what a tool has.
type counts struct{ candidates, golden, matcher, judge float64 }

// tally collects what the agreement with a judge is of.
type tally struct {
	scores          []float64
	labels          []bool
	matcher, judge  []float64 // 1 where a golden comment is found
	both, one, them float64   // found by both, by the matcher, by the judge
	tools           map[string]*counts
}

// Agree holds a matcher against each judge, in the order of their names. It is an error if a figure
// is not defined, such as where a judge found nothing.
func Agree(ctx context.Context, m bench.Matcher, labels *Labels) ([]Agreement, error) {
	all := map[string]*tally{}
	for _, pull := range labels.byPull() {
		verdicts, err := matchPull(ctx, m, pull)
		if err != nil {
			return nil, err
		}
		for _, j := range pull {
			if all[j.Judge] == nil {
				all[j.Judge] = &tally{tools: map[string]*counts{}}
			}
			if err := all[j.Judge].add(ctx, j, verdicts); err != nil {
				return nil, err
			}
		}
	}
	var out []Agreement
	for _, judge := range slices.Sorted(maps.Keys(all)) {
		a, err := all[judge].agreement()
		if err != nil {
			return nil, fmt.Errorf("agreement with %s: %w", judge, err)
		}
		a.Rater = judge
		out = append(out, a)
	}
	return out, nil
}

// byPull groups what judges said by pull request, in the order of the file.
func (l *Labels) byPull() (out [][]*Judged) {
	at := map[string]int{}
	for i := range l.Judged {
		j := &l.Judged[i]
		k, known := at[j.PR]
		if !known {
			k = len(out)
			at[j.PR], out = k, append(out, nil)
		}
		out[k] = append(out[k], j)
	}
	return out
}

// matchPull asks the matcher once for each distinct pair of a pull request.
func matchPull(ctx context.Context, m bench.Matcher, pull []*Judged) (map[bench.Pair]bench.Verdict, error) {
	var pairs []bench.Pair
	out := map[bench.Pair]bench.Verdict{}
	for _, j := range pull {
		for _, tool := range slices.Sorted(maps.Keys(j.Tools)) {
			for _, g := range j.Golden {
				for _, c := range j.Tools[tool].Candidates {
					p := bench.Pair{Generated: c, Reference: g.Text}
					if _, asked := out[p]; !asked {
						out[p] = bench.Verdict{}
						pairs = append(pairs, p)
					}
				}
			}
		}
	}
	verdicts, err := m.Match(ctx, pairs)
	if err == nil && len(verdicts) != len(pairs) {
		err = fmt.Errorf("%d verdicts of %d pairs", len(verdicts), len(pairs))
	}
	if err != nil {
		return nil, fmt.Errorf("matching %s: %w", pull[0].PR, err)
	}
	for i, p := range pairs {
		out[p] = verdicts[i]
	}
	return out, nil
}

func (t *tally) add(ctx context.Context, j *Judged, verdicts map[bench.Pair]bench.Verdict) error {
	for _, tool := range slices.Sorted(maps.Keys(j.Tools)) {
		a := j.Tools[tool]
		table := make([][]bench.Verdict, len(j.Golden))
		for g, golden := range j.Golden {
			for c, text := range a.Candidates {
				v := verdicts[bench.Pair{Generated: text, Reference: golden.Text}]
				table[g] = append(table[g], v)
				if same, known := a.Label(g, c); known {
					t.scores, t.labels = append(t.scores, v.Score), append(t.labels, same)
				}
			}
		}
		found, err := bench.Assignment(ctx, table)
		if err != nil {
			return err
		}
		n := t.tools[tool]
		if n == nil {
			n = &counts{}
			t.tools[tool] = n
		}
		n.candidates += float64(len(a.Candidates))
		n.golden += float64(len(j.Golden))
		for g, c := range found {
			var one, them float64
			if c >= 0 {
				one = 1
			}
			if _, ok := a.Match[g]; ok {
				them = 1
			}
			t.matcher, t.judge = append(t.matcher, one), append(t.judge, them)
			n.matcher += one
			n.judge += them
			t.both += one * them
			t.one += one
			t.them += them
		}
	}
	return nil
}

func (t *tally) agreement() (a Agreement, err error) {
	a.Pairs, a.Golden, a.Tools = len(t.scores), len(t.judge), len(t.tools)
	if t.one == 0 || t.them == 0 {
		return a, errors.New("the matcher or the judge found no golden comment")
	}
	a.Recall, a.Precision = t.both/t.them, t.both/t.one
	if a.AUC, err = agreement.ROCAUC(t.scores, t.labels); err != nil {
		return a, err
	}
	if a.Kappa, err = agreement.CohenKappa(t.matcher, t.judge, agreement.Nominal); err != nil {
		return a, err
	}
	var matcher, judge []float64
	for _, name := range slices.Sorted(maps.Keys(t.tools)) {
		n := t.tools[name]
		all := max(n.candidates+n.golden, 1) // a tool without either has F1 = 0
		x, y := 2*n.matcher/all, 2*n.judge/all
		matcher, judge = append(matcher, x), append(judge, y)
		a.F1Error += math.Abs(x-y) / float64(len(t.tools))
	}
	a.Kendall, err = agreement.KendallTauB(matcher, judge)
	return a, err
}
