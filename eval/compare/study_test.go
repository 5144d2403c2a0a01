package compare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/eval/resample"
	"crscore/internal/dataset"
	"crscore/internal/limits"
)

func same(lang string) string { return lang }

// read makes an input of files of scores, called f1, f2 and so on.
func read(t testing.TB, files ...string) *Input {
	t.Helper()
	var names []string
	for i := range files {
		names = append(names, fmt.Sprintf("f%d", i+1))
	}
	in := NewInput(names, same)
	for i, f := range files {
		if err := add(in, i, f); err != nil {
			t.Fatal(err)
		}
	}
	return in
}

func add(in *Input, file int, text string) error {
	r := dataset.NewScoreReader(dataset.Source{Text: strings.NewReader(text)})
	r.KeepNothing()
	for {
		sc, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = in.Add(file, sc)
		}
		if err != nil && !errors.As(err, new(*dataset.LineError)) {
			return err
		}
	}
}

// table is CSV with one score for all: a row a change, c1 first, with a cell a system;
// "-" is an unscored review, "." none. A row's first word is its language.
func table(systems string, rows ...string) string {
	out := "id,review,lang,score\n"
	for i, row := range rows {
		cells := strings.Fields(row)
		for k, v := range cells[1:] {
			if v != "." {
				out += fmt.Sprintf("c%d,%s,%s,%s\n", i+1, strings.Fields(systems)[k], strings.Trim(cells[0], "?"), strings.TrimPrefix(v, "-"))
			}
		}
	}
	return out
}

