package chat

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"crscore/chat/prompt"
)

// DefaultParallel bounds the calls at a time. A server answers few calls at once, and a call
// should not reach its deadline in the server's queue.
const DefaultParallel = 4

// DefaultTimeout is the default of Options.Timeout.
const DefaultTimeout = 5 * time.Minute

// describeTimeout is the time limit of calls that describe a model. A server that hangs
// must not cost each change the time of an answer.
const describeTimeout = 30 * time.Second

// Options are the options of an Asker.
type Options struct {
	// Cache keeps raw answers; nil means no cache.
	Cache Cache
	// Timeout is the time limit of each call; 0 means DefaultTimeout.
	Timeout time.Duration
	// Parallel is the number of calls at a time to each server; 0 means DefaultParallel.
	Parallel int
	// Warn gets a line for a person about a server of several (Servers) that is rested; nil means
	// that nobody hears it. It may not call the Asker.
	Warn func(msg string)
}

// Asker asks a model: within a time limit, again after failures that may end by themselves,
// and once for equal questions. It is safe for concurrent use.
type Asker struct {
	model   Model
	servers *Servers // the model, if it is on several
	opts    Options
	calls   int
	flights flights
	slots   chan struct{}
	pause   pauser

	mu      sync.Mutex
	known   bool
	digest  string
	window  int
	without string // settings that the server refuses
	usage   Usage
}

// Usage counts the costs of answers.
type Usage struct {
	// Calls is the number of calls that the model answered, Cached the number of answers
	// that were in the cache.
	Calls, Cached int
	// PromptTokens and AnswerTokens are the server's counts over all calls. Uncounted is the
	// number of calls that lack one of the two, or have one that cannot be.
	PromptTokens, AnswerTokens, Uncounted int
	// Time is the sum of the times of the calls. Calls at the same time all count.
	Time time.Duration
}

// Question is a request and its place in the cache.
type Question struct {
	// Kind is the kind of the answer in the cache, such as "claims". Version names the
	// prompt, so that a new prompt gets a new answer.
	Kind, Version string
	// Request is the request.
	Request Request
	// Usable returns an error for an answer that the cache must not keep, which is also
	// the error of the question. nil keeps every answer that is complete.
	Usable func(text string) error
}

// NewAsker returns an Asker. It does not call the model.
func NewAsker(m Model, opts Options) (*Asker, error) {
	switch {
	case opts.Timeout < 0:
		return nil, fmt.Errorf("the time limit of a call to a model is %s: want more than 0", opts.Timeout)
	case opts.Parallel < 0:
		return nil, fmt.Errorf("calls to a model at a time: %d, but there must be at least 1", opts.Parallel)
	}
	if opts.Timeout == 0 {
		opts.Timeout = DefaultTimeout
	}
	if opts.Parallel == 0 {
		opts.Parallel = DefaultParallel
	}
	a := &Asker{model: m, opts: opts, pause: sleep, calls: opts.Parallel}
	if s, ok := m.(*Servers); ok {
		a.servers = s.with(opts)
		a.model, a.calls = a.servers, opts.Parallel*len(s.servers)
	}
	a.slots = make(chan struct{}, a.calls)
	return a, nil
}

// Parallel is the number of calls at a time, to all servers together.
func (a *Asker) Parallel() int { return a.calls }

// Name is the name of the model.
func (a *Asker) Name() string { return a.model.Name() }

// Prepare asks the server once for the model's digest, its context and the settings that it
// refuses. After a failure the next call tries again.
func (a *Asker) Prepare(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known {
		return nil
	}
	describe := func(ctx context.Context) (err error) {
		if a.digest, err = a.model.Digest(ctx); err != nil {
			return err
		}
		if m, ok := a.model.(interface {
			ContextLength(context.Context) (int, error)
		}); ok {
			a.window, err = m.ContextLength(ctx)
		}
		return err
	}
	call := func() error { return within(ctx, min(a.opts.Timeout, describeTimeout), describe) }
	if a.servers != nil {
		call = func() error { return describe(ctx) } // which has limits and tries for each server
	}
	err := retry(ctx, a.pause, call)
	if a.known = err == nil; !a.known {
		a.digest, a.window = "", 0
		return err
	}
	a.without = a.settle(ctx)
	return nil
}

