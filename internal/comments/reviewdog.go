package comments

import (
	"errors"

	"crscore/internal/findings"
)

func (f *File) readRDJSON() error {
	at, err := document(f.text)
	if err != nil {
		return err
	}
	o, err := readObject(f.text, at)
	if err != nil {
		return err
	}
	list, ok, err := o.list("diagnostics")
	if err != nil {
		return err
	}
	if !ok {
		return errors.New(`there is no list of "diagnostics", not even an empty one`)
	}
	outer, err := findings.ReadOuter(f.text)
	if err != nil {
		return err
	}
	f.whole = []slot{{object: at}}
	return f.addEach("diagnostic", list, false, func(o object) (int, error) { return f.addDiagnostic(o, outer.Diagnostic) })
}

func (f *File) readRDJSONL() error {
	lines, err := values(f.text)
	if err != nil {
		return err
	}
	return f.addEach("diagnostic", lines, true, func(o object) (int, error) { return f.addDiagnostic(o, findings.DiagnosticLine) })
}

func (f *File) addDiagnostic(o object, read func([]byte) (findings.Finding, error)) (int, error) {
	d, err := read(f.text[o.at.from:o.at.to])
	if err != nil {
		return none, err
	}
	return f.add(ofFinding(d), slot{object: o.at})
}

// ofFinding converts an analyzer's finding into a comment.
func ofFinding(f findings.Finding) Comment {
	return Comment{
		Body: f.Message, Path: f.Path, StartLine: f.Line, EndLine: max(f.Line, f.EndLine),
		Tool: f.Tool, Rule: f.Rule, Severity: f.Severity,
	}
}
