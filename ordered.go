package crscore

import (
	"context"
	"errors"
	"io"

	"golang.org/x/sync/errgroup"
)

// ordered maps a stream by several workers and emits the results in the order
// of the stream. At most twice as many items as workers are under way. It
// returns nil at io.EOF from next, else the first error of any part.
func ordered[T, R any](ctx context.Context, workers int, next func() (T, error), work func(context.Context, T) (R, error), emit func(R) error) error {
	type task struct {
		item T
		done chan R // room for one, so that a worker never waits
	}
	type read struct {
		item T
		err  error
	}
	g, ctx := errgroup.WithContext(ctx)
	tasks := make(chan task)
	inOrder := make(chan chan R, workers)

	// next may block on a terminal or a pipe; it is not waited for.
	reads := make(chan read)
	go func() {
		for {
			item, err := next()
			select {
			case reads <- read{item, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	g.Go(func() error {
		defer close(tasks)
		defer close(inOrder)
		for {
			var r read
			select {
			case r = <-reads:
			case <-ctx.Done():
				return ctx.Err()
			}
			if errors.Is(r.err, io.EOF) {
				return nil
			}
			if r.err != nil {
				return r.err
			}
			t := task{r.item, make(chan R, 1)}
			if err := put(ctx, inOrder, t.done); err != nil {
				return err
			}
			if err := put(ctx, tasks, t); err != nil {
				return err
			}
		}
	})
	for range workers {
		g.Go(func() error {
			for t := range tasks {
				r, err := work(ctx, t.item)
				if err != nil {
					return err
				}
				t.done <- r
			}
			return nil
		})
	}
	g.Go(func() error {
		for done := range inOrder {
			select {
			case r := <-done:
				if err := emit(r); err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	return g.Wait()
}

// put sends unless ctx is done first.
func put[T any](ctx context.Context, c chan<- T, v T) error {
	select {
	case c <- v:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
