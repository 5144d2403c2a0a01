package consistency

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore"
	"crscore/eval/bench"
	"crscore/eval/perturb"
	"crscore/eval/perturb/stability"
	"crscore/internal/comments"
	"crscore/internal/dataset"
	"crscore/internal/report/figures"
	"crscore/score"
)

const before, after = `def total(items):
    return 0
`, `def total(items):
    amount = 0
    for item in items:
        if item.free:
            amount += 0
        else:
            amount += item.price
    return amount
`

// made returns the rows p0 and p of a change.
func made(t *testing.T, id string) (original, variant *dataset.Record) {
	t.Helper()
	old, new := before, after
	rec := &dataset.Record{ID: "a", Lang: "py", Path: "a.py", Old: &old, New: &new}
	for _, p := range append(perturb.All(), perturb.Identity()) {
		v, _, err := stability.Of(t.Context(), rec, p, 3)
		if err != nil && string(p.ID) == id {
			t.Fatal(err)
		}
		if p.ID == "p0" {
			original = v
		}
		if string(p.ID) == id {
			variant = v
		}
	}
	return original, variant
}

func at(line int, body string) comments.Comment {
	return comments.Comment{Path: "a.py", Side: comments.New, EndLine: line, Body: body}
}

// TestMoved: comments go where their lines go, with the new names.
func TestMoved(t *testing.T) {
	for _, tt := range []struct {
		id       string
		line, to int
		body     string
	}{
		{"p0", 5, 5, "`amount`"},
		{"p1", 5, 7, "`amount`"}, // the branches changed places
		{"p1", 7, 5, "`amount`"},
		{"p1", 8, 8, "`amount`"},
		{"p2", 2, 5, "`amount`"}, // three lines above
		{"p6", 8, 9, "`amount`"}, // return stands below the new line
		{"p8", 5, 5, ""},
	} {
		original, variant := made(t, tt.id)
		v, err := Repeat(t.Context(), original, variant)
		if err != nil {
			t.Fatal(tt.id, err)
		}
		got := v.moved(at(tt.line, "`amount`"))
		if got.EndLine != tt.to || tt.body != "" && got.Body != tt.body || tt.body == "" && strings.Contains(got.Body, "amount") {
			t.Errorf("%s: line %d is %d, want %d: %s\n%s", tt.id, tt.line, got.EndLine, tt.to, got.Body, *variant.New)
		}
	}
}

func TestCompare(t *testing.T) {
	original, variant := made(t, "p1")
	v, err := Repeat(t.Context(), original, variant)
	if err != nil {
		t.Fatal(err)
	}
	o, err := Compare(t.Context(), v,
		[]comments.Comment{at(7, "x"), at(2, "y"), at(0, "z")},
		[]comments.Comment{at(5, "x"), at(8, "w"), {Path: "b.py", EndLine: 1, Body: "v"}},
		Options{Matcher: bench.Lines{}})
	if err != nil {
		t.Fatal(err)
	}
	// Line 7 went to 5. The comment without a line meets what is left. Line 2 has no partner.
	want := &Outcome{
		Change: "a", ID: "a#p1.3", Perturbation: "p1",
		Kept: map[Position]int{Inside: 1, NoLines: 1}, Lost: map[Position]int{After: 1}, New: map[Position]int{After: 1},
	}
	if d := cmp.Diff(want, o); d != "" {
		t.Error(d)
	}
	rep, err := Summarize(t.Context(), []*Outcome{o}, 2, Options{Matcher: bench.Lines{}})
	if err != nil || len(rep.Perturbations) != 1 || rep.Perturbations[0].Kept != 2 || rep.Missing != 2 || *rep.Perturbations[0].KeptShare.Value != 2./3 {
		t.Errorf("%+v, %v", rep, err)
	}
	if _, err := Summarize(t.Context(), nil, 1, Options{Matcher: bench.Lines{}}); err != ErrNone {
		t.Error(err)
	}
}