func made(t testing.TB, o Options, files ...string) Report {
	t.Helper()
	r, err := Study(context.Background(), read(t, files...), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// show writes the numbers of a group down.
func show(g Group) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d\n", g.Compared, g.All)
	for _, s := range g.Systems {
		mean := "none"
		if v := s.Mean("rel").Value; v != nil {
			mean = fmt.Sprintf("%.4g", *v)
		}
		fmt.Fprintf(&b, "%s %s n=%d scored=%d unscored=%d absent=%d %s\n", s.Name, mean, s.Changes, s.Scored, s.Unscored, s.Absent, s.Letters)
	}
	for _, p := range g.Pairs {
		if p.Difference.P == nil {
			fmt.Fprintf(&b, "%s-%s n=%d: %s\n", p.A, p.B, p.Changes, p.Difference.Undefined)
			continue
		}
		fmt.Fprintf(&b, "%s-%s %.4g n=%d %d/%d/%d p=%.4g %.4g\n", p.A, p.B, *p.Difference.Value, p.Changes, p.Better, p.Tied, p.Worse, *p.Difference.P, *p.Corrected)
	}
	return b.String()
}

// Six changes, four systems: everything here was computed by hand. b and c are the same
// but for the order of their scores; d lacks the last two changes, and e has no score.
func TestStudy(t *testing.T) {
	rows := []string{"py 1 0.5 0 . -", "py 1 0 0.5 0 .", "py 1 0.5 0 0 -", "java 1 0 0.5 0 .", "java 1 0.5 0 - .", "? 1 0 0.5 . ."}
	in := table("a b c d e", rows...)
	for _, tt := range []struct {
		name string
		o    Options
		want string
		in   string
	}{
		{"common", Options{}, `3 of 6
a 1 n=3 scored=6 unscored=0 absent=0 a
c 0.3333 n=3 scored=6 unscored=0 absent=0 a
b 0.1667 n=3 scored=6 unscored=0 absent=0 a
d 0 n=3 scored=3 unscored=1 absent=2 a
e none n=0 scored=0 unscored=2 absent=4 
a-c 0.6667 n=3 3/0/0 p=0.25 1
a-b 0.8333 n=3 3/0/0 p=0.25 1
a-d 1 n=3 3/0/0 p=0.25 1
c-b 0.1667 n=3 2/0/1 p=1 1
c-d 0.3333 n=3 2/1/0 p=0.5 1
b-d 0.1667 n=3 1/2/0 p=1 1
`, in},
		{"own", Options{Over: Own, Correction: resample.BH}, `6 of 6
a 1 n=6 scored=6 unscored=0 absent=0 a
b 0.25 n=6 scored=6 unscored=0 absent=0 a
c 0.25 n=6 scored=6 unscored=0 absent=0 a
d 0 n=3 scored=3 unscored=1 absent=2 a
e none n=0 scored=0 unscored=2 absent=4 
a-b 0.75 n=6 6/0/0 p=0.03125 0.09375
a-c 0.75 n=6 6/0/0 p=0.03125 0.09375
a-d 1 n=3 3/0/0 p=0.25 0.5
b-c 0 n=6 3/0/3 p=1 1
b-d 0.1667 n=3 1/2/0 p=1 1
c-d 0.3333 n=3 2/1/0 p=0.5 0.75
`, in},
		{"baseline", Options{Over: Own, Baseline: "b"}, `6 of 6
a 1 n=6 scored=6 unscored=0 absent=0 
b 0.25 n=6 scored=6 unscored=0 absent=0 
c 0.25 n=6 scored=6 unscored=0 absent=0 
d 0 n=3 scored=3 unscored=1 absent=2 
e none n=0 scored=0 unscored=2 absent=4 
a-b 0.75 n=6 6/0/0 p=0.03125 0.09375
c-b 0 n=6 3/0/3 p=1 1
d-b -0.1667 n=3 0/2/1 p=1 1
`, in},
		{"one system", Options{}, "2 of 2\na 0.75 n=2 scored=2 unscored=0 absent=0 \n", table("a", "py 1", "py 0.5")},
		{"one change", Options{}, `1 of 1
a 1 n=1 scored=1 unscored=0 absent=0 
b 0 n=1 scored=1 unscored=0 absent=0 
a-b n=1: no interval and no test: fewer than two changes
`, table("b a", "py 0 1")},
		{"nothing of a pair in common", Options{Over: Own}, `2 of 2
b 1 n=1 scored=1 unscored=0 absent=1 
a 0 n=1 scored=1 unscored=0 absent=1 
b-a n=0: no change has a score of both
`, table("a b", "py 0 .", "py . 1")},
		{"identical", Options{}, `6 of 6
a 0.5 n=6 scored=6 unscored=0 absent=0 a
msg 0.5 n=6 scored=6 unscored=0 absent=0 a
a-msg 0 n=6 0/6/0 p=1 1
`, table("msg a", "py 0.3 0.3", "py 0.7 0.7", "py 1 1", "py 0 0", "py 0.5 0.5", "py 0.5 0.5")},
	} {
		r := made(t, tt.o, tt.in)
		if d := cmp.Diff(tt.want, show(r.Group)); d != "" {
			t.Errorf("%s:\n%s", tt.name, d)
		}
	}
	r := made(t, Options{}, in)
	var langs []string
	for _, g := range r.Languages {
		langs = append(langs, fmt.Sprintf("%s %d/%d", g.Name, g.Compared, g.All))
	}
	if d := cmp.Diff([]string{"java 1/2", "py 2/3"}, langs); d != "" {
		t.Error(d)
	}
	want := []string{
		"e has no score, and is not compared",
		"3 of 6 changes count: those that every system has a score for; without a score are 3 of d",
		"changes without a language: 1; they are in no language's table",
		"no difference can be significant: with 3 changes and 6 tests no corrected p-value is below 1",
	}
	if d := cmp.Diff(want, r.Warnings); d != "" {
		t.Error(d)
	}
	r = made(t, Options{}, table("a b c", "py 1 1 .", "py 1 1 .", "py 1 . 1", "py 1 1 1"))
	if d := cmp.Diff([]string{
		"1 of 4 changes count: those that every system has a score for; without a score are 2 of c, 1 of b",
		"b alone is why 1 of 4 changes do not count", "c alone is why 2 of 4 changes do not count",
	}, r.Warnings[:3]); d != "" {
		t.Error(d)
	}
	r = made(t, Options{}, in)
	if v := *r.Systems[0].Score.Value; v != 1 || r.Systems[0].Values[2] != 1 || r.Systems[0].Con != (resample.Estimate{}) || r.Metric != "score" {
		t.Error("not one score, or no values")
	}
	if r := made(t, Options{}, strings.ReplaceAll(table("msg a", "py 1 0", "py 1 1"), "py", "")); !r.Systems[0].Human || r.Systems[1].Human || r.Languages != nil || len(r.Warnings) != 1 {
		t.Errorf("%+v", r)
	}
}

// Intervals and differences are those of the plain procedure: the same draws, a mean
// over the list of what was drawn.
func TestIntervals(t *testing.T) {
	in := many(3, 40, 0.1)
	for _, over := range []ChangeSet{Common, Own} {
		o := Options{Over: over, Bootstrap: resample.Bootstrap{Resamples: 200, Seed: 5}}
		r, err := Study(context.Background(), in, o)
		if err != nil {
			t.Fatal(err)
		}
		systems, err := in.close()
		if err != nil {
			t.Fatal(err)
		}
		values := map[string]map[int32]float64{}
		for _, s := range systems {
			values[s.label] = map[int32]float64{}
			for _, row := range s.rows {
				if row.scored() {
					values[s.label][row.change] = row.values[2]
				}
			}
		}
		var kept []int32
		for c := range int32(40) {
			n := 0
			for _, v := range values {
				if _, ok := v[c]; ok {
					n++
				}
			}
			if n == 3 || over == Own && n > 0 {
				kept = append(kept, c)
			}
		}
		p := r.Pairs[1]
		var means, differences []float64
		stream, ids := resample.Stream{Bootstrap: o.Bootstrap}, slices.Sorted(maps.Keys(in.changes))
		weights := map[int32][]float64{} // those of crscore score
		for _, c := range kept {
			w, err := stream.Weights(ids[c])
			if err != nil {
				t.Fatal(err)
			}
			weights[c] = slices.Clone(w)
		}
		for i := range 200 {
			var sum, difference, n, both float64
			for _, c := range kept {
				w := weights[c][i]
				x, okX := values[p.A][c]
				y, okY := values[p.B][c]
				if okX {
					sum, n = sum+w*x, n+w
				}
				if okX && okY {
					difference, both = difference+w*(x-y), both+w
				}
			}
			means, differences = append(means, sum/n), append(differences, difference/both)
		}
		for what, tt := range map[string]struct {
			draws []float64
			got   *[2]float64
		}{"mean": {means, r.Systems[0].Score.Interval}, "difference": {differences, p.Difference.Interval}} {
			slices.Sort(tt.draws) // 2.5% of 201 gaps between 200 values are 5
			if near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }; !near(tt.got[0], tt.draws[4]) || !near(tt.got[1], tt.draws[195]) {
				t.Errorf("%s, %s: %v, want [%v, %v]", over, what, *tt.got, tt.draws[4], tt.draws[195])
			}
		}
		if over == Common {
			if a := r.Systems[0].Name; a != p.A {
				t.Fatalf("%s is first, and the pair is of %s", a, p.A)
			}
		}
	}
}

