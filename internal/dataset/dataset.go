// Package dataset reads changes with their reviews: JSON Lines in crscore's
// interchange format or in CodeReviewer's own, CSV, plain or gzipped, and Parquet;
// and the scores that a metric gave such reviews, as JSON Lines or CSV.
//
// It turns bytes into values and names the place of what is broken. It does
// not parse diffs and computes nothing.
package dataset

import (
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
	// Err says why the review cannot be scored; the others of its change can.
	Err error
}

// EditedRef is one entry of the annotators' corrected list of references.
type EditedRef struct {
	Text      string `json:"text"`
	Kind      string `json:"kind"`
	Necessary bool   `json:"necessary"`
	// Unjudged is set where nobody said whether it is necessary.
	Unjudged bool `json:"-"`
}

// UnmarshalJSON tells "not necessary" from nothing.
func (r *EditedRef) UnmarshalJSON(b []byte) error {
	var in struct {
		Text, Kind string
		Necessary  *bool
	}
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	*r = EditedRef{Text: in.Text, Kind: in.Kind, Necessary: in.Necessary != nil && *in.Necessary, Unjudged: in.Necessary == nil}
	return nil
}

// Record is a change of a dataset and its reviews.
type Record struct {
	Line int  // number of the line, or row, that it begins on, counted from 1
	Row  bool // Line counts the rows of a table that has no lines
	// Number is what shards and run directories count: lines of JSON Lines, changes of
	// a table.
	Number int
	// Sum is the checksum up to the end of the record (see Reader.Sum).
	Sum  string
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

// Where names the place of the record: "line 5" or "row 5".
func (r *Record) Where() string { return where(r.Line, r.Row) }

// At names another place in the same dataset.
func (r *Record) At(line int) string { return where(line, r.Row) }

func where(line int, row bool) string {
	if row {
		return fmt.Sprintf("row %d", line)
	}
	return fmt.Sprintf("line %d", line)
}

// dropNullClaims leaves out the sets that are null, which says that nobody has looked.
func (r *Record) dropNullClaims() {
	for name, texts := range r.Claims {
		if texts == nil {
			delete(r.Claims, name)
		}
	}
}

// LineError is a line, or row, that could not be read as a record. Those behind it
// are not affected.
type LineError struct {
	Line int
	Row  bool
	Err  error
}

// Error names the line.
func (e *LineError) Error() string { return fmt.Sprintf("%s: %v", where(e.Line, e.Row), e.Err) }

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// LabelError is what is wrong with the human labels of a review.
type LabelError struct{ error }

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

// object is a JSON object by its exact keys. encoding/json alone would take an
// unknown "Diff" for "diff".
type object map[string]json.RawMessage

// take decodes a field into dst and tells whether it is there and not null.
func (o object) take(name string, dst any) (bool, error) {
	raw, ok := o[name]
	if !ok || string(raw) == "null" {
		return false, nil
	}
	if err := json.Unmarshal(raw, dst); err != nil {
		return false, describe(name, err)
	}
	return true, nil
}

// decode reads one line of either format.
func decode(line []byte, number int) (Record, error) {
	var o object
	if err := json.Unmarshal(line, &o); err != nil {
		return Record{}, describe("", err)
	}
	if o == nil {
		return Record{}, errors.New("not a JSON object but null")
	}
	rec := Record{Line: number, Number: number}
	var id, idx text
	var patch, oldf, msg string
	var reviews []object
	has := map[string]bool{}
	for _, f := range []struct {
		name string
		dst  any
	}{
		{"id", &id}, {"lang", &rec.Lang}, {"path", &rec.Path}, {"diff", &rec.Diff}, {"old", &rec.Old}, {"new", &rec.New},
		{"claims", &rec.Claims}, {"smells", &rec.Smells}, {"reviews", &reviews}, {"refs_edited", &rec.RefsEdited},
		// CodeReviewer's names for the same things.
		{"idx", &idx}, {"patch", &patch}, {"oldf", &oldf}, {"msg", &msg},
	} {
		ok, err := o.take(f.name, f.dst)
		if err != nil {
			return Record{}, err
		}
		has[f.name] = ok
	}
	switch {
	case has["id"]:
		rec.ID = string(id)
	case has["idx"]:
		rec.ID = string(idx)
	default:
		return Record{}, errors.New(`"id" is missing`)
	}
	if !has["diff"] {
		if !has["patch"] {
			return Record{}, errors.New(`"diff" (or CodeReviewer's "patch") is missing`)
		}
		rec.Diff = patch
	}
	if rec.Old == nil && has["oldf"] {
		rec.Old = &oldf
	}
	rec.dropNullClaims()
	var err error
	if rec.Reviews, err = decodeReviews(reviews); err != nil {
		return Record{}, err
	}
	if !has["reviews"] && has["msg"] {
		rec.Reviews = []Review{{ID: HumanReference, Text: msg}}
	}
	return rec, nil
}

// decodeReviews reads the reviews of a change.
func decodeReviews(list []object) ([]Review, error) {
	var out []Review
	for i, r := range list {
		v, err := r.review()
		if err != nil {
			return nil, fmt.Errorf("review %d: %w", i+1, err)
		}
		out = append(out, v)
	}
	return out, nil
}

// review reads one review. What is wrong with it alone is kept in it, so that
// the others of the change are not lost; only one without a name is an error.
func (o object) review() (Review, error) {
	var id text
	ok, err := o.take("id", &id)
	if err != nil {
		return Review{}, err
	}
	if !ok {
		return Review{}, errors.New(`"id" is missing`)
	}
	v := Review{ID: string(id)}
	switch ok, err := o.take("text", &v.Text); {
	case err != nil:
		v.Err = err
	case !ok:
		v.Err = errors.New(`the review has no "text"`)
	}
	var human struct{ Con, Comp, Rel *float64 }
	switch ok, err := o.take("human", &human); {
	case err != nil:
		v.Err = errors.Join(v.Err, LabelError{err})
	case ok && human.Con != nil && human.Comp != nil && human.Rel != nil:
		v.Human = &Human{*human.Con, *human.Comp, *human.Rel}
	case ok && (human.Con != nil || human.Comp != nil || human.Rel != nil):
		v.Err = errors.Join(v.Err, LabelError{errors.New(`"human" needs con, comp and rel`)})
	}
	if _, err := o.take("addressed", &v.Addressed); err != nil {
		v.Err = errors.Join(v.Err, err)
	}
	return v, nil
}

// describe makes encoding/json's errors speak of the field and of JSON instead
// of Go types.
func describe(field string, err error) error {
	where := ""
	if field != "" {
		where = fmt.Sprintf("%q: ", field)
	}
	var syn *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syn) && strings.Contains(err.Error(), "unexpected end"):
		return errors.New("not JSON: the line ends in the middle of a value")
	case errors.As(err, &syn):
		return fmt.Errorf("not JSON: %v (byte %d of the line)", syn, syn.Offset)
	case errors.As(err, &typ) && field == "":
		return fmt.Errorf("not a JSON object but of type %s", typ.Value)
	case errors.As(err, &typ):
		return fmt.Errorf("%sa JSON %s may not stand here", where, typ.Value)
	}
	return fmt.Errorf("%s%w", where, err)
}
