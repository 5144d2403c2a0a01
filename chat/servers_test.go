package chat

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ollama/ollama/envconfig"

	"crscore/internal/limits"
)

// made is a model on a server that does as told. These tests run in bubbles of testing/synctest, which have clocks of their own.
type made struct {
	host string
	take time.Duration // an answer takes

	mu       sync.Mutex
	digest   string
	window   int
	err      error            // of all calls
	fails    map[string]error // of prompts
	asked    []string         // prompts
	now, top int              // calls at a time
}

func (*made) Name() string   { return "made" }
func (m *made) Host() string { return m.host }

func (m *made) Digest(context.Context) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.digest, m.err
}

func (m *made) ContextLength(context.Context) (int, error) { return m.window, nil }

func (m *made) Generate(ctx context.Context, r Request) (Response, error) {
	m.mu.Lock()
	m.asked = append(m.asked, r.Prompt)
	m.now++
	m.top = max(m.top, m.now)
	m.mu.Unlock()
	err := sleep(ctx, m.take)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now--
	if err == nil {
		err = m.err
	}
	if err == nil {
		err = m.fails[r.Prompt]
	}
	return Response{Text: "answer to " + r.Prompt}, err
}

func (m *made) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = err
}

func (m *made) calls() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.asked)
}

// three are three servers with the same weights, and an Asker with that many calls to each.
func three(t *testing.T, calls int, warn func(string)) ([]*made, *Asker) {
	t.Helper()
	var all []*made
	var models []Model
	for _, host := range []string{"http://a", "http://b", "http://c"} {
		m := &made{host: host, digest: "sha256:0123456789abcdef", window: 4096, take: time.Second}
		all, models = append(all, m), append(models, m)
	}
	s, err := NewServers(models...)
	if err != nil {
		t.Fatal(err)
	}
	a, err := NewAsker(s, Options{Parallel: calls, Warn: warn})
	if err != nil {
		t.Fatal(err)
	}
	return all, a
}

// askAll asks questions at the same time and returns the errors by prompt.
func askAll(ctx context.Context, a *Asker, prompts ...string) map[string]error {
	errs := make(map[string]error)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, p := range prompts {
		wg.Go(func() {
			got, err := a.Ask(ctx, Question{Request: Request{Prompt: p}})
			if err == nil && got != "answer to "+p {
				err = fmt.Errorf("got %q", got)
			}
			mu.Lock()
			defer mu.Unlock()
			errs[p] = err
		})
	}
	wg.Wait()
	return errs
}

func prompts(from, to int) (out []string) {
	for i := from; i < to; i++ {
		out = append(out, fmt.Sprint(i))
	}
	return out
}

func allNil(t *testing.T, errs map[string]error) {
	t.Helper()
	for p, err := range errs {
		if err != nil {
			t.Errorf("%s: %v", p, err)
		}
	}
}

var errRefused = serverError{errors.New("there is no server"), down}

func TestServersShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, a := three(t, 2, nil)
		if err := a.Prepare(t.Context()); err != nil || a.Parallel() != 6 || a.Signature() != "made@0123456789ab" || a.ContextLength() != 4096 {
			t.Fatalf("%v, %d, %s, %d", err, a.Parallel(), a.Signature(), a.ContextLength())
		}
		// One after the other all go to the first.
		allNil(t, askAll(t.Context(), a, "x"))
		allNil(t, askAll(t.Context(), a, "y"))
		if all[0].calls() != 2 {
			t.Errorf("%d calls", all[0].calls())
		}
		begin := time.Now()
		allNil(t, askAll(t.Context(), a, prompts(0, 60)...))
		for _, m := range all {
			if m.top != 2 {
				t.Errorf("%s: %d calls at a time, want 2", m.host, m.top)
			}
		}
		if took := time.Since(begin); took != 10*time.Second {
			t.Errorf("60 answers of a second, 6 at a time, took %s", took)
		}
		if u := a.Usage(); u.Calls != 62 {
			t.Errorf("%+v", u)
		}
	})
}