// Every study gives the same, byte for byte, whatever the number of workers and the
// order of rows and files; another seed gives other intervals and the same means.
func TestDeterministic(t *testing.T) {
	rows := strings.Split(strings.TrimSpace(random(4, 60)), "\n")
	of := func(rows []string, seed uint64, workers int) (Report, string) {
		t.Helper()
		r := made(t, Options{Over: Own, Bootstrap: resample.Bootstrap{Seed: seed, Workers: workers}, Flips: resample.Flips{Seed: seed, Workers: workers}}, strings.Join(rows, "\n"))
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return r, string(b)
	}
	first, want := of(rows, 1, 1)
	shuffled := slices.Clone(rows[1:])
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	shuffled = append(rows[:1:1], shuffled...)
	for _, workers := range []int{2, 5} {
		if _, got := of(shuffled, 1, workers); got != want {
			t.Errorf("%d workers and another order:\n%s", workers, cmp.Diff(want, got))
		}
	}
	other, got := of(rows, 2, 1)
	if got == want || *other.Systems[0].Score.Value != *first.Systems[0].Score.Value {
		t.Error("another seed gives the same, or other means")
	}
}

func TestFiles(t *testing.T) {
	a, b := table("yak bee", "py 1 0", "py 1 0"), table("yak cat", "py 0 1", "py 0 1")
	r := made(t, Options{Baseline: "yak (f2)"}, a, b)
	var names []string
	for _, s := range r.Systems {
		names = append(names, s.Name)
	}
	if d := cmp.Diff([]string{"cat", "yak (f1)", "bee", "yak (f2)"}, names); d != "" || r.Baseline != "yak (f2)" {
		t.Error(d)
	}
	if r := made(t, Options{Baseline: "cat"}, a, b); r.Baseline != "cat" || len(r.Pairs) != 3 {
		t.Errorf("%+v", r.Pairs)
	}
}

