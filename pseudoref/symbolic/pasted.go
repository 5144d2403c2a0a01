package symbolic

import (
	"slices"
	"strings"
	"unicode/utf8"

	"crscore/change"
	"crscore/internal/lang"
	"crscore/internal/syntax"
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
// quoted text for each. A line that is a text, such as "of more than thirty characters",
// holds the marks of the quotation, too.
func (p pastes) abridged(q string) string {
	_, size := utf8.DecodeLastRuneInString(q)
	mark := q[len(q)-size:]
	for _, l := range p {
		k := strings.Index(q, l)
		end := strings.LastIndexByte(l, ' ')
		switch {
		case k < 0:
		case q[0] == '`':
			return phrase.Shorter(q, min(phrase.ShortCode, utf8.RuneCountInString(q)*2/3))
		case end > 0:
			rest := strings.TrimSuffix(q[k+len(l):], mark)
			q = strings.TrimRight(q[:k+end], ".,;: ") + "…" + strings.TrimLeft(rest, "…") + mark
		}
	}
	return q
}
