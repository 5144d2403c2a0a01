package agreement

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/eval/resample"
)

// sample is twelve used reviews, three that are left out, and some links.
func sample() Input {
	var rows []Row
	for i := range 12 {
		label := float64(1 + i%5)
		rows = append(rows, Row{
			Change: fmt.Sprint("c", i/3), Review: fmt.Sprint("system", i%3), Language: "py",
			Metric: &Scores{Con: label / 5, Comp: 9 - label, Rel: float64(i)},
			Human:  &Scores{Con: label, Comp: label, Rel: label},
		})
	}
	rows = append(rows,
		Row{Change: "c0", Review: HumanReference, Metric: &Scores{}, Human: &Scores{5, 5, 5}},
		Row{Change: "c8", Review: "system0", Metric: &Scores{}},
		Row{Change: "c8", Review: "system1", Human: &Scores{1, 1, 1}},
	)
	tau := 0.45
	return Input{Rows: rows, Tau: &tau, Links: []Link{
		{"c0", "system0", 1, 0.9, true}, {"c0", "system0", 2, 0.4, false}, {"c0", "system1", 1, 0.4, true},
		{"c0", "system1", 2, 0.1, false}, {"c0", HumanReference, 1, 0, true},
	}}
}

var few = Bootstrap{Resamples: resample.MinResamples}

func TestStudy(t *testing.T) {
	in := sample()
	r, err := Study(context.Background(), in, 5, few)
	if err != nil {
		t.Fatal(err)
	}
	if a := r.Agreement; a.All.Reviews != 12 || a.LeftOut != (LeftOut{HumanReference: 1, Unlabelled: 1, Unscored: 1}) ||
		!near(*a.All.Con.Spearman.Value, 1) || !near(*a.All.Comp.KendallTauB.Value, -1) || a.Languages[0].Reviews != 12 {
		t.Errorf("%+v", a)
	}
	if z := r.AsZero; z.Agreement.All.Reviews != 13 || z.Agreement.LeftOut.Unscored != 0 || z.Sensitivity.Rel[0].Reviews != 4 || !near(*z.Ranking.Systems[1].Means.Con.Metric.Value, 2.2/5) {
		t.Errorf("%+v", z)
	}
	// Three of four pairs of a linked and another are won, one is a tie. The own τ
	// is one of the thresholds.
	m := r.Matching
	if *m.ROCAUC.Value != 3.5/4 || m.Linked != 2 || m.Other != 2 || m.LeftOut != 1 || len(m.Thresholds) != 50 || m.Thresholds[22].Tau != 0.45 || *m.Thresholds[22].F1.Value != 2.0/3 {
		t.Errorf("%+v", m)
	}

	// The order of what comes in makes no difference, nor does the number of workers.
	for i, j := 0, len(in.Rows)-1; i < j; i, j = i+1, j-1 {
		in.Rows[i], in.Rows[j] = in.Rows[j], in.Rows[i]
	}
	in.Links[0], in.Links[3] = in.Links[3], in.Links[0]
	again := few
	again.Workers = 3
	reversed, err := Study(context.Background(), in, 5, again)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, reversed); diff != "" {
		t.Errorf("another order, another report: %s", diff)
	}

	in.Rows[3].Metric.Con = -0.1
	r, err = Study(context.Background(), in, 5, few)
	if err != nil || r.AsZero != nil || r.NoZero != "the metric has values below 0" {
		t.Errorf("below 0: %v, %v, %v", r.AsZero, r.NoZero, err)
	}
}

func TestStudyUndefined(t *testing.T) {
	in := sample()
	for i := range 12 {
		in.Rows[i].Metric.Con, in.Rows[i].Human.Comp = 0.1, 3
	}
	in.Links = in.Links[:1]
	r, err := Study(context.Background(), in, 5, few)
	if err != nil {
		t.Fatal(err)
	}
	all := r.Agreement.All
	for what, e := range map[string]Estimate{
		"all scores are tied": all.Con.Spearman, "all human labels are tied": all.Comp.KendallTauB, "every pair is linked": r.Matching.ROCAUC,
	} {
		if e.Value != nil || e.Undefined != what {
			t.Errorf("%+v, want undefined: %s", e, what)
		}
	}
	if all.Rel.Spearman.Value == nil {
		t.Error("rel is not defined")
	}
	in.Links = nil
	if r, err := Study(context.Background(), in, 5, few); err != nil || r.Matching != nil {
		t.Errorf("without links: %+v, %v", r.Matching, err)
	}
}

