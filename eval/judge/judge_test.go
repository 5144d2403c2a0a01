package judge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"crscore/change/changetest"
	"crscore/chat"
	"crscore/chat/chattest"
)

var protocols = []Protocol{Rel, Grade, Criteria}

// say is a fake with a fixed answer.
func say(text string) *chattest.Fake {
	return &chattest.Fake{Answer: func(chat.Request) (string, error) { return text, nil }}
}

// script is a fake whose nth call gets the nth answer. An error stands for itself.
func script(answers ...any) *chattest.Fake {
	n := 0
	return &chattest.Fake{Answer: func(chat.Request) (string, error) {
		if n == len(answers) {
			return "", errors.New("the script has ended")
		}
		n++
		if err, ok := answers[n-1].(error); ok {
			return "", err
		}
		return fmt.Sprint(answers[n-1]), nil
	}}
}

// bySeed is a fake that gives the grade at the place of the vote. 0 stands for prose.
func bySeed(o Options, grades ...int) *chattest.Fake {
	return &chattest.Fake{Answer: func(r chat.Request) (string, error) {
		if g := grades[(r.Seed-o.Seed)/chat.Attempts]; g > 0 {
			return fmt.Sprintf(`{"grade":%d}`, g), nil
		}
		return "I would say four.", nil
	}}
}

func newJudge(t testing.TB, m chat.Model, o Options) *Judge {
	t.Helper()
	j, err := New(m, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	return j
}

func verdicts(t testing.TB, m chat.Model, o Options, c Case) []Verdict {
	t.Helper()
	got, err := newJudge(t, m, o).Judge(t.Context(), c)
	if err != nil || len(got) != len(c.Reviews) {
		t.Fatalf("%d verdicts of %d reviews, %v", len(got), len(c.Reviews), err)
	}
	return got
}

// caseOf is a case with reviews of these texts and a human review.
func caseOf(t testing.TB, reviews ...string) Case {
	t.Helper()
	c := Case{ID: "1", Change: changetest.Parse(t, changetest.Push), References: []string{"hash hides the builtin: rename it."}}
	for _, text := range reviews {
		c.Reviews = append(c.Reviews, Review{Text: text})
	}
	return c
}

func temperature(t float64) *float64 { return &t }

func TestNew(t *testing.T) {
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{Protocol: Rel}, ""},
		{Options{Protocol: Rel, Votes: 5}, ""},
		{Options{Protocol: Grade, Votes: 1, Temperature: temperature(0)}, ""},
		{Options{Protocol: Criteria}, ""},
		{Options{}, `unknown protocol ""`},
		{Options{Protocol: "rank"}, `unknown protocol "rank": choose rel, grade or criteria`},
		{Options{Protocol: Grade, Votes: 2}, "votes: 2, but they must be odd"},
		{Options{Protocol: Grade, Votes: -1}, "votes: -1, but they must be odd"},
		{Options{Protocol: Grade, Votes: 101}, "from 1 to 99"},
		{Options{Protocol: Grade, Temperature: temperature(0)}, "3 votes at temperature 0 are one vote"},
		{Options{Protocol: Criteria, Votes: 3}, "protocol criteria has no votes"},
		{Options{Protocol: Rel, Temperature: temperature(2.1)}, "the temperature is 2.1"},
		{Options{Protocol: Rel, Temperature: temperature(math.NaN())}, "the temperature is NaN"},
		{Options{Protocol: Rel, Seed: -1}, "the seed is -1"},
		{Options{Protocol: Rel, Seed: 1<<30 + 1}, "the seed is 1073741825"},
		{Options{Protocol: Rel, Context: -1}, "the context is -1 tokens"},
		{Options{Protocol: Rel, Asking: chat.Options{Parallel: -1}}, "calls to a model at a time: -1"},
	} {
		_, err := New(say(""), tt.o)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.o, err, tt.want)
		}
	}
}

