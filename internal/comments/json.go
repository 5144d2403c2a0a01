package comments

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"crscore/internal/findings"
)

// span is a place in a text, in bytes.
type span struct{ from, to int }

// member is a field of an object.
type member struct {
	name  string
	key   int // the start of its name
	value span
}

// elements finds the elements of a JSON array in a text that is JSON there.
func elements(text []byte, at span) ([]span, error) {
	dec := json.NewDecoder(bytes.NewReader(text[at.from:at.to]))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var out []span
	for dec.More() {
		v, err := value(dec, at.from)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// members finds the fields of a JSON object in a text that is JSON there.
func members(text []byte, at span) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(text[at.from:at.to]))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var out []member
	for dec.More() {
		m := member{key: at.from + int(dec.InputOffset())}
		m.key += bytes.IndexByte(text[m.key:at.to], '"')
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		m.name = name.(string) // a key is always a string
		if m.value, err = value(dec, at.from); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

func value(dec *json.Decoder, base int) (span, error) {
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return span{}, err
	}
	end := base + int(dec.InputOffset())
	return span{end - len(raw), end}, nil
}

// kind names a JSON value by its first character.
func kind(text []byte, at span) string {
	switch text[at.from] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// object is a JSON object with its place in the file, for errors.
type object struct {
	text   []byte
	at     span
	fields map[string]span
}

func readObject(text []byte, at span) (object, error) {
	if k := kind(text, at); k != "object" {
		return object{}, placed(text, at, fmt.Errorf("a JSON %s instead of an object", k))
	}
	list, err := members(text, at)
	if err != nil {
		return object{}, placed(text, at, err)
	}
	o := object{text: text, at: at, fields: make(map[string]span, len(list))}
	for _, m := range list {
		o.fields[m.name] = m.value
	}
	return o, nil
}

// lineError is an error with its line in the file.
type lineError struct {
	line int
	err  error
}

func (e *lineError) Error() string { return fmt.Sprintf("line %d: %v", e.line, e.err) }

func (e *lineError) Unwrap() error { return e.err }

// placed adds the line to an error without one.
func placed(text []byte, at span, err error) error {
	if e := new(*lineError); errors.As(err, e) {
		return err
	}
	return &lineError{1 + bytes.Count(text[:at.from], []byte("\n")), err}
}

// has reports whether a field exists and is of this kind.
func (o object) has(name, what string) bool {
	at, ok := o.fields[name]
	return ok && kind(o.text, at) == what
}

// id is the source text of a field, empty if it is missing or null.
func (o object) id(name string) string {
	at, ok := o.fields[name]
	if !ok || kind(o.text, at) == "null" {
		return ""
	}
	return string(o.text[at.from:at.to])
}

// get returns a field of a kind; ok is false if it is missing or null.
func (o object) get(name, want string) (at span, ok bool, err error) {
	at, ok = o.fields[name]
	if !ok || kind(o.text, at) == "null" {
		return span{}, false, nil
	}
	if k := kind(o.text, at); k != want {
		return span{}, false, placed(o.text, at, fmt.Errorf("%q is a JSON %s, not %s %s", name, k, article(want), want))
	}
	return at, true, nil
}

func article(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "an"
	}
	return "a"
}

func (o object) str(name string) (s string, err error) {
	at, ok, err := o.get(name, "string")
	if ok {
		err = json.Unmarshal(o.text[at.from:at.to], &s)
	}
	return s, err
}

// num reads a line number, 0 for none.
func (o object) num(name string) (int, error) {
	at, ok := o.fields[name]
	if !ok {
		return 0, nil
	}
	n, err := findings.LineNumber(o.text[at.from:at.to])
	if err != nil {
		return 0, placed(o.text, at, fmt.Errorf("%q: %w", name, err))
	}
	return n, nil
}

// readAll reads several fields, each with read.
func readAll[T any](into map[string]*T, read func(name string) (T, error)) error {
	for _, name := range slices.Sorted(maps.Keys(into)) {
		var err error
		if *into[name], err = read(name); err != nil {
			return err
		}
	}
	return nil
}

func (o object) obj(name string) (object, bool, error) {
	at, ok, err := o.get(name, "object")
	if !ok {
		return object{}, false, err
	}
	sub, err := readObject(o.text, at)
	return sub, err == nil, err
}

func (o object) list(name string) (list []span, ok bool, err error) {
	at, ok, err := o.get(name, "array")
	if ok {
		list, err = elements(o.text, at)
	}
	return list, ok, err
}

// document returns the place of the file's only JSON value.
func document(text []byte) (span, error) {
	all, err := values(text)
	if err == nil && len(all) != 1 {
		err = fmt.Errorf("%d JSON values where one is wanted", len(all))
	}
	if err != nil {
		return span{}, err
	}
	return trimmed(text, all[0]), nil
}

// values returns the places of the file's JSON values, each with the white space behind it, up
// to the first error.
func values(text []byte) (out []span, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	for {
		var raw json.RawMessage
		at := trimmed(text, span{int(dec.InputOffset()), len(text)})
		err := dec.Decode(&raw)
		var syntax *json.SyntaxError
		switch {
		case errors.Is(err, io.EOF) && len(out) > 0:
			return out, nil
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			if err = errors.New("unexpected end of JSON input"); len(out) == 0 {
				at.from = len(text)
			}
		case errors.As(err, &syntax):
			at.from = min(int(syntax.Offset), len(text))
		case err == nil:
			at.to = int(dec.InputOffset())
			err = checkNames(text, at)
		}
		if err != nil {
			return out, placed(text, at, err)
		}
		for at.to < len(text) && isSpace(text[at.to]) {
			at.to++
		}
		out = append(out, at)
	}
}

// checkNames refuses an object with two fields of one name, as serve does: another program
// may read the other field, and post a comment that was not judged.
func checkNames(text []byte, at span) error {
	dec := jsontext.NewDecoder(bytes.NewReader(text[at.from:at.to]), jsontext.AllowInvalidUTF8(true))
	_, err := dec.ReadValue()
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) && errors.Is(err, jsontext.ErrDuplicateName) {
		place := at.from + int(syntax.ByteOffset)
		return placed(text, span{place, place}, fmt.Errorf("the field %q is there twice", shown(syntax.JSONPointer.LastToken())))
	}
	if err != nil {
		return placed(text, at, err)
	}
	return nil
}

// trimmed is a span without the white space around it.
func trimmed(text []byte, at span) span {
	for at.from < at.to && isSpace(text[at.from]) {
		at.from++
	}
	for at.to > at.from && isSpace(text[at.to-1]) {
		at.to--
	}
	return at
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// shown is a text of the file, cut for an error.
func shown(s string) string { return findings.Text(s, 40) }
