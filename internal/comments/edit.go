package comments

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"unicode"

	"crscore/internal/report"
)

// noteName is the field of a note in JSON, and the name in its header in plain text.
const noteName = "crscore"

// list is a list in the file that Write can cut items out of.
type list struct {
	items []item
	// bare means that there are no commas between the items: lines and paragraphs contain
	// their ends.
	bare bool
}

// item is dropped with its comment.
type item struct {
	at      span
	comment int
}

// none is the comment of an item that always stays.
const none = -1

// slot is the place for a note.
type slot struct {
	object span   // the object that gets a field, or the place of a header
	under  string // the field of the object that holds such fields, such as "properties"
	header bool
	none   bool // there is no place for a note
}

// Mark says whether Write drops a comment, and gives the note for it.
type Mark struct {
	// Drop leaves the comment out.
	Drop bool
	// Note is JSON on one line. It replaces an earlier note; nil only removes the earlier
	// note.
	Note json.RawMessage
}

type edit struct {
	at   span
	with []byte
}

// Write writes the file with its old text, without the dropped comments and with the notes
// of the marks, one for each comment. whole is a note on the review, nil for none; bare
// lists and plain text have no place for it. Write escapes terminal controls in JSON, and
// leaves them out of plain text.
func (f *File) Write(w io.Writer, marks []Mark, whole json.RawMessage) error {
	if len(marks) != len(f.Comments) {
		return fmt.Errorf("comments: %d marks for %d comments", len(marks), len(f.Comments))
	}
	var edits []edit
	for _, l := range f.lists {
		edits = append(edits, l.cut(marks)...)
	}
	note := func(s slot, text json.RawMessage) error {
		if s.none {
			return nil
		}
		more, err := s.put(f.text, text)
		edits = append(edits, more...)
		return err
	}
	for _, s := range f.whole {
		if err := note(s, whole); err != nil {
			return err
		}
	}
	for i, m := range marks {
		if m.Drop {
			continue
		}
		if err := note(f.slots[i], m.Note); err != nil {
			return err
		}
	}
	_, err := w.Write(f.safe(apply(f.text, edits)))
	return err
}

// cut returns the edits that take the dropped comments out of a list.
func (l list) cut(marks []Mark) []edit {
	at := make([]span, len(l.items))
	for i := range l.items {
		at[i] = l.items[i].at
	}
	return cut(at, l.bare, func(i int) bool { c := l.items[i].comment; return c != none && marks[c].Drop })
}

// cut returns the edits that take items out of a list, with the separators between them
// unless the list is bare.
func cut(at []span, bare bool, gone func(int) bool) (edits []edit) {
	last := len(at) - 1
	kept := last
	for kept >= 0 && gone(kept) {
		kept--
	}
	for i := range kept {
		if gone(i) {
			edits = append(edits, edit{at: span{at[i].from, at[i+1].from}})
		}
	}
	switch {
	case kept == last:
	case kept < 0 || bare:
		edits = append(edits, edit{at: span{at[kept+1].from, at[last].to}})
	default:
		edits = append(edits, edit{at: span{at[kept].to, at[last].to}})
	}
	return edits
}

// put returns the edits that replace an earlier note by this note, nil for none.
func (s slot) put(text []byte, note []byte) ([]edit, error) {
	if s.header {
		var line []byte
		if note != nil {
			line = fmt.Appendf(nil, "%s%s%s\n", headerStart, note, headerEnd)
		}
		return []edit{{at: s.object, with: line}}, nil
	}
	name := noteName
	if s.under != "" {
		o, err := readObject(text, s.object)
		if err != nil {
			return nil, err
		}
		switch {
		case o.has(s.under, "object"):
			s.object = o.fields[s.under]
		case note == nil:
			return nil, nil
		default:
			name, note = s.under, fmt.Appendf(nil, "{%q:%s}", noteName, note)
		}
	}
	fields, err := members(text, s.object)
	if err != nil {
		return nil, err
	}
	if note == nil {
		at := make([]span, len(fields))
		for i, m := range fields {
			at[i] = span{m.key, m.value.to}
		}
		return cut(at, false, func(i int) bool { return fields[i].name == name }), nil
	}
	for _, m := range slices.Backward(fields) {
		if m.name == name {
			return []edit{{m.value, note}}, nil
		}
	}
	if len(fields) == 0 {
		return []edit{{span{s.object.from + 1, s.object.from + 1}, fmt.Appendf(nil, "%q:%s", name, note)}}, nil
	}
	// The new field is laid out like the last field.
	last := fields[len(fields)-1]
	gap := last.key
	for isSpace(text[gap-1]) {
		gap--
	}
	white, colon := text[gap:last.key], ":"
	if bytes.ContainsRune(white, '\n') {
		colon = ": "
	}
	return []edit{{span{last.value.to, last.value.to}, fmt.Appendf(nil, ",%s%q%s%s", white, name, colon, note)}}, nil
}

// apply makes the edits, which do not overlap.
func apply(text []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.at.from, b.at.from) })
	var out []byte
	done := 0
	for _, e := range edits {
		out = append(append(out, text[done:e.at.from]...), e.with...)
		done = e.at.to
	}
	return append(out, text[done:]...)
}

// safe escapes or removes characters that a terminal or a CI system could obey.
func (f *File) safe(text []byte) []byte {
	if f.Format != Text && f.Format != Paragraphs {
		var b bytes.Buffer
		report.EscapeJSON(&b, text)
		return b.Bytes()
	}
	return harmless(text)
}

// harmless removes from plain text everything that a terminal or a CI system could obey.
func harmless(text []byte) []byte {
	return report.Inert(bytes.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && r != '\r' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return -1
		}
		return r
	}, text))
}
