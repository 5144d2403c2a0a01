package sts

import (
	"context"
	"fmt"

	"crscore/sts/builtin"
)

// Similarity compares every sentence with every reference.
// Implementations are safe for concurrent use.
type Similarity interface {
	// Matrix returns similarities in [0,1]: one row a sentence, one value a reference. The
	// value of a pair depends on its two texts alone, or for a ChangeSimilarity on the other
	// references, too. It never depends on other sentences.
	Matrix(ctx context.Context, sentences, refs []string) ([][]float32, error)
	// Signature names everything that shapes a value, including the encoder.
	Signature() Signature
}

// Names of similarities, as NewSimilarity takes them.
const (
	SimilarityCosine = "cosine"
	SimilarityHybrid = "hybrid"
	SimilarityPair   = "pair"
)

// SimilarityCross begins the name of a similarity that is a model, cross:MODEL. See
// OpenCrossEncoder.
const SimilarityCross = "cross"

// NewSimilarity returns the named similarity over an encoder: "cosine", "hybrid" with the
// built-in lexicon and the default weights, or "pair" with the built-in lexicon and models,
// which needs the built-in encoder. The error for any other name lists the choices.
func NewSimilarity(name string, encoder Encoder) (Similarity, error) {
	if name == SimilarityCosine {
		return Cosine{Encoder: encoder}, nil
	}
	lexicon, err := ParseLexicon(builtin.Words())
	if err != nil {
		return nil, fmt.Errorf("reading the built-in table of words: %w", err)
	}
	switch name {
	case SimilarityHybrid:
		h, err := NewHybrid(encoder, lexicon, DefaultHybridWeights())
		if err != nil {
			return nil, err // no typed nil
		}
		return h, nil
	case SimilarityPair:
		p, err := NewPair(encoder, lexicon, builtin.Pairs())
		if err != nil {
			return nil, err
		}
		return p, nil
	}
	return nil, fmt.Errorf("unknown similarity %q: choose %s, %s, %s or %s:MODEL",
		name, SimilarityPair, SimilarityHybrid, SimilarityCosine, SimilarityCross)
}

// Cosine is the paper's similarity: the cosine of the two texts' vectors,
// clamped at 0 and never rescaled.
type Cosine struct {
	// Encoder makes the vectors.
	Encoder Encoder
}

// Matrix implements Similarity. Each distinct text is encoded once.
func (c Cosine) Matrix(ctx context.Context, sentences, refs []string) ([][]float32, error) {
	index := make(map[string]int)
	var texts []string
	place := func(s string) int {
		i, ok := index[s]
		if !ok {
			i = len(texts)
			index[s] = i
			texts = append(texts, s)
		}
		return i
	}
	rows, cols := make([]int, len(sentences)), make([]int, len(refs))
	for i, s := range sentences {
		rows[i] = place(s)
	}
	for j, r := range refs {
		cols[j] = place(r)
	}
	vectors, err := c.Encoder.Encode(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("encoding %d texts: %w", len(texts), err)
	}
	values := make([]float32, len(sentences)*len(refs))
	m := make([][]float32, len(sentences))
	for i := range m {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m[i], values = values[:len(refs):len(refs)], values[len(refs):]
		for j := range m[i] {
			m[i][j] = cosine(vectors[rows[i]], vectors[cols[j]])
		}
	}
	return m, nil
}

// cosine is the cosine of two vectors of length 1, clamped at 0 and 1.
func cosine(a, b []float32) float32 { return min(max(Dot(a, b), 0), 1) }

// Signature implements Similarity.
func (c Cosine) Signature() Signature { return c.Encoder.Signature().under("cosine") }

// Truncated is the number of texts that the encoder has cut; 0 for an encoder that does
// not count them.
func (c Cosine) Truncated() uint64 {
	if e, ok := c.Encoder.(interface{ Stats() EncoderStats }); ok {
		return e.Stats().Cut
	}
	return 0
}

// Dot is the scalar product of two vectors, which is the cosine where their length is 1. It
// sums in float32 in a fixed order, so that the result is the same bytes on every run. b
// must be as long as a.
func Dot(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	n := len(a) &^ 3
	b = b[:len(a)]
	for i := 0; i < n; i += 4 {
		s0 += float32(a[i] * b[i]) // rounded: never fused
		s1 += float32(a[i+1] * b[i+1])
		s2 += float32(a[i+2] * b[i+2])
		s3 += float32(a[i+3] * b[i+3])
	}
	for i := n; i < len(a); i++ {
		s0 += float32(a[i] * b[i])
	}
	return (s0 + s1) + (s2 + s3)
}
