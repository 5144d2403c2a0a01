package main

import (
	"math/rand/v2"
	"strings"
)

// reviewer writes one review of a change.
type reviewer struct {
	rand   *rand.Rand
	change *program
	own    []string // a phrase that no other review has
	skill  float64  // share of its sentences that are about the change
}

// The sentences of reviews. On topic, $f is the changed function, $a, $b and $c are its
// variables, $n is a number and $s a text. Off topic, $f is a phrase of the reviewer.
var (
	onTopic = []string{
		"Why does `$f` need `$a` here?", "Please add a test for `$f` with an empty `$b`.", "`$c` is never used after this line.",
		"What happens in `$f` when `$b` is larger than $n?", "I would rename `$a`, since it does not say what it holds.",
		"The result of this call is ignored, so a failure to $s is lost.", "`$b` should be checked before `$f` changes it.",
		"Could we move this into a function of its own instead of making `$f` longer?", "The number $n should be a constant with a name.",
		"Nothing closes `$c` if this line fails.", "This changes what callers of `$f` get, and they are not updated.",
		"Is it intended that `$a` is modified here and not copied?", "The comment above `$f` no longer says what it does.",
	}
	offTopic = []string{
		"Does this also $f?", "Looks good to me.", "Please $f first.", "I am not sure about this.", "We should $f in another pull request.",
		"There was an incident when somebody forgot to $f last year.", "Nit: please fix the indentation.", "Have you measured how long it takes to $f?",
		"Thanks for working on this!", "The documentation says that we never $f.", "Can you squash the commits before we $f?",
		"I think that the team agreed to $s some time ago, and this should follow it.", "Why not $f as everybody else does?",
	}
)

// write writes a review. Its first sentence has a name that no other change or review has.
func (w *reviewer) write() string {
	if w.rand.Float64() < emptyReviews {
		return ""
	}
	size := lognormal(w.rand.NormFloat64(), reviewMedian, reviewSpread, minReviewBytes, maxReviewBytes)
	var b strings.Builder
	b.WriteString(w.sentence("$f"))
	for {
		next := w.sentence("")
		if b.Len()+len(next)/2 >= size { // so that the mean length is right
			return b.String()
		}
		b.WriteByte(' ')
		b.WriteString(next)
	}
}

// sentence writes a sentence that has a given placeholder.
func (w *reviewer) sentence(with string) string {
	p := w.change
	list, function := onTopic, p.called(p.subject)
	if w.rand.Float64() >= w.skill {
		list, function = offTopic, strings.Join(w.own, " ")
	}
	for {
		if s := pick(w.rand, list); strings.Contains(s, with) {
			return p.line(0, s, p.known, function)
		}
	}
}

// sentence is one about a function.
func sentence(r *rand.Rand, function string) string {
	return pick(r, []string{"The caller has to ", "This must ", "Needed to ", "Do not "}) +
		strings.Join([]string{pick(r, verbs), "the", pick(r, adjectives), pick(r, nouns)}, " ") + pick(r, []string{" before " + function, "", " first", " if it is empty"})
}
