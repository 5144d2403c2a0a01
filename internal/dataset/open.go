package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"
)

// formats are the values of Options.Format.
var formats = []string{"jsonl", "json", "csv", "parquet"}

// Formats lists the formats that a dataset can have.
func Formats() []string { return slices.Clone(formats) }

// Source is where a dataset comes from.
type Source struct {
	Name string    // of the file; its ending suggests the format
	Text io.Reader // the content, from its start
	// File is the same content with random access. It is nil for a pipe.
	File io.ReaderAt
	Size int64 // of File, in bytes
	// Read is called with the numbers of bytes that were read from File, if not nil.
	Read func(n int64)
}

// Options describe how a dataset is written. The zero value detects everything.
type Options struct {
	Format  string  // one of Formats, or empty to detect it
	Columns Columns // of rows: CSV, Parquet, or JSON with a review a row
	Comma   rune    // the separator of CSV; 0 to detect it
	// EmptyCells is the meaning of an empty cell of a review: EmptyIsMissing (also the
	// meaning of "") or EmptyIsReview.
	EmptyCells string
	// ClaimSets are the sets of claims that the run uses. If the first change lacks one,
	// the dataset is refused.
	ClaimSets []string
	// NoDiff says that a change needs no diff: its reviews are compared with each other.
	NoDiff bool
	// Without are fields whose texts are not wanted: diff, old or new. Records have none of them
	// where Reader.Place finds their lines; what may not stand there is an error all the same.
	Without []string
	// Interchange says that JSON has the interchange format or CodeReviewer's rows, whatever
	// its first rows look like.
	Interchange bool
	// group bounds the cells that are grouped in memory, in bytes; 0 for limits.GroupedBytes.
	group int
	// Start says that the dataset is a part of a text in JSON Lines, and where it begins. Lines
	// are counted, and the checksum is taken, from the start of the whole text.
	Start *Start
}

// Start is where a part of a text in JSON Lines begins.
type Start struct {
	Lines int // lines before the part
	// Sum is the state of the SHA-256 of the text before the part, as encoding.BinaryMarshaler
	// gives it.
	Sum []byte
}

