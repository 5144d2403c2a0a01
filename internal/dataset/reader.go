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
	"slices"

	"crscore/internal/limits"
)

// Reader reads records one by one. An error of a line does not end it. Its memory does not
// grow with the dataset.
type Reader struct {
	records
	ids  *IDs
	only func(number int) bool
	// sets are the sets of claims that the first record has to know, nil behind it.
	sets []string
	// grouped: an id that comes again is an error.
	grouped bool
}

// records are a dataset in one of its formats.
type records interface {
	// next is Reader.Next. It skips records whose number only refuses; nil refuses none.
	next(only func(number int) bool) (Record, error)
	count() int
	keepSum()
	sum() string
	// span is Reader.Place.
	span() (offset, size int64)
	about() string
	seen() string
	// emptyCells is Reader.EmptyCells.
	emptyCells() int
}

func newReader(r records) *Reader {
	return &Reader{records: r, ids: NewIDs()}
}

// NewReader starts reading JSON Lines, gzipped or not. It reads nothing before the first
// call of Next. Open reads other formats too.
func NewReader(r io.Reader) *Reader {
	return newReader(&jsonLines{text: lines{raw: r}})
}

// Only makes the reader skip the records whose number has refuses, and malformed lines
// that belong to them.
func (r *Reader) Only(has func(number int) bool) { r.only = has }

// KeepSum makes the reader compute a checksum. It must be called before Next.
func (r *Reader) KeepSum() { r.keepSum() }

// Sum returns a SHA-256 in hexadecimal, up to the record that Next returned last: of the
// unpacked text of JSON Lines without a byte order mark, or of the values in the columns of
// a table that are read. It is empty unless KeepSum was called.
func (r *Reader) Sum() string { return r.sum() }

// Place returns where the line of the record that Next returned last stands in the unpacked
// text of JSON Lines, in bytes. The size is 0 for a table and for JSON that is no JSON Lines.
func (r *Reader) Place() (offset, size int64) { return r.span() }

// Lines returns the highest Record.Number so far: the number of lines (with blank and
// skipped lines) or of changes of a table.
func (r *Reader) Lines() int { return r.count() }

// About describes for a person how a table is read. It is empty for JSON Lines with a change a
// line.
func (r *Reader) About() string { return r.about() }

// Seen describes the content of a dataset without reviews, and how to write reviews in it.
func (r *Reader) Seen() string { return r.seen() }

// Next returns the next record. Blank lines are skipped. The error is io.EOF at the end. A
// *LineError is a line that is no record; Next goes on behind it. Any other error is final.
func (r *Reader) Next() (Record, error) {
	rec, err := r.next(r.only)
	if err != nil {
		return Record{}, err
	}
	if r.sets != nil {
		if err := rec.CheckClaimSets(r.sets); err != nil {
			return Record{}, err
		}
		r.sets = nil
	}
	if r.grouped {
		if line, dup := r.FirstUse(&rec); dup {
			return Record{}, ungrouped(rec.ID, rec.Where(), rec.At(line))
		}
	}
	return rec, nil
}

// Lacks says which mapping gives a table the texts of reviews. It is empty where there are
// columns with texts.
func (r *Reader) Lacks() string {
	c, ok := r.records.(*changes)
	if !ok || slices.ContainsFunc(c.cols, func(col Column) bool { return col.Field == "review" || col.Field == "reviews" }) {
		return ""
	}
	return c.sayReview()
}

// EmptyCells counts the missing reviews of a table: their cells are empty.
func (r *Reader) EmptyCells() int { return r.emptyCells() }

// jsonLines reads records from JSON Lines.
type jsonLines struct {
	text lines
	form Options
}

func (j *jsonLines) seen() string {
	if j.text.line == 0 {
		return "it is empty"
	}
	slices.Sort(j.text.names)
	return fmt.Sprintf(`no change has "reviews": [{"id": "SYSTEM", "text": "…"}] or "msg" (fields: %s%s); a field that has a review is named as in --map review=FIELD`, list(j.text.names), nearest(j.text.names, "reviews", "msg"))
}

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
		rec, err := decode(b, line, &j.form)
		if err != nil {
			return Record{}, &LineError{Line: line, Row: j.text.array, Err: err}
		}
		rec.Row, rec.Sum = j.text.array, j.sum()
		return rec, nil
	}
}

func (j *jsonLines) count() int { return j.text.line }

func (j *jsonLines) keepSum() {
	if j.text.sum == nil { // a part goes on with the sum of what is before it
		j.text.sum = sha256.New()
	}
}

