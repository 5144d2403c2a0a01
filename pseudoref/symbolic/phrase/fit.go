package phrase

import (
	"strings"
	"unicode/utf8"
)

// CountWords counts words.
func CountWords(s string) int { return len(strings.Fields(s)) }

const (
	MaxWords  = 25 // of a claim
	ShortCode = 24 // characters of quoted code, where a claim is too long
)

// Fit shortens a clause to maxWords words: its long quotations, and
// then what it says last.
func Fit(s string) string {
	var b strings.Builder
	last := 0
	Spans(s, func(i, j int) {
		b.WriteString(s[last:i])
		q := s[i:j]
		if CountWords(q) > 1 && CountWords(b.String()+s[i:]) > MaxWords && utf8.RuneCountInString(q) > ShortCode+8 {
			q = Shorter(q, ShortCode)
		}
		b.WriteString(q)
		last = j
	})
	s = b.String() + s[last:]
	if k := lastBreak(s); k >= 0 && CountWords(s) > MaxWords {
		return s[:k]
	}
	return s
}

// Spans calls f for each quotation in s, with its marks.
func Spans(s string, f func(a, b int)) {
next:
	for i := 0; i < len(s); {
		for _, m := range quotationMarks {
			if rest, ok := strings.CutPrefix(s[i:], m[0]); ok {
				k := strings.Index(rest, m[1])
				if k < 0 {
					return
				}
				end := i + len(m[0]) + k + len(m[1])
				f(i, end)
				i = end
				continue next
			}
		}
		i++
	}
}

// quotationMarks are what quotations begin and end with.
var quotationMarks = [][2]string{{"`` ", " ``"}, {"`", "`"}, {`"`, `"`}, {"“", "”"}}

// Shorter cuts a quotation to limit characters.
func Shorter(q string, limit int) string {
	for _, m := range quotationMarks {
		if rest, ok := strings.CutPrefix(q, m[0]); ok {
			return m[0] + Cut(strings.TrimSuffix(rest, m[1]), limit) + m[1]
		}
	}
	return q
}

// breaks are where a clause can end before it says all.
var breaks = []string{" and ", " or ", ": ", ", ", " instead of ", " when ", " with ", " that "}

// lastBreak returns the last place, outside of quotations, where s can end and
// still say most of what it says; -1 for none.
func lastBreak(s string) int {
	best, last := -1, 0
	between := func(a, b int) {
		for k := a; k < b; k++ {
			for _, br := range breaks {
				if n := CountWords(s[:k]); strings.HasPrefix(s[k:], br) && n >= 8 && n <= MaxWords {
					best = k
				}
			}
		}
	}
	Spans(s, func(a, b int) {
		between(last, a)
		last = b
	})
	between(last, len(s))
	return best
}
