package llm

import (
	"fmt"
	"slices"
	"strings"

	"crscore/change"
	"crscore/pseudoref"
)

// CheckVersion names the check for signatures. It changes whenever a claim may
// pass that did not, or the other way round.
const CheckVersion = "check-2"

// Reasons for which a claim does not count.
const (
	// UnknownName: a name or value that it gives does not occur in the change or
	// its files.
	UnknownName = "unknown-name"
	// WrongSign: it says that something was added that was removed, or the other
	// way round, or that something changed into what it was.
	WrongSign = "wrong-sign"
	// Guess: it says itself that it guesses what the code is or does.
	Guess = "guess"
	// TooLong: it is no sentence any more, but a text.
	TooLong = "too-long"
	// BrokenOff: it ends in the middle of a sentence, or has none.
	BrokenOff = "broken-off"
	// Pasted: it is a piece of a line of the change, not a statement about it.
	Pasted = "pasted"
	// Verdict: it judges the change or a review, and says nothing about either.
	Verdict = "verdict"
	// Aside: it speaks of its writer, or to its reader, and not of the change.
	Aside = "aside"
	// Duplicate: another claim says the same.
	Duplicate = "duplicate"
)

// rule finds one class of fault. It returns what is wrong, for a person, or "".
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

// Check tells the claims about a change that may count from those that may not.
// It objects to what it can show to be wrong; what it cannot judge passes.
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
			says = saying{c.point(), c.contentWords()}
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

// endInStops tells whether it is the way of these claims to end in a full stop:
// then one without has lost its end.
func endInStops(refs []pseudoref.Ref) bool {
	n := 0
	for _, r := range refs {
		if hasStop(r.Text) {
			n++
		}
	}
	return n > 1 && 2*n >= len(refs)
}

// saying is what a claim says: about what, and in which words.
type saying struct {
	point Point
	words map[string]bool
}

// nearlySame tells whether one claim has all the words of another, in any order,
// and hardly more. With a word of its own on either side each says something else.
func (s saying) nearlySame(o saying) bool {
	if s.point != o.point {
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
