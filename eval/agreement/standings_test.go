package agreement

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/internal/report/figures/browsertest"
)

var update = flag.Bool("update", false, "write the goldens anew; read what changed before you commit it")

// dozen are twelve reviews of four changes with labels in rising order, and the rel of a
// metric. NaN is unscored.
func dozen(rel ...float64) []Row {
	var rows []Row
	for i, v := range rel {
		label := 1 + float64(i)/4
		row := Row{Change: fmt.Sprint("c", i/3), Review: fmt.Sprint("system", i%3)}
		row.Human = &Scores{6 - label, 1 + float64(i%2), label}
		if !math.IsNaN(v) {
			row.Metric = &Scores{Con: v, Comp: v, Rel: v}
		}
		rows = append(rows, row)
	}
	return append(rows, Row{Change: "c0", Review: HumanReference, Metric: &Scores{9, 9, 9}, Human: &Scores{5, 5, 5}})
}

var nan = math.NaN()

// contenders are metrics whose ρ is known: with n values and squared differences of ranks
// that add up to d, it is 1 - 6d/(n(n²-1)).
func contenders() []Contender {
	own := dozen(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 11) // one swap: d is 2, a pair of 66 is in the wrong order
	for i := range own {
		if m := own[i].Metric; m != nil {
			m.Con = -m.Rel
		}
	}
	return []Contender{
		{Name: "constant", Rows: dozen(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)},
		{Name: "edits", Turned: true, Signature: "edits|better:lower",
			Rows: dozen(-12, -11, -10, -9, -8, -7, -6, -5, -4, -2, -3, -1)},
		{Name: "CRScore, soft", Own: true, Signature: "crscore/0.1 mode=soft", Rows: own},
		{Name: "few", Rows: dozen(nan, nan, nan, 4, 5, 6, 7, 8, 9, 10, 11, 12)},
		{Name: "length", Control: true, Rows: dozen(2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11)},
		{Name: "backwards", Rows: dozen(12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)},
	}
}

func TestStand(t *testing.T) {
	s, err := Stand(context.Background(), contenders(), "", few)
	if err != nil {
		t.Fatal(err)
	}
	if s.Reviews != 12 || s.Changes != 4 || s.Labelled != 12 || s.Against != "CRScore, soft" {
		t.Errorf("%d of %d reviews of %d changes, against %s", s.Reviews, s.Labelled, s.Changes, s.Against)
	}
	for i, want := range []struct {
		name     string
		rho, tau float64
		unscored int
	}{
		{"CRScore, soft", 1 - 12./1716, 64. / 66, 0},
		{"edits", 1 - 12./1716, 64. / 66, 0}, // equal, so by name
		{"length", 1 - 6*12./1716, 54. / 66, 0},
		{"backwards", -1, -1, 0},
		{"constant", nan, nan, 0},
		{"few", nan, nan, 3},
	} {
		m := s.Metrics[i]
		if m.Name != want.name || m.Unscored != want.unscored || m.Scored+m.Unscored != 12 {
			t.Errorf("place %d: %s with %d scores and %d not; want %+v", i, m.Name, m.Scored, m.Unscored, want)
			continue
		}
		if math.IsNaN(want.rho) {
			e := m.Rel.Spearman
			if e.Value != nil || e.Undefined == "" || m.Difference.Undefined == "" || m.Corrected != nil {
				t.Errorf("%s: %+v", m.Name, m)
			}
			continue
		}
		if !near(*m.Rel.Spearman.Value, want.rho) || !near(*m.Rel.KendallTauB.Value, want.tau) || m.All != nil {
			t.Errorf("%s: %v, %v", m.Name, m.Rel.Spearman, m.Rel.KendallTauB)
		}
		if i > 0 && !near(*m.Difference.Value, want.rho-(1-12./1716)) {
			t.Errorf("%s: difference %v", m.Name, m.Difference)
		}
	}
	// Only the first has a con of its own. Its own τ-b of 0 difference has p 1; the others' p
	// are corrected for three.
	if m := s.Metrics; m[0].Difference != nil || !near(*m[0].Con.Spearman.Value, 1-12./1716) ||
		m[1].Con.Spearman.Undefined != "the metric has no con" {
		t.Errorf("con: %v, %+v", m[0].Con.Spearman, m[1].Con.Spearman)
	}
	p := *s.Metrics[3].Difference.P
	if !near(p, 2./101) || !near(*s.Metrics[3].Corrected, 3*p) || *s.Metrics[1].Corrected != 1 {
		t.Errorf("backwards: p %v, corrected %v", p, *s.Metrics[3].Corrected)
	}

	// No control is what the others are compared with, unless there is nothing else.
	control := Contender{Name: "best", Control: true, Rows: dozen(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)}
	for _, others := range [][]Contender{contenders(), nil} {
		s, err := Stand(context.Background(), append(others, control), "", few)
		if want := map[bool]string{true: "best", false: "CRScore, soft"}[others == nil]; err != nil || s.Against != want {
			t.Errorf("against %q, want %q; %v", s.Against, want, err)
		}
	}

	// What one metric did not score is left out for all, and its own numbers are beside them.
	missing := append(contenders()[1:3], Contender{Name: "gap", Rows: dozen(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, nan)})
	s, err = Stand(context.Background(), missing, "edits", few)
	if err != nil {
		t.Fatal(err)
	}
	gap, edits := s.Metrics[1], s.Metrics[2]
	if gap.Name != "gap" || *gap.Rel.Spearman.Value != 1 || gap.All != nil || gap.Unscored != 1 ||
		s.Reviews != 11 || s.Labelled != 12 || s.Against != "edits" ||
		!near(*edits.Rel.Spearman.Value, 1-12./1320) || !near(*edits.All.Rel.Spearman.Value, 1-12./1716) {
		t.Errorf("%+v", s)
	}
}

