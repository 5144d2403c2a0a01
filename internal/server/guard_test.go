package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"crscore"
	"crscore/internal/limits"
	"crscore/internal/server/guard"
)

const secret = "0123456789abcdef"

func TestToken(t *testing.T) {
	s := start(t, Options{Token: secret})
	body := request(t, nil)
	for _, h := range []string{
		"", "Authorization: ", "Authorization: Bearer", "Authorization: Bearer ", "Authorization: " + secret, "Authorization: Basic " + secret,
		"Authorization: Bearer " + secret[1:], "Authorization: Bearer " + secret + "0", "Authorization: Bearer " + strings.ToUpper(secret),
	} {
		header := []string{}
		if h != "" {
			header = append(header, h)
		}
		a := s.want(401, "POST", "/v1/refs", body, header...)
		if got := a.header.Get("WWW-Authenticate"); !strings.HasPrefix(got, "Bearer ") {
			t.Errorf("%q: WWW-Authenticate is %q", h, got)
		}
		if strings.Contains(a.body, secret[1:]) {
			t.Errorf("the answer tells the token: %s", a.body)
		}
	}
	s.want(200, "POST", "/v1/refs", body, "Authorization: Bearer "+secret)
	s.want(200, "POST", "/v1/refs", body, "Authorization: bearer  "+secret)
	// Who looks after its health, and who wants to know how to ask, needs none.
	for _, path := range []string{"/healthz", "/readyz", "/openapi.json", "/"} {
		s.want(200, "GET", path, "")
	}
	s.want(401, "GET", "/metrics", "")
	s.want(200, "GET", "/metrics", "", "Authorization: Bearer "+secret)

	for _, bad := range []string{"short", strings.Repeat("x", 15), "with a blank in the middle", "umlauts-are-größer"} {
		if _, err := New(Options{Token: bad}); err == nil {
			t.Errorf("the token %q is taken", bad)
		}
	}
}

func TestHosts(t *testing.T) {
	s := start(t, Options{Hosts: []string{"Scores.Example.org", "10.1.2.3", "fd00::1"}})
	for host, ok := range map[string]bool{
		"localhost": true, "localhost:99": true, "LOCALHOST.": true, "127.0.0.1": true, "127.9.9.9:80": true, "[::1]": true, "[::1]:80": true, "::1": true,
		"scores.example.org": true, "scores.example.org:443": true, "SCORES.example.ORG.": true, "10.1.2.3:8080": true, "[fd00::1]:80": true,
		"": false, ":80": false, "other.example": false, "scores.example.org.evil.example": false, "localhost.evil.example": false, "evil-localhost": false,
		"127.0.0.1.evil.example": false, "10.1.2.4": false, "0.0.0.0": false, "127.1": false, "2130706433": false, "[::ffff:8.8.8.8]": false, "localhost@evil.example": false,
	} {
		if got := guard.Answers(host, s.opts.Hosts); got != ok {
			t.Errorf("Host %q: %v", host, got)
		}
	}
	s.want(421, "GET", "/openapi.json", "", "Host: evil.example")
	s.want(200, "GET", "/healthz", "", "Host: 10.9.9.9:8080") // a probe asks by the address
	if a := s.raw("GET /metrics HTTP/1.0\r\n\r\n", "GET", "/metrics"); a.status != 421 {
		t.Errorf("without a Host: %d", a.status)
	}
	for _, bad := range []string{"", "*.example.org", "http://example.org", "a b"} {
		if _, err := New(Options{Hosts: []string{bad}}); err == nil {
			t.Errorf("the host %q is taken", bad)
		}
	}
}

