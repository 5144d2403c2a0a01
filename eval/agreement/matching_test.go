package agreement

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	links := []Link{
		{"a", "s", 1, 0.9, true}, {"a", "s", 2, 0.7, false}, {"b", "s", 1, 0.7, true},
		{"b", "s", 2, 0.3, true}, {"c", "s", 1, 0.2, false}, {"c", "s", 2, 0.1, false},
		{"a", HumanReference, 1, 0.95, true},
	}
	m, err := Match(context.Background(), links, []float64{0.7, 0.1, 0.95, 0.25, 0.1}, Bootstrap{Resamples: 200})
	if err != nil {
		t.Fatal(err)
	}
	if m.Linked != 3 || m.Other != 3 || m.LeftOut != 1 || m.Changes != 3 || !near(*m.ROCAUC.Value, 7.5/9) {
		t.Errorf("%+v", m)
	}
	tests := []struct {
		tau                   float64
		matched               int
		precision, recall, f1 float64
	}{
		{0.1, 5, 3. / 5, 1, 6. / 8}, // above, not at
		{0.25, 4, 3. / 4, 1, 6. / 7},
		{0.7, 1, 1, 1. / 3, 2. / 4},
		{0.95, 0, math.NaN(), 0, 0},
	}
	if len(m.Thresholds) != len(tests) {
		t.Fatalf("%d thresholds", len(m.Thresholds))
	}
	for i, want := range tests {
		got := m.Thresholds[i]
		if got.Tau != want.tau || got.Matched != want.matched || !near(*got.Recall.Value, want.recall) || !near(*got.F1.Value, want.f1) {
			t.Errorf("τ %v: %d matched, recall %v, F1 %v; want %+v", got.Tau, got.Matched, got.Recall, got.F1, want)
		}
		if math.IsNaN(want.precision) {
			if got.Precision.Value != nil || got.Precision.Undefined != "no similarity is above τ" {
				t.Errorf("τ %v: precision %+v", got.Tau, got.Precision)
			}
		} else if !near(*got.Precision.Value, want.precision) {
			t.Errorf("τ %v: precision %v, want %v", got.Tau, got.Precision, want.precision)
		}
	}

	// Intervals where there are enough changes, of every number.
	links = nil
	for i := range 300 {
		links = append(links, Link{fmt.Sprint(i / 6), "s", i % 6, float64(i*37%100) / 100, i*37%100+i%40 > 70})
	}
	m, err = Match(context.Background(), links, []float64{0.5}, Bootstrap{})
	if err != nil {
		t.Fatal(err)
	}
	th := m.Thresholds[0]
	for i, e := range []Estimate{m.ROCAUC, th.Precision, th.Recall, th.F1} {
		if e.Interval == nil || e.Interval[0] >= *e.Value || e.Interval[1] <= *e.Value || e.Interval[1]-e.Interval[0] > 0.3 {
			t.Errorf("number %d: %v %s", i, e, e.Undefined)
		}
	}
}

func TestMatchUndefined(t *testing.T) {
	tests := []struct {
		name, auc, recall string
		links             []Link
	}{
		{"none", "no pair is linked", "no pair is linked", nil},
		{"no link", "no pair is linked", "no pair is linked", []Link{{"a", "s", 1, 0.5, false}, {"b", "s", 1, 0.6, false}}},
		{"only links", "every pair is linked", "", []Link{{"a", "s", 1, 0.5, true}, {"b", "s", 1, 0.6, true}}},
	}
	for _, tt := range tests {
		m, err := Match(context.Background(), tt.links, []float64{0.55}, Bootstrap{})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		r := m.Thresholds[0].Recall
		if m.ROCAUC.Value != nil || m.ROCAUC.Undefined != tt.auc || (r.Value == nil) != (tt.recall != "") || r.Undefined != tt.recall {
			t.Errorf("%s: AUC %+v, recall %+v", tt.name, m.ROCAUC, r)
		}
	}
}

func TestMatchErrors(t *testing.T) {
	ok := []Link{{"a", "s", 1, 0.5, true}}
	tests := []struct {
		want  string
		links []Link
		taus  []float64
	}{
		{`review "s" of change "a": the similarity to reference 2 is NaN`, []Link{{"a", "s", 2, math.NaN(), true}}, nil},
		{"threshold 2 is +Inf", ok, []float64{0, math.Inf(1)}},
		{"1001 thresholds: at most 1000", ok, make([]float64, 1001)},
	}
	for _, tt := range tests {
		if _, err := Match(context.Background(), tt.links, tt.taus, Bootstrap{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
}
