package agreement

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/montanaflynn/stats"
)

func TestTabulate(t *testing.T) {
	rows := study(30, 1, 1)
	rows = append(rows,
		Row{Change: "c0", Review: HumanReference, Metric: &Scores{}, Human: &Scores{1, 1, 1}},
		Row{Change: "c99", Review: "system9", Language: "rb", Metric: &Scores{1, 1, 1}, Human: &Scores{1, 1, 1}},
		Row{Change: "c99", Review: "system8", Language: "rb", Metric: &Scores{1, 1, 1}},
	)
	unscored := 0
	for _, r := range rows {
		if r.Metric == nil {
			unscored++
		}
	}
	o := Options{Bootstrap: Bootstrap{Resamples: 100}}
	left, err := Tabulate(context.Background(), rows, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Unscored = AsZero
	zero, err := Tabulate(context.Background(), rows, o)
	if err != nil {
		t.Fatal(err)
	}
	if unscored == 0 || left.All.Reviews != 151-unscored || left.LeftOut != (LeftOut{1, 1, unscored}) {
		t.Errorf("%d reviews, left out %+v; %d are unscored", left.All.Reviews, left.LeftOut, unscored)
	}
	if zero.All.Reviews != 151 || zero.LeftOut != (LeftOut{1, 1, 0}) || zero.All.Changes != 31 {
		t.Errorf("as zero: %d reviews of %d changes, left out %+v", zero.All.Reviews, zero.All.Changes, zero.LeftOut)
	}
	if *left.All.Rel.Spearman.Value <= *zero.All.Rel.Spearman.Value {
		t.Error("zeros for unscored reviews do not lower the agreement")
	}

	// The values are those of the plain functions, all within their intervals.
	var metric, human []float64
	for _, r := range rows[:150] {
		if r.Language == "py" && r.Metric != nil {
			metric, human = append(metric, r.Metric.Rel), append(human, r.Human.Rel)
		}
	}
	py := left.Languages[2]
	if py.Name != "py" || py.Reviews != len(metric) || py.Changes != 10 {
		t.Fatalf("%s: %d reviews of %d changes, want %d", py.Name, py.Reviews, py.Changes, len(metric))
	}
	pearson := func(x, y []float64) (float64, error) { return stats.Pearson(x, y) }
	for i, f := range []func(x, y []float64) (float64, error){Spearman, KendallTauB, pearson} {
		want, err := f(metric, human)
		if err != nil {
			t.Fatal(err)
		}
		e := py.Rel.all()[i]
		if !near(*e.Value, want) || e.P == nil || *e.P > 1e-6 || e.Interval[0] >= want || e.Interval[1] <= want || e.Undefined != "" {
			t.Errorf("coefficient %d: %v, p %v; want %v", i, e, e.P, want)
		}
	}

	var names []string
	for _, g := range append(left.Languages, left.Systems...) {
		names = append(names, g.Name)
	}
	if got := strings.Join(names, " "); got != "java js py rb system0 system1 system2 system3 system4 system9" {
		t.Errorf("groups %s", got)
	}
	if rb := left.Languages[3]; rb.Reviews != 1 || rb.Con.Pearson.Value != nil || !strings.Contains(rb.Con.Pearson.Undefined, "1 review, need at least 10") {
		t.Errorf("a group of one review: %+v", rb)
	}
	if _, err := Tabulate(context.Background(), rows[:9], o); err == nil || !strings.Contains(err.Error(), "at least 10") {
		t.Errorf("nine reviews: %v", err)
	}
}

// What is undefined is null in JSON, with the reason; encoding/json would refuse
// a NaN.
func TestTableOfTies(t *testing.T) {
	var rows []Row
	for i := range 12 {
		label := float64(1 + i%3)
		rows = append(rows, Row{Change: "one", Review: string(rune('a' + i)),
			Metric: &Scores{Con: 0.1, Comp: label, Rel: label}, Human: &Scores{label, 5, label}})
	}
	table, err := Tabulate(context.Background(), rows, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Languages) != 0 {
		t.Errorf("changes without a language make groups: %v", table.Languages)
	}
	data, err := json.Marshal(table.All)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"con":{"spearman":{"value":null,"interval":null,"undefined":"all scores are tied"}`,
		`"pearson":{"value":null,"interval":null,"undefined":"all human labels are tied"}`,
		`"value":1,"p":0,"interval":null,"undefined":"no interval: fewer than two changes"`,
	} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%s lacks %s", data, want)
		}
	}

	// Only one of 40 changes is not tied: a third of the draws lack it.
	rows = nil
	for c := range 40 {
		rows = append(rows, Row{Change: string(rune('A' + c)), Review: "bot", Metric: &Scores{}, Human: &Scores{1, 1, 1}})
	}
	rows[17].Metric, rows[17].Human = &Scores{1, 1, 1}, &Scores{5, 5, 5}
	table, err = Tabulate(context.Background(), rows, Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := table.All.Con.KendallTauB
	if *e.Value != 1 || e.Interval != nil || e.Degenerate < 250 || e.Degenerate > 480 || !strings.Contains(e.Undefined, "of 1000 resamples have no value") {
		t.Errorf("%+v", e)
	}
}

// The tables that the released scores give, with scipy's numbers for the same
// vectors, and the paper's order of systems.
func TestTablesOfPublishedScores(t *testing.T) {
	rows := publishedScores(t)
	ctx := context.Background()
	table, err := Tabulate(ctx, rows, Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := table.All.Rel.Spearman
	if i := e.Interval; !near(*e.Value, 0.5477382551553267) || i[0] > 0.53 || i[0] < 0.48 || i[1] < 0.57 || i[1] > 0.61 {
		t.Errorf("rel %v", e)
	}
	ranking, err := Rank(ctx, rows, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(ranking.Systems) != 9 || *ranking.Rel.Spearman.Value < 0.8 || ranking.Rel.KendallTauB.P == nil {
		t.Errorf("%d systems, rel %v", len(ranking.Systems), ranking.Rel.Spearman)
	}
}

// publishedScores are the scores that the paper's authors released for GPT-4o
// claims, at τ = 0.7, with their labels.
func publishedScores(t *testing.T) []Row {
	t.Helper()
	dir := os.Getenv("CRSCORE_DATA")
	if dir == "" {
		t.Skip("CRSCORE_DATA is not set")
	}
	file, err := os.Open(filepath.Join(dir, "dev.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var rows []Row
	for decoder := json.NewDecoder(file); ; {
		var change struct {
			ID, Lang string
			Reviews  []struct {
				ID        string
				Human     *Scores
				Published map[string]*Scores
			}
		}
		if err := decoder.Decode(&change); err == io.EOF {
			return rows
		} else if err != nil {
			t.Fatal(err)
		}
		for _, r := range change.Reviews {
			rows = append(rows, Row{Change: change.ID, Review: r.ID, Language: change.Lang, Metric: r.Published["0.7"], Human: r.Human})
		}
	}
}
