package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

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
	if err := json.Unmarshal(raw, dst); err != nil {
		return false, describe(name, err)
	}
	return true, nil
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
	_, err := jsontext.NewDecoder(bytes.NewBuffer(b), jsontext.AllowInvalidUTF8(true)).ReadValue()
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
