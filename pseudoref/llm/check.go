package llm

import (
	"fmt"
	"slices"
	"strings"

	"crscore/change"
	"crscore/pseudoref"
)

// CheckVersion names the reading of answers and the check in signatures. It changes whenever they
// may keep or drop other claims.
const CheckVersion = "check-3"

// The reasons for which Check drops a claim.
const (
	// UnknownName: a name or value of the claim occurs neither in the change nor in its
	// files.
	UnknownName = "unknown-name"
	// WrongSign: the claim says added for removed code, removed for added code, or has the
	// old and new values the wrong way round.
	WrongSign = "wrong-sign"
	// Guess: the claim itself says that it is a guess.
	Guess = "guess"
	// TooLong: the claim is longer than a sentence.
	TooLong = "too-long"
	// BrokenOff: the claim ends in the middle of a sentence, or has no sentence.
	BrokenOff = "broken-off"
	// Pasted: the claim is a piece of the change, not a statement about it.
	Pasted = "pasted"
	// Verdict: the claim is praise or blame without a statement.
	Verdict = "verdict"
	// Aside: the claim is about its writer or reader, not about the change.
	Aside = "aside"
	// Duplicate: another claim says the same.
	Duplicate = "duplicate"
)

// rule finds a kind of fault. It returns the fault for a person, or "".
type rule struct {
	reason string
	check  func(*evidence, *claim) string
}

var rules = []rule{
	{TooLong, tooLong}, // first: the others need not look at it
	{BrokenOff, brokenOff},
	{Pasted, pasted},
	{Verdict, verdict},
	{Aside, aside},
	{Guess, guess},
	{UnknownName, unknownName},
	{WrongSign, wrongSign},
}

// Check separates the claims about a change that it can show to be wrong from all others.
func Check(ch *change.Change, refs []pseudoref.Ref) (kept []pseudoref.Ref, dropped []pseudoref.Dropped) {
	ev := gather(ch)
	ev.stops = endInStops(refs)
	var said []saying // of those that are kept
	for _, r := range refs {
		c := readClaim(r.Text)
		reason, detail := "", ""
		for _, rule := range rules {
			if detail = rule.check(ev, c); detail != "" {
				reason = rule.reason
				break
			}
		}
		var says saying
		if reason == "" {
			says = saying{c.subject(), c.contentWords()}
			if i := slices.IndexFunc(said, says.nearlySame); i >= 0 {
				reason, detail = Duplicate, fmt.Sprintf("says what %q says", kept[i].Text)
			}
		}
		if reason != "" {
			dropped = append(dropped, pseudoref.Dropped{Ref: r, Reason: reason, Detail: detail})
			continue
		}
		said, kept = append(said, says), append(kept, r)
	}
	return kept, dropped
}

// endInStops reports whether the claims of the answer end in a full stop, so that a claim
// without one has lost its end.
func endInStops(refs []pseudoref.Ref) bool {
	n := 0
	for _, r := range refs {
		if hasStop(r.Text) {
			n++
		}
	}
	return n > 1 && 2*n >= len(refs)
}

// saying is the content of a claim: its names and its words.
type saying struct {
	subject Subject
	words   map[string]bool
}

// nearlySame reports whether a claim has all words of another, in any order, and hardly
// more. Claims that each have a word of their own differ.
func (s saying) nearlySame(o saying) bool {
	if s.subject != o.subject {
		return false
	}
	x, y := s.words, o.words
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) == 0 || 10*len(x) < 8*len(y) {
		return false
	}
	for w := range x {
		if !y[w] {
			return false
		}
	}
	return true
}

func quoteAll(names []string) string {
	q := make([]string, len(names))
	for i, n := range names {
		q[i] = "`" + strings.ReplaceAll(n, "`", "'") + "`"
	}
	return strings.Join(q, ", ")
}
