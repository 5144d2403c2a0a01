package llm

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
)

// flights makes one call of several equal ones that come at the same time. The
// call is cancelled when nobody waits for it any more.
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
		// The values of the first caller's context serve all, its end does not.
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
				delete(f.calls, key) // who comes now starts anew
			}
		}
		f.mu.Unlock()
		return "", ctx.Err()
	}
}

// recovered makes an error of a panic, which nobody else can catch here and which
// would end the whole run.
func recovered(ctx context.Context, call func(context.Context) (string, error)) (value string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a bug in crscore, please report it with the change: %v\n%s", r, debug.Stack())
		}
	}()
	return call(ctx)
}