func (j *jsonLines) sum() string {
	if j.text.sum == nil {
		return ""
	}
	return hex.EncodeToString(j.text.sum.Sum(nil))
}

func (j *jsonLines) span() (offset, size int64) { return j.text.span() }

func (j *jsonLines) about() string {
	if j.text.array {
		return "JSON"
	}
	return ""
}

func (j *jsonLines) emptyCells() int { return 0 }

// ReadAll reads the records of a text that has no malformed line.
func ReadAll(in io.Reader) (all []Record, err error) {
	for r := NewReader(in); ; {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
}

// FirstUse reports whether an earlier line used the record's id, and which.
func (r *Reader) FirstUse(rec *Record) (line int, duplicate bool) {
	line = r.ids.FirstUse(rec.ID, rec.Line)
	return line, line != rec.Line
}

// IDs finds ids that are used twice. It remembers the first million; every later id counts
// as new.
type IDs struct {
	seed maphash.Seed
	used map[uint64]int // hash of an id -> line
}

// NewIDs returns IDs without any.
func NewIDs() *IDs { return &IDs{seed: maphash.MakeSeed(), used: map[uint64]int{}} }

// FirstUse returns the first line that used an id, which may be this one.
func (s *IDs) FirstUse(id string, line int) int {
	h := maphash.String(s.seed, id)
	if first, ok := s.used[h]; ok {
		return first
	}
	if len(s.used) < limits.KnownIDs {
		s.used[h] = line
	}
	return line
}

// Lines reads JSON Lines without decoding them, gzipped or not, for those who decode them
// elsewhere. Its lines and errors are those of a Reader.
type Lines struct{ text lines }

// NewLines starts reading lines. It refuses what is no text, as Open does.
func NewLines(name string, r io.Reader) (*Lines, error) {
	text, err := openLines(Source{Name: name, Text: r}, Options{Format: "jsonl"})
	if err != nil {
		return nil, err
	}
	return &Lines{*text}, nil
}

// Next returns the next line that is not blank, trimmed, and its number. The line is valid
// until the next call. The errors are those of Reader.Next.
func (l *Lines) Next() (line []byte, number int, err error) { return l.text.next() }

// Decode reads a line of Lines as a record. The error is a *LineError.
func Decode(line []byte, number int) (Record, error) {
	rec, err := decode(line, number, &Options{})
	if err != nil {
		return Record{}, &LineError{Line: number, Err: err}
	}
	return rec, nil
}

// lines reads text line by line, gzipped or not.
type lines struct {
	raw  io.Reader
	in   *bufio.Reader // nil before the first read
	line int
	// at is the place of the next byte in the unpacked text, and begin that of the line that
	// was read last.
	at, begin int64
	buf       []byte
	sum       hash.Hash // of what was read; nil for none
	part      bool      // of a text whose byte order mark is not there
	array     bool      // the lines are the elements of a JSON array, or objects over several lines
	names     []string  // keys of the first objects
}

// open unpacks gzip and skips a byte order mark.
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
	if mark, _ := l.in.Peek(3); string(mark) == "\ufeff" && !l.part {
		_, _ = l.in.Discard(3) // it is in the buffer
		l.at = 3
	}
	return nil
}

// span is where the line that was read last begins, and its bytes; 0 for an element of an array.
func (l *lines) span() (offset, size int64) {
	if l.array {
		return 0, 0
	}
	return l.begin, l.at - l.begin
}

// next returns the next line that is not blank, trimmed, and its number. The slice is valid
// until the next call. Errors are those of Reader.Next.
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
	l.buf, l.begin = l.buf[:0], l.at
	tooLong := false
	for {
		part, err := l.in.ReadSlice('\n')
		l.at += int64(len(part))
		if l.sum != nil {
			l.sum.Write(part) // never an error
		}
		if !tooLong {
			l.buf = append(l.buf, part...)
		}
		if len(l.buf) > limits.LineBytes {
			tooLong = true
			l.buf = l.buf[:0]
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return nil, fmt.Errorf("reading behind %s: %w", where(l.line, l.array), err)
		case err != nil && len(l.buf) == 0 && !tooLong:
			return nil, io.EOF
		}
		l.line++
		if tooLong {
			l.buf = nil
			return nil, &LineError{Line: l.line, Row: l.array, Err: fmt.Errorf("longer than the limit of %d MiB", limits.LineBytes>>20)}
		}
		return l.buf, nil
	}
}
