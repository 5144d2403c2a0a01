package calibration

import (
	"context"
	"math"

	"crscore/eval/agreement"
	"crscore/score"
)

// roundParameter keeps four digits after the decimal point. No τ is known to more digits.
func roundParameter(v float64) float64 { return math.Round(v*1e4) / 1e4 }

// nearest is the measure of the paper's rule: the mean over sentences of the best
// similarity. It does not depend on the rule.
type nearest struct {
	sum     []float64 // a value for each change
	count   []int
	reviews int
}

// nearestMean takes the sentences of one system, or of all systems without the human
// reference.
func (t *Table) nearestMean(system string) *nearest {
	n := &nearest{sum: make([]float64, len(t.changes)), count: make([]int, len(t.changes))}
	t.each(func(i int, _ *change, r *review) {
		if r.unscored || system == "" && r.system == agreement.HumanReference || system != "" && r.system != system {
			return
		}
		if len(r.sentences) > 0 {
			n.reviews++
		}
		for _, v := range r.sentences {
			n.sum[i] += float64(v)
		}
		n.count[i] += len(r.sentences)
	})
	return n
}

func (n *nearest) name() string { return "mean best similarity" }
func (n *nearest) size() int    { return len(n.sum) }

func (n *nearest) used() []bool {
	used := make([]bool, len(n.count))
	for i, c := range n.count {
		used[i] = c > 0
	}
	return used
}

func (n *nearest) worker() worker      { return n }
func (n *nearest) set(rule score.Rule) {}

func (n *nearest) value(w weights) float64 {
	sum, count := 0.0, 0
	for i, k := range w {
		sum += float64(k) * n.sum[i]
		count += int(k) * n.count[i]
	}
	return sum / float64(count)
}

func (n *nearest) heldOut(_ []score.Rule, fold []int) float64 { return n.value(inFolds(fold)) }

// fitter uses the mean as τ (section 4.3 of the paper).
func (n *nearest) fitter() fitter {
	return fitter{measure: n, steps: n.size(), fit: func(_ context.Context, ws []weights) ([]fitted, error) {
		out := make([]fitted, len(ws))
		for i, w := range ws {
			v := n.value(w)
			out[i] = fitted{score.Rule{Mode: score.Hard, Tau: min(roundParameter(v), 1)}, v}
		}
		return out, nil
	}}
}

// likelihood is the measure of Platt scaling: the mean over pairs of the logarithm of the
// probability that mode calibrated gives to the annotators' decision. The maximum is 0.
type likelihood struct{ *linked }

func (l likelihood) name() string   { return "mean log-likelihood of linked pairs" }
func (l likelihood) size() int      { return l.count }
func (l likelihood) worker() worker { return &likelihoodWorker{l, score.Rule{}} }

type likelihoodWorker struct {
	likelihood
	rule score.Rule
}

func (w *likelihoodWorker) set(rule score.Rule) { w.rule = rule }

func (w *likelihoodWorker) value(ws weights) float64 {
	sum, n := 0.0, 0
	for i, k := range ws {
		if k > 0 {
			sum += float64(k) * logs(w.pairs[i], w.rule)
			n += int(k) * len(w.pairs[i])
		}
	}
	return sum / float64(n)
}

// logs returns the logarithm of the probability of a change's links.
func logs(pairs []pair, r score.Rule) (sum float64) {
	for _, p := range pairs {
		odds := r.Slope * (float64(p.similarity) - r.Tau)
		if p.addressed {
			odds = -odds
		}
		sum -= softplus(odds)
	}
	return sum
}

// softplus returns log(1+exp(x)) without overflow.
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func (l likelihood) heldOut(rules []score.Rule, fold []int) float64 {
	sum, n := 0.0, 0
	for i, k := range fold {
		if k >= 0 {
			sum += logs(l.pairs[i], rules[k])
			n += len(l.pairs[i])
		}
	}
	return sum / float64(n)
}