// TestSignature: everything that shapes a verdict is in the signature, which is one line.
func TestSignature(t *testing.T) {
	seen := make(map[string]bool)
	for _, o := range []Options{
		{Protocol: Rel}, {Protocol: Grade}, {Protocol: Criteria}, {Protocol: Rel, Votes: 3}, {Protocol: Rel, Seed: 2},
		{Protocol: Rel, Temperature: temperature(1)}, {Protocol: Rel, Context: 4096}, {Protocol: Rel, Reasons: true},
	} {
		s := newJudge(t, say(""), o).Signature().String()
		if seen[s] || strings.Contains(s, "\n") || !strings.Contains(s, "fake:model@0123456789ab ") || !strings.Contains(s, PromptVersion) {
			t.Errorf("%+v: %s", o, s)
		}
		seen[s] = true
	}
	m := say("")
	m.Window = 2048
	want := "judge=grade/" + PromptVersion + " model=fake:model@0123456789ab votes=3 temperature=0.7 seed=7 context=2048"
	if s := newJudge(t, m, Options{Protocol: Grade, Seed: 7}).Signature().String(); s != want {
		t.Errorf("got %s, want %s", s, want)
	}
}

// TestEmptyReviews: a review without text gets the lowest of the scale with a note, and no
// call.
func TestEmptyReviews(t *testing.T) {
	for _, p := range protocols {
		m := say("")
		for _, v := range verdicts(t, m, Options{Protocol: p}, caseOf(t, "", " \n\t")) {
			if v.Err != nil || !slices.Equal(v.Notes, []string{emptyNote}) {
				t.Errorf("%s: %v, %q", p, v.Err, v.Notes)
			}
			got := []float64{float64(v.Con), float64(v.Comp), float64(v.Rel), float64(v.Grade), v.Rank, float64(v.Of)}
			want := map[Protocol][]float64{Rel: {1, 1, 1, 0, 0, 0}, Grade: {0, 0, 0, 1, 0, 0}, Criteria: {0, 0, 0, 0, 1.5, 2}}[p]
			if !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", p, got, want)
			}
			if p == Criteria && (!slices.Equal(v.Criteria, slices.Repeat([]float64{1}, 9)) || v.Overall() != 1) {
				t.Errorf("%s: %v", p, v.Criteria)
			}
		}
		if len(m.Asked) > 0 {
			t.Errorf("%s: %d calls for nothing", p, len(m.Asked))
		}
	}
}

// TestMissingInput: what cannot be judged has a reason, and makes no call.
func TestMissingInput(t *testing.T) {
	broken := errors.New("the diff is broken")
	unread := errors.New("the review is no text")
	for _, tt := range []struct {
		p      Protocol
		change func(*Case)
		want   string
	}{
		{Grade, func(c *Case) { c.References = nil }, "the change has no human review to compare with"},
		{Rel, func(c *Case) { c.Change, c.Err = nil, broken }, broken.Error()},
		{Rel, func(c *Case) { c.Change = nil }, "the change has no diff"},
		{Criteria, func(c *Case) { c.Change, c.Err = nil, broken }, broken.Error()},
		{Rel, func(c *Case) { c.Reviews[0].Err = unread }, unread.Error()},
		{Grade, func(c *Case) { c.Reviews[0].Err = unread }, unread.Error()},
		{Criteria, func(c *Case) { c.Reviews[0].Err = unread }, unread.Error()},
	} {
		m, c := say(""), caseOf(t, "good work")
		tt.change(&c)
		if v := verdicts(t, m, Options{Protocol: tt.p}, c)[0]; v.Err == nil || v.Err.Error() != tt.want || len(m.Asked) > 0 {
			t.Errorf("%s: %v after %d calls, want %q", tt.p, v.Err, len(m.Asked), tt.want)
		}
	}
	// Grade needs no diff.
	c := caseOf(t, "good work")
	c.Change, c.Err = nil, broken
	if v := verdicts(t, say(`{"grade":2}`), Options{Protocol: Grade}, c)[0]; v.Err != nil || v.Grade != 2 {
		t.Errorf("without a diff: %+v", v)
	}
}

// TestThought: an answer among the model's thoughts is read, and the verdicts say so.
func TestThought(t *testing.T) {
	const thought = "<reasoning_content>\n"
	m := script(thought + `{"con":4,"comp":2,"rel":3}`)
	v := verdicts(t, m, Options{Protocol: Rel}, caseOf(t, "fine"))[0]
	if v.Err != nil || v.Con != 4 || len(v.Notes) != 1 || !strings.Contains(v.Notes[0], "reasoning_content") {
		t.Errorf("%+v", v)
	}
	m = script(thought+"a 4, I think", thought+"a 4, or not {}", thought)
	if v := verdicts(t, m, Options{Protocol: Rel}, caseOf(t, "fine"))[0]; v.Err == nil || v.Notes != nil {
		t.Errorf("thoughts alone: %+v", v)
	}
}

