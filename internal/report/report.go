// Package report prints results: as text for people, and as JSON, JSON Lines, CSV
// and Parquet for programs. Its rows are plain values, and the JSON form of Row is
// a contract: fields may be added, never renamed.
//
// Nothing is computed here, and numbers are rounded in text only.
package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
)

// Row is what is printed of one review.
type Row struct {
	ID     string `json:"id"`     // of the change
	Review string `json:"review"` // the review's id: the system that wrote it
	Status string `json:"status"` // "scored" or "unscored"
	Reason string `json:"reason,omitempty"`
	// The numbers are nil for an unscored review.
	Con       *float64 `json:"con,omitempty"`
	Comp      *float64 `json:"comp,omitempty"`
	Rel       *float64 `json:"rel,omitempty"`
	Sentences *int     `json:"sentences,omitempty"`
	Refs      *int     `json:"refs,omitempty"`
	Mode      string   `json:"mode"`
	Tau       *float64 `json:"tau,omitempty"`   // nil in a mode without one
	Low       *float64 `json:"low,omitempty"`   // mode ramp's
	Slope     *float64 `json:"slope,omitempty"` // mode calibrated's
	Signature string   `json:"signature"`
	Note      string   `json:"note,omitempty"`
	Human     *Human   `json:"human,omitempty"` // labels that came with the review
	Lang      string   `json:"lang,omitempty"`  // of the change, where a dataset tells it
	// Tools are the answers of external analyzers that were asked about the change.
	Tools []Tool `json:"tools,omitempty"`
	// Explain is the evidence, nil unless asked for.
	Explain *Explain `json:"explain,omitempty"`
}

// Tool is how it went with an external analyzer and the change.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	State   string `json:"state"` // clean, findings, failed, timed out, unsupported version or missing
	Reason  string `json:"reason,omitempty"`
	// Files counts the changed files in its languages, Unread those without an answer,
	// Findings those that count.
	Files    int `json:"files"`
	Unread   int `json:"unread,omitempty"`
	Findings int `json:"findings,omitempty"`
}

// Human holds labels on the scale of 1 to 5.
type Human struct {
	Con  float64 `json:"con"`
	Comp float64 `json:"comp"`
	Rel  float64 `json:"rel"`
}

// Explain is the evidence behind the numbers.
type Explain struct {
	Sentences []Sentence `json:"sentences"`
	Refs      []Ref      `json:"refs"`
	// Dropped are claims of models that did not count.
	Dropped []Dropped `json:"dropped,omitempty"`
}

// Dropped is a claim that did not count, with the reason.
type Dropped struct {
	Ref
	Reason string `json:"reason"` // the class of fault
	Detail string `json:"detail"` // for a person
}

// Sentence is a sentence of the review with its most similar reference.
type Sentence struct {
	Text  string `json:"text"`
	Start int    `json:"start"` // byte offsets into the review
	End   int    `json:"end"`
	// PointsBack tells that its similarities have a share of those of the sentence
	// before it, which it begins by pointing back to.
	PointsBack bool `json:"points_back,omitempty"`
	// Ref is the place of the reference in Explain.Refs, counted from 1.
	Ref        int     `json:"ref"`
	Similarity float64 `json:"similarity"`
	// Matched is nil in a mode without a threshold.
	Matched *bool `json:"matched,omitempty"`
	// Credit is what the sentence counts for Con, from 0 to 1.
	Credit float64 `json:"credit"`
}

// Ref is a pseudo-reference with its most similar sentence, as JSON. Sentence
// is counted from 1 and 0 where the review has none.
type Ref struct {
	Kind       string   `json:"kind"`
	Text       string   `json:"text"`
	Source     string   `json:"source"`
	Rule       string   `json:"rule,omitempty"`
	Path       string   `json:"path,omitempty"`
	Side       string   `json:"side,omitempty"`
	StartLine  int      `json:"start_line,omitempty"`
	EndLine    int      `json:"end_line,omitempty"`
	Sentence   *int     `json:"sentence,omitempty"`
	Similarity *float64 `json:"similarity,omitempty"`
	Matched    *bool    `json:"matched,omitempty"`
	Credit     *float64 `json:"credit,omitempty"` // what it counts for Comp, from 0 to 1
	Weight     *float64 `json:"weight,omitempty"` // nil for 1
}

// Writer prints rows in the order they come. Every Write hands a whole row to
// the underlying writer, so that an interrupted run leaves no half of one; but for
// Parquet, of which nothing can be read before Close.
type Writer interface {
	Write(Row) error
	// Close writes what comes last. It does not close the underlying writer.
	Close() error
}

// NewWriter returns a writer of a format. The options matter to text only.
func NewWriter(w io.Writer, format string, opts TextOptions) (Writer, error) {
	switch format {
	case "text":
		return &textWriter{w: w, opts: opts}, nil
	case "json":
		return &jsonWriter{w: w}, nil
	case "jsonl":
		return &jsonlWriter{w: w}, nil
	case "csv":
		return &csvWriter{w: w}, nil
	case "parquet":
		return newParquetWriter(w), nil
	}
	return nil, fmt.Errorf("unknown format %q: choose text, json, jsonl, csv or parquet", format)
}

// JSON writes a value as JSON, on one line or indented. Angle brackets of code stay as
// they are; characters that a terminal could obey are escaped, which changes
// nothing for a program.
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

// EscapeJSON writes a text that is JSON with the characters that a terminal could
// obey as escapes, which mean the same.
func EscapeJSON(b *bytes.Buffer, text []byte) {
	for _, r := range string(text) {
		if r >= 0x7f && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			fmt.Fprintf(b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
}

type jsonlWriter struct{ w io.Writer }

func (j *jsonlWriter) Write(r Row) error {
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

func (j *jsonWriter) Write(r Row) error {
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
