package agreement

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// gradedItems are items of changes of four, with a grade, a score that tells it, a constant
// and a column that lacks numbers.
func gradedItems(changes int) []RatedItem {
	var items []RatedItem
	for c := range changes {
		for k := range 4 {
			grade := float64((c+k)%4 + 1)
			lacks := grade
			if k == 0 {
				lacks = math.NaN()
			}
			items = append(items, RatedItem{Change: string(rune('a' + c)), Ratings: []float64{grade, grade / 10, 2, lacks}})
		}
	}
	return items
}

func TestStudyGrades(t *testing.T) {
	names := []string{"people", "score", "flat", "lacks"}
	got, err := StudyGrades(t.Context(), names, "people", gradedItems(12), Bootstrap{Resamples: 100})
	if err != nil || len(got) != 3 {
		t.Fatalf("%+v, %v", got, err)
	}
	score, flat, lacks := got[0], got[1], got[2]
	if score.Rater != "score" || score.HeldOut.Exact != 1 || math.Abs(score.HeldOut.MacroF1-1) > 1e-12 || *score.Quadratic.Value != 1 || score.Items != 48 {
		t.Errorf("a score that tells the grades: %+v", score)
	}
	if len(score.Distances) != 6 || len(score.Halves) != 2 || !slices.Equal(score.Halves[0].Grades, []float64{1, 2, 3, 4}) {
		t.Errorf("%+v", score)
	}
	for _, d := range score.Distances {
		if *d.Distance.Value != 1 || d.A >= d.B {
			t.Errorf("%+v", d)
		}
	}
	if flat.HeldOut.Exact > 0.5 || *flat.Distances[0].Distance.Value != 0 {
		t.Errorf("a constant: %+v", flat)
	}
	if lacks.Items != 36 || lacks.HeldOut.Exact != 1 {
		t.Errorf("a column that lacks numbers: %+v", lacks)
	}
}

// TestStudyGradesErrors: what is no column of grades is an error, and too few changes leave
// the cut points undefined.
func TestStudyGradesErrors(t *testing.T) {
	names := []string{"people", "score", "flat", "lacks"}
	got, err := StudyGrades(t.Context(), names, "people", gradedItems(1), Bootstrap{Resamples: 100})
	if err != nil || !strings.Contains(got[0].Undefined, "one change") || got[0].HeldOut.Items != 0 || got[0].Quadratic.Value != nil {
		t.Errorf("one change: %+v, %v", got, err)
	}
	if _, err := StudyGrades(t.Context(), names, "nobody", gradedItems(2), Bootstrap{}); err == nil || !strings.Contains(err.Error(), `no column "nobody"`) {
		t.Error(err)
	}
	var many []RatedItem
	for i := range 30 {
		many = append(many, RatedItem{Change: string(rune('a' + i)), Ratings: []float64{float64(i), 1}})
	}
	if _, err := StudyGrades(t.Context(), []string{"score", "x"}, "score", many, Bootstrap{Resamples: 100}); err == nil || !strings.Contains(err.Error(), "30 different numbers") {
		t.Error(err)
	}
	many[3].Ratings = many[3].Ratings[:1]
	if _, err := StudyGrades(t.Context(), []string{"score", "x"}, "score", many, Bootstrap{Resamples: 100}); err == nil || !strings.Contains(err.Error(), "item 4 has 1 ratings") {
		t.Error(err)
	}
}

// TestHalves: a change is in one half, the halves are of one size, and they depend on the ids
// and the seed alone.
func TestHalves(t *testing.T) {
	items := gradedItems(10)
	of, changes := halves(items, 1)
	half := map[string]int{}
	sum := 0
	for i, item := range items {
		if h, there := half[item.Change]; there && h != of[i] {
			t.Errorf("change %s is in both halves", item.Change)
		}
		half[item.Change] = of[i]
		sum += of[i]
	}
	if changes != 10 || sum != 20 {
		t.Errorf("%d changes, %d items in a half", changes, sum)
	}
	turned := slices.Clone(items)
	slices.Reverse(turned)
	again, _ := halves(turned, 1)
	slices.Reverse(again)
	if !slices.Equal(of, again) {
		t.Error("the halves depend on the order")
	}
	if other, _ := halves(items, 2); slices.Equal(of, other) {
		t.Error("the halves do not depend on the seed")
	}
}
