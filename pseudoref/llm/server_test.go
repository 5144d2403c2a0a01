package llm

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"crscore/change/changetest"
	"crscore/chat"
	"crscore/internal/ollamatest"
)

func serverModel(t *testing.T, s *ollamatest.Server, name string) *chat.Ollama {
	t.Helper()
	m, err := chat.NewOllama(name, s.URL)
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
		found, err := c.Claims(t.Context(), changetest.Parse(t, diff))
		if err != nil {
			t.Fatal(err, s.Log())
		}
		if d := cmp.Diff(want, show(found.Refs)); d != "" {
			t.Error(d, found.Dropped)
		}
	}
	c := newClaimer(t, m, Options{})
	asked(c, changetest.Push)
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
	asked(newClaimer(t, m, Options{}), changetest.Push)
	asked(newClaimer(t, m, Options{Format: Prose}), strings.Replace(changetest.Push, "items.append((item, hash))", "items.append((item, hash)) # †", 1))
}

// TestServerNoRoom: a prompt that is longer than the context is refused, and cut
// for a model that is asked again.
func TestServerNoRoom(t *testing.T) {
	s := ollamatest.Shared(t)
	s.Import(t, "roomless", ollamatest.Answer{Text: pushAnswer})
	m := serverModel(t, s, "roomless")
	resp, err := m.Generate(t.Context(), chat.Request{Prompt: strings.Repeat("many words ", 500), Schema: schema, NumCtx: 256, NumPredict: 100})
	if !errors.Is(err, chat.ErrContext) {
		t.Errorf("%+v, %v", resp, err)
	}
	// A context that the guess of the tokens takes for large enough, and that is not.
	diff := changetest.Large(4, 40)
	req := chat.Request{System: system(JSON), Prompt: question(renderAll(changetest.Parse(t, diff)), 1, 1), Schema: schema, NumCtx: 1 << 16, NumPredict: 100}
	whole, err := m.Generate(t.Context(), req)
	if err != nil || whole.PromptTokens == 0 {
		t.Fatal(whole, err)
	}
	found, err := newClaimer(t, narrow{m, whole.PromptTokens - 200}, Options{}).Claims(t.Context(), changetest.Parse(t, diff))
	if err != nil || len(found.Refs)+len(found.Dropped) != 4 {
		t.Errorf("%d claims kept, %d dropped, %v; want two answers of two claims", len(found.Refs), len(found.Dropped), err)
	}
}

// narrow asks a model in a shorter context than it says.
type narrow struct {
	*chat.Ollama
	context int
}

func (n narrow) Generate(ctx context.Context, req chat.Request) (chat.Response, error) {
	req.NumCtx = n.context
	return n.Ollama.Generate(ctx, req)
}
