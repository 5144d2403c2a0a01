package sts

import (
	"slices"
	"strings"
)

// Field is a part of a signature. It is the type of score.Field: neither package imports the other.
type Field = struct {
	// Name and Value are written as NAME=VALUE.
	Name, Value string
	// Rounding marks what changes no more than the last digits: backend and processor.
	Rounding bool
}

// Signature names everything that shapes a vector or a similarity.
type Signature []Field

// String returns the text: "encoder=x pooling=mean".
func (s Signature) String() string {
	words := make([]string, len(s))
	for i, f := range s {
		words[i] = f.Name + "=" + f.Value
	}
	return strings.Join(words, " ")
}

// Portable leaves out the fields that change no more than the last digits.
func (s Signature) Portable() Signature {
	return slices.DeleteFunc(slices.Clone(s), func(f Field) bool { return f.Rounding })
}

// under is the signature of a similarity that compares vectors of this one.
func (s Signature) under(similarity string, more ...Field) Signature {
	return slices.Concat(Signature{{Name: "similarity", Value: similarity}}, more, s)
}
