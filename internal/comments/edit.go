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

// noteName is the field that a note gets in JSON, and what its header begins with
// in plain text.
const noteName = "crscore"

// list is a list in the file out of which comments can be cut.
type list struct {
	items []item
	// bare tells that nothing stands between the items: lines and paragraphs, which
	// contain their ends.
	bare bool
}

// item goes with its comment.
type item struct {
	at      span
	comment int
}

// none is the comment of an item that always stays.
const none = -1

// slot is the place for a note.
type slot struct {
	object span   // that gets a field, or the empty place of a header
	under  string // the field of it that holds such fields, such as "properties"
	header bool
	none   bool // there is no place
}

// Mark says what becomes of a comment when its file is written.
type Mark struct {
	Drop bool
	// Note is put beside it, as JSON on one line, instead of one from before; nil for
	// none.
	Note json.RawMessage
}

type edit struct {
	at   span
	with []byte
}

// Write writes the file as it was, without the comments that are to be dropped and
// with these notes only. There is a mark a comment; whole is a note on all of them
// together, nil for none, for which bare lists and plain text have no place. What a
// terminal could obey is escaped in JSON and left out of plain text.
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

// cut are the edits that take dropped comments out of a list.
func (l list) cut(marks []Mark) []edit {
	at := make([]span, len(l.items))
	for i := range l.items {
		at[i] = l.items[i].at
	}
	return cut(at, l.bare, func(i int) bool { c := l.items[i].comment; return c != none && marks[c].Drop })
}

// cut are the edits that take items out of a list, with what stands between an item
// and the next. bare tells that nothing does.
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

// put are the edits that write a note instead of one from before, nil for none.
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
	// It looks like the last field: on a line of its own, or not.
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

// apply makes the edits, none of which lies in another one.
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

// safe takes away what a terminal could obey.
func (f *File) safe(text []byte) []byte {
	if f.Format != Text && f.Format != Paragraphs {
		var b bytes.Buffer
		report.EscapeJSON(&b, text)
		return b.Bytes()
	}
	return withoutControls(text)
}

func withoutControls(text []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && r != '\r' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return -1
		}
		return r
	}, text)
}
