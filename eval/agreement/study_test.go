package agreement

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sample is twelve used reviews, three that are left out, and some links.
func sample() ([]Row, []Link) {
	var rows []Row
	for i := range 12 {
		label := float64(1 + i%5)
		rows = append(rows, Row{
			Change: fmt.Sprint("c", i/3), Review: fmt.Sprint("system", i%3),
			Metric: &Scores{Con: label / 5, Comp: -label, Rel: float64(i)},
			Human:  &Scores{Con: label, Comp: label, Rel: label},
		})
	}
	rows = append(rows,
		Row{Change: "c0", Review: HumanReference, Metric: &Scores{}, Human: &Scores{5, 5, 5}},
		Row{Change: "c8", Review: "system0", Metric: &Scores{}},
		Row{Change: "c8", Review: "system1", Human: &Scores{1, 1, 1}},
	)
	links := []Link{
		{"c0", "system0", 1, 0.9, true}, {"c0", "system0", 2, 0.4, false}, {"c0", "system1", 1, 0.4, true},
		{"c0", "system1", 2, 0.1, false}, {"c0", HumanReference, 1, 0, true},
	}
	return rows, links
}

func TestStudy(t *testing.T) {
	rows, links := sample()
	r, err := Study(rows, links)
	if err != nil {
		t.Fatal(err)
	}
	if r.Reviews != 12 || r.LeftOut != (LeftOut{HumanReference: 1, Unlabelled: 1, Unscored: 1}) {
		t.Errorf("%d reviews, left out %+v", r.Reviews, r.LeftOut)
	}
	if !near(*r.Con.Spearman, 1) || !near(*r.Con.KendallTauB, 1) || !near(*r.Comp.Spearman, -1) || r.Rel.N != 12 {
		t.Errorf("con %v %v, comp %v, n %d", *r.Con.Spearman, *r.Con.KendallTauB, *r.Comp.Spearman, r.Rel.N)
	}
	// Three of four pairs of a linked and another are won, one is a tie.
	if l := r.Links; *l.ROCAUC != 3.5/4 || l.Linked != 2 || l.Other != 2 || l.LeftOut != 1 {
		t.Errorf("links: %v %+v", *l.ROCAUC, l)
	}

	var text bytes.Buffer
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.txt", text.Bytes())
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "report.json", append(data, '\n'))

	// The order of rows makes no difference.
	for i, j := 0, len(rows)-1; i < j; i, j = i+1, j-1 {
		rows[i], rows[j] = rows[j], rows[i]
	}
	reversed, err := Study(rows, links)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, reversed); diff != "" {
		t.Errorf("another order, another report: %s", diff)
	}
}

func TestStudyUndefined(t *testing.T) {
	rows, links := sample()
	for i := range 12 {
		rows[i].Metric.Con, rows[i].Human.Comp = 0.1, 3
	}
	r, err := Study(rows, links[:1])
	if err != nil {
		t.Fatal(err)
	}
	if r.Con.Spearman != nil || r.Comp.KendallTauB != nil || r.Rel.Spearman == nil || r.Links.ROCAUC != nil {
		t.Errorf("%+v %+v", r, r.Links)
	}
	var text bytes.Buffer
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	golden(t, "undefined.txt", text.Bytes())
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "undefined.json", append(data, '\n'))
	if r, err := Study(rows, nil); err != nil || r.Links != nil {
		t.Errorf("without links: %+v, %v", r.Links, err)
	}
}

func TestStudyErrors(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(rows []Row, links []Link) []Row
		want  []string
	}{
		{"nothing", func([]Row, []Link) []Row { return nil }, []string{"0 reviews", "at least 10"}},
		{"nine", func(r []Row, _ []Link) []Row { return r[3:] }, []string{"9 reviews", "without labels: 1", "unscored: 1", "human reference: 1"}},
		{"label 0", func(r []Row, _ []Link) []Row { r[4].Human.Comp = 0; return r }, []string{`review "system1" of change "c1"`, "comp is 0", "between 1 and 5"}},
		{"label 6", func(r []Row, _ []Link) []Row { r[0].Human.Rel = 6; return r }, []string{`"c0"`, "rel is 6"}},
		{"label NaN", func(r []Row, _ []Link) []Row { r[0].Human.Con = math.NaN(); return r }, []string{"con is NaN"}},
		{"score NaN", func(r []Row, _ []Link) []Row { r[2].Metric.Rel = math.NaN(); return r }, []string{`"system2"`, "score for rel is NaN"}},
		{"score infinite", func(r []Row, _ []Link) []Row { r[2].Metric.Rel = math.Inf(-1); return r }, []string{"-Inf"}},
		{"label of an unscored review", func(r []Row, _ []Link) []Row { r[14].Human.Con = 9; return r }, []string{`"c8"`, "con is 9"}},
		{"twice", func(r []Row, _ []Link) []Row { return append(r, r[5]) }, []string{`review "system2" of change "c1" occurs twice`}},
		{"similarity NaN", func(r []Row, l []Link) []Row { l[1].Similarity = math.NaN(); return r }, []string{`"system0"`, "reference 2 is NaN"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rows, links := sample()
			rows = tt.spoil(rows, links)
			r, err := Study(rows, links)
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

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := "testdata/" + name
	if *update {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func ExampleStudy() {
	var rows []Row
	for i := range 10 {
		rows = append(rows, Row{
			Change: fmt.Sprint(i), Review: "bot",
			Metric: &Scores{Con: 0.1 * float64(i), Comp: 0.05 * float64(i), Rel: 0.07 * float64(i)},
			Human:  &Scores{Con: float64(1 + i/2), Comp: float64(1 + i/4), Rel: float64(1 + i/3)},
		})
	}
	report, err := Study(rows, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("rel: ρ %.3f, τ-b %.3f\n", *report.Rel.Spearman, *report.Rel.KendallTauB)
	// Output:
	// rel: ρ 0.963, τ-b 0.894
}

// The scores that the paper's authors released for GPT-4o claims, at τ = 0.7,
// against their labels: scipy gives these numbers for the same vectors.
func TestStudyOfPublishedScores(t *testing.T) {
	rows := publishedScores(t)
	r, err := Study(rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Reviews != 1395 || r.LeftOut != (LeftOut{HumanReference: 154}) {
		t.Errorf("%d reviews, left out %+v", r.Reviews, r.LeftOut)
	}
	got := []float64{*r.Con.Spearman, *r.Comp.Spearman, *r.Rel.Spearman, *r.Rel.KendallTauB}
	want := []float64{0.5032404447167553, 0.563897864429726, 0.5477382551553267, 0.452011526441054}
	for i := range want {
		if !near(got[i], want[i]) {
			t.Errorf("number %d is %v, scipy has %v", i, got[i], want[i])
		}
	}
}
