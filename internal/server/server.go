// Package server is the HTTP service: a loaded engine behind POST /v1/score, /v1/gate
// and /v1/refs. It has limits, a queue, a token, metrics, logs and a description of
// itself (openapi.json).
//
// A request has a change and texts, and may set the scoring rule. It cannot choose a
// model, a host, a file or a source of references. Scores come from crscore and
// decisions from internal/gate: this package computes neither, and it knows no flags.
package server

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"crscore"
	"crscore/change"
	"crscore/internal/limits"
	"crscore/internal/server/guard"
	"crscore/internal/server/page"
	"crscore/score"
)

// Options are the limits of a Server and its access control. Zero values are the defaults.
type Options struct {
	// Log gets a record of each request, without texts of the request; nil for no log.
	Log *slog.Logger
	// Token must be in every request; empty for no token.
	Token string
	// Hosts are the names that a Host header may have, beside those of loopback.
	Hosts []string
	// MaxBody is the size limit of a request in bytes.
	MaxBody int64
	// Workers is the number of requests that are judged at a time, by default one a
	// processor. As many small requests are judged beside them.
	Workers int
	// Queue is the number of requests that may wait, and of small requests beside them;
	// the service refuses more.
	Queue int
	// HeaderTimeout bounds the time in which the header of a request arrives,
	// ReadTimeout that of its body, Timeout that of waiting and judging, and
	// WriteTimeout that in which the client takes the answer.
	HeaderTimeout, ReadTimeout, Timeout, WriteTimeout time.Duration
	// ShutdownTimeout is how long a shutdown waits for open requests.
	ShutdownTimeout time.Duration
}

// The defaults of Options.
const (
	DefaultMaxBody         = 8 << 20
	DefaultQueue           = 64
	DefaultHeaderTimeout   = 5 * time.Second
	DefaultReadTimeout     = 10 * time.Second
	DefaultTimeout         = 30 * time.Second
	DefaultWriteTimeout    = 30 * time.Second
	DefaultShutdownTimeout = 30 * time.Second
)

// MinToken is the least number of characters of a token.
const MinToken = 16

// Server is the service. It answers 503 until Warm gives it an engine.
type Server struct {
	opts    Options
	token   [sha256.Size]byte
	warm    atomic.Pointer[warm]
	leaving atomic.Bool
	places  lanes // requests that have arrived, and wait or are judged
	workers lanes
	bodies  memory // of requests that arrive, wait or are judged
	answers memory // that are being sent
	grace   time.Duration
	cross   *http.CrossOriginProtection
	metrics *metrics
	routes  map[string]map[string]route // by path and method
}

// warm is the part of the service that needs an engine.
type warm struct {
	engine *crscore.Engine
	page   http.Handler // has the engine's rules
}

// New makes a service. The error names an option that is not valid.
func New(o Options) (*Server, error) {
	o.MaxBody = cmp.Or(o.MaxBody, DefaultMaxBody)
	o.Workers = cmp.Or(o.Workers, runtime.GOMAXPROCS(0))
	o.HeaderTimeout = cmp.Or(o.HeaderTimeout, DefaultHeaderTimeout)
	o.ReadTimeout, o.Timeout = cmp.Or(o.ReadTimeout, DefaultReadTimeout), cmp.Or(o.Timeout, DefaultTimeout)
	o.WriteTimeout, o.ShutdownTimeout = cmp.Or(o.WriteTimeout, DefaultWriteTimeout), cmp.Or(o.ShutdownTimeout, DefaultShutdownTimeout)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.MaxBody < 0 || o.Workers < 0 || o.Queue < 0 || min(o.HeaderTimeout, o.ReadTimeout, o.Timeout, o.WriteTimeout, o.ShutdownTimeout) < 0 {
		return nil, errors.New("a limit of the service is below 0")
	}
	if o.Token != "" {
		if err := checkToken(o.Token); err != nil {
			return nil, err
		}
	}
	for i, h := range o.Hosts {
		name := guard.Hostname(h)
		if name == "" || strings.ContainsAny(h, "*/ ") {
			return nil, fmt.Errorf("%q is not the name of a host", h)
		}
		o.Hosts = slices.Clone(o.Hosts)
		o.Hosts[i] = name
	}
	s := &Server{
		opts: o, token: sha256.Sum256([]byte(o.Token)),
		places: newLanes(o.Workers + o.Queue), workers: newLanes(o.Workers), grace: grace, cross: http.NewCrossOriginProtection(),
	}
	s.bodies.most, s.answers.most = max(limits.BodiesBytes, 2*o.MaxBody), limits.HeldBytes
	s.metrics = newMetrics()
	s.route()
	return s, nil
}

// Warm gives the service its engine, which must stay open while Serve runs. It judges
// the page's example, so that the first request does not wait for grammars to load.
func (s *Server) Warm(ctx context.Context, e *crscore.Engine) error {
	examples, err := warmUp(ctx, e)
	if err != nil {
		return fmt.Errorf("trying the engine: %w", err)
	}
	rules := []score.Rule{}
	for _, m := range []score.Mode{score.Hard, score.Soft, score.Ramp, score.Calibrated} {
		if u, err := e.WithRule(m, "", nil, nil, nil); err == nil {
			rules = append(rules, u.Rule())
		} // else the service has no default threshold for the mode
	}
	s.warm.Store(&warm{engine: e, page: page.Handler(rules, examples)})
	return nil
}

// warmUp judges the page's example without models and tools.
func warmUp(ctx context.Context, e *crscore.Engine) ([]page.Review, error) {
	diff, examples := page.Example()
	c, err := change.Parse([]byte(diff), change.Options{})
	if err != nil {
		return nil, err
	}
	set, err := crscore.Refs(ctx, crscore.Input{Change: c}, crscore.Options{})
	if err != nil {
		return nil, err
	}
	for i := range examples {
		matches, err := e.Match(ctx, set, examples[i].Text)
		if err != nil {
			return nil, err
		}
		if r := e.Score(matches[0]); r.Status == crscore.Scored {
			examples[i].Rel = &r.Rel
		}
	}
	return examples, nil
}

// errCut ends the requests that outlast the time of a shutdown.
var errCut = errors.New("the service is shutting down before the request was judged")

// Serve answers on a listener until ctx is done. Then it accepts no more connections,
// finishes open requests, and returns. The error says that requests were cut off, or
// why the service could not run.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	jobs, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cut(nil)
	h := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: s.opts.HeaderTimeout,
		// The last resort: each stage has its own deadline.
		WriteTimeout:   s.opts.HeaderTimeout + s.opts.ReadTimeout + s.opts.Timeout + s.opts.WriteTimeout,
		IdleTimeout:    guard.IdleTimeout,
		MaxHeaderBytes: limits.HeaderBytes,
		ErrorLog:       slog.NewLogLogger(s.opts.Log.Handler(), slog.LevelWarn),
		BaseContext:    func(net.Listener) context.Context { return jobs },
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(guard.Limited(ln, limits.Connections)) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	s.leaving.Store(true)
	s.opts.Log.Info("shutting down", "timeout", s.opts.ShutdownTimeout.String())
	wait, cancel := context.WithTimeout(jobs, s.opts.ShutdownTimeout)
	defer cancel()
	if err := h.Shutdown(wait); err != nil {
		cut(errCut) // open requests are answered 503
		last, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = h.Shutdown(last)
		_ = h.Close()
		return fmt.Errorf("requests were cut off: they were not finished within %s", s.opts.ShutdownTimeout)
	}
	return nil
}
