package revision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"crscore/eval/resample"
	"crscore/internal/dataset"
	"crscore/internal/limits"
)

// Instances says which rows count.
type Instances string

const (
	// All rows count. The drops are over those whose original the tool solved.
	All Instances = "all"
	// Own are the rows whose original the tool solved: S_θ of the paper.
	Own Instances = "own"
	// Common are the rows whose original every tool of the input solved: S_∩.
	Common Instances = "common"
)

// The numbers of a row, and of a part of the rows.
const (
	exm = iota
	em
	ree
	bleu4
	codeBLEU
	dropEXM
	dropEM
	numbers
)

// result is a scored row as far as a study needs it. Its values are NaN where it has none.
type result struct {
	of           string
	perturbation string
	infinite     bool
	values       [numbers]float64
}

// answers are the rows of a tool.
type answers struct {
	tool     string
	unscored int
	rows     []result
	// solved has the originals with scores, and whether an answer was exact.
	solved map[string]bool
}

// Study collects rows and adds them up. The zero value is ready for use.
type Study struct {
	tools []*answers
	by    map[string]*answers
	used  map[[3]string]int // tool, perturbation, id -> line
}

// Add adds a row with its scores, nil for an unscored one. The error is a row that was there
// before, or one beyond the limit.
func (s *Study) Add(rev *dataset.Revision, scores *Scores) error {
	if s.by == nil {
		s.by, s.used = map[string]*answers{}, map[[3]string]int{}
	}
	key := [3]string{rev.Tool, rev.Perturbation, rev.ID}
	if line, twice := s.used[key]; twice {
		return fmt.Errorf("line %d: the row %q of tool %q, perturbation %q, is on line %d too",
			rev.Line, rev.ID, rev.Tool, rev.Perturbation, line)
	}
	if s.used[key] = rev.Line; len(s.used) > limits.RevisionRows {
		return fmt.Errorf("line %d: more than %d rows", rev.Line, limits.RevisionRows)
	}
	t := s.by[rev.Tool]
	if t == nil {
		t = &answers{tool: rev.Tool, solved: map[string]bool{}}
		s.tools, s.by[rev.Tool] = append(s.tools, t), t
	}
	if scores == nil {
		t.unscored++
		return nil
	}
	if rev.Perturbation == "" {
		t.solved[rev.Of] = scores.EXM
	}
	number := map[bool]float64{true: 1}
	r := result{of: rev.Of, perturbation: rev.Perturbation, infinite: scores.InfiniteREE, values: [numbers]float64{
		number[scores.EXM], number[scores.EM], math.NaN(), scores.BLEU4, scores.CodeBLEU.Score,
		100 * (1 - number[scores.EXM]), 100 * (1 - number[scores.EM]),
	}}
	if scores.REE != nil {
		r.values[ree] = *scores.REE
	}
	t.rows = append(t.rows, r)
	return nil
}

// Report adds up the rows that count, and draws originals for the intervals. An error is of the
// draws, of ctx, or of an input without rows.
func (s *Study) Report(ctx context.Context, which Instances, b resample.Bootstrap) (*Report, error) {
	if len(s.tools) == 0 {
		return nil, errors.New("there are no rows")
	}
	draws, err := b.Draws()
	if err != nil {
		return nil, err
	}
	out := &Report{Instances: which, Rows: len(s.used), Resamples: draws, Seed: b.Seed}
	for _, t := range s.tools {
		one := &ToolReport{Name: cmp.Or(t.tool, "(no name)"), Unscored: t.unscored}
		rows := s.counted(t, which, one)
		for _, name := range slices.Sorted(maps.Keys(rows)) {
			n, err := numbersOf(ctx, name, rows[name], b)
			if err != nil {
				return nil, err
			}
			one.Perturbations = append(one.Perturbations, n)
			if v := n.DropEXM.Value; v != nil && (one.WorstDropEXM == nil || *v > *one.WorstDropEXM) {
				one.Worst, one.WorstDropEXM = n.Perturbation, v
			}
		}
		out.Tools = append(out.Tools, one)
		out.Unscored, out.WithoutOriginal = out.Unscored+one.Unscored, out.WithoutOriginal+one.WithoutOriginal
	}
	return out, nil
}

// counted are the rows of a tool that count, by their perturbation. It counts the others in a report.
func (s *Study) counted(t *answers, which Instances, in *ToolReport) map[string][]result {
	rows := map[string][]result{}
	for _, r := range t.rows {
		solved, known := t.solved[r.of]
		if !known {
			in.WithoutOriginal++
		}
		if solved && which == Common {
			solved = !slices.ContainsFunc(s.tools, func(other *answers) bool { return !other.solved[r.of] })
		}
		if !solved || r.perturbation == "" {
			r.values[dropEXM], r.values[dropEM] = math.NaN(), math.NaN()
		}
		if solved || which == All {
			rows[r.perturbation] = append(rows[r.perturbation], r)
		}
	}
	return rows
}

// numbersOf are the numbers of a tool's rows of a perturbation.
func numbersOf(ctx context.Context, name string, rows []result, b resample.Bootstrap) (*Numbers, error) {
	of, originals := resample.Clusters(rows, func(r result) string { return r.of })
	means := func(drawn []int32, sums []float64) {
		var counts [numbers]float64
		clear(sums)
		for i := range rows {
			weight := float64(drawn[of[i]])
			for k, v := range rows[i].values {
				if weight > 0 && !math.IsNaN(v) {
					sums[k] += float64(weight * v) // rounded, so that all processors give the same
					counts[k] += weight
				}
			}
		}
		for k := range sums {
			sums[k] /= counts[k] // NaN of none
		}
	}
	worker := func() func([]int32, []float64) { return means }
	estimates, err := b.Estimates(ctx, originals, numbers, worker, func(k int) string { return undefined(name, k) })
	if err != nil {
		return nil, err
	}
	n := &Numbers{Perturbation: name, Rows: len(rows)}
	for _, r := range rows {
		if r.infinite {
			n.InfiniteREE++
		}
		if !math.IsNaN(r.values[dropEXM]) {
			n.Solved++
		}
	}
	for k, e := range n.estimates() {
		*e = estimates[k]
	}
	return n, nil
}

// undefined is the reason why a number has no rows.
func undefined(perturbation string, number int) string {
	switch {
	case number == ree:
		return "no answer with EM has a finite REE"
	case perturbation == "":
		return "the originals are not perturbed"
	}
	return "no original is known to be solved"
}
