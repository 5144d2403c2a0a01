package rundir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"crscore/internal/journal"
	"crscore/internal/limits"
)

const (
	sumDigits  = 64 // of the checksum of the text
	textDigits = 16 // those of it in the line of a change
)

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

func signed(columns string) string {
	return fmt.Sprintf("%s %08x\n", columns, journal.Sum([]byte(columns)))
}

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
		e := end{End{columns[3], int(number(columns[1])), int(number(columns[2]))}, number(columns[4]), number(columns[5])}
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

// log reads the lines of a journal.
type log struct {
	in   *journal.Reader
	good int64 // bytes of whole, good lines
	last entry
	// lost counts the lines behind those that were finished.
	lost  int
	ahead *line // the next line, if it was asked for
	err   error
}

func newLog(r io.Reader) *log { return &log{in: journal.NewReader(r, 0)} }

// peek returns the next line, and next goes behind it. The error is io.EOF behind the last good
// line, and behind the end. A crash in a commit may leave anything behind the last good line, but
// no more than the commit wrote. If more good lines follow, or an end (which has its own commit),
// something else has damaged the file.
func (j *log) peek() (line, error) {
	if j.ahead == nil && j.err == nil {
		j.read()
	}
	if j.ahead == nil {
		return line{}, j.err
	}
	return *j.ahead, nil
}

func (j *log) next() (line, error) {
	l, err := j.peek()
	j.ahead = nil
	return l, err
}

func (j *log) read() {
	text, whole, err := j.in.Line()
	if err != nil {
		j.err = err
		return
	}
	l, ok := line{}, false
	if whole {
		l, ok = parse(string(text[:len(text)-1]), j.last)
	}
	if !ok {
		j.err = j.torn(int64(len(text)))
		return
	}
	j.good += int64(len(text))
	if j.last = l.entry; l.end != nil {
		if j.err = j.in.End(); errors.Is(j.err, journal.ErrBehind) {
			j.err = fmt.Errorf("%s has bytes behind its end: it was changed", journalName)
		}
		if !errors.Is(j.err, io.EOF) {
			return
		}
	}
	j.ahead = &l
}

// torn checks the bytes behind a damaged line.
func (j *log) torn(bad int64) error {
	for {
		text, whole, err := j.in.Line()
		if err != nil {
			return err // io.EOF, if a crash may have left it
		}
		if whole {
			// The line before it is unknown, so only its own checksum can be checked.
			columns := string(text[:max(0, bytes.LastIndexByte(text, ' '))])
			ok := signed(columns) == string(text)
			if ok {
				j.lost++
			}
			if ok && (j.lost >= limits.JournalBatch || bad > limits.JournalBatch*limits.JournalLine || strings.HasPrefix(columns, "end ")) {
				return fmt.Errorf("%s is damaged at byte %d, and good lines follow", journalName, j.good)
			}
		}
		bad += int64(len(text))
	}
}

// replay compares a dataset that is read again with the journal.
type replay struct {
	*log
	last int // line of the last change that was the same
}

// at reports whether the change at a place is finished, and whether the journal has more
// changes.
func (r *replay) at(p Place) (done, more bool, err error) {
	l, err := r.peek()
	if errors.Is(err, io.EOF) || err == nil && l.end != nil {
		return false, false, nil
	}
	const other = "the dataset is not the one that the run began with: "
	switch {
	case err != nil:
		return false, false, err
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

// rowsOf reads the result lines of the next entry, which are valid until the next call.
func rowsOf(scores *journal.Reader, e entry) ([]byte, error) {
	at := scores.Offset()
	text, err := scores.Take(e.scores - at)
	switch {
	case errors.Is(err, journal.ErrTruncated):
		return nil, lost(ScoresName, scores.Offset(), e.scores)
	case err == nil && journal.Sum(text) != e.rows:
		return nil, fmt.Errorf("%s was changed or is damaged: the lines of the change of line %d (bytes %d to %d) are not those of which %s has the checksum", ScoresName, e.line, at, e.scores, journalName)
	}
	return text, err
}

// lost is the error of a file that is too short.
func lost(name string, size, finished int64) error {
	return fmt.Errorf("%s has %d bytes of the %d that %s says are finished: its end is lost", name, size, finished, journalName)
}
