package llm

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// How often a call is tried, and the first pause between tries, which doubles.
const (
	attempts   = 3
	firstPause = 500 * time.Millisecond
)

// generate asks a model with a deadline for each call, and again after a pause
// when the failure may pass. pause waits; tests hand in a shorter one.
func generate(ctx context.Context, m Model, req Request, timeout time.Duration, pause func(context.Context, time.Duration) error) (Response, error) {
	wait := firstPause
	for try := 1; ; try++ {
		resp, err := once(ctx, m, req, timeout)
		switch {
		case err == nil:
			return resp, nil
		case ctx.Err() != nil:
			return Response{}, ctx.Err()
		case !errors.Is(err, ErrTransient):
			return Response{}, err
		case try == attempts:
			return Response{}, fmt.Errorf("after %d tries: %w", try, err)
		}
		if err := pause(ctx, wait); err != nil {
			return Response{}, err
		}
		wait *= 2
	}
}

func once(ctx context.Context, m Model, req Request, timeout time.Duration) (Response, error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	resp, err := m.Generate(limited, req)
	if limited.Err() != nil && ctx.Err() == nil {
		// Also an answer that came with the deadline is not to be trusted.
		return Response{}, fmt.Errorf("no answer within %s", timeout)
	}
	if err == nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return resp, err
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
