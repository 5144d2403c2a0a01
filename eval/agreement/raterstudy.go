package agreement

import (
	"context"
	"fmt"
	"math"

	"crscore/eval/resample"
	"crscore/internal/limits"
)

// RatedItem is an item that raters graded.
type RatedItem struct {
	// Change is the id of the change that the item belongs to. Intervals draw whole changes.
	Change string
	// Ratings has a number for each rater, NaN where a rater has none.
	Ratings []float64
}

// RaterReport is the agreement of raters with each other.
type RaterReport struct {
	// Raters are the names, in the order of the ratings.
	Raters []string `json:"raters"`
	// Items is the number of items, Complete the number that every rater graded, Changes the
	// number of changes that the items belong to.
	Items    int `json:"items"`
	Complete int `json:"complete"`
	Changes  int `json:"changes"`
	// ICC21, ICC31, ICC2K, ICC3K and Fleiss are over the complete items (see ICCs, FleissKappa).
	ICC21  resample.Estimate `json:"icc_2_1"`
	ICC31  resample.Estimate `json:"icc_3_1"`
	ICC2K  resample.Estimate `json:"icc_2_k"`
	ICC3K  resample.Estimate `json:"icc_3_k"`
	Fleiss resample.Estimate `json:"fleiss_kappa"`
	// AlphaNominal, AlphaOrdinal and AlphaInterval are Krippendorff's α over all items.
	AlphaNominal  resample.Estimate `json:"alpha_nominal"`
	AlphaOrdinal  resample.Estimate `json:"alpha_ordinal"`
	AlphaInterval resample.Estimate `json:"alpha_interval"`
	// Each has a rater beside the others.
	Each []RaterAlone `json:"each"`
	// Pairs has every two raters.
	Pairs []RaterPair `json:"pairs"`
	// Truth is the column that is right, and Graded has the others beside it (see
	// StudyGrades). Both are empty where no column is said to be right.
	Truth  string        `json:"truth,omitempty"`
	Graded []GradedRater `json:"graded,omitempty"`
}

// RaterAlone is a rater beside the mean of the others, which the rater is no part of.
type RaterAlone struct {
	// Rater is the name.
	Rater string `json:"rater"`
	// ICC is ICC(2,1) of the rater and the mean of the others, over the complete items.
	ICC resample.Estimate `json:"icc_2_1_with_others"`
}

// RaterPair is the agreement of two raters over the items that both graded.
type RaterPair struct {
	// A and B are the names.
	A string `json:"a"`
	B string `json:"b"`
	// Kappa is Cohen's κ, Quadratic Cohen's κ with quadratic weights.
	Kappa     resample.Estimate `json:"cohen_kappa"`
	Quadratic resample.Estimate `json:"cohen_kappa_quadratic"`
	// Graded compares A's grades with B's, as if B were right.
	Graded Graded `json:"grades"`
	// Undefined says why Graded is empty.
	Undefined string `json:"undefined,omitempty"`
}

// statistic is a number over a table of ratings, and its place in the report.
type statistic struct {
	to *resample.Estimate
	of func(table [][]float64) (float64, error)
}

// StudyRaters measures the agreement of raters. The error is of ctx, of the options, or says
// what is wrong with the ratings: fewer than two or more than limits.Raters raters, rows of
// another length, an infinite number.
func StudyRaters(ctx context.Context, raters []string, items []RatedItem, b Bootstrap) (RaterReport, error) {
	rep := RaterReport{Raters: raters, Items: len(items)}
	if n := len(raters); n < 2 || n > limits.Raters {
		return rep, fmt.Errorf("raters: %d, but an agreement needs from 2 to %d", n, limits.Raters)
	}
	if err := checkItems(raters, items); err != nil {
		return rep, err
	}
	table := tableOf(items)
	rep.Complete = len(complete(table))
	var err error
	rep.Changes, err = estimate(ctx, items, rep.statistics(table), b)
	return rep, err
}

// checkItems returns what is wrong with the ratings of a study.
func checkItems(raters []string, items []RatedItem) error {
	for i, item := range items {
		if len(item.Ratings) != len(raters) {
			return fmt.Errorf("item %d has %d ratings, and there are %d raters", i+1, len(item.Ratings), len(raters))
		}
		for j, v := range item.Ratings {
			if math.IsInf(v, 0) {
				return fmt.Errorf("item %d: the rating of %s is infinite", i+1, raters[j])
			}
		}
	}
	return nil
}

func tableOf(items []RatedItem) [][]float64 {
	table := make([][]float64, len(items))
	for i, item := range items {
		table[i] = item.Ratings
	}
	return table
}

