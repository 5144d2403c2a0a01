package agreement

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/montanaflynn/stats"

	"crscore/eval/resample"
	"crscore/internal/limits"
)

// study makes labelled rows of three languages and five systems, some unscored,
// whose metric follows the label with the given noise. Reviews of a change share
// a part of it.
func study(changes int, noise float64, seed uint64) []Row {
	rng := rand.New(rand.NewPCG(seed, 0))
	rows := make([]Row, 0, 5*changes)
	for c := range changes {
		shared := rng.NormFloat64()
		for s := range 5 {
			label := float64(1 + rng.IntN(5))
			row := Row{
				Change: fmt.Sprint("c", c), Review: fmt.Sprint("system", s), Language: []string{"py", "java", "js"}[c%3],
				Human: &Scores{Con: label, Comp: max(1, label-1), Rel: label},
			}
			v := (label + float64(s)/2 + noise*(shared+rng.NormFloat64())) / 10
			if rng.IntN(20) > 0 {
				row.Metric = &Scores{Con: v, Comp: math.Round(8*v) / 8, Rel: v * v}
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// Every study gives the same, byte for byte, whatever the number of workers and
// the order of its input; another seed gives other intervals.
func TestDeterministic(t *testing.T) {
	rows, other := study(30, 1, 1), study(30, 3, 1)
	var links []Link
	for i, r := range rows {
		links = append(links, Link{r.Change, r.Review, 1, float64(i*7%50) / 50, i%3 == 0})
	}
	reversed := func(rows []Row) []Row {
		out := make([]Row, 0, len(rows))
		for i := range rows {
			out = append(out, rows[len(rows)-1-i])
		}
		return out
	}
	type results struct {
		table       Table
		ranking     Ranking
		sensitivity Sensitivity
		comparison  Comparison
		matching    Matching
	}
	everything := func(b Bootstrap, rows, other []Row) (r results) {
		t.Helper()
		ctx, o := context.Background(), Options{Bootstrap: b}
		var errs [5]error
		r.table, errs[0] = Tabulate(ctx, rows, o)
		r.ranking, errs[1] = Rank(ctx, rows, o)
		r.sensitivity, errs[2] = MeasureSensitivity(ctx, rows, o)
		r.comparison, errs[3] = Compare(ctx, rows, other, o)
		r.matching, errs[4] = Match(ctx, links, []float64{0.7, 0.2, 0.5}, b)
		if err := errors.Join(errs[:]...); err != nil {
			t.Fatal(err)
		}
		return r
	}
	want := everything(Bootstrap{Resamples: 200, Seed: 7, Workers: 1}, rows, other)
	for _, workers := range []int{2, 5, 0} {
		got := everything(Bootstrap{Resamples: 200, Seed: 7, Workers: workers}, reversed(rows), reversed(other))
		if d := cmp.Diff(want, got, cmp.AllowUnexported(results{})); d != "" {
			t.Fatalf("%d workers and another order give another result:\n%s", workers, d)
		}
	}
	got := everything(Bootstrap{Resamples: 200, Seed: 8}, rows, other)
	if cmp.Equal(want.table.All.Rel.Spearman.Interval, got.table.All.Rel.Spearman.Interval) {
		t.Error("another seed gives the same interval")
	}
	if *want.table.All.Rel.Spearman.Value != *got.table.All.Rel.Spearman.Value {
		t.Error("another seed gives another value")
	}
}

// The interval is that of the plain procedure: draw changes, put all of their
// reviews in a list, correlate.
func TestIntervalIsOfWholeChanges(t *testing.T) {
	rows := study(25, 1, 2)
	o := Options{Bootstrap: Bootstrap{Resamples: 150, Seed: 3}, Unscored: AsZero}
	table, err := Tabulate(context.Background(), rows, o)
	if err != nil {
		t.Fatal(err)
	}
	used, _, err := choose(rows, AsZero)
	if err != nil {
		t.Fatal(err)
	}
	var rhos []float64
	for i := range o.Resamples {
		rng := rand.New(rand.NewPCG(o.Seed, uint64(i)))
		var metric, human []float64
		for range 25 {
			c := rng.IntN(25)
			for _, r := range used[5*c : 5*c+5] {
				metric, human = append(metric, r.Metric.Rel), append(human, r.Human.Rel)
			}
		}
		rho, err := stats.Spearman(metric, human)
		if err != nil {
			t.Fatal(err)
		}
		rhos = append(rhos, rho)
	}
	slices.Sort(rhos) // 2.5% of 151 gaps between 150 values are 3.8
	if got := table.All.Rel.Spearman.Interval; !near(got[0], rhos[2]) || !near(got[1], rhos[147]) {
		t.Errorf("the interval is %v, want [%v, %v]", *got, rhos[2], rhos[147])
	}
}

// Intervals of the mean of clustered numbers hold the truth about as often as
// they say: more than 88% of 200 times, where an interval that took observations
// for independent would hold it about two thirds of the times.
func TestCoverage(t *testing.T) {
	held := 0
	for trial := range 200 {
		rng := rand.New(rand.NewPCG(uint64(trial), 11))
		var rows []Row
		for c := range 40 {
			shared := rng.NormFloat64()
			for s := range 5 {
				v := shared + 0.5*rng.NormFloat64()
				rows = append(rows, Row{Change: fmt.Sprint(c), Review: fmt.Sprint(s), Metric: &Scores{Rel: v}, Human: &Scores{3, 3, 3}})
			}
		}
		s, err := MeasureSensitivity(context.Background(), rows, Options{Bootstrap: Bootstrap{Resamples: 200}})
		if err != nil {
			t.Fatal(err)
		}
		if i := s.Rel[2].Mean.Interval; i[0] <= 0 && 0 <= i[1] {
			held++
		}
	}
	if held < 176 || held == 200 {
		t.Errorf("%d of 200 intervals hold the truth", held)
	}
}

func TestBootstrapErrors(t *testing.T) {
	rows := study(20, 1, 1)
	for _, n := range []int{-1, 1, resample.MinResamples - 1, limits.Resamples + 1} {
		if _, err := Tabulate(context.Background(), rows, Options{Bootstrap: Bootstrap{Resamples: n}}); err == nil {
			t.Errorf("%d resamples are taken", n)
		}
	}
	if _, err := Match(context.Background(), []Link{{"c", "s", 1, 0.5, true}}, make([]float64, 1), Bootstrap{Resamples: -1}); err == nil {
		t.Error("-1 resamples are taken")
	}
	if _, err := (Bootstrap{Resamples: limits.Resamples}).Draw(context.Background(), 5, 1000, nil); err == nil {
		t.Error("memory is not bounded")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Tabulate(ctx, rows, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestEstimateString(t *testing.T) {
	v := 0.12345
	for want, e := range map[string]Estimate{
		"undefined":             resample.None("no pair is linked"),
		"0.123 [undefined]":     {Value: &v},
		"0.123 [-0.100, 0.200]": {Value: &v, Interval: &[2]float64{-0.1, 0.2}},
	} {
		if got := e.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// 1,395 reviews, as many as the labelled development set has.
func BenchmarkTabulate(b *testing.B) {
	rows := study(279, 2, 1)
	for b.Loop() {
		if _, err := Tabulate(context.Background(), rows, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompare(b *testing.B) {
	x, y := study(279, 2, 1), study(279, 3, 1)
	for b.Loop() {
		if _, err := Compare(context.Background(), x, y, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
