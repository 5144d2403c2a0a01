// Package dataset reads and writes records (changes with their reviews), and has the rows of
// results: it reads scores of any metric.
// Both come as JSON Lines, CSV or Parquet; text may be gzipped. A dataset in JSON Lines has
// crscore's interchange format or CodeReviewer's rows.
//
// An error names the line or row. The package does not parse diffs and computes nothing.
package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"crscore/internal/limits"
)

// HumanReference is the id of the review that a person wrote for the change.
// It is left out of every correlation (Naik et al. 2024, section 5).
const HumanReference = "msg"

// Human holds the labels that people gave a review, on the scale of 1 to 5.
type Human struct {
	// Con is the label for conciseness.
	Con float64 `json:"con"`
	// Comp is the label for comprehensiveness.
	Comp float64 `json:"comp"`
	// Rel is the label for relevance.
	Rel float64 `json:"rel"`
}

// Review is one review of a change.
type Review struct {
	ID    string // the system that wrote it
	Text  string // the review itself
	Human *Human // nil without human labels
	// Addressed lists the edited references that the review covers, counted from 1.
	// It is nil if nobody linked them. Some datasets have numbers beyond the list.
	Addressed []int
	// Valid says whether people found the comment right; nil if nobody judged it.
	Valid *bool
	// Err says why the review cannot be scored. It does not affect other reviews.
	Err error
}

// EditedRef is one entry of the annotators' corrected list of references.
type EditedRef struct {
	// Text is the reference.
	Text string
	// Kind is claim, issue and the like, as the annotators name it.
	Kind string
	// Necessary says that a good review has to cover it.
	Necessary bool
	// Unjudged says that nobody decided whether it is necessary.
	Unjudged bool
}

// UnmarshalJSON distinguishes "not necessary" from "not judged".
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
	Line int  // line or row where it begins, counted from 1
	Row  bool // Line is a row of a format without lines (Parquet)
	// Number is the unit of shards and run directories: the line of JSON Lines, the
	// change of a table.
	Number int
	// Sum is the checksum up to the end of the record (see Reader.Sum).
	Sum  string
	ID   string // of the change
	Lang string // the language, as the dataset spells it
	Path string // the file of a diff without file names
	// Repo is the repository and Pull the pull request of the change; both may be empty.
	// The changes of a pull request are not independent of each other.
	Repo, Pull string
	Diff       string // unified diff, or bare hunks
	// Old and New are the whole texts of the file, or nil.
	Old, New *string
	// Claims are sets of ready claims by name.
	Claims map[string][]string
	// NoClaims names the sets that are null: nobody made them for this change.
	NoClaims []string
	// Smells is a ready list of smells. It is nil if the dataset has no list, and empty
	// if a tool looked and found nothing.
	Smells     []string
	Reviews    []Review    // of the change, in the order of the dataset
	RefsEdited []EditedRef // the annotators' corrected references
}

// Split parts the reviews into references and others. It returns the texts of the references,
// without empty ones, and the places of the others. reference gets the place and the id of a
// review.
func (r *Record) Split(reference func(i int, id string) bool) (refs []string, others []int) {
	for i := range r.Reviews {
		switch v := &r.Reviews[i]; {
		case !reference(i, v.ID):
			others = append(others, i)
		case strings.TrimSpace(v.Text) != "":
			refs = append(refs, v.Text)
		}
	}
	return refs, others
}

// IsHumanReference reports whether a review of that id is the human reference.
func IsHumanReference(_ int, id string) bool { return id == HumanReference }

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

// dropNullClaims moves the sets that are null to NoClaims.
func (r *Record) dropNullClaims() {
	for _, name := range slices.Sorted(maps.Keys(r.Claims)) {
		if r.Claims[name] == nil {
			delete(r.Claims, name)
			r.NoClaims = append(r.NoClaims, name)
		}
	}
}

// CheckClaimSets returns an error if the record does not know one of the sets of claims.
func (r *Record) CheckClaimSets(names []string) error {
	known := append(slices.Sorted(maps.Keys(r.Claims)), r.NoClaims...)
	for _, name := range names {
		if slices.Contains(known, name) {
			continue
		}
		have := "none"
		if len(known) > 0 {
			have = list(known) + didYouMean(known, name)
		}
		return fmt.Errorf(`%s: the first change has no set of claims %s (sets: %s); where a set is missing on purpose, write "claims": {%[2]s: null}`, r.Where(), short(name), have)
	}
	return nil
}

