package llm

import (
	"fmt"
	"strings"

	"crscore/change"
	"crscore/pseudoref"
)

// CheckVersion names the check for signatures. It changes whenever a claim may
// pass that did not, or the other way round.
const CheckVersion = "check-1"

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
	// BrokenOff: it ends in the middle of a sentence, or has none.
	BrokenOff = "broken-off"
	// Pasted: it is a piece of a line of the change, not a statement about it.
	Pasted = "pasted"
	// Verdict: it judges the change or a review, and says nothing about either.
	Verdict = "verdict"
	// Duplicate: another claim says the same.
	Duplicate = "duplicate"
)

// rule finds one class of fault. It returns what is wrong, for a person, or "".
type rule struct {
	reason string
	check  func(*evidence, *claim) string
}

var rules = []rule{
	{BrokenOff, brokenOff},
	{Pasted, pasted},
	{Verdict, verdict},
	{Guess, guess},
	{UnknownName, unknownName},
	{WrongSign, wrongSign},
}

// Check tells the claims about a change that may count from those that may not.
// It objects to what it can show to be wrong; what it cannot judge passes.
func Check(ch *change.Change, refs []pseudoref.Ref) (kept []pseudoref.Ref, dropped []pseudoref.Dropped) {
	ev := gather(ch)
	ev.stops = endInStops(refs)
	var said []*claim
	for _, r := range refs {
		c := readClaim(r)
		reason, detail := "", ""
		for _, rule := range rules {
			if detail = rule.check(ev, c); detail != "" {
				reason = rule.reason
				break
			}
		}
		if reason == "" {
			for _, other := range said {
				if nearlySame(c, other) {
					reason, detail = Duplicate, fmt.Sprintf("says what %q says", other.text)
					break
				}
			}
		}
		if reason != "" {
			dropped = append(dropped, pseudoref.Dropped{Ref: r, Reason: reason, Detail: detail})
			continue
		}
		said = append(said, c)
		kept = append(kept, r)
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

// SamePoint tells whether two claims that are alike in meaning name the same
// parts of the code and say the same happened to them, so that one is enough;
// named tells whether they name any.
func SamePoint(a, b string) (same, named bool) {
	x, y := readClaim(pseudoref.Ref{Text: a}), readClaim(pseudoref.Ref{Text: b})
	return x.sameNames(y) && x.verbs() == y.verbs(), len(x.names) > 0
}

// nearlySame tells whether one claim has all the words of another, in any order,
// and hardly more. With a word of its own on either side each says something else.
func nearlySame(a, b *claim) bool {
	if !a.sameNames(b) || a.verbs() != b.verbs() {
		return false
	}
	x, y := a.contentWords(), b.contentWords()
	if len(x) > len(y) {
		x, y = y, x
	}
	for w := range x {
		if !y[w] {
			return false
		}
	}
	return len(x) > 0 && 10*len(x) >= 8*len(y)
}

func quoteAll(names []string) string {
	q := make([]string, len(names))
	for i, n := range names {
		q[i] = "`" + strings.ReplaceAll(n, "`", "'") + "`"
	}
	return strings.Join(q, ", ")
}
