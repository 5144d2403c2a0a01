package chat

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The number of tries of a call, and the first pause between tries. Each pause is twice the
// pause before.
const (
	attempts   = 3
	firstPause = 500 * time.Millisecond
)

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
		if err := pause(ctx, wait); err != nil {
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
