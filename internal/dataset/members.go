package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Members is a JSON object whose members keep their order.
type Members[T any] []Member[T]

// Member is a name of an object with its value.
type Member[T any] struct {
	// Name is the key.
	Name string
	// Value belongs to the key.
	Value T
}

// Get returns the value of a name, and whether there is one.
func (m Members[T]) Get(name string) (v T, ok bool) {
	for i := range m {
		if m[i].Name == name {
			return m[i].Value, true
		}
	}
	return v, false
}

// MarshalJSON writes the object.
func (m Members[T]) MarshalJSON() ([]byte, error) { return m.write(json.Marshal) }

func (m Members[T]) write(marshal func(any) ([]byte, error)) ([]byte, error) {
	var b bytes.Buffer
	for i := range m {
		name, err := marshal(m[i].Name)
		if err != nil {
			return nil, err
		}
		value, err := marshal(m[i].Value)
		if err != nil {
			return nil, err
		}
		b.WriteByte("{,"[min(i, 1)])
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	if len(m) == 0 {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads an object and keeps the order of its members.
func (m *Members[T]) UnmarshalJSON(b []byte) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	switch t, err := dec.Token(); {
	case err != nil:
		return err
	case t == nil: // null
		return nil
	case t != json.Delim('{'):
		return fmt.Errorf("%v where an object should be", t)
	}
	*m = nil
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		var v T
		if err := dec.Decode(&v); err != nil {
			return err
		}
		*m = append(*m, Member[T]{name.(string), v})
	}
	_, err := dec.Token() // the end of the object, which a cut text lacks
	return err
}
