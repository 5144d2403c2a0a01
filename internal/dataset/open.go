package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Formats are the names of the forms that a dataset is read in.
var formats = []string{"jsonl", "csv", "parquet"}

// Formats lists the forms that a dataset is read in.
func Formats() []string { return slices.Clone(formats) }

// Source is where a dataset comes from.
type Source struct {
	Name string // of the file; its ending tells the format
	Text io.Reader
	// File is the same where it can be read at any place, and Size is its size;
	// nil of a pipe.
	File io.ReaderAt
	Size int64
	// Read is told how many bytes of File were read; nil for nobody.
	Read func(n int64)
}

// Options say how a dataset is written. The zero value finds out.
type Options struct {
	Format  string  // one of Formats, or empty
	Columns Columns // of CSV and Parquet
	Comma   rune    // of CSV; 0 finds out
}

// Check returns what is wrong with the options by themselves.
func (o Options) Check() error {
	switch {
	case o.Format != "" && !slices.Contains(formats, o.Format):
		return fmt.Errorf("unknown format %q: choose one of %s", o.Format, strings.Join(formats, ", "))
	case o.Format == "jsonl" && (len(o.Columns) > 0 || o.Comma != 0):
		return errors.New("a dataset in JSON Lines has no columns")
	case o.Format == "parquet" && o.Comma != 0:
		return errors.New("a Parquet file has no separator")
	case o.Comma != 0 && !(o.Comma > ' ' && o.Comma < 0x7f || o.Comma == '\t') || o.Comma == '"':
		return fmt.Errorf("%q cannot separate cells: choose one character like , ; or |, or a tab", o.Comma)
	}
	return nil
}

// Open starts reading a dataset in any format. That is what the options say, else what
// the content begins with or the name ends in.
func Open(src Source, o Options) (*Reader, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	format := o.Format
	if src.File != nil && (format == "" || format == "parquet") {
		var magic [4]byte
		if n, _ := src.File.ReadAt(magic[:], 0); isParquet(magic[:n]) {
			t, err := openParquet(src)
			if err != nil {
				return nil, err
			}
			return newTable(t, o.Columns)
		}
	}
	if format == "" {
		format = byName(src.Name)
	}
	text := &lines{raw: src.Text}
	if err := text.open(); err != nil {
		return nil, err
	}
	head, _ := text.in.Peek(headBytes)
	switch {
	case isParquet(head) && o.Format != "" && o.Format != "parquet":
		return nil, fmt.Errorf("this is Parquet, not %s", o.Format)
	case isParquet(head):
		return nil, errors.New("this is Parquet, whose table of contents is at its end: give the name of a file, not a pipe or a packed one")
	case format == "parquet":
		return nil, errors.New("this is not a Parquet file: it does not begin with PAR1")
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return nil, errors.New("this is a zip archive, as Excel's files are: save the table as CSV")
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return nil, errors.New("this is not text in UTF-8: save it as UTF-8")
	case format == "":
		format = byContent(head, o)
	}
	if format == "csv" {
		t, err := openCSV(text, o.Comma)
		if err != nil {
			return nil, err
		}
		return newTable(t, o.Columns)
	}
	if len(o.Columns) > 0 || o.Comma != 0 {
		return nil, errors.New("this is JSON Lines, which have no columns to map or to separate (--data-format csv reads it as CSV)")
	}
	return newReader(&jsonLines{text: *text}), nil
}

// headBytes are looked at to tell formats apart.
const headBytes = 1 << 16

// isParquet tells whether a file begins as Parquet does, encrypted or not.
func isParquet(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PAR1")) || bytes.HasPrefix(head, []byte("PARE"))
}

// byName returns the format that a name ends in, or "".
func byName(name string) string {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	for _, ending := range []struct{ ending, format string }{
		{".jsonl", "jsonl"}, {".ndjson", "jsonl"}, {".csv", "csv"}, {".tsv", "csv"}, {".parquet", "parquet"},
	} {
		if strings.HasSuffix(name, ending.ending) {
			return ending.format
		}
	}
	return ""
}

// byContent tells CSV from JSON Lines. What is neither is JSON Lines, whose errors
// then say what is wrong.
func byContent(head []byte, o Options) string {
	switch head = bytes.TrimLeft(head, " \t\r\n"); {
	case bytes.HasPrefix(head, []byte("{")), len(head) == 0:
		return "jsonl"
	case len(o.Columns) > 0, o.Comma != 0:
		return "csv"
	}
	header := head
	if i := bytes.IndexByte(head, '\n'); i >= 0 {
		header = head[:i]
	}
	for _, cell := range strings.Split(string(bytes.TrimRight(header, "\r")), string(sniffComma(head))) {
		if slices.Contains(columnsOf("diff"), strings.Trim(cell, `" `)) {
			return "csv"
		}
	}
	return "jsonl"
}
