package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"crscore/internal/limits"
)

// commas are the separators that are detected.
var commas = []byte{',', ';', '\t', '|'}

// csvTable reads CSV (RFC 4180): cells in quotes may have separators, line ends and
// doubled quotes. encoding/csv cannot go on behind a row that is too long, and does not
// distinguish an empty cell from "".
type csvTable struct {
	in    *bufio.Reader
	comma byte
	names []string
	used  []int
	line  int // lines that were read

	text  []byte // the cells of a row
	cells []csvCell
	count int // of cells; those beyond the header's are not kept
	out   []cell

	state  csvState
	quoted bool  // the cell that is read
	bad    error // what is wrong with the row
}

// csvCell is a cell by the end of its text.
type csvCell struct {
	end    int
	quoted bool
}

// openCSV reads the header.
func openCSV(text *lines, comma rune) (*csvTable, error) {
	t := &csvTable{in: text.in, comma: byte(comma), line: text.line}
	head, _ := t.in.Peek(headBytes)
	switch {
	case len(head) > 5 && string(head[:4]) == "sep=" && (head[5] == '\r' || head[5] == '\n'): // Excel's
		t.comma = head[4]
		_, _ = t.in.ReadSlice('\n') // it is in the buffer
		t.line++
	case comma == 0:
		t.comma = sniffComma(head)
	}
	if i := bytes.IndexAny(head, "\r\n"); i >= 0 && i+1 < len(head) && head[i] == '\r' && head[i+1] != '\r' && head[i+1] != '\n' {
		return nil, errors.New("its lines end with a carriage return alone: save it with line feeds, as CSV UTF-8 in Excel")
	}
	var bad *LineError
	switch _, err := t.read(); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("it is empty: the first line of a table names its columns")
	case errors.As(err, &bad): // and no line to leave out
		return nil, fmt.Errorf("the header: %s", bad.Error())
	case err != nil:
		return nil, fmt.Errorf("the header: %w", err)
	}
	if t.count > limits.TableColumns {
		return nil, fmt.Errorf("the header: %d columns are more than the limit of %d", t.count, limits.TableColumns)
	}
	for i := range t.cells {
		t.names = append(t.names, string(t.cell(i)))
	}
	return t, nil
}

// sniffComma returns the separator that occurs most often in the first line, outside of
// quotes.
func sniffComma(head []byte) byte {
	counts := make([]int, len(commas))
	quoted := false
	for _, b := range bytes.TrimLeft(head, "\r\n") {
		if b == '"' {
			quoted = !quoted
		}
		if quoted {
			continue
		}
		if b == '\n' {
			break
		}
		if i := bytes.IndexByte(commas, b); i >= 0 {
			counts[i]++
		}
	}
	return commas[slices.Index(counts, slices.Max(counts))]
}

func (t *csvTable) columns() []string { return t.names }

func (t *csvTable) use(columns []int) error {
	t.used, t.out = columns, make([]cell, len(columns))
	return nil
}

func (t *csvTable) rows() bool { return false }

func (t *csvTable) about() string {
	switch t.comma {
	case ',':
		return "CSV"
	case '\t':
		return "CSV separated by tabs"
	}
	return fmt.Sprintf("CSV separated by %q", t.comma)
}

// next returns the used cells of the next row, and its first line. The cells are valid
// until the next call.
func (t *csvTable) next() (int, []cell, error) {
	line, err := t.read()
	if err != nil {
		return 0, nil, err
	}
	if t.count != len(t.names) {
		return 0, nil, &LineError{Line: line, Err: fmt.Errorf("the row has %d cells, and the header %d", t.count, len(t.names))}
	}
	for i, place := range t.used {
		text := t.cell(place)
		// An empty cell means "not known"; an empty text is written "".
		t.out[i] = cell{text: string(text), null: len(text) == 0 && !t.cells[place].quoted}
	}
	return line, t.out, nil
}

func (t *csvTable) cell(i int) []byte {
	from := 0
	if i > 0 {
		from = t.cells[i-1].end
	}
	return t.text[from:t.cells[i].end]
}

// The states of reading a row.
type csvState int

const (
	cellStart csvState = iota
	inPlain
	inQuotes
	afterQuote    // that ends a cell, or is the first of two
	afterReturn   // behind a quote
	restOfBadLine // of which nothing is kept
)

// read reads the next row that is not blank, and returns the line where it begins.
func (t *csvTable) read() (int, error) {
	for {
		first, err := t.record()
		if err != nil {
			return 0, err
		}
		if t.count > 1 || len(t.text) > 0 || t.cells[0].quoted {
			return first, nil
		}
	}
}

