package agreement

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"

	"crscore/internal/limits"
)

// Graded says how well grades agree with the grades that people gave.
type Graded struct {
	// Items is the number of items with both.
	Items int `json:"items"`
	// Exact is the share of equal grades, from 0 to 1.
	Exact float64 `json:"exact"`
	// Constant is the Exact of the answer that is always ConstantGrade, the most frequent
	// grade of people. Where one grade is frequent, Exact says little by itself.
	Constant float64 `json:"constant"`
	// ConstantGrade is the most frequent grade of people; of equal ones the lowest.
	ConstantGrade float64 `json:"constant_grade"`
	// MacroF1 is the mean of F1 over the grades that people gave, from 0 to 1.
	MacroF1 float64 `json:"macro_f1"`
}

// Grade compares grades with people's. The errors are ErrLength, ErrTooFew and ErrNaN.
func Grade(given, people []float64) (Graded, error) {
	switch {
	case len(given) != len(people):
		return Graded{}, fmt.Errorf("grades: %w: %d and %d", ErrLength, len(given), len(people))
	case len(given) == 0:
		return Graded{}, fmt.Errorf("grades: %w: there are no items", ErrTooFew)
	case slices.ContainsFunc(given, math.IsNaN), slices.ContainsFunc(people, math.IsNaN):
		return Graded{}, fmt.Errorf("grades: %w", ErrNaN)
	}
	predicted, actual, both := map[float64]float64{}, map[float64]float64{}, map[float64]float64{}
	out := Graded{Items: len(given)}
	n := float64(len(given))
	for i, g := range given {
		predicted[g]++
		actual[people[i]]++
		if g == people[i] {
			both[g]++
			out.Exact++
		}
	}
	out.Exact /= n
	for _, grade := range slices.Sorted(maps.Keys(actual)) {
		if share := actual[grade] / n; share > out.Constant {
			out.Constant, out.ConstantGrade = share, grade
		}
		out.MacroF1 += 2 * both[grade] / (predicted[grade] + actual[grade]) / float64(len(actual))
	}
	return out, nil
}

// Cuts turn scores into grades: a score has the grade of the number of cuts that it is
// above.
type Cuts struct {
	// Grades are the grades that a score can get, from the lowest up.
	Grades []float64 `json:"grades"`
	// At are the cuts between neighbours, ascending and finite; one fewer than the grades.
	At []float64 `json:"at"`
}

// Grade returns the grade of a score.
func (c Cuts) Grade(score float64) float64 {
	return c.Grades[sort.Search(len(c.At), func(i int) bool { return score <= c.At[i] })]
}

// FitCuts returns the cuts with the highest macro-F1 of the grades that people gave. A grade
// that costs more than it gains is left out. More than limits.GradeCuts different scores are cut at
// quantiles only. The errors are ErrLength, ErrNaN, and ErrConstant where people gave one
// grade.
//
// The F1 of a grade depends on the two cuts around it alone, so the best cuts are found by
// dynamic programming, one grade after the other.
func FitCuts(scores, people []float64) (Cuts, error) {
	switch {
	case len(scores) != len(people):
		return Cuts{}, fmt.Errorf("cut points: %w: %d scores and %d grades", ErrLength, len(scores), len(people))
	case slices.ContainsFunc(scores, math.IsNaN), slices.ContainsFunc(people, math.IsNaN):
		return Cuts{}, fmt.Errorf("cut points: %w", ErrNaN)
	}
	grades := slices.Compact(slices.Sorted(slices.Values(people)))
	if len(grades) < 2 {
		return Cuts{}, fmt.Errorf("cut points: %w: people gave one grade", ErrConstant)
	}
	places := cutPlaces(scores)
	below := countBelow(scores, people, places, grades)
	last := len(places) - 1
	// total[j] is the best sum of F1 for the grades so far, if they end at place j; from
	// [g][j] is the place where grade g begins then.
	total, from := make([]float64, last+1), make([][]int, len(grades))
	for g := range grades {
		next := make([]float64, last+1)
		from[g] = make([]int, last+1)
		for j := range next {
			next[j] = math.Inf(-1)
			for i := 0; i <= j; i++ {
				if g == 0 && i > 0 {
					break
				}
				f1 := 2 * float64(below[g][j]-below[g][i]) / float64(below[len(grades)][j]-below[len(grades)][i]+below[g][last])
				if v := total[i] + f1; v > next[j] {
					next[j], from[g][j] = v, i
				}
			}
		}
		total = next
	}
	var out Cuts
	for g, j := len(grades)-1, last; g >= 0; g-- {
		i := from[g][j]
		if i < j { // else no score has the grade
			out.Grades, out.At = append(out.Grades, grades[g]), append(out.At, places[i])
		}
		j = i
	}
	slices.Reverse(out.Grades)
	slices.Reverse(out.At)
	out.At = out.At[1:] // the lowest grade begins below all scores
	return out, nil
}

// cutPlaces are the places where scores may be cut, from below all scores to above them:
// halfway between neighbours.
func cutPlaces(scores []float64) []float64 {
	values := slices.Compact(slices.Sorted(slices.Values(scores)))
	step := max(1, (len(values)+limits.GradeCuts-1)/limits.GradeCuts)
	places := []float64{math.Inf(-1)}
	for i := step; i < len(values); i += step {
		places = append(places, values[i-1]+(values[i]-values[i-1])/2)
	}
	return append(places, math.Inf(1))
}

// countBelow counts, for each grade and in the last row for all, the items whose score is at
// or below each place.
func countBelow(scores, people, places, grades []float64) [][]int {
	below := make([][]int, len(grades)+1)
	for g := range below {
		below[g] = make([]int, len(places))
	}
	for i, s := range scores {
		at := sort.Search(len(places), func(p int) bool { return s <= places[p] })
		g, _ := slices.BinarySearch(grades, people[i])
		below[g][at]++
		below[len(grades)][at]++
	}
	for _, row := range below {
		for p := 1; p < len(row); p++ {
			row[p] += row[p-1]
		}
	}
	return below
}
