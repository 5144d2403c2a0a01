package dataset

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"crscore/internal/limits"
)

// RevisionFields describes the fields that a line of revisions has.
const RevisionFields = `id, lang, source, target, predictions[]; tool; perturbation (p1 to p9) and of (the id of the original)`

// Revision is a piece of code, how a person revised it, and the answers of a tool that was to
// revise it alike.
type Revision struct {
	Line int    // number of the line, counted from 1
	ID   string // of the row
	// Tool is the name of the tool; empty if the line does not say it.
	Tool string
	// Perturbation is p1 to p9; empty for code as people wrote it.
	Perturbation string
	// Of is the ID of the row before the perturbation; the row's own ID for an original.
	Of string
	// Lang is the language, as the file spells it.
	Lang string
	// Source is the code before, Target the revision.
	Source, Target string
	// Predictions are the answers. There may be none, and an answer may be empty.
	Predictions []string
}

// RevisionReader reads JSON Lines of RevisionFields, gzipped or not.
type RevisionReader struct {
	text         lines
	perturbation *regexp.Regexp
}

// NewRevisionReader starts reading. It reads nothing before the first call of Next.
func NewRevisionReader(r io.Reader) *RevisionReader {
	return &RevisionReader{text: lines{raw: r}, perturbation: regexp.MustCompile(`^(p[1-9])?$`)}
}

// Next returns the next revision. The error is io.EOF at the end. A *LineError is a line that is
// no revision; Next goes on behind it. Any other error is final.
func (r *RevisionReader) Next() (Revision, error) {
	b, line, err := r.text.next()
	if err != nil {
		return Revision{}, err
	}
	rev, err := r.decode(b)
	if err != nil {
		return Revision{}, &LineError{Line: line, Err: err}
	}
	rev.Line = line
	return rev, nil
}

func (r *RevisionReader) decode(line []byte) (rev Revision, err error) {
	o, err := readObject(line)
	if err != nil {
		return rev, err
	}
	var id, of text
	has := map[string]bool{}
	for _, f := range []struct {
		name string
		dst  any
	}{
		{"id", &id}, {"of", &of}, {"tool", &rev.Tool}, {"perturbation", &rev.Perturbation}, {"lang", &rev.Lang},
		{"source", &rev.Source}, {"target", &rev.Target}, {"predictions", &rev.Predictions},
	} {
		if has[f.name], err = o.take(f.name, f.dst); err != nil {
			return rev, err
		}
	}
	for _, name := range []string{"id", "lang", "source", "target"} {
		if !has[name] {
			return rev, o.missing(`"`+name+`"`, name)
		}
	}
	rev.ID, rev.Of = strings.Clone(string(id)), strings.Clone(string(of)) // and not the line that they are parts of
	rev.Tool = strings.Clone(rev.Tool)
	return rev, r.check(&rev)
}

func (r *RevisionReader) check(rev *Revision) error {
	for _, name := range []string{rev.ID, rev.Of, rev.Tool, rev.Lang} {
		if len(name) > limits.RevisionName {
			return fmt.Errorf("%s is no name: it is longer than %d bytes", short(name), limits.RevisionName)
		}
	}
	switch {
	case rev.ID == "":
		return errors.New(`"id" is empty`)
	case !r.perturbation.MatchString(rev.Perturbation):
		return fmt.Errorf(`"perturbation" is %s: it must be p1 to p9, or empty for an original`, short(rev.Perturbation))
	case len(rev.Predictions) > limits.Predictions:
		return fmt.Errorf("%d predictions, more than %d", len(rev.Predictions), limits.Predictions)
	case rev.Perturbation == "" && rev.Of != "" && rev.Of != rev.ID:
		return fmt.Errorf(`"of" is %s, and there is no "perturbation"`, short(rev.Of))
	case rev.Perturbation != "" && rev.Of == "":
		return errors.New(`"of" is missing: the id of the row before the perturbation`)
	}
	if rev.Perturbation == "" {
		rev.Of = rev.ID
	}
	return nil
}
