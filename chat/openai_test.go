package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"crscore/internal/limits"
	"crscore/internal/ollamatest"
)

const secret = "sk-secret-0123456789"

// newOpenAI returns a model "m" on a server that does as told. The key is set.
func newOpenAI(t testing.TB, handle http.HandlerFunc) (*OpenAI, *httptest.Server) {
	t.Helper()
	t.Setenv(openAIKey, secret)
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	m, err := NewOpenAI("m", s.URL+"/v1")
	if err != nil {
		t.Fatal(err)
	}
	return m, s
}

// TestOpenAIRequest looks at what goes over the wire.
func TestOpenAIRequest(t *testing.T) {
	var body map[string]any
	var key, path string
	m, _ := newOpenAI(t, func(w http.ResponseWriter, r *http.Request) {
		key, path = r.Header.Get("Authorization"), r.Method+" "+r.URL.Path
		body = nil
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		io.WriteString(w, `{"choices":[{"message":{"content":"An answer."},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3}}`)
	})
	got, err := m.Generate(t.Context(), Request{System: "Be brief.", Prompt: "Well?", Schema: json.RawMessage(`{"type":"object"}`), Seed: 7, NumCtx: 4096, NumPredict: 99})
	if want := (Response{"An answer.", 7, 3}); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	if key != "Bearer "+secret || path != "POST /v1/chat/completions" {
		t.Errorf("%q, %q", key, path)
	}
	b, err := json.Marshal(body)
	want := `{"max_tokens":99,"messages":[{"content":"Be brief.","role":"system"},{"content":"Well?","role":"user"}],"model":"m",` +
		`"response_format":{"json_schema":{"name":"answer","schema":{"type":"object"},"strict":false},"type":"json_schema"},"seed":7,"stream":false,"temperature":0}`
	if err != nil || string(b) != want {
		t.Errorf("sent\n%s, want\n%s (%v)", b, want, err)
	}
	if _, err := m.Generate(t.Context(), Request{Prompt: "Well?"}); err != nil {
		t.Error(err)
	}
	delete(body, "seed")
	if b, _ := json.Marshal(body); string(b) != `{"messages":[{"content":"Well?","role":"user"}],"model":"m","stream":false,"temperature":0}` {
		t.Errorf("sent %s", b)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if s := fmt.Sprintf(verb, m); strings.Contains(s, secret) {
			t.Errorf("%s prints the key: %s", verb, s)
		}
	}
}