// A metric may have some numbers and not others.
func TestMetrics(t *testing.T) {
	full := "id,review,con,comp,rel\n1,a,1,0.5,0.25\n2,a,1,0.5,0.25\n"
	relOnly := "id,review,rel\n1,b,0.5\n2,b,0.5\n"
	r := made(t, Options{}, full, relOnly)
	if b := r.Systems[0]; b.Name != "b" || b.Con.Undefined != "its scores have no con" || *b.Rel.Value != 0.5 || *r.Systems[1].Comp.Value != 0.5 {
		t.Errorf("%+v", r.Systems)
	}
	r = made(t, Options{Metric: "con"}, full, relOnly)
	if b := r.Systems[1]; b.Name != "b" || b.Rel.Undefined != "its scores have no con" || r.Compared != 2 || r.Warnings[0] != "b has no con, and is not compared" {
		t.Errorf("%+v", r)
	}
	if _, err := Study(t.Context(), read(t, relOnly), Options{Metric: "f1"}); err == nil || err.Error() != `unknown metric "f1": choose rel, con, comp` {
		t.Error(err)
	}
	if _, err := Study(t.Context(), read(t, relOnly), Options{Metric: "con"}); err == nil || err.Error() != "no score has a con: choose another metric" {
		t.Error(err)
	}
}

// A distance is best where it is lowest; nothing else but the order and the counts moves.
func TestLowerIsBetter(t *testing.T) {
	higher := table("a b c", "py 5 3 1", "py 5 2 1", "py 4 3 1", "py 5 3 2", "py 5 3 1", "py 5 3 1", "py 4 3 1", "py 5 3 3")
	lower := strings.ReplaceAll(strings.ReplaceAll(higher, "\n", ",ter|better:lower\n"), "score,ter|better:lower", "score,signature")
	r, turned := made(t, Options{}, higher), made(t, Options{}, lower)
	if d := cmp.Diff([]string{
		"8 of 8\na 4.75 n=8 scored=8 unscored=0 absent=0 a\nb 2.875 n=8 scored=8 unscored=0 absent=0 b\nc 1.375 n=8 scored=8 unscored=0 absent=0 c\n" +
			"a-b 1.875 n=8 8/0/0 p=0.007812 0.02344\na-c 3.375 n=8 8/0/0 p=0.007812 0.02344\nb-c 1.5 n=8 7/1/0 p=0.01562 0.02344\n",
		"8 of 8\nc 1.375 n=8 scored=8 unscored=0 absent=0 a\nb 2.875 n=8 scored=8 unscored=0 absent=0 b\na 4.75 n=8 scored=8 unscored=0 absent=0 c\n" +
			"c-b -1.5 n=8 7/1/0 p=0.01562 0.02344\nc-a -3.375 n=8 8/0/0 p=0.007812 0.02344\nb-a -1.875 n=8 8/0/0 p=0.007812 0.02344\n",
	}, []string{show(r.Group), show(turned.Group)}); d != "" || r.LowerIsBetter || !turned.LowerIsBetter {
		t.Error(d)
	}
	b, err := json.Marshal(turned)
	if err != nil || strings.Contains(string(b), `"rel"`) || !strings.Contains(string(b), `"metric":"score","lower_is_better":true,`) {
		t.Errorf("%s, %v", b, err)
	}
}

