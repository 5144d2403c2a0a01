package evidence

import (
	"fmt"

	"crscore"
	"crscore/change"
	"crscore/internal/dataset"
	"crscore/internal/lang"
)

// Input makes the engine's input from a record. The error is about its diff. An unknown
// language is a warning of the change, and the path decides.
func Input(rec *dataset.Record) (crscore.Input, error) {
	opts := change.Options{Path: rec.Path, Old: rec.Old, New: rec.New}
	unknown := false
	if rec.Lang != "" {
		l, ok := lang.Lookup(rec.Lang)
		opts.Lang, unknown = l, !ok
	}
	c, err := change.Parse([]byte(rec.Diff), opts)
	if err != nil {
		return crscore.Input{}, err
	}
	if unknown {
		c.Warnings = append(c.Warnings, UnknownLanguage(rec.Lang))
	}
	return crscore.Input{Change: c, Claims: rec.Claims, Smells: rec.Smells}, nil
}

// UnknownLanguage is the warning for a language that is not known.
func UnknownLanguage(name string) string {
	return fmt.Sprintf("language %.80q is not known; the path decides", name)
}

// Job makes the engine's job from a record, with the record as its tag. A worker parses the
// diff.
func Job(rec *dataset.Record) crscore.Job {
	reviews := make([]string, len(rec.Reviews))
	for i := range rec.Reviews {
		reviews[i] = rec.Reviews[i].Text
	}
	return crscore.Job{Tag: rec, Reviews: reviews, Load: func() (crscore.Input, error) { return Input(rec) }}
}
