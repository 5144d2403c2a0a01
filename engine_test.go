package crscore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crscore/change"
	"crscore/change/changetest"
	"crscore/pseudoref"
	"crscore/pseudoref/llm"
	"crscore/pseudoref/symbolic"
	"crscore/score"
	"crscore/smells"
	"crscore/sts"
)

const pushDiff = `--- a/queue.py
+++ b/queue.py
@@ -1,3 +1,3 @@
-def push(item):
-    items.append(item)
+def push(item, hash):
+    items.append((item, hash))
     return len(items)
`

func newEngine(t testing.TB, opts Options) *Engine {
	t.Helper()
	e, err := New(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// words is a similarity that needs no model: the share of common words.
type words struct{ fail error }

func (w words) Signature() sts.Signature {
	return sts.Signature{{Name: "similarity", Value: "words"}}
}

func (w words) Matrix(ctx context.Context, sentences, refs []string) ([][]float32, error) {
	if w.fail != nil {
		return nil, w.fail
	}
	m := make([][]float32, len(sentences))
	for i, s := range sentences {
		m[i] = make([]float32, len(refs))
		for j, r := range refs {
			a, b := strings.Fields(s), strings.Fields(r)
			n := 0
			for _, x := range a {
				for _, y := range b {
					if x == y {
						n++
						break
					}
				}
			}
			m[i][j] = float32(n) / float32(max(len(a), 1))
		}
	}
	return m, ctx.Err()
}

func ptr[T any](v T) *T { return &v }

func TestNewErrors(t *testing.T) {
	for name, opts := range map[string]Options{
		"unknown mode":             {Mode: "medium"},
		"tau for soft":             {Mode: score.Soft, Tau: ptr(0.5)},
		"tau NaN":                  {Tau: ptr(math.NaN())},
		"tau 1.5":                  {Tau: ptr(1.5)},
		"no tau for this splitter": {Splitter: sts.Paper{}},
		"no tau for other vectors": {Similarity: words{}},
	} {
		if e, err := New(context.Background(), opts); err == nil {
			e.Close()
			t.Errorf("%s: no error", name)
		}
	}
}

func TestSignature(t *testing.T) {
	e := newEngine(t, Options{Similarity: words{}, Mode: score.Hard, Tau: ptr(0.25), Claims: []Source{DataClaims("m"), SymbolicClaims()}, Smells: []Source{}})
	want := "crscore/" + Version + " similarity=words splitter=markdown/3 mode=hard tau=0.25 claims=data:m," + SymbolicClaims().Signature() + " smells=none"
	if d := cmp.Diff(want, e.Signature()); d != "" {
		t.Error(d)
	}
	soft := newEngine(t, Options{Similarity: words{}, Mode: score.Soft})
	if strings.Contains(soft.Signature(), "tau") {
		t.Errorf("soft mode has a tau: %s", soft.Signature())
	}
}

func TestJudge(t *testing.T) {
	ctx := context.Background()
	ready := func(texts ...string) map[string][]string { return map[string][]string{"m": texts} }
	data := Options{Similarity: words{}, Mode: score.Hard, Tau: ptr(0.4), Claims: []Source{DataClaims("m")}, Smells: []Source{DataSmells()}}
	change := changetest.Parse(t, pushDiff)
	tests := []struct {
		name    string
		in      Input
		opts    Options
		status  Status
		reason  string
		con     float64
		comp    float64
		reviews string
	}{
		{"scored", Input{Change: change, Claims: ready("push takes hash", "other things"), Smells: []string{}}, data, Scored, "", 0.5, 0.5, "push takes hash. Fine by me!"},
		{"empty review", Input{Change: change, Claims: ready("push takes hash"), Smells: []string{}}, data, Scored, "", 0, 0, " \n"},
		{"no references", Input{Change: change, Claims: ready(), Smells: []string{}}, data, Unscored, "no pseudo-references", 0, 0, "push"},
		{"claims not there", Input{Change: change, Claims: map[string][]string{"x": nil}, Smells: []string{}}, data, Unscored, `no claims named "m" for this change (it has: x)`, 0, 0, "push"},
		{"smells not there", Input{Change: change, Claims: ready("a")}, data, Unscored, "no list of smells", 0, 0, "push"},
		{"no change", Input{}, data, Unscored, "there is no change", 0, 0, "push"},
		{"stage failed", Input{Change: change, Claims: ready("a"), Smells: []string{}},
			Options{Similarity: words{fail: errors.New("model is gone")}, Mode: score.Hard, Tau: ptr(0.4), Claims: []Source{DataClaims("m")}, Smells: []Source{}}, Unscored, "model is gone", 0, 0, "push"},
		{"review too large", Input{Change: change, Claims: ready("a"), Smells: []string{}}, data, Unscored, "limit of 4 MiB", 0, 0, strings.Repeat("push ", MaxReviewBytes/5+1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := newEngine(t, tt.opts)
			_, results, err := e.Judge(ctx, tt.in, tt.reviews)
			if err != nil {
				t.Fatal(err)
			}
			r := results[0]
			if r.Status != tt.status || !strings.Contains(r.Reason, tt.reason) || (r.Reason == "") != (tt.reason == "") {
				t.Errorf("status %s, reason %q", r.Status, r.Reason)
			}
			if r.Con != tt.con || r.Comp != tt.comp {
				t.Errorf("con %v comp %v, want %v %v", r.Con, r.Comp, tt.con, tt.comp)
			}
		})
	}
}

// TestOneBadReview keeps a review beyond the limits from taking others along.
func TestOneBadReview(t *testing.T) {
	e := newEngine(t, Options{Similarity: words{}, Mode: score.Hard, Tau: ptr(0.4), Claims: []Source{DataClaims("m")}, Smells: []Source{}})
	in := Input{Change: changetest.Parse(t, pushDiff), Claims: map[string][]string{"m": {"push takes hash"}}}
	_, results, err := e.Judge(context.Background(), in, "push takes hash", strings.Repeat("x", MaxReviewBytes+1))
	if err != nil {
		t.Fatal(err)
	}
	if results[0].Status != Scored || results[1].Status != Unscored {
		t.Errorf("%s, %s", results[0].Status, results[1].Status)
	}
}

// TestSourceThatPanics makes sure that a bug costs one change its score, and says
// where it is.
func TestSourceThatPanics(t *testing.T) {
	broken := source{signature: "broken", refs: func(context.Context, *ChangeRun) (Found, error) { return Found{Refs: []pseudoref.Ref{}[:0:0][1:]}, nil }}
	var told []*pseudoref.Panic
	e := newEngine(t, Options{Claims: []Source{broken}, OnPanic: func(p *pseudoref.Panic) { told = append(told, p) }})
	_, results, err := e.Judge(context.Background(), Input{Change: changetest.Parse(t, pushDiff)}, "Looks right.")
	if err != nil {
		t.Fatal(err)
	}
	if r := results[0]; r.Status != Unscored || !strings.HasPrefix(r.Reason, "broken: a bug in crscore") || !strings.Contains(r.Reason, "(engine_test.go:") || strings.Contains(r.Reason, "\n") {
		t.Errorf("got %+v", r)
	}
	if len(told) != 1 || !strings.Contains(string(told[0].Stack), "TestSourceThatPanics") {
		t.Errorf("told of %d panics: %v", len(told), told)
	}
}

// ending is a splitter that ends a context at its first text.
type ending struct {
	sts.Paper
	end   context.CancelFunc
	texts *int
}

func (s ending) Split(text string) []sts.Sentence {
	*s.texts++
	s.end()
	return s.Paper.Split(text)
}

// TestSplitCancelled: no further review is split when the context ends.
func TestSplitCancelled(t *testing.T) {
	for name, judge := range map[string]func(context.Context, *Engine, Input) error{
		"judge": func(ctx context.Context, e *Engine, in Input) error {
			_, _, err := e.Judge(ctx, in, "push", "hash", "item")
			return err
		},
		"match": func(ctx context.Context, e *Engine, in Input) error {
			set, err := e.Refs(ctx, in)
			if err != nil {
				return err
			}
			_, err = e.Match(ctx, set, "push", "hash", "item")
			return err
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		texts := 0
		e := newEngine(t, Options{Similarity: words{}, Splitter: ending{end: cancel, texts: &texts}, Mode: score.Hard, Tau: ptr(0.4)})
		if err := judge(ctx, e, Input{Change: changetest.Parse(t, pushDiff)}); !errors.Is(err, context.Canceled) || texts != 1 {
			t.Errorf("%s: %v after %d reviews", name, err, texts)
		}
	}
}

func TestJudgeCancelled(t *testing.T) {
	e := newEngine(t, Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := e.Judge(ctx, Input{Change: changetest.Parse(t, pushDiff)}, "push"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestConcurrentEngine shares one default engine between goroutines and wants
// the numbers of a lone call from each.
func TestConcurrentEngine(t *testing.T) {
	e := newEngine(t, Options{})
	ctx := context.Background()
	judge := func() string {
		set, results, err := e.Judge(ctx, Input{Change: changetest.Parse(t, pushDiff)}, "Callers of push must pass a hash.", "Nice work, thanks!")
		if err != nil {
			return err.Error()
		}
		var b strings.Builder
		fmt.Fprintln(&b, len(set.Refs))
		for _, r := range results {
			fmt.Fprintln(&b, r.Status, r.Con, r.Comp, r.Rel, r.Match.Sim)
		}
		return b.String()
	}
	want := judge()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 3 {
				if got := judge(); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			}
		})
	}
	wg.Wait()
}

func TestStreamOrder(t *testing.T) {
	e := newEngine(t, Options{Similarity: words{}, Mode: score.Hard, Tau: ptr(0.4), Claims: []Source{slow{}}, Smells: []Source{}, Workers: 7})
	c := changetest.Parse(t, pushDiff)
	const n = 100
	i, want := 0, 0
	err := e.Stream(context.Background(), func() (Job, error) {
		if i == n {
			return Job{}, io.EOF
		}
		i++
		broken := i%10 == 3
		return Job{Tag: i, Reviews: []string{"one", "two"}, Load: func() (Input, error) {
			if broken {
				return Input{}, errors.New("broken diff")
			}
			return Input{Change: c}, nil
		}}, nil
	}, func(o Outcome) error {
		want++
		if o.Tag.(int) != want || len(o.Results) != 2 {
			t.Errorf("outcome %v with %d results in place %d", o.Tag, len(o.Results), want)
		}
		return nil
	})
	if err != nil || want != n {
		t.Errorf("%d outcomes, error %v", want, err)
	}
}

// slow takes a random time for each change.
type slow struct{}

func (slow) Signature() string { return "slow" }

func (slow) Refs(context.Context, *ChangeRun) (Found, error) {
	time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
	return Found{Refs: []pseudoref.Ref{{Text: "one"}}}, nil
}

func TestStreamErrors(t *testing.T) {
	e := newEngine(t, Options{Similarity: words{}, Mode: score.Hard, Tau: ptr(0.4), Claims: []Source{slow{}}, Smells: []Source{}, Workers: 3})
	c := changetest.Parse(t, pushDiff)
	job := Job{Reviews: []string{"one"}, Load: func() (Input, error) { return Input{Change: c}, nil }}
	boom := errors.New("boom")
	n := 0
	err := e.Stream(context.Background(), func() (Job, error) {
		if n++; n > 5 {
			return Job{}, boom
		}
		return job, nil
	}, func(Outcome) error { return nil })
	if !errors.Is(err, boom) {
		t.Errorf("error of next: %v", err)
	}
	err = e.Stream(context.Background(), func() (Job, error) { return job, nil }, func(Outcome) error { return boom })
	if !errors.Is(err, boom) {
		t.Errorf("error of emit: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	err = e.Stream(ctx, func() (Job, error) { <-ctx.Done(); return Job{}, ctx.Err() }, func(Outcome) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled while next waits: %v", err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	err = e.Stream(ctx, func() (Job, error) { cancel(); return Job{}, io.EOF }, func(Outcome) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled as the jobs end: %v", err)
	}
}

// TestStreamKeepsWhatCameBefore breaks the input behind 20 good jobs: all of
// them are emitted, whatever the number of workers.
func TestStreamKeepsWhatCameBefore(t *testing.T) {
	c := changetest.Parse(t, pushDiff)
	boom := errors.New("unexpected end of the archive")
	for _, workers := range []int{1, 2, 8} {
		e := newEngine(t, Options{Similarity: words{}, Mode: score.Hard, Tau: ptr(0.4), Claims: []Source{slow{}}, Smells: []Source{}, Workers: workers})
		read, emitted := 0, 0
		err := e.Stream(context.Background(), func() (Job, error) {
			if read++; read > 20 {
				return Job{}, boom
			}
			return Job{Reviews: []string{"one"}, Load: func() (Input, error) { return Input{Change: c}, nil }}, nil
		}, func(Outcome) error { emitted++; return nil })
		if !errors.Is(err, boom) || emitted != 20 {
			t.Errorf("%d workers: %d outcomes, error %v", workers, emitted, err)
		}
	}
}

// TestLimits takes the reviews of one change beyond the sentences and pairs
// that they may have together; those before are scored.
func TestLimits(t *testing.T) {
	e := newEngine(t, Options{Similarity: words{}, Mode: score.Hard, Tau: ptr(0.4), Claims: []Source{DataClaims("m")}, Smells: []Source{}})
	many := make([]string, 5000)
	for i := range many {
		many[i] = fmt.Sprintf("claim %d", i)
	}
	long := strings.Repeat("So it is. ", 3000)
	for name, tt := range map[string]struct {
		claims  []string
		reviews []string
		want    string
	}{
		"pairs":     {many, []string{"Fine.", long, long}, "limit of 16777216 pairs"},
		"sentences": {many[:1], append([]string{"Fine."}, slices.Repeat([]string{long}, 67)...), "the reviews have more sentences than the limit of 200000"},
		"a review":  {many[:1], []string{"Fine.", strings.Repeat("So it is. ", MaxReviewSentences+1)}, "the review has 50001 sentences, more than the limit of 50000"},
	} {
		_, results, err := e.Judge(context.Background(), Input{Change: changetest.Parse(t, pushDiff), Claims: map[string][]string{"m": tt.claims}}, tt.reviews...)
		if err != nil {
			t.Fatal(err)
		}
		last := results[len(results)-1]
		if results[0].Status != Scored || last.Status != Unscored || !strings.Contains(last.Reason, tt.want) {
			t.Errorf("%s: first %s, last %s: %s", name, results[0].Status, last.Status, last.Reason)
		}
	}
}

func TestParseSources(t *testing.T) {
	for list, want := range map[string]string{
		"symbolic": "symbolic/12", "data:magicoder": "data:magicoder", "symbolic, data:x": "symbolic/12,data:x",
		"": "", "data:": "", "ollama": "", "symbolic,symbolic": "",
		"symbolic,ollama:qwen:7b": "symbolic/12,ollama:qwen:7b@unknown/" + llm.PromptVersion + "/json/" + llm.CheckVersion,
		"ollama:":                 "", "ollama:a b": "", "openai:": "",
	} {
		got, err := ParseClaims(list, ClaimOptions{})
		if names := strings.Join(signatures(got), ","); (err == nil) != (want != "") || err == nil && names != want {
			t.Errorf("ParseClaims(%q) = %s, %v", list, names, err)
		}
	}
	for list, want := range map[string]string{"builtin": "builtin/6", "data": "data", "builtin,data": "builtin/6,data", "none": "none", "none,data": "", "pmd": "pmd", "builtin,pmd": "builtin/6,pmd", "auto": "builtin/6,auto", "lint": ""} {
		got, err := ParseSmells(list, SmellOptions{})
		if names := orNone(signatures(got), ","); (err == nil) != (want != "") || err == nil && names != want {
			t.Errorf("ParseSmells(%q) = %s, %v", list, names, err)
		}
	}
}

// TestTunedSmells makes sure that thresholds shape both what is found and the
// signature beside it.
func TestTunedSmells(t *testing.T) {
	sources, err := ParseSmells("builtin", SmellOptions{Builtin: smells.Options{Thresholds: map[string]int{"long-parameter-list": 1}}})
	if err != nil {
		t.Fatal(err)
	}
	for want, list := range map[string][]Source{"claims=none smells=builtin/6(long-parameter-list=1)": sources, "claims=none smells=builtin/6": {BuiltinSmells()}} {
		set, err := Refs(t.Context(), Input{Change: changetest.Parse(t, pushDiff)}, Options{Claims: []Source{}, Smells: list})
		if err != nil || set.Sources.String() != want || (len(set.Refs) == 1) != strings.Contains(want, "=1)") {
			t.Errorf("%s: %v, %+v", set.Sources.String(), err, set.Refs)
		}
	}
	if _, err := ParseSmells("builtin", SmellOptions{Builtin: smells.Options{Off: []string{"none-such"}}}); err == nil {
		t.Error("no error for a rule that is not there")
	}
}

// TestTunedClaims makes sure that switched rules shape both the claims and the signature
// beside them.
func TestTunedClaims(t *testing.T) {
	const diff = "--- a/m.go\n+++ b/m.go\n@@ -1,3 +1,3 @@\n-func put(v int) {\n+func put(v int, w string) {\n \tsave(v)\n }\n"
	for _, c := range []struct {
		opts      symbolic.Options
		signature string
		rules     string // of the claims
	}{
		{symbolic.Options{}, symbolic.Version, "parameter-added parameter-added-callers"},
		{symbolic.Options{Off: []string{"parameter-added-callers"}}, symbolic.Version + "(-parameter-added-callers)", "parameter-added"},
		{symbolic.Options{Off: []string{symbolic.AllRules}, Rules: []string{"parameter-added-callers"}, Max: 7}, symbolic.Version + "(max=7,-all,+parameter-added-callers)", "parameter-added-callers"},
		{symbolic.Options{Off: []string{symbolic.AllRules}}, symbolic.Version + "(-all)", ""},
	} {
		sources, err := ParseClaims("symbolic", ClaimOptions{Symbolic: c.opts})
		if err != nil {
			t.Fatal(err)
		}
		set, err := Refs(t.Context(), Input{Change: changetest.Parse(t, diff)}, Options{Claims: sources, Smells: []Source{}})
		var rules []string
		for _, r := range set.Refs {
			rules = append(rules, r.Rule)
		}
		if got := strings.Join(rules, " "); err != nil || got != c.rules || set.Sources.String() != "claims="+c.signature+" smells=none" {
			t.Errorf("%+v: %s, %s, %v", c.opts, set.Sources.String(), got, err)
		}
	}
	if _, err := ParseClaims("symbolic", ClaimOptions{Symbolic: symbolic.Options{Off: []string{"none-such"}}}); err == nil || !strings.Contains(err.Error(), `no rule "none-such"`) {
		t.Errorf("a rule that is not there: %v", err)
	}
}

// BenchmarkJudge is the main job on one small change with the default engine:
// parse, claims, smells, sentences, vectors, scores.
func BenchmarkJudge(b *testing.B) {
	e := newEngine(b, Options{})
	b.ReportAllocs()
	for b.Loop() {
		c, err := change.Parse([]byte(pushDiff), change.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := e.Judge(context.Background(), Input{Change: c}, "Callers of push must pass a hash. What if it is empty?"); err != nil {
			b.Fatal(err)
		}
	}
}

// closes counts how often it was closed.
type closes int

func (c *closes) Close() error {
	*c++
	return nil
}

// What Options.Closer holds is closed with the engine, and when there is none.
func TestCloser(t *testing.T) {
	encoder, err := sts.NewBuiltin(t.Context(), sts.EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	similarity, tau, wrong := sts.Cosine{Encoder: encoder}, 0.5, 2.0
	var n closes
	e, err := New(t.Context(), Options{Similarity: similarity, Mode: score.Hard, Tau: &tau, Closer: &n})
	if err != nil || n != 0 {
		t.Fatalf("error %v, closed %d times", err, n)
	}
	if err := e.Close(); err != nil || n != 1 {
		t.Errorf("error %v, closed %d times, want 1", err, n)
	}
	if _, err := New(t.Context(), Options{Similarity: similarity, Mode: score.Hard, Tau: &wrong, Closer: &n}); err == nil || n != 2 {
		t.Errorf("error %v, closed %d times, want 2", err, n)
	}
}
