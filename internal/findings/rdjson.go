package findings

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// diagnostic is a finding in reviewdog's format.
type diagnostic struct {
	Message  *string
	Location *struct {
		Path  string
		Range struct {
			Start, End struct{ Line, Column lineNumber }
		}
	}
	Severity rdSeverity
	Source   label
	Code     label
}

// label is a tool or a rule: an object with its name or value, or the name or number alone.
type label string

// UnmarshalJSON reads an object, a text or a number.
func (l *label) UnmarshalJSON(b []byte) error {
	var in any
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	if o, ok := in.(map[string]any); ok {
		if in = o["name"]; in == nil {
			in = o["value"]
		}
	}
	switch v := in.(type) {
	case nil:
	case string, float64:
		*l = label(fmt.Sprint(v))
	default:
		return fmt.Errorf("%s is no name of a tool or a rule", Text(string(b), 40))
	}
	return nil
}

// lineNumber is a line or column: see LineNumber.
type lineNumber int

// UnmarshalJSON implements json.Unmarshaler.
func (n *lineNumber) UnmarshalJSON(b []byte) error {
	v, err := LineNumber(b)
	*n = lineNumber(v)
	return err
}

// LineNumber reads a line or column in JSON, 0 for none: a whole number, as a text, too, which
// is how JSON of protocol buffers may have it. Tools written in Java write 12.0, and some tools
// write -1 for an unknown line.
func LineNumber(text []byte) (int, error) {
	var s any
	if err := json.Unmarshal(text, &s); err != nil {
		return 0, err
	}
	if s == nil || s == "" {
		return 0, nil
	}
	v, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	if err != nil || v != math.Trunc(v) || math.Abs(v) > math.MaxInt32 {
		return 0, fmt.Errorf("%s is not a line number", Text(string(text), 40))
	}
	return int(v), nil
}

// rdSeverity is a name or a number, as protocol buffers write enumerations. It is empty for
// those of later versions.
type rdSeverity Severity

// UnmarshalJSON reads a name or a number.
func (s *rdSeverity) UnmarshalJSON(b []byte) error {
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	switch v {
	case "ERROR", "1", 1.0:
		*s = rdSeverity(Error)
	case "WARNING", "2", 2.0:
		*s = rdSeverity(Warning)
	case "INFO", "3", 3.0:
		*s = rdSeverity(Info)
	}
	return nil
}

// Outer holds the defaults of rdjson for diagnostics without their own source or severity.
type Outer struct {
	Source   label      // the tool
	Severity rdSeverity // of findings without their own
}

// ReadOuter reads the defaults that rdjson gives outside of its diagnostics.
func ReadOuter(text []byte) (o Outer, err error) {
	err = DecodeJSON(text, &o)
	return o, err
}

// Diagnostic reads a diagnostic without cutting or cleaning its texts.
func (o Outer) Diagnostic(text []byte) (Finding, error) {
	var d diagnostic
	if err := json.Unmarshal(text, &d); err != nil {
		return Finding{}, err
	}
	return o.finding(&d)
}

// DiagnosticLine reads a line of rdjsonl. The line needs a location: an object with only a
// message may be the error of an API.
func DiagnosticLine(text []byte) (Finding, error) {
	var d diagnostic
	if err := json.Unmarshal(text, &d); err != nil {
		return Finding{}, err
	}
	if d.Message != nil && d.Location == nil {
		return Finding{}, errors.New("a diagnostic without a location")
	}
	return Outer{}.finding(&d)
}

func (o Outer) finding(d *diagnostic) (Finding, error) {
	if d.Message == nil {
		return Finding{}, errors.New("a diagnostic without a message")
	}
	f := Finding{
		Tool: string(cmp.Or(d.Source, o.Source)), Rule: string(d.Code), Message: *d.Message, Severity: cmp.Or(Severity(d.Severity), Severity(o.Severity), Warning),
	}
	if at := d.Location; at != nil {
		r := at.Range
		f.Path, f.Line, f.Column, f.EndLine = at.Path, int(r.Start.Line), int(r.Start.Column), int(r.End.Line)
	}
	return f, nil
}

func readRDJSON(text []byte) ([]Finding, error) {
	var in struct {
		Outer
		Diagnostics *[]json.RawMessage // nil when nothing was looked for
	}
	if err := DecodeJSON(text, &in); err != nil {
		return nil, err
	}
	if in.Diagnostics == nil {
		return nil, errors.New("it has no list of diagnostics, not even an empty one")
	}
	var found []Finding
	for i, text := range *in.Diagnostics {
		f, err := in.Diagnostic(text)
		if err != nil {
			return nil, fmt.Errorf("diagnostic %d: %w", i+1, err)
		}
		found = append(found, f)
	}
	return found, nil
}

func readRDJSONL(text []byte) ([]Finding, error) {
	var found []Finding
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		rest := bytes.TrimLeft(text[dec.InputOffset():], " \t\r\n")
		var raw json.RawMessage
		var f Finding
		err := dec.Decode(&raw)
		switch {
		case errors.Is(err, io.EOF):
			return found, nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			err = errors.New("unexpected end of JSON input")
		case err == nil:
			f, err = DiagnosticLine(raw)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", 1+bytes.Count(text[:len(text)-len(rest)], []byte("\n")), err)
		}
		found = append(found, f)
	}
}
