package main

import (
	"math"
	"slices"
	"strings"

	"crscore/eval/logistic"
	"crscore/internal/dataset"
)

// byStyle scores reviews by their style alone, without the change: a regression of the label on
// length, questions, modal verbs and code, fitted on the other folds. It is what a metric
// reaches that does not look at the change.
func (set *labelled) byStyle(fold []int, folds int) (out []judged) {
	for f := range folds {
		var samples []logistic.Sample
		for i := range set.changes {
			if fold[i] == f {
				continue
			}
			for _, r := range set.changes[i].reviews {
				if r.human != nil && r.system != dataset.HumanReference {
					samples = append(samples, logistic.Sample{X: style(r.text), Y: (r.human.Rel - 1) / 4, Weight: 1})
				}
			}
		}
		if len(samples) == 0 {
			continue // no labels in the other folds: the reviews of this fold are left out
		}
		m := logistic.Fit(samples, penalty)
		for i := range set.changes {
			if fold[i] != f {
				continue
			}
			for _, r := range set.changes[i].reviews {
				if r.human == nil || r.system == dataset.HumanReference {
					continue
				}
				sum := m.Bias
				for k, x := range style(r.text) {
					sum += m.Features[k].Weight * (x - m.Features[k].Mean) / m.Features[k].Scale
				}
				v := 1 / (1 + math.Exp(-sum))
				human := [3]float64{r.human.Con, r.human.Comp, r.human.Rel}
				out = append(out, judged{change: set.changes[i].id, system: r.system, con: v, comp: v, rel: v, human: human})
			}
		}
	}
	return out
}

// style are numbers that say how a text is written, and nothing of what it is about.
func style(text string) []float64 {
	words := strings.Fields(text)
	share := func(is func(string) bool) float64 {
		n := 0
		for _, w := range words {
			if is(w) {
				n++
			}
		}
		return float64(n) / float64(max(len(words), 1))
	}
	empty := 0.0
	if len(words) == 0 {
		empty = 1
	}
	length := math.Log(1 + float64(len(words)))
	return []float64{
		empty, length, length * length, float64(strings.Count(text, "?")), math.Log(1 + float64(strings.Count(text, "\n"))),
		share(func(w string) bool {
			return slices.Contains([]string{"should", "could", "would", "can", "may", "might", "must"}, strings.ToLower(w))
		}),
		share(func(w string) bool { return strings.ContainsAny(w, "`_(){}=") }),
		share(func(w string) bool { return slices.Contains([]string{"i", "we", "you"}, strings.ToLower(w)) }),
	}
}
