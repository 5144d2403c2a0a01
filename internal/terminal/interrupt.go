package terminal

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"crscore/internal/stdio"
)

// Input is a reader that stops when ctx is done, even while it waits for a terminal
// or a pipe. It returns the error of ctx then, not the end of the input.
type Input struct {
	ctx  context.Context
	r    io.Reader
	rest []byte // bytes that were read and not returned yet
	err  error
}

// Read reads what is there.
func (i *Input) Read(p []byte) (int, error) {
	if len(i.rest) == 0 && i.err == nil {
		buf := make([]byte, 1<<16) // p must not be written to after Read returned
		i.rest, i.err = await(i.ctx, func() ([]byte, error) {
			if err := stdio.Check(i.r); err != nil {
				return nil, err
			}
			n, err := i.r.Read(buf)
			return buf[:n], err
		})
		if errors.Is(i.err, io.EOF) && isPipe(i.r) {
			awaitSignal(i.ctx)
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

// NewInput returns an input that reads r.
func NewInput(ctx context.Context, r io.Reader) *Input { return &Input{ctx: ctx, r: r} }

// NoInput is an empty standard input, for flags that take files only.
func NoInput(ctx context.Context) *Input {
	return NewInput(ctx, strings.NewReader(""))
}

// await returns the results of f, or the error of ctx as soon as it is done.
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

// awaitSignal waits for a signal that may be on its way. Ctrl-C ends the program at the other
// end of a pipe, too, and the end of its output may arrive before the signal. There are
// many short waits, so that a process that the system has not run for a while still waits.
func awaitSignal(ctx context.Context) {
	for range signalWaits {
		select {
		case <-ctx.Done():
			return
		case <-time.After(signalWait):
		}
	}
}

const (
	signalWaits = 15
	signalWait  = 2 * time.Millisecond
)

// isPipe reports whether another program writes the input.
func isPipe(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	st, err := f.Stat()
	return err == nil && st.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0
}

// Open opens a file. Opening a named pipe, and reading anything but a regular file, waits
// until ctx is done at most.
func (i *Input) Open(name string) (io.ReadCloser, error) {
	f, err := await(i.ctx, func() (*os.File, error) { return os.Open(name) })
	if err != nil {
		return nil, err
	}
	if st, err := f.Stat(); err == nil && (st.Mode().IsRegular() || st.IsDir()) {
		return f, nil
	}
	return struct {
		io.Reader
		io.Closer
	}{NewInput(i.ctx, f), f}, nil
}

// Show is a name of a file or of standard input, -, for a person.
func Show(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}
