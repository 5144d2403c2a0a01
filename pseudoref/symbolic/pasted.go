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

// allowed chooses between a phrase in full and in short. Quoted code that holds a changed line
// is said in short, and so is a text of which the short form shows where it was changed. Other
// texts lose a word of each such line, and keep their marks.
func (p pastes) allowed(full, short string) string {
	mark, size := utf8.DecodeRuneInString(full)
	if !strings.ContainsRune("`\"“", mark) {
		return full // and no quotation
	}
	_, last := utf8.DecodeLastRuneInString(full)
	text := full[size : len(full)-last]
	for _, l := range p {
		if mark != '`' && !strings.Contains(text, l) {
			l = strings.Trim(l, `"`) // a line that is a text has marks, too
		}
		head, rest, found := strings.Cut(text, l)
		word := strings.LastIndexByte(l, ' ')
		switch {
		case !found:
		case mark == '`', strings.HasPrefix(short[size:], "…"):
			return short
		case word > 0 && rest == "":
			text = phrase.Ended(head + l[:word])
		case word > 0:
			text = strings.TrimRight(head+l[:word], ".,;: ") + "…" + strings.TrimLeft(rest, "…")
		}
	}
	return full[:size] + text + full[len(full)-last:]
}
