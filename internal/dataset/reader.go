package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
)

// MaxLineBytes is the size above which a line is not read but reported.
const MaxLineBytes = 64 << 20

// maxIDs bounds the memory for finding duplicate ids: 16 MB or so.
const maxIDs = 1 << 20

// Reader reads records one by one, in the style of bufio.Scanner but with
// errors a line. Memory does not grow with the dataset.
type Reader struct {
	raw   io.Reader
	in    *bufio.Reader // nil before the first read
	line  int
	seed  maphash.Seed
	lines map[uint64]int // hash of an id -> line
	buf   []byte
}

// NewReader starts reading JSON Lines, gzipped or not: the first bytes tell.
// Nothing is read before the first call of Next.
func NewReader(r io.Reader) *Reader {
	return &Reader{raw: r, seed: maphash.MakeSeed(), lines: map[uint64]int{}}
}

// open looks at the first bytes.
func (r *Reader) open() error {
	r.in = bufio.NewReaderSize(r.raw, 1<<16)
	if magic, _ := r.in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(r.in)
		if err != nil {
			return fmt.Errorf("reading gzip: %w", err)
		}
		r.in = bufio.NewReaderSize(z, 1<<16)
	}
	return nil
}

// Next returns the next record. The error is io.EOF at the end; a *LineError
// for a line that is not a record, after which Next goes on with the line
// behind it; and anything else is final. Blank lines are skipped.
func (r *Reader) Next() (Record, error) {
	if r.in == nil {
		if err := r.open(); err != nil {
			return Record{}, err
		}
	}
	for {
		b, err := r.readLine()
		if err != nil {
			return Record{}, err
		}
		if r.line == 1 {
			b = bytes.TrimPrefix(b, []byte("\ufeff"))
		}
		b = bytes.TrimSpace(b)
		if len(b) == 0 {
			continue
		}
		rec, err := decode(b, r.line)
		if err != nil {
			return Record{}, &LineError{r.line, err}
		}
		return rec, nil
	}
}

// FirstUse tells whether a record's id was used on an earlier line, and where.
// It remembers the first million ids and calls every later one new.
func (r *Reader) FirstUse(rec *Record) (line int, duplicate bool) {
	h := maphash.String(r.seed, rec.ID)
	if line, ok := r.lines[h]; ok {
		return line, true
	}
	if len(r.lines) < maxIDs {
		r.lines[h] = rec.Line
	}
	return rec.Line, false
}

// readLine returns the next line without its end. The slice is valid until the
// next call.
func (r *Reader) readLine() ([]byte, error) {
	r.buf = r.buf[:0]
	tooLong := false
	for {
		part, err := r.in.ReadSlice('\n')
		if !tooLong {
			r.buf = append(r.buf, part...)
		}
		if len(r.buf) > MaxLineBytes {
			tooLong = true
			r.buf = r.buf[:0]
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return nil, fmt.Errorf("reading the dataset behind line %d: %w", r.line, err)
		case err != nil && len(r.buf) == 0 && !tooLong:
			return nil, io.EOF
		}
		r.line++
		if tooLong {
			r.buf = nil
			return nil, &LineError{r.line, fmt.Errorf("longer than the limit of %d MiB", MaxLineBytes>>20)}
		}
		return r.buf, nil
	}
}
