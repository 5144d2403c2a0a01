package sts

import (
	"context"
	"fmt"
)

// CompatCode names the undocumented behaviour of the code that the paper's authors
// released (github.com/atharva-naik/CRScore). It is unknown whether the published
// figures were made with it.
const CompatCode = "crscore-code"

// CompatCosine is Cosine with the stop-word mask of the released code: the first text
// of a list decides which tokens of every text are pooled. Sentence n loses its k-th
// token if the k-th token of the first sentence is a stop word, and loses all tokens
// beyond the length of the first sentence. References are treated likewise. A text that
// loses all its tokens, for example because the first text is empty, has the similarity
// 0.
//
// So the similarity of a pair depends on the other texts of the call and on their
// order. The authors' code compares one review a call.
type CompatCosine struct {
	encoder *ModelEncoder
}

var _ Similarity = CompatCosine{}

// NewCompatCosine returns a cosine similarity with the mask of the released code. It is an
// error if the encoder pools no tokens or leaves no stop words out.
func NewCompatCosine(of Similarity) (CompatCosine, error) {
	c, ok := of.(Cosine)
	if !ok {
		return CompatCosine{}, fmt.Errorf("compat %s needs the similarity %s of the paper", CompatCode, SimilarityCosine)
	}
	e, ok := c.Encoder.(*ModelEncoder)
	switch {
	case !ok:
		return CompatCosine{}, fmt.Errorf("compat %s needs an encoder that is a model", CompatCode)
	case e.tokens.all:
		return CompatCosine{}, fmt.Errorf("compat %s needs pooling %s: no other leaves stop words out", CompatCode, PoolingPaper)
	case e.session.info().pooled && !e.static:
		return CompatCosine{}, fmt.Errorf("compat %s needs the vectors of tokens, which this model does not give", CompatCode)
	}
	return CompatCosine{e}, nil
}

// Matrix implements Similarity. sentences belong to one review.
func (c CompatCosine) Matrix(ctx context.Context, sentences, refs []string) ([][]float32, error) {
	all, err := c.Matrices(ctx, [][]string{sentences}, refs)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// Matrices is Matrix for several reviews, each a list of sentences. It encodes the
// references once.
func (c CompatCosine) Matrices(ctx context.Context, reviews [][]string, refs []string) ([][][]float32, error) {
	columns, err := c.encode(ctx, refs)
	if err != nil {
		return nil, err
	}
	all := make([][][]float32, len(reviews))
	for i, sentences := range reviews {
		rows, err := c.encode(ctx, sentences)
		if err != nil {
			return nil, err
		}
		all[i] = make([][]float32, len(rows))
		for k, row := range rows {
			all[i][k] = make([]float32, len(columns))
			for j, column := range columns {
				all[i][k][j] = min(max(Dot(row, column), 0), 1)
			}
		}
	}
	return all, nil
}

// encode encodes a list of texts with the mask of the first text.
func (c CompatCosine) encode(ctx context.Context, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	first, _ := c.encoder.tidy(texts[0])
	tokens, _ := c.encoder.tokens.encode(first)
	vectors, err := c.encoder.encodeAll(ctx, texts, c.encoder.tokens.content(tokens))
	if err != nil {
		return nil, fmt.Errorf("encoding %d texts: %w", len(texts), err)
	}
	return vectors, nil
}

// Signature implements Similarity.
func (c CompatCosine) Signature() Signature {
	return c.encoder.Signature().under("cosine", Field{Name: "compat", Value: CompatCode})
}

// Truncated is the number of texts that the encoder has cut.
func (c CompatCosine) Truncated() uint64 { return c.encoder.Stats().Cut }
