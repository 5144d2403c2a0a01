package server

import (
	"context"
	_ "embed" // for openapi.json
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"time"

	"crscore"
	"crscore/internal/server/guard"
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
			guard.Send(w, http.StatusOK, "application/json", openAPI)
		}}),
	}
	for _, path := range page.Paths() {
		s.routes[path] = get(route{serve: s.page, open: true})
	}
}

func (s *Server) healthy(w http.ResponseWriter, _ *http.Request) {
	guard.Send(w, http.StatusOK, "application/json", []byte(`{"status":"ok"}`+"\n"))
}

func (s *Server) ready(w http.ResponseWriter, _ *http.Request) {
	switch {
	case s.leaving.Load():
		later(http.StatusServiceUnavailable, "the service is shutting down").write(w)
	case s.warm.Load() == nil:
		later(http.StatusServiceUnavailable, "the engine is not loaded yet").write(w)
	default:
		guard.Send(w, http.StatusOK, "application/json", []byte(`{"status":"ready"}`+"\n"))
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

// judged is a route that needs the engine: it reads the request, takes a place, waits for
// a worker and answers with JSON. Nothing but memory that is bounded waits for the client.
func (s *Server) judged(do call) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		rec := w.(*recorder)
		answer, err := s.judge(rec, r, do)
		if err == nil {
			if size := len(answer); !s.answers.take(size) {
				err = later(http.StatusServiceUnavailable, "too many large answers wait for their clients")
			} else {
				defer s.answers.give(size)
			}
		}
		if err != nil {
			s.fail(rec, r, err)
			return
		}
		s.deadline(w)
		guard.Send(w, http.StatusOK, "application/json", answer)
	}
}

// accept returns what judges a request. The error says why the request is refused.
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
	return warm, nil
}

// judge reads and answers a request.
func (s *Server) judge(w *recorder, r *http.Request, do call) ([]byte, error) {
	warm, err := s.accept(r)
	if err != nil {
		return nil, err
	}
	body, err := s.read(w, r)
	defer s.bodies.give(cap(body))
	w.in = int64(len(body))
	if err != nil {
		return nil, err
	}
	place, ok := s.places.try(len(body))
	if !ok {
		return nil, s.rejected(queueFull, later(http.StatusTooManyRequests, fmt.Sprintf("the queue is full: %d requests are judged or wait", cap(s.places.all))))
	}
	defer func() { <-place }()
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // from here on the server only notices whether the client leaves
	ctx, cancel := context.WithTimeout(r.Context(), s.opts.Timeout)
	defer cancel()
	answer, err := s.work(ctx, w, warm.engine, do, body)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, s.rejected(timedOut, err)
	}
	return answer, err
}

// work waits for a worker and answers.
func (s *Server) work(ctx context.Context, w *recorder, e *crscore.Engine, do call, body []byte) ([]byte, error) {
	worker, err := s.worker(ctx, len(body))
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

// worker takes a worker for a body of that size, or waits for one.
func (s *Server) worker(ctx context.Context, size int) (<-chan struct{}, error) {
	if worker, ok := s.workers.try(size); ok {
		return worker, nil
	}
	s.metrics.waiting.Inc()
	defer s.metrics.waiting.Dec()
	return s.workers.wait(ctx, size)
}

// rejected records a request that is not judged in the metrics.
func (s *Server) rejected(reason string, err error) error {
	s.metrics.rejected.WithLabelValues(reason).Inc()
	return err
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
