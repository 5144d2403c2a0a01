package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"crscore"
)

// service is a Server on a real port.
type service struct {
	*Server
	t    *testing.T
	url  string
	addr string
	logs *buffer
	stop func() error // ends it, and returns what Serve did
}

// buffer can be written to by many.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

var engines = sync.OnceValues(func() (*crscore.Engine, error) {
	return crscore.New(context.Background(), crscore.Options{})
})

// start serves the default engine, unless it is told to stay cold.
func start(t *testing.T, o Options, cold ...bool) *service {
	t.Helper()
	logs := &buffer{}
	o.Log = slog.New(slog.NewJSONHandler(logs, nil))
	srv, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if len(cold) == 0 {
		e, err := engines()
		if err != nil {
			t.Fatal(err)
		}
		if err := srv.Warm(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	ln, err := Listen(t.Context(), "127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(ctx, ln) }()
	stop := sync.OnceValue(func() error { cancel(); return <-ended })
	t.Cleanup(func() { _ = stop() })
	return &service{srv, t, "http://" + ln.Addr().String(), ln.Addr().String(), logs, stop}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

// ask sends a request; header lines stand behind the body as "Name: value".
func (s *service) ask(method, path, body string, header ...string) answer {
	s.t.Helper()
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			req.Host = value
			continue
		}
		req.Header.Set(name, value)
	}
	client := http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	a := answer{res.StatusCode, res.Header, string(b)}
	s.described(method, path, a)
	return a
}

// described holds an answer against openapi.json.
func (s *service) described(method, path string, a answer) {
	s.t.Helper()
	d, err := described()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := d.check(method, path, a); err != nil {
		s.t.Error(err)
	}
}

// want is ask for those who know the status.
func (s *service) want(status int, method, path, body string, header ...string) answer {
	s.t.Helper()
	a := s.ask(method, path, body, header...)
	if a.status != status {
		s.t.Errorf("%s %s %q: %d, want %d: %.300s", method, path, header, a.status, status, a.body)
	}
	return a
}

// dial connects a socket that is closed with the test.
func (s *service) dial() net.Conn {
	s.t.Helper()
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(30 * time.Second))
	return c
}

// raw sends bytes and reads one answer; its status is 0 where the service closes the
// connection without one.
func (s *service) raw(text, method, path string) answer {
	s.t.Helper()
	c := s.dial()
	if _, err := io.WriteString(c, text); err != nil {
		s.t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return answer{}
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	a := answer{res.StatusCode, res.Header, string(b)}
	s.described(method, path, a)
	return a
}

// request is JSON of fields with the change of the demonstration.
func request(t testing.TB, fields map[string]any) string {
	t.Helper()
	b, err := os.ReadFile("../../testdata/cache-expiry/change.diff")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]any{"diff": string(b)}
	for k, v := range fields {
		if all[k] = v; v == nil {
			delete(all, k)
		}
	}
	out, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestScore: the service says what the engine says.
func TestScore(t *testing.T) {
	s := start(t, Options{})
	got := s.ask("POST", "/v1/score", request(t, map[string]any{
		"mode": "hard", "tau": 0.3, "similarities": true,
		"reviews": []map[string]any{{"id": "mine", "text": "Callers of `put` must now pass `ttl`. Nice!"}, {"text": ""}},
	}))
	if got.status != 200 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	var a struct {
		Signature, Mode string
		Tau             *float64
		Refs            []map[string]any
		Warnings        []string
		Results         []struct {
			Review, Status, Signature, Note string
			Con, Comp, Rel                  *float64
			Sentences, Refs                 *int
			Explain                         any
			Similarities                    [][]float64
		}
	}
	if err := json.Unmarshal([]byte(got.body), &a); err != nil {
		t.Fatal(err)
	}
	if a.Mode != "hard" || a.Tau == nil || *a.Tau != 0.3 || !strings.Contains(a.Signature, " mode=hard tau=0.3 claims=") || a.Warnings == nil {
		t.Errorf("the rule is not the one asked for: %s", got.body)
	}
	if len(a.Results) != 2 || a.Results[0].Review != "mine" || a.Results[1].Review != "2" || a.Results[0].Signature != a.Signature || a.Results[0].Explain != nil {
		t.Fatalf("results: %s", got.body)
	}
	first, empty := a.Results[0], a.Results[1]
	if len(first.Similarities) != 2 || len(first.Similarities[0]) != len(a.Refs) || *first.Refs != len(a.Refs) {
		t.Fatalf("%d×%d similarities for %d references", len(first.Similarities), len(first.Similarities[0]), len(a.Refs))
	}
	// The numbers follow from the matrix.
	on := 0
	for _, row := range first.Similarities {
		best := 0.0
		for _, v := range row {
			best = max(best, v)
		}
		if best > 0.3 {
			on++
		}
	}
	if want := float64(on) / 2; *first.Con != want {
		t.Errorf("con is %v, and the matrix says %v", *first.Con, want)
	}
	if *empty.Con != 0 || empty.Note == "" || !strings.Contains(got.body, `"similarities":[]`) {
		t.Errorf("an empty review: %s", got.body)
	}
}
