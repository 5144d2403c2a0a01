package server

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"crscore/internal/spelling"
)

// field is a field that a JSON object of a request may have.
type field struct {
	name  string
	holds reflect.Type
}

// fieldsOf lists the fields of a struct, those of embedded structs included; none for
// other types.
func fieldsOf(t reflect.Type) []field {
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	var fields []field
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && !f.Anonymous && name != "" && name != "-" {
			fields = append(fields, field{name, pointedTo(f.Type)})
		}
	}
	return fields
}

func pointedTo(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// typeAt returns the Go type of a place in a request, nil for a place that the request
// does not have.
func typeAt(t reflect.Type, at jsontext.Pointer) reflect.Type {
	t = pointedTo(t)
	for token := range at.Tokens() {
		if t.Kind() == reflect.Slice {
			if _, err := strconv.Atoi(token); err != nil {
				return nil
			}
			t = pointedTo(t.Elem())
			continue
		}
		var inner reflect.Type
		for _, f := range fieldsOf(t) {
			if f.name == token {
				inner = f.holds
			}
		}
		if t = inner; t == nil {
			return nil
		}
	}
	return t
}

// unknownField is the error for a field that a request does not have. It names the
// fields that exist in that place, and the field that was probably meant.
func unknownField(request any, at jsontext.Pointer) error {
	name := at.LastToken()
	var names []string
	for _, f := range fieldsOf(typeAt(reflect.TypeOf(request), at.Parent())) {
		names = append(names, f.name)
	}
	text := fmt.Sprintf("there is no field %.100q", name)
	if meant := spelling.Nearest(name, names); meant != "" {
		text += fmt.Sprintf(": did you mean %q?", meant)
	}
	if len(names) > 0 {
		text += " (fields: " + strings.Join(names, ", ") + ")"
	}
	return errors.New(text)
}

// wanted says which JSON value a Go type is read from.
func wanted(t reflect.Type) string {
	t = pointedTo(t)
	if t == reflect.TypeFor[reviewRequest]() {
		return "a string or an object"
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "an array"
	case reflect.Struct:
		return "an object"
	case reflect.Int:
		return "a whole number"
	}
	return "a number"
}
