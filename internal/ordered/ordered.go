// Package ordered works on a stream with several workers and keeps its order.
package ordered

import (
	"context"
	"errors"
	"io"

	"golang.org/x/sync/errgroup"
)

// Map maps a stream with several workers and emits the results in the order of the stream.
// At most twice as many items as workers are in work, and a few more wait in its channels.
// On an error of next it emits the items before and returns the error; io.EOF is the normal
// end. An error of work or emit, or a cancelled ctx, ends it at once.
func Map[T, R any](ctx context.Context, workers int, next func() (T, error), work func(context.Context, T) (R, error), emit func(R) error) error {
	type task struct {
		item T
		done chan R // room for one, so that a worker never waits
	}
	asked := ctx
	g, ctx := errgroup.WithContext(ctx)
	tasks := make(chan task)
	inOrder := make(chan chan R, workers)
	var readErr error

	g.Go(func() error {
		defer close(tasks)
		defer close(inOrder)
		for ctx.Err() == nil {
			item, err := next()
			if err != nil {
				readErr = err
				return nil
			}
			t := task{item, make(chan R, 1)}
			if err := put(ctx, inOrder, t.done); err != nil {
				return err
			}
			if err := put(ctx, tasks, t); err != nil {
				return err
			}
		}
		return ctx.Err()
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
	if err := g.Wait(); err != nil {
		return err
	}
	// A cancelled ctx may also have ended the stream, so that its end is not normal.
	if err := asked.Err(); err != nil {
		return err
	}
	if errors.Is(readErr, io.EOF) {
		return nil
	}
	return readErr
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