// TestAttempts: a bad answer is asked for again with other seeds, at most three times, and
// then the review has no grade.
func TestAttempts(t *testing.T) {
	const good = `{"con":4,"comp":2,"rel":3}`
	for _, tt := range []struct{ bad, why any }{
		{`{"con":4,"comp":`, "the answer is incomplete"},
		{"", "it is empty"},
		{"I like it.", "the answer is not JSON"},
		{`{"con":4,"comp":2}`, `the answer lacks "rel"`},
		{`{"con":4,"comp":2,"rel":6}`, `"rel" is 6 in the answer, not a whole number from 1 to 5`},
		{`{"con":4,"comp":2,"rel":0}`, `"rel" is 0`},
		{`{"con":4,"comp":2,"rel":4.5}`, `"rel" is 4.5`},
		{`{"con":4,"comp":2,"rel":"3"}`, `"rel" is "3" in the answer, not a number`},
		{`{"con":4,"comp":2,"rel":null}`, `"rel" is null`},
		{`{"con":4,"comp":2,"REL":3}`, `the answer lacks "rel"`},
		{good + `{"con":4,"comp":2,"rel":2}`, "more than one JSON object"},
		{`{"con":5,` + good[1:], "the answer has a member twice"},
		{"<think>a 4, or", "it ends in the model's thoughts"},
		{fmt.Errorf("%w: 4096 tokens", chat.ErrIncomplete), "4096 tokens"},
	} {
		m := script(tt.bad, tt.bad, good)
		v := verdicts(t, m, Options{Protocol: Rel, Seed: 5}, caseOf(t, "fine"))[0]
		if v.Err != nil || v.Con != 4 || v.Comp != 2 || v.Rel != 3 {
			t.Errorf("%v: %+v", tt.bad, v)
		}
		checkAttempts(t, m, 5, 0)
		m = script(tt.bad, tt.bad, tt.bad, good)
		v = verdicts(t, m, Options{Protocol: Rel, Seed: 5, Temperature: temperature(1.5)}, caseOf(t, "fine"))[0]
		if v.Err == nil || !strings.Contains(v.Err.Error(), "no usable answer in 3 attempts") || !strings.Contains(v.Err.Error(), tt.why.(string)) {
			t.Errorf("%v: %v, want %q", tt.bad, v.Err, tt.why)
		}
		if v.Con != 0 || v.Comp != 0 || v.Rel != 0 {
			t.Errorf("%v: an unscored review has %+v", tt.bad, v)
		}
		checkAttempts(t, m, 5, 1.5)
	}
}

// checkAttempts checks three calls that differ in seed and, from temperature 0, temperature.
func checkAttempts(t *testing.T, m *chattest.Fake, seed int, temperature float64) {
	t.Helper()
	if len(m.Asked) != 3 {
		t.Fatalf("%d calls", len(m.Asked))
	}
	for i, r := range m.Asked {
		want := temperature
		if i > 0 {
			want = max(want, 0.3)
		}
		if r.Seed != seed+i || r.Temperature != want {
			t.Errorf("call %d has seed %d and temperature %g", i, r.Seed, r.Temperature)
		}
		if r.Prompt != m.Asked[0].Prompt || r.System != m.Asked[0].System {
			t.Errorf("call %d asks another question", i)
		}
	}
}

// TestServerErrors: an error of the server is no bad answer, so that no other seed is tried.
func TestServerErrors(t *testing.T) {
	gone := errors.New("connection refused")
	for _, p := range protocols {
		m := &chattest.Fake{Answer: func(chat.Request) (string, error) { return "", gone }}
		v := verdicts(t, m, Options{Protocol: p, Votes: 1}, caseOf(t, "fine"))[0]
		if !errors.Is(v.Err, gone) || len(m.Asked) != 1 {
			t.Errorf("%s: %v after %d calls", p, v.Err, len(m.Asked))
		}
	}
}

// TestInterrupted: the error of an interrupted run is the context's.
func TestInterrupted(t *testing.T) {
	for _, p := range protocols {
		ctx, cancel := context.WithCancel(t.Context())
		m := &chattest.Fake{Answer: func(chat.Request) (string, error) { cancel(); return "", ctx.Err() }}
		if _, err := newJudge(t, m, Options{Protocol: p}).Judge(ctx, caseOf(t, "a", "b")); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", p, err)
		}
		if len(m.Asked) != 1 {
			t.Errorf("%s: %d calls", p, len(m.Asked))
		}
	}
}

