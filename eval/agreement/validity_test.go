package agreement

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// comment is a row with one number for con, comp and rel.
func comment(pull string, n int, metric, other float64, valid bool) Row {
	r := Row{Change: pull + "/file", Review: fmt.Sprint(n), Pull: pull, Metric: &Scores{metric, metric, metric}, Valid: &valid}
	if !math.IsNaN(other) {
		r.Other = &Scores{other, other, other}
	}
	return r
}

// TestValidity: the valid comments win two of four pairs and tie one. The scores against own
// changes win seven of nine pairs with the scores against other changes.
func TestValidity(t *testing.T) {
	rows := []Row{
		comment("a", 1, 0.9, 0, true), comment("a", 2, 0.5, 0.1, false), comment("b", 1, 0.5, 0.6, true), comment("b", 2, 0.7, math.NaN(), false),
		{Change: "b/file", Review: "3", Pull: "b", Valid: new(true)}, {Change: "b/file", Review: "4", Pull: "b", Metric: &Scores{}},
	}
	v, err := MeasureValidity(t.Context(), rows, Bootstrap{Resamples: 100})
	if err != nil {
		t.Fatal(err)
	}
	if v.Valid != 2 || v.Invalid != 2 || v.Unscored != 1 || v.Pulls != 2 || v.Other != 3 || len(v.Scores) != 3 {
		t.Errorf("counts: %+v", v)
	}
	for _, s := range v.Scores {
		if got := *s.Valid.Value; got != 2.5/4 {
			t.Errorf("%s: valid or invalid %v, want 2.5 of 4", s.Score, got)
		}
		if got := *s.Own.Value; got != 7.0/9 {
			t.Errorf("%s: own or other %v, want 7 of 9", s.Score, got)
		}
		if s.Own.Interval == nil {
			t.Errorf("%s: no interval: %s", s.Score, s.Own.Undefined)
		}
	}
}

func TestValidityUndefined(t *testing.T) {
	lacks := comment("a", 1, 0.5, math.NaN(), true)
	lacks.Metric.Comp, lacks.Metric.Rel = math.NaN(), math.NaN()
	for _, tt := range []struct {
		name string
		rows []Row
		want string // in the report, or the error
	}{
		{"no labels", []Row{{Change: "a", Review: "b", Metric: &Scores{}}}, "<nil>"},
		{"one kind only", []Row{comment("a", 1, 0.5, math.NaN(), true)}, "all comments are valid"},
		{"no other change", []Row{comment("a", 1, 0.5, math.NaN(), true)}, "against another repository's change"},
		{"no comp", []Row{lacks}, "Scores:[{Score:con"},
		{"twice", []Row{comment("a", 1, 0.5, 0, true), comment("a", 1, 0.5, 0, true)}, "occurs twice"},
		{"no number", []Row{comment("a", 1, math.Inf(1), 0, true)}, "not a finite number"},
	} {
		v, err := MeasureValidity(t.Context(), tt.rows, Bootstrap{Resamples: 100})
		got := fmt.Sprintf("%+v %v", v, err)
		if v == nil && err == nil {
			got = "<nil>"
		}
		if err == nil && v != nil && len(v.Scores) > 0 {
			got += v.Scores[0].Valid.Undefined + ", " + v.Scores[0].Own.Undefined
		}
		if !strings.Contains(got, tt.want) || tt.name == "no comp" && strings.Contains(got, "Score:rel") {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
