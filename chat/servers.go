package chat

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"crscore/chat/prompt"
	"crscore/internal/limits"
)

// Servers is a Model on several servers that have the same weights. The next call goes to the
// server with the most free places. A server that fails is rested, and its calls go to the others;
// after the rest it gets one call, and after an answer to it as many as before.
//
// A failure of a server never decides about an answer, so the answers are those of one server. An
// error about the question, which each server would give, is not asked elsewhere.
type Servers struct {
	servers []*server
	calls   int // at a time, to each
	timeout time.Duration
	warn    func(string)
	rest    time.Duration // the first of a server

	describing sync.Mutex // guards agreed
	agreed     *description

	mu      sync.Mutex    // guards changed and the servers
	changed chan struct{} // is closed when a call ends
}

// server is one of Servers. It is up while err is nil; else it rests, and has at most one new call.
type server struct {
	model   Model
	address string
	calls   int  // in flight
	trial   bool // the one call is in flight
	back    bool // it has the same weights, and the one question
	err     error
	rests   int // since its last answer
	until   time.Time
	asks    time.Time    // it asks for a wait until then
	told    [faults]bool // warnings
}

// longestRest bounds the rest of a server, which doubles with each failure.
const longestRest = time.Minute

// NewServers returns the model on all of these servers. All have the same name. It calls no server.
func NewServers(models ...Model) (*Servers, error) {
	if len(models) == 0 || len(models) > limits.Servers {
		return nil, fmt.Errorf("%d servers; there must be 1 to %d", len(models), limits.Servers)
	}
	s := &Servers{calls: DefaultParallel, timeout: DefaultTimeout, warn: func(string) {}, rest: firstPause, changed: make(chan struct{})}
	at := make(map[string]int)
	for i, m := range models {
		srv := &server{model: m, address: fmt.Sprintf("server %d", i+1)}
		if h, ok := m.(interface{ Host() string }); ok {
			srv.address = h.Host()
		}
		same := strings.ToLower(srv.address)
		if first := at[same]; first > 0 {
			return nil, fmt.Errorf("addresses %d and %d are the same", first, i+1)
		}
		if m.Name() != models[0].Name() {
			return nil, fmt.Errorf("the servers have two models, %s and %s", models[0].Name(), m.Name())
		}
		at[same] = i + 1
		s.servers = append(s.servers, srv)
	}
	return s, nil
}

// with returns the same servers with the options of an Asker, and nothing known of them.
func (s *Servers) with(o Options) *Servers {
	own := &Servers{calls: o.Parallel, timeout: o.Timeout, warn: o.Warn, rest: s.rest, changed: make(chan struct{})}
	if own.warn == nil {
		own.warn = func(string) {}
	}
	for _, srv := range s.servers {
		own.servers = append(own.servers, &server{model: srv.model, address: srv.address})
	}
	return own
}

// Name implements Model.
func (s *Servers) Name() string { return s.servers[0].model.Name() }

// Digest implements Model: the digest that the first server alone has, or would have if it were
// up. The servers that are up must have the same weights.
func (s *Servers) Digest(ctx context.Context) (string, error) {
	d, err := s.describe(ctx)
	if err != nil {
		return "", err
	}
	if o, ok := s.servers[0].model.(*OpenAI); ok {
		return o.digest(d.weights), nil
	}
	return d.weights, nil
}

// ContextLength returns the shortest context of the servers, 0 if none tells.
func (s *Servers) ContextLength(ctx context.Context) (int, error) {
	d, err := s.describe(ctx)
	return d.window, err
}

// description has the weights and the context of a model, as a server reports them.
type description struct {
	weights string // the digest, without the server's address
	window  int
}

// short is the start of a digest, for people.
func (d description) short() string {
	if strings.HasPrefix(d.weights, "{") { // an entry in OpenAI's list
		return fmt.Sprintf("%.6x", sha256.Sum256([]byte(d.weights)))
	}
	return cmp.Or(prompt.Cut(strings.TrimPrefix(d.weights, "sha256:"), 12), "no digest")
}

