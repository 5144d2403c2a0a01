package findings

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
)

// diagnostic is a finding in reviewdog's format.
type diagnostic struct {
	Message  *string
	Location *struct {
		Path  string
		Range struct {
			Start, End struct{ Line, Column int }
		}
	}
	Severity rdSeverity
	Source   struct{ Name string }
	Code     struct{ Value string }
}

// rdSeverity is a name or a number, as protocol buffers write enumerations.
type rdSeverity Severity

// UnmarshalJSON reads a name or a number.
func (s *rdSeverity) UnmarshalJSON(b []byte) error {
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	switch v {
	case "ERROR", 1.0:
		*s = rdSeverity(Error)
	case "WARNING", 2.0:
		*s = rdSeverity(Warning)
	case "INFO", 3.0:
		*s = rdSeverity(Info)
	case "UNKNOWN_SEVERITY", 0.0, nil:
	default:
		return fmt.Errorf("the severity is %s", Text(string(b), 40))
	}
	return nil
}

// Outer holds the defaults of rdjson for diagnostics without their own source or severity.
type Outer struct {
	Source   struct{ Name string } // the tool
	Severity rdSeverity            // of findings without their own
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
		Tool: cmp.Or(d.Source.Name, o.Source.Name), Rule: d.Code.Value, Message: *d.Message, Severity: cmp.Or(Severity(d.Severity), Severity(o.Severity), Warning),
	}
	if at := d.Location; at != nil {
		f.Path, f.Line, f.Column, f.EndLine = at.Path, at.Range.Start.Line, at.Range.Start.Column, at.Range.End.Line
	}
	return f, nil
}

func readRDJSON(text []byte) ([]Finding, error) {
	var in struct {
		Outer
		Diagnostics *[]diagnostic // nil when nothing was looked for
	}
	if err := DecodeJSON(text, &in); err != nil {
		return nil, err
	}
	if in.Diagnostics == nil {
		return nil, errors.New("it has no list of diagnostics, not even an empty one")
	}
	var found []Finding
	for i := range *in.Diagnostics {
		f, err := in.finding(&(*in.Diagnostics)[i])
		if err != nil {
			return nil, fmt.Errorf("diagnostic %d: %w", i+1, err)
		}
		found = append(found, f)
	}
	return found, nil
}

func readRDJSONL(text []byte) ([]Finding, error) {
	var found []Finding
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		f, err := DiagnosticLine(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		found = append(found, f)
	}
	return found, nil
}
