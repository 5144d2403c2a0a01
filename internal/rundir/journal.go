package rundir

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
)

const (
	sumDigits  = 64 // of the checksum of the text
	textDigits = 16 // those of it in the line of a change
	// maxLine bounds a line of the journal, with its line end.
	maxLine = 256
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// entry is the journal's line of a change.
type entry struct {
	line     int
	text     string // textDigits of the checksum
	scores   int64
	block    bool  // whether it has one
	matrices int64 // up to the end of its block or, without one, of the last before it
	rows     uint32
}

// String is the line, with its end.
func (e entry) String() string {
	block := "-"
	if e.block {
		block = strconv.FormatInt(e.matrices, 10)
	}
	return signed(fmt.Sprintf("%d %s %d %s %08x", e.line, e.text, e.scores, block, e.rows))
}

// end is the last line of a journal.
type end struct {
	End
	scores, matrices int64
}

// String is the line, with its end.
func (e end) String() string {
	return signed(fmt.Sprintf("end %d %d %s %d %d", e.Lines, e.Malformed, e.Text, e.scores, e.matrices))
}

func signed(columns string) string { return fmt.Sprintf("%s %08x\n", columns, sum([]byte(columns))) }

// mismatch returns an error if the dataset has changed since.
func (was End) mismatch(e End) error {
	const other = "the run is finished, but the dataset is not the one that it read: it "
	switch {
	case was.Lines != e.Lines:
		return fmt.Errorf(other+"had %d lines and has %d", was.Lines, e.Lines)
	case was.Text != e.Text:
		return fmt.Errorf(other+"had the checksum %.12s and has %.12s: the difference is behind the last change", was.Text, e.Text)
	case was.Malformed != e.Malformed:
		return fmt.Errorf(other+"had %d malformed lines, and this program finds %d", was.Malformed, e.Malformed)
	}
	return nil
}

// line is a line of a journal: of a change, or the end.
type line struct {
	entry
	end *end
}

// parse reads a line without its line end, which follows an entry. It accepts only what
// String writes.
func parse(text string, before entry) (line, bool) {
	columns := strings.Split(text, " ")
	var bad bool
	number := func(s string) int64 {
		n, err := strconv.ParseInt(s, 10, 64)
		bad = bad || err != nil || n < 0
		return n
	}
	switch {
	case len(columns) == 7 && columns[0] == "end":
		e := end{End{int(number(columns[1])), int(number(columns[2])), columns[3]}, number(columns[4]), number(columns[5])}
		ok := !bad && len(e.Text) == sumDigits && e.Lines >= before.line && e.scores == before.scores && e.matrices >= before.matrices
		return line{end: &e}, ok && e.String() == text+"\n"
	case len(columns) == 6:
		e := entry{line: int(number(columns[0])), text: columns[1], scores: number(columns[2]), matrices: before.matrices}
		if e.block = columns[3] != "-"; e.block {
			e.matrices = number(columns[3])
		}
		rows, err := strconv.ParseUint(columns[4], 16, 32)
		e.rows = uint32(rows)
		ok := !bad && err == nil && len(e.text) == textDigits && e.line > before.line && e.scores >= before.scores &&
			(!e.block || e.matrices > before.matrices)
		return line{entry: e}, ok && e.String() == text+"\n"
	}
	return line{}, false
}

// journal reads the lines of a journal.
type journal struct {
	in   *bufio.Reader
	good int64 // bytes of whole, good lines
	last entry
	// lost counts the lines behind those that were finished.
	lost int
	err  error
}

func newJournal(r io.Reader) *journal { return &journal{in: bufio.NewReaderSize(r, 1<<16)} }

// next returns the next line. The error is io.EOF behind the last good line, and behind the
// end. A crash in a commit may leave anything behind the last good line, but no more than
// the commit wrote. If more good lines follow, or an end (which has its own commit),
// something else has damaged the file.
func (j *journal) next() (line, error) {
	if j.err != nil {
		return line{}, j.err
	}
	text, err := j.in.ReadSlice('\n')
	l, ok := line{}, false
	if err == nil {
		l, ok = parse(string(text[:len(text)-1]), j.last)
	}
	switch {
	case ok:
		j.good += int64(len(text))
		if j.last = l.entry; l.end != nil {
			if j.err = j.atEnd(); !errors.Is(j.err, io.EOF) {
				return line{}, j.err
			}
		}
		return l, nil
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull):
		j.err = fmt.Errorf("%s: %w", journalName, err)
	default:
		j.err = j.torn(int64(len(text)))
	}
	return line{}, j.err
}