// Scores of several metrics are not compared, but a score stands for con, comp and rel.
func TestOneMetric(t *testing.T) {
	of := func(metric, signature string) dataset.Score {
		v := 1.0
		return dataset.Score{Line: 7, Row: dataset.Row{ID: "1", Review: "s" + metric, Con: &v, Comp: &v, Rel: &v, Signature: signature}, Metric: metric, Lower: strings.Contains(signature, "better:lower")}
	}
	for _, tt := range []struct {
		name, want string
		a, b       dataset.Score
	}{
		{"two metrics", "line 7: this score is of chrf, and that of one, line 7 is of bleu: choose with --metric", of("bleu", ""), of("chrf", "")},
		{"a metric and three numbers", "line 7: this score is of con, comp and rel, and that of one, line 7 is of bleu: choose with --metric", of("bleu", ""), of("", "")},
		{"two directions", "line 7: lower is better here by its signature, and higher is in one, line 7", of("ter", ""), of("ter", "v ter=ter|better:lower case=lc")},
		{"a score and three numbers", "", of("score", ""), of("", "")},
		{"three numbers and a score", "", of("", ""), of("score", "")},
	} {
		in := NewInput([]string{"one", "two"}, same)
		if err := in.Add(0, tt.a); err != nil {
			t.Fatal(err)
		}
		if err := in.Add(1, tt.b); err != nil || tt.want != "" {
			if err == nil || err.Error() != tt.want {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		r, err := Study(t.Context(), in, Options{Mixed: true})
		if err != nil || r.Metric != "rel" || r.Systems[0].Score != nil || *r.Systems[0].Con.Value != 1 || *r.Systems[1].Con.Value != 1 {
			t.Errorf("%s: %+v, %v", tt.name, r.Systems, err)
		}
	}
}

func TestStudyErrors(t *testing.T) {
	signed := func(signature string) string {
		return fmt.Sprintf(`{"id":"1","review":"%s","score":1,"signature":"%s"}`+"\n", "s"+signature[len(signature)-1:], signature)
	}
	for _, tt := range []struct {
		name  string
		o     Options
		files []string
		want  string
	}{
		{"nothing", Options{}, []string{""}, "no review has a score"},
		{"nothing scored", Options{}, []string{table("a", "py -", "py -")}, "no review has a score"},
		{"twice", Options{}, []string{table("a b", "py 1 1", "py 1 1") + "c1,a,py,0.5\n"}, `f1: line 6: review "a" of change "c1" has a score on line 2 too`},
		{"disjoint", Options{}, []string{table("a b", "py 1 .", "py . 1")}, "no change has a score from every system: of 2 changes, without a score are 1 of a, 1 of b"},
		{"parts", Options{}, []string{table("a", "py 1"), table("a", "py .", "py 1")}, "a is in several files: are they parts of one run, which crscore merge puts together?"},
		{"no baseline", Options{Baseline: "x"}, []string{table("a b", "py 1 1")}, "there is no system x, but: a, b"},
		{"two baselines", Options{Baseline: "a"}, []string{table("a", "py 1"), table("a", "py 1")}, "there are several systems a: choose a (f1), a (f2)"},
		{"silent baseline", Options{Baseline: "a"}, []string{table("a b", "py - 1")}, "the baseline a has no score to compare with"},
		{"metric", Options{Metric: "f1"}, []string{table("a", "py 1")}, "no score has a f1: they are of score"},
		{"correction", Options{Correction: "x"}, []string{table("a b", "py 1 1")}, `unknown correction "x"`},
		{"changes", Options{Over: "x"}, []string{table("a b", "py 1 1")}, `unknown choice of changes "x": choose common or own`},
		{"resamples", Options{Bootstrap: resample.Bootstrap{Resamples: 1}}, []string{table("a b", "py 1 1")}, "1 resamples: need 100"},
		{"flips", Options{Flips: resample.Flips{Draws: 1}}, []string{table("a b", "py 1 1")}, "1 draws of signs: need 1000"},
		{"labels", Options{}, []string{table("a", "py 1") + "c1,a (f1),py,1\n", table("a", "py 1")}, `two systems would both be called "a (f1)"`},
		{"signatures", Options{}, []string{signed("crscore/1 mode=hard tau=0.4") + signed("crscore/1 mode=hard tau=0.5")},
			"the scores have different signatures, so that their numbers do not mean the same: tau is 0.4 in A and 0.5 in B (A are 1 score of s4, B 1 score of s5)"},
		{"no signature", Options{}, []string{signed("crscore/1 tau=0.4"), table("a", "py 1")}, "A have none (A are 1 score of a, B 1 score of s4)"},
	} {
		_, err := Study(t.Context(), read(t, tt.files...), tt.o)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
	r := made(t, Options{Mixed: true}, signed("crscore/1 tau=0.4")+signed("crscore/1 tau=0.5"))
	if len(r.Signatures) != 2 || !strings.HasPrefix(r.Warnings[0], "the scores have different signatures") {
		t.Errorf("%+v", r.Warnings)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Study(ctx, read(t, table("a b", "py 1 1", "py 1 0")), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestInputErrors(t *testing.T) {
	one := 1e101
	in := NewInput([]string{"f"}, same)
	if err := in.Add(0, dataset.Score{Line: 3, Row: dataset.Row{ID: "1", Review: "a", Rel: &one}}); err == nil || !strings.Contains(err.Error(), "line 3: rel is 1e+101") {
		t.Error(err)
	}
	one = 1
	for i := range limits.Systems {
		if err := in.Add(0, dataset.Score{Line: i, Row: dataset.Row{ID: "1", Review: fmt.Sprint(i), Rel: &one}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := in.Add(0, dataset.Score{Line: 9, Row: dataset.Row{ID: "1", Review: "x", Rel: &one}}); err == nil || !strings.Contains(err.Error(), `line 9: more than 1000 systems: is "x" one`) {
		t.Error(err)
	}
	long := strings.Repeat("a", limits.SystemBytes+1)
	for _, sc := range []dataset.Score{{Line: 9, Row: dataset.Row{ID: "1", Review: long, Rel: &one}}, {Line: 9, Row: dataset.Row{ID: "1", Review: "x", Lang: long, Rel: &one}}} {
		if err := in.Add(0, sc); err == nil || !strings.Contains(err.Error(), "is no name: it is longer than 500 bytes") {
			t.Error(err)
		}
	}
	in = NewInput([]string{"f"}, same)
	for i := range limits.Languages + 1 {
		err := in.Add(0, dataset.Score{Line: i, Row: dataset.Row{ID: fmt.Sprint(i), Review: "x", Lang: fmt.Sprint(i), Rel: &one}})
		if (err != nil) != (i == limits.Languages) {
			t.Fatalf("language %d: %v", i, err)
		}
	}
	in = NewInput([]string{"f"}, same)
	in.rows = limits.StudyScores
	if err := in.Add(0, dataset.Score{Line: 9, Row: dataset.Row{ID: "1", Review: "x", Rel: &one}}); err == nil {
		t.Error("scores are not bounded")
	}
	// Two languages of a change: none of both.
	r := made(t, Options{}, "id,review,lang,score\n1,a,py,1\n1,b,java,1\n2,a,py,1\n2,b,py,1\n")
	if len(r.Languages) != 1 || r.Languages[0].All != 1 || r.Warnings[0] != "changes that scores name two languages for: 1; they are in no language's table" {
		t.Errorf("%+v", r)
	}
}

// Samples of all pairs are bounded.
func TestTooMany(t *testing.T) {
	in := many(200, 900, 0)
	_, err := Study(t.Context(), in, Options{Over: Own})
	if err == nil || !strings.Contains(err.Error(), "name a baseline, or compare fewer systems") {
		t.Error(err)
	}
	_, err = Study(t.Context(), many(200, 2, 0), Options{Over: Own})
	if err == nil || !strings.Contains(err.Error(), "name a baseline, compare fewer systems, or draw fewer resamples") {
		t.Error(err)
	}
}

// many is an input of systems that differ a little.
func many(systems, changes int, unscored float64) *Input {
	in := NewInput([]string{"f"}, same)
	if err := add(in, 0, random(systems, changes)); err != nil {
		panic(err)
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, s := range in.systems {
		s.rows = slices.DeleteFunc(s.rows, func(row) bool { return rnd.Float64() < unscored })
	}
	return in
}

func random(systems, changes int) string {
	rnd := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("id,review,lang,score\n")
	for c := range changes {
		shared := rnd.Float64()
		for s := range systems {
			fmt.Fprintf(&b, "c%d,s%d,%s,%g\n", c, s, []string{"py", "java"}[c%2], (shared+rnd.Float64()-float64(s)/float64(systems))/3)
		}
	}
	return b.String()
}

func BenchmarkStudy(b *testing.B) {
	for _, size := range [][2]int{{10, 10_000}, {20, 10_000}, {10, 20_000}, {200, 10_000}} {
		in := many(size[0], size[1], 0)
		for _, draws := range []int{1000, 2000} {
			b.Run(fmt.Sprintf("systems=%d/changes=%d/resamples=%d", size[0], size[1], draws), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					o := Options{Correction: resample.BH, Bootstrap: resample.Bootstrap{Resamples: draws}, Flips: resample.Flips{Draws: 10 * draws}}
					if _, err := Study(context.Background(), in, o); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkRead(b *testing.B) {
	text := random(10, 10_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if err := add(NewInput([]string{"f"}, same), 0, text); err != nil {
			b.Fatal(err)
		}
	}
}
