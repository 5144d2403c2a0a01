package stability

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore"
	"crscore/eval/perturb"
	"crscore/internal/dataset"
)

func TestRenamed(t *testing.T) {
	names := map[string]string{"value": "qwert", "tmpCount": "asdfg", "max_len": "zxcvb", "i": "yuiop", "x2": "hjklo"}
	for _, tt := range []struct{ in, want string }{
		{"The value of `value` is `value + i`.", "The value of `qwert` is `qwert + yuiop`."},
		{"tmpCount and max_len and x2, but i and values", "asdfg and zxcvb and hjklo, but i and values"},
		{"```\nvalue = i\n``` value", "```\nqwert = yuiop\n``` value"},
		{"`self.value` in `valued`", "`self.qwert` in `valued`"},
		{"no end `value", "no end `value"},
		{"", ""},
	} {
		if got := Renamed(tt.in, names); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
		}
	}
	if got := Renamed("`value`", nil); got != "`value`" {
		t.Error(got)
	}
}

func FuzzRenamed(f *testing.F) {
	f.Add("The `value` of value", "value", "qwert")
	f.Fuzz(func(t *testing.T, text, from, to string) {
		if !word.MatchString(to) || word.FindString(to) != to {
			t.Skip()
		}
		got := Renamed(text, map[string]string{from: to})
		if strings.Count(got, "`") != strings.Count(text, "`") {
			t.Errorf("%q has other code spans: %q", text, got)
		}
	})
}

// forms are the changes of testdata/forms.jsonl.
func forms(t *testing.T) []*dataset.Record { return records(t, "../../../testdata/forms.jsonl") }

func records(t *testing.T, name string) (out []*dataset.Record) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := dataset.Open(dataset.Source{Name: name, Text: f}, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, &rec)
	}
}

func TestOf(t *testing.T) {
	list := forms(t)
	p8 := perturb.All()[7]
	rec := list[0]
	rec.Claims, rec.Smells = map[string][]string{"ready": {"A claim."}}, []string{"A smell."}
	got, v, err := Of(t.Context(), rec, p8, 7)
	if err != nil {
		t.Fatal(err)
	}
	if got.ID != "total#p8.7" || got.Claims != nil || got.Smells != nil || got.Diff == rec.Diff || v.Names["amount"] == "" {
		t.Errorf("%+v", got)
	}
	if want := "`" + v.Names["amount"] + "`"; !strings.Contains(got.Reviews[0].Text, want) {
		t.Errorf("the review has no %s: %s", want, got.Reviews[0].Text)
	}
	if rec.Reviews[0].Text != list[0].Reviews[0].Text || rec.ID != "total" {
		t.Error("the record has changed")
	}
	again, _, err := Of(t.Context(), rec, p8, 7)
	if d := cmp.Diff(got, again); d != "" || err != nil {
		t.Error(d, err)
	}
	if other, _, err := Of(t.Context(), rec, p8, 8); err != nil || *other.New == *got.New {
		t.Error("another seed gives the same names", err)
	}
	if _, _, err := Of(t.Context(), list[2], perturb.All()[0], 7); !errors.Is(err, perturb.ErrUnfit) || err.Error() != "no whole texts" {
		t.Error(err)
	}
	bare := *rec
	bare.Old, bare.New = nil, nil
	if got, v, err := Of(t.Context(), &bare, p8, 7); err == nil || err.Error() != "no whole function in a hunk" {
		t.Error(got, v, err)
	}
	bare.Diff = strings.Replace(rec.Diff, "@@ -2,5 +2,9 @@\n", "@@ -1,6 +1,10 @@\n def total(items, rate):\n", 1)
	bare.Diff = strings.NewReplacer("-1,6", "-1,7", "+1,10", "+1,11").Replace(bare.Diff) + " total([], 1)\n"
	if got, v, err := Of(t.Context(), &bare, p8, 7); err != nil || got.Old != nil || !strings.Contains(got.Diff, v.Names["amount"]+" += ") || !FromHunks(v) {
		t.Error(got, err)
	}
	added := *rec
	added.Old, added.New = nil, nil
	added.Diff = "--- /dev/null\n+++ b/a.py\n@@ -0,0 +1,3 @@\n+def f():\n+    amount = 1\n+    return amount\n"
	if got, _, err := Of(t.Context(), &added, perturb.All()[5], 7); err != nil || got.New == nil {
		t.Error("a diff that adds a file has its whole text:", err)
	}
	dos := strings.ReplaceAll(*rec.New, "\n", "\r\n")
	rec.New = &dos
	if ends, _, err := Of(t.Context(), rec, p8, 7); err != nil || *ends.New != *got.New {
		t.Error("line ends of DOS:", err)
	}
}