func TestOpenAIFailures(t *testing.T) {
	answer := func(choices string) string { return `{"choices":[` + choices + `]}` }
	for _, tt := range []struct {
		name   string
		status int
		body   string
		is     error // which errors.Is knows
		want   string
	}{
		{"cut", 200, answer(`{"message":{"content":"An ans"},"finish_reason":"length"}`), ErrIncomplete, "reached its limit of 99 tokens"},
		{"cut by the limit", 200, `{"choices":[{"message":{"content":"An ans"},"finish_reason":"length"}],"usage":{"completion_tokens":99}}`, ErrIncomplete, "reached its limit of 99 tokens"},
		{"cut by the context", 200, `{"choices":[{"message":{"content":"An ans"},"finish_reason":"length"}],"usage":{"completion_tokens":98}}`, ErrContext, "left room for only 98 tokens"},
		{"filtered", 200, answer(`{"message":{"content":"An ans"},"finish_reason":"content_filter"}`), ErrIncomplete, `ended with "content_filter"`},
		{"tools", 200, answer(`{"message":{"content":""},"finish_reason":"tool_calls"}`), ErrIncomplete, `ended with "tool_calls"`},
		{"no reason", 200, answer(`{"message":{"content":"An answer."}}`), ErrIncomplete, `ended with ""`},
		{"null", 200, answer(`{"message":{"content":"An answer."},"finish_reason":null}`), ErrIncomplete, `ended with ""`},
		{"none", 200, answer(``), ErrIncomplete, "sent 0 answers"},
		{"two", 200, answer(`{"finish_reason":"stop"},{"finish_reason":"stop"}`), ErrIncomplete, "sent 2 answers"},
		{"refusal", 200, answer(`{"message":{"refusal":"I will not."},"finish_reason":"stop"}`), nil, "the model refuses: I will not."},
		{"half", 200, answer(`{"message":{"content":"An answer."},"finish_reason":"stop"}`)[:40], ErrTransient, "broke"},
		{"empty", 200, "", ErrTransient, "broke"},
		{"page", 200, "<html>Welcome</html>", nil, "does not speak OpenAI's API: its answer is no JSON"},
		{"huge", 200, answer(`{"message":{"content":"` + strings.Repeat("x", limits.ReplyBytes) + `"},"finish_reason":"stop"}`), ErrIncomplete, "larger than 16777216 bytes"},
		{"vLLM's context", 400, `{"error":{"message":"This model's maximum context length is 2048 tokens. However, you requested 3000.","type":"BadRequestError","code":400}}`, ErrContext, "2048 tokens"},
		{"llama.cpp's context", 400, `{"error":{"code":400,"message":"request (3000 tokens) exceeds the available context size (2048 tokens)","type":"exceed_context_size_error"}}`, ErrContext, "available context size"},
		{"OpenAI's context", 400, `{"error":{"code":"context_length_exceeded","message":"too many tokens","type":"invalid_request_error"}}`, ErrContext, "too many tokens"},
		{"a window", 400, `{"error":"input is too long: context window is 2048"}`, ErrContext, "is 2048"},
		{"a prompt that is too long", 400, `{"error":{"message":"prompt is too long: 3000 tokens > 2048 maximum"}}`, ErrContext, "3000 tokens"},
		{"an exceeded context", 500, `{"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}`, ErrContext, "exceeded"},
		{"time, not a context", 500, `{"error":"context deadline exceeded"}`, ErrTransient, "answered 500: context deadline exceeded"},
		{"a key, in words", 200, `{"error":"Invalid API key"}`, nil, "does not take the key in OPENAI_API_KEY (401: Invalid API key)"},
		{"bad request", 400, `{"error":{"message":"no such field"}}`, nil, "answered 400: no such field"},
		{"key", 401, `{"error":{"message":"Incorrect API key provided: ` + secret + `."}}`, nil, "does not take the key in OPENAI_API_KEY (401: Incorrect API key provided: [key].)"},
		{"no model", 404, `{"error":{"message":"nothing here"}}`, nil, "has no model m, or does not speak OpenAI's API there (404: nothing here)"},
		{"busy", 429, `{"error":{"message":"slow down"}}`, ErrTransient, "429: slow down"},
		{"nothing left to pay with", 429, `{"error":{"message":"pay first","code":"insufficient_quota"}}`, nil, "429: pay first"},
		{"overloaded", 503, "<html>" + strings.Repeat("busy ", 1000), ErrTransient, "503: <html>busy busy"},
		{"text", 500, "it broke, said " + secret, ErrTransient, "500: it broke, said [key]"},
		{"a text for an error, busy", 429, `{"error":"too many at once"}`, ErrTransient, "answered 429: too many at once"},
		{"a text for an error, overloaded", 503, `{"error":"no room","error_type":"overloaded"}`, ErrTransient, "answered 503: no room"},
		{"a text for an error, key", 401, `{"error":"who are you"}`, nil, "does not take the key in OPENAI_API_KEY (401: who are you)"},
		{"a text for an error, model", 404, `{"error":"unheard of"}`, nil, "has no model m, or does not speak OpenAI's API there (404: unheard of)"},
		{"a text for an error, request", 400, `{"error":"cannot do that"}`, nil, "answered 400: cannot do that"},
		{"a list of errors", 400, `[{"error":{"code":400,"message":"first"}},{"error":{"message":"second"}}]`, nil, "answered 400: first"},
		{"errors in a list", 503, `{"error":["one","two"]}`, ErrTransient, "503: one; two"},
		{"a detail", 503, `{"detail":"waking up"}`, ErrTransient, "503: waking up"},
		{"details", 422, `{"detail":[{"loc":["body","messages",0],"msg":"field required","input":{"temperature":0}}]}`, nil, "422: body.messages.0: field required"},
		{"a message alone", 400, `{"message":"cannot do that","type":"invalid"}`, nil, "answered 400: cannot do that"},
		{"a page of a proxy", 502, "<html><title>502 Bad Gateway</title></html>", ErrTransient, "502: <html><title>502 Bad Gateway"},
		{"a prompt that is repeated", 400, `{"error":"bad request: ` + strings.Repeat("x ", 200) + `temperature, seed and response_format"}`, nil, "400: bad request"},
		{"a conflict", 409, `{"error":"locked"}`, ErrTransient, "409: locked"},
		{"an error in an answer", 200, `{"error":{"message":"it broke","code":500}}`, ErrTransient, "answered 500: it broke"},
		{"an error in an answer, code as text", 200, `{"error":{"message":"no","code":"404"}}`, nil, "has no model m"},
		{"an error in an answer, in words", 200, `{"error":{"message":"Too Many Requests"}}`, ErrTransient, "answered 429: Too Many Requests"},
		{"an error in an answer, without a code", 200, `{"error":"cannot do that"}`, nil, "answered 200: cannot do that"},
		{"an error in a choice", 200, answer(`{"error":{"code":502,"message":"the provider is away"},"finish_reason":"error"}`), ErrTransient, "answered 502: the provider is away"},
		{"a detail in an answer", 200, `{"detail":"Not Found"}`, nil, "has no model m, or does not speak OpenAI's API there (404: Not Found)"},
		{"deep", 400, `{"error":` + strings.Repeat(`[`, 5000) + strings.Repeat(`]`, 5000) + `}`, nil, "answered 400: "},
		{"a refusal beside null", 200, answer(`{"message":{"content":null,"refusal":"I will not."},"finish_reason":"stop"}`), nil, "the model refuses: I will not."},
		{"no end of prose", 200, answer(`{"message":{"content":"An ans"},"finish_reason":null}`), ErrIncomplete, `ended with ""`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, _ := newOpenAI(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
			})
			got, err := m.Generate(t.Context(), Request{Prompt: "Well?", NumPredict: 99})
			if err == nil || got.Text != "" || m.without() != nil {
				t.Fatalf("%+v, %v, without %v", got, err, m.without())
			}
			for _, e := range []error{ErrIncomplete, ErrTransient, ErrContext} {
				if errors.Is(err, e) != (e == tt.is) {
					t.Errorf("%v is %v: %v", err, e, e != tt.is)
				}
			}
			if !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), secret) || len(err.Error()) > 500 {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// TestOpenAIRedirect: neither the change nor the key goes where it was not meant to.
func TestOpenAIRedirect(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s was asked, with the key %q", r.Method, r.URL, r.Header.Get("Authorization"))
	}))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		m, _ := newOpenAI(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+r.URL.Path+"?token=of-a-login", status)
		})
		_, err := m.Generate(t.Context(), Request{Prompt: "Well?"})
		if err == nil || !strings.Contains(err.Error(), "redirects to "+other.URL+":") || errors.Is(err, ErrTransient) {
			t.Error(status, err)
		}
		if _, err := m.Digest(t.Context()); err == nil || !strings.Contains(err.Error(), "redirects to "+other.URL+":") {
			t.Error(status, err)
		}
	}
}