// TestScorer: comments on a change are one review of it, and those on the variant one of the variant.
func TestScorer(t *testing.T) {
	e, err := crscore.New(t.Context(), crscore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	scorer := &Scorer{Engine: e}
	original, variant := made(t, "p8")
	was := []comments.Comment{at(4, "`total` skips items that are `free`."), at(2, "Nice weather.")}
	is := []comments.Comment{at(4, stability.Renamed(was[0].Body, map[string]string{"amount": "x"}))}
	for _, tt := range []struct {
		variant       *dataset.Record
		before, after []comments.Comment
		unscored      string // of the variant
	}{
		{original, was, was, ""},
		{variant, was, is, ""},
		{variant, nil, nil, ""}, // before is known from the rows above
		{variant, was, []comments.Comment{at(1, strings.Repeat("x", crscore.MaxReviewBytes+1))}, "more than the limit of 4 MiB"},
		{&dataset.Record{ID: "a#p1.3", Path: "a.py", Diff: "nonsense"}, was, was, "not a unified diff"},
	} {
		got, err := scorer.Score(t.Context(), original, tt.variant, tt.before, tt.after)
		if err != nil || got[0].Status != crscore.Scored || got[0].Con >= 1 || got[0].Con == 0 || got[0].Match != nil {
			t.Fatalf("%+v, %v", got, err)
		}
		if !strings.Contains(got[1].Reason, tt.unscored) || (got[1].Status == crscore.Scored) != (tt.unscored == "") {
			t.Errorf("%+v, want %q", got[1], tt.unscored)
		}
		switch {
		case tt.variant == original && got[1].Result.Rel != got[0].Result.Rel:
			t.Errorf("p0 moves rel: %+v", got)
		case len(tt.after) == 0 && got[1].Rel != 0:
			t.Errorf("no comment has rel %v", got[1].Rel)
		}
	}
	other := *original
	other.Diff = "nonsense"
	if got, err := scorer.Score(t.Context(), &other, variant, was, is); err != nil || got[0].Status == crscore.Scored {
		t.Errorf("another original has the scores of the one before: %+v, %v", got, err)
	}
}

// TestScores: means over variants with both scores, by perturbation.
func TestScores(t *testing.T) {
	scored := func(con, comp, rel float64) crscore.Result {
		return crscore.Result{Status: crscore.Scored, Result: score.Result{Con: con, Comp: comp, Rel: rel}}
	}
	none := crscore.Result{Status: crscore.Unscored, Reason: "no references"}
	outcome := func(change, p string, before, after crscore.Result) *Outcome {
		return &Outcome{Change: change, Perturbation: perturb.ID(p), Scores: &[2]crscore.Result{before, after}}
	}
	rep, err := Summarize(t.Context(), []*Outcome{
		outcome("a", "p1", scored(1, .5, .75), scored(.5, .5, .5)),
		outcome("b", "p1", scored(0, 0, 0), scored(.25, .5, .25)),
		outcome("c", "p1", scored(1, 1, 1), none),
		outcome("d", "p1", none, scored(1, 1, 1)),
		outcome("d", "p2", none, none),
	}, 0, Options{Matcher: bench.Lines{}, Scorer: &Scorer{}})
	if err != nil {
		t.Fatal(err)
	}
	got := rep.Scores[0]
	want := []stability.Left{{Reason: "the change: no references", Changes: 1}, {Reason: "the variant: no references", Changes: 1}}
	if d := cmp.Diff(want, got.Left); d != "" || got.Reviews != 2 || got.Unscored != 2 {
		t.Error(d, got.Reviews, got.Unscored)
	}
	for k, want := range [3][5]float64{{.5, .375, -.125, -.5, .25}, {.25, .5, .25, 0, .5}, {.375, .375, 0, -.25, .25}} {
		d := []stability.Move{got.Con, got.Comp, got.Rel}[k]
		is := [5]float64{*d.Before.Value, *d.After.Value, *d.Bias.Value, d.Bias.Interval[0], d.Bias.Interval[1]}
		if is != want {
			t.Errorf("score %d: %v, want %v", k, is, want)
		}
	}
	if e := rep.Scores[1].Rel.Bias; e.Value != nil || e.Undefined != "no review" {
		t.Errorf("%+v", e)
	}
	page := rep.Page()
	if len(page.Sections) != 2 || len(page.Sections[1].Figures) != 4 || len(page.Sections[1].Figures[3].(figures.Table).Rows) != 3 {
		t.Errorf("%+v", page.Sections)
	}
}

// TestRepeat: a variant that was edited is no variant.
func TestRepeat(t *testing.T) {
	original, variant := made(t, "p8")
	for _, tt := range []struct {
		edit func(*dataset.Record)
		want string
	}{
		{func(r *dataset.Record) { r.ID = "a" }, `"a" is no id of a variant`},
		{func(r *dataset.Record) { r.ID = "a#p77.3" }, `no perturbation "p77"`},
		{func(r *dataset.Record) { r.ID = "a#p8.4" }, "other texts than perturb makes"},
		{func(r *dataset.Record) { r.New = nil }, "other texts than perturb makes"},
		{func(r *dataset.Record) { text := *r.New + "\n"; r.New = &text }, "other texts than perturb makes"},
		{func(r *dataset.Record) { r.ID = "a#p5.3" }, "its original cannot be rewritten so: functions without two plain"},
	} {
		rec := *variant
		tt.edit(&rec)
		if _, err := Repeat(t.Context(), original, &rec); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}

func TestReadLines(t *testing.T) {
	got, err := ReadLines(strings.NewReader(`{"id":"a/b","comments":[{"path":"x.go","line":3,"body":"Why?"}]}

{"id":"c","comments":[]}
`), "")
	if err != nil || len(got) != 2 || len(got["a_b"]) != 1 || got["a_b"][0].EndLine != 3 {
		t.Errorf("%v, %v", got, err)
	}
	for text, want := range map[string]string{
		"{": "line 1: not JSON", `{"id":"a"}`: `line 1: not {"id"`, `{"id":1,"comments":[]}`: "line 1: not JSON",
		"\n{\"id\":\"a\",\"comments\":7}":                                "line 2: comments: a JSON number",
		"{\"id\":\"a\",\"comments\":[]}\n{\"id\":\"a\",\"comments\":[]}": "line 2: a a second time",
	} {
		if _, err := ReadLines(strings.NewReader(text), ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func FuzzReadLines(f *testing.F) {
	f.Add(`{"id":"a","comments":[{"path":"x.go","line":3,"body":"Why?"}]}`)
	f.Add("{\"id\":\"a/b\",\"comments\":\"one\"}\n{\"id\":\"c\",\"comments\":[]}")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ReadLines(strings.NewReader(text), "")
		if err != nil && got != nil {
			t.Error("comments beside an error")
		}
		for id := range got {
			if strings.Contains(id, "/") {
				t.Errorf("id %q", id)
			}
		}
	})
}
