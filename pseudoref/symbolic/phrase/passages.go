package phrase

import (
	"cmp"
	"strings"

	"crscore/pseudoref/symbolic/tree"
)

// Passages cuts a text into at most limit parts of at most words words each:
// where a sentence ends, else where a clause does, else before a word that
// joins. What stands beyond them is left out, and the last says so.
func Passages(s string, words, limit int) []string {
	rest := strings.Fields(tree.OneLine(s))
	var out []string
	for len(rest) > 0 && len(out) < limit {
		if len(out) > 0 && len(rest) < 3 {
			out[len(out)-1] = strings.TrimSuffix(out[len(out)-1], "…") + "…"
			break
		}
		k := passage(rest, words)
		p := strings.Join(rest[:k], " ")
		rest = rest[k:]
		whole := len(rest) == 0 || strings.IndexByte(".!?", p[len(p)-1]) >= 0
		if p = strings.TrimRight(p, ".,;: "); !whole {
			p += "…"
		}
		if strings.Trim(p, "… ") != "" {
			out = append(out, Cut(p, maxPassage))
		}
	}
	return out
}

// maxPassage is the length in characters above which a passage is cut all the
// same: it holds an address or a line of signs.
const maxPassage = 160

// endings are the marks behind which a text may be cut, and joining the words
// before which it may be, and how well.
var (
	endings = map[byte]int{'.': 5, '!': 5, '?': 5, ';': 4, ':': 4, ',': 3, ')': 3}
	joining = map[string]int{
		"-": 3, "–": 3, "—": 3,
		"and": 2, "or": 2, "but": 2, "which": 2, "that": 2, "because": 2, "since": 2, "so": 2,
		"if": 2, "when": 2, "where": 2, "while": 2, "until": 2, "unless": 2,
		"for": 1, "with": 1, "in": 1, "by": 1, "from": 1, "before": 1, "after": 1,
	}
)

// passage says how many of the words make a first passage.
func passage(ws []string, words int) int {
	open := false // within quotation marks
	best, score := min(words, len(ws)), 0
	for k := 1; k <= min(words, len(ws)); k++ {
		w := ws[k-1]
		if strings.Count(w, "`")%2 == 1 || strings.Count(w, `"`)%2 == 1 {
			open = !open
		}
		core := cmp.Or(strings.TrimRight(w, "\"')`”"), w)
		s := max(endings[w[len(w)-1]], endings[core[len(core)-1]])
		switch {
		case open:
			continue
		case k == len(ws):
			s = 6
		case core == "e.g." || core == "i.e.", s == 0:
			s = joining[ws[k]]
		}
		if s >= score && s > 0 && (k > words/2 || s >= 5 && k > words/3) {
			best, score = k, s
		}
	}
	return best
}

// QuoteText quotes a passage.
func QuoteText(s string) string { return Quote(s, proseLimit(s)) }

// proseLimit is the length to which a text is cut: what is no prose, such as a key, is cut as
// code is.
func proseLimit(s string) int {
	if n := len(strings.Fields(s)); n > 0 && len(s)/n > 14 {
		return MaxCode
	}
	return maxPassage
}

// FirstPassage is the beginning of a text, or what there is of it where it has
// no words.
func FirstPassage(s string, words int) string {
	if p := Passages(s, words, 1); len(p) > 0 {
		return p[0]
	}
	return s
}
