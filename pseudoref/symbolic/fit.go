package symbolic

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxWords  = 25 // of a claim
	shortCode = 24 // characters of quoted code, where a claim is too long
	maxPasted = 30 // characters of a changed line that a claim may quote
)

// text renders the fact as a sentence of at most maxWords words: with fewer
// names and then without its place, where it is longer.
func (f *fact) text() string {
	for limit := 3; ; limit-- {
		s := f.clause(limit)
		if f.where != "" {
			if t := "in " + f.where + ", " + s; countWords(t) <= maxWords || limit == 1 && countWords(s) > maxWords {
				return sentence(fit(t))
			}
		}
		if countWords(s) <= maxWords && (limit == 1 || f.where == "") || limit == 1 {
			return sentence(fit(s))
		}
	}
}

// clause is the fact without its place, with at most limit names.
func (f *fact) clause(limit int) string {
	if len(f.names) == 0 {
		return f.what
	}
	s := f.what
	if len(f.names) > 1 {
		s = f.many
	}
	all := listOf(f.names, limit, "and")
	if n := len(f.names); n > limit || f.more != "" && n > 2 {
		more := "more"
		if f.more != "" {
			more = "other " + f.more + "s"
		}
		if limit = min(limit, n); f.more != "" {
			limit = 1
		}
		all = strings.Join(f.names[:limit], ", ") + " and " + strconv.Itoa(n-limit) + " " + more
		if n-limit == 1 && f.more != "" {
			all = strings.TrimSuffix(all, "s")
		}
	}
	return strings.Replace(s, slot, all, 1)
}

// countWords counts words.
func countWords(s string) int { return len(strings.Fields(s)) }

// fit shortens a clause to maxWords words: its quotations, the longest first,
// and then what it says last.
func fit(s string) string {
	for range 8 {
		if countWords(s) <= maxWords {
			return s
		}
		a, b := longest(s)
		if a < 0 {
			break
		}
		s = s[:a] + shorter(s[a:b], shortCode) + s[b:]
	}
	for range 8 {
		if countWords(s) <= maxWords {
			return s
		}
		k := lastBreak(s)
		if k < 0 {
			break
		}
		s = s[:k]
	}
	return s
}

// spans calls f for each quotation in s, with its marks.
func spans(s string, f func(a, b int)) {
	for i := 0; i < len(s); {
		var open, end string
		switch {
		case strings.HasPrefix(s[i:], "`` "):
			open, end = "`` ", " ``"
		case s[i] == '`':
			open, end = "`", "`"
		case s[i] == '"':
			open, end = `"`, `"`
		case strings.HasPrefix(s[i:], "“"):
			open, end = "“", "”"
		}
		if open == "" {
			i++
			continue
		}
		k := strings.Index(s[i+len(open):], end)
		if k < 0 {
			return
		}
		next := i + len(open) + k + len(end)
		f(i, next)
		i = next
	}
}

// longest returns where the quotation with the most words stands that can be
// shortened; -1 where there is none.
func longest(s string) (a, b int) {
	most := 1
	a = -1
	spans(s, func(i, j int) {
		if n := countWords(s[i:j]); n > most && utf8.RuneCountInString(s[i:j]) > shortCode+8 {
			a, b, most = i, j, n
		}
	})
	return a, b
}

// shorter cuts a quotation to limit characters.
func shorter(q string, limit int) string {
	for _, m := range [][2]string{{"`` ", " ``"}, {"`", "`"}, {`"`, `"`}, {"“", "”"}} {
		if rest, ok := strings.CutPrefix(q, m[0]); ok {
			return m[0] + cut(strings.TrimSuffix(rest, m[1]), limit) + m[1]
		}
	}
	return q
}

// breaks are where a clause can end before it says all.
var breaks = []string{", which ", ", so ", ", with ", ", as ", " and ", " or ", ": ", ", ", " instead of ", " when ", " with ", " that "}

// lastBreak returns the last place, outside of quotations, where s can end and
// still say most of what it says; -1 for none.
func lastBreak(s string) int {
	quoted := make([]bool, len(s))
	spans(s, func(a, b int) {
		for i := a; i < b; i++ {
			quoted[i] = true
		}
	})
	best := -1
	for _, b := range breaks {
		for k := len(s); k > 0; {
			if k = strings.LastIndex(s[:k], b); k < 0 {
				break
			}
			if !quoted[k] {
				if countWords(s[:k]) >= 8 && k > best && countWords(s[:k]) <= maxWords {
					best = k
				}
				if countWords(s[:k]) <= maxWords {
					break
				}
			}
		}
	}
	return best
}

// unpasted shortens the quotations of s that are whole changed lines, and those
// of prose that hold one.
func (w *pastes) unpasted(s string) string {
	for range 4 {
		before := s
		spans(before, func(i, j int) {
			q := before[i:j]
			short := w.abridged(q)
			if short == q || q[0] == '`' {
				if short = q; w.whole(q) {
					short = shorter(q, min(shortCode, utf8.RuneCountInString(q)*2/3))
				}
			}
			if s == before && short != q {
				s = before[:i] + short + before[j:]
			}
		})
		if s == before {
			break
		}
	}
	return s
}