// The numbers are those of Study for a metric alone, and of Compare for two, digit by digit.
func TestStandLikeStudy(t *testing.T) {
	a, b := study(30, 1, 1), study(30, 3, 1)
	o := Options{Bootstrap: Bootstrap{Resamples: 200, Seed: 5}}
	b[7].Metric = nil
	bare := slices.DeleteFunc(slices.Clone(b), func(r Row) bool { return r.Metric == nil }) // a missing row is unscored
	for i := range bare {
		bare[i].Human = nil // those of a do
	}
	in := []Contender{{Name: "a", Rows: a}, {Name: "b", Rows: bare}}
	s, err := Stand(context.Background(), in, "", o.Bootstrap)
	if err != nil {
		t.Fatal(err)
	}
	for i, rows := range [][]Row{a, b} {
		alone, err := Tabulate(context.Background(), rows, o)
		if err != nil {
			t.Fatal(err)
		}
		m := s.Metrics[i]
		all := m.All
		if all == nil {
			all = &m.ByDimension
		}
		if d := cmp.Diff(alone.All.ByDimension, *all); d != "" {
			t.Errorf("%s: -alone +beside others: %s", m.Name, d)
		}
		if m.Scored != alone.All.Reviews || m.Unscored != alone.LeftOut.Unscored {
			t.Errorf("%s: %d scored and %d not, alone %+v", m.Name, m.Scored, m.Unscored, alone.LeftOut)
		}
	}
	c, err := Compare(context.Background(), a, b, o)
	if err != nil {
		t.Fatal(err)
	}
	d := cmp.Diff(c.Rel.Spearman.Difference, *s.Metrics[1].Difference)
	if d != "" || c.Reviews != s.Reviews || c.Changes != s.Changes {
		t.Errorf("-two +many: %s", d)
	}
	if d := cmp.Diff(c.Rel.Spearman.A, s.Metrics[0].Rel.Spearman); d != "" {
		t.Errorf("-two +many: %s", d)
	}

	slices.Reverse(a)
	slices.Reverse(bare)
	o.Workers = 3
	again, err := Stand(context.Background(), []Contender{in[1], in[0]}, "", o.Bootstrap)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(s, again); d != "" {
		t.Errorf("in another order: %s", d)
	}
}

func TestStandErrors(t *testing.T) {
	rows := dozen(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 11)
	other := dozen(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 11)
	other[2].Human = &Scores{1, 1, 1}
	twice := append(slices.Clone(rows), rows[3])
	infinite := dozen(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, math.Inf(1))
	low := dozen(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, nan, nan)
	high := dozen(nan, nan, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
	a := Contender{Name: "a", Rows: rows}
	for _, tt := range []struct {
		in   []Contender
		want string
	}{
		{nil, "0 metrics: need 1 to 100"},
		{make([]Contender, 1), `the name "" of a metric is empty or double`},
		{[]Contender{a, a}, `the name "a" of a metric is empty or double`},
		{[]Contender{a, {Name: "b", Rows: other}}, "two different human labels"},
		{[]Contender{{Name: "a", Rows: twice}}, "occurs twice"},
		{[]Contender{a, {Name: "b", Rows: infinite}},
			"b: agreement: review \"system2\" of change \"c3\": the score for rel is +Inf"},
		{[]Contender{a, {Name: "low", Rows: low}, {Name: "high", Rows: high}},
			"8 labelled reviews have a score of every metric, need at least 10 (a: 12, low: 10, high: 10)"},
		{[]Contender{{Name: "a", Rows: rows[:9]}},
			"0 labelled reviews have a score of every metric, need at least 10 (a: 9)"},
		{[]Contender{a}, ""},
	} {
		if _, err := Stand(context.Background(), tt.in, "", few); tt.want == "" && err != nil ||
			tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
	want := `there is no metric "z" to compare with, but: a`
	_, err := Stand(context.Background(), []Contender{a}, "z", few)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Stand(ctx, contenders(), "", few); err == nil {
		t.Error("a cancelled study has no error")
	}
}

func TestStandingsPage(t *testing.T) {
	missing := append(contenders(), Contender{Name: "gap", Rows: dozen(1, 2, 3, 4, 6, 5, 7, 8, 9, 10, nan, 11)})
	missing[2].Rows = dozen(3, 1, 2, 5, 4, 6, 7, 9, 8, 10, 12, 11)
	missing[2].Rows[0].Metric.Comp = 5
	s, err := Stand(context.Background(), missing, "CRScore, soft", few)
	if err != nil {
		t.Fatal(err)
	}
	page := (&Results{Metrics: &s, Resamples: few.Resamples}).Page()
	var text, html bytes.Buffer
	if err := page.WriteText(&text, 100); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "standings.txt")
	if *update {
		if err := os.WriteFile(golden, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), text.String()); d != "" {
		t.Errorf("-want +got: %s", d)
	}
	if err := page.WriteHTML(&html); err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		t.Skip("a browser is started")
	}
	file := filepath.Join(t.TempDir(), "standings.html")
	if err := os.WriteFile(file, html.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	browsertest.Look(t, file)
}
