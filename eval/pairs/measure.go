package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"crscore/eval/agreement"
	"crscore/eval/resample"
	"crscore/internal/dataset"
	"crscore/score"
	"crscore/sts"
)

// judged is a labelled review with a metric's numbers, and its links with their similarities.
type judged struct {
	change, system   string
	con, comp, rel   float64
	human            [3]float64 // con, comp, rel
	links, addressed []float64
}

// figures are the columns of the table.
const (
	rhoRel = iota
	rhoCon
	rhoComp
	within
	linkedAUC
	figures
)

// foldsOf deals changes to folds.
func foldsOf(changes, folds int, seed uint64) []int {
	out := make([]int, changes)
	for i, at := range rand.New(rand.NewPCG(seed, 0)).Perm(changes) {
		out[at] = i % folds
	}
	return out
}

func (set *labelled) part(keep func(i int) bool) (out []labelledChange) {
	for i := range set.changes {
		if keep(i) {
			out = append(out, set.changes[i])
		}
	}
	return out
}

// judge scores the labelled reviews of systems against the references of a source. Reviews of
// changes without references have no score.
func (set *labelled) judge(source string, of func(change int) scorer, rule score.Rule) (out []judged, err error) {
	for c := range set.changes {
		change := &set.changes[c]
		p := change.sources[source]
		for r := range change.reviews {
			review := &change.reviews[r]
			if review.human == nil || review.system == dataset.HumanReference || len(p.refs) == 0 {
				continue
			}
			sentences, sim := change.matrix(p, r, of(c))
			one := judged{change: change.id, system: review.system, human: [3]float64{review.human.Con, review.human.Comp, review.human.Rel}}
			switch source {
			case "edited":
				one.addLinks(change, review, sim)
			case "own":
				one.addReaders(change, r, sim)
			}
			sts.CarryAnaphora(sentences, sim)
			result, err := score.Score(sim, len(p.refs), rule)
			if err != nil {
				return nil, fmt.Errorf("change %s, review %s: %w", change.id, review.system, err)
			}
			one.con, one.comp, one.rel = result.Con, result.Comp, result.Rel
			out = append(out, one)
		}
	}
	return out, nil
}

// matrix has the similarities of a review.
func (c *labelledChange) matrix(p *pairs, review int, similarity scorer) (sentences []sts.Sentence, sim [][]float32) {
	for i, s := range c.sentences {
		if s.review != review {
			continue
		}
		row := make([]float32, len(p.refs))
		for j := range row {
			row[j] = float32(similarity(p, i, j))
		}
		sentences, sim = append(sentences, s.Sentence), append(sim, row)
	}
	return sentences, sim
}

// addLinks adds the pairs of a review and a necessary reference.
func (j *judged) addLinks(c *labelledChange, review *labelledReview, sim [][]float32) {
	for ref, yes := range review.addressed {
		if !c.necessary[ref] {
			continue
		}
		best := float32(0)
		for _, row := range sim {
			best = max(best, row[ref])
		}
		label := 0.0
		if yes {
			label = 1
		}
		j.links, j.addressed = append(j.links, float64(best)), append(j.addressed, label)
	}
}

// addReaders adds the pairs of a sentence and a claim of our own. Readers linked a pair whose
// label is at least a half.
func (j *judged) addReaders(c *labelledChange, review int, sim [][]float32) {
	links := c.sources["own"].links
	if links == nil {
		return
	}
	k := 0
	for i, s := range c.sentences {
		if s.review != review {
			continue
		}
		for ref, codes := range links[i] {
			label := 0.0
			if labelOf(codes[0])+labelOf(codes[1]) >= 1 {
				label = 1
			}
			j.links, j.addressed = append(j.links, float64(sim[k][ref])), append(j.addressed, label)
		}
		k++
	}
}

