package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"crscore/internal/ollamatest"
)

// The tests below speak to a real Ollama server; ollama_test.go has the failures
// that it cannot be made to show.

func serverModel(t *testing.T, s *ollamatest.Server, name string) *Ollama {
	t.Helper()
	m, err := NewOllama(name, s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestServerIncomplete: an answer that does not end is an error, whether the
// limit or the server's own stops it.
func TestServerIncomplete(t *testing.T) {
	s := ollamatest.Shared(t)
	s.Import(t, "endless", ollamatest.Answer{Text: "It goes on and on, ", Endless: true})
	_, err := serverModel(t, s, "endless").Generate(t.Context(), Request{Prompt: "Why?", NumCtx: 256, NumPredict: 2000})
	if !errors.Is(err, ErrContext) || !strings.Contains(err.Error(), "left room for only 2") {
		t.Errorf("a context that the answer fills: %v", err)
	}
	s.Import(t, "stuck", ollamatest.Answer{Text: "aaaa", Endless: true})
	for name, says := range map[string]string{"endless": "limit of 200 tokens", "stuck": "stopped it before its end"} {
		resp, err := serverModel(t, s, name).Generate(t.Context(), Request{Prompt: "Why?", NumCtx: 2048, NumPredict: 200})
		if !errors.Is(err, ErrIncomplete) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %+v, %v", name, resp, err)
		}
	}
}

func TestServerRefuses(t *testing.T) {
	s := ollamatest.Shared(t)
	s.Import(t, "refusing", ollamatest.Answer{Text: `{"summary":["A is new."],"implications":[]}`})
	_, err := serverModel(t, s, "refusing").Generate(t.Context(), Request{Prompt: "p", Schema: json.RawMessage(`{"type":"none"}`), NumCtx: 2048, NumPredict: 100})
	if err == nil || errors.Is(err, ErrTransient) {
		t.Errorf("a schema that is none: %v", err)
	}
	missing := serverModel(t, s, "missing:7b")
	_, err1 := missing.Generate(t.Context(), Request{Prompt: "p"})
	_, err2 := missing.Digest(t.Context())
	_, err3 := missing.ContextLength(t.Context())
	for _, err := range []error{err1, err2, err3} {
		if err == nil || !strings.Contains(err.Error(), "has no model missing:7b: pull it with `crscore models pull ollama:missing:7b`") {
			t.Errorf("no model: %v", err)
		}
	}
}

// TestServerKilled kills the server in the middle of an answer.
func TestServerKilled(t *testing.T) {
	s := ollamatest.Start(t)
	s.Import(t, "endless", ollamatest.Answer{Text: "It goes on and on, ", Endless: true})
	m := serverModel(t, s, "endless")
	req := Request{Prompt: "Why?", NumCtx: 4096, NumPredict: 100000}
	if _, err := once(t.Context(), m, req, 2*time.Second); err == nil {
		t.Fatal("an answer without an end came to its end")
	}
	time.AfterFunc(2*time.Second, s.Kill)
	_, err := once(t.Context(), m, req, time.Minute)
	if !errors.Is(err, ErrTransient) {
		t.Errorf("in mid-answer: %v", err)
	}
	_, err = generate(t.Context(), m, req, time.Minute, noPause)
	if err == nil || errors.Is(err, ErrTransient) || !strings.Contains(err.Error(), "start it with `ollama serve`") {
		t.Errorf("afterwards: %v", err)
	}
}

// TestServersReturn kills one of two servers and starts another behind its address: one with other
// weights gets no question, one with the same gets its share again.
func TestServersReturn(t *testing.T) {
	steady := ollamatest.Shared(t)
	answer := ollamatest.Answer{Text: "An answer."}
	steady.Import(t, "returning", answer)
	dies := ollamatest.StartLike(t, steady)
	fronts := []*ollamatest.Front{ollamatest.NewFront(t, dies), ollamatest.NewFront(t, steady)}
	t.Setenv(ollamaHost, fronts[0].URL+","+fronts[1].URL)
	m, err := Open("ollama:returning")
	if err != nil {
		t.Fatal(err)
	}
	m.(*Servers).rest = time.Millisecond
	var warned []string
	a, err := NewAsker(m, Options{Parallel: 2, Warn: func(msg string) { warned = append(warned, msg) }})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	signature, asked := a.Signature(), 0
	// ask asks twelve questions and returns how many of them each front began.
	ask := func() (begun [2]int) {
		t.Helper()
		before := [2]int{fronts[0].Begun(), fronts[1].Begun()}
		var wg sync.WaitGroup
		for range 12 {
			asked++
			q := Question{Request: Request{Prompt: fmt.Sprint("Question ", asked), NumCtx: 2048, NumPredict: 100}}
			wg.Go(func() {
				if text, err := a.Ask(t.Context(), q); err != nil || text != answer.Text {
					t.Errorf("%q, %v", text, err)
				}
			})
		}
		wg.Wait()
		return [2]int{fronts[0].Begun() - before[0], fronts[1].Begun() - before[1]}
	}
	if n := ask(); n[0] == 0 || n[1] == 0 {
		t.Errorf("both are up, and got %d questions", n)
	}
	dies.Kill()
	if n := ask(); n[0] > 2 || n[1] != 12 || len(warned) != 1 {
		t.Errorf("one is dead, and they got %d questions; warned %q", n, warned)
	}
	back := ollamatest.Start(t)
	back.Import(t, "returning", answer)
	fronts[0].Behind(t, back)
	if n := ask(); n[0] != 0 || n[1] != 12 || len(warned) != 2 || !strings.Contains(warned[1], "came back with another ollama:returning") {
		t.Errorf("one has other weights, and they got %d questions; warned %q", n, warned)
	}
	back.Like(t, steady)
	for n := ask(); n[0] == 0; n = ask() { // until its rest is over
		if asked > 10000 || n[1] != 12 {
			t.Fatalf("both are up again, and got %d questions", n)
		}
	}
	if a.Signature() != signature || a.Usage().Calls != asked {
		t.Errorf("%s, %+v", a.Signature(), a.Usage())
	}
	// At the start it is an error.
	back.Import(t, "returning", answer)
	if m, err = Open("ollama:returning"); err == nil {
		_, err = m.Digest(t.Context())
	}
	if err == nil || !strings.Contains(err.Error(), "do not have the same ollama:returning: "+fronts[0].URL+" has ") {
		t.Error(err)
	}
}
