package agreement

import (
	"context"
	"fmt"
	"math"
	"testing"
)

func TestSensitivity(t *testing.T) {
	var rows []Row
	for i := range 40 {
		label := []float64{1, 2, 3.4, 4.5}[i%4]
		rows = append(rows, Row{Change: fmt.Sprint(i / 2), Review: fmt.Sprint(i % 2),
			Metric: &Scores{Con: label + float64(i%8/4), Comp: 0.5, Rel: 1}, Human: &Scores{label, 3, 5}})
	}
	s, err := MeasureSensitivity(context.Background(), rows, Options{Bootstrap: Bootstrap{Resamples: 200}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1.5, 2.5, 3.9, 0, 5} {
		l := s.Con[i]
		if l.Label != i+1 {
			t.Errorf("label %d in place %d", l.Label, i)
		}
		if want == 0 {
			if l.Reviews != 0 || l.Mean.Value != nil || l.Mean.Undefined != "no review has this label" {
				t.Errorf("label %d: %+v", l.Label, l)
			}
			continue
		}
		in := l.Mean.Interval
		if l.Reviews != 10 || !near(*l.Mean.Value, want) || in[0] >= want || in[1] <= want || in[0] < want-0.5 || in[1] > want+0.5 {
			t.Errorf("label %d: %d reviews, %v", l.Label, l.Reviews, l.Mean)
		}
	}
	if l := s.Comp[2]; *l.Mean.Value != 0.5 || *l.Mean.Interval != [2]float64{0.5, 0.5} {
		t.Errorf("without variance: %v", l.Mean)
	}
}

// Scores that are each a number may have a sum that is none.
func TestOverflow(t *testing.T) {
	rows := study(10, 1, 1)
	for i := range rows {
		rows[i].Metric = &Scores{Con: math.MaxFloat64, Comp: float64(i), Rel: math.MaxFloat64 * float64(i%2*2-1)}
	}
	o := Options{Bootstrap: Bootstrap{Resamples: 100}}
	s, err := MeasureSensitivity(context.Background(), rows, o)
	if err != nil {
		t.Fatal(err)
	}
	if l := s.Con[2]; l.Mean.Value != nil || l.Mean.Interval != nil || l.Mean.Undefined != "the sum overflows" {
		t.Errorf("%+v", l)
	}
	r, err := Rank(context.Background(), rows, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Con.Spearman.Undefined != "a mean is undefined" || r.Systems[0].Means.Con.Metric.Value != nil || r.Comp.Spearman.Value == nil {
		t.Errorf("%+v", r)
	}
	table, err := Tabulate(context.Background(), rows, o)
	if err != nil || table.All.Rel.Pearson.Value == nil {
		t.Errorf("the correlation of large numbers: %v, %v", table.All.Rel.Pearson, err)
	}
}