func TestOpenAIUnreachable(t *testing.T) {
	m, s := newOpenAI(t, func(http.ResponseWriter, *http.Request) {})
	s.Close()
	want := "there is no server at " + s.URL + "/v1: start it, or set OPENAI_BASE_URL"
	if _, err := m.Generate(t.Context(), Request{Prompt: "Well?"}); err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
	if _, err := m.Digest(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}

func TestOpenAICancelled(t *testing.T) {
	asked, done := make(chan bool, 1), make(chan bool)
	m, _ := newOpenAI(t, func(http.ResponseWriter, *http.Request) { asked <- true; <-done })
	defer close(done)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	start := time.Now()
	if _, err := m.Generate(ctx, Request{Prompt: "Well?"}); !errors.Is(err, context.Canceled) || time.Since(start) > 5*time.Second {
		t.Error(err, time.Since(start))
	}
}

func TestNewOpenAI(t *testing.T) {
	for _, tt := range []struct{ model, base, key, want string }{
		{"m", "http://127.0.0.1:8000/v1/", "", ""},
		{"org/m-7b:q4", "https://example.org/v1", "k", ""},
		{"m", "", "k", ""},
		{"m", "", "", "openai:m has no server: set OPENAI_BASE_URL"},
		{"m", "127.0.0.1:8000", "", "is not the address of a server"},
		{"m", "ftp://127.0.0.1", "", "is not the address of a server"},
		{"m", "http://127.0.0.1/v1?key=" + secret, "", "is not the address of a server"},
		{"m", "http://user:" + secret + "@127.0.0.1/v1", "", "has a password in it"},
		{"m", "http://127.0.0.1:%zz/" + secret, "", "is not the address of a server"},
		{"a b", "http://127.0.0.1", "", "is not the name of a model"},
	} {
		t.Setenv(openAIKey, tt.key)
		t.Setenv(openAIBase, tt.base)
		_, err := NewOpenAI(tt.model, "")
		if (err == nil) != (tt.want == "") || err != nil && (!strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), secret)) {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

// TestOpenAIList has what servers tell of their models.
func TestOpenAIList(t *testing.T) {
	list := ""
	status := http.StatusOK
	m, s := newOpenAI(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+secret || r.URL.Path != "/v1/models" {
			t.Errorf("%s, %v", r.URL, r.Header)
		}
		w.WriteHeader(status)
		io.WriteString(w, list)
	})
	look := func(answer string) (string, int) {
		t.Helper()
		list = answer
		d, err := m.Digest(t.Context())
		if err != nil {
			t.Error(err)
		}
		n, err := m.ContextLength(t.Context())
		if err != nil {
			t.Error(err)
		}
		return d, n
	}
	vllm, n := look(`{"data":[{"id":"other"},{"id":"m","owned_by":"vllm","created":1,"root":"/models/m","max_model_len":8192}]}`)
	if again, _ := look(`{"data":[{"id":"m","owned_by":"vllm","created":2,"root":"/models/m","max_model_len":8192}]}`); again != vllm || n != 8192 {
		t.Errorf("%s, then %s, context %d", vllm, again, n)
	}
	if other, _ := look(`{"data":[{"id":"m","owned_by":"vllm","created":2,"root":"/models/m2","max_model_len":8192}]}`); other == vllm {
		t.Error("other weights have the same digest")
	}
	if _, n := look(`{"data":[{"id":"m","owned_by":"library"}]}`); n != ollamaContext {
		t.Errorf("context of Ollama: %d", n)
	}
	none, n := look(`{"data":[]}`)
	if n != 0 {
		t.Error(n)
	}
	status = http.StatusNotFound
	if d, _ := look(`no such page`); d != none {
		t.Error("without a list the digest is another one")
	}
	there, err := NewOpenAI("m", strings.Replace(s.URL, "127.0.0.1", "localhost", 1)+"/v1")
	if err != nil {
		t.Fatal(err)
	}
	if d, err := there.Digest(t.Context()); err == nil && d == none {
		t.Error("another server has the same digest")
	}
	for code, want := range map[int]string{401: "does not take the key", 500: "answered 500", 200: "list of models is no JSON"} {
		status, list = code, "<html>"
		if _, err := m.Digest(t.Context()); err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, ErrTransient) != (code == 500) {
			t.Error(code, err)
		}
	}
}