// estimate computes statistics with their intervals, and returns the number of changes.
func estimate(ctx context.Context, items []RatedItem, all []statistic, b Bootstrap) (changes int, err error) {
	table := tableOf(items)
	for _, s := range all {
		v, err := s.of(table)
		if err != nil {
			*s.to = resample.None(err.Error())
			continue
		}
		*s.to = resample.Estimate{Value: &v}
	}
	cluster, changes := resample.Clusters(items, func(r RatedItem) string { return r.Change })
	samples, err := b.Draw(ctx, changes, len(all), func() func([]int32, []float64) {
		drawnTable := make([][]float64, 0, len(table))
		return func(drawn []int32, out []float64) {
			drawnTable = drawnTable[:0]
			for i, row := range table {
				for range drawn[cluster[i]] {
					drawnTable = append(drawnTable, row)
				}
			}
			for k, s := range all {
				v, err := s.of(drawnTable)
				if err != nil {
					v = math.NaN()
				}
				out[k] = v
			}
		}
	})
	if err != nil {
		return changes, err
	}
	for k, s := range all {
		s.to.SetInterval(samples[k], changes)
	}
	return changes, nil
}

// statistics are the numbers of the report. It makes room for those of each rater and pair.
func (rep *RaterReport) statistics(table [][]float64) []statistic {
	icc := func(pick func(ICCs) float64) func([][]float64) (float64, error) {
		return func(t [][]float64) (float64, error) {
			v, err := ICC(complete(t))
			return pick(v), err
		}
	}
	alpha := func(d Distance) func([][]float64) (float64, error) {
		return func(t [][]float64) (float64, error) { return KrippendorffAlpha(t, d) }
	}
	all := []statistic{
		{&rep.ICC21, icc(func(v ICCs) float64 { return v.Agreement1 })},
		{&rep.ICC31, icc(func(v ICCs) float64 { return v.Consistency1 })},
		{&rep.ICC2K, icc(func(v ICCs) float64 { return v.AgreementK })},
		{&rep.ICC3K, icc(func(v ICCs) float64 { return v.ConsistencyK })},
		{&rep.Fleiss, func(t [][]float64) (float64, error) { return FleissKappa(complete(t)) }},
		{&rep.AlphaNominal, alpha(Nominal)}, {&rep.AlphaOrdinal, alpha(Ordinal)}, {&rep.AlphaInterval, alpha(Interval)},
	}
	n := len(rep.Raters)
	rep.Each, rep.Pairs = make([]RaterAlone, n), make([]RaterPair, 0, n*(n-1)/2)
	for j, name := range rep.Raters {
		rep.Each[j].Rater = name
		all = append(all, statistic{&rep.Each[j].ICC, func(t [][]float64) (float64, error) {
			v, err := ICC(besideOthers(complete(t), j))
			return v.Agreement1, err
		}})
	}
	for i, a := range rep.Raters {
		for j := i + 1; j < n; j++ {
			rep.Pairs = append(rep.Pairs, RaterPair{A: a, B: rep.Raters[j]})
			p := &rep.Pairs[len(rep.Pairs)-1]
			var err error
			if p.Graded, err = Grade(both(table, i, j)); err != nil {
				p.Undefined = err.Error()
			}
			kappa := func(d Distance) func([][]float64) (float64, error) {
				return func(t [][]float64) (float64, error) {
					x, y := both(t, i, j)
					return CohenKappa(x, y, d)
				}
			}
			all = append(all, statistic{&p.Kappa, kappa(Nominal)}, statistic{&p.Quadratic, kappa(Interval)})
		}
	}
	return all
}

// complete keeps the rows without a missing rating.
func complete(table [][]float64) [][]float64 {
	var out [][]float64
	for _, row := range table {
		if !hasNaN(row) {
			out = append(out, row)
		}
	}
	return out
}

func hasNaN(row []float64) bool {
	for _, v := range row {
		if math.IsNaN(v) {
			return true
		}
	}
	return false
}

// both are the ratings of two raters for the items that both graded.
func both(table [][]float64, i, j int) (x, y []float64) {
	for _, row := range table {
		if !math.IsNaN(row[i]) && !math.IsNaN(row[j]) {
			x, y = append(x, row[i]), append(y, row[j])
		}
	}
	return x, y
}

// besideOthers has a column for a rater, and a column for the mean of the others.
func besideOthers(table [][]float64, rater int) [][]float64 {
	out := make([][]float64, len(table))
	for i, row := range table {
		sum := 0.0
		for j, v := range row {
			if j != rater {
				sum += v
			}
		}
		out[i] = []float64{row[rater], sum / float64(len(row)-1)}
	}
	return out
}
