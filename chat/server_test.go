package chat

import (
	"encoding/json"
	"errors"
	"strings"
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
