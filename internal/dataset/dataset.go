// Package dataset reads changes with their reviews: JSON Lines in crscore's
// interchange format or in CodeReviewer's own, plain or gzipped.
//
// It turns bytes into values and names the place of what is broken. It does
// not parse diffs and knows nothing of scores.
package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// HumanReference is the id of the review that a person wrote for the change.
// It is left out of every correlation (Naik et al. 2024, section 5).
const HumanReference = "msg"

// Human holds the labels that people gave a review, on the scale of 1 to 5.
type Human struct {
	Con  float64 `json:"con"`
	Comp float64 `json:"comp"`
	Rel  float64 `json:"rel"`
}

// Review is one review of a change; its id names the system that wrote it.
type Review struct {
	ID    string
	Text  string
	Human *Human // nil where nobody labelled it
	// Addressed lists the edited references that the review talks about,
	// counted from 1; nil where nobody linked them. Numbers beyond the list
	// occur.
	Addressed []int
}

// EditedRef is one entry of the annotators' corrected list of references.
type EditedRef struct {
	Text      string `json:"text"`
	Kind      string `json:"kind"`
	Necessary bool   `json:"necessary"`
}

// Record is one line of a dataset: a change and its reviews.
type Record struct {
	Line int // number of the line, counted from 1
	ID   string
	Lang string // as the dataset names it
	Path string
	Diff string
	// Old and New are whole texts, nil where they are not given.
	Old, New *string
	// Claims are sets of ready claims by name.
	Claims map[string][]string
	// Smells is a ready list, nil where none is given; an empty one says that
	// a tool looked and found nothing.
	Smells     []string
	Reviews    []Review
	RefsEdited []EditedRef
}

// LineError is a line that could not be read as a record. The lines behind it
// are not affected.
type LineError struct {
	Line int
	Err  error
}

// Error names the line.
func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// text is a string that may also be written as a number, as ids are.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		*t = text(s)
		return nil
	}
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil {
		return errors.New("an id must be a string or a number")
	}
	*t = text(n.String())
	return nil
}

// row is a line of either format. Pointers tell what is missing from what is
// empty.
type row struct {
	ID         *text               `json:"id"`
	Lang       string              `json:"lang"`
	Path       string              `json:"path"`
	Diff       *string             `json:"diff"`
	Old        *string             `json:"old"`
	New        *string             `json:"new"`
	Claims     map[string][]string `json:"claims"`
	Smells     []string            `json:"smells"`
	Reviews    []reviewRow         `json:"reviews"`
	RefsEdited []EditedRef         `json:"refs_edited"`

	// CodeReviewer's names for the same things.
	Idx   *text   `json:"idx"`
	Patch *string `json:"patch"`
	OldF  *string `json:"oldf"`
	Msg   *string `json:"msg"`
}

type reviewRow struct {
	ID    *text   `json:"id"`
	Text  *string `json:"text"`
	Human *struct {
		Con, Comp, Rel *float64
	} `json:"human"`
	Addressed []int `json:"addressed"`
}

// decode reads one line.
func decode(line []byte, number int) (Record, error) {
	var r row
	dec := json.NewDecoder(bytes.NewReader(line))
	if err := dec.Decode(&r); err != nil {
		return Record{}, describe(err)
	}
	if dec.More() {
		return Record{}, errors.New("more than one JSON value on the line")
	}
	rec := Record{
		Line: number, Lang: r.Lang, Path: r.Path, Old: r.Old, New: r.New,
		Claims: r.Claims, Smells: r.Smells, RefsEdited: r.RefsEdited,
	}
	switch {
	case r.ID != nil:
		rec.ID = string(*r.ID)
	case r.Idx != nil:
		rec.ID = string(*r.Idx)
	default:
		return Record{}, errors.New(`"id" is missing`)
	}
	switch {
	case r.Diff != nil:
		rec.Diff = *r.Diff
	case r.Patch != nil:
		rec.Diff = *r.Patch
	default:
		return Record{}, errors.New(`"diff" (or CodeReviewer's "patch") is missing`)
	}
	if rec.Old == nil {
		rec.Old = r.OldF
	}
	for i, rr := range r.Reviews {
		v, err := rr.review()
		if err != nil {
			return Record{}, fmt.Errorf("review %d: %w", i+1, err)
		}
		rec.Reviews = append(rec.Reviews, v)
	}
	if r.Reviews == nil && r.Msg != nil {
		rec.Reviews = []Review{{ID: HumanReference, Text: *r.Msg}}
	}
	return rec, nil
}

func (rr reviewRow) review() (Review, error) {
	if rr.ID == nil {
		return Review{}, errors.New(`"id" is missing`)
	}
	v := Review{ID: string(*rr.ID), Addressed: rr.Addressed}
	if rr.Text == nil {
		return Review{}, fmt.Errorf("%q has no \"text\"", v.ID)
	}
	v.Text = *rr.Text
	if h := rr.Human; h != nil {
		if h.Con == nil || h.Comp == nil || h.Rel == nil {
			return Review{}, fmt.Errorf("%q: \"human\" needs con, comp and rel", v.ID)
		}
		v.Human = &Human{*h.Con, *h.Comp, *h.Rel}
	}
	return v, nil
}

// describe makes encoding/json's errors speak of fields instead of Go types.
func describe(err error) error {
	var syn *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syn):
		return fmt.Errorf("not JSON: %v (byte %d of the line)", syn, syn.Offset)
	case errors.As(err, &typ) && typ.Field == "":
		return fmt.Errorf("not a JSON object but a %s", typ.Value)
	case errors.As(err, &typ):
		return fmt.Errorf("%q is a JSON %s, which it may not be", typ.Field, typ.Value)
	case strings.Contains(err.Error(), "unexpected EOF"):
		return errors.New("not JSON: the line ends in the middle of a value")
	}
	return err
}
