package reviewbot

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"

	"crscore/change"
	"crscore/chat"
	"crscore/chat/prompt"
	"crscore/internal/comments"
)

// Limits of an answer. An answer beyond a limit is an error.
const (
	maxAnswerBytes    = 256 << 10
	maxAnswerComments = 200
)

// remark is a comment as the model wrote it. A line of 0 stands for the whole file.
type remark struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Side string `json:"side"` // old, new, or empty
	Body string `json:"body"`
}

// readAnswer reads the raw answer of a model. A member that is null or missing is empty. An
// answer with an empty list is no error.
func readAnswer(text string) ([]remark, error) {
	if len(text) > maxAnswerBytes {
		return nil, fmt.Errorf("the answer has %d bytes, more than the limit of %d KiB", len(text), maxAnswerBytes>>10)
	}
	text, err := chat.Said(text)
	if err != nil {
		return nil, err
	}
	raw, err := chat.Object(text)
	if err != nil {
		return nil, err
	}
	var list *[]remark
	if v, ok := raw["comments"]; ok {
		err = json.Unmarshal(v, &list, json.RejectUnknownMembers(true))
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("the answer is not JSON after the schema: %w: %q", err, chat.Excerpt(text))
	case list == nil:
		return nil, fmt.Errorf(`the answer lacks the list "comments": %q`, chat.Excerpt(text))
	case len(*list) > maxAnswerComments:
		return nil, fmt.Errorf("the answer has %d comments, more than the limit of %d", len(*list), maxAnswerComments)
	}
	for _, r := range *list {
		if r.Side != "" && r.Side != string(comments.Old) && r.Side != string(comments.New) {
			return nil, fmt.Errorf("the side of a comment is %q, not old or new", chat.Excerpt(r.Side))
		}
	}
	return *list, nil
}

// spot is a line of a file.
type spot struct {
	path string
	side comments.Side
	line int
}

// shown is what a model has seen: the files by the names in the prompt, and the lines.
type shown struct {
	change *change.Change
	find   *change.Paths
	paths  map[string]string
	lines  map[spot]bool
}

func shownIn(ch *change.Change, piece []prompt.Line) shown {
	s := shown{ch, change.NewPaths(ch), make(map[string]string), make(map[spot]bool)}
	for _, l := range piece {
		file, side, number := l.Place()
		path := ch.Files[file].Path()
		s.paths[path], s.paths[prompt.Defuse(path)] = path, path
		if path == "" {
			s.paths[prompt.NoPath] = path
		}
		if number > 0 {
			s.lines[spot{path, comments.Side(side.String()), number}] = true
		}
	}
	return s
}

// Errors of place.
var (
	errNoFile = errors.New("the file was not shown")
	errNoLine = errors.New("the line was not shown")
)

// place makes a comment of a remark. With an error the comment has no line, or neither path
// nor line, but its text.
func (s shown) place(r remark) (comments.Comment, error) {
	c := comments.Comment{Side: comments.New, Body: clean(r.Body)}
	path, ok := s.paths[strings.TrimSpace(r.Path)]
	if i, err := s.find.Find(r.Path, change.New, change.Old); !ok && err == nil {
		path, ok = s.paths[s.change.Files[i].Path()]
	}
	if !ok {
		return c, errNoFile
	}
	c.Path = path
	if r.Line == 0 {
		return c, nil
	}
	for _, side := range []comments.Side{comments.New, comments.Old} {
		if (r.Side == "" || r.Side == string(side)) && s.lines[spot{path, side, r.Line}] {
			c.Side, c.StartLine, c.EndLine = side, r.Line, r.Line
			return c, nil
		}
	}
	return c, errNoLine
}

// clean removes the characters that a terminal could obey, and the space around a text.
func clean(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, s))
}
