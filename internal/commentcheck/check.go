// Package commentcheck finds what the change under review refutes in a review comment: a
// comment speaks of a method that is nowhere, say. It needs no model.
//
// A check stays here only if readers found at least 90% of at least 30 findings right.
// docs/comment-checks.md has the verdicts, and the checks that did not stay.
package commentcheck

import (
	"errors"
	"fmt"
	"index/suffixarray"
	"iter"
	"strings"
	"unicode"

	"crscore/change"
	"crscore/internal/limits"
)

// Finding is what a check found in a comment.
type Finding struct {
	// Check is the name of the check.
	Check string `json:"check"`
	// Evidence says in words what the change has, or has not.
	Evidence string `json:"evidence"`
}

// Check is a kind of findings.
type Check struct {
	// Name is its name, such as absent-name. What says what it finds in a comment.
	Name, What string

	find func(*Texts, *comment) (evidence string) // empty for nothing
}

// Checks are all checks, in the order of their findings.
func Checks() []Check {
	return []Check{
		{"absent-name", "speaks of a name that stands neither in the change nor in its files", absentName},
	}
}

// ErrTooLarge is the error of a change with texts beyond limits.ChangeChecked.
var ErrTooLarge = errors.New("the texts of the change are too large for checks of comments")

// ErrUnknown is the error of a change whose files are not known as a whole.
var ErrUnknown = errors.New("checks of comments need the whole files of the change")

// Texts are the texts of a change, prepared for many comments.
type Texts struct {
	names *suffixarray.Index // the words of all texts and paths, as plain writes them
}

// New prepares a change. The error is ErrTooLarge or ErrUnknown, with the limit or the file.
func New(c *change.Change) (*Texts, error) {
	size, seen := 0, map[string]bool{}
	var words strings.Builder
	for i := range c.Files {
		f := &c.Files[i]
		before, knowsOld := f.Whole(change.Old)
		after, knowsNew := f.Whole(change.New)
		if !f.Binary && !f.Submodule() && !(knowsOld && knowsNew) {
			return nil, fmt.Errorf("%w, and the diff has a part of %.200q", ErrUnknown, f.Path())
		}
		for _, text := range []string{f.OldPath, f.NewPath, before, after} {
			if size += len(text); size > limits.ChangeChecked {
				return nil, fmt.Errorf("%w: more than %d MiB", ErrTooLarge, limits.ChangeChecked>>20)
			}
			for word := range parts(text) {
				if !seen[word] {
					seen[word] = true
					words.WriteString(word + "\n")
				}
			}
		}
	}
	return &Texts{names: suffixarray.New([]byte(words.String()))}, nil
}

// Find returns what the checks find in a comment, one finding of each at most.
func (t *Texts) Find(body string) []Finding {
	var out []Finding
	c := read(body)
	for _, check := range Checks() {
		if why := check.find(t, c); why != "" {
			out = append(out, Finding{check.Name, why})
		}
	}
	return out
}

// parts are the words of a text. No regular expression finds them: whole files are read.
func parts(text string) iter.Seq[string] {
	return strings.FieldsFuncSeq(plain(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// plain is a text in which max_retries, max-retries and maxRetries are the same.
func plain(s string) string { return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(s)) }

// has reports whether a word of the texts has a name in it, however both are written.
func (t *Texts) has(name string) bool {
	for part := range parts(name) {
		if len(t.names.Lookup([]byte(part), 1)) > 0 {
			return true
		}
	}
	return false
}
