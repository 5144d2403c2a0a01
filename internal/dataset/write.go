package dataset

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
)

// Line is a line of a dataset in the interchange format.
type Line Members[any]

// Written returns the record as a line. More are members that the format does not know, or that replace one of
// the record's. Names are the members in their order, those of more too; for none, that of the format.
// Empty members of the record are left out, but for id, diff and reviews.
func (r *Record) Written(more Members[any], names ...string) Line {
	claims := r.Claims
	if len(r.NoClaims) > 0 {
		claims = maps.Clone(claims)
		if claims == nil {
			claims = map[string][]string{}
		}
		for _, name := range r.NoClaims {
			claims[name] = nil
		}
	}
	all := Members[any]{
		{"id", r.ID}, {"lang", r.Lang}, {"path", r.Path}, {"repo", r.Repo}, {"pull", r.Pull}, {"diff", r.Diff}, {"old", r.Old}, {"new", r.New},
		{"claims", claims}, {"smells", r.Smells}, {"reviews", r.Reviews}, {"refs_edited", r.RefsEdited},
	}
	if names == nil {
		for _, m := range all {
			names = append(names, m.Name)
		}
	}
	var out Line
	for _, name := range names {
		v, given := more.Get(name)
		if !given {
			v, given = all.Get(name)
			given = given && (slices.Contains([]string{"id", "diff", "reviews"}, name) || !reflect.ValueOf(v).IsZero())
		}
		if given {
			out = append(out, Member[any]{name, v})
		}
	}
	return out
}

// MarshalJSON writes the line. What the encoder of the caller says of angle brackets holds.
func (l Line) MarshalJSON() ([]byte, error) { return Members[any](l).write(unescaped) }

// MarshalJSON writes the review, without its text if it cannot be scored.
func (v Review) MarshalJSON() ([]byte, error) {
	line := Line{{"id", v.ID}}
	if v.Err == nil {
		line = append(line, Member[any]{"text", v.Text})
	}
	if v.Human != nil {
		line = append(line, Member[any]{"human", v.Human})
	}
	if v.Addressed != nil {
		line = append(line, Member[any]{"addressed", v.Addressed})
	}
	if v.Valid != nil {
		line = append(line, Member[any]{"valid", v.Valid})
	}
	return line.MarshalJSON()
}

// MarshalJSON writes null where nobody decided whether the reference is necessary.
func (r EditedRef) MarshalJSON() ([]byte, error) {
	necessary := &r.Necessary
	if r.Unjudged {
		necessary = nil
	}
	return Line{{"text", r.Text}, {"kind", r.Kind}, {"necessary", necessary}}.MarshalJSON()
}

func unescaped(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