// A metric may have fewer dimensions than people labelled. What it lacks is
// undefined everywhere, and the reason is said.
func TestStudyOfOneDimension(t *testing.T) {
	in := sample()
	for _, row := range in.Rows {
		if row.Metric != nil {
			row.Metric.Con, row.Metric.Comp = math.NaN(), math.NaN()
		}
	}
	r, err := Study(context.Background(), in, 5, few)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
	for _, c := range []Counted{r.Counted, *r.AsZero} {
		for what, e := range map[string]Estimate{
			"agreement": c.Agreement.All.Con.Pearson, "system": c.Ranking.Systems[0].Means.Con.Metric, "ranking": c.Ranking.Comp.Spearman, "sensitivity": c.Sensitivity.Comp[3].Mean,
		} {
			if e.Value != nil || !strings.HasPrefix(e.Undefined, "the metric has no co") {
				t.Errorf("%s: %+v", what, e)
			}
		}
		if c.Agreement.All.Rel.Pearson.Value == nil || c.Ranking.Systems[0].Means.Con.Human.Value == nil || c.Sensitivity.Rel[3].Mean.Value == nil {
			t.Errorf("what there is: %+v", c)
		}
	}
	other := sample()
	c, err := Compare(context.Background(), in.Rows, other.Rows, Options{Bootstrap: few})
	if err != nil || c.Con.Spearman.Difference.Undefined != "A: the metric has no con" || c.Con.Spearman.B.Value == nil || c.Rel.Spearman.Difference.Value == nil {
		t.Errorf("%+v, %v", c.Con.Spearman, err)
	}
	in.Rows[0].Metric.Con = 1
	if _, err := Study(context.Background(), in, 5, few); err == nil || !strings.Contains(err.Error(), "the score for con is NaN") {
		t.Errorf("a dimension in some of the scores: %v", err)
	}
}

func TestStudyErrors(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(in *Input)
		want  []string
	}{
		{"nothing", func(in *Input) { in.Rows = nil }, []string{"0 reviews", "at least 10"}},
		{"nine", func(in *Input) { in.Rows = in.Rows[3:] }, []string{"9 reviews", "without labels: 1", "unscored: 1", "human reference: 1"}},
		{"label 0", func(in *Input) { in.Rows[4].Human.Comp = 0 }, []string{`review "system1" of change "c1"`, "comp is 0", "between 1 and 5"}},
		{"label 6", func(in *Input) { in.Rows[0].Human.Rel = 6 }, []string{`"c0"`, "rel is 6"}},
		{"label NaN", func(in *Input) { in.Rows[0].Human.Con = math.NaN() }, []string{"con is NaN"}},
		{"score NaN", func(in *Input) { in.Rows[2].Metric.Rel = math.NaN() }, []string{`"system2"`, "score for rel is NaN"}},
		{"scores NaN", func(in *Input) {
			for i := range in.Rows {
				in.Rows[i].Metric = &Scores{math.NaN(), math.NaN(), math.NaN()}
			}
		}, []string{"no score is a number"}},
		{"score infinite", func(in *Input) { in.Rows[2].Metric.Rel = math.Inf(-1) }, []string{"-Inf"}},
		{"label of an unscored review", func(in *Input) { in.Rows[14].Human.Con = 9 }, []string{`"c8"`, "con is 9"}},
		{"twice", func(in *Input) { in.Rows = append(in.Rows, in.Rows[5]) }, []string{`review "system2" of change "c1" occurs twice`}},
		{"similarity NaN", func(in *Input) { in.Links[1].Similarity = math.NaN() }, []string{`"system0"`, "reference 2 is NaN"}},
		{"point NaN", func(in *Input) { in.Points = []Point{{"c1", "claim", math.NaN()}} }, []string{`"c1"`, "NaN"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := sample()
			tt.spoil(&in)
			r, err := Study(context.Background(), in, 5, few)
			if err == nil {
				t.Fatalf("no error but %+v", r)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q lacks %q", err, want)
				}
			}
		})
	}
}

func ExampleStudy() {
	var rows []Row
	for i := range 12 {
		rows = append(rows, Row{
			Change: fmt.Sprint(i / 2), Review: []string{"bot", "model"}[i%2],
			Metric: &Scores{Con: 0.1 * float64(i), Comp: 0.05 * float64(i), Rel: 0.07 * float64(i)},
			Human:  &Scores{Con: float64(1 + i/3), Comp: float64(1 + i/4), Rel: float64(1 + i/3)},
		})
	}
	report, err := Study(context.Background(), Input{Rows: rows}, 3, Bootstrap{})
	if err != nil {
		fmt.Println(err)
		return
	}
	rel := report.Agreement.All.Rel
	fmt.Println("ρ", rel.Spearman, "τ-b", rel.KendallTauB)
	// Output:
	// ρ 0.972 [0.851, 0.984] τ-b 0.905 [0.775, 0.956]
}

// The scores that the paper's authors released for GPT-4o claims, at τ = 0.7,
// against their labels: scipy gives these numbers for the same vectors.
func TestStudyOfPublishedScores(t *testing.T) {
	r, err := Study(context.Background(), Input{Rows: publishedScores(t)}, 5, few)
	if err != nil {
		t.Fatal(err)
	}
	all := r.Agreement.All
	if all.Reviews != 1395 || r.Agreement.LeftOut != (LeftOut{HumanReference: 154}) {
		t.Errorf("%d reviews, left out %+v", all.Reviews, r.Agreement.LeftOut)
	}
	got := []float64{*all.Con.Spearman.Value, *all.Comp.Spearman.Value, *all.Rel.Spearman.Value, *all.Rel.KendallTauB.Value}
	want := []float64{0.5032404447167553, 0.563897864429726, 0.5477382551553267, 0.452011526441054}
	for i := range want {
		if !near(got[i], want[i]) {
			t.Errorf("number %d is %v, scipy has %v", i, got[i], want[i])
		}
	}
}
