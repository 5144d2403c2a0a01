package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
)

// Input is standard input. Reading it stops when ctx is done, even while it waits for a terminal
// or a pipe: with the error of ctx then, not the end of the input.
type Input struct {
	// Source is what is read.
	Source io.Reader

	ctx  context.Context
	rest []byte // bytes that were read and not returned yet
	err  error
}

// Read implements io.Reader.
func (i *Input) Read(p []byte) (int, error) {
	if len(i.rest) == 0 && i.err == nil {
		buf := make([]byte, 1<<16) // p must not be written to after Read returned
		i.rest, i.err = await(i.ctx, func() ([]byte, error) {
			if err := Check(i.Source); err != nil {
				return nil, err
			}
			n, err := i.Source.Read(buf)
			return buf[:n], err
		})
		if errors.Is(i.err, io.EOF) && isPipe(i.Source) {
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

// New returns the input that r reads.
func New(ctx context.Context, r io.Reader) *Input { return &Input{ctx: ctx, Source: r} }

// Empty is an empty standard input, for flags that take files only.
func Empty(ctx context.Context) *Input { return New(ctx, strings.NewReader("")) }

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

// Open opens a file, or standard input for "-"; closing that leaves it open. Opening a named
// pipe, and reading anything but a regular file, waits until ctx is done at most. Texts in
// UTF-16 with a mark, as PowerShell's > writes them, are read as UTF-8.
func (i *Input) Open(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(&wide{in: i}), nil
	}
	f, err := await(i.ctx, func() (*os.File, error) { return os.Open(name) })
	if err != nil {
		return nil, err
	}
	var r io.Reader = New(i.ctx, f)
	if st, err := f.Stat(); err == nil && (st.Mode().IsRegular() || st.IsDir()) {
		head := make([]byte, 2)
		if n, _ := f.ReadAt(head, 0); !isWide(head[:n]) {
			return f, nil
		}
		r = f
	}
	return struct {
		io.Reader
		io.Closer
	}{&wide{in: r}, f}, nil
}

// ReadFile reads a file, or standard input for "-", up to a limit in bytes.
func (i *Input) ReadFile(name string, limit int64) ([]byte, error) {
	r, err := i.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", Name(name), err)
	}
	if int64(len(b)) > limit {
		return nil, fmt.Errorf("%s is larger than the limit of %d MiB", Name(name), limit>>20)
	}
	return b, nil
}

// Name is the name of a file for people.
func Name(file string) string {
	if file == "-" {
		return "standard input"
	}
	return file
}
