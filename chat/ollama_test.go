package chat

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"crscore/internal/ollamatest"
)

// fakeModel returns a model of the server.
func fakeModel(t testing.TB, f *ollamatest.Fake, name string) *Ollama {
	t.Helper()
	m, err := NewOllama(name, f.URL)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// raw hijacks the connection, writes what a server may have written when it
// died, and closes it; with reset the client sees a reset.
func raw(t testing.TB, w http.ResponseWriter, text string, reset bool) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	io.WriteString(c, text)
	if reset {
		time.Sleep(20 * time.Millisecond) // what was written goes out first
		_ = c.(*net.TCPConn).SetLinger(0)
	}
	c.Close()
}

func TestGenerateRequest(t *testing.T) {
	f := ollamatest.NewFake(t, 8192, ollamatest.Say("fine"))
	resp, err := fakeModel(t, f, "m").Generate(t.Context(), Request{System: "s", Prompt: "p", Schema: schema, Seed: 3, NumCtx: 4096, NumPredict: 99})
	if err != nil || resp.Text != "fine" || resp.PromptTokens != 10 || resp.AnswerTokens != 5 {
		t.Errorf("%+v, %v", resp, err)
	}
	got := f.Last()
	for name, b := range map[string]*bool{"stream": got.Stream, "truncate": got.Truncate, "shift": got.Shift, "think": got.Think} {
		if b == nil || *b {
			t.Errorf("%s is not false", name)
		}
	}
	if got.System != "s" || got.Prompt != "p" || string(got.Format) != string(schema) {
		t.Errorf("%+v", got)
	}
	for name, want := range map[string]float64{"temperature": 0, "seed": 3, "num_ctx": 4096, "num_predict": 99} {
		if v, ok := got.Options[name]; !ok || v != want {
			t.Errorf("option %s is %v, want %v", name, v, want)
		}
	}
}

