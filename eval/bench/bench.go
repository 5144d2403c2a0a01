// Package bench measures how many known problems a reviewer finds: the comments of a system
// against the references of a benchmark of code review, such as AACR-Bench (Zhang et al. 2026,
// arXiv 2601.19494). A comment meets a reference by its place first, then by its meaning, which a
// Matcher judges.
//
// Matchers that need a model or a training of their own live in eval/bench/match. This package
// reads files and texts that it is given; it opens no files, asks no network and knows no flags.
package bench

import (
	"context"
)

// Pair is a generated comment and a reference whose places meet.
type Pair struct {
	Generated, Reference string // the texts
}

// Verdict is the answer of a Matcher about a pair.
type Verdict struct {
	// Score is in [0,1], higher for a closer meaning. Of several comments that meet a reference,
	// the assignment prefers the highest. A matcher without degrees gives 1 and 0.
	Score float64
	// Same reports that both texts express the same concern or suggestion.
	Same bool
	// Undecided is the reason why the matcher has no answer, empty if it has one. Such a pair is
	// no match, and it is counted.
	Undecided string
}

// Matcher judges whether two texts express the same concern or suggestion, regardless of wording.
// Implementations are safe for concurrent use.
type Matcher interface {
	// Match returns a verdict for each pair, in their order. The verdict of a pair depends on the
	// pair alone. The pairs of a call are all that meet in one pull request, in any order and
	// perhaps repeated. An error ends the run: a pair that could not be judged is undecided
	// instead.
	Match(ctx context.Context, pairs []Pair) ([]Verdict, error)
	// Signature names everything that shapes a verdict in space-separated key=value fields, the
	// first of them matcher=NAME/VERSION: thresholds, models with checksums, prompts.
	Signature() string
}

// Lines is the matcher that looks at no text: every pair whose places meet is the same.
type Lines struct{}

// Match implements Matcher.
func (Lines) Match(_ context.Context, pairs []Pair) ([]Verdict, error) {
	out := make([]Verdict, len(pairs))
	for i := range out {
		out[i] = Verdict{Score: 1, Same: true}
	}
	return out, nil
}

// Signature implements Matcher.
func (Lines) Signature() string { return "matcher=lines/1" }
