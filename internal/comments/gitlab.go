package comments

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// readGitLab reads discussions, notes or draft notes: a list or one object.
func (f *File) readGitLab() error {
	at, err := document(f.text)
	if err != nil {
		return err
	}
	list := []span{at}
	switch kind(f.text, at) {
	case "array":
		if list, err = elements(f.text, at); err != nil {
			return err
		}
	case "object":
	default:
		return fmt.Errorf("this is a JSON %s, not a discussion or a list of them", kind(f.text, at))
	}
	return f.addEach("entry", list, false, func(o object) (int, error) {
		notes, ok, err := o.list("notes")
		if err != nil || !ok {
			return f.gitlabNote(o, err)
		}
		for i, at := range notes {
			note, err := readObject(f.text, at)
			n, err := f.gitlabNote(note, err)
			if err != nil {
				return none, fmt.Errorf("note %d: %w", i+1, placed(f.text, at, err))
			}
			if n != none { // the notes after it are answers to it
				return n, nil
			}
		}
		return none, nil
	})
}

// gitlabNote adds a note as a comment. err is the error of reading the object.
func (f *File) gitlabNote(o object, err error) (int, error) {
	if err != nil {
		return none, err
	}
	if at, ok := o.fields["system"]; ok && f.text[at.from] == 't' {
		return none, nil // "changed the title": nobody's comment
	}
	name := "body"
	if _, ok := o.fields[name]; !ok {
		name = "note" // of a draft
	}
	if !o.has(name, "string") {
		return none, errors.New(`there is neither a "body" nor a "note"`)
	}
	var c Comment
	position, ok, err := o.obj("position")
	if ok {
		c, err = gitlabPosition(position)
	}
	if err != nil {
		return none, fmt.Errorf("its position: %w", err)
	}
	if c.Body, err = o.str(name); err != nil {
		return none, err
	}
	return f.add(c, slot{object: o.at})
}

func gitlabPosition(o object) (Comment, error) {
	var c Comment
	var about string
	var now, was int
	if err := cmp.Or(
		readAll(map[string]*string{"new_path": &c.Path, "old_path": &c.OldPath, "position_type": &about}, o.str),
		readAll(map[string]*int{"new_line": &now, "old_line": &was}, o.num),
	); err != nil {
		return c, err
	}
	if c.Path == "" {
		c.Path, c.OldPath = c.OldPath, ""
	}
	if about != "" && about != "text" { // a file, or a spot of an image
		return c, nil
	}
	field := "new_line"
	if c.EndLine = now; now <= 0 {
		c.EndLine, c.Side, field = was, Old, "old_line"
	}
	lines, ok, err := o.obj("line_range")
	if err != nil || !ok {
		return c, err
	}
	start, ok, err := lines.obj("start")
	if err != nil || !ok {
		return c, err
	}
	if c.StartLine, err = start.num(field); err != nil || c.StartLine > 0 {
		return c, err
	}
	code, err := start.str("line_code")
	c.StartLine = ofLineCode(code, c.Side)
	return c, err
}

// ofLineCode returns the line on a side in GitLab's line code, 0 for none. The code is the
// checksum of a path with the line numbers of both sides.
func ofLineCode(code string, side Side) int {
	parts := strings.Split(code, "_")
	if len(parts) != 3 {
		return 0
	}
	part := parts[2]
	if side == Old {
		part = parts[1]
	}
	n, err := strconv.ParseInt(part, 10, 32)
	if err != nil {
		return 0
	}
	return int(n)
}
