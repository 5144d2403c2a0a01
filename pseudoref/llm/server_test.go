package llm

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

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

// TestServer makes claims with a real server, schema and all, in both formats,
// also behind a time in which the model was unloaded.
func TestServer(t *testing.T) {
	s := ollamatest.Shared(t)
	prose := "Summary:\n1. The parameter `hash` was added to `push`.\nImplications:\n1. Callers of `push` must pass `hash`.\n"
	s.Import(t, "reviewer", ollamatest.Answer{Text: pushAnswer}, ollamatest.Answer{Key: '†', Text: prose})
	m := serverModel(t, s, "reviewer")
	want := "claim: The parameter `hash` was added to `push`.\nimplication: Callers of `push` must pass `hash`.\n"
	asked := func(c *Claimer, diff string) {
		t.Helper()
		found, err := c.Claims(t.Context(), parse(t, diff))
		if err != nil {
			t.Fatal(err, s.Log())
		}
		if d := cmp.Diff(want, show(found.Refs)); d != "" {
			t.Error(d, found.Dropped)
		}
	}
	c := newClaimer(t, m, Options{})
	asked(c, pushDiff)
	if !strings.HasPrefix(c.Signature(), "ollama:reviewer@") || strings.Contains(c.Signature(), "unknown") {
		t.Error(c.Signature())
	}
	if n, err := m.ContextLength(t.Context()); err != nil || n < 8192 {
		t.Errorf("context of %d tokens, %v", n, err)
	}

	no := false
	if err := s.Client().Generate(t.Context(), &api.GenerateRequest{Model: "reviewer", Stream: &no, KeepAlive: &api.Duration{}}, func(api.GenerateResponse) error { return nil }); err != nil {
		t.Fatal(err)
	}
	asked(newClaimer(t, m, Options{}), pushDiff)
	asked(newClaimer(t, m, Options{Format: Prose}), strings.Replace(pushDiff, "items.append((item, hash))", "items.append((item, hash)) # †", 1))
}

// TestServerNoRoom: a prompt that is longer than the context is refused, and cut
// for a model that is asked again.
func TestServerNoRoom(t *testing.T) {
	s := ollamatest.Shared(t)
	s.Import(t, "roomless", ollamatest.Answer{Text: pushAnswer})
	m := serverModel(t, s, "roomless")
	resp, err := m.Generate(t.Context(), Request{Prompt: strings.Repeat("many words ", 500), Schema: schema, NumCtx: 256, NumPredict: 100})
	if !errors.Is(err, ErrContext) {
		t.Errorf("%+v, %v", resp, err)
	}
	c := newClaimer(t, m, Options{})
	if err := c.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	// A window that the guess of the tokens takes for large enough, and that is not.
	diff := large(4, 40)
	req := Request{System: system(JSON), Prompt: question(renderAll(parse(t, diff)), 1, 1), Schema: schema, NumCtx: 1 << 16, NumPredict: 100}
	whole, err := m.Generate(t.Context(), req)
	if err != nil || whole.PromptTokens == 0 {
		t.Fatal(whole, err)
	}
	c.window, c.piece = whole.PromptTokens-200, 1<<16
	found, err := c.Claims(t.Context(), parse(t, diff))
	if err != nil || len(found.Refs)+len(found.Dropped) != 4 {
		t.Errorf("%d claims kept, %d dropped, %v; want two answers of two claims", len(found.Refs), len(found.Dropped), err)
	}
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
	s.Import(t, "refusing", ollamatest.Answer{Text: pushAnswer})
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
