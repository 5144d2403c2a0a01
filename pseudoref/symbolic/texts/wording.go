// Package texts compares what people read in a change: comments, documentation and prose.
// Code and structured files have them in the same form.
//
// It looks at texts only; trees and their nodes may not come in.
package texts

import (
	"slices"
	"strings"

	"crscore/internal/limits"
	"crscore/internal/outline"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// rewording is a run of words that others took the place of; either may be
// empty. It begins at the word i of the old text and j of the new one.
type rewording struct {
	gone, come []string
	i, j       int
}

// sameWord tells whether two words differ at most in the marks behind them.
func sameWord(a, b string) bool {
	return a == b || strings.TrimRight(a, ".,;:") == strings.TrimRight(b, ".,;:")
}

// rewordings compares the words of two texts.
func rewordings(x, y []string) []rewording {
	if slices.EqualFunc(x, y, sameWord) {
		return nil
	}
	if max(len(x), len(y)) > limits.RewordedWords {
		return []rewording{{gone: x, come: y}}
	}
	pairs := treediff.Subsequence(len(x), len(y), func(i, j int) bool { return sameWord(x[i], y[j]) })
	var out []rewording
	var same []string // words since the last change
	i, j := 0, 0
	for _, p := range append(pairs, [2]int{len(x), len(y)}) {
		if i < p[0] || j < p[1] {
			if len(out) == 0 || len(same) > 1 || len(same[0]) > 3 {
				out = append(out, rewording{i: i, j: j})
				same = nil
			}
			// A lone short word between changes joins them.
			r := &out[len(out)-1]
			r.gone, r.come = slices.Concat(r.gone, same, x[i:p[0]]), slices.Concat(r.come, same, y[j:p[1]])
			same = nil
		}
		if p[0] < len(x) {
			same = append(same, x[p[0]])
		}
		i, j = p[0]+1, p[1]+1
	}
	return out
}

// Lengths in words of what is compared and quoted of a text.
const (
	WordsSaid   = 16 // at most
	fewWords    = 5  // so few say little without those around them
	BesideWords = 3  // on either side of them
	BesideDocs  = 6  // the same in documents
	shortText   = 7  // a text that is quoted as a whole
	saidRuns    = 3  // changes of a text that are said

	unlike = 0.35 // the likeness of two texts below which the one was rewritten
)

// Retold says how a text was changed: which words came, went or were replaced,
// with those around them where they are few. What it returns fills fact.Reworded.
func Retold(object, from, to string, beside int) []fact.Slots {
	sameWords := slices.Equal(strings.Fields(from), strings.Fields(to))
	from, to = trimLead(strings.TrimSuffix(from, ".")), trimLead(strings.TrimSuffix(to, "."))
	x, y := strings.Fields(tree.OneLine(from)), strings.Fields(tree.OneLine(to))
	runs := rewordings(x, y)
	if len(runs) == 0 {
		return []fact.Slots{{Form: "layout", Object: object, Detail: phrase.Either(sameWords, "white space", "punctuation")}}
	}
	// A short text is clearer as a whole than by its words.
	a, b := strings.Join(x, " "), strings.Join(y, " ")
	if a != "" && b != "" && max(len(x), len(y)) <= shortText && max(len(a), len(b)) <= phrase.ProseRunes {
		was, now := phrase.TextsApart(a, b)
		return []fact.Slots{{Object: object, Old: was, New: now}}
	}
	lost := 0
	for _, r := range runs {
		lost += len(r.gone)
	}
	if lost > fewWords && len(y) > fewWords && (len(runs) > 2*saidRuns || Likeness(from, to) < unlike) {
		said := GoesOn(fact.Slots{Form: "rewritten", Object: object}, object, to, 2)
		return append(said, fact.Slots{Form: "earlier", Object: object, Old: Quoted(from)})
	}
	if len(runs) > saidRuns { // the largest changes say most
		slices.SortStableFunc(runs, func(a, b rewording) int { return len(b.gone) + len(b.come) - len(a.gone) - len(a.come) })
		runs = runs[:saidRuns]
		slices.SortFunc(runs, func(a, b rewording) int { return a.j - b.j })
	}
	var said []fact.Slots
	for _, r := range runs {
		said = append(said, r.said(object, x, y, beside)...)
	}
	return said
}

// said tells of one run of words.
func (r rewording) said(object string, x, y []string, around int) []fact.Slots {
	gone, come := strings.Join(r.gone, " "), strings.Join(r.come, " ")
	if a, b := trimMarks(gone), trimMarks(come); a != b {
		gone, come = a, b
	}
	switch {
	case gone == "":
		return GoesOn(fact.Slots{Form: "also", Object: object, Detail: among(y, r.j, len(r.come), come, around)}, object, come, saidRuns)
	case come == "":
		return []fact.Slots{{Form: "less", Object: object, Old: Quoted(gone), Detail: among(x, r.i, len(r.gone), gone, around)}}
	case len(r.gone) < fewWords && len(r.come) < fewWords:
		gone, come = withBeside(x, r.i, len(r.gone), around), withBeside(y, r.j, len(r.come), around)
	}
	was, now := phrase.TextsApart(phrase.FirstPassage(gone, WordsSaid), phrase.FirstPassage(come, WordsSaid))
	return []fact.Slots{{Form: "says", Object: object, Old: was, New: now}}
}

// among quotes n words of a text, which are own, with those beside them. It is empty where
// they are enough or all.
func among(words []string, i, n int, own string, beside int) string {
	if all := withBeside(words, i, n, beside); n < 3 && all != own {
		return phrase.QuoteText(all)
	}
	return ""
}

// GoesOn quotes a text in at most limit facts: the first of them as new in s, the others
// as what the object goes on to say.
func GoesOn(s fact.Slots, object, text string, limit int) []fact.Slots {
	var said []fact.Slots
	for i, p := range phrase.Passages(text, WordsSaid, limit) {
		if i > 0 {
			s = fact.Slots{Form: fact.GoesOn, Object: object}
		}
		s.New = phrase.QuoteText(p)
		said = append(said, s)
	}
	return said
}

// Quoted is the beginning of a text in quotation marks, or nothing for no text.
func Quoted(text string) string {
	if text == "" {
		return ""
	}
	return phrase.QuoteText(phrase.FirstPassage(text, WordsSaid))
}

// withBeside joins n words of a text from the one at i with those beside them.
func withBeside(words []string, i, n, beside int) string {
	return trimMarks(strings.Join(words[max(0, i-beside):min(len(words), i+n+beside)], " "))
}

// trimMarks takes away the marks at the ends of what is quoted.
func trimMarks(s string) string { return strings.TrimRight(trimLead(s), ",;: ") }

// trimLead takes away the marks of the sentence before what is quoted; those that
// a name or a path begins with stay.
func trimLead(s string) string {
	rest := strings.TrimLeft(s, ".,;:!? ")
	if lead := s[:len(s)-len(rest)]; lead == "" || strings.HasSuffix(lead, " ") || rest == "" {
		return rest
	}
	return s
}

// Likeness is the Dice coefficient of two lines' words.
func Likeness(a, b string) float64 { return outline.Dice(outline.Words(a), outline.Words(b)) }