// compareForms returns a line a form: its figures, and the differences to the first form with
// 95% intervals, all from the same draws of changes. The forms are of the same reviews.
func compareForms(ctx context.Context, forms [][]judged, b resample.Bootstrap) ([]string, error) {
	cluster, changes := resample.Clusters(forms[0], func(j judged) string { return j.change })
	samples, err := b.Draw(ctx, changes, figures*len(forms), func() func([]int32, []float64) {
		measures := make([]func([]int32, []float64), len(forms))
		for k, rows := range forms {
			measures[k] = measure(rows, cluster)
		}
		return func(drawn []int32, out []float64) {
			for k, measure := range measures {
				measure(drawn, out[figures*k:figures*(k+1)])
			}
		}
	})
	if err != nil {
		return nil, err
	}
	lines := make([]string, len(forms))
	var was [figures]float64
	measure(forms[0], cluster)(nil, was[:])
	for k, rows := range forms {
		var is [figures]float64
		measure(rows, cluster)(nil, is[:])
		cells := cellsOf(is)
		for f := range figures {
			if k == 0 || math.IsNaN(is[f]) {
				continue
			}
			e := resample.Estimate{Value: new(is[f] - was[f])}
			differences := slices.Clone(samples[figures*k+f])
			for i := range differences {
				differences[i] -= samples[f][i]
			}
			if e.SetInterval(differences, changes); e.Interval != nil {
				cells[f] += fmt.Sprintf(" (%+.3f [%.3f, %.3f])", *e.Value, e.Interval[0], e.Interval[1])
			}
		}
		lines[k] = strings.Join(cells, " | ")
	}
	return lines, nil
}

// alone is the line of rows that are compared with nothing.
func alone(rows []judged) string {
	var is [figures]float64
	measure(rows, make([]int32, len(rows)))(nil, is[:])
	return strings.Join(cellsOf(is), " | ")
}

func cellsOf(values [figures]float64) []string {
	cells := make([]string, figures)
	for f, v := range values {
		cells[f] = fmt.Sprintf("%.3f", v)
		if math.IsNaN(v) {
			cells[f] = "–"
		}
	}
	return cells
}

// measure returns a function that computes the figures of rows, each as often as its cluster was
// drawn; a nil drawn is once. A figure is NaN where it is undefined.
func measure(rows []judged, cluster []int32) func(drawn []int32, out []float64) {
	var all []int
	bySystem := map[string][]int{}
	var links []float64
	var addressed []bool
	var ofLinks []int32
	for i := range rows {
		r := &rows[i]
		all, bySystem[r.system] = append(all, i), append(bySystem[r.system], i)
		links = append(links, r.links...)
		for _, a := range r.addressed {
			addressed, ofLinks = append(addressed, a == 1), append(ofLinks, cluster[i])
		}
	}
	rho := func(chosen []int, numbers func(*judged) (metric, human float64)) func([]int32) float64 {
		x, y, of := make([]float64, len(chosen)), make([]float64, len(chosen)), make([]int32, len(chosen))
		for k, i := range chosen {
			x[k], y[k] = numbers(&rows[i])
			of[k] = cluster[i]
		}
		return agreement.DrawnSpearman(x, y, of)
	}
	rel := func(j *judged) (float64, float64) { return j.rel, j.human[2] }
	var systems []func([]int32) float64
	for _, name := range slices.Sorted(maps.Keys(bySystem)) {
		systems = append(systems, rho(bySystem[name], rel))
	}
	wholes := [...]func([]int32) float64{
		rhoRel:  rho(all, rel),
		rhoCon:  rho(all, func(j *judged) (float64, float64) { return j.con, j.human[0] }),
		rhoComp: rho(all, func(j *judged) (float64, float64) { return j.comp, j.human[1] }),
	}
	auc := agreement.DrawnROCAUC(links, addressed, ofLinks)
	return func(drawn []int32, out []float64) {
		for k, whole := range wholes {
			out[k] = whole(drawn)
		}
		sum, n := 0.0, 0
		for _, system := range systems {
			if rho := system(drawn); !math.IsNaN(rho) {
				sum += rho
				n++
			}
		}
		out[within], out[linkedAUC] = sum/float64(n), auc(drawn)
	}
}

func spearman(x, y []float64) float64 {
	rho, err := agreement.Spearman(x, y)
	if err != nil {
		return math.NaN()
	}
	return rho
}