// TestServersOrder: the next call goes to the most free places, first in the list.
func TestServersOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, a := three(t, 2, nil)
		var got []string
		for i := range 6 {
			go a.Ask(t.Context(), Question{Request: Request{Prompt: fmt.Sprint(i)}})
			synctest.Wait()
			for _, m := range all {
				if slices.Contains(m.asked, fmt.Sprint(i)) {
					got = append(got, m.host[7:])
				}
			}
		}
		if !slices.Equal(got, strings.Split("a b c a b c", " ")) {
			t.Errorf("%q", got)
		}
		time.Sleep(time.Minute)
	})
}

// TestServersMove holds each kind of error against what it does: a fault of a server is hidden by
// the others, an error about the question is asked once.
func TestServersMove(t *testing.T) {
	refused := func(status int) error { return refusal(status, errors.New("no")) }
	for name, tt := range map[string]struct {
		err   error
		moves bool
	}{
		"no server":      {errRefused, true},
		"transient":      {fmt.Errorf("%w: 503", ErrTransient), true},
		"key":            {refused(http.StatusUnauthorized), true},
		"forbidden":      {refused(http.StatusForbidden), true},
		"no model":       {refused(http.StatusNotFound), true},
		"nothing to pay": {refused(http.StatusTooManyRequests), true},
		"bad request":    {refused(http.StatusBadRequest), false},
		"context":        {fmt.Errorf("%w: 1", ErrContext), false},
		"incomplete":     {fmt.Errorf("%w: 1", ErrIncomplete), false},
		"refusal":        {errors.New("the model refuses"), false},
	} {
		synctest.Test(t, func(t *testing.T) {
			var warned []string
			all, a := three(t, 2, func(msg string) { warned = append(warned, msg) })
			if err := a.Prepare(t.Context()); err != nil {
				t.Fatal(err)
			}
			all[0].fail(tt.err)
			err := askAll(t.Context(), a, "q")["q"]
			calls := all[0].calls() + all[1].calls() + all[2].calls()
			if tt.moves && (err != nil || calls != 2 || len(warned) != 1 || !strings.Contains(warned[0], "http://a: ")) {
				t.Errorf("%s: %d calls, %v, warned %q", name, calls, err, warned)
			}
			if !tt.moves && (!errors.Is(err, tt.err) || calls != 1 || warned != nil) {
				t.Errorf("%s: %d calls, %v, warned %q", name, calls, err, warned)
			}
		})
	}
}

// TestServersRest: a server that fails gets one call after each rest, and all again after an answer.
func TestServersRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var warned []string
		all, a := three(t, 2, func(msg string) { warned = append(warned, msg) })
		if err := a.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		all[1].fail(errRefused)
		allNil(t, askAll(t.Context(), a, prompts(0, 400)...)) // 100 s with two servers
		if n := all[1].calls(); n != 2 {
			t.Errorf("the server that is down got %d calls, want those in flight alone", n)
		}
		if len(warned) != 1 || warned[0] != "made: a server is rested, and the others get its calls: http://b: there is no server" {
			t.Errorf("warned %q", warned)
		}
		all[1].fail(nil)
		all[1].top = 0
		time.Sleep(longestRest)
		allNil(t, askAll(t.Context(), a, prompts(400, 412)...))
		if n := all[1].calls(); n < 4 || all[1].top != 2 {
			t.Errorf("the server that is back got %d calls, %d at a time", n, all[1].top)
		}
		if all[0].top > 2 || all[2].top > 2 {
			t.Error("more calls than allowed")
		}
	})
}

// TestServersTrial: of a server whose weights can be asked for, but that fails to answer, one call
// a rest is lost to others.
func TestServersTrial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, a := three(t, 4, nil)
		all[2].fails = make(map[string]error)
		for _, p := range prompts(0, 1000) {
			all[2].fails[p] = fmt.Errorf("%w: 500", ErrTransient)
		}
		begin := time.Now()
		allNil(t, askAll(t.Context(), a, prompts(0, 800)...))
		if took := time.Since(begin); took > 104*time.Second {
			t.Errorf("800 answers of a second, 8 at a time, took %s", took)
		}
		// Rests of 0.5, 1, 2 ... 32 s and then of a minute, each with a call of a second.
		if n := all[2].calls(); n < 8 || n > 12 {
			t.Errorf("the failing server got %d calls", n)
		}
	})
}

