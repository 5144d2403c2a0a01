package comments

import (
	"bytes"
	"errors"
	"fmt"

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
	return f.addEach("diagnostic", list, func(o object) (int, error) { return f.addDiagnostic(o, outer.Diagnostic) })
}

func (f *File) readRDJSONL() error {
	l := list{bare: true}
	pos := 0
	for line := range bytes.Lines(f.text) {
		at := span{pos, pos + len(line)}
		pos = at.to
		one := trimmed(f.text, at)
		if one.from == one.to {
			continue
		}
		f.entries++
		o, err := readLine(f.text, one)
		n := none
		if err == nil {
			n, err = f.addDiagnostic(o, findings.DiagnosticLine)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", 1+bytes.Count(f.text[:at.from], []byte("\n")), err)
		}
		l.items = append(l.items, item{at, n})
	}
	f.lists = append(f.lists, l)
	return nil
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
