// Package comments holds review comments in the formats that bots write: what a
// comment says and where it stands, and the file that it came in, which is written
// back with comments left out and with notes beside the others.
//
// A file is changed by cutting and inserting text only, so that nothing is lost
// that this package does not know. What a comment is worth may not come in.
package comments

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"crscore/internal/findings"
)

// Limits of a file of comments.
const (
	// MaxBytes is the size above which a file is not read.
	MaxBytes = 32 << 20
	// MaxComments bounds the comments of a file.
	MaxComments = 50_000
)

// Side is the side of the diff that a comment's lines count on.
type Side string

// The sides. A comment without lines is on New.
const (
	New Side = "new"
	Old Side = "old"
)

// Comment is one comment of a review.
type Comment struct {
	Body string
	// Path is the file that it is about, with slashes, as its author has it; empty
	// where it is about none.
	Path string
	// OldPath is the file's path before the change, where the format tells both.
	OldPath string
	Side    Side
	// StartLine and EndLine count from 1 and are inclusive; both are 0 where it is
	// about the whole file.
	StartLine, EndLine int
	// DiffLine is GitHub's old way to name a line: so many below the first @@ of the
	// file in the diff; 0 where lines are given.
	DiffLine int
	// Lost tells that its author says that its lines are not there any more.
	Lost bool
	// Summary tells that it is the text above all comments, which is not one of them.
	Summary bool
	// Tool, Rule and Severity are those of an analyzer's finding, else empty.
	Tool, Rule string
	Severity   findings.Severity
}

// Format is the name of a format.
type Format string

// The formats.
const (
	// GitHub is a review of a pull request as it is sent (an object with "comments")
	// or the list of comments that the REST API returns.
	GitHub Format = "github"
	// GitLab is a list of discussions, notes or draft notes of a merge request, or
	// one of them.
	GitLab Format = "gitlab"
	// RDJSON and RDJSONL are reviewdog's, in one value and in a line each.
	RDJSON  Format = "rdjson"
	RDJSONL Format = "rdjsonl"
	// SARIF is the analyzers' format, version 2.
	SARIF Format = "sarif"
	// Text is a comment in Markdown, and Paragraphs one a paragraph.
	Text       Format = "text"
	Paragraphs Format = "paragraphs"
)

// reader is how a format is read.
type reader struct {
	format Format
	read   func(*File) error
}

// readers are all formats, in the order in which a person is told of them.
func readers() []reader {
	return []reader{
		{GitHub, (*File).readGitHub}, {GitLab, (*File).readGitLab}, {RDJSON, (*File).readRDJSON}, {RDJSONL, (*File).readRDJSONL},
		{SARIF, (*File).readSARIF}, {Text, (*File).readText}, {Paragraphs, (*File).readParagraphs},
	}
}

// Formats are the names of all formats.
func Formats() []string {
	var names []string
	for _, r := range readers() {
		names = append(names, string(r.format))
	}
	return names
}

// File is a file of comments.
type File struct {
	Format   Format
	Comments []Comment

	text  []byte
	lists []list
	slots []slot // a comment each
	whole []slot
}

// Read reads comments. An empty format means that the text itself tells which one
// it is: JSON of a known kind, or plain text that is one comment.
func Read(text []byte, format Format) (*File, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("comments: larger than the limit of %d MiB", MaxBytes>>20)
	}
	if err := checkUTF8(text); err != nil {
		return nil, fmt.Errorf("comments: %w", err)
	}
	f := &File{Format: format, text: bytes.TrimPrefix(text, []byte("\ufeff"))}
	if format == "" {
		var err error
		if f.Format, err = detect(f.text); err != nil {
			return nil, fmt.Errorf("comments: %w", err)
		}
	}
	for _, r := range readers() {
		if r.format != f.Format {
			continue
		}
		if err := r.read(f); err != nil {
			return nil, fmt.Errorf("comments: reading %s: %w", f.Format, err)
		}
		return f, nil
	}
	return nil, fmt.Errorf("comments: unknown format %q: choose one of %s", shown(string(format)), strings.Join(Formats(), ", "))
}

// checkUTF8 refuses other encodings: what is written back would not be what was
// judged.
func checkUTF8(text []byte) error {
	const convert = "convert it to UTF-8 first"
	if bytes.HasPrefix(text, []byte{0xff, 0xfe}) || bytes.HasPrefix(text, []byte{0xfe, 0xff}) {
		return errors.New("this is UTF-16 (written by a PowerShell redirection?); " + convert)
	}
	if i := bytes.IndexByte(text, 0); i >= 0 {
		return placed(text, span{i, i}, errors.New("a byte is zero, as in UTF-16 and in what is no text; "+convert))
	}
	if utf8.Valid(text) {
		return nil
	}
	i := 0
	for {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return placed(text, span{i, i}, fmt.Errorf("the byte %#x is not UTF-8; %s", text[i], convert))
		}
		i += n
	}
}

// add takes a comment over, with the place for a note beside it, and returns its
// number.
func (f *File) add(c Comment, s slot) (int, error) {
	if len(f.Comments) == MaxComments {
		return 0, fmt.Errorf("more than the limit of %d comments", MaxComments)
	}
	c.Path, c.OldPath = strings.ToValidUTF8(c.Path, "\ufffd"), strings.ToValidUTF8(c.OldPath, "\ufffd")
	if c.StartLine <= 0 || c.StartLine > c.EndLine {
		c.StartLine = c.EndLine
	}
	if c.EndLine <= 0 {
		c.StartLine, c.EndLine = 0, 0
	}
	if c.Side == "" || c.EndLine == 0 {
		c.Side = New
	}
	f.Comments, f.slots = append(f.Comments, c), append(f.slots, s)
	return len(f.Comments) - 1, nil
}

// addEach has the objects of a list read, and keeps the list as one out of which
// comments can be cut. read returns the number of the comment that the object
// belongs to, its own or the one that it answers, or none.
func (f *File) addEach(what string, values []span, read func(object) (int, error)) error {
	l := list{items: make([]item, len(values))}
	for i, at := range values {
		o, err := readObject(f.text, at)
		n := none
		if err == nil {
			n, err = read(o)
		}
		if err != nil {
			return fmt.Errorf("%s %d: %w", what, i+1, placed(f.text, at, err))
		}
		l.items[i] = item{at, n}
	}
	f.lists = append(f.lists, l)
	return nil
}

// ReadValue reads comments that are a value in a larger JSON text: what a file of a
// JSON format holds, or a string with the whole of a file, as lines and plain text
// have to be. Its places count from the value's first line.
func ReadValue(value json.RawMessage, format Format) (*File, error) {
	if !json.Valid(value) {
		return nil, errors.New("comments: the value is no JSON")
	}
	switch k := kind(value, trimmed(value, span{0, len(value)})); k {
	case "object", "array":
		f, err := Read(value, format)
		if err == nil && (f.Format == RDJSONL || f.Format == Text || f.Format == Paragraphs) {
			return nil, fmt.Errorf("comments: a JSON %s, where %s has to be a string", k, f.Format)
		}
		return f, err
	case "string":
	default:
		return nil, fmt.Errorf("comments: a JSON %s, where a list, an object or a string is wanted", k)
	}
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		return nil, fmt.Errorf("comments: %w", err)
	}
	return Read([]byte(text), format)
}
