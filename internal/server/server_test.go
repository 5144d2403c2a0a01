package server

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
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
		srv.Warm(e)
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
	return answer{res.StatusCode, res.Header, string(b)}
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
