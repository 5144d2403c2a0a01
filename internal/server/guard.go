package server

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"crscore/internal/limits"
	"crscore/internal/server/guard"
)

// route answers the requests for a path and a method.
type route struct {
	serve http.HandlerFunc
	// open routes need no token. anyHost routes answer under every name, since health
	// checks ask for the address of a machine.
	open, anyHost bool
}

// ServeHTTP implements http.Handler: it sets headers, checks access, records the request
// and calls the route.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	rec := &recorder{ResponseWriter: w, id: requestID(r)}
	head := w.Header()
	head.Set("X-Request-Id", rec.id)
	guard.Headers(head)
	name := "other" // clients must not make up labels of metrics
	methods, known := s.routes[r.URL.Path]
	if known {
		name = r.URL.Path
	}
	s.metrics.inFlight.Inc()
	defer func() {
		s.metrics.inFlight.Dec()
		if v := recover(); v != nil {
			if v == http.ErrAbortHandler {
				panic(v)
			}
			s.panicked(rec, v)
		}
		took := time.Since(start)
		s.metrics.requests.WithLabelValues(name, strconv.Itoa(rec.status)).Inc()
		s.metrics.duration.WithLabelValues(name).Observe(took.Seconds())
		level := slog.LevelInfo
		if rec.status >= 500 {
			level = slog.LevelError
		}
		attrs := []slog.Attr{
			slog.String("id", rec.id), slog.String("route", name), slog.String("method", methodName(r.Method)), slog.Int("status", rec.status),
			slog.Int64("bytes_in", rec.in), slog.Int64("bytes_out", rec.out), slog.Float64("took_ms", float64(took.Microseconds())/1000), slog.String("remote", r.RemoteAddr),
		}
		s.opts.Log.LogAttrs(r.Context(), level, "request", append(attrs, rec.about...)...)
	}()
	if r.ContentLength != 0 { // a body that nobody reads is waited for, too
		_ = http.NewResponseController(w).SetReadDeadline(start.Add(s.opts.ReadTimeout))
	}
	rt, err := s.admit(r, methods, known)
	if err != nil {
		s.fail(rec, r, err)
		return
	}
	rt.serve(rec, r)
}

// admit finds the route of a request. The error says why the request is refused.
func (s *Server) admit(r *http.Request, methods map[string]route, known bool) (route, error) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	rt, allowed := methods[method]
	if !rt.anyHost && !guard.Answers(r.Host, s.opts.Hosts) {
		return route{}, newProblem(http.StatusMisdirectedRequest, "the service does not answer under this host name: its operator can allow the name (--host)")
	}
	switch {
	case !known:
		return route{}, newProblem(http.StatusNotFound, "there is no such path: see /openapi.json")
	case !allowed:
		p := newProblem(http.StatusMethodNotAllowed, "the path has other methods: see Allow")
		p.header["Allow"] = allow(methods)
		return route{}, p
	case !rt.open && s.opts.Token != "":
		return rt, s.authorized(r)
	}
	return rt, nil
}

func allow(methods map[string]route) string {
	var list []string
	for m := range methods {
		list = append(list, m)
		if m == http.MethodGet {
			list = append(list, http.MethodHead)
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// methodName keeps methods that a client made up out of logs.
func methodName(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return m
	}
	return "other"
}

// authorized compares the request's token with the service's. Every wrong token takes
// the same time.
func (s *Server) authorized(r *http.Request) error {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	if strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], s.token[:]) == 1 {
		return nil
	}
	p := newProblem(http.StatusUnauthorized, "the service wants its token in the header Authorization: Bearer …")
	p.header["WWW-Authenticate"] = `Bearer realm="crscore"`
	if r.Header.Get("Authorization") != "" {
		p.Detail = "the token is not the service's"
		p.header["WWW-Authenticate"] += `, error="invalid_token"`
	}
	return p
}

// checkToken refuses short tokens, and characters that a header cannot hold.
func checkToken(token string) error {
	if len(token) < MinToken {
		return fmt.Errorf("the token has %d characters: want at least %d", len(token), MinToken)
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("the token may only have visible ASCII characters, no spaces")
	}
	return nil
}

// requestID is the client's id if that is valid, else a new id.
func requestID(r *http.Request) string {
	id := r.Header.Get("X-Request-Id")
	if id != "" && len(id) <= 64 && !strings.ContainsFunc(id, func(c rune) bool {
		return !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '_' || c == '.')
	}) {
		return id
	}
	return rand.Text()
}

// fail answers with a problem.
func (s *Server) fail(w *recorder, r *http.Request, err error) {
	p := problemOf(r, err, s.opts.Timeout)
	if p.Status == http.StatusInternalServerError {
		s.opts.Log.Error("failed", "id", w.id, "error", fmt.Sprintf("%T", err))
	}
	if !s.drain(w, r) {
		w.Header().Set("Connection", "close")
	}
	s.deadline(w)
	p.write(w)
}

// refusedTimeout is the most time between two pieces of the rest of a refused body.
const refusedTimeout = 500 * time.Millisecond

// drain reads and discards the rest of a body, and reports whether it reached the end.
// Many clients read the answer only after they have sent everything; a connection closed
// before that would be reset, and the answer lost.
func (s *Server) drain(w *recorder, r *http.Request) bool {
	if r.ContentLength == 0 {
		return true
	}
	if w.Header().Get("Connection") == "close" {
		return false // the rest does not come
	}
	if !w.begun && strings.EqualFold(r.Header.Get("Expect"), "100-continue") {
		return false // the client waits for leave to send
	}
	rc, end := http.NewResponseController(w), time.Now().Add(s.opts.ReadTimeout)
	buf := make([]byte, 32<<10)
	for left := limits.RefusedBytes; left > 0 && r.Context().Err() == nil; {
		at := time.Now().Add(refusedTimeout)
		if at.After(end) {
			at = end
		}
		_ = rc.SetReadDeadline(at)
		n, err := r.Body.Read(buf)
		if left -= n; err != nil {
			return errors.Is(err, io.EOF)
		}
	}
	return false
}

// panicked records a bug. The log gets the type and the stack, not the value, which
// could be a part of a request.
func (s *Server) panicked(w *recorder, v any) {
	s.metrics.panics.Inc()
	what := fmt.Sprintf("%T", v)
	if err, ok := v.(runtime.Error); ok {
		what = err.Error()
	}
	s.opts.Log.Error("panic", "id", w.id, "what", what, "stack", string(debug.Stack()))
	if w.status == 0 {
		s.deadline(w)
		newProblem(http.StatusInternalServerError, "a bug in crscore, please report it: the service's log has the stack under the request's id").write(w)
	}
}

// deadline starts the time in which the client must take the answer.
func (s *Server) deadline(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.opts.WriteTimeout))
}

// recorder records the answer for logs and metrics.
type recorder struct {
	http.ResponseWriter
	id      string
	status  int
	in, out int64
	begun   bool        // reading of the body has begun
	about   []slog.Attr // more for the log
}

// Unwrap returns the wrapped writer, for http.ResponseController.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.out += int64(n)
	return n, err
}