// TestGenerateFailures holds every failure that a server was seen to have
// against what it must become: an error, never a shorter answer.
func TestGenerateFailures(t *testing.T) {
	const whole = `{"model":"m","response":"cut te`
	status := func(code int, msg string) func(http.ResponseWriter, ollamatest.Asked) {
		return func(w http.ResponseWriter, _ ollamatest.Asked) {
			w.WriteHeader(code)
			fmt.Fprintf(w, `{"error":%q}`, msg)
		}
	}
	broken := func(text string, reset bool) func(http.ResponseWriter, ollamatest.Asked) {
		return func(w http.ResponseWriter, _ ollamatest.Asked) { raw(t, w, text, reset) }
	}
	done := func(done bool, reason string, promptTokens int) func(http.ResponseWriter, ollamatest.Asked) {
		return func(w http.ResponseWriter, _ ollamatest.Asked) {
			ollamatest.Reply(w, "[1,2", done, reason, promptTokens)
		}
	}
	ended := func(tokens int, reason string) func(http.ResponseWriter, ollamatest.Asked) {
		return func(w http.ResponseWriter, _ ollamatest.Asked) {
			fmt.Fprintf(w, `{"response":"[1,2","done":true,"done_reason":%q,"prompt_eval_count":10,"eval_count":%d}`, reason, tokens)
		}
	}
	chunked := "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
	line := `{"model":"m","response":"cut text","done":false}` + "\n"
	for name, tt := range map[string]struct {
		generate func(http.ResponseWriter, ollamatest.Asked)
		is       error  // nil: neither transient nor another of the three
		says     string // a part of the message
	}{
		"read error in mid-body":      {broken("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n"+whole, false), ErrTransient, "broke in mid-answer"},
		"read error behind a line":    {broken(chunked+fmt.Sprintf("%x\r\n%s\r\n", len(line), line), true), ErrTransient, "broke in mid-answer"},
		"stream without its end":      {broken(chunked+fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(line), line), false), ErrIncomplete, "stopped it before its end"},
		"closed before an answer":     {broken("", false), ErrTransient, "broke"},
		"reset before an answer":      {broken("", true), ErrTransient, "broke"},
		"nothing in the body":         {func(http.ResponseWriter, ollamatest.Asked) {}, ErrTransient, "sent no answer"},
		"repetition, done false":      {done(false, "", 10), ErrIncomplete, "stopped it before its end"},
		"the limit of the answer":     {ended(50, "length"), ErrIncomplete, "limit of 50 tokens"},
		"the end of the context":      {ended(49, "length"), ErrContext, "left room for only 49 tokens"},
		"the limit, with no count":    {ended(-50, "length"), ErrIncomplete, "limit of 50 tokens"},
		"unknown end":                 {done(true, "load", 10), ErrIncomplete, `ended with "load"`},
		"cut prompt":                  {done(true, "stop", 2048), ErrContext, "cut it to 2048 tokens"},
		"prompt refused":              {status(400, "the input length exceeds the context length"), ErrContext, "exceeds the context length"},
		"overloaded":                  {status(503, "server busy, please try again.  maximum pending requests exceeded"), ErrTransient, "503"},
		"runner died":                 {status(500, "model runner has unexpectedly stopped"), ErrTransient, "unexpectedly stopped"},
		"schema refused":              {status(500, "invalid JSON schema in format"), nil, "invalid JSON schema"},
		"model went away":             {status(404, "model 'm' not found"), nil, "crscore models pull ollama:m`"},
		"not allowed":                 {status(403, "no"), nil, "answered 403"},
		"no login":                    {status(401, "unauthorized"), nil, "answered 401: it wants a login"},
		"another shape":               {func(w http.ResponseWriter, _ ollamatest.Asked) { io.WriteString(w, `{"response":[]}`) }, nil, "does not speak Ollama's API"},
		"an error with status 200":    {status(200, "unexpected"), nil, "unexpected"},
		"a page instead of an answer": {func(w http.ResponseWriter, _ ollamatest.Asked) { io.WriteString(w, "<html>"+strings.Repeat("x", 9999)) }, nil, "<html>"},
		"two answers":                 {func(w http.ResponseWriter, r ollamatest.Asked) { ollamatest.Say("a")(w, r); ollamatest.Say("b")(w, r) }, ErrIncomplete, "sent it in parts"},
		"a line longer than any buffer": {func(w http.ResponseWriter, _ ollamatest.Asked) {
			ollamatest.Reply(w, strings.Repeat("x", 9<<20), true, "stop", 1)
		}, ErrTransient, "sent no answer"},
		"refused without a word": {func(w http.ResponseWriter, _ ollamatest.Asked) { w.WriteHeader(400) }, nil, "answered 400"},
		"failed without a word":  {func(w http.ResponseWriter, _ ollamatest.Asked) { w.WriteHeader(502) }, ErrTransient, "answered 502"},
		"redirect": {func(w http.ResponseWriter, _ ollamatest.Asked) {
			w.Header().Set("Location", "http://user:pw@other.invalid/login?token=secret")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, nil, "redirects to http://other.invalid: name that in OLLAMA_HOST"},
	} {
		t.Run(name, func(t *testing.T) {
			f := ollamatest.NewFake(t, 0, tt.generate)
			resp, err := fakeModel(t, f, "m").Generate(t.Context(), Request{Prompt: "p", NumCtx: 2048, NumPredict: 50})
			if err == nil {
				t.Fatalf("no error, the answer is %q", resp.Text)
			}
			for _, e := range []error{ErrTransient, ErrContext, ErrIncomplete} {
				if errors.Is(err, e) != (e == tt.is) {
					t.Errorf("errors.Is(%v) = %v: %v", e, errors.Is(err, e), err)
				}
			}
			if !strings.Contains(err.Error(), tt.says) || len(err.Error()) > 700 {
				t.Errorf("message %q, want %q in it", err, tt.says)
			}
		})
	}
}

func TestNoServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	m, err := NewOllama("m", "http://"+addr)
	if err != nil {
		t.Fatal(err)
	}
	_, err1 := m.Generate(t.Context(), Request{Prompt: "p"})
	_, err2 := m.Digest(t.Context())
	for _, err := range []error{err1, err2} {
		if err == nil || errors.Is(err, ErrTransient) || !strings.Contains(err.Error(), "there is no Ollama server at http://"+addr+": start it with `ollama serve`") {
			t.Errorf("%v", err)
		}
	}
}

