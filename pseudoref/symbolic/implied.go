package symbolic

import (
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/phrase"

	"crscore/pseudoref"
	"crscore/pseudoref/symbolic/fact"
)

// filler are the words that make no other claim of a claim.
var filler = strings.Fields("a an the of to in into is was were are and with now that which for on it by its has been be code then also")

// maxCompared bounds the claims that are compared with each other.
const maxCompared = 300

// distinct leaves out claims about the same lines of which another one, of no
// less weight, says all; details may go in favour of any.
func distinct(refs []pseudoref.Ref, weights []int) []pseudoref.Ref {
	if len(refs) > maxCompared {
		return refs
	}
	said := make([]map[string]bool, len(refs))
	for i, r := range refs {
		said[i] = content(r.Text)
	}
	gone := make([]bool, len(refs))
	for i, r := range refs {
		for j, o := range refs {
			if i == j || gone[j] || len(said[i]) < 3 || weights[i] > max(weights[j], fact.Detail) || !overlap(r, o) {
				continue
			}
			if subset(said[i], said[j]) && (len(said[i]) < len(said[j]) || j < i) {
				gone[i] = true
				break
			}
		}
	}
	out := refs[:0:0]
	for i, r := range refs {
		if !gone[i] {
			out = append(out, r)
		}
	}
	return out
}

// overlap tells whether two claims are about the same lines.
func overlap(a, b pseudoref.Ref) bool {
	return a.Path == b.Path && a.Side == b.Side && a.StartLine <= b.EndLine && b.StartLine <= a.EndLine
}

// subset tells whether b holds all of a.
func subset(a, b map[string]bool) bool {
	for w := range a {
		if !b[w] {
			return false
		}
	}
	return true
}

// content is the set of a claim's words and quotations that say something. What
// is new was added.
func content(s string) map[string]bool {
	s, quotes := masked(strings.TrimSuffix(s, "."))
	out := map[string]bool{}
	for _, q := range quotes {
		out[q] = true
	}
	between := func(r rune) bool { return r == ' ' || r == ',' || r == ':' || r >= 0xe000 && r <= 0xf8ff } // or a quotation
	for _, w := range strings.FieldsFunc(strings.ToLower(s), between) {
		if !slices.Contains(filler, w) {
			out[w] = true
		}
	}
	if out["new"] {
		delete(out, "added")
	}
	return out
}

// masked takes the quotations out of a clause.
func masked(s string) (string, []string) {
	var quotes []string
	var b strings.Builder
	last := 0
	phrase.Spans(s, func(i, j int) {
		if len(quotes) < 1000 {
			b.WriteString(s[last:i])
			b.WriteRune(rune(0xe000 + len(quotes)))
			quotes = append(quotes, s[i:j])
			last = j
		}
	})
	b.WriteString(s[last:])
	return b.String(), quotes
}
