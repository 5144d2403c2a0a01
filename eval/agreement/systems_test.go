package agreement

import (
	"context"
	"strings"
	"testing"
)

func TestRank(t *testing.T) {
	// The metric orders the systems as people do but for the last two.
	metric := []float64{0.1, 0.2, 0.3, 0.5, 0.4}
	var rows []Row
	for c := range 20 {
		for s, v := range metric {
			wobble := float64(c%3) / 100
			rows = append(rows, Row{Change: string(rune('A' + c)), Review: string(rune('a' + s)),
				Metric: &Scores{Con: v + wobble, Comp: v, Rel: 1}, Human: &Scores{float64(1 + s), float64(5 - s), float64(1 + s)}})
		}
	}
	o := Options{Bootstrap: Bootstrap{Resamples: 100}}
	r, err := Rank(context.Background(), rows, o)
	if err != nil {
		t.Fatal(err)
	}
	if !near(*r.Con.Spearman.Value, 0.9) || !near(*r.Con.KendallTauB.Value, 0.8) || !near(*r.Comp.Spearman.Value, -0.9) {
		t.Errorf("con %v %v, comp %v", r.Con.Spearman, r.Con.KendallTauB, r.Comp.Spearman)
	}
	// Every draw gives the same order; scipy has this p for five systems and ρ = 0.9.
	if i := r.Con.Spearman.Interval; !near(i[0], 0.9) || !near(i[1], 0.9) || !near(*r.Con.Spearman.P, 0.03738607346849874) {
		t.Errorf("interval %v, p %v", *i, *r.Con.Spearman.P)
	}
	if r.Rel.Pearson.Value != nil || r.Rel.Pearson.Undefined != "all scores are tied" {
		t.Errorf("tied means: %+v", r.Rel.Pearson)
	}
	if s := r.Systems[3]; s.Name != "d" || s.Reviews != 20 || !near(*s.Means.Con.Metric.Value, 0.5+0.19/20) || *s.Means.Comp.Human.Value != 2 || *s.Means.Comp.Human.Interval != [2]float64{2, 2} {
		t.Errorf("system d: %+v", s)
	}
	if e := r.Systems[3].Means.Con.Metric; e.Interval[0] >= *e.Value || e.Interval[1] <= *e.Value {
		t.Errorf("system d: %v", e)
	}

	// A system that reviewed one change only is in two thirds of the draws.
	rare := append(rows[:len(rows):len(rows)], Row{Change: "A", Review: "rare", Metric: &Scores{}, Human: &Scores{1, 1, 1}})
	r, err = Rank(context.Background(), rare, o)
	if err != nil {
		t.Fatal(err)
	}
	if e := r.Con.Spearman; e.Value == nil || e.Interval != nil || e.Degenerate < 20 || e.Degenerate > 55 {
		t.Errorf("a rare system: %+v", e)
	}

	var two []Row
	for _, row := range rows {
		if row.Review < "c" {
			two = append(two, row)
		}
	}
	r, err = Rank(context.Background(), two, o)
	if err != nil || r.Con.Spearman.Value != nil || !strings.Contains(r.Con.Spearman.Undefined, "systems: 2, need at least 3") || r.Systems[1].Means.Con.Metric.Value == nil {
		t.Errorf("two systems: %+v, %v", r, err)
	}
}
