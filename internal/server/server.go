// Package server is the HTTP service: the engine, warm, behind POST /v1/score, /v1/gate
// and /v1/refs, with what a service needs around it. It holds limits, a queue, a token,
// metrics, logs and the description of itself (openapi.json).
//
// A request brings a change and texts, and may set the rule that they are judged by. It
// may not choose what runs: no model, host, file or source of references. Nothing is
// computed here that the rooms below compute, and no flags may come in.
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
	"crscore/internal/server/page"
	"crscore/score"
)

// Options are the limits of a Server and who may ask it. Zero values are the defaults.
type Options struct {
	// Log gets a record a request, without anything that came with it; nil for none.
	Log *slog.Logger
	// Token is what requests must bear; empty for none.
	Token string
	// Hosts are the names, beside loopback's, under which the service is asked.
	Hosts []string
	// MaxBody is the size in bytes above which a request is refused.
	MaxBody int64
	// Workers are the requests that are judged at a time, by default one a processor.
	Workers int
	// Queue is how many more wait for that; those beyond it are refused.
	Queue int
	// HeaderTimeout is for a request's header to arrive, ReadTimeout for its body,
	// Timeout for it to wait and be judged, WriteTimeout for its answer to be taken.
	HeaderTimeout, ReadTimeout, Timeout, WriteTimeout time.Duration
	// ShutdownTimeout is how long a shutdown waits for the requests that it found.
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

// Limits of connections.
const (
	// MaxConnections are open at a time; others wait to be accepted.
	MaxConnections = 1024

	maxHeaderBytes = 16 << 10
	idleTimeout    = 30 * time.Second
)

// MinToken is the least length of a token.
const MinToken = 16

// Server is the service. Until Warm it answers that it is not ready.
type Server struct {
	opts    Options
	token   [sha256.Size]byte
	warm    atomic.Pointer[warm]
	leaving atomic.Bool
	places  chan struct{} // of requests that are read, wait or are judged
	workers chan struct{}
	held    atomic.Int64 // bytes of answers that clients are taking
	cross   *http.CrossOriginProtection
	metrics *metrics
	routes  map[string]map[string]route // by path and method
}

// warm is what the service needs an engine for.
type warm struct {
	engine *crscore.Engine
	page   http.Handler // which starts with the engine's rules
}

// New makes a service. The error is of options that cannot be meant.
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
		return nil, errors.New("limits of the service cannot be below 0")
	}
	if o.Token != "" {
		if err := checkToken(o.Token); err != nil {
			return nil, err
		}
	}
	for i, h := range o.Hosts {
		name := hostname(h)
		if name == "" || strings.ContainsAny(h, "*/ ") {
			return nil, fmt.Errorf("%q is no name of a host", h)
		}
		o.Hosts = slices.Clone(o.Hosts)
		o.Hosts[i] = name
	}
	s := &Server{
		opts: o, token: sha256.Sum256([]byte(o.Token)),
		places: make(chan struct{}, o.Workers+o.Queue), workers: make(chan struct{}, o.Workers),
		cross: http.NewCrossOriginProtection(),
	}
	s.metrics = newMetrics()
	s.route()
	return s, nil
}

// Warm gives the service its engine, which must stay open as long as Serve runs. What
// is made at first use is made before the first request.
func (s *Server) Warm(ctx context.Context, e *crscore.Engine) error {
	if err := warmUp(ctx, e); err != nil {
		return err
	}
	rules := []score.Rule{}
	for _, m := range []score.Mode{score.Hard, score.Soft, score.Ramp, score.Calibrated} {
		if u, err := e.Under(m, nil, nil, nil); err == nil {
			rules = append(rules, u.Rule())
		} // else the mode needs a threshold that the service has not
	}
	s.warm.Store(&warm{engine: e, page: page.Handler(rules)})
	return nil
}

// warmUp has the engine look at a change without asking models or tools.
func warmUp(ctx context.Context, e *crscore.Engine) error {
	c, err := change.Parse([]byte("@@ -1,2 +1,3 @@\n def total(orders):\n-    return sum(orders)\n+    log.debug(\"%s\", orders)\n+    return sum(orders) / len(orders)\n"), change.Options{Path: "total.py"})
	if err != nil {
		return err
	}
	set, err := crscore.Refs(ctx, crscore.Input{Change: c}, crscore.Options{})
	if err == nil {
		_, err = e.Match(ctx, set.Refs, "`total` fails for an empty list, for it divides by the length of `orders`.")
	}
	if err != nil {
		return fmt.Errorf("trying the engine: %w", err)
	}
	return nil
}

// errCut ends what is judged when the time of a shutdown is over.
var errCut = errors.New("the service is shutting down, and has no time left for the request")

// Serve answers on a listener until ctx is done. Then it accepts nothing more, finishes
// what it has accepted, and returns; the error says that requests were cut off, or why
// it could not serve.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	jobs, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cut(nil)
	h := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: s.opts.HeaderTimeout,
		// The last resort: each stage has a deadline of its own.
		WriteTimeout:   s.opts.HeaderTimeout + s.opts.ReadTimeout + s.opts.Timeout + s.opts.WriteTimeout,
		IdleTimeout:    idleTimeout,
		MaxHeaderBytes: maxHeaderBytes,
		ErrorLog:       slog.NewLogLogger(s.opts.Log.Handler(), slog.LevelWarn),
		BaseContext:    func(net.Listener) context.Context { return jobs },
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(limited(ln, MaxConnections)) }()
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
		cut(errCut) // what is judged stops, and says so
		last, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = h.Shutdown(last)
		_ = h.Close()
		return fmt.Errorf("requests were not finished after %s and are cut off", s.opts.ShutdownTimeout)
	}
	return nil
}
