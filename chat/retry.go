package chat

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"crscore/internal/limits"
)

// The number of tries of a call, and the first pause between tries. Each pause is twice the
// pause before.
const (
	attempts   = 3
	firstPause = 500 * time.Millisecond
)

// later is the error of a server that asks for a wait, which is 0 if it asks for none.
type later struct {
	error
	wait time.Duration
}

func (e later) Unwrap() error { return e.error }

// asksToWait returns the wait that the server asks for.
func asksToWait(err error) time.Duration {
	var l later
	errors.As(err, &l)
	return l.wait
}

// retryAfter reads the wait in the header of an answer: seconds, or a date. It is 0
// for what is none of them, and for a time in the past.
func retryAfter(h http.Header, now time.Time) time.Duration {
	after := strings.TrimSpace(h.Get("Retry-After"))
	n, err := strconv.ParseFloat(after, 64)
	if date, dateErr := http.ParseTime(after); err != nil && dateErr == nil {
		n = date.Sub(now).Seconds()
	}
	const longest = 1e9 // seconds, which a Duration holds
	if !(n > 0) {
		return 0
	}
	return time.Duration(min(n, longest) * float64(time.Second))
}

// pauser waits until d is over or ctx is done. Tests use a pauser that does not wait.
type pauser func(ctx context.Context, d time.Duration) error

// generate asks a model with a deadline for each call. After a failure that may end by
// itself, it asks again after a pause.
func generate(ctx context.Context, m Model, req Request, timeout time.Duration, pause pauser) (resp Response, err error) {
	err = retry(ctx, pause, func() error {
		resp, err = once(ctx, m, req, timeout)
		return err
	})
	return resp, err
}

// retry calls until there is no transient failure, a few times at most.
func retry(ctx context.Context, pause pauser, call func() error) error {
	wait := firstPause
	for try := 1; ; try++ {
		err := call()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !errors.Is(err, ErrTransient):
			return err
		case try == attempts:
			return fmt.Errorf("after %d tries: %w", try, err)
		}
		asked := asksToWait(err)
		if asked > limits.ServerWait {
			return fmt.Errorf("%w: it asks for a wait of %s, and the limit is %s", err, asked.Round(time.Second), limits.ServerWait)
		}
		if err := pause(ctx, max(wait, asked)); err != nil {
			return err
		}
		wait *= 2
	}
}

func once(ctx context.Context, m Model, req Request, timeout time.Duration) (resp Response, err error) {
	err = within(ctx, timeout, func(ctx context.Context) error {
		resp, err = m.Generate(ctx, req)
		return err
	})
	if err != nil {
		resp.Text = "" // also an answer that came with the deadline is not to be trusted
	}
	return resp, err
}

// within makes a call with a deadline, and says so when that has passed.
func within(ctx context.Context, timeout time.Duration, call func(context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := call(limited)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return serverError{fmt.Errorf("no answer within %s", timeout), slow}
	}
	return err
}

// sleep waits unless ctx is done first.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