// TestSummarize has numbers that can be computed by hand.
func TestSummarize(t *testing.T) {
	pair := func(change, review string, before, after float64) Pair {
		return Pair{Change: change, Review: review, Before: Scores{Rel: before}, After: Scores{Rel: after}}
	}
	m := &Moves{
		Perturbation: perturb.All()[0], Fits: 2, Unscored: 1, Left: map[string]int{"b": 1, "a": 1, "c": 5},
		Pairs: []Pair{
			pair("1", "x", .25, .5), pair("1", "y", .375, .25), pair("1", "z", .875, .75), // x and y change order
			pair("2", "x", .5, .5), pair("2", "y", .5, .75), // a tie before
		},
	}
	out, err := Summarize(t.Context(), []*Moves{m, {Perturbation: perturb.Identity()}}, Options{Worst: 5})
	if err != nil {
		t.Fatal(err)
	}
	p := out[0]
	for name, pair := range map[string][2]float64{
		"mad": {*p.Rel.MAD.Value, .75 / 5}, "p95": {*p.Rel.P95.Value, .25}, "equal": {*p.Rel.Equal.Value, 1. / 5}, "bias": {*p.Rel.Bias.Value, .25 / 5},
		"before": {*p.Rel.Before.Value, 2.5 / 5}, "after": {*p.Rel.After.Value, 2.75 / 5},
		"flips": {*p.Flips.Value, 1. / 3},
		// Means of x .375 → .5, y .4375 → .5, z .875 → .75: two of three pairs agree, one is tied after.
		"tau": {*p.TauSystems.Value, 2 / math.Sqrt(3*2)},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-12 {
			t.Errorf("%s is %v, want %v", name, pair[0], pair[1])
		}
	}
	if want := []Left{{"c", 5}, {"a", 1}, {"b", 1}}; !slices.Equal(p.Left, want) || p.ReviewPairs != 3 || p.Rel.MAD.Interval == nil {
		t.Errorf("%+v", p)
	}
	if len(p.Worst) != 2 || p.Worst[0].Change != "1" || p.Worst[0].Review != "x" || p.Worst[1].Change != "2" {
		t.Errorf("%+v", p.Worst)
	}
	if none := out[1]; none.Rel.MAD.Value != nil || none.Rel.MAD.Undefined != "no review" || none.TauReviews.Value != nil {
		t.Errorf("%+v", none)
	}
}

// TestMeasure: the controls are what they should be, and each record is finished once.
func TestMeasure(t *testing.T) {
	e, err := crscore.New(t.Context(), crscore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	next, done := each(forms(t)), 0
	moves, err := Measure(t.Context(), e, Options{Only: []perturb.ID{"p8"}}, next, func() { done++ })
	if err != nil || len(moves) != 3 || done != 3 {
		t.Fatalf("%d moves, %d done, %v", len(moves), done, err)
	}
	for _, p := range moves[0].Pairs {
		if p.Before != p.After {
			t.Errorf("p0 moves %+v", p)
		}
	}
	far := 0.0
	for _, p := range moves[1].Pairs {
		far = max(far, p.Before.Rel-p.After.Rel)
	}
	if moves[0].Fits != 3 || moves[0].Hunks != 1 || moves[1].Fits != 2 || moves[2].Fits != 2 || moves[2].Hunks != 0 || far < .2 {
		t.Errorf("fits %d, %d, %d; another change's reviews fall by %v at most", moves[0].Fits, moves[1].Fits, moves[2].Fits, far)
	}
	if _, err := Measure(t.Context(), e, Options{Only: []perturb.ID{"p0"}}, next, nil); err == nil {
		t.Error("p0 is no choice")
	}
}

// each returns one record after the other.
func each(list []*dataset.Record) func() (*dataset.Record, error) {
	return func() (*dataset.Record, error) {
		if len(list) == 0 {
			return nil, io.EOF
		}
		rec := list[0]
		list = list[1:]
		return rec, nil
	}
}

// TestPageFigures: docs/stability.md has the figures that are measured.
func TestPageFigures(t *testing.T) {
	dir := os.Getenv("CRSCORE_DATA")
	if dir == "" {
		t.Skip("CRSCORE_DATA does not name the folder of dev.jsonl")
	}
	page, err := os.ReadFile("../../../docs/stability.md")
	if err != nil {
		t.Fatal(err)
	}
	e, err := crscore.New(t.Context(), crscore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	o := Options{Only: []perturb.ID{"p4", "p9"}, Seed: 1}
	o.Bootstrap.Seed = 1
	moves, err := Measure(t.Context(), e, o, each(records(t, filepath.Join(dir, "dev.jsonl"))), func() {})
	if err != nil {
		t.Fatal(err)
	}
	found, err := Summarize(t.Context(), moves, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range found {
		want := fmt.Sprintf("| %d | %s | %s | %s | %.3f |", p.Fits, p.Rel.MAD, p.Rel.Bias, p.Flips, *p.TauSystems.Value)
		if !strings.Contains(string(page), want) {
			t.Errorf("%s: docs/stability.md has no %s", p.ID, want)
		}
	}
}
