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

// Fit shortens the long quotations of a clause of more than MaxWords words, the first ones
// first. What it says outside of them is never cut: half of "from A to B" is wrong.
func Fit(s string) string {
	return Requote(s, func(q string, words int) string {
		if CountWords(q) > 1 && words > MaxWords && utf8.RuneCountInString(q) > ShortCode+8 {
			return Shorter(q, ShortCode)
		}
		return q
	})
}

// Requote shortens the quotations in a clause, of which shorter is given each, and the
// words of the clause as shortened so far. Two that differ do not become the same: of the
// second what differs is shown.
func Requote(s string, shorter func(q string, words int) string) string {
	var b strings.Builder
	last, from := 0, map[string]string{} // what was shortened, by what it is now
	spans(s, func(i, j int) {
		b.WriteString(s[last:i])
		q := s[i:j]
		short := shorter(q, CountWords(b.String()+s[i:]))
		if before, ok := from[short]; ok && before != q && q[0] == '`' {
			_, short = Apart(strings.Trim(before, "` "), strings.Trim(q, "` "))
		}
		from[short] = q
		b.WriteString(short)
		last = j
	})
	return b.String() + s[last:]
}

// spans calls f for each quotation in s, with its marks.
func spans(s string, f func(a, b int)) {
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
	open, text, end := Marks(q)
	return open + Cut(text, limit) + end
}

// Marks splits a quotation into its marks and its text. A phrase that is not one quotation
// has no marks.
func Marks(q string) (open, text, end string) {
	for _, m := range quotationMarks {
		rest, begins := strings.CutPrefix(q, m[0])
		if text, ends := strings.CutSuffix(rest, m[1]); begins && ends && !strings.Contains(text, m[1]) {
			return m[0], text, m[1]
		}
	}
	return "", q, ""
}

// QuotationsApart shortens two quotations of the same kind so that both show where they
// differ: a claim quotes the new state, and the next one the old state.
func QuotationsApart(a, b string) (string, string) {
	open, x, end := Marks(a)
	other, y, _ := Marks(b)
	if open == "" || open != other {
		return a, b
	}
	return apart(x, y, func(s string) string { return open + Cut(s, ShortCode) + end })
}