// TestHost: what is no address of a server is refused, and nothing of it is told.
func TestHost(t *testing.T) {
	var logged bytes.Buffer // Ollama's own code writes there
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
	defer slog.SetDefault(before)
	for host, want := range map[string]string{
		"": "http://127.0.0.1:11434", "127.0.0.1:1": "http://127.0.0.1:1", " https://example.org/ollama ": "https://example.org:443/ollama", ":1": "http://:1", "[::1]:1": "http://[::1]:1",
		"user:secret@127.0.0.1:1": "", "http://user:secret@h": "", "http://secret@127.0.0.1": "", "http://127.0.0.1/x?key=secret": "", "127.0.0.1#secret": "", "ftp://secret:1": "", "a secret": "",
	} {
		t.Setenv(ollamaHost, host)
		m, err := NewOllama("m", "")
		if want == "" && (err == nil || !strings.Contains(err.Error(), "OLLAMA_HOST is not the address of a server") || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%q: %v, %v", host, m, err)
		}
		if want != "" && (err != nil || m.Host() != want) {
			t.Errorf("%q: %v, %v", host, m, err)
		}
	}
	if strings.Contains(logged.String(), "secret") {
		t.Errorf("logged: %s", &logged)
	}
	if _, err := NewOllama("m", "ftp://user:secret@127.0.0.1"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
}

// TestNoOllama asks servers that are something else, and one whose answer does not end.
func TestNoOllama(t *testing.T) {
	for says, handle := range map[string]http.HandlerFunc{
		"does not speak Ollama's API: its answer is not as it should be": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>Welcome</html>") },
		"answered 401: it wants a login":                                 func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
		"its answer is larger than 16777216 bytes": func(w http.ResponseWriter, r *http.Request) {
			for line := strings.Repeat(" ", 1<<20); r.Context().Err() == nil; {
				io.WriteString(w, line)
			}
		},
	} {
		s := httptest.NewServer(handle)
		m, err := NewOllama("m", s.URL)
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv(ollamaHost, s.URL)
		_, err1 := m.Digest(t.Context())
		_, err2 := m.ContextLength(t.Context())
		looked, err3 := LookAtOllama(t.Context())
		if err3 == nil {
			err3 = looked[0].Err
		}
		for _, err := range []error{err1, err2, err3} {
			if err == nil || errors.Is(err, ErrTransient) || !strings.Contains(err.Error(), says) {
				t.Errorf("%v, want %q", err, says)
			}
		}
		s.Close()
	}
}

func TestDigest(t *testing.T) {
	f := ollamatest.NewFake(t, 4096, ollamatest.Say(""))
	for _, name := range []string{"m", "m:latest", "library/m", "registry.ollama.ai/library/m:latest"} {
		if d, err := fakeModel(t, f, name).Digest(t.Context()); err != nil || d != "0123456789abcdef0123" {
			t.Errorf("%s: %q, %v", name, d, err)
		}
	}
	if _, err := fakeModel(t, f, "other:7b").Digest(t.Context()); err == nil || !strings.Contains(err.Error(), "crscore models pull ollama:other:7b`") {
		t.Errorf("missing model: %v", err)
	}
	if n, err := fakeModel(t, f, "m").ContextLength(t.Context()); err != nil || n != 4096 {
		t.Errorf("context %d, %v", n, err)
	}
}

func TestModelNames(t *testing.T) {
	for name, ok := range map[string]bool{
		"qwen2.5-coder:7b": true, "hf.co/me/model-GGUF:Q4_K_M": true, "m": true,
		"": false, "a b": false, "a,b": false, "a\nb": false, "-x": false, "`x`": false, strings.Repeat("x", 300): false,
	} {
		if _, err := NewOllama(name, "http://127.0.0.1:1"); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, host := range []string{"127.0.0.1:11434", "ftp://x", "http://", "::"} {
		if _, err := NewOllama("m", host); err == nil {
			t.Errorf("host %q was taken", host)
		}
	}
}

func noPause(ctx context.Context, _ time.Duration) error { return ctx.Err() }

func TestRetries(t *testing.T) {
	for name, tt := range map[string]struct {
		fails int
		code  int
		calls int
		ok    bool
	}{
		"one failure":       {1, 503, 2, true},
		"two failures":      {2, 500, 3, true},
		"too many failures": {9, 500, 3, false},
		"not transient":     {9, 400, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			var f *ollamatest.Fake
			f = ollamatest.NewFake(t, 0, func(w http.ResponseWriter, r ollamatest.Asked) {
				if int(f.Calls()) <= tt.fails {
					w.WriteHeader(tt.code)
					return
				}
				ollamatest.Say("fine")(w, r)
			})
			var paused []time.Duration
			pause := func(_ context.Context, d time.Duration) error { paused = append(paused, d); return nil }
			_, err := generate(t.Context(), fakeModel(t, f, "m"), Request{Prompt: "p"}, time.Minute, pause)
			if (err == nil) != tt.ok || f.Calls() != tt.calls {
				t.Errorf("%d calls, %v", f.Calls(), err)
			}
			if want := []time.Duration{firstPause, 2 * firstPause}[:tt.calls-1]; !slices.Equal(paused, want) {
				t.Errorf("pauses of %v, want %v", paused, want)
			}
		})
	}
}

func TestDeadlineAndCancel(t *testing.T) {
	release := make(chan struct{})
	f := ollamatest.NewFake(t, 0, func(w http.ResponseWriter, r ollamatest.Asked) { <-release; ollamatest.Say("late")(w, r) })
	defer close(release)
	_, err := generate(t.Context(), fakeModel(t, f, "m"), Request{Prompt: "p"}, 50*time.Millisecond, noPause)
	if err == nil || !strings.Contains(err.Error(), "no answer within 50ms") || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("deadline of a call: %v", err)
	}
	if n := f.Calls(); n != 1 {
		t.Errorf("%d calls, want no other try", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := generate(ctx, fakeModel(t, f, "m"), Request{Prompt: "p"}, time.Minute, noPause); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
