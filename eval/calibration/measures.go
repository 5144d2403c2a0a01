package calibration

import (
	"math"

	"crscore/eval/agreement"
	"crscore/score"
)

// labelled are the reviews with labels and scores.
type labelled struct {
	t       *Table
	changes []*change
	reviews []*review
	of      []int32 // the index of each review's change
	human   [3]levels
}

// dimensions are the three numbers of a score.
var dimensions = [3]func(agreement.Scores) float64{
	func(s agreement.Scores) float64 { return s.Con },
	func(s agreement.Scores) float64 { return s.Comp },
	func(s agreement.Scores) float64 { return s.Rel },
}

const rel = 2 // the index of Rel in dimensions

// rankedBy returns the measure of rank agreement: Spearman's ρ of Rel with the labels. A
// review that is unscored with some of the weights is left out with all weights.
func (t *Table) rankedBy(weights []score.Weights) *labelled {
	l := &labelled{t: t}
	var human [3][]float64
	t.each(func(i int, c *change, r *review) {
		if r.human == nil || r.system == agreement.HumanReference || !t.scorable(c, r, weights) {
			return
		}
		l.changes, l.reviews, l.of = append(l.changes, c), append(l.reviews, r), append(l.of, int32(i))
		for d, of := range dimensions {
			human[d] = append(human[d], of(*r.human))
		}
	})
	for d := range dimensions {
		l.human[d] = levelsOf(human[d])
	}
	return l
}

// each calls f for all reviews in order.
func (t *Table) each(f func(change int, c *change, r *review)) {
	for i := range t.changes {
		c := &t.changes[i]
		for j := range c.reviews {
			f(i, c, &c.reviews[j])
		}
	}
}

// scorable reports whether a review has a score with all of the weights.
func (t *Table) scorable(c *change, r *review, weights []score.Weights) bool {
	for _, w := range weights {
		heaviest := 0.0
		for _, k := range c.kinds {
			heaviest = max(heaviest, w.Of(t.kinds[k].Kind, t.kinds[k].Source))
		}
		if heaviest == 0 {
			return false
		}
	}
	return !r.unscored
}

func (l *labelled) name() string { return "Spearman of rel" }
func (l *labelled) size() int    { return len(l.reviews) }

func (l *labelled) used() []bool {
	used := make([]bool, len(l.t.changes))
	for _, c := range l.of {
		used[c] = true
	}
	return used
}

func (l *labelled) worker() worker { return &rankWorker{labelled: l} }

type rankWorker struct {
	*labelled
	ranker
	sorter sorter
	rel    []float64
	level  levels
}

func (w *rankWorker) set(rule score.Rule) {
	s := w.t.scorer(rule)
	w.rel = w.rel[:0]
	for i, r := range w.reviews {
		v, _ := s.score(w.changes[i], r)
		w.rel = append(w.rel, v.Rel)
	}
	w.level = w.sorter.levels(w.rel)
}

func (w *rankWorker) value(ws weights) float64 {
	return w.spearman(w.level, w.human[rel], w.of, ws)
}

// scoresOf returns Rel for the reviews in folds. Each review has the rule that was fitted
// without its fold.
func (l *labelled) scoresOf(rules []score.Rule, fold []int) levels {
	scorers := make([]scorer, len(rules))
	for k, r := range rules {
		scorers[k] = l.t.scorer(r)
	}
	values := make([]float64, len(l.reviews))
	for i, r := range l.reviews {
		if k := fold[l.of[i]]; k >= 0 {
			v, _ := scorers[k].score(l.changes[i], r)
			values[i] = v.Rel
		}
	}
	return levelsOf(values)
}

func (l *labelled) heldOut(rules []score.Rule, fold []int) float64 {
	return new(ranker).spearman(l.scoresOf(rules, fold), l.human[rel], l.of, inFolds(fold))
}

// inFolds returns weight 1 for the changes that are in a fold, else 0.
func inFolds(fold []int) weights {
	w := make(weights, len(fold))
	for i, f := range fold {
		if f >= 0 {
			w[i] = 1
		}
	}
	return w
}

// linked are the pairs of reviews and references that annotators checked.
type linked struct {
	t         *Table
	pairs     [][]pair // a list for each change
	count     int
	positives int
	reviews   int // reviews that have pairs
}

// linkedPairs returns the pairs of all systems.
func (t *Table) linkedPairs() *linked {
	l := &linked{t: t, pairs: make([][]pair, len(t.changes))}
	t.each(func(i int, _ *change, r *review) {
		if r.system == agreement.HumanReference {
			return
		}
		l.pairs[i] = append(l.pairs[i], r.pairs...)
		l.count += len(r.pairs)
		if len(r.pairs) > 0 {
			l.reviews++
		}
		for _, p := range r.pairs {
			if p.addressed {
				l.positives++
			}
		}
	})
	return l
}

func (l *linked) used() []bool {
	used := make([]bool, len(l.pairs))
	for i, p := range l.pairs {
		used[i] = len(p) > 0
	}
	return used
}

// found holds numbers of pairs: linked, above a threshold, and both.
type found struct{ linked, above, right int }

func count(pairs []pair, tau float64) (f found) {
	t := float32(tau) // the type of the similarities, so that the comparison is the same as in scores
	for _, p := range pairs {
		if p.addressed {
			f.linked++
		}
		if p.similarity > t {
			f.above++
			if p.addressed {
				f.right++
			}
		}
	}
	return f
}

func (f *found) add(g found, times int) {
	f.linked += times * g.linked
	f.above += times * g.above
	f.right += times * g.right
}

// precision, recall and f1 are NaN where they are undefined. f1 is 0 where no match is
// right.
func (f found) precision() float64 { return float64(f.right) / float64(f.above) }
func (f found) recall() float64    { return float64(f.right) / float64(f.linked) }
func (f found) f1() float64 {
	if f.linked == 0 {
		return math.NaN()
	}
	return 2 * float64(f.right) / float64(f.above+f.linked)
}

// matching is the measure of rule f1: the F1 of matched pairs against linked pairs.
type matching struct{ *linked }

func (m matching) name() string { return "F1 of linked pairs" }

// size is the number of changes and not of pairs: a worker reads the pairs once for all
// weights.
func (m matching) size() int { return len(m.pairs) }

func (m matching) worker() worker {
	return &matchWorker{matching: m, found: make([]found, len(m.pairs))}
}

type matchWorker struct {
	matching
	found []found // a value for each change
}

func (w *matchWorker) set(rule score.Rule) {
	for i, p := range w.pairs {
		w.found[i] = count(p, rule.Tau)
	}
}

func (w *matchWorker) value(ws weights) float64 {
	var all found
	for i, k := range ws {
		all.add(w.found[i], int(k))
	}
	return all.f1()
}

func (m matching) heldOut(rules []score.Rule, fold []int) float64 {
	var all found
	for i, k := range fold {
		if k >= 0 {
			all.add(count(m.pairs[i], rules[k].Tau), 1)
		}
	}
	return all.f1()
}
