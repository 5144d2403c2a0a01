package ollamatest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// Fake speaks Ollama's wire format: it lists one model, "m", and leaves generating to a
// function. It is for failures and for answers that a real Server cannot be made to give.
type Fake struct {
	*httptest.Server
	calls atomic.Int32
	last  atomic.Pointer[Asked]
}

// Asked is a request to generate.
type Asked struct {
	// The fields are those of Ollama's API.
	Model, Prompt, System string
	Format                json.RawMessage
	Stream, Truncate      *bool
	Shift, Think          *bool
	Options               map[string]float64
}

// NewFake starts a server whose model has a context of that many tokens. It is closed at the
// end of the test.
func NewFake(tb testing.TB, contextLength int, generate func(w http.ResponseWriter, req Asked)) *Fake {
	tb.Helper()
	f := &Fake{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"models":[{"name":"m:latest","model":"m:latest","digest":"0123456789abcdef0123"}]}`)
	})
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"model_info":{"general.architecture":"llama","llama.context_length":%d}}`, contextLength)
	})
	mux.HandleFunc("POST /api/generate", func(w http.ResponseWriter, r *http.Request) {
		f.calls.Add(1)
		var req Asked
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			tb.Errorf("the request is not JSON: %v", err)
		}
		f.last.Store(&req)
		if req.Model != "m" {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprintf(w, `{"error":"model '%s' not found"}`, req.Model)
			return
		}
		generate(w, req)
	})
	f.Server = httptest.NewServer(mux)
	tb.Cleanup(f.Close)
	return f
}

// Calls is the number of requests to generate so far.
func (f *Fake) Calls() int { return int(f.calls.Load()) }

// Last is the last request to generate.
func (f *Fake) Last() *Asked { return f.last.Load() }

// Say answers with a text, completely.
func Say(text string) func(http.ResponseWriter, Asked) {
	return func(w http.ResponseWriter, _ Asked) { Reply(w, text, true, "stop", 10) }
}

// Reply writes an answer with the reason of its end and the number of tokens of its prompt.
func Reply(w http.ResponseWriter, text string, done bool, reason string, promptTokens int) {
	_ = json.NewEncoder(w).Encode(map[string]any{
		"model": "m", "response": text, "done": done, "done_reason": reason, "prompt_eval_count": promptTokens, "eval_count": 5,
	})
}
