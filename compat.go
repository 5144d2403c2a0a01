package crscore

import (
	"context"
	"fmt"

	"crscore/pseudoref"
	"crscore/sts"
)

// Compat names another program whose habits an engine takes on, those in which it
// differs from what the paper says.
type Compat string

// CompatCode is the code that the paper's authors released. It has two such habits, and
// it is not known whether the published figures were made with them: sts.CompatCosine,
// and that an empty list counts as one empty text, a review without sentences as well
// as a change without references. Nothing is similar to an empty text here, so such a
// review has the score 0, and so have all reviews of such a change.
const CompatCode Compat = sts.CompatCode

// ParseCompat reads a flag's value; none is empty.
func ParseCompat(s string) (Compat, error) {
	if c := Compat(s); c == "" || c == CompatCode {
		return c, nil
	}
	return "", fmt.Errorf("unknown habits %q: the only choice is %s", s, CompatCode)
}

// follow makes an engine that has its similarity take on habits.
func (e *Engine) follow(c Compat) error {
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

// orEmpty is a list, or the one empty text that stands for an empty one.
func orEmpty[T any](e *Engine, list []T, empty T) []T {
	if e.compat != nil && len(list) == 0 {
		return []T{empty}
	}
	return list
}

// emptyRef stands for a change without references.
var emptyRef = pseudoref.Ref{Kind: pseudoref.Claim, Source: sts.CompatCode}

// compareLists fills in the similarities of matches, each review a list of its own.
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