// record reads a row.
func (t *csvTable) record() (first int, err error) {
	first = t.line + 1
	if cap(t.text) > 1<<20 {
		t.text = nil // one long row is no reason to hold so much
	}
	t.text, t.cells, t.count = t.text[:0], t.cells[:0], 0
	t.state, t.quoted, t.bad = cellStart, false, nil
	tooLong := false
	whole := true // the line, so far
	for any, over := false, false; !over; any = true {
		part, err := t.in.ReadSlice('\n')
		atEnd := errors.Is(err, io.EOF)
		if err != nil && !atEnd && !errors.Is(err, bufio.ErrBufferFull) {
			return 0, fmt.Errorf("reading behind line %d: %w", t.line, err)
		}
		if atEnd && len(part) == 0 && !any {
			return 0, io.EOF
		}
		if len(t.text) > limits.LineBytes {
			tooLong, t.text = true, t.text[:0]
		}
		over = t.take(part)
		if n := len(part); n > 0 {
			whole = part[n-1] == '\n'
		}
		if whole && len(part) > 0 || atEnd && !whole {
			t.line++
		}
		if atEnd && !over {
			t.endOfText()
			over = true
		}
	}
	if tooLong = tooLong || len(t.text) > limits.LineBytes; tooLong {
		t.text = nil
	}
	if err := t.check(first, tooLong, t.bad); err != nil {
		return 0, err
	}
	return first, nil
}

// take reads a part of a line. It reports whether the row ends with it.
func (t *csvTable) take(part []byte) (over bool) {
	for i := 0; i < len(part); i++ {
		b := part[i]
		switch t.state {
		case inQuotes:
			n := bytes.IndexByte(part[i:], '"')
			if n < 0 {
				n = len(part) - i
			} else {
				t.state = afterQuote
			}
			t.text = append(t.text, part[i:i+n]...)
			i += n
		case afterQuote, afterReturn:
			over = t.behindQuote(b)
		case cellStart, inPlain:
			over = t.plain(b)
		case restOfBadLine:
			over = b == '\n'
		}
	}
	return over
}

// behindQuote reads a byte behind a quote that may end a cell. It reports whether the row ends.
func (t *csvTable) behindQuote(b byte) (over bool) {
	switch {
	case b == '\n':
		t.endCell()
		return true
	case t.state == afterQuote && b == '"':
		t.text, t.state = append(t.text, '"'), inQuotes
	case t.state == afterQuote && b == t.comma:
		t.endCell()
	case t.state == afterQuote && b == '\r':
		t.state = afterReturn
	default:
		t.fail("text follows the quote that ends a cell (a quote inside of one is doubled)")
	}
	return false
}

// plain reads a byte outside of quotes. It reports whether the row ends.
func (t *csvTable) plain(b byte) (over bool) {
	switch {
	case b == '\n':
		if n := len(t.text); n > 0 && t.state == inPlain && t.text[n-1] == '\r' {
			t.text = t.text[:n-1]
		}
		t.endCell()
		return true
	case b == t.comma:
		t.endCell()
	case b != '"':
		t.text, t.state = append(t.text, b), inPlain
	case t.state == cellStart:
		t.state, t.quoted = inQuotes, true
	default:
		t.fail(`a quote in a cell that does not begin with one (such a cell is written in quotes, and the quote in it doubled)`)
	}
	return false
}

// endOfText ends a row that no line end ends.
func (t *csvTable) endOfText() {
	switch t.state {
	case inQuotes:
		t.fail("a quote is not closed")
	case restOfBadLine:
	default:
		t.endCell()
	}
}

// endCell ends a cell. Cells without a column are counted alone.
func (t *csvTable) endCell() {
	if t.count++; t.count <= limits.TableColumns && (t.names == nil || t.count <= len(t.names)) {
		t.cells = append(t.cells, csvCell{len(t.text), t.quoted})
	}
	t.state, t.quoted = cellStart, false
}

// fail takes the line for bad: the rest of it is left out.
func (t *csvTable) fail(why string) { t.bad, t.state = errors.New(why), restOfBadLine }

// check returns an error with the line of a row that was read, if the row is bad, too long,
// not UTF-8 or not text.
func (t *csvTable) check(first int, tooLong bool, bad error) error {
	switch {
	case tooLong:
		bad = fmt.Errorf("the row is longer than the limit of %d MiB (or a quote is not closed)", limits.LineBytes>>20)
	case bad != nil:
	case !utf8.Valid(t.text):
		bad = errors.New("the row is not UTF-8: save the table as UTF-8")
	case bytes.IndexByte(t.text, 0) >= 0:
		bad = errors.New("the row has a NUL byte, and text has none")
	}
	if bad == nil {
		return nil
	}
	where := ""
	if t.line > first {
		where = fmt.Sprintf(" (the row goes to line %d)", t.line)
	}
	return &LineError{Line: first, Err: fmt.Errorf("%w%s", bad, where)}
}
