package match

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"crscore"
	"crscore/eval/bench"
	"crscore/eval/resample"
	"crscore/internal/spelling"
	"crscore/sts"
)

// Figures tell how a matcher, or another judge, agrees with a judge. An undefined number is nil.
type Figures struct {
	// Kappa is Cohen's κ, in [-1,1], of whether a tool found a golden comment.
	Kappa *float64 `json:"kappa"`
	// Precision and Recall are the shares, in [0,1], of the other's found golden comments that the
	// judge has found too, and of the judge's that the other has.
	Precision *float64 `json:"precision"`
	Recall    *float64 `json:"recall"`
	// Kendall is τ-b, in [-1,1], of the tools' F1 by the judge and by the other, where
	// F1 = 2·found / (candidates + golden). It needs two tools with different F1.
	Kendall *float64 `json:"kendall"`
	// F1Error is the mean absolute difference of these F1, in [0,1].
	F1Error *float64 `json:"f1_error"`
}

// Agreement is how a matcher agrees with a judge. Comments are given to golden comments as
// bench.Assignment does.
type Agreement struct {
	// Rater is the judge.
	Rater string `json:"rater"`
	// AUC is the area under the ROC curve of the scores of pairs with a label, in [0,1], nil unless
	// both labels occur.
	AUC *float64 `json:"auc"`
	Figures
	// Intervals are 95% intervals of some numbers, from drawing pull requests.
	Intervals Intervals `json:"intervals"`
	// Pairs, Golden and Tools are the numbers of what the figures are of: pairs with a label and a
	// verdict, golden comments for each tool, and tools. Undecided pairs have no verdict; a golden comment that
	// may be found by such a pair is left out.
	Pairs     int `json:"pairs"`
	Golden    int `json:"golden"`
	Tools     int `json:"tools"`
	Undecided int `json:"undecided_pairs"`
}

// Intervals are from low to high, nil where too many draws have no value.
type Intervals struct {
	// The fields are named after the numbers.
	AUC     *[2]float64 `json:"auc"`
	Kappa   *[2]float64 `json:"kappa"`
	Kendall *[2]float64 `json:"kendall"`
	F1Error *[2]float64 `json:"f1_error"`
}

// Between is how another judge agrees with a judge: the golden comments that it found, with the
// judge's candidates. No matcher can be expected to agree better.
type Between struct {
	// Rater is the judge, Other the judge in the place of the matcher.
	Rater string `json:"rater"`
	Other string `json:"other"`
	Figures
	// Golden counts the golden comments for each tool that both judged.
	Golden int `json:"golden"`
}

// Step has the means over the judges of what a matcher's agreement is at a threshold. A number that
// is undefined for a judge is nil.
type Step struct {
	// Theta is the score from which texts are the same.
	Theta float64 `json:"theta"`
	Figures
}

// Report is how a matcher agrees with judges. Its JSON names are stable; numbers are not rounded.
type Report struct {
	// Matcher is the matcher's signature.
	Matcher string `json:"matcher"`
	// PullRequests counts the pull requests of the labels.
	PullRequests int `json:"pull_requests"`
	// Agreement has an element for each judge, Between for each pair of judges in both orders, in
	// the order of their names.
	Agreement []Agreement `json:"agreement"`
	Between   []Between   `json:"between_raters"`
	// Sweep is empty for a matcher without degrees.
	Sweep []Step `json:"sweep"`
	// Warnings say what a reader has to know before the numbers.
	Warnings []string `json:"warnings,omitempty"`
	// Resamples is the number of draws behind the intervals, Seed their seed.
	Resamples int    `json:"resamples"`
	Seed      uint64 `json:"seed"`
	// Signature names everything that shapes a number.
	Signature string `json:"signature"`
}

// Options say how a matcher is held against labels.
type Options struct {
	// Thetas are tried out in Report.Sweep.
	Thetas []float64
	// Trained are the pull requests that the matcher was fitted on, as PullSum names them.
	Trained []string
	// Bootstrap says how pull requests are drawn for intervals.
	Bootstrap resample.Bootstrap
}

