package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
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
	records
	seed maphash.Seed
	used map[uint64]int // hash of an id -> line
	only func(number int) bool
}

// records are a dataset in one of its formats.
type records interface {
	// next is Reader.Next, which leaves out what only says no to.
	next(only func(number int) bool) (Record, error)
	count() int
	keepSum()
	sum() string
	about() string
}

func newReader(r records) *Reader {
	return &Reader{records: r, seed: maphash.MakeSeed(), used: map[uint64]int{}}
}

// NewReader starts reading JSON Lines, gzipped or not: the first bytes tell.
// Nothing is read before the first call of Next. Open takes other formats too.
func NewReader(r io.Reader) *Reader {
	return newReader(&jsonLines{text: lines{raw: r}})
}

// Only has the reader skip the records that has says no to, by their numbers, and
// lines that are no records.
func (r *Reader) Only(has func(number int) bool) { r.only = has }

// KeepSum has the reader keep a checksum of the text. It is asked for before the
// first call of Next.
func (r *Reader) KeepSum() { r.keepSum() }

// Sum returns the SHA-256, in hexadecimal, of the text up to the end of the line
// that Next came to: unpacked, and without a byte order mark; of a table, of the
// values in the columns that are read. It is empty unless KeepSum was called.
func (r *Reader) Sum() string { return r.sum() }

// Lines counts what Record.Number does: the lines that were read, blank and skipped ones
// among them, or the changes of a table.
func (r *Reader) Lines() int { return r.count() }

// About says in words how a table is read; it is empty for JSON Lines.
func (r *Reader) About() string { return r.about() }

// Next returns the next record. The error is io.EOF at the end; a *LineError
// for a line that is not a record, after which Next goes on with the line
// behind it; and anything else is final. Blank lines are skipped.
func (r *Reader) Next() (Record, error) { return r.next(r.only) }

// jsonLines are records as JSON Lines.
type jsonLines struct{ text lines }

func (j *jsonLines) next(only func(int) bool) (Record, error) {
	for {
		b, line, err := j.text.next()
		skip := only != nil && !only(j.text.line)
		switch {
		case err == nil && skip, errors.As(err, new(*LineError)) && skip:
			continue
		case err != nil:
			return Record{}, err
		}
		rec, err := decode(b, line)
		if err != nil {
			return Record{}, &LineError{Line: line, Err: err}
		}
		rec.Sum = j.sum()
		return rec, nil
	}
}

func (j *jsonLines) count() int { return j.text.line }

func (j *jsonLines) keepSum() { j.text.sum = sha256.New() }

func (j *jsonLines) sum() string {
	if j.text.sum == nil {
		return ""
	}
	return hex.EncodeToString(j.text.sum.Sum(nil))
}

func (j *jsonLines) about() string { return "" }

// FirstUse tells whether a record's id was used on an earlier line, and where.
// It remembers the first million ids and calls every later one new.
func (r *Reader) FirstUse(rec *Record) (line int, duplicate bool) {
	h := maphash.String(r.seed, rec.ID)
	if line, ok := r.used[h]; ok {
		return line, true
	}
	if len(r.used) < maxIDs {
		r.used[h] = rec.Line
	}
	return rec.Line, false
}

// lines reads text line by line, gzipped or not.
type lines struct {
	raw  io.Reader
	in   *bufio.Reader // nil before the first read
	line int
	buf  []byte
	sum  hash.Hash // of what was read; nil for none
}

// open looks at the first bytes.
func (l *lines) open() error {
	if l.in != nil {
		return nil
	}
	l.in = bufio.NewReaderSize(l.raw, 1<<16)
	if magic, _ := l.in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(l.in)
		if err != nil {
			return fmt.Errorf("reading gzip: %w", err)
		}
		l.in = bufio.NewReaderSize(z, 1<<16)
	}
	if mark, _ := l.in.Peek(3); string(mark) == "\ufeff" {
		_, _ = l.in.Discard(3) // it is in the buffer
	}
	return nil
}

// next returns the next line that is not blank, without the space around it, and
// its number. The slice is valid until the next call. Errors are those of
// Reader.Next.
func (l *lines) next() ([]byte, int, error) {
	if err := l.open(); err != nil {
		return nil, 0, err
	}
	for {
		b, err := l.read()
		if err != nil {
			return nil, 0, err
		}
		if b = bytes.TrimSpace(b); len(b) > 0 {
			return b, l.line, nil
		}
	}
}

// read returns the next line.
func (l *lines) read() ([]byte, error) {
	l.buf = l.buf[:0]
	tooLong := false
	for {
		part, err := l.in.ReadSlice('\n')
		if l.sum != nil {
			l.sum.Write(part) // never an error
		}
		if !tooLong {
			l.buf = append(l.buf, part...)
		}
		if len(l.buf) > MaxLineBytes {
			tooLong = true
			l.buf = l.buf[:0]
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return nil, fmt.Errorf("reading behind line %d: %w", l.line, err)
		case err != nil && len(l.buf) == 0 && !tooLong:
			return nil, io.EOF
		}
		l.line++
		if tooLong {
			l.buf = nil
			return nil, &LineError{Line: l.line, Err: fmt.Errorf("longer than the limit of %d MiB", MaxLineBytes>>20)}
		}
		return l.buf, nil
	}
}
