package chat

import (
	"context"
	"sync"

	"crscore/pseudoref"
)

// flights makes one call for several equal calls at the same time. It cancels the call when
// no caller waits for it any more.
type flights struct {
	mu    sync.Mutex
	calls map[string]*flight
}

type flight struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiters int
	value   string
	err     error
}

func (f *flights) do(ctx context.Context, key string, call func(context.Context) (string, error)) (string, error) {
	f.mu.Lock()
	c := f.calls[key]
	if c == nil {
		// The call uses the values of the first caller's context, but not its end.
		shared, cancel := context.WithCancel(context.WithoutCancel(ctx))
		c = &flight{done: make(chan struct{}), cancel: cancel}
		if f.calls == nil {
			f.calls = make(map[string]*flight)
		}
		f.calls[key] = c
		go func() {
			defer cancel()
			c.value, c.err = recovered(shared, call)
			f.mu.Lock()
			if f.calls[key] == c {
				delete(f.calls, key)
			}
			f.mu.Unlock()
			close(c.done)
		}()
	}
	c.waiters++
	f.mu.Unlock()

	select {
	case <-c.done:
		return c.value, c.err
	case <-ctx.Done():
		f.mu.Lock()
		if c.waiters--; c.waiters == 0 {
			c.cancel()
			if f.calls[key] == c {
				delete(f.calls, key) // a later caller starts a new call
			}
		}
		f.mu.Unlock()
		return "", ctx.Err()
	}
}

// recovered turns a panic into an error. No other code can catch the panic here, and it
// would end the whole run.
func recovered(ctx context.Context, call func(context.Context) (string, error)) (value string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = pseudoref.Recovered(r)
		}
	}()
	return call(ctx)
}
