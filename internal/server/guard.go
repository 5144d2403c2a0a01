package server

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

// route is what answers a path.
type route struct {
	serve http.HandlerFunc
	// open tells that it needs no token; anyHost that it is answered under any name,
	// as those who look after the health of a service ask by its address.
	open, anyHost bool
}

// ServeHTTP does what all requests have in common, and has the route do the rest.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	rec := &recorder{ResponseWriter: w, id: requestID(r)}
	head := w.Header()
	head.Set("X-Request-Id", rec.id)
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Cache-Control", "no-store")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	name := "other" // what a client calls by another name is nobody's label
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
	if r.ContentLength != 0 { // also a body that nobody reads is waited for, to answer behind it
		_ = http.NewResponseController(w).SetReadDeadline(start.Add(s.opts.ReadTimeout))
	}
	rt, err := s.admit(r, methods, known)
	if err != nil {
		s.fail(rec, r, err)
		return
	}
	rt.serve(rec, r)
}

// admit finds the route of a request, or says why it is not served.
func (s *Server) admit(r *http.Request, methods map[string]route, known bool) (route, error) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	rt, allowed := methods[method]
	if !rt.anyHost && !s.answers(r.Host) {
		return route{}, newProblem(http.StatusMisdirectedRequest, "the service is not asked under this name: its operator can allow it (--host)")
	}
	switch {
	case !known:
		return route{}, newProblem(http.StatusNotFound, "there is nothing here: see /openapi.json")
	case !allowed:
		p := newProblem(http.StatusMethodNotAllowed, "the method is not one of this path")
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

// methodName keeps what a client makes up out of logs.
func methodName(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return m
	}
	return "other"
}

// authorized holds the request's token against the service's, in the same time for
// every wrong one.
func (s *Server) authorized(r *http.Request) error {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	if strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], s.token[:]) == 1 {
		return nil
	}
	p := newProblem(http.StatusUnauthorized, "the service wants its token: Authorization: Bearer …")
	p.header["WWW-Authenticate"] = `Bearer realm="crscore"`
	if r.Header.Get("Authorization") != "" {
		p.Detail = "this is not the service's token"
		p.header["WWW-Authenticate"] += `, error="invalid_token"`
	}
	return p
}

// checkToken refuses what can be guessed, and what a header cannot hold.
func checkToken(token string) error {
	if len(token) < MinToken {
		return fmt.Errorf("the token has %d characters: want at least %d", len(token), MinToken)
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("the token may have visible ASCII characters only, and no blanks")
	}
	return nil
}

// answers tells whether the service is asked under a name that is its own. A name of
// somebody else's that leads here is how a page of theirs would get at a service that
// only this machine can reach.
func (s *Server) answers(host string) bool {
	name := hostname(host)
	if name == "localhost" {
		return true
	}
	if ip, err := netip.ParseAddr(name); err == nil && ip.IsLoopback() {
		return true
	}
	return name != "" && slices.Contains(s.opts.Hosts, name)
}

// hostname is the name in a Host header or an address, in small letters.
func hostname(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// requestID is the client's, where it is one, else a new one.
func requestID(r *http.Request) string {
	id := r.Header.Get("X-Request-Id")
	if id != "" && len(id) <= 64 && !strings.ContainsFunc(id, func(c rune) bool {
		return !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '_' || c == '.')
	}) {
		return id
	}
	return rand.Text()
}

// fail answers with what went wrong.
func (s *Server) fail(w *recorder, r *http.Request, err error) {
	p := problemOf(r, err, s.opts.Timeout)
	if p.Status == http.StatusInternalServerError {
		s.opts.Log.Error("failed", "id", w.id, "error", fmt.Sprintf("%T", err))
	}
	if r.ContentLength != 0 { // what is refused need not arrive
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(min(s.opts.ReadTimeout, refusedTimeout)))
	}
	s.deadline(w)
	p.write(w)
}

// refusedTimeout is for the rest of a body that nobody wants: a client that is still
// sending it may not look for the answer before.
const refusedTimeout = 500 * time.Millisecond

// panicked counts a bug and tells where it is: what the panic says could be a part of a
// request.
func (s *Server) panicked(w *recorder, v any) {
	s.metrics.panics.Inc()
	what := fmt.Sprintf("%T", v)
	if err, ok := v.(runtime.Error); ok {
		what = err.Error()
	}
	s.opts.Log.Error("panic", "id", w.id, "what", what, "stack", string(debug.Stack()))
	if w.status == 0 {
		s.deadline(w)
		newProblem(http.StatusInternalServerError, "a bug in crscore, please report it: the service's log has it by the request's id").write(w)
	}
}

// deadline is for the answer to be taken.
func (s *Server) deadline(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.opts.WriteTimeout))
}

// send answers with a body.
func send(w http.ResponseWriter, status int, typ string, body []byte) {
	w.Header().Set("Content-Type", typ)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that is gone is nobody to tell
}

// recorder notes what is answered.
type recorder struct {
	http.ResponseWriter
	id      string
	status  int
	in, out int64
	about   []slog.Attr // for the log
}

// Unwrap is for http.ResponseController.
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
