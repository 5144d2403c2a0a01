package evidence

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"crscore"
	"crscore/change"
	"crscore/eval/agreement"
	"crscore/internal/dataset"
	"crscore/internal/matrices"
	"crscore/score"
	"crscore/sts"
)

const diff = "--- a/queue.py\n+++ b/queue.py\n@@ -1 +1 @@\n-def push(item):\n+def push(item, hash):\n"

// lengths is a similarity that needs no model: the shorter length by the longer, and
// what an encoder does that breaks for texts about a bomb.
type lengths struct{}

func (lengths) Signature() sts.Signature {
	return sts.Signature{{Name: "similarity", Value: "lengths"}}
}

func (lengths) Matrix(ctx context.Context, sentences, refs []string) ([][]float32, error) {
	m := make([][]float32, len(sentences))
	for i, s := range sentences {
		if strings.Contains(s, "bomb") {
			return nil, errors.New("the model is gone")
		}
		for _, r := range refs {
			m[i] = append(m[i], float32(min(len(s), len(r)))/float32(max(len(s), len(r))))
		}
	}
	return m, ctx.Err()
}

func engine(t *testing.T, opts crscore.Options) *crscore.Engine {
	t.Helper()
	opts.Similarity = lengths{}
	if opts.Claims == nil {
		opts.Claims = []crscore.Source{crscore.DataClaims("m")}
	}
	if opts.Smells == nil {
		opts.Smells = []crscore.Source{crscore.DataSmells()}
	}
	e, err := crscore.New(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func judge(t *testing.T, e *crscore.Engine, rec *dataset.Record) crscore.Outcome {
	t.Helper()
	c, err := change.Parse([]byte(diff), change.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, r := range rec.Reviews {
		texts = append(texts, r.Text)
	}
	o := crscore.Outcome{Tag: rec}
	o.RefSet, o.Results, err = e.Judge(t.Context(), crscore.Input{Change: c, Claims: rec.Claims, Smells: rec.Smells}, texts...)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// record has claims of 10 and 20 bytes, a smell of 5, points of 10 and 40, and
// sentences of 10, 20 and 40 bytes.
func record() *dataset.Record {
	return &dataset.Record{
		ID:     "7",
		Claims: map[string][]string{"m": {"Ten bytes.", "Twenty bytes of it ."}},
		Smells: []string{"Five."},
		RefsEdited: []dataset.EditedRef{
			{Text: "Ten point.", Kind: "claim", Necessary: true},
			{Text: strings.Repeat("forty by", 5), Kind: "issue"},
		},
		Reviews: []dataset.Review{
			{ID: "two", Text: "Ten chars.\nTwenty characters ok", Human: &dataset.Human{Con: 4, Comp: 3, Rel: 3.5}, Addressed: []int{2, 9, 1, 2, 0}},
			{ID: "empty", Text: " \n", Addressed: []int{}},
			{ID: "unlinked", Text: strings.Repeat("forty by", 5)},
			{ID: "long", Text: strings.Repeat("x", crscore.MaxReviewBytes+1), Addressed: []int{1}},
		},
	}
}

func TestBlock(t *testing.T) {
	e := engine(t, crscore.Options{Mode: score.Soft})
	rec := record()
	b, err := Block(t.Context(), e, rec, judge(t, e, rec))
	if err != nil {
		t.Fatal(err)
	}
	want := &matrices.Block{
		ID:     "7",
		Refs:   []matrices.Ref{{Kind: "claim", Source: "data:m"}, {Kind: "claim", Source: "data:m"}, {Kind: "smell", Source: "data"}},
		Points: []matrices.Ref{{Kind: "claim", Necessity: matrices.Necessary}, {Kind: "issue", Necessity: matrices.Unnecessary}},
		Reviews: []matrices.Review{
			{ID: "two", Human: &dataset.Human{Con: 4, Comp: 3, Rel: 3.5}, Addressed: []int{1, 2}, Sentences: 2, Sim: []float32{1, 0.5, 0.5, 1, 0.25, 0.5, 1, 0.25, 0.5, 0.5}},
			{ID: "empty", Addressed: []int{}},
			{ID: "unlinked", Sentences: 1, Sim: []float32{0.25, 0.5, 0.125, 0.25, 1}},
			{ID: "long", Unscored: "the review has 4194305 bytes, more than the limit of 4 MiB", Addressed: []int{1}},
		},
	}
	if d := cmp.Diff(want, b); d != "" {
		t.Error(d)
	}
	links := []agreement.Link{
		{Change: "7", Review: "two", Reference: 1, Similarity: 1, Addressed: true},
		{Change: "7", Review: "two", Reference: 2, Similarity: 0.5, Addressed: true},
		{Change: "7", Review: "empty", Reference: 1},
		{Change: "7", Review: "empty", Reference: 2},
	}
	if d := cmp.Diff(links, Links(b)); d != "" {
		t.Error(d)
	}
}

// TestScoredAgain: a block that went through a file gives the scores of the engine
// that it comes from, by its rule and by others.
func TestScoredAgain(t *testing.T) {
	weights := score.Weights{"smell": 0.5, "claim@data:m": 2}
	for _, rule := range []score.Rule{{Mode: score.Hard, Tau: 0.5}, {Mode: score.Soft, Weights: weights}, {Mode: score.Ramp, Tau: 0.6, Low: 0.2}, {Mode: score.Ramp, Tau: 0.9, Low: 0.1, Comp: score.CoverNoisyOr}, {Mode: score.Calibrated, Tau: 0.4, Slope: 10, Weights: weights}} {
		profile := score.Profile{
			Mode: rule.Mode, Tau: rule.Tau, Low: rule.Low, Slope: rule.Slope, Weights: rule.Weights.String(), Comp: rule.Comp,
			Similarity: score.Signature(lengths{}.Signature()), Splitter: sts.Markdown{}.Signature(),
		}
		rec := record()
		want := judge(t, engine(t, crscore.Options{Profile: &profile}), rec)
		soft := engine(t, crscore.Options{Mode: score.Soft})
		b, err := Block(t.Context(), soft, rec, judge(t, soft, rec))
		if err != nil {
			t.Fatal(err)
		}
		b = through(t, b, soft.Provenance().String())
		refs := make([]score.Ref, len(b.Refs))
		for j, r := range b.Refs {
			refs[j] = score.Ref{Kind: r.Kind, Source: r.Source}
		}
		for i := range b.Reviews {
			if b.Reviews[i].Unscored != "" {
				if want.Results[i].Status != crscore.Unscored {
					t.Errorf("%s: review %d is %s", rule.Signature(), i, want.Results[i].Status)
				}
				continue
			}
			sim, _ := b.Rows(i)
			got, err := score.ScoreRefs(sim, refs, rule)
			if d := cmp.Diff(want.Results[i].Result, got, cmpopts.IgnoreUnexported(score.Result{})); err != nil || d != "" {
				t.Errorf("%s: review %d: %v %s", rule.Signature(), i, err, d)
			}
		}
	}
}

// through writes a block to a file and reads it.
func through(t *testing.T, b *matrices.Block, stem string) *matrices.Block {
	t.Helper()
	var file bytes.Buffer
	w, err := matrices.NewWriter(&file, stem)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(b), w.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := matrices.NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err != io.EOF {
		t.Fatal(err)
	}
	return got
}

// TestUnscored has every reason why a review has no score.
func TestUnscored(t *testing.T) {
	soft := crscore.Options{Mode: score.Soft}
	bare := func(r *dataset.Record) { r.Claims, r.Smells = map[string][]string{"m": {}}, []string{} }
	for _, tt := range []struct {
		name  string
		opts  crscore.Options
		alter func(*dataset.Record)
		why   string // of the first review
		rows  int    // sentences of it
		links int    // of all reviews
	}{
		{"no references", soft, bare, "no pseudo-references", 2, 2},
		{"a source failed", soft, func(r *dataset.Record) { r.Smells = nil }, "no list of smells", 2, 2},
		{"no references, no model", soft, func(r *dataset.Record) { bare(r); r.Reviews[0].Text = "A bomb." }, "no pseudo-references", 0, 0},
		{"the model failed", soft, func(r *dataset.Record) { r.Reviews[2].Text = "A bomb." }, "the model is gone", 0, 0},
		{"all weigh 0", crscore.Options{Mode: score.Soft, Weights: score.Weights{"claim": 0, "smell": 0}}, func(*dataset.Record) {}, "", 2, 4},
	} {
		rec := record()
		tt.alter(rec)
		e := engine(t, tt.opts)
		b, err := Block(t.Context(), e, rec, judge(t, e, rec))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		b = through(t, b, "any")
		r := b.Reviews[0]
		if !strings.Contains(r.Unscored, tt.why) || (r.Unscored == "") != (tt.why == "") || r.Sentences != tt.rows || len(Links(b)) != tt.links {
			t.Errorf("%s: %q, %d sentences, %d links", tt.name, r.Unscored, r.Sentences, len(Links(b)))
		}
	}
}

// TestBadRecord: a review that could not be read is in the block, without sentences.
func TestBadRecord(t *testing.T) {
	rec := record()
	rec.Claims, rec.Smells = map[string][]string{"m": {}}, []string{}
	e := engine(t, crscore.Options{Mode: score.Soft})
	o := judge(t, e, rec)
	rec.Reviews[0].Err = errors.New("no text")
	o.Results[0].Reason = "no text"
	b, err := Block(t.Context(), e, rec, o)
	if err != nil || b.Reviews[0].Unscored != "no text" || b.Reviews[0].Sentences != 0 {
		t.Errorf("%v: %+v", err, b)
	}
	if _, err := Block(t.Context(), e, rec, crscore.Outcome{}); err == nil {
		t.Error("no error for another record's outcome")
	}
}

// TestPointsFail: scores without links are not a whole block.
func TestPointsFail(t *testing.T) {
	e, rec := engine(t, crscore.Options{Mode: score.Soft}), record()
	o := judge(t, e, rec)
	rec.Reviews[0].Text = "A bomb."
	if _, err := Block(t.Context(), e, rec, o); err == nil || !strings.Contains(err.Error(), "change 7") || !strings.Contains(err.Error(), "model is gone") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Block(ctx, e, rec, crscore.Outcome{Results: make([]crscore.Result, 4)}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestSources names the sources of a change where they are not the engine's.
func TestSources(t *testing.T) {
	e, rec := engine(t, crscore.Options{Mode: score.Soft}), record()
	o := judge(t, e, rec)
	o.Sources = crscore.Sources{Claims: "symbolic/12(instead-of:m)", Smells: "data"}
	b, err := Block(t.Context(), e, rec, o)
	if err != nil || b.Sources != o.Sources.String() {
		t.Errorf("%q, %v", b.Sources, err)
	}
}

// TestNecessity: a point that nobody judged is not called unnecessary.
func TestNecessity(t *testing.T) {
	got := pointsOf(&dataset.Record{RefsEdited: []dataset.EditedRef{{Necessary: true}, {}, {Unjudged: true}}})
	want := []matrices.Ref{{Necessity: matrices.Necessary}, {Necessity: matrices.Unnecessary}, {Necessity: matrices.Unjudged}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestOutside: values are cut as scoring cuts them, and NaN never gets into a file.
func TestOutside(t *testing.T) {
	nan := float32(math.NaN())
	got := appendRow(nil, []float32{-0.5, 0.5, 1.000001, nan})
	if got[0] != 0 || got[1] != 0.5 || got[2] != 1 || got[3] == got[3] {
		t.Errorf("got %v", got)
	}
}