// SumOf returns a SHA-256 in a state, as encoding.BinaryMarshaler gives it.
func SumOf(state []byte) (hash.Hash, error) {
	sum := sha256.New()
	if err := sum.(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err != nil {
		return nil, fmt.Errorf("the state of a checksum: %w", err)
	}
	return sum, nil
}

// lines reads a part from its start.
func (s *Start) lines(raw io.Reader) (lines, error) {
	sum, err := SumOf(s.Sum)
	return lines{raw: raw, line: s.Lines, sum: sum, part: true}, err
}

// The values of Options.EmptyCells.
const (
	EmptyIsMissing = "missing" // the review is missing, and gets no score
	EmptyIsReview  = "review"  // the review says nothing, and scores 0
)

// Check returns an error if the options contradict each other.
func (o Options) Check() error {
	switch {
	case o.Format != "" && !slices.Contains(formats, o.Format):
		return fmt.Errorf("unknown format %q: choose one of %s", o.Format, strings.Join(formats, ", "))
	case o.EmptyCells != "" && o.EmptyCells != EmptyIsMissing && o.EmptyCells != EmptyIsReview:
		return fmt.Errorf("unknown meaning of empty cells %q: choose %s or %s", o.EmptyCells, EmptyIsReview, EmptyIsMissing)
	case o.Start != nil && (o.Format != "" && o.Format != "jsonl" || o.ofTables()):
		return errors.New("a part of a dataset is JSON Lines")
	case (o.Format == "jsonl" || o.Format == "json") && o.Comma != 0:
		return errors.New("a dataset in JSON has no separator")
	case o.Format == "parquet" && o.Comma != 0:
		return errors.New("a Parquet file has no separator")
	case o.Comma != 0 && !(o.Comma > ' ' && o.Comma < 0x7f || o.Comma == '\t') || o.Comma == '"':
		return fmt.Errorf("%q cannot separate cells: choose one character like , ; or |, or a tab", o.Comma)
	}
	return nil
}

// ofTables reports whether an option is for tables only.
func (o Options) ofTables() bool { return len(o.Columns) > 0 || o.Comma != 0 || o.EmptyCells != "" }

// lacks reports whether a key has a text that is not wanted.
func (o *Options) lacks(key string) bool {
	return slices.ContainsFunc(o.Without, func(field string) bool { return slices.Contains(columnsOf(field), key) })
}

// Open starts reading a dataset. The format comes from the options, else from the first
// bytes (Parquet), the ending of the name, or the content.
func Open(src Source, o Options) (*Reader, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	if o.Start != nil {
		text, err := o.Start.lines(src.Text)
		if err != nil {
			return nil, err
		}
		r := newReader(&jsonLines{text: text, form: o})
		r.sets = o.ClaimSets
		return r, nil
	}
	t, text, err := openTable(src, o)
	if err != nil {
		return nil, err
	}
	if t != nil {
		return newTable(t, src, o)
	}
	if text.array {
		o.Without = nil
	}
	r := newReader(&jsonLines{text: *text, form: o})
	r.sets = o.ClaimSets
	return r, nil
}

// openTable is openFormat, and takes JSON with a review a row for a table.
func openTable(src Source, o Options) (table, *lines, error) {
	t, text, err := openFormat(src, o)
	if err != nil || t != nil || o.Interchange {
		return t, text, err
	}
	if o.Comma != 0 {
		return nil, nil, errors.New("this is JSON, which has no separator (--data-format csv reads it as CSV)")
	}
	t, err = openRows(text, o)
	return t, text, err
}

// OpenText returns the text of a dataset in JSON Lines, unpacked and without a byte order mark.
func OpenText(src Source) (io.Reader, error) {
	text, err := openLines(src, Options{})
	if err != nil {
		return nil, err
	}
	return text.in, nil
}

// openLines refuses what is not JSON Lines with a change a line.
func openLines(src Source, o Options) (*lines, error) {
	t, text, err := openTable(src, o)
	switch {
	case err != nil:
		return nil, err
	case t != nil:
		return nil, fmt.Errorf("this is %s, not JSON Lines with a change a line", t.about())
	case text.array:
		return nil, errors.New("this is JSON over other lines, not JSON Lines")
	}
	return text, nil
}

// openFormat returns a table, or the text of JSON Lines.
func openFormat(src Source, o Options) (table, *lines, error) {
	format := o.Format
	if (format == "" || format == "parquet") && src.isParquetFile() {
		t, err := openParquet(src)
		if err != nil {
			return nil, nil, err
		}
		return t, nil, nil
	}
	if format == "" {
		format = byName(src.Name)
	}
	text := &lines{raw: src.Text}
	if err := text.open(); err != nil {
		return nil, nil, err
	}
	head, _ := text.in.Peek(headBytes)
	switch {
	case isParquet(head) && o.Format != "" && o.Format != "parquet":
		return nil, nil, fmt.Errorf("this is Parquet, not %s", o.Format)
	case format == "parquet" && !isParquet(head):
		return nil, nil, errors.New("this is not a Parquet file: it does not begin with PAR1")
	}
	if err := notText(head); err != nil {
		return nil, nil, err
	}
	if format == "" {
		format = byContent(head, o)
	}
	if format != "csv" {
		text.elements(head)
		return nil, text, nil
	}
	t, err := openCSV(text, o.Comma)
	if err != nil {
		return nil, nil, err
	}
	return t, nil, nil
}

// openValues opens scores or ratings, whose format the first bytes tell. It returns a table, or nil
// where text has JSON.
func openValues(src Source, text *lines) (table, error) {
	if src.isParquetFile() {
		return openParquet(src)
	}
	if err := text.open(); err != nil {
		return nil, err
	}
	head, _ := text.in.Peek(headBytes)
	if begin := bytes.TrimLeft(head, " \t\r\n"); len(begin) == 0 || begin[0] == '{' || begin[0] == '[' {
		text.elements(head)
		return nil, nil
	}
	if err := notText(head); err != nil {
		return nil, err
	}
	t, err := openCSV(text, 0)
	if err != nil {
		return nil, fmt.Errorf("this is not JSON Lines, and reading it as CSV failed: %w", err)
	}
	return t, nil
}

// notText returns an error if the first bytes cannot be JSON Lines or CSV.
func notText(head []byte) error {
	switch {
	case isParquet(head):
		return errors.New("this is Parquet, whose table of contents is at its end: give the name of a file, not a pipe or a packed one")
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return errors.New("this is a zip archive, as Excel's files are: save the table as CSV")
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")), bytes.HasPrefix(head, []byte{0}):
		return errors.New("this is not text in UTF-8: save it as UTF-8")
	}
	return nil
}

// isParquetFile reports whether there is a file with random access that holds Parquet.
func (s Source) isParquetFile() bool {
	if s.File == nil {
		return false
	}
	var magic [4]byte
	n, _ := s.File.ReadAt(magic[:], 0)
	return isParquet(magic[:n])
}

// headBytes is how much of a text is looked at to detect the format.
const headBytes = 1 << 16

// isParquet reports whether a file begins like Parquet, encrypted or not.
func isParquet(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PAR1")) || bytes.HasPrefix(head, []byte("PARE"))
}

// byName returns the format that a name ends in, or "".
func byName(name string) string {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	for _, ending := range []struct{ ending, format string }{
		{".jsonl", "jsonl"}, {".ndjson", "jsonl"}, {".json", "jsonl"}, {".csv", "csv"}, {".tsv", "csv"}, {".parquet", "parquet"},
	} {
		if strings.HasSuffix(name, ending.ending) {
			return ending.format
		}
	}
	return ""
}

// byContent distinguishes CSV from JSON Lines. It takes anything else for JSON Lines, whose
// errors then say what is wrong.
func byContent(head []byte, o Options) string {
	switch head = bytes.TrimLeft(head, " \t\r\n"); {
	case bytes.HasPrefix(head, []byte("{")), bytes.HasPrefix(head, []byte("[")), len(head) == 0:
		return "jsonl"
	case o.ofTables():
		return "csv"
	}
	header := head
	if i := bytes.IndexByte(head, '\n'); i >= 0 {
		header = head[:i]
	}
	for _, cell := range strings.Split(string(bytes.TrimRight(header, "\r")), string(sniffComma(head))) {
		name := plain(strings.Trim(cell, `"`))
		if slices.Contains(columnsOf("diff"), name) || o.NoDiff && slices.Contains(columnsOf("review"), name) {
			return "csv"
		}
	}
	return "jsonl"
}
