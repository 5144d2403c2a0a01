package server

import (
	"bytes"
	"context"
	_ "embed" // for openapi.json
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"crscore"
	"crscore/internal/server/page"
)

// openAPI describes the service. A test compares it with every answer.
//
//go:embed openapi.json
var openAPI []byte

// call answers a request's body. The client gets a *problem as it is.
type call func(ctx context.Context, e *crscore.Engine, body []byte, note func(...slog.Attr)) (any, error)

// route makes the table of paths and methods.
func (s *Server) route() {
	post := func(do call) map[string]route {
		return map[string]route{http.MethodPost: {serve: s.judged(do)}}
	}
	get := func(r route) map[string]route { return map[string]route{http.MethodGet: r} }
	s.routes = map[string]map[string]route{
		"/v1/score": post(s.score),
		"/v1/gate":  post(s.gate),
		"/v1/refs":  post(s.refs),
		"/healthz":  get(route{serve: s.healthy, open: true, anyHost: true}),
		"/readyz":   get(route{serve: s.ready, open: true, anyHost: true}),
		"/metrics":  get(route{serve: s.metrics.handler().ServeHTTP}),
		"/openapi.json": get(route{open: true, serve: func(w http.ResponseWriter, _ *http.Request) {
			send(w, http.StatusOK, "application/json", openAPI)
		}}),
	}
	for _, path := range page.Paths() {
		s.routes[path] = get(route{serve: s.page, open: true})
	}
}

func (s *Server) healthy(w http.ResponseWriter, _ *http.Request) {
	send(w, http.StatusOK, "application/json", []byte(`{"status":"ok"}`+"\n"))
}

func (s *Server) ready(w http.ResponseWriter, _ *http.Request) {
	switch {
	case s.leaving.Load():
		later(http.StatusServiceUnavailable, "the service is shutting down").write(w)
	case s.warm.Load() == nil:
		later(http.StatusServiceUnavailable, "the engine is not loaded yet").write(w)
	default:
		send(w, http.StatusOK, "application/json", []byte(`{"status":"ready"}`+"\n"))
	}
}

// page serves the page and its files.
func (s *Server) page(w http.ResponseWriter, r *http.Request) {
	warm := s.warm.Load()
	if warm == nil {
		later(http.StatusServiceUnavailable, "the engine is not loaded yet").write(w)
		return
	}
	s.deadline(w)
	r.Header.Del("Range") // small files are sent as a whole
	warm.page.ServeHTTP(w, r)
}

// judged is a route that needs the engine: it reads the request, waits for a worker and
// answers with JSON. A request holds a place until its client has taken the answer, so
// that the number of places bounds the memory.
func (s *Server) judged(do call) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		rec := w.(*recorder)
		warm, err := s.accept(r)
		if err != nil {
			s.fail(rec, r, err)
			return
		}
		defer func() { <-s.places }()
		answer, err := s.judge(rec, r, warm.engine, do)
		if err == nil {
			defer s.held.Add(-int64(len(answer)))
			if s.held.Add(int64(len(answer))) > maxHeld {
				err = later(http.StatusServiceUnavailable, "too many large answers wait for their clients")
			}
		}
		if err != nil {
			s.fail(rec, r, err)
			return
		}
		s.deadline(w)
		send(w, http.StatusOK, "application/json", answer)
	}
}

// accept takes a place for a request. The error says why the request is refused.
func (s *Server) accept(r *http.Request) (*warm, error) {
	if err := s.cross.Check(r); err != nil {
		return nil, newProblem(http.StatusForbidden, "the request comes from a page of another site")
	}
	if err := checkType(r); err != nil {
		return nil, err
	}
	if r.ContentLength > s.opts.MaxBody {
		return nil, s.tooLarge()
	}
	warm := s.warm.Load()
	if warm == nil {
		return nil, s.rejected(notReady, later(http.StatusServiceUnavailable, "the engine is not loaded yet"))
	}
	select {
	case s.places <- struct{}{}:
		return warm, nil
	default:
		return nil, s.rejected(queueFull, later(http.StatusTooManyRequests, fmt.Sprintf("the queue is full: %d requests are judged or wait", cap(s.places))))
	}
}

