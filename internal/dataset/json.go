package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// text is an id: a JSON string or number.
type text string

// UnmarshalJSON reads the string, or the number as it is written, by idOf.
func (t *text) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		*t = text(idOf(s))
		return nil
	}
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil {
		return errors.New("an id must be a string or a number")
	}
	if v, err := n.Float64(); err == nil && v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		n = json.Number(strconv.FormatFloat(v, 'f', -1, 64)) // of 1e3, too
	}
	*t = text(idOf(n.String()))
	return nil
}

// idOf is an id without the ".0" that programs add to whole numbers: pandas makes 1.0 of 1
// where a column has a gap.
func idOf(s string) string {
	whole, zeros, ok := strings.Cut(s, ".")
	if !ok || zeros == "" || strings.Trim(zeros, "0") != "" {
		return s
	}
	if n, err := strconv.ParseInt(whole, 10, 64); err != nil || strconv.FormatInt(n, 10) != whole {
		return s
	}
	return whole
}

// label is a human label: a JSON number, also as a string.
type label float64

// UnmarshalJSON reads the number. It is finite.
func (l *label) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) != nil {
		return json.Unmarshal(b, (*float64)(l))
	}
	v, err := number("a label", s)
	if err == nil && (v == nil || math.IsNaN(*v) || math.IsInf(*v, 0)) {
		err = fmt.Errorf("a label is %s, not a finite number", short(s))
	}
	if err == nil {
		*l = label(*v)
	}
	return err
}

// human reads a field with labels. It returns nil if there are none.
func (o object) human() (*Human, error) {
	var h struct{ Con, Comp, Rel *label }
	switch _, err := o.take("human", &h); {
	case err != nil:
		return nil, err
	case h.Con != nil && h.Comp != nil && h.Rel != nil:
		return &Human{float64(*h.Con), float64(*h.Comp), float64(*h.Rel)}, nil
	case h.Con != nil || h.Comp != nil || h.Rel != nil:
		return nil, errors.New(`"human" needs con, comp and rel`)
	}
	return nil, nil
}

// object is a JSON object with exact keys: encoding/json would read an unknown field
// "Diff" as "diff".
type object map[string]json.RawMessage

// take decodes a field into dst and reports whether it is there and not null.
func (o object) take(name string, dst any) (bool, error) {
	raw, ok := o[name]
	if !ok || string(raw) == "null" {
		return false, nil
	}
	if !quick(raw, dst) {
		if err := json.Unmarshal(raw, dst); err != nil {
			return false, describe(name, err)
		}
	}
	return true, nil
}

// unread is where take puts a text that nobody wants: it is checked, and not decoded.
type unread string

// quick decodes what most of a line is, as encoding/json would. It leaves all else to that, errors
// too.
func quick(raw []byte, dst any) bool {
	if list, ok := dst.(*[]object); ok {
		return objects(raw, list)
	}
	if raw[0] != '"' {
		return false
	}
	switch dst := dst.(type) {
	case *string:
		*dst = unquote(raw)
	case **string:
		*dst = new(unquote(raw))
	case *text:
		*dst = text(idOf(unquote(raw)))
	case *unread:
	default:
		return false
	}
	return true
}

// unquote is the text of a JSON string. As in encoding/json, U+FFFD stands for what is no UTF-8.
func unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1])
	}
	b, _ := jsontext.AppendUnquote(nil, raw) // it is JSON, and the error would be of its UTF-8
	return string(b)
}

// readObject reads an object, or null, whose objects have no key twice. Its values are parts of b.
func readObject(b []byte) (o object, err error) {
	d := decoder(b)
	if o, ok := members(d, b); ok {
		if _, err := d.ReadToken(); errors.Is(err, io.EOF) {
			return o, nil
		}
	}
	err = parse(b, &o) // it says what is wrong
	return o, err
}

// decoder reads b in place.
func decoder(b []byte, options ...jsontext.Options) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(b), append(options, jsontext.AllowInvalidUTF8(true))...)
}

// objects reads a list of objects that was checked already.
func objects(b []byte, to *[]object) bool {
	d, list := decoder(b, jsontext.AllowDuplicateNames(true)), []object{}
	if t, err := d.ReadToken(); err != nil || t.Kind() != '[' {
		return false
	}
	for d.PeekKind() == '{' {
		o, ok := members(d, b)
		if !ok {
			return false
		}
		list = append(list, o)
	}
	if d.PeekKind() != ']' {
		return false
	}
	*to = list
	return true
}

// members reads the next value, which must be an object. It is the only pass over what the object
// has: its values are parts of b, which is all that d reads.
func members(d *jsontext.Decoder, b []byte) (object, bool) {
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return nil, false
	}
	o := object{}
	for d.PeekKind() == '"' {
		t, err := d.ReadToken()
		if err != nil {
			return nil, false
		}
		name := t.String()
		v, err := d.ReadValue()
		if err != nil {
			return nil, false
		}
		end := int(d.InputOffset())
		o[name] = json.RawMessage(b[end-len(v) : end : end])
	}
	t, err := d.ReadToken()
	return o, err == nil && t.Kind() == '}'
}

// missing is the error of a missing field. It lists the fields that are there.
func (o object) missing(what string, names ...string) error {
	fields := slices.Sorted(maps.Keys(o))
	return fmt.Errorf("%s is missing (fields: %s%s)", what, list(fields), nearest(fields, names...))
}

// parse reads a JSON value whose objects have no key twice: another program may read the
// other value.
func parse(b []byte, dst any) error {
	if err := json.Unmarshal(b, dst); err != nil {
		return describe("", err)
	}
	_, err := decoder(b).ReadValue()
	if twice := new(jsontext.SyntacticError); errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &twice) {
		in := ""
		if at := twice.JSONPointer.Parent(); at != "" {
			in = " in " + short(string(at))
		}
		return fmt.Errorf("the key %s stands twice%s", short(twice.JSONPointer.LastToken()), in)
	}
	return nil
}

// describe rewords errors of encoding/json: they name the field and the JSON type
// instead of Go types.
func describe(field string, err error) error {
	where := ""
	if field != "" {
		where = fmt.Sprintf("%q: ", field)
	}
	var syn *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syn) && strings.Contains(err.Error(), "unexpected end"):
		return errors.New("not JSON: the line ends in the middle of a value")
	case errors.As(err, &syn):
		return fmt.Errorf("not JSON: %v (byte %d of the line)", syn, syn.Offset)
	case errors.As(err, &typ) && field == "":
		return fmt.Errorf("not a JSON object but of type %s", typ.Value)
	case errors.As(err, &typ):
		return fmt.Errorf("%sa JSON %s may not stand here", where, typ.Value)
	}
	return fmt.Errorf("%s%w", where, err)
}