// fitter fits slope and τ by logistic regression of the links on the similarity. A curve
// that falls, or that is ½ outside [0,1], gives no rule and no value.
func (l likelihood) fitter() fitter {
	const iterations = 8 // an estimate, from a good start
	nothing := "the curve of links over similarity does not rise, or is ½ at no similarity from 0 to 1"
	return fitter{measure: l, nothing: nothing, steps: iterations * l.count, fit: func(ctx context.Context, ws []weights) ([]fitted, error) {
		out := make([]fitted, len(ws))
		start := line{}
		worker := l.worker()
		for i, w := range ws {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			found, ok := l.logistic(w, start)
			if i == 0 && ok {
				start = found
			}
			r, usable := found.rule()
			out[i] = fitted{r, math.NaN()}
			if ok && usable {
				worker.set(r)
				out[i].value = worker.value(w)
			}
		}
		return out, nil
	}}
}

// line is the log-odds of a link: slope*similarity + offset.
type line struct{ slope, offset float64 }

// rule returns mode calibrated with this line; false if the line gives no rule.
func (l line) rule() (score.Rule, bool) {
	r := score.Rule{Mode: score.Calibrated, Slope: roundParameter(l.slope), Tau: roundParameter(-l.offset / l.slope)}
	return r, r.Check() == nil
}

// logistic maximises the likelihood of the links by Newton's method with halved steps (Lin,
// Lin & Weng 2007). As in Platt's method, the targets are a little inside 0 and 1, so that
// the slope is finite even for separable links. It returns false if there is only one
// class, or without convergence.
func (l likelihood) logistic(w weights, start line) (line, bool) {
	var yes, no float64
	for i, k := range w {
		for _, p := range l.pairs[i] {
			if p.addressed {
				yes += float64(k)
			} else {
				no += float64(k)
			}
		}
	}
	if yes == 0 || no == 0 {
		return start, false
	}
	target := [2]float64{1 / (no + 2), (yes + 1) / (yes + 2)}
	of := func(p pair) float64 {
		if p.addressed {
			return target[1]
		}
		return target[0]
	}
	loss := func(m line) (sum float64) {
		for i, k := range w {
			if k == 0 {
				continue
			}
			for _, p := range l.pairs[i] {
				odds := m.slope*float64(p.similarity) + m.offset
				sum += float64(k) * (softplus(odds) - of(p)*odds)
			}
		}
		return sum
	}
	now := start
	if now == (line{}) {
		now.offset = math.Log((yes + 1) / (no + 1))
	}
	value := loss(now)
	for range 100 {
		const ridge = 1e-12
		var g line
		var ss, so, oo float64 = ridge, 0, ridge // the Hessian
		for i, k := range w {
			if k == 0 {
				continue
			}
			for _, p := range l.pairs[i] {
				s := float64(p.similarity)
				q := 1 / (1 + math.Exp(-now.slope*s-now.offset))
				d, v := float64(k)*(q-of(p)), float64(k)*q*(1-q)
				g.slope, g.offset = g.slope+d*s, g.offset+d
				ss, so, oo = ss+v*s*s, so+v*s, oo+v
			}
		}
		if math.Abs(g.slope) < 1e-7*(yes+no) && math.Abs(g.offset) < 1e-7*(yes+no) {
			return now, true
		}
		det := ss*oo - so*so
		step := line{-(oo*g.slope - so*g.offset) / det, -(ss*g.offset - so*g.slope) / det}
		if notFinite(step.slope) || notFinite(step.offset) { // all similarities are the same
			return now, false
		}
		descent := g.slope*step.slope + g.offset*step.offset
		for size := 1.0; ; size /= 2 {
			if size < 1e-10 {
				return now, false
			}
			next := line{now.slope + size*step.slope, now.offset + size*step.offset}
			if v := loss(next); v <= value+1e-4*size*descent+1e-12*value {
				now, value = next, v
				break
			}
		}
	}
	return now, false
}