// TestLargeQuestions: a question that does not fit the context is refused, and never cut.
func TestLargeQuestions(t *testing.T) {
	long := strings.Repeat("this is long. ", 2000)
	for _, p := range protocols {
		for _, tt := range []struct{ window, context int }{{0, 4096}, {4096, 0}, {4096, 65536}, {65536, 4096}} {
			m := say("")
			m.Window = tt.window
			v := verdicts(t, m, Options{Protocol: p, Context: tt.context}, caseOf(t, long))[0]
			if !errors.Is(v.Err, chat.ErrContext) || !strings.Contains(v.Err.Error(), "the context has 4096") || len(m.Asked) > 0 {
				t.Errorf("%s, %+v: %v after %d calls", p, tt, v.Err, len(m.Asked))
			}
		}
	}
	m := say(`{"con":4,"comp":2,"rel":3}`)
	m.Window = 32768
	v := verdicts(t, m, Options{Protocol: Rel, Context: 20000}, caseOf(t, long))[0]
	if v.Err != nil || len(m.Asked) != 1 || m.Asked[0].NumCtx != 20000 || !strings.Contains(m.Asked[0].Prompt, strings.TrimSpace(long)) {
		t.Errorf("a question that fits: %v", v.Err)
	}
}

// TestLongLines: the verdict tells of lines that the judge saw in part.
func TestLongLines(t *testing.T) {
	c := caseOf(t, "fine")
	c.Change = changetest.Parse(t, "--- a/x.js\n+++ b/x.js\n@@ -0,0 +1 @@\n+"+strings.Repeat("a", 5000)+"\n")
	v := verdicts(t, say(`{"con":4,"comp":2,"rel":3}`), Options{Protocol: Rel}, c)[0]
	if want := []string{"lines of which the judge saw only the first 2000 bytes: 1"}; v.Err != nil || !slices.Equal(v.Notes, want) {
		t.Errorf("%v, %q", v.Err, v.Notes)
	}
}

// memory is a cache.
type memory struct {
	mu   sync.Mutex
	kept map[string][]byte
}

func (m *memory) Get(_ context.Context, key string) ([]byte, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.kept[key]
	return b, ok, nil
}

func (m *memory) Put(_ context.Context, key string, b []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept[key] = b
	return nil
}

// TestCache: a second judge has all answers from the cache, bad answers too, and comes to the
// same verdicts. Another seed asks anew.
func TestCache(t *testing.T) {
	for _, p := range protocols {
		cache := &memory{kept: make(map[string][]byte)}
		o := Options{Protocol: p, Seed: 1, Reasons: true, Asking: chat.Options{Cache: cache}}
		c := caseOf(t, "fine", "wrong name", "fine")
		one := &chattest.Fake{Answer: func(r chat.Request) (string, error) {
			switch {
			case r.Seed == 1: // the first attempt of the first vote
				return "prose", nil
			case p == Criteria:
				return ranking(r, func(int, string) float64 { return 1 }), nil
			}
			return fmt.Sprintf(`{"reason":"so","con":4,"comp":2,"rel":3,"grade":%d}`, r.Seed%3+1), nil
		}}
		want := verdicts(t, one, o, c)
		two := say("another answer")
		j := newJudge(t, two, o)
		got, err := j.Judge(t.Context(), c)
		if err != nil || fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
			t.Errorf("%s: got %+v, want %+v", p, got, want)
		}
		if u := j.Usage(); len(two.Asked) != 0 || u.Calls != 0 || u.Cached < 2 || want[0].Err != nil {
			t.Errorf("%s: %d calls, %+v, %v", p, len(two.Asked), u, want[0].Err)
		}
		o.Seed = 100
		if verdicts(t, two, o, c); len(two.Asked) == 0 {
			t.Errorf("%s: another seed has the same answers", p)
		}
	}
}

// TestConcurrent: a judge can judge several changes at a time.
func TestConcurrent(t *testing.T) {
	for _, p := range protocols {
		m := &chattest.Fake{Answer: func(r chat.Request) (string, error) {
			if p == Criteria {
				return ranking(r, func(place int, _ string) float64 { return float64(place) }), nil
			}
			return `{"con":4,"comp":2,"rel":3,"grade":3}`, nil
		}}
		j := newJudge(t, m, Options{Protocol: p})
		c := caseOf(t, "fine", "wrong name")
		want, err := j.Judge(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				if got, err := j.Judge(t.Context(), c); err != nil || fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
					t.Errorf("%s: %+v, %v, want %+v", p, got, err, want)
				}
			})
		}
		group.Wait()
	}
}