// judge reads and answers a request.
func (s *Server) judge(w *recorder, r *http.Request, e *crscore.Engine, do call) ([]byte, error) {
	body, err := s.read(w, r)
	w.in = int64(len(body))
	if err != nil {
		return nil, err
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // from here on the server only notices whether the client leaves
	ctx, cancel := context.WithTimeout(r.Context(), s.opts.Timeout)
	defer cancel()
	answer, err := s.work(ctx, w, e, do, body)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, s.rejected(timedOut, err)
	}
	return answer, err
}

// work waits for a worker and answers.
func (s *Server) work(ctx context.Context, w *recorder, e *crscore.Engine, do call, body []byte) ([]byte, error) {
	worker, err := s.wait(ctx, len(body))
	if err != nil {
		return nil, err
	}
	defer func() { <-worker }()
	answer, err := do(ctx, e, body, func(about ...slog.Attr) { w.about = append(w.about, about...) })
	if err != nil {
		return nil, err
	}
	return encode(answer)
}

// rejected records a request that is not judged in the metrics.
func (s *Server) rejected(reason string, err error) error {
	s.metrics.rejected.WithLabelValues(reason).Inc()
	return err
}

// quickBody is the size in bytes of a small request. Small requests have workers of
// their own, so that they do not wait for large requests, which take seconds.
const quickBody = 64 << 10

// wait takes a worker for a body of that size, and returns the channel to give it back to.
func (s *Server) wait(ctx context.Context, size int) (<-chan struct{}, error) {
	quick := s.quick
	if size > quickBody {
		quick = nil // never ready
	}
	select {
	case quick <- struct{}{}:
		return quick, nil
	case s.workers <- struct{}{}:
		return s.workers, nil
	default:
	}
	s.metrics.waiting.Inc()
	defer s.metrics.waiting.Dec()
	select {
	case quick <- struct{}{}:
		return quick, nil
	case s.workers <- struct{}{}:
		return s.workers, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// checkType refuses a body that is not declared as JSON. Browsers do not let the forms
// of other sites declare JSON without asking the service first.
func checkType(r *http.Request) error {
	typ, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset, given := params["charset"]
	if err != nil || typ != "application/json" || given && !strings.EqualFold(charset, "utf-8") {
		return newProblem(http.StatusUnsupportedMediaType, "the body must be JSON in UTF-8, with the header Content-Type: application/json")
	}
	if e := r.Header.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		return newProblem(http.StatusUnsupportedMediaType, "the body must not be compressed: leave out Content-Encoding")
	}
	return nil
}

func (s *Server) tooLarge() error {
	return newProblem(http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is larger than the limit of %d bytes", s.opts.MaxBody))
}

// read reads a request's body.
func (s *Server) read(w *recorder, r *http.Request) ([]byte, error) {
	w.begun = true
	stop := context.AfterFunc(r.Context(), func() { // a shutdown does not wait for a slow client
		_ = http.NewResponseController(w).SetReadDeadline(time.Now())
	})
	defer stop()
	var b bytes.Buffer
	b.Grow(int(max(r.ContentLength, 0)) + bytes.MinRead) // one allocation
	_, err := b.ReadFrom(http.MaxBytesReader(w, r.Body, s.opts.MaxBody))
	body := b.Bytes()
	var large *http.MaxBytesError
	switch {
	case err == nil:
		return body, nil
	case errors.As(err, &large):
		return body, s.tooLarge()
	case errors.Is(context.Cause(r.Context()), errCut):
		w.Header().Set("Connection", "close")
		return body, r.Context().Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.Header().Set("Connection", "close")
		return body, newProblem(http.StatusRequestTimeout, fmt.Sprintf("the body did not arrive within %s", s.opts.ReadTimeout))
	}
	w.Header().Set("Connection", "close")
	return body, bad("", errors.New("the body ended too early"))
}
