package findings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"crscore/internal/limits"
)

// Read reads a file of findings. It detects the format by the content: SARIF 2, checkstyle's
// XML, reviewdog's rdjson or rdjsonl. It leaves out findings that the file marks as passed,
// suppressed or ignored.
func Read(text []byte) ([]Finding, error) {
	if len(text) > limits.FindingsBytes {
		return nil, fmt.Errorf("findings: larger than the limit of %d MiB", limits.FindingsBytes>>20)
	}
	// The shell of Windows writes UTF-16 with a mark. Text without a mark stays as it is.
	text, _, err := transform.Bytes(unicode.BOMOverride(transform.Nop), text)
	if err != nil {
		return nil, fmt.Errorf("findings: %w", err)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, errors.New("findings: the file is empty")
	}
	if bytes.HasPrefix(text, []byte("\x1f\x8b")) {
		return nil, errors.New("findings: the file is compressed; unpack it first")
	}
	read, format := readers(text)
	if read == nil {
		return nil, errors.New("findings: this is not SARIF, checkstyle's XML, rdjson or rdjsonl")
	}
	found, err := read(text)
	if err != nil {
		return nil, fmt.Errorf("findings: reading %s: %w", format, err)
	}
	for i := range found {
		f := &found[i]
		f.Tool, f.Rule, f.Message = Text(f.Tool, limits.FindingText), Text(f.Rule, limits.FindingText), Text(f.Message, limits.FindingText)
		f.Line, f.Column, f.EndLine = max(f.Line, 0), max(f.Column, 0), max(f.EndLine, 0)
	}
	return found, nil
}

// readers chooses a reader by the first value of the text.
func readers(text []byte) (func([]byte) ([]Finding, error), string) {
	start := bytes.TrimSpace(text)
	if bytes.HasPrefix(start, []byte("<")) {
		return readCheckstyle, "checkstyle's XML"
	}
	if !bytes.HasPrefix(start, []byte("{")) {
		return nil, ""
	}
	var keys struct {
		Runs, Diagnostics, Location json.RawMessage
	}
	// Only the first value: rdjsonl has one a line. The reader reports errors.
	err := json.NewDecoder(bytes.NewReader(start)).Decode(&keys)
	switch {
	case keys.Runs != nil:
		return readSARIF, "SARIF"
	case keys.Diagnostics != nil:
		return readRDJSON, "rdjson"
	case keys.Location != nil: // an object with only a message may be the error of an API
		return readRDJSONL, "rdjsonl"
	case err != nil:
		return func(text []byte) ([]Finding, error) { return nil, DecodeJSON(text, new(json.RawMessage)) }, "JSON"
	}
	return nil, ""
}

// DecodeJSON is json.Unmarshal with the line in errors.
func DecodeJSON(text []byte, into any) error {
	err := json.Unmarshal(text, into)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	offset := int64(-1)
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	}
	if offset >= 0 {
		return fmt.Errorf("line %d: %w", 1+bytes.Count(text[:min(offset, int64(len(text)))], []byte("\n")), err)
	}
	return err
}

// unescaped decodes the path of a URI. Some tools write paths without encoding.
func unescaped(s string) string {
	if p, err := url.PathUnescape(s); err == nil {
		return p
	}
	return s
}
