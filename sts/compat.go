package sts

import (
	"context"
	"fmt"
)

// CompatCode names the habits of the code that the paper's authors released
// (github.com/atharva-naik/CRScore), which the paper does not describe. It is not
// known whether the published figures were made with them.
const CompatCode = "crscore-code"

// CompatCosine is Cosine with one of these habits: which tokens of a text are pooled
// does not depend on the text but on the first one of its list. The k-th token of
// every sentence is left out where that of the first sentence is a stop word, and so
// is what is longer than the first sentence; and likewise for references. Where
// nothing is left, because the first text is empty for one, the similarity is 0.
//
// So unlike other similarities it depends on which texts are compared in one call,
// and in which order: one review a call is the authors' way.
type CompatCosine struct {
	encoder *ModelEncoder
}

var _ Similarity = CompatCosine{}

// NewCompatCosine returns a cosine similarity's version with the habit. It is an error
// where there are no tokens to leave out.
func NewCompatCosine(of Similarity) (CompatCosine, error) {
	c, ok := of.(Cosine)
	if !ok {
		return CompatCosine{}, fmt.Errorf("compat %s needs the similarity %s, which is the paper's", CompatCode, SimilarityCosine)
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

// Matrix implements Similarity. sentences are those of one review.
func (c CompatCosine) Matrix(ctx context.Context, sentences, refs []string) ([][]float32, error) {
	all, err := c.Matrices(ctx, [][]string{sentences}, refs)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// Matrices is Matrix for several reviews, each the list of its sentences. The
// references are encoded once.
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
				all[i][k][j] = min(max(dot(row, column), 0), 1)
			}
		}
	}
	return all, nil
}

// encode encodes a list of texts by the tokens of its first one.
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
func (c CompatCosine) Signature() string {
	return "similarity=cosine compat=" + CompatCode + " " + c.encoder.Signature()
}

// Truncated counts the texts that the encoder has cut.
func (c CompatCosine) Truncated() uint64 { return c.encoder.Stats().Cut }
