// Package sts splits reviews into sentences and measures how similar each sentence is
// to each pseudo-reference of a change: semantic textual similarity, stage 2 of the
// engine.
//
// An Encoder turns texts into vectors, a Similarity compares texts, a Splitter finds
// sentences. The package does not know changes, claims or scores, and imports only its
// own subpackages.
package sts

import "context"

// Encoder turns texts into vectors. Implementations are safe for concurrent use. The
// vector of a text depends on that text alone: not on the other texts of the call,
// their order, or the number of calling goroutines.
type Encoder interface {
	// Encode returns one vector of Dim values a text, in the order of texts.
	// Vectors have length 1; a text with nothing to encode (empty, or only
	// unknown tokens) gets the zero vector, whose cosine with anything is 0.
	// An empty slice of texts gives an empty result. The error is ctx's own
	// when the call was cancelled; then no vectors are returned.
	Encode(ctx context.Context, texts []string) ([][]float32, error)
	// Dim is the number of values of a vector.
	Dim() int
	// Signature names everything about the encoder that shapes a vector: model with checksum,
	// backend, processor architecture, pooling. Values have no blanks.
	Signature() Signature
}
