// Package journal has what the files of a run and of matrices have in common. They grow at
// their ends by records with checksums, end with a mark, and may be cut anywhere by a crash.
// The package knows no form of a record: each format keeps its own.
package journal

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
)

// ErrTruncated is the error of a file without an end mark: it is unfinished, or its end was
// lost. What comes before is good.
var ErrTruncated = errors.New("the file ends without its end mark: it is truncated or was not finished")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Sum is the checksum of all formats: CRC-32C.
func Sum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// More is the checksum of what a checksum covers and of b behind it.
func More(sum uint32, b []byte) uint32 { return crc32.Update(sum, castagnoli, b) }

// Reader reads records. It allocates memory only for bytes that exist.
type Reader struct {
	in     *bufio.Reader
	offset int64
	buf    []byte
}

// buffer is what is read at once, and keep the largest record whose memory is used again.
const (
	buffer = 1 << 16
	keep   = 1 << 20
)

// NewReader returns a reader of what stands at an offset of a file.
func NewReader(in io.Reader, offset int64) *Reader {
	return &Reader{in: bufio.NewReaderSize(in, buffer), offset: offset}
}

// Offset is the place in the file of what is read next.
func (r *Reader) Offset() int64 { return r.offset }

// Take returns the next n bytes, which are valid until the next call.
func (r *Reader) Take(n int64) ([]byte, error) {
	if r.buf = r.buf[:0]; cap(r.buf) > keep {
		r.buf = nil
	}
	return r.More(n)
}

// More returns what Take returned and n bytes more. It does not trust n: memory at most doubles
// with the bytes that exist.
func (r *Reader) More(n int64) ([]byte, error) {
	for n > 0 {
		have := len(r.buf)
		step := min(n, int64(max(have, buffer)))
		r.buf = slices.Grow(r.buf, int(step))[:have+int(step)]
		got, err := io.ReadFull(r.in, r.buf[have:])
		r.offset += int64(got)
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return nil, ErrTruncated
		case err != nil:
			return nil, fmt.Errorf("reading byte %d: %w", r.offset, err)
		}
		n -= step
	}
	return r.buf, nil
}

// Line returns the next line with its end, or what there is of it: then whole is false. The error is
// io.EOF behind the last byte.
func (r *Reader) Line() (text []byte, whole bool, err error) {
	text, err = r.in.ReadSlice('\n')
	r.offset += int64(len(text))
	if whole = err == nil; whole || errors.Is(err, bufio.ErrBufferFull) || errors.Is(err, io.EOF) && len(text) > 0 {
		return text, whole, nil
	}
	return nil, false, err
}

// ErrBehind is the error of a file that was changed: nothing is written behind an end mark.
var ErrBehind = errors.New("there are bytes behind the end mark")

// End returns io.EOF behind an end mark.
func (r *Reader) End() error {
	if _, err := r.in.ReadByte(); err != nil {
		return err
	}
	return ErrBehind
}

// Disk is a file of a file system.
type Disk interface {
	io.ReaderAt
	io.WriteSeeker
	// Truncate changes the size.
	Truncate(size int64) error
	// Sync makes what was written safe from a crash.
	Sync() error
	// Close closes the file.
	Close() error
}

// File is a file that records are appended to. Its errors have its name.
type File struct {
	Name string // of the file in its directory
	Disk
}

func (f *File) named(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	return fmt.Errorf("%s: %w", f.Name, err)
}

// ReadAt reads at a place.
func (f *File) ReadAt(p []byte, offset int64) (int, error) {
	n, err := f.Disk.ReadAt(p, offset)
	return n, f.named(err)
}

// Section returns the first size bytes, or all where there are fewer. Writing does not move it.
func (f *File) Section(size int64) io.Reader { return io.NewSectionReader(f, 0, size) }

// Write appends to the file.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.Disk.Write(p)
	return n, f.named(err)
}

// Sync makes what was written safe from a crash.
func (f *File) Sync() error { return f.named(f.Disk.Sync()) }

// Size returns the size of the file. The next Write comes at its end.
func (f *File) Size() (int64, error) {
	n, err := f.Seek(0, io.SeekEnd)
	return n, f.named(err)
}

// Cut takes off what stands behind size: a crash has torn it, or nobody has finished it. The next
// Write comes at the end.
func (f *File) Cut(size int64) error {
	n, err := f.Size()
	if err != nil || n <= size {
		return err
	}
	if err = f.Truncate(size); err == nil {
		_, err = f.Seek(size, io.SeekStart)
	}
	return f.named(err)
}
