package reviewbot

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"crscore/change"
	"crscore/chat"
	"crscore/chat/prompt"
	"crscore/internal/comments"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

// remark is a comment as the model wrote it.
type remark struct {
	path string
	// first and last are the lines, 0 for the whole file, -1 for what is no line.
	first, last int
	side        comments.Side // empty for either
	body        string
	mended      bool // it is not as the schema wants it
}

// readAnswer reads the raw answer of a model, and counts the comments that it leaves out. An answer with
// an empty list is no error; an answer without a comment that can be read is.
func readAnswer(text string) (list []remark, left int, err error) {
	if text, err = chat.Said(text); err != nil {
		return nil, 0, err
	}
	raw, err := chat.Object(text, schema)
	if err != nil {
		return nil, 0, err
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw["comments"], &items); err != nil || items == nil {
		return nil, 0, fmt.Errorf(`the answer lacks the list "comments": %q`, chat.Excerpt(text))
	}
	if len(items) > limits.AnswerItems {
		return nil, 0, fmt.Errorf("the answer has %d comments, more than the limit of %d", len(items), limits.AnswerItems)
	}
	for _, item := range items {
		if r, ok := readRemark(item); ok {
			list = append(list, r)
		} else {
			left++
		}
	}
	if list == nil && left > 0 {
		return nil, 0, fmt.Errorf("the answer is not JSON after the schema: it has no comment that can be read: %q", chat.Excerpt(text))
	}
	return list, left, nil
}

// readRemark reads a comment. Models write lines as text and as ranges, sides as GitHub has them, and more members
// than they are asked for. A comment without a text in "body" cannot be read.
func readRemark(item json.RawMessage) (r remark, ok bool) {
	var f map[string]any
	if err := json.Unmarshal(item, &f); err != nil {
		return r, false
	}
	if r.body, ok = f["body"].(string); !ok {
		return r, false
	}
	text := func(name string) string {
		s, known := f[name].(string)
		r.mended = r.mended || f[name] != nil && !known
		return s
	}
	r.path = text("path")
	side := text("side")
	if r.side = sides[strings.ToLower(strings.TrimSpace(side))]; string(r.side) != side {
		r.mended = true
	}
	for name, v := range f {
		switch name {
		case "line", "lines", "range", "line_number", "start_line", "end_line", "lineNumber", "startLine", "endLine":
			first, last, asked := lines(v)
			r.mended = r.mended || !asked || name != "line"
			if first < 0 && name != "line" && f["line"] != nil { // a range in another form: the line is enough
				continue
			}
			r.last = max(r.last, last)
			if first != 0 && (r.first == 0 || first < r.first) {
				r.first = first
			}
		case "path", "side", "body":
		default:
			r.mended = true
		}
	}
	if r.first < 0 {
		r.first, r.last = -1, -1
	}
	return r, true
}

// sides are the names that models give a side; none means either.
var sides = map[string]comments.Side{
	"new": comments.New, "right": comments.New, "+": comments.New, "added": comments.New,
	"old": comments.Old, "left": comments.Old, "-": comments.Old, "removed": comments.Old, "deleted": comments.Old,
}

// lineText matches a line or a range of lines, as text.
var lineText = regexp.MustCompile(`^\s*[Ll]?(?:ines?)?\s*(\d{1,9})(?:\.0+)?(?:\s*(?:-|–|\.\.|:|,|to)\s*[Ll]?(\d{1,9}))?\s*$`)

// lines reads the line or the range in a member: 0 for none, -1 for what is no line. asked reports whether it is
// as the schema wants it.
func lines(v any) (first, last int, asked bool) {
	switch v := v.(type) {
	case nil:
		return 0, 0, true
	case float64:
		if v == math.Trunc(v) && v >= 0 && v <= math.MaxInt32 {
			return int(v), int(v), true
		}
		return -1, -1, true // as a line that was not shown
	case []any:
		for i, end := range v {
			a, b, _ := lines(end)
			if i == 0 || a < first {
				first = a
			}
			last = max(last, b)
		}
		return first, last, false
	case string:
		if m := lineText.FindStringSubmatch(v); m != nil {
			first, _ = strconv.Atoi(m[1])
			last, _ = strconv.Atoi(cmp.Or(m[2], m[1]))
			return min(first, last), max(first, last), false
		}
	}
	return -1, -1, false
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
	c := comments.Comment{Side: comments.New, Body: clean(r.body)}
	path, ok := s.path(r.path)
	if !ok {
		return c, errNoFile
	}
	c.Path = path
	if r.last == 0 {
		return c, nil
	}
	for _, side := range []comments.Side{comments.New, comments.Old} {
		if r.side == "" || r.side == side {
			for _, last := range []int{r.last, r.first} { // a range may end beyond what was shown
				if s.lines[spot{path, side, last}] {
					c.Side, c.StartLine, c.EndLine = side, last, last
					if s.lines[spot{path, side, r.first}] {
						c.StartLine = r.first
					}
					return c, nil
				}
			}
		}
	}
	return c, errNoLine
}

// path finds a file by the name that a model gives it.
func (s shown) path(name string) (string, bool) {
	name = strings.TrimSpace(name)
	if path, ok := s.paths[name]; ok {
		return path, true
	}
	i, err := s.find.Find(name, change.New, change.Old)
	if err != nil {
		return "", false
	}
	path, ok := s.paths[s.change.Files[i].Path()]
	return path, ok
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
