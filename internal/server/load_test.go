package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// marker stands in everything that a request brings, and may stand in no log.
const marker = "Zanzibar"

// fill takes all slots, drain gives them back.
func (l lanes) fill() {
	for range cap(l.all) {
		l.all <- struct{}{}
		l.small <- struct{}{}
	}
}

func (l lanes) drain() {
	for range cap(l.all) {
		<-l.all
		<-l.small
	}
}

// TestQuick: a small request does not wait for large ones, nor are they in its place.
func TestQuick(t *testing.T) {
	s := start(t, Options{Workers: 1, Timeout: 2 * time.Second})
	s.workers.all <- struct{}{} // a large request is judged
	s.want(200, "POST", "/v1/refs", request(t, nil))
	large := request(t, map[string]any{"old": strings.Repeat("a", smallSize)})
	if a := s.want(503, "POST", "/v1/refs", large); !strings.Contains(a.body, "within 2s") {
		t.Errorf("a large request beside another: %s", a.body)
	}
	for range cap(s.places.all) {
		s.places.all <- struct{}{}
	}
	s.want(429, "POST", "/v1/refs", large)
	s.want(200, "POST", "/v1/refs", request(t, nil))
}

// TestQueue: what waits is counted, what is beyond it is refused, and what waits too
// long or for nobody is let go.
func TestQueue(t *testing.T) {
	s := start(t, Options{Workers: 1, Queue: 1, Timeout: 2 * time.Second})
	s.workers.fill() // somebody is judged
	s.places.fill()
	<-s.places.small
	body := request(t, nil)
	waiting := make(chan answer, 1)
	go func() { waiting <- s.ask("POST", "/v1/refs", body) }()
	s.until(func() bool { return s.placed() == 4 })
	if a := s.want(429, "POST", "/v1/refs", body); a.header.Get("Retry-After") == "" {
		t.Error("429 without Retry-After")
	}
	metrics := s.want(200, "GET", "/metrics", "").body
	for _, want := range []string{"crscore_queue_length 1\n", "crscore_http_requests_in_flight 2\n", `crscore_requests_rejected_total{reason="queue_full"} 1`} {
		if !strings.Contains(metrics, want) {
			t.Errorf("no %q in the metrics", want)
		}
	}
	s.workers.drain()
	if a := <-waiting; a.status != 200 {
		t.Errorf("what waited: %d %s", a.status, a.body)
	}
	s.workers.fill()
	if a := s.want(503, "POST", "/v1/refs", body); !strings.Contains(a.body, "within 2s") || a.header.Get("Retry-After") == "" {
		t.Errorf("what waited too long: %s", a.body)
	}
	ctx, leave := context.WithCancel(t.Context())
	req, _ := http.NewRequestWithContext(ctx, "POST", s.url+"/v1/refs", strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	go func() { _, _ = http.DefaultClient.Do(req) }()
	s.until(func() bool { return s.placed() == 4 })
	leave()
	s.until(func() bool { return s.placed() == 3 })
	s.until(func() bool { return strings.Contains(s.logs.String(), `"status":499`) })
	metrics = s.want(200, "GET", "/metrics", "").body
	for _, want := range []string{"crscore_queue_length 0\n", `crscore_requests_rejected_total{reason="timed_out"} 1`, `{code="499",route="/v1/refs"} 1`} {
		if !strings.Contains(metrics, want) {
			t.Errorf("no %q in the metrics", want)
		}
	}
}

// TestShutdown: what was accepted is finished, and nothing more is accepted.
func TestShutdown(t *testing.T) {
	s := start(t, Options{Workers: 1})
	s.workers.fill()
	body := request(t, nil)
	waiting := make(chan answer, 1)
	go func() { waiting <- s.ask("POST", "/v1/refs", body) }()
	s.until(func() bool { return s.placed() == 1 })
	ended := make(chan error, 1)
	go func() { ended <- s.stop() }()
	s.until(func() bool { return s.leaving.Load() })
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/readyz", nil))
	if w.Code != 503 {
		t.Errorf("it is ready: %d", w.Code)
	}
	s.until(func() bool {
		_, err := http.Get(s.url + "/healthz")
		return err != nil
	})
	select {
	case err := <-ended:
		t.Fatalf("it ended before the request did: %v", err)
	default:
	}
	s.workers.drain()
	if a := <-waiting; a.status != 200 {
		t.Errorf("what was accepted: %d %s", a.status, a.body)
	}
	if err := <-ended; err != nil {
		t.Errorf("the end: %v", err)
	}
}

// TestShutdownTimeout: what is not finished in time is told so.
func TestShutdownTimeout(t *testing.T) {
	s := start(t, Options{Workers: 1, Queue: 1, ShutdownTimeout: 100 * time.Millisecond})
	s.workers.fill()
	body := request(t, nil)
	waiting := make(chan answer, 1)
	go func() { waiting <- s.ask("POST", "/v1/refs", body) }()
	s.until(func() bool { return s.placed() == 1 })
	half := s.dial() // its body does not arrive
	_, _ = io.WriteString(half, "POST /v1/refs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"diff\":")
	s.until(func() bool {
		return strings.Contains(s.want(200, "GET", "/metrics", "").body, "crscore_http_requests_in_flight 3\n")
	})
	if err := s.stop(); err == nil || !strings.Contains(err.Error(), "100ms") {
		t.Errorf("the end: %v", err)
	}
	if b, _ := io.ReadAll(half); !strings.HasPrefix(string(b), "HTTP/1.1 503 ") || !strings.Contains(string(b), "shutting down") || !strings.Contains(string(b), "Retry-After: ") {
		t.Errorf("what was still arriving: %q", b)
	}
	if a := <-waiting; a.status != 503 || !strings.Contains(a.body, "shutting down") {
		t.Errorf("what was cut off: %d %s", a.status, a.body)
	}
}

// TestLogs: a record a request, with numbers and names of our own only.
func TestLogs(t *testing.T) {
	s := start(t, Options{Token: secret, MaxBody: 20000})
	bearer := "Authorization: Bearer " + secret
	diff := "@@ -1 +1,2 @@\n a\n+" + marker + " = 1\n"
	for _, path := range []string{"/v1/score", "/v1/gate", "/v1/refs"} {
		for _, body := range []string{
			`{"` + marker + `": 1}`, `{"diff": "` + marker + `"`, `"` + marker, `{"diff": "` + marker + `"}`,
			fmt.Sprintf(`{"diff": %q, "path": "%s.py", "reviews": [{"id": "%[2]s", "text": "%[2]s"}], "mode": "%[2]s"}`, diff, marker),
			fmt.Sprintf(`{"diff": %q, "lang": "%s", "reviews": [{"id": "%[2]s", "text": "The %[2]s is new."}]}`, diff, marker),
			fmt.Sprintf(`{"diff": %q, "path": "%s.py", "comments": "The %[2]s is new."}`, diff, marker),
			fmt.Sprintf(`{"diff": %q, "path": "%s.py"}`, diff, marker), strings.Repeat(marker, 10000),
		} {
			s.ask("POST", path, body, bearer)
			s.ask("POST", path+"?q="+marker, body, "Authorization: Bearer "+marker+marker)
		}
		s.ask("POST", path, "{}", bearer, "Origin: http://"+marker+".example", "User-Agent: "+marker, "X-Request-Id: "+marker+" 1")
		s.ask("POST", path, "{}", bearer, "Content-Type: "+marker)
		s.ask("POST", path, "{}", "Host: "+marker+".example")
	}
	s.ask("GET", "/"+marker, "")
	s.ask(strings.ToUpper(marker), "/healthz", "")
	_ = s.dial().Close()
	logs := s.logs.String()
	if n := strings.Count(logs, `"msg":"request"`); n < 60 {
		t.Errorf("only %d requests are in the log", n)
	}
	if !strings.Contains(logs, `"reviews":1`) || !strings.Contains(logs, `"outcome":"pass"`) {
		t.Error("the log does not tell what was judged")
	}
	for _, word := range []string{marker, strings.ToUpper(marker), secret} {
		if i := strings.Index(logs, word); i >= 0 {
			t.Errorf("the log has %s: …%s…", word, logs[max(0, i-200):min(len(logs), i+100)])
		}
	}
}

// TestSameBytes: the same request has the same answer, however many ask.
func TestSameBytes(t *testing.T) {
	s := start(t, Options{Queue: 100})
	for path, fields := range map[string]map[string]any{
		"/v1/score": {"reviews": []any{map[string]any{"text": "Callers of `put` must pass `ttl`. What if it is 0?"}}, "explain": true, "similarities": true},
		"/v1/gate":  {"comments": "Callers of `put` must pass `ttl`.\n\nNice weather.", "comments_format": "paragraphs", "kept": true},
		"/v1/refs":  {},
	} {
		body := request(t, fields)
		var mu sync.Mutex
		seen := make(map[string]int)
		var g sync.WaitGroup
		for range 20 {
			g.Go(func() {
				a := s.ask("POST", path, body)
				mu.Lock()
				defer mu.Unlock()
				seen[fmt.Sprint(a.status)+a.body]++
			})
		}
		g.Wait()
		if len(seen) != 1 {
			t.Errorf("%s has %d answers", path, len(seen))
		}
		for a := range seen {
			if !strings.HasPrefix(a, "200") {
				t.Errorf("%s: %s", path, a)
			}
		}
	}
}