func (j *journal) atEnd() error {
	switch _, err := j.in.ReadByte(); {
	case err == nil:
		return fmt.Errorf("%s has bytes behind its end: it was changed", journalName)
	default:
		return err // io.EOF, if all is well
	}
}

// torn checks the bytes behind a damaged line.
func (j *journal) torn(bad int64) error {
	for {
		text, err := j.in.ReadSlice('\n')
		if err == nil {
			// The line before it is unknown, so only its own checksum can be checked.
			columns, sum, ok := cutLast(string(text[:len(text)-1]))
			if ok = ok && signed(columns) == columns+" "+sum+"\n"; ok {
				j.lost++
			}
			if ok && (j.lost >= maxBatch || bad > maxBatch*maxLine || strings.HasPrefix(columns, "end ")) {
				return fmt.Errorf("%s is damaged at byte %d, and good lines follow", journalName, j.good)
			}
		}
		if bad += int64(len(text)); err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			if errors.Is(err, io.EOF) {
				return io.EOF
			}
			return fmt.Errorf("%s: %w", journalName, err)
		}
	}
}

func cutLast(s string) (before, last string, ok bool) {
	i := strings.LastIndexByte(s, ' ')
	if i < 0 {
		return "", "", false
	}
	return s[:i], s[i+1:], true
}

// replay compares a dataset that is read again with the journal.
type replay struct {
	file    file
	journal *journal
	ahead   *line // read, but not asked for
	last    int   // line of the last change that was the same
}

// peek returns the next line of the journal. Behind the last line that is an end.
func (r *replay) peek() (*line, error) {
	if r.ahead != nil {
		return r.ahead, nil
	}
	l, err := r.journal.next()
	switch {
	case errors.Is(err, io.EOF):
		l = line{end: &end{}}
	case err != nil:
		return nil, err
	}
	r.ahead = &l
	return r.ahead, nil
}

// at reports whether the change at a place is finished, and whether the journal has more
// changes.
func (r *replay) at(p Place) (done, more bool, err error) {
	l, err := r.peek()
	if err != nil || l.end != nil {
		return false, false, err
	}
	const other = "the dataset is not the one that the run began with: "
	switch {
	case p.Line < l.line:
		return false, false, fmt.Errorf(other+"line %d is a change, and was none", p.Line)
	case p.Line > l.line:
		return false, false, fmt.Errorf(other+"line %d was a change, and is none", l.line)
	case len(p.Text) < textDigits || p.Text[:textDigits] != l.text:
		where := fmt.Sprintf("line %d", l.line)
		if r.last+1 < l.line {
			where = fmt.Sprintf("a line from %d to %d", r.last+1, l.line)
		}
		return false, false, fmt.Errorf(other+"%s differs", where)
	}
	r.last, r.ahead = l.line, nil
	return true, true, nil
}

// rows reads the result lines of the changes in a journal.
type rows struct {
	in  *bufio.Reader
	at  int64
	buf bytes.Buffer
}

func newRows(r io.Reader) *rows { return &rows{in: bufio.NewReaderSize(r, 1<<16)} }

// of returns the result lines of the next entry, which are valid until the next call.
func (r *rows) of(e entry) ([]byte, error) {
	if r.buf.Cap() > 1<<20 {
		r.buf = bytes.Buffer{}
	}
	r.buf.Reset()
	n, err := io.CopyN(&r.buf, r.in, e.scores-r.at)
	r.at += n
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s has %d bytes of the %d that %s says are finished: its end is lost", ScoresName, r.at, e.scores, journalName)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ScoresName, err)
	}
	if sum(r.buf.Bytes()) != e.rows {
		return nil, fmt.Errorf("%s was changed or is damaged: the lines of the change of line %d (bytes %d to %d) are not those of which %s has the checksum", ScoresName, e.line, r.at-n, r.at, journalName)
	}
	return r.buf.Bytes(), nil
}