// TestServersBusy: while the other servers are busy, no question uses up its tries on one that has
// the weights, but fails to answer or hangs.
func TestServersBusy(t *testing.T) {
	for name, breaks := range map[string]func(m *made){
		"fails": func(m *made) {
			m.fails = make(map[string]error)
			for _, p := range prompts(0, 30) {
				m.fails[p] = fmt.Errorf("%w: 500", ErrTransient)
			}
		},
		"hangs": func(m *made) { m.take = time.Hour },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				all, a := three(t, 1, nil)
				breaks(all[0])
				all[1].take, all[2].take = time.Minute, time.Minute
				allNil(t, askAll(t.Context(), a, prompts(0, 30)...))
			})
		})
	}
}

// TestServersLast: the last server fails for a moment. The others' questions wait for the one that it
// is tried with.
func TestServersLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, a := three(t, 1, nil)
		all[0].fail(errRefused)
		all[2].fail(errRefused)
		all[1].take = 20 * time.Second
		if err := a.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(19*time.Second, func() { all[1].fail(ErrTransient) })
		time.AfterFunc(20*time.Second+time.Millisecond, func() { all[1].fail(nil) })
		allNil(t, askAll(t.Context(), a, prompts(0, 6)...))
	})
}

// TestServersPoisoned: questions that each server fails, and that make all rest at once, take no
// other question with them.
func TestServersPoisoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, a := three(t, 4, nil)
		bad := []string{"x", "y", "z"}
		for _, m := range all {
			m.take = 20 * time.Second
			m.fails = make(map[string]error)
			for _, p := range bad {
				m.fails[p] = fmt.Errorf("%w: 500", ErrTransient)
			}
		}
		lost := make(chan map[string]error)
		go func() { lost <- askAll(t.Context(), a, bad...) }()
		time.Sleep(time.Second)
		allNil(t, askAll(t.Context(), a, prompts(0, 60)...))
		for p, err := range <-lost {
			if err == nil || !strings.Contains(err.Error(), "500") {
				t.Errorf("%s: %v", p, err)
			}
		}
	})
}

// TestServersNone: without any server a call waits as long as for one, then says why.
func TestServersNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, a := three(t, 4, nil)
		if err := a.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, m := range all {
			m.take = 0
			m.fail(errRefused)
		}
		for range 3 {
			begin := time.Now()
			for p, err := range askAll(t.Context(), a, prompts(0, 30)...) {
				if err == nil || err.Error() != "none of the 3 servers of made answers: "+
					"http://a: there is no server; http://b: there is no server; http://c: there is no server" {
					t.Errorf("%s: %v", p, err)
				}
			}
			if took := time.Since(begin); took < time.Second || took > 6*time.Second {
				t.Errorf("the end of 30 questions took %s", took)
			}
		}
		all[2].fail(nil)
		allNil(t, askAll(t.Context(), a, "back")) // before its rest is over
	})
}

// TestServersPoison: a question that breaks each server, or keeps each busy, ends.
func TestServersPoison(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, a := three(t, 2, nil)
		for _, m := range all {
			m.fails = map[string]error{"bad": fmt.Errorf("%w: 500", ErrTransient)}
		}
		err := askAll(t.Context(), a, "bad")["bad"]
		calls := all[0].calls() + all[1].calls() + all[2].calls()
		if err == nil || calls > 6 {
			t.Errorf("%d calls, %v", calls, err)
		}
		allNil(t, askAll(t.Context(), a, "good"))
		for _, m := range all {
			m.take = time.Hour
		}
		begin := time.Now()
		err = askAll(t.Context(), a, "long")["long"]
		if took := time.Since(begin); err == nil || took != 2*DefaultTimeout || err.Error() != "after 2 tries: http://a: no answer within 5m0s" {
			t.Errorf("%s, %v", took, err)
		}
	})
}

func TestServersCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, a := three(t, 1, func(msg string) { t.Error(msg) })
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		for _, err := range askAll(ctx, a, prompts(0, 9)...) {
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		}
		allNil(t, askAll(t.Context(), a, prompts(10, 19)...))
		if all[0].top > 1 {
			t.Error("more calls than allowed")
		}
	})
}