// ContextLength is the longest context of the model in tokens, 0 before Prepare and if the
// server does not tell.
func (a *Asker) ContextLength() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.window
}

// Signature names the model with the start of its digest, such as
// ollama:qwen2.5-coder:7b@0123456789ab, and the settings that its server refuses, such as
// /without-temperature. The digest is "unknown" before Prepare, and if the server does not have it.
func (a *Asker) Signature() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	digest := strings.TrimPrefix(a.digest, "sha256:")
	if digest == "" {
		digest = "unknown"
	}
	s := a.model.Name() + "@" + prompt.Cut(digest, 12)
	if a.without != "" {
		s += "/without-" + a.without
	}
	return s
}

// Usage returns what the answers took so far.
func (a *Asker) Usage() Usage {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.usage
}

// Ask takes the answer of a question from the cache or the model. Prepare comes first. The
// answer is raw and complete; an incomplete answer is an error.
func (a *Asker) Ask(ctx context.Context, q Question) (string, error) {
	key, err := a.key(q)
	if err != nil {
		return "", err
	}
	return a.flights.do(ctx, key, func(ctx context.Context) (string, error) {
		if text, ok := a.cached(ctx, key, q); ok {
			return text, nil
		}
		select {
		case a.slots <- struct{}{}:
			defer func() { <-a.slots }()
		case <-ctx.Done():
			return "", ctx.Err()
		}
		start := time.Now()
		resp, err := a.generate(ctx, q.Request)
		if err == nil || resp.PromptTokens+resp.AnswerTokens > 0 { // an answer that broke off is paid for, too
			a.count(resp, time.Since(start))
		}
		if err != nil {
			return "", err
		}
		if err := a.settled(ctx); err != nil {
			return "", err
		}
		if q.Usable != nil {
			if err := q.Usable(resp.Text); err != nil {
				return "", &refusedAnswer{err}
			}
		}
		if a.opts.Cache != nil {
			// The answer is worth keeping even if the caller gave up. An error means
			// that it will be asked for again; the store reports the cause itself.
			_ = a.opts.Cache.Put(context.WithoutCancel(ctx), key, []byte(resp.Text))
		}
		return resp.Text, nil
	})
}

// generate asks the model, with a time limit and tries, which several servers have of their own.
func (a *Asker) generate(ctx context.Context, req Request) (Response, error) {
	if a.servers != nil {
		return a.servers.Generate(ctx, req)
	}
	return generate(ctx, a.model, req, a.opts.Timeout, a.pause)
}

// cached returns the answer that the cache has, if it is usable.
func (a *Asker) cached(ctx context.Context, key string, q Question) (string, bool) {
	if a.opts.Cache == nil {
		return "", false
	}
	b, ok, err := a.opts.Cache.Get(ctx, key)
	if err != nil || !ok || q.Usable != nil && q.Usable(string(b)) != nil {
		return "", false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.usage.Cached++
	return string(b), true
}

func (a *Asker) count(r Response, took time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.usage.Calls++
	a.usage.PromptTokens += r.PromptTokens
	a.usage.AnswerTokens += r.AnswerTokens
	if r.PromptTokens == 0 || r.AnswerTokens == 0 {
		a.usage.Uncounted++
	}
	a.usage.Time += took
}

// key is the cache's key: everything that shapes an answer.
func (a *Asker) key(q Question) (string, error) {
	b, err := a.identity(q)
	if err != nil {
		return "", fmt.Errorf("making the key of an answer: %w", err)
	}
	return fmt.Sprintf("%s/%x", q.Kind, sha256.Sum256(b)), nil
}

// identity is the model and its digest, the version of the prompt, and the request with all
// texts in it.
func (a *Asker) identity(q Question) ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return json.Marshal(struct {
		Model, Digest, Version string
		Without                string `json:",omitempty"`
		Request
	}{a.model.Name(), a.digest, q.Version, a.without, q.Request})
}
