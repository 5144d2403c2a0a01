package symbolic

import (
	"slices"
	"strings"
	"unicode/utf8"

	"crscore/change"
	"crscore/internal/lang"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
)

// pastes are the long changed lines of a change. No claim holds one as a whole: a
// claim says what a line does, and the line is in the diff.
type pastes []string

const (
	maxPasted      = 30   // characters of a changed line that a claim may quote
	maxPastedLine  = 400  // characters of a line, above which no claim quotes it
	maxPastedLines = 2000 // that quotations are searched for
)

// newPastes reads the changed lines.
func newPastes(t *syntax.Trees) pastes {
	var p pastes
	for _, f := range t.Files {
		for i := range f.Hunks {
			for _, l := range f.Hunks[i].Lines {
				if l.Op == change.Context || len(l.Text) > maxPastedLine || f.Lang == lang.CSS && strings.HasSuffix(strings.TrimSpace(l.Text), "{") {
					continue // a selector is a name
				}
				if s := strings.Trim(tree.OneLine(l.Text), " ;,{}()[]"); len(s) > maxPasted && strings.ContainsAny(s, " (=") {
					p = append(p, s)
				}
			}
		}
	}
	slices.Sort(p)
	p = slices.Compact(p)
	return p[:min(len(p), maxPastedLines)]
}

// unpasted shortens the quotations of s that hold a changed line.
func (p pastes) unpasted(s string) string {
	return phrase.Requote(s, func(q string, _ int) string { return p.abridged(q) })
}

// abridged cuts quoted code that holds a changed line, and leaves a word out of a
// quoted text for each. Its marks always stay.
func (p pastes) abridged(q string) string {
	open, text, end := phrase.Marks(q)
	for _, l := range p {
		code := strings.HasPrefix(open, "`")
		if !code && !strings.Contains(text, l) {
			l = strings.Trim(l, `"`) // a line that is a text has marks, too
		}
		head, rest, found := strings.Cut(text, l)
		last := strings.LastIndexByte(l, ' ')
		switch {
		case !found:
		case code:
			return phrase.Shorter(q, min(phrase.ShortCode, utf8.RuneCountInString(q)*2/3))
		case last > 0 && rest == "":
			text = phrase.Ended(head + l[:last])
		case last > 0:
			text = strings.TrimRight(head+l[:last], ".,;: ") + "…" + strings.TrimLeft(rest, "…")
		}
	}
	return open + text + end
}

// apart keeps the new and the old state of one fact different where both hold changed lines
// that are the same up to their ends.
func (p pastes) apart(now, was *fact.Fact) {
	if was.Rule.ID == now.Rule.Before && now.New != was.Old && p.unpasted(now.New) == p.unpasted(was.Old) {
		now.New, was.Old = phrase.QuotationsApart(now.New, was.Old)
	}
}