// TestServersWeights: no question goes to a server with other weights.
func TestServersWeights(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var warned []string
		all, a := three(t, 1, func(msg string) { warned = append(warned, msg) })
		all[1].digest, all[2].err = "sha256:fedcba987654321", errRefused
		err := a.Prepare(t.Context())
		if want := "the servers do not have the same made: http://a has 0123456789ab, http://b has fedcba987654: give each the same, or leave out those that differ"; err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		if a.Signature() != "made@unknown" {
			t.Error(a.Signature())
		}
		// A person gave it the same.
		all[1].digest = all[0].digest
		if err := a.Prepare(t.Context()); err != nil || a.Signature() != "made@0123456789ab" {
			t.Errorf("%v, %s", err, a.Signature())
		}
		// The one that was down comes with others, and then with a shorter context.
		all[2].digest, all[2].err = "sha256:fedcba987654321", nil
		allNil(t, askAll(t.Context(), a, prompts(0, 200)...))
		all[2].digest, all[2].window = all[0].digest, 2048
		allNil(t, askAll(t.Context(), a, prompts(200, 400)...))
		if n := all[2].calls(); n != 0 {
			t.Errorf("%d questions went to it", n)
		}
		if len(warned) != 2 || !strings.Contains(warned[1], "http://c: it came back with another made, fedcba987654 instead of 0123456789ab") {
			t.Errorf("warned %q", warned)
		}
		// It does not say what it has, with an error that is not one of a server.
		all[2].fail(errors.New("odd"))
		allNil(t, askAll(t.Context(), a, prompts(420, 620)...))
		all[2].fail(nil)
		all[2].digest = "sha256:fedcba987654321"
		allNil(t, askAll(t.Context(), a, prompts(620, 660)...))
		if n := all[2].calls(); n != 0 {
			t.Errorf("%d questions went to it", n)
		}
		all[2].digest, all[2].window = all[0].digest, 4096
		time.Sleep(longestRest)
		allNil(t, askAll(t.Context(), a, prompts(400, 420)...))
		if all[2].calls() == 0 {
			t.Error("it has the same weights now, and gets no questions")
		}
	})
}

// TestServersAtStart: what a server says when a run begins.
func TestServersAtStart(t *testing.T) {
	for name, tt := range map[string]struct {
		errs [3]error
		want string
	}{
		"one down":  {[3]error{errRefused, nil, nil}, ""},
		"two slow":  {[3]error{serverError{errors.New("no answer"), slow}, nil, serverError{errors.New("no answer"), slow}}, ""},
		"busy":      {[3]error{nil, nil, ErrTransient}, ""},
		"no model":  {[3]error{nil, refusal(404, errors.New("no model")), nil}, "http://b: no model"},
		"all down":  {[3]error{errRefused, errRefused, ErrTransient}, "none of the 3 servers of made answers: http://a: there is no server; http://b: there is no server; http://c: after 3 tries: the server failed for now"},
		"none fits": {[3]error{errRefused, refusal(401, errors.New("key")), refusal(404, errors.New("no model"))}, "http://b: key; http://c: no model"},
	} {
		synctest.Test(t, func(t *testing.T) {
			all, a := three(t, 1, nil)
			for i, err := range tt.errs {
				all[i].err = err
			}
			err := a.Prepare(t.Context())
			if tt.want == "" && (err != nil || a.Signature() != "made@0123456789ab") || tt.want != "" && (err == nil || err.Error() != tt.want) {
				t.Errorf("%s: %v, %s", name, err, a.Signature())
			}
		})
	}
}

