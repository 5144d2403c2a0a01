// Package comments reads files of review comments in the formats of bots, and writes them
// back without the dropped comments and with notes beside the others.
//
// Writing only cuts and inserts text, so fields that this package does not know stay as they
// are. Judging comments belongs to internal/gate.
package comments

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"crscore/internal/dataset"
	"crscore/internal/findings"
	"crscore/internal/limits"
)

// Side is the side of the diff that a comment's line numbers belong to.
type Side string

// The sides. A comment without lines is on New.
const (
	New Side = "new"
	Old Side = "old"
)

// Comment is one comment of a review.
type Comment struct {
	// Number is the comment's place in its file, counted from 1 as error messages count;
	// answers and suppressed results have numbers, too. 0 for a summary.
	Number int
	Body   string
	// Path is the file of the comment as the input names it, empty for none.
	Path string
	// OldPath is the path before the change, if the format has both.
	OldPath string
	Side    Side
	// StartLine and EndLine count from 1, inclusive. Both are 0 for the whole file.
	StartLine, EndLine int
	// DiffLine is GitHub's old "position": the line number below the file's first @@ in the
	// diff. It is 0 if the comment has lines.
	DiffLine int
	// Lost means that the comment is outdated: its lines are gone.
	Lost bool
	// Summary marks the text above all comments, which has no number.
	Summary bool
	// Tool, Rule and Severity describe an analyzer's finding, and are empty else.
	Tool, Rule string
	Severity   findings.Severity
}

// Format is the name of a format.
type Format string

// The formats.
const (
	// GitHub is a review of a pull request as it is sent (an object with "comments"), one
	// comment, or the list of the REST API.
	GitHub Format = "github"
	// GitLab is discussions, notes or draft notes of a merge request.
	GitLab Format = "gitlab"
	// RDJSON and RDJSONL are reviewdog's formats.
	RDJSON  Format = "rdjson"
	RDJSONL Format = "rdjsonl"
	// SARIF is the format of analyzers, version 2.
	SARIF Format = "sarif"
	// Text is one comment in Markdown, Paragraphs one comment a paragraph.
	Text       Format = "text"
	Paragraphs Format = "paragraphs"
)

// reader is the reader of a format.
type reader struct {
	format Format
	read   func(*File) error
}

// readers is the table of formats, in the order of the help.
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

// File is a file of comments. Write writes it back.
type File struct {
	// Format is the format of the text, as given or as detected.
	Format Format
	// Comments are in the order of the file, at most limits.Comments.
	Comments []Comment
	// Notes say which fields under other names were read.
	Notes []string

	names   dataset.Columns   // the map
	used    map[string]string // fields by the other names that occurred
	text    []byte
	entries int // entries of the file read so far: comments, answers, suppressed results
	lists   []list
	slots   []slot // a comment each
	whole   []slot
}

// Read reads comments. With an empty format it detects the format: JSON of a known kind, or
// else plain text with one comment. names map the fields of comments in JSON (Fields), which
// then has the form of GitHub: a list, an object with a list, or JSON Lines.
func Read(text []byte, format Format, names ...dataset.Column) (*File, error) {
	if len(text) > limits.CommentsBytes {
		return nil, fmt.Errorf("comments: larger than the limit of %d MiB", limits.CommentsBytes>>20)
	}
	if err := checkUTF8(text); err != nil {
		return nil, fmt.Errorf("comments: %w", err)
	}
	f := &File{Format: format, text: bytes.TrimPrefix(text, []byte("\ufeff")), names: names, used: make(map[string]string)}
	switch {
	case len(names) > 0 && format != "" && format != GitHub:
		return nil, fmt.Errorf("comments: a map of fields is for comments in JSON, not for %s", format)
	case len(names) > 0:
		f.Format = GitHub
	case format == "":
		var err error
		if f.Format, err = f.detect(f.text); err != nil {
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

// checkUTF8 refuses other encodings: the comments written back would differ from those
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

// add appends a comment with the place for its note, and returns its index.
func (f *File) add(c Comment, s slot) (int, error) {
	if len(f.Comments) == limits.Comments {
		return 0, fmt.Errorf("more than the limit of %d comments", limits.Comments)
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
	if !c.Summary {
		c.Number = f.entries
	}
	f.Comments, f.slots = append(f.Comments, c), append(f.slots, s)
	return len(f.Comments) - 1, nil
}

// addEach calls read for each object of a list, and keeps the list so that Write can cut
// objects out of it. read returns the index of the comment that the object goes with: its
// own, the comment that it answers, or none. bare is that of the list.
func (f *File) addEach(what string, values []span, bare bool, read func(object) (int, error)) error {
	l := list{items: make([]item, len(values)), bare: bare}
	for i, at := range values {
		f.entries++
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

// ReadValue reads comments that are a value in a larger JSON text: the content of a file of
// a JSON format, or a string with the content of any file. Lines in errors count from the
// value's first line.
func ReadValue(value json.RawMessage, format Format) (*File, error) {
	if !json.Valid(value) {
		return nil, errors.New("comments: the value is not JSON")
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
