// Package report prints results, the rows of package dataset: as text for people, and as JSON,
// JSON Lines, CSV and Parquet for programs.
//
// The package computes nothing. Only text has rounded numbers.
package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"

	"crscore/internal/dataset"
)

// Writer prints rows in the order of their arrival. Every Write passes a whole row to the
// underlying writer, so that an interrupted run leaves whole rows; but a Parquet file cannot
// be read before Close.
type Writer interface {
	// Write writes a row.
	Write(dataset.Row) error
	// Close writes the end. It does not close the underlying writer.
	Close() error
}

// NewWriter returns a writer of a format. The options are for text.
func NewWriter(w io.Writer, format string, opts TextOptions) (Writer, error) {
	return NewMetricsWriter(w, format, nil, opts)
}

// NewMetricsWriter returns a writer of rows that have the metrics of these names, nil for
// rows of CRScore. A table has a column for each.
func NewMetricsWriter(w io.Writer, format string, metrics []string, opts TextOptions) (Writer, error) {
	switch format {
	case "text":
		return &textWriter{w: w, opts: opts, metrics: metrics}, nil
	case "json":
		return &jsonWriter{w: w}, nil
	case "jsonl":
		return &jsonlWriter{w: w}, nil
	case "csv":
		return &csvWriter{w: w, columns: dataset.RowColumns(metrics)}, nil
	case "parquet":
		return newParquetWriter(w, metrics), nil
	}
	return nil, fmt.Errorf("unknown format %q: choose text, json, jsonl, csv or parquet", format)
}

// JSON writes a value as JSON, on one line or indented. Angle brackets of code stay as they
// are. Characters that a terminal could obey are escaped, which means the same to a program.
func JSON(b *bytes.Buffer, v any, indent string) error {
	var plain bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetIndent("", indent)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	EscapeJSON(b, plain.Bytes())
	return nil
}

// EscapeJSON writes JSON with escapes for the characters that a terminal or a CI system could
// obey. They mean the same.
func EscapeJSON(b *bytes.Buffer, text []byte) {
	for i, r := range string(text) {
		if r == '#' && isCommand(text[i:]) {
			b.WriteString(`\u0023`)
			continue
		}
		if r >= 0x7f && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			fmt.Fprintf(b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
}

type jsonlWriter struct{ w io.Writer }

func (j *jsonlWriter) Write(r dataset.Row) error {
	var b bytes.Buffer
	if err := JSON(&b, r, ""); err != nil {
		return err
	}
	_, err := j.w.Write(b.Bytes())
	return err
}

func (j *jsonlWriter) Close() error { return nil }

// jsonWriter writes one array, a row a line.
type jsonWriter struct {
	w    io.Writer
	rows int
}

func (j *jsonWriter) Write(r dataset.Row) error {
	var b bytes.Buffer
	b.WriteString(map[bool]string{true: "[\n", false: ",\n"}[j.rows == 0])
	if err := JSON(&b, r, ""); err != nil {
		return err
	}
	j.rows++
	_, err := j.w.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	return err
}

func (j *jsonWriter) Close() error {
	end := "\n]\n"
	if j.rows == 0 {
		end = "[]\n"
	}
	_, err := io.WriteString(j.w, end)
	return err
}
