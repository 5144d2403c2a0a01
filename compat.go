package crscore

import (
	"context"
	"fmt"

	"crscore/pseudoref"
	"crscore/sts"
)

// Compat names another program whose deviations from the paper an engine imitates.
type Compat string

// CompatCode is the code that the paper's authors released. It deviates from the paper in
// two ways; nobody knows whether the published figures were made with them. Its cosine is
// sts.CompatCosine. And it treats an empty list as one empty text: a review without
// sentences, and a change without references. No text is similar to an empty text here,
// so such a review, and all reviews of such a change, get the score 0.
const CompatCode Compat = sts.CompatCode

// ParseCompat reads a flag's value. Empty means no Compat.
func ParseCompat(s string) (Compat, error) {
	if c := Compat(s); c == "" || c == CompatCode {
		return c, nil
	}
	return "", fmt.Errorf("unknown program %q to imitate: the only choice is %s", s, CompatCode)
}

// applyCompat makes the engine's similarity imitate a program.
func (e *Engine) applyCompat(c Compat) error {
	if c, err := ParseCompat(string(c)); c == "" {
		return err
	}
	s, err := sts.NewCompatCosine(e.similarity)
	if err != nil {
		return err
	}
	e.similarity, e.compat = s, &s
	return nil
}

// orEmpty returns the list, or with Compat a single empty text for an empty list.
func orEmpty[T any](e *Engine, list []T, empty T) []T {
	if e.compat != nil && len(list) == 0 {
		return []T{empty}
	}
	return list
}

// emptyRef is the empty text of a change without references.
var emptyRef = pseudoref.Ref{Kind: pseudoref.Claim, Source: sts.CompatCode}

// compareLists fills in the similarities of matches, each review as its own list.
func (e *Engine) compareLists(ctx context.Context, refs []string, matches []Match) error {
	reviews := make([][]string, len(matches))
	for i := range matches {
		for _, s := range matches[i].Sentences {
			reviews[i] = append(reviews[i], s.Text)
		}
	}
	all, err := e.compat.Matrices(ctx, reviews, refs)
	if err != nil {
		return err
	}
	for i := range matches {
		if len(reviews[i]) > 0 {
			matches[i].Sim = all[i]
		}
	}
	return nil
}