// TestOtherSites: a page of another site cannot have a visitor's browser ask.
func TestOtherSites(t *testing.T) {
	s := start(t, Options{})
	body := request(t, nil)
	for _, header := range [][]string{
		{"Origin: https://evil.example"}, {"Origin: null"}, {"Sec-Fetch-Site: cross-site"}, {"Sec-Fetch-Site: same-site"},
		{"Sec-Fetch-Site: cross-site", "Origin: " + s.url}, {"Origin: http://127.0.0.1:1"},
	} {
		s.want(403, "POST", "/v1/refs", body, header...)
	}
	for _, header := range [][]string{{"Origin: " + s.url}, {"Sec-Fetch-Site: same-origin", "Origin: " + s.url}, {"Sec-Fetch-Site: none"}} {
		a := s.want(200, "POST", "/v1/refs", body, header...)
		for name := range a.header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("the answer has %s", name)
			}
		}
	}
	s.want(405, "OPTIONS", "/v1/refs", "", "Origin: https://evil.example", "Access-Control-Request-Method: POST")
	// What a form of another site can send is refused for its type already.
	for _, typ := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", "application/json5", "application/json; charset=latin1", "application/json; x"} {
		s.want(415, "POST", "/v1/refs", body, "Content-Type: "+typ)
	}
	s.want(415, "POST", "/v1/refs", body, "Content-Encoding: gzip")
	for _, typ := range []string{"application/json", "Application/JSON; charset=UTF-8"} {
		s.want(200, "POST", "/v1/refs", body, "Content-Type: "+typ)
	}
}

func TestHeaders(t *testing.T) {
	s := start(t, Options{})
	for _, a := range []answer{
		s.want(200, "POST", "/v1/refs", request(t, nil)), s.want(400, "POST", "/v1/refs", "{}"), s.want(200, "GET", "/readyz", ""),
		s.want(404, "GET", "/nothing", ""), s.want(405, "DELETE", "/v1/refs", ""),
	} {
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
		} {
			if got := a.header.Get(name); got != want {
				t.Errorf("%d: %s is %q", a.status, name, got)
			}
		}
	}
	if got := s.want(405, "DELETE", "/v1/refs", "").header.Get("Allow"); got != "POST" {
		t.Errorf("Allow: %q", got)
	}
	if got := s.want(405, "POST", "/healthz", "").header.Get("Allow"); got != "GET, HEAD" {
		t.Errorf("Allow: %q", got)
	}
	// The request's own id is kept where it is one.
	for id, kept := range map[string]bool{"a.b-C_9": true, strings.Repeat("a", 64): true, strings.Repeat("a", 65): false, "a b": false, "é": false} {
		got := s.ask("GET", "/healthz", "", "X-Request-Id: "+id).header.Get("X-Request-Id")
		if (got == id) != kept || got == "" {
			t.Errorf("id %q became %q", id, got)
		}
	}
}

