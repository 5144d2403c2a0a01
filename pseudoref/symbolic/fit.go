package symbolic

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxWords  = 25 // of a claim
	shortCode = 24 // characters of quoted code, where a claim is too long
)

// text renders the fact as a sentence of at most maxWords words: with fewer
// names and then without its place, where it is longer.
func (f *finding) text() string {
	where := ""
	if f.where != "" {
		where = "in " + f.where + ", "
	}
	for limit := 3; limit > 1; limit-- {
		if s := where + f.clause(limit); countWords(s) <= maxWords {
			return sentence(s)
		}
	}
	s := f.clause(1)
	if countWords(where+s) <= maxWords || countWords(s) > maxWords {
		s = where + s
	}
	return sentence(fit(s))
}

// clause is the fact without its place, with at most limit names.
func (f *finding) clause(limit int) string {
	if len(f.names) == 0 {
		return f.what
	}
	s := f.what
	if len(f.names) > 1 {
		s = f.many
	}
	all := list(f.names)
	if n := len(f.names); n > limit {
		all = strings.Join(f.names[:limit], ", ") + " and " + strconv.Itoa(n-limit) + " more"
	}
	return strings.Replace(s, slot, all, 1)
}

// countWords counts words.
func countWords(s string) int { return len(strings.Fields(s)) }

// fit shortens a clause to maxWords words: its long quotations, and
// then what it says last.
func fit(s string) string {
	var b strings.Builder
	last := 0
	spans(s, func(i, j int) {
		b.WriteString(s[last:i])
		q := s[i:j]
		if countWords(q) > 1 && countWords(b.String()+s[i:]) > maxWords && utf8.RuneCountInString(q) > shortCode+8 {
			q = shorter(q, shortCode)
		}
		b.WriteString(q)
		last = j
	})
	s = b.String() + s[last:]
	if k := lastBreak(s); k >= 0 && countWords(s) > maxWords {
		return s[:k]
	}
	return s
}

// quotationMarks are what quotations begin and end with.
var quotationMarks = [][2]string{{"`` ", " ``"}, {"`", "`"}, {`"`, `"`}, {"“", "”"}}

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

// shorter cuts a quotation to limit characters.
func shorter(q string, limit int) string {
	for _, m := range quotationMarks {
		if rest, ok := strings.CutPrefix(q, m[0]); ok {
			return m[0] + cut(strings.TrimSuffix(rest, m[1]), limit) + m[1]
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
				if n := countWords(s[:k]); strings.HasPrefix(s[k:], br) && n >= 8 && n <= maxWords {
					best = k
				}
			}
		}
	}
	spans(s, func(a, b int) {
		between(last, a)
		last = b
	})
	between(last, len(s))
	return best
}