// verdicts are those of all pairs of the labels.
type verdicts map[bench.Pair]bench.Verdict

// Agree holds a matcher against each judge.
func Agree(ctx context.Context, m bench.Matcher, labels *Labels, o Options) (*Report, error) {
	resamples, err := o.Bootstrap.Draws()
	if err != nil {
		return nil, err
	}
	r := &Report{
		Matcher: m.Signature(), Resamples: resamples, Seed: o.Bootstrap.Seed, Sweep: []Step{}, Between: []Between{},
		Signature: fmt.Sprintf("crscore/%s bench-matcher/2 %s written=%s labels=sha256:%.12s", crscore.Version, m.Signature(), sts.WrittenSignature(false), labels.Sum),
	}
	all, pulls := verdicts{}, labels.byPull()
	r.PullRequests = len(pulls)
	known := 0
	for _, pull := range pulls {
		if err := all.ask(ctx, m, pull); err != nil {
			return nil, err
		}
		if slices.Contains(o.Trained, PullSum(pull[0].PR)) {
			known++
		}
	}
	if known > 0 {
		r.Warnings = append(r.Warnings, spelling.Count("the matcher was fitted on labels of %d of the %d pull requests: "+
			"with others it agrees less", known, len(pulls)))
	}
	judges := byJudge(labels)
	names := slices.Sorted(maps.Keys(judges))
	for _, rater := range names {
		t := newTally(judges[rater])
		if err := t.match(ctx, all, nil); err != nil {
			return nil, err
		}
		a, err := t.agreement(ctx, o.Bootstrap)
		if err != nil {
			return nil, err
		}
		a.Rater = rater
		r.Agreement = append(r.Agreement, a)
		for _, other := range names {
			if other != rater {
				r.Between = append(r.Between, between(rater, judges[rater], other, judges[other]))
			}
		}
	}
	for _, theta := range o.Thetas {
		step := Step{Theta: theta}
		for k, rater := range names {
			t := newTally(judges[rater])
			if err := t.match(ctx, all, &theta); err != nil {
				return nil, err
			}
			step.add(t.figures(nil).pointers(), k, len(names))
		}
		r.Sweep = append(r.Sweep, step)
	}
	return r, nil
}

// add makes the means of n judges' figures, of which k were added before.
func (s *Step) add(f Figures, k, n int) {
	mean := func(to **float64, v *float64) {
		if k > 0 && *to == nil || v == nil {
			*to = nil
			return
		}
		sum := *v / float64(n)
		if *to != nil {
			sum += **to
		}
		*to = &sum
	}
	mean(&s.Kappa, f.Kappa)
	mean(&s.Precision, f.Precision)
	mean(&s.Recall, f.Recall)
	mean(&s.Kendall, f.Kendall)
	mean(&s.F1Error, f.F1Error)
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

// byJudge groups what judges said by judge, in the order of the file.
func byJudge(l *Labels) map[string][]*Judged {
	out := map[string][]*Judged{}
	for i := range l.Judged {
		j := &l.Judged[i]
		out[j.Judge] = append(out[j.Judge], j)
	}
	return out
}

// ask asks the matcher once for each distinct pair of a pull request.
func (v verdicts) ask(ctx context.Context, m bench.Matcher, pull []*Judged) error {
	var pairs []bench.Pair
	for _, j := range pull {
		for _, tool := range slices.Sorted(maps.Keys(j.Tools)) {
			for _, g := range j.Golden {
				for _, c := range j.Tools[tool].Candidates {
					p := bench.Pair{Generated: c, Reference: g.Text}
					if _, asked := v[p]; !asked {
						v[p] = bench.Verdict{}
						pairs = append(pairs, p)
					}
				}
			}
		}
	}
	said, err := m.Match(ctx, pairs)
	if err == nil && len(said) != len(pairs) {
		err = fmt.Errorf("%d verdicts of %d pairs", len(said), len(pairs))
	}
	if err != nil {
		return fmt.Errorf("matching %s: %w", pull[0].PR, err)
	}
	for i, p := range pairs {
		v[p] = said[i]
	}
	return nil
}
