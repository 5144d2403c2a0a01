package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
)

// interruptible is a reader that gives up when ctx is done, also while it waits
// for a terminal or a pipe. What ends with ctx has an error and no end.
type interruptible struct {
	ctx  context.Context
	r    io.Reader
	rest []byte // read, but not yet asked for
	err  error
}

func (i *interruptible) Read(p []byte) (int, error) {
	if len(i.rest) == 0 && i.err == nil {
		buf := make([]byte, 1<<16) // p must not be written to after Read returned
		i.rest, i.err = await(i.ctx, func() ([]byte, error) {
			n, err := i.r.Read(buf)
			return buf[:n], err
		})
		if errors.Is(i.err, io.EOF) && isPipe(i.r) {
			settle(i.ctx)
		}
		if err := i.ctx.Err(); err != nil {
			i.rest, i.err = nil, err
		}
	}
	if len(i.rest) == 0 {
		return 0, i.err
	}
	n := copy(p, i.rest)
	i.rest = i.rest[n:]
	return n, nil
}

// noInput is a standard input with nothing in it, for what is only read from files.
func noInput(ctx context.Context) *interruptible {
	return &interruptible{ctx: ctx, r: strings.NewReader("")}
}

// await returns what f does, or an error as soon as ctx is done.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		v, err := f()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.v, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// settle waits for a signal that may be on its way. Ctrl-C ends the program that
// writes into a pipe as well as this one, and the end of what it has written can be
// here first. The waits are many, so that a process that was not run for a while does
// not take that for the time.
func settle(ctx context.Context) {
	for range settleTicks {
		select {
		case <-ctx.Done():
			return
		case <-time.After(settleTick):
		}
	}
}

const (
	settleTicks = 15
	settleTick  = 2 * time.Millisecond
)

// isPipe tells whether somebody else writes what is read.
func isPipe(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	st, err := f.Stat()
	return err == nil && st.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0
}

// openFile opens a file. What is none on a disk is read until ctx is done, and so long
// a named pipe waits for somebody who writes.
func openFile(ctx context.Context, name string) (io.ReadCloser, error) {
	f, err := await(ctx, func() (*os.File, error) { return os.Open(name) })
	if err != nil {
		return nil, err
	}
	if st, err := f.Stat(); err == nil && (st.Mode().IsRegular() || st.IsDir()) {
		return f, nil
	}
	return struct {
		io.Reader
		io.Closer
	}{&interruptible{ctx: ctx, r: f}, f}, nil
}
