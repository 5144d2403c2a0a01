package agreement

import (
	"encoding/json"
	"fmt"
	"testing"
)

func TestFindWorst(t *testing.T) {
	// Twenty reviews with the metric 0 to 19 and the label 3, but for some at the ends.
	rows := func() (rows []Row) {
		for i := range 20 {
			rows = append(rows, Row{Change: fmt.Sprintf("c%02d", i/2), Review: fmt.Sprint("s", i%2), Metric: &Scores{Rel: float64(i)}, Human: &Scores{3, 3, 3}})
		}
		for _, i := range []int{1, 3, 4} {
			rows[i].Human.Rel = 5
		}
		rows[0].Human.Rel = 4.5 // counts as 5
		for _, i := range []int{15, 17, 19} {
			rows[i].Human.Rel = 1
		}
		return rows
	}
	keep := NewKeep[string](2)
	asked := 0
	for _, r := range append(rows(), Row{Change: "x", Review: HumanReference, Metric: &Scores{}, Human: &Scores{5, 5, 5}}, Row{Change: "y", Human: &Scores{5, 5, 5}}) {
		keep.Offer(r, func() string { asked++; return r.Change + r.Review })
	}
	w, err := FindWorst(rows(), 2)
	if err != nil {
		t.Fatal(err)
	}
	if *w.FirstQuintile != 3 || *w.FourthQuintile != 16 || w.Underrated.Reviews != 3 || w.Overrated.Reviews != 2 || len(w.Underrated.Cases) != 2 || asked != 5 {
		t.Errorf("%+v, evidence asked for %d times", w, asked)
	}
	for i, want := range []struct {
		cases []Case
		id    string
		ranks float64 // of people less of the metric
	}{
		{w.Underrated.Cases[:1], "c00s0", 18.5 - 1}, {w.Underrated.Cases[1:], "c00s1", 18.5 - 2},
		{w.Overrated.Cases[:1], "c09s1", 2 - 20}, {w.Overrated.Cases[1:], "c08s1", 2 - 18},
	} {
		c := want.cases[0]
		evidence, ok := keep.Of(c.ReviewID)
		if c.Change+c.Review != want.id || !near(c.RankDifference, want.ranks/20) || !ok || evidence != want.id {
			t.Errorf("case %d: %+v with evidence %q, want %s", i, c, evidence, want.id)
		}
	}
	if _, ok := keep.Of(ReviewID{"c01", "s1"}); ok {
		t.Error("more evidence was kept than was asked for")
	}

	// What is tied with a fifth belongs to it.
	tied := rows()
	tied[4].Metric.Rel, tied[15].Metric.Rel = 3, 16
	if w, err := FindWorst(tied, 9); err != nil || w.Underrated.Reviews != 4 || w.Overrated.Reviews != 3 || w.Underrated.Cases[2].Review != "s1" {
		t.Errorf("tied: %+v, %v", w, err)
	}
	// Where most values are the same, these are no reason to call a review overrated.
	for i := range 18 {
		tied[i].Metric.Rel = 9
	}
	if w, err := FindWorst(tied, 9); err != nil || *w.FirstQuintile != 9 || *w.FourthQuintile != 18 || w.Underrated.Reviews != 4 || w.Overrated.Reviews != 1 {
		t.Errorf("18 of 20 are the same: %+v, %v", w, err)
	}
	for _, r := range tied[18:] {
		r.Metric.Rel = 8
	}
	if w, err := FindWorst(tied, 9); err != nil || *w.FirstQuintile != 8 || *w.FourthQuintile != 9 || w.Underrated.Reviews != 0 || w.Overrated.Reviews != 2 {
		t.Errorf("18 of 20 are the same, and the best: %+v, %v", w, err)
	}
	for i := range tied {
		tied[i].Metric.Rel = 9
	}
	w, err = FindWorst(tied, 9)
	if b, _ := json.Marshal(w.Underrated); err != nil || w.Undefined != "all scores are tied" || string(b) != `{"reviews":0,"cases":[]}` {
		t.Errorf("all are the same: %+v, %v", w, err)
	}
}
