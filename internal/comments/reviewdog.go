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
	if !ok && !o.has("diagnostics", "null") {
		return errors.New(`there are no "diagnostics"`)
	}
	f.whole = []slot{{object: at}}
	return f.addEach("diagnostic", list, f.addDiagnostic)
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
		o, err := readLine(f.text, one)
		n := none
		if err == nil {
			n, err = f.addDiagnostic(o)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", 1+bytes.Count(f.text[:at.from], []byte("\n")), err)
		}
		l.items = append(l.items, item{at, n})
	}
	f.lists = append(f.lists, l)
	return nil
}

func (f *File) addDiagnostic(o object) (int, error) {
	d, err := findings.Diagnostic(f.text[o.at.from:o.at.to])
	if err != nil {
		return none, err
	}
	return f.add(ofFinding(d), slot{object: o.at})
}

// ofFinding is an analyzer's finding as a comment.
func ofFinding(f findings.Finding) Comment {
	return Comment{
		Body: f.Message, Path: f.Path, StartLine: f.Line, EndLine: max(f.Line, f.EndLine),
		Tool: f.Tool, Rule: f.Rule, Severity: f.Severity,
	}
}