// TestServersOpenAI: a list has the digest of its first address, even if that server is down.
func TestServersOpenAI(t *testing.T) {
	entry := `{"id":"m","owned_by":"vllm","root":"/m","max_model_len":4096}`
	handle := func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, `{"data":[%s]}`, entry) }
	first, a := newOpenAI(t, handle)
	_, b := newOpenAI(t, handle)
	_, c := newOpenAI(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"data":[{"id":"m","owned_by":"vllm","root":"/other","max_model_len":4096}]}`)
	})
	want, err := first.Digest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	open := func(servers ...*httptest.Server) Model {
		var list []string
		for _, s := range servers {
			list = append(list, s.URL+"/v1")
		}
		t.Setenv(openAIBase, strings.Join(list, " , "))
		m, err := Open("openai:m")
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	if d, err := open(a, b).Digest(t.Context()); err != nil || d != want {
		t.Errorf("%s, %v, want %s", d, err, want)
	}
	if _, err := open(a, c, b).Digest(t.Context()); err == nil || !strings.Contains(err.Error(), "do not have the same openai:m: "+a.URL+"/v1 has ") {
		t.Error(err)
	}
	m := open(a, b)
	a.Close()
	if d, err := m.Digest(t.Context()); err != nil || d != want {
		t.Errorf("the first is down: %s, %v, want %s", d, err, want)
	}
	if n, err := m.(*Servers).ContextLength(t.Context()); err != nil || n != 4096 {
		t.Error(n, err)
	}
}

func TestServerLists(t *testing.T) {
	many := strings.Repeat("http://127.0.0.1:1,", limits.Servers) + "http://127.0.0.1:1"
	for _, tt := range []struct{ variable, list, want string }{
		{ollamaHost, "127.0.0.1:1 , http://127.0.0.1:2,[::1]", ""},
		{ollamaHost, "a,", "address 2 of 2 in OLLAMA_HOST is empty"},
		{ollamaHost, ",", "address 1 of 2 in OLLAMA_HOST is empty"},
		{ollamaHost, "a,b,http://user:secret@c", "address 3 of 3 in OLLAMA_HOST is not the address of a server, such as http://127.0.0.1:11434"},
		{ollamaHost, "http://a:80,b,A:80", "OLLAMA_HOST: addresses 1 and 3 are the same"},
		{ollamaHost, many, "OLLAMA_HOST has 65 addresses; there may be 64"},
		{openAIBase, "http://a/v1, http://b/v1/", ""},
		{openAIBase, "http://a/v1,http://b/v1,http://a/v1/", "OPENAI_BASE_URL: addresses 1 and 3 are the same"},
		{openAIBase, "http://a/v1,https://user:secret@b/v1", "address 2 of 2 in OPENAI_BASE_URL has a password in it: the key belongs in OPENAI_API_KEY"},
		{openAIBase, "https://user:sec,ret@b/v1", "address 1 of 2 in OPENAI_BASE_URL is not the address of a server, such as http://127.0.0.1:8000/v1"},
		{openAIBase, "http://a/v1,", "address 2 of 2 in OPENAI_BASE_URL is empty"},
		{openAIBase, many, "OPENAI_BASE_URL has 65 addresses; there may be 64"},
	} {
		t.Setenv(tt.variable, tt.list)
		_, err := Open(map[string]string{ollamaHost: "ollama:m", openAIBase: "openai:m"}[tt.variable])
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || err.Error() != tt.want) {
			t.Errorf("%s=%s: %v, want %q", tt.variable, tt.list, err, tt.want)
		}
	}
	t.Setenv(ollamaHost, "a,b")
	t.Setenv(openAIBase, "http://a,http://b")
	for _, open := range []func() error{
		func() error { _, err := NewOllama("m", ""); return err },
		func() error { _, err := NewOpenAI("m", ""); return err },
	} {
		if err := open(); err == nil || !strings.Contains(err.Error(), "has 2 addresses, and one is asked for") {
			t.Error(err)
		}
	}
	if _, err := NewServers(); err == nil {
		t.Error("no server")
	}
	if _, err := NewServers(&made{host: "a"}, &moody{}); err == nil || !strings.Contains(err.Error(), "two models, made and moody") {
		t.Error(err)
	}
}

// FuzzOllamaAddress holds the reading of an address against Ollama's own, which reads the
// environment; what it refuses is refused here, too.
func FuzzOllamaAddress(f *testing.F) {
	for _, s := range []string{"", "a", "127.0.0.1:1", "https://a/b", "[::1]:1", "::1", ":1", "a:b", "ftp://a", "ollama.com", "http://a:70000", "a:0x10"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.ContainsRune(s, 0) || strings.ContainsAny(s, `,"'`) {
			return
		}
		t.Setenv(ollamaHost, s)
		all, err := ollamaServers("")
		if err != nil {
			if err.Error() != noAddress(ollamaHost).Error() { // nothing of the address is in it
				t.Errorf("%q: %v", s, err)
			}
			return
		}
		if want := envconfig.Host().Redacted(); all[0].host != want {
			t.Errorf("%q: %s, Ollama takes it for %s", s, all[0].host, want)
		}
	})
}