// LineError is a line or row that could not be read as a record. Reading goes on behind
// it.
type LineError struct {
	Line int   // counted from 1
	Row  bool  // Line is a row of a format without lines
	Err  error // what is wrong with it
}

// Error names the line.
func (e *LineError) Error() string { return fmt.Sprintf("%s: %v", where(e.Line, e.Row), e.Err) }

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// LabelError says what is wrong with the human labels of a review.
type LabelError struct{ error }

// decode reads one line of either format.
func decode(line []byte, number int, form *Options) (rec Record, err error) {
	o, err := readObject(line)
	if err != nil {
		return Record{}, err
	}
	if o == nil {
		return Record{}, errors.New("not a JSON object but null")
	}
	rec = Record{Line: number, Number: number}
	var id, idx text
	var patch, msg string
	var oldf *string
	var reviews []object
	has := map[string]bool{}
	for _, f := range []struct {
		name string
		dst  any
	}{
		{"id", &id}, {"lang", &rec.Lang}, {"path", &rec.Path}, {"repo", &rec.Repo}, {"pull", (*text)(&rec.Pull)}, {"diff", &rec.Diff}, {"old", &rec.Old}, {"new", &rec.New},
		{"claims", &rec.Claims}, {"smells", &rec.Smells}, {"reviews", &reviews}, {"refs_edited", &rec.RefsEdited},
		// CodeReviewer's names for the same things.
		{"idx", &idx}, {"patch", &patch}, {"oldf", &oldf}, {"msg", &msg},
	} {
		if form.lacks(f.name) {
			f.dst = new(unread)
		}
		if has[f.name], err = o.take(f.name, f.dst); err != nil {
			return Record{}, err
		}
	}
	switch {
	case has["id"]:
		rec.ID = string(id)
	case has["idx"]:
		rec.ID = string(idx)
	default:
		return Record{}, o.missing(`"id"`, "id", "idx")
	}
	if !has["diff"] {
		if !has["patch"] && !form.NoDiff {
			return Record{}, o.missing(`"diff" (or CodeReviewer's "patch")`, "diff", "patch")
		}
		rec.Diff = patch
	}
	if rec.Old == nil {
		rec.Old = oldf
	}
	rec.dropNullClaims()
	if rec.Reviews, err = decodeReviews(reviews); err != nil {
		return Record{}, err
	}
	if !has["reviews"] && has["msg"] {
		rec.Reviews = []Review{{ID: HumanReference, Text: msg}}
	}
	for _, name := range []string{"review", "system"} {
		if _, own := o[name]; own && !has["reviews"] && !has["msg"] {
			return Record{}, fmt.Errorf("this row is a review, with the field %q, and a change with \"reviews\" was expected", name)
		}
	}
	return rec, nil
}

// decodeReviews reads the reviews of a change.
func decodeReviews(list []object) ([]Review, error) {
	if len(list) > limits.ChangeReviews {
		return nil, fmt.Errorf("%d reviews, more than the limit of %d", len(list), limits.ChangeReviews)
	}
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

// review reads one review. A fault in it goes into Review.Err, so that the other reviews
// of the change are not lost; only a review without an id is an error.
func (o object) review() (Review, error) {
	var id text
	ok, err := o.take("id", &id)
	if err != nil {
		return Review{}, err
	}
	if !ok {
		return Review{}, o.missing(`"id"`, "id")
	}
	v := Review{ID: string(id)}
	switch ok, err := o.take("text", &v.Text); {
	case err != nil:
		v.Err = err
	case !ok:
		v.Err = fmt.Errorf(`the review has no "text"%s`, nearest(slices.Sorted(maps.Keys(o)), "text"))
	}
	if v.Human, err = o.human(); err != nil {
		v.Err = errors.Join(v.Err, LabelError{err})
	}
	if _, err := o.take("addressed", &v.Addressed); err != nil {
		v.Err = errors.Join(v.Err, err)
	}
	if v.Valid, err = o.valid(); err != nil {
		v.Err = errors.Join(v.Err, LabelError{err})
	}
	return v, nil
}

// valid reads the label of a comment: true or 1, false or 0, nil without a label.
func (o object) valid() (*bool, error) {
	switch raw := string(o["valid"]); idOf(strings.Trim(raw, `" `)) {
	case "", "null":
		return nil, nil
	case "true", "1":
		return new(true), nil
	case "false", "0":
		return new(false), nil
	default:
		return nil, fmt.Errorf(`"valid" is %.60s, not true, false, 1 or 0`, raw)
	}
}
