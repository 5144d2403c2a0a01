// Package sts is stage 2: semantic textual similarity between the sentences of
// a review and the pseudo-references of a change.
//
// It splits reviews into sentences, encodes short texts into vectors and
// compares them. It knows nothing of changes, claims or scores, and imports
// nothing of ours outside this folder.
package sts

import "context"

// Encoder turns texts into vectors. Implementations are safe for concurrent
// use, and a text's vector never depends on the other texts of the call, their
// order, or the number of goroutines that call.
type Encoder interface {
	// Encode returns one vector of Dim values a text, in the order of texts.
	// Vectors have length 1; a text with nothing to encode (empty, or only
	// unknown tokens) gets the zero vector, whose cosine with anything is 0.
	// An empty slice of texts gives an empty result. The error is ctx's own
	// when the call was cancelled; then no vectors are returned.
	Encode(ctx context.Context, texts []string) ([][]float32, error)
	// Dim is the number of values of a vector.
	Dim() int
	// Signature names everything about the encoder that shapes a vector, in
	// space-separated key=value fields: model with checksum, backend,
	// processor architecture, pooling.
	Signature() string
}