// describe asks all servers, until they agreed once. Those that are down begin with a rest.
func (s *Servers) describe(ctx context.Context) (description, error) {
	s.describing.Lock()
	defer s.describing.Unlock()
	if s.agreed != nil {
		return *s.agreed, nil
	}
	said, errs := make([]description, len(s.servers)), make([]error, len(s.servers))
	var asked sync.WaitGroup
	for i, srv := range s.servers {
		asked.Go(func() {
			errs[i] = retry(ctx, sleep, func() (err error) {
				said[i], err = s.ask(ctx, srv)
				return err
			})
		})
	}
	asked.Wait()
	if ctx.Err() != nil {
		return description{}, ctx.Err()
	}
	all, err := s.agree(said, errs)
	if err != nil {
		return description{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, err := range errs {
		if err != nil {
			s.toRest(s.servers[i], err)
		}
	}
	s.agreed = &all
	return all, nil
}

// agree returns what all servers say that are up.
func (s *Servers) agree(said []description, errs []error) (all description, err error) {
	var has, missing, wrong []string
	differ := false
	for i, srv := range s.servers {
		switch err := errs[i]; {
		case err == nil && has == nil:
			all = said[i]
		case err == nil:
			differ = differ || said[i].weights != all.weights
			if n := said[i].window; n > 0 && (all.window == 0 || n < all.window) {
				all.window = n
			}
		case faultOf(err) == down || faultOf(err) == slow:
			missing = append(missing, srv.named(err))
			continue
		default:
			wrong = append(wrong, srv.named(err))
			continue
		}
		has = append(has, srv.address+" has "+said[i].short())
	}
	switch {
	case wrong != nil:
		return all, errors.New(strings.Join(wrong, "; "))
	case has == nil:
		return all, s.none(missing)
	case differ:
		return all, fmt.Errorf("the servers do not have the same %s: %s: give each the same, or leave out those that differ",
			s.Name(), strings.Join(has, ", "))
	}
	return all, nil
}

// ask asks a server for its description.
func (s *Servers) ask(ctx context.Context, srv *server) (d description, err error) {
	err = within(ctx, min(s.timeout, describeTimeout), func(ctx context.Context) (err error) {
		if o, ok := srv.model.(*OpenAI); ok {
			d.weights, err = o.entry(ctx)
		} else {
			d.weights, err = srv.model.Digest(ctx)
		}
		if m, ok := srv.model.(interface {
			ContextLength(context.Context) (int, error)
		}); ok && err == nil {
			d.window, err = m.ContextLength(ctx)
		}
		return err
	})
	return d, err
}

// compare returns an error if a server that was down has not what the others have: no answer of it
// may stand under their digest.
func (s *Servers) compare(ctx context.Context, srv *server) error {
	all, err := s.describe(ctx)
	if err != nil {
		return err
	}
	d, err := s.ask(ctx, srv)
	switch {
	case err != nil && !ofServer(err) && ctx.Err() == nil: // it is not about the question
		return serverError{err, refuses}
	case err != nil:
		return err
	case d.weights != all.weights:
		err = fmt.Errorf("it came back with another %s, %s instead of %s", s.Name(), d.short(), all.short())
	case d.window > 0 && d.window < all.window:
		err = fmt.Errorf("it came back with a context of %d tokens instead of %d", d.window, all.window)
	default:
		return nil
	}
	return serverError{err, other}
}

// Generate implements Model. The time limit is for the call to each server.
func (s *Servers) Generate(ctx context.Context, req Request) (Response, error) {
	if _, err := s.describe(ctx); err != nil {
		return Response{}, err
	}
	var c call
	for {
		srv, rests, err := s.take(ctx, &c)
		if err != nil {
			return Response{}, err
		}
		resp, asked, err := s.call(ctx, srv, rests, req)
		switch {
		case err == nil || !ofServer(err):
			return resp, err
		case !asked:
			continue
		}
		c.failed = append(c.failed, srv)
		if c.failures++; faultOf(err) == slow {
			c.slow++
		}
		// A question can be what breaks servers, or what keeps them busy for too long.
		if c.failures == len(s.servers)+attempts || c.slow == limits.SlowServers {
			return resp, fmt.Errorf("after %d tries: %w", c.failures, errors.New(srv.named(err)))
		}
	}
}

// call counts the tries and waits of a question.
type call struct {
	failures, slow int
	failed         []*server // which did not answer it
	waits          int       // for a server, since one was up
	until          time.Time // the end of the last one
	roused         []*server // after it
}

// call makes one call to a server that take returned. asked is false if the server did not get
// the question.
func (s *Servers) call(ctx context.Context, srv *server, rests int, req Request) (resp Response, asked bool, err error) {
	defer func() { s.end(srv, rests, err) }()
	if rests > 0 {
		if err := s.compare(ctx, srv); err != nil {
			return Response{}, false, err
		}
		s.mu.Lock()
		srv.back = true
		s.mu.Unlock()
	}
	resp, err = once(ctx, srv.model, req, s.timeout)
	return resp, true, err
}

// take waits for a place at a server, and returns the server and how often it had rested. While
// none is up or back, it waits as long as the pauses between the tries of a call; after each it
// rouses the servers that still rest, one after the other.
func (s *Servers) take(ctx context.Context, c *call) (*server, int, error) {
	for {
		s.mu.Lock()
		now := time.Now()
		best, up, back, wake := s.look(now, c.failed)
		if up {
			c.waits = 0
		}
		if up || back {
			c.until, c.roused = time.Time{}, nil
		} else if best == nil {
			if !c.until.IsZero() && !now.Before(c.until) {
				if best = s.soonest(now, c.roused); best != nil {
					c.roused = append(c.roused, best)
				} else {
					c.until, c.roused = time.Time{}, nil
				}
			}
			if c.until.IsZero() {
				if c.waits++; c.waits == attempts {
					s.mu.Unlock()
					return nil, 0, s.none(s.Resting())
				}
				c.until = s.patient(now.Add(firstPause << (c.waits - 1)))
			}
			if !wake.IsZero() && c.until.Before(wake) {
				wake = c.until
			}
		}
		if best != nil {
			best.calls++
			best.trial = best.err != nil
			rests := best.rests
			s.mu.Unlock()
			return best, rests, nil
		}
		changed := s.changed
		s.mu.Unlock()
		if err := wait(ctx, changed, wake); err != nil {
			return nil, 0, err
		}
	}
}

// look returns the server with the most free places, of those that are up or whose rest is over;
// whether one is up, whether one is back, and when the next rest ends. While one is up or back, a
// question is not tried on a server that rests since it failed it: it would use up its tries where
// the others are busy.
func (s *Servers) look(now time.Time, failed []*server) (best *server, up, back bool, wake time.Time) {
	for _, srv := range s.servers {
		up, back = up || srv.err == nil, back || srv.back
	}
	most := 0
	for _, srv := range s.servers {
		switch free := s.calls - srv.calls; {
		case srv.trial, (up || back) && srv.err != nil && slices.Contains(failed, srv):
		case srv.err != nil && now.Before(srv.until):
			if wake.IsZero() || srv.until.Before(wake) {
				wake = srv.until
			}
		case free > most:
			best, most = srv, free
		}
	}
	return best, up, back, wake
}

// patient returns the end of a wait, not before a server does not ask to wait any more.
func (s *Servers) patient(end time.Time) time.Time {
	first := slices.MinFunc(s.servers, func(a, b *server) int { return a.asks.Compare(b.asks) })
	if first.asks.After(end) {
		return first.asks
	}
	return end
}

// soonest returns the server whose rest ends first, without those that were roused, those that
// have a call on trial, and those that ask to wait.
func (s *Servers) soonest(now time.Time, roused []*server) (first *server) {
	for _, srv := range s.servers {
		if !srv.trial && !now.Before(srv.asks) && srv.calls < s.calls && !slices.Contains(roused, srv) && (first == nil || srv.until.Before(first.until)) {
			first = srv
		}
	}
	return first
}

// end notes how a call ended that take began, at a server that had rested so often. Only the first
// of several calls that fail together makes a rest.
func (s *Servers) end(srv *server, rests int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	srv.calls--
	if rests > 0 {
		srv.trial, srv.back = false, false
	}
	switch {
	case ofServer(err):
		if srv.rests == rests {
			s.toRest(srv, err)
		}
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded): // the caller gave up
	case rests > 0:
		srv.err, srv.rests = nil, 0
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// toRest rests a server, and warns once of each kind of fault.
func (s *Servers) toRest(srv *server, err error) {
	srv.err = err
	now := time.Now()
	srv.asks = now.Add(min(asksToWait(err), limits.ServerWait))
	srv.until = now.Add(max(min(s.rest<<min(srv.rests, 20), longestRest), srv.asks.Sub(now)))
	srv.rests++
	if f := faultOf(err); !srv.told[f] {
		srv.told[f] = true
		s.warn(fmt.Sprintf("%s: a server is rested, and the others get its calls: %s", s.Name(), srv.named(err)))
	}
}

// Resting returns why servers rest, with their addresses.
func (s *Servers) Resting() (why []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, srv := range s.servers {
		if srv.err != nil {
			why = append(why, srv.named(srv.err))
		}
	}
	return why
}

func (s *Servers) none(why []string) error {
	return fmt.Errorf("none of the %d servers of %s answers: %s", len(s.servers), s.Name(), strings.Join(why, "; "))
}

// named is an error with the server's address.
func (srv *server) named(err error) string {
	if msg := fmt.Sprint(err); strings.Contains(msg, srv.address) {
		return msg
	}
	return fmt.Sprintf("%s: %v", srv.address, err)
}

// wait waits for a change, or until then; a zero time never comes.
func wait(ctx context.Context, changed <-chan struct{}, then time.Time) error {
	var over <-chan time.Time
	if !then.IsZero() {
		t := time.NewTimer(time.Until(then))
		defer t.Stop()
		over = t.C
	}
	select {
	case <-changed:
	case <-over:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// fault is the kind of a server's failure.
type fault int

const (
	none    fault = iota // it is the question
	down                 // there is no server, or it fails
	slow                 // the time limit passed
	refuses              // the server is there, and will not answer anybody
	other                // it has other weights now
	faults
)

// serverError is an error that another server may not have.
type serverError struct {
	error
	fault fault
}

func (e serverError) Unwrap() error { return e.error }

func faultOf(err error) fault {
	var e serverError
	switch {
	case errors.As(err, &e):
		return e.fault
	case errors.Is(err, ErrTransient):
		return down
	}
	return none
}

func ofServer(err error) bool { return faultOf(err) != none }

// refusal marks the error of a status that is about the server and its settings.
func refusal(status int, err error) error {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusTooManyRequests:
		return serverError{err, refuses}
	}
	return err
}