// TestOpenAIServer asks a real server.
func TestOpenAIServer(t *testing.T) {
	s := ollamatest.Shared(t)
	const answer = `{"summary":["The method ` + "`push`" + ` takes a hash."],"implications":["Callers of ` + "`push`" + ` must pass one."]}`
	s.Import(t, "openai", ollamatest.Answer{Text: answer}, ollamatest.Answer{Key: '†', Text: "Prose it is, and nothing else."}, ollamatest.Answer{Key: '‡', Text: "On and on and on and on it goes. ", Endless: true})
	t.Setenv(openAIBase, s.URL+"/v1")
	t.Setenv(openAIKey, "any key will do")
	m, err := NewOpenAI("openai", "")
	if err != nil {
		t.Fatal(err)
	}
	ask := func(prompt string, schema json.RawMessage) (Response, error) {
		return m.Generate(t.Context(), Request{System: "Be brief.", Prompt: prompt, Schema: schema, Seed: 7, NumPredict: 100})
	}
	if got, err := ask("What changed?", schema); err != nil || got.Text != answer || got.PromptTokens < 5 || got.AnswerTokens < 5 {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := ask("What changed? †", nil); err != nil || got.Text != "Prose it is, and nothing else." {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := ask("‡", nil); !errors.Is(err, ErrIncomplete) || !strings.Contains(err.Error(), "limit of 100 tokens") {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := ask("What changed?", json.RawMessage(`{"type":"no such type"}`)); err == nil {
		t.Errorf("a schema that is none: %+v", got)
	} else if !strings.Contains(err.Error(), "schema") || errors.Is(err, ErrTransient) {
		t.Error(err)
	}
	// A long prompt is cut there, whatever is asked for.
	if got, err := ask(strings.Repeat("ab, ", 3000), nil); !errors.Is(err, ErrContext) || !strings.Contains(err.Error(), "exactly 4096 tokens") {
		t.Errorf("%+v, %v", got, err)
	}
	if d, err := m.Digest(t.Context()); err != nil || len(d) != 64 {
		t.Errorf("%q, %v", d, err)
	}
	if n, err := m.ContextLength(t.Context()); err != nil || n != ollamaContext {
		t.Errorf("%d, %v", n, err)
	}
	if m, err = NewOpenAI("no-such-model", ""); err != nil {
		t.Fatal(err)
	}
	if got, err := ask("What changed?", nil); err == nil || !strings.Contains(err.Error(), "has no model no-such-model") {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestOpenAIServerKilled ends a real server in mid-answer.
func TestOpenAIServerKilled(t *testing.T) {
	s := ollamatest.Start(t)
	s.Import(t, "endless", ollamatest.Answer{Text: "On and on and on and on it goes. ", Endless: true})
	m, err := NewOpenAI("endless", s.URL+"/v1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Generate(t.Context(), Request{Prompt: "Go.", NumPredict: 10}); !errors.Is(err, ErrIncomplete) {
		t.Error(err) // and the model is there now
	}
	time.AfterFunc(300*time.Millisecond, s.Kill)
	if got, err := m.Generate(t.Context(), Request{Prompt: "Go.", NumPredict: 1 << 20}); !errors.Is(err, ErrTransient) {
		t.Errorf("%+v, %v", got, err)
	}
	s.Kill() // which waits for the other
	if _, err := m.Generate(t.Context(), Request{Prompt: "Go."}); err == nil || !strings.Contains(err.Error(), "there is no server at") {
		t.Error(err)
	}
}

// FuzzOpenAI: whatever a server sends, an answer is one only when it is whole,
// and no error repeats the key.
func FuzzOpenAI(f *testing.F) {
	f.Add(200, `{"choices":[{"message":{"content":"An answer."},"finish_reason":"stop"}]}`)
	f.Add(200, `{"choices":[{"message":{"content":"An ans"},"finish_reason":"length"}],"usage":null}`)
	f.Add(200, `{"choices":[{"message":{"content":[{"type":"text","text":"x"}]},"finish_reason":"stop"}]} {}`)
	f.Add(400, `{"error":{"message":["context","length"],"code":{}}}`)
	f.Add(401, `{"error":"`+secret+`"}`)
	f.Add(503, `{"error":{"message":null,"innererror":[]}}`)
	var status atomic.Int32
	var body atomic.Pointer[string]
	f.Setenv(openAIKey, secret)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(int(status.Load()))
		io.WriteString(w, *body.Load())
	}))
	f.Cleanup(s.Close)
	m, err := NewOpenAI("m", s.URL)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, code int, text string) {
		status.Store(int32(200 + uint(code)%400))
		body.Store(&text)
		got, err := m.Generate(t.Context(), Request{Prompt: "Well?"})
		if err == nil && (status.Load() >= 400 || !slices.ContainsFunc(ends(), func(end string) bool { return strings.Contains(strings.ToLower(text), end) })) {
			t.Errorf("%d %q is the answer %+v", status.Load(), text, got)
		}
		if err != nil && (got != Response{} || strings.Contains(err.Error(), secret) || len(err.Error()) > 600) {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := m.Digest(t.Context()); err != nil && (strings.Contains(err.Error(), secret) || len(err.Error()) > 600) {
			t.Error(err)
		}
	})
}