// dribble sends a text again and again until the connection is closed.
func dribble(c net.Conn, text string) {
	for range 1000 {
		if _, err := io.WriteString(c, text); err != nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// toRefs is a header without its end.
const toRefs = "POST /v1/refs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"

// TestSlowClients: nobody holds a connection for longer than the limits say.
func TestSlowClients(t *testing.T) {
	s := start(t, Options{HeaderTimeout: 200 * time.Millisecond, ReadTimeout: 200 * time.Millisecond})
	start := time.Now()
	header := s.dial()
	_, _ = io.WriteString(header, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n")
	go dribble(header, "X-A: b\r\n")
	if b, _ := io.ReadAll(header); strings.Contains(string(b), "200") {
		t.Errorf("a header without an end is answered: %s", b)
	}
	for _, body := range []string{"Content-Length: 1000\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"} {
		c := s.dial()
		_, _ = io.WriteString(c, toRefs+body)
		go dribble(c, " ")
		b, _ := io.ReadAll(c)
		if !strings.HasPrefix(string(b), "HTTP/1.1 408 ") && !strings.HasPrefix(string(b), "HTTP/1.1 400 ") {
			t.Errorf("a body that dribbles: %.100q", b)
		}
	}
	// Nor with a body that nobody wants.
	for _, path := range []string{"GET /healthz", "POST /nothing", "POST /healthz", "GET /", "GET /metrics"} {
		c := s.dial()
		_, _ = io.WriteString(c, path+" HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n")
		go dribble(c, " ")
		if b, _ := io.ReadAll(c); !strings.HasPrefix(string(b), "HTTP/1.1 ") {
			t.Errorf("%s: %.100q", path, b)
		}
	}
	s.want(200, "POST", "/v1/refs", request(t, nil))
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
}

// TestSlowBodies: bodies that arrive slowly take no place and the memory of what has
// arrived alone, requests beside them are answered, and those bodies are ended.
func TestSlowBodies(t *testing.T) {
	s := start(t, Options{Workers: 1, Queue: 1, ReadTimeout: time.Hour}, warmed(t), func(s *Server) { s.grace = time.Minute })
	const clients, promised = 200, 8 << 20
	sized := fmt.Sprintf("%sContent-Length: %d\r\n\r\n", toRefs, promised)
	chunked := fmt.Sprintf("%sTransfer-Encoding: chunked\r\n\r\n%x\r\n", toRefs, promised)
	arrived := strings.Repeat(" ", 2*smallSize)
	before := heap()
	var slow []net.Conn
	for i := range clients {
		c := s.dial()
		_, _ = io.WriteString(c, []string{sized, chunked}[i%2]+arrived[:1+i%2*(len(arrived)-1)])
		slow = append(slow, c)
	}
	most := int64(clients / 2 * (2*len(arrived) - smallSize))
	s.until(func() bool { return s.bodies.used.Load() == most })
	if more := heap() - before; more > 128<<20 {
		t.Errorf("%d bodies that have hardly arrived hold %d MiB", clients, more>>20)
	}
	body := request(t, nil)
	for range 100 {
		s.want(200, "POST", "/v1/refs", body)
	}
	s.want(200, "POST", "/v1/refs", request(t, map[string]any{"old": strings.Repeat("a", smallSize)}))
	for _, c := range slow {
		c.Close()
	}
	s.until(func() bool { return s.bodies.used.Load() == 0 })
	s.until(func() bool { return s.placed() == 0 })
}

// placed is the number of places that are taken.
func (s *service) placed() int { return len(s.places.all) + len(s.places.small) }

// heap is the number of bytes of Go's objects that are in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestLeastSpeed: a body that is too slow is ended, also after a fast begin, however much time
// all of it may take. One that is fast enough is not.
func TestLeastSpeed(t *testing.T) {
	s := start(t, Options{ReadTimeout: time.Hour, MaxBody: 64 << 20}, warmed(t), func(s *Server) { s.grace = 200 * time.Millisecond })
	for _, begin := range []int{1, 1 << 20} {
		for _, body := range []string{"Content-Length: 50000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n2faf080\r\n"} {
			c := s.dial()
			_, _ = io.WriteString(c, toRefs+body+strings.Repeat(" ", begin))
			go dribble(c, " ")
			if b, _ := io.ReadAll(c); !strings.HasPrefix(string(b), "HTTP/1.1 408 ") || !strings.Contains(string(b), "more slowly than 4096 bytes a second") {
				t.Errorf("after %d bytes: %.300q", begin, b)
			}
		}
	}
	if m := s.want(200, "GET", "/metrics", "").body; !strings.Contains(m, `crscore_requests_rejected_total{reason="slow_body"} 4`+"\n") {
		t.Errorf("it is not counted: %s", m)
	}
	s.grace = time.Second
	body := request(t, map[string]any{"old": strings.Repeat("a", 60_000)})
	c := s.dial()
	_, _ = fmt.Fprintf(c, "%sConnection: close\r\nContent-Length: %d\r\n\r\n", toRefs, len(body))
	for rest := body; rest != ""; { // for longer than the grace
		n := min(len(rest), 2000)
		_, _ = io.WriteString(c, rest[:n])
		rest = rest[n:]
		time.Sleep(50 * time.Millisecond)
	}
	if b, _ := io.ReadAll(c); !strings.HasPrefix(string(b), "HTTP/1.1 200 ") {
		t.Errorf("a body that is fast enough: %.300q", b)
	}
}

// TestBodies: the bodies of all requests have a limit together, which small requests do
// not feel.
func TestBodies(t *testing.T) {
	s := start(t, Options{})
	large := request(t, map[string]any{"old": strings.Repeat("a", smallSize)})
	room := int64(len(large) + 1 - smallSize)
	s.bodies.used.Store(s.bodies.most - room)
	s.want(200, "POST", "/v1/refs", large)
	s.bodies.used.Add(1)
	a := s.want(503, "POST", "/v1/refs", large)
	if a.header.Get("Retry-After") == "" || !strings.Contains(a.body, "more than the limit of 64 MiB together") {
		t.Errorf("%v %s", a.header, a.body)
	}
	s.want(200, "POST", "/v1/refs", request(t, nil))
	if m := s.want(200, "GET", "/metrics", "").body; !strings.Contains(m, `crscore_requests_rejected_total{reason="bodies_full"} 1`+"\n") {
		t.Errorf("it is not counted: %s", m)
	}
	if used := s.bodies.used.Load(); used != s.bodies.most-room+1 {
		t.Errorf("%d bytes are not given back", used-(s.bodies.most-room+1))
	}
}

// TestSlowReader: an answer that nobody takes holds no place, and memory until its time
// is over.
func TestSlowReader(t *testing.T) {
	large := strings.Repeat("x", 30<<20) // more than the buffers of both sides hold
	s := start(t, Options{WriteTimeout: 500 * time.Millisecond}, warmed(t), func(s *Server) {
		s.routes["/v1/refs"] = map[string]route{http.MethodPost: {serve: s.judged(func(context.Context, *crscore.Engine, []byte, func(...slog.Attr)) (any, error) {
			return large, nil
		})}}
	})
	c := s.dial()
	_, _ = io.WriteString(c, "POST /v1/refs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
	start := time.Now()
	s.until(func() bool { return s.answers.used.Load() > 0 })
	if s.placed() != 0 {
		t.Error("it holds a place")
	}
	s.until(func() bool { return s.answers.used.Load() == 0 })
	if took := time.Since(start); took < 400*time.Millisecond {
		t.Errorf("the memory was given up after %s, with the answer in it", took)
	}
	if n, err := io.Copy(io.Discard, c); err == nil && n > int64(len(large)) {
		t.Error("the whole answer came")
	}
}

// until waits for what happens soon, or within a minute on a busy machine.
func (s *service) until(done func() bool) {
	s.t.Helper()
	for range 6000 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.t.Fatal("it does not happen")
}

// TestCutOff: a request that ends too early is an error, and holds nothing.
func TestCutOff(t *testing.T) {
	s := start(t, Options{})
	for _, text := range []string{
		"POST /v1/refs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"diff\":",
		"POST /v1/refs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"di",
		"POST /v1/refs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
	} {
		c := s.dial()
		_, _ = io.WriteString(c, text)
		_ = c.(*net.TCPConn).CloseWrite()
		b, _ := io.ReadAll(c)
		if !strings.HasPrefix(string(b), "HTTP/1.1 400 ") {
			t.Errorf("%q: %.200s", text, b)
		}
	}
	s.until(func() bool { return s.placed() == 0 })
	// No HTTP at all, a header beyond the limit, and a client that is gone at once.
	for _, text := range []string{"\x16\x03\x01\x02\x00\x01\x00", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: " + strings.Repeat("a", 1<<16) + "\r\n\r\n", ""} {
		c := s.dial()
		_, _ = io.WriteString(c, text)
		_ = c.Close()
	}
	s.want(200, "GET", "/healthz", "")
}

// TestTooLarge: by what it says that it has, and by what it has.
func TestTooLarge(t *testing.T) {
	s := start(t, Options{MaxBody: 2000})
	for _, text := range []string{
		"Content-Length: 999999999999\r\n\r\n",
		"Transfer-Encoding: chunked\r\n\r\n800\r\n" + strings.Repeat(" ", 0x800) + "\r\n",
	} {
		a := s.raw("POST /v1/refs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+text, "POST", "/v1/refs")
		if a.status != 413 || !strings.Contains(a.body, "2000 bytes") {
			t.Errorf("%.40q: %d %s", text, a.status, a.body)
		}
	}
	s.until(func() bool { return s.placed() == 0 })
	s.want(200, "POST", "/v1/refs", request(t, nil))

	// What would be answered has a limit, too. It is much work for the race detector on a busy machine.
	s = start(t, Options{Timeout: 5 * time.Minute})
	reviews := func(n int, text string) []any { return slices.Repeat([]any{map[string]any{"text": text}}, n) }
	for _, tt := range []struct {
		fields map[string]any
		status int
		detail string
	}{
		{map[string]any{"reviews": reviews(limits.RequestReviews, "")}, 200, ""},
		{map[string]any{"reviews": reviews(limits.RequestReviews+1, "")}, 413, "there are 1001 reviews, more than the limit of 1000"},
		{map[string]any{"reviews": reviews(1, strings.Repeat("Fine.\n\n", 40000)), "similarities": true, "explain": true}, 413, "too large for an answer"},
	} {
		if a := s.want(tt.status, "POST", "/v1/score", request(t, tt.fields)); !strings.Contains(a.body, tt.detail) {
			t.Errorf("%.300s", a.body)
		}
	}
	long := strings.Repeat("d", 4000) + "/a.py" // which every reference has
	var diff strings.Builder
	for i := range 20 {
		fmt.Fprintf(&diff, "@@ -%d,0 +%d,2 @@\n+def total%d(orders):\n+    return sum(orders) / len(orders)\n", 10*i+1, 12*i+2, i)
	}
	for path, tt := range map[string]map[string]any{
		"/v1/score": {"reviews": reviews(limits.RequestReviews, "Fine."), "explain": true},
		"/v1/gate":  {"comments": sarifOf(10_000, long)},
	} {
		tt["diff"], tt["path"] = diff.String(), long
		if a := s.want(413, "POST", path, request(t, tt)); !strings.Contains(a.body, "the answer would be larger than the limit of 32 MiB") {
			t.Errorf("%s: %.300s", path, a.body)
		}
	}
	a := s.want(400, "POST", "/v1/refs", `{"`+strings.Repeat("k", 100_000)+`":1}`)
	if len(a.body) > 2000 {
		t.Errorf("a bad request is answered with %d bytes", len(a.body))
	}
}

// sarifOf are results that are all in one file.
func sarifOf(n int, path string) map[string]any {
	at := map[string]any{"physicalLocation": map[string]any{"artifactLocation": map[string]any{"index": 0}}}
	return map[string]any{"version": "2.1.0", "runs": []any{map[string]any{
		"artifacts": []any{map[string]any{"location": map[string]any{"uri": path}}},
		"results":   slices.Repeat([]any{map[string]any{"message": map[string]any{"text": "Fine."}, "locations": []any{at}}}, n),
	}}}
}

// TestHeld: what clients do not take has a limit, too, which small answers do not feel.
func TestHeld(t *testing.T) {
	s := start(t, Options{})
	large := request(t, map[string]any{"diff": "@@ -0,0 +1,3000 @@\n" + strings.Repeat("+total = sum(orders)\n", 3000), "change": true})
	size := int64(len(s.want(200, "POST", "/v1/refs", large).body)) - smallSize
	if size <= 0 {
		t.Fatalf("the answer is small, by %d bytes", -size)
	}
	s.until(func() bool { return s.answers.used.Load() == 0 })
	s.answers.used.Store(limits.HeldBytes - size)
	s.want(200, "POST", "/v1/refs", large)
	s.until(func() bool { return s.answers.used.Load() == limits.HeldBytes-size })
	s.answers.used.Add(1)
	if a := s.want(503, "POST", "/v1/refs", large); a.header.Get("Retry-After") == "" || !strings.Contains(a.body, "wait for their clients") {
		t.Errorf("%v %s", a.header, a.body)
	}
	s.want(200, "POST", "/v1/refs", request(t, nil))
	s.until(func() bool { return s.answers.used.Load() == limits.HeldBytes-size+1 && s.placed() == 0 })
}

// TestPanic: a bug costs one answer, is counted, and tells nothing of the request.
func TestPanic(t *testing.T) {
	s := start(t, Options{}, func(s *Server) {
		s.routes["/v1/refs"] = map[string]route{http.MethodPost: {serve: func(http.ResponseWriter, *http.Request) { panic("about " + marker) }}}
	})
	for range 2 {
		a := s.want(500, "POST", "/v1/refs", request(t, nil))
		if strings.Contains(a.body, marker) || strings.Contains(a.body, ".go") {
			t.Errorf("the answer: %s", a.body)
		}
	}
	if m := s.want(200, "GET", "/metrics", "").body; !strings.Contains(m, "crscore_panics_total 2\n") || !strings.Contains(m, `crscore_http_requests_total{code="500",route="/v1/refs"} 2`) {
		t.Errorf("it is not counted: %s", m)
	}
	if logs := s.logs.String(); strings.Contains(logs, marker) || !strings.Contains(logs, "guard_test.go") {
		t.Errorf("the log: %s", logs)
	}
}

// TestTooLargeIsSeen: a client that sends all of a body before it looks for an answer has
// one, and its connection is not reset.
func TestTooLargeIsSeen(t *testing.T) {
	s := start(t, Options{})
	body := strings.Repeat(" ", 9<<20)
	const head = "POST /v1/score HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	sized := fmt.Sprintf("Content-Length: %d\r\n", len(body))
	chunked := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body)
	for name, tt := range map[string]struct {
		header, body string
		continues    bool // the client is told to send
		status       int
	}{
		"sized":                 {sized, body, false, 413},
		"chunked":               {"Transfer-Encoding: chunked\r\n", chunked, false, 413},
		"sized, asked first":    {sized + "Expect: 100-continue\r\n", "", false, 413},
		"chunked, asked first":  {"Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n", chunked, true, 413},
		"under another name":    {sized + "X-Ignored: 1\r\nContent-Encoding: gzip\r\n", body, false, 415},
		"much more than it may": {"Transfer-Encoding: chunked\r\n", fmt.Sprintf("%x\r\n%s", 1<<40, body), false, 413},
	} {
		c := s.dial()
		in := bufio.NewReader(c)
		if _, err := io.WriteString(c, head+tt.header+"\r\n"); err != nil {
			t.Fatal(err)
		}
		if tt.continues {
			if res, err := http.ReadResponse(in, nil); err != nil || res.StatusCode != http.StatusContinue {
				t.Fatal(name, err)
			}
		}
		for rest := tt.body; rest != ""; { // slowly enough that a server that does not read is seen
			n := min(len(rest), 1<<20)
			if _, err := io.WriteString(c, rest[:n]); err != nil {
				t.Fatalf("%s: sending: %v", name, err)
			}
			rest = rest[n:]
			time.Sleep(100 * time.Millisecond)
		}
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		b, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != tt.status {
			t.Errorf("%s: %d %.200s, %v", name, res.StatusCode, b, err)
		}
	}
	s.until(func() bool { return s.placed() == 0 })
}
