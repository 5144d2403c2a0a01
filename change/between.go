package change

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	anchored "github.com/rogpeppe/go-internal/diff"

	"crscore/internal/lang"
	"crscore/internal/limits"
)

// ErrSame is the error for whole files that do not differ.
var ErrSame = errors.New("the old and the new texts are equal")

// Texts are the whole texts of a file on the two sides of a change.
type Texts struct {
	// Path is slash-separated, and the same on both sides.
	Path string
	// Old and New are nil where the side does not have the file.
	Old, New *string
}

// Between returns the change between whole files, with hunks of three lines around each
// changed line. Files that do not differ are left out. lang is the language of files whose
// path does not show it. The errors are ErrSame, ErrTooLarge, or name a path that no diff
// can have.
func Between(files []Texts, l lang.Name) (*Change, error) {
	var all bytes.Buffer
	size, byPath := 0, map[string]*Texts{}
	for i := range files {
		t := &files[i]
		switch {
		case t.Path == "" || len(t.Path) > limits.PathBytes || !utf8.ValidString(t.Path) || strings.ContainsFunc(t.Path, unicode.IsControl):
			return nil, fmt.Errorf("file %d: %.80q is not a path", i+1, t.Path)
		case byPath[t.Path] != nil:
			return nil, fmt.Errorf("file %d: %s is given twice", i+1, t.Path)
		case t.Old == nil && t.New == nil:
			return nil, fmt.Errorf("file %d: %s has neither an old nor a new text", i+1, t.Path)
		}
		byPath[t.Path] = t
		oldName, newName := "a/"+t.Path, "b/"+t.Path
		var texts [2]string
		for side, p := range []*string{t.Old, t.New} {
			if p != nil {
				texts[side] = settled(*p)
				size += len(*p)
			}
		}
		if size > DefaultMaxBytes {
			return nil, fmt.Errorf("%w: the files have more than the limit of %s", ErrTooLarge, mebibytes(DefaultMaxBytes))
		}
		if t.Old == nil {
			oldName = "/dev/null"
		}
		if t.New == nil {
			newName = "/dev/null"
		}
		text := anchored.Diff(oldName, []byte(texts[Old]), newName, []byte(texts[New]))
		_, text, _ = bytes.Cut(text, []byte("\n")) // "diff OLD NEW" is no line of git's
		all.Write(text)
	}
	if all.Len() == 0 {
		return nil, ErrSame
	}
	return Parse(all.Bytes(), Options{Lang: l, Texts: func(f *File, side Side) (string, bool) {
		t := byPath[f.Path()]
		if t == nil {
			return "", false
		}
		p := t.Old
		if side == New {
			p = t.New
		}
		if p == nil {
			return "", false
		}
		return settled(*p), true
	}})
}

// settled is a text that stays the same in a diff: Parse takes a carriage return before a
// line end for a part of it.
func settled(text string) string {
	text, _ = clean(text)
	return strings.TrimRight(text, "\r")
}
