package findings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// diagnostic is one of reviewdog's.
type diagnostic struct {
	Message  *string
	Location struct {
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

func (d *diagnostic) finding() (Finding, error) {
	if d.Message == nil {
		return Finding{}, errors.New("a diagnostic without a message")
	}
	r := d.Location.Range
	f := Finding{
		Tool: d.Source.Name, Path: d.Location.Path, Line: r.Start.Line, Column: r.Start.Column, EndLine: r.End.Line,
		Rule: d.Code.Value, Message: *d.Message, Severity: Severity(d.Severity),
	}
	if f.Severity == "" {
		f.Severity = Warning
	}
	return f, nil
}

// Diagnostic reads one of reviewdog's diagnostics as it is: nothing is cut or
// cleaned.
func Diagnostic(text []byte) (Finding, error) {
	var d diagnostic
	if err := json.Unmarshal(text, &d); err != nil {
		return Finding{}, err
	}
	return d.finding()
}

func readRDJSON(text []byte) ([]Finding, error) {
	var in struct {
		Source      struct{ Name string }
		Severity    rdSeverity
		Diagnostics []diagnostic
	}
	if err := DecodeJSON(text, &in); err != nil {
		return nil, err
	}
	var found []Finding
	for i, d := range in.Diagnostics {
		// What stands outside holds for those that say nothing themselves.
		if d.Source.Name == "" {
			d.Source.Name = in.Source.Name
		}
		if d.Severity == "" {
			d.Severity = in.Severity
		}
		f, err := d.finding()
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
		f, err := Diagnostic(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		found = append(found, f)
	}
	return found, nil
}
