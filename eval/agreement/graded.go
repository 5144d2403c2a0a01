package agreement

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"

	"crscore/eval/resample"
	"crscore/internal/limits"
)

// GradedRater says how a column of numbers, grades or scores of any kind, tells the grades of
// a column that is right.
type GradedRater struct {
	// Rater is the name of the column. Items is the number of items with both numbers.
	Rater string `json:"rater"`
	Items int    `json:"items"`
	// Distances has every two grades of the column that is right.
	Distances []GradeDistance `json:"distances"`
	// Halves are the cut points that turn the numbers into grades, fitted on each half of the
	// changes, and HeldOut the grades of all items by the cut points of the other half.
	Halves  []Cuts `json:"cuts"`
	HeldOut Graded `json:"held_out"`
	// Quadratic is Cohen's κ with quadratic weights of the grades in HeldOut.
	Quadratic resample.Estimate `json:"held_out_kappa_quadratic"`
	// Undefined says why there are no cut points, empty if there are.
	Undefined string `json:"undefined,omitempty"`
}

// GradeDistance is the Kolmogorov-Smirnov distance between the numbers of the items with grade
// A and the numbers of the items with grade B, from 0 (the same distribution) to 1.
type GradeDistance struct {
	A        float64           `json:"a"`  // the lower grade
	B        float64           `json:"b"`  // the higher grade
	Distance resample.Estimate `json:"ks"` // from 0 to 1
}

// StudyGrades measures how the other columns tell the grades of the column truth. Cut points
// are fitted on a half of the changes, by a hash of their ids and the seed, and shown on the
// other half: on the same items they would be flattered. The error is of ctx, of the options,
// or says that truth is no column of grades.
func StudyGrades(ctx context.Context, raters []string, truth string, items []RatedItem, b Bootstrap) ([]GradedRater, error) {
	at := slices.Index(raters, truth)
	if at < 0 {
		return nil, fmt.Errorf("there is no column %q (columns: %v)", truth, raters)
	}
	if err := checkItems(raters, items); err != nil {
		return nil, err
	}
	var out []GradedRater
	for j, name := range raters {
		if j == at {
			continue
		}
		pairs := slices.DeleteFunc(slices.Clone(items), func(r RatedItem) bool { return hasNaN([]float64{r.Ratings[j], r.Ratings[at]}) })
		g, err := studyGrades(ctx, pairs, j, at, b)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", name, err)
		}
		g.Rater = name
		out = append(out, g)
	}
	return out, nil
}

func studyGrades(ctx context.Context, items []RatedItem, j, truth int, b Bootstrap) (g GradedRater, err error) {
	g.Items = len(items)
	_, right := both(tableOf(items), j, truth)
	grades := slices.Compact(slices.Sorted(slices.Values(right)))
	if len(grades) > limits.TruthGrades {
		return g, fmt.Errorf("the column that is right has %d different numbers, and at most %d are grades", len(grades), limits.TruthGrades)
	}
	var all []statistic
	g.Distances = make([]GradeDistance, 0, len(grades)*(len(grades)-1)/2)
	for i, x := range grades {
		for _, y := range grades[i+1:] {
			g.Distances = append(g.Distances, GradeDistance{A: x, B: y})
			all = append(all, statistic{&g.Distances[len(g.Distances)-1].Distance, func(t [][]float64) (float64, error) {
				return KolmogorovSmirnov(withGrade(t, j, truth, x), withGrade(t, j, truth, y))
			}})
		}
	}
	if _, err := estimate(ctx, items, all, b); err != nil {
		return g, err
	}
	given, err := g.holdOut(items, j, truth, b.Seed)
	if err != nil {
		g.Undefined, g.Quadratic = err.Error(), resample.None(err.Error())
		return g, nil
	}
	if g.HeldOut, err = Grade(given, right); err != nil {
		return g, err
	}
	graded := make([]RatedItem, len(items))
	for i := range items {
		graded[i] = RatedItem{Change: items[i].Change, Ratings: []float64{given[i], right[i]}}
	}
	_, err = estimate(ctx, graded, []statistic{{&g.Quadratic, func(t [][]float64) (float64, error) {
		x, y := both(t, 0, 1)
		return CohenKappa(x, y, Interval)
	}}}, b)
	return g, err
}

// holdOut grades each half of the items by the cut points of the other half.
func (g *GradedRater) holdOut(items []RatedItem, j, truth int, seed uint64) ([]float64, error) {
	half, changes := halves(items, seed)
	if changes < 2 {
		return nil, fmt.Errorf("cut points: %w: the items belong to one change, and halves are of changes", ErrTooFew)
	}
	given := make([]float64, len(items))
	for h := range 2 {
		var scores, right []float64
		for i, item := range items {
			if half[i] == h {
				scores, right = append(scores, item.Ratings[j]), append(right, item.Ratings[truth])
			}
		}
		cuts, err := FitCuts(scores, right)
		if err != nil {
			return nil, fmt.Errorf("half %d of the changes: %w", h+1, err)
		}
		g.Halves = append(g.Halves, cuts)
		for i, item := range items {
			if half[i] != h {
				given[i] = cuts.Grade(item.Ratings[j])
			}
		}
	}
	return given, nil
}

// halves deals the changes of items to two halves, in the order of a hash of id and seed.
func halves(items []RatedItem, seed uint64) (of []int, changes int) {
	type change struct {
		id   string
		hash [sha256.Size]byte
	}
	seen := make(map[string]bool)
	var all []change
	for _, item := range items {
		if !seen[item.Change] {
			seen[item.Change] = true
			all = append(all, change{item.Change, sha256.Sum256(fmt.Appendf(nil, "%d %s", seed, item.Change))})
		}
	}
	slices.SortFunc(all, func(a, b change) int { return cmp.Or(bytes.Compare(a.hash[:], b.hash[:]), cmp.Compare(a.id, b.id)) })
	half := make(map[string]int, len(all))
	for i, c := range all {
		half[c.id] = i % 2
	}
	of = make([]int, len(items))
	for i, item := range items {
		of[i] = half[item.Change]
	}
	return of, len(all)
}

// withGrade are the numbers of column j of the items whose column truth has a grade.
func withGrade(table [][]float64, j, truth int, grade float64) (out []float64) {
	for _, row := range table {
		if row[truth] == grade && !math.IsNaN(row[j]) {
			out = append(out, row[j])
		}
	}
	return out
}
