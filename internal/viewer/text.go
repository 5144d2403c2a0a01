package viewer

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"crscore/internal/limits"
)

// text is a file that can be read at any place. What cannot be, since it is packed or a pipe,
// is copied to a temporary file.
type text struct {
	*os.File
	name string
	size int64
	temp string // of a copy that is still to be removed
}

// openText opens a file.
func (o *Options) openText(ctx context.Context, name string) (*text, error) {
	in, err := o.Open(name)
	if err != nil {
		return nil, err
	}
	if f, ok := in.(*os.File); ok {
		st, err := f.Stat()
		switch {
		case err != nil:
			return nil, errors.Join(err, f.Close())
		case st.IsDir():
			return nil, errors.Join(errors.New("it is a folder, not a file"), f.Close())
		}
		var magic [2]byte
		_, _ = f.ReadAt(magic[:], 0) // a shorter file is not packed
		if st.Mode().IsRegular() && !packed(magic[:]) {
			return &text{File: f, name: name, size: st.Size()}, nil
		}
	}
	defer in.Close()
	t, err := newTemp(name)
	if err != nil {
		return nil, err
	}
	if err := t.copy(ctx, in); err != nil {
		return nil, errors.Join(fmt.Errorf("unpacking it to %s: %w", t.Name(), err), t.Close())
	}
	return t, nil
}

func packed(head []byte) bool { return bytes.HasPrefix(head, []byte{0x1f, 0x8b}) }

// newTemp makes an empty temporary file. Its name goes at once where the system allows that,
// so that it cannot be left behind.
func newTemp(name string) (*text, error) {
	f, err := os.CreateTemp("", "crscore-view-*")
	if err != nil {
		return nil, fmt.Errorf("making a temporary copy, which is needed to read at any place: %w (TMPDIR names another folder)", err)
	}
	t := &text{File: f, name: name, temp: f.Name()}
	if os.Remove(t.temp) == nil {
		t.temp = ""
	}
	return t, nil
}

// copy fills a temporary file, and unpacks on the way.
func (t *text) copy(ctx context.Context, in io.Reader) error {
	buffered := bufio.NewReaderSize(in, 1<<16)
	in = buffered
	if head, _ := buffered.Peek(2); packed(head) {
		z, err := gzip.NewReader(buffered)
		if err != nil {
			return err
		}
		in = z
	}
	n, err := io.Copy(t.File, io.LimitReader(&cancelled{ctx, in}, limits.CopyBytes+1))
	t.size = n
	switch {
	case err != nil && n > 0 && errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("it is cut off: %w", err)
	case err == nil && n > limits.CopyBytes:
		return fmt.Errorf("it is larger than the limit of %d GiB", int64(limits.CopyBytes)>>30)
	}
	return err
}

// Close closes the file, and removes it if it is a copy.
func (t *text) Close() error {
	err := t.File.Close()
	if t.temp != "" {
		err = errors.Join(err, os.Remove(t.temp))
	}
	return err
}

// reader reads the file from the start, until ctx is done. read is told about bytes.
func (t *text) reader(ctx context.Context, read func(int)) io.Reader {
	return &told{&cancelled{ctx, io.NewSectionReader(t.File, 0, t.size)}, read}
}

// part reads bytes at a place.
func (t *text) part(offset, size int64) ([]byte, error) {
	b := make([]byte, size)
	if _, err := t.ReadAt(b, offset); err != nil {
		return nil, fmt.Errorf("reading %s at byte %d: %w", shown(t.name), offset, err)
	}
	return b, nil
}

// cancelled reads until ctx is done.
type cancelled struct {
	ctx context.Context
	in  io.Reader
}

// Read implements io.Reader.
func (c *cancelled) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.in.Read(p)
}

// told tells how much is read.
type told struct {
	in   io.Reader
	read func(int)
}

// Read implements io.Reader.
func (t *told) Read(p []byte) (int, error) {
	n, err := t.in.Read(p)
	if t.read != nil {
		t.read(n)
	}
	return n, err
}
