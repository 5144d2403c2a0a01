package syntax

import (
	"strings"

	"crscore/internal/limits"
)

// opener returns what opens the bracket that a closer of balance closes.
func (t *Table) opener(closer byte) string {
	switch closer {
	case ')':
		return "__("
	case ']':
		return "__["
	case elseCloser:
		return "if " + t.condition + " {"
	case catchCloser:
		return "try {"
	}
	return "{"
}

// closers returns the text that closes what balance says is open; behind the
// bracket with the index at stands tail.
func (t *Table) closers(up string, at int, tail string) string {
	var b strings.Builder
	for i := len(up) - 1; i >= max(len(up)-limits.HunkClosers, 0); i-- {
		if up[i] == '*' {
			b.WriteString("*/")
			continue
		}
		b.WriteByte(up[i])
		switch {
		case i == at:
			b.WriteString(tail)
		case t.SemicolonEnds && up[i] == ')' && (i == 0 || up[i-1] == '}'):
			b.WriteByte(';')
		case up[i] != '}' && (i == 0 || up[i-1] == '}'):
			b.WriteString(t.stop) // it was the last bracket of a statement
		}
	}
	return b.String()
}

// balance returns the closing brackets of a text that close nothing in it, in
// order, and those that what it leaves open asks for, the outermost first; * is
// an open comment. Last is the index of the last of the former. Last is the index of the last of the former.
func balance(t *Table, s string) (down, up string, last int) {
	var d, stack []byte
	var open unclosed
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '(':
			stack = append(stack, ')')
		case '[':
			stack = append(stack, ']')
		case '{':
			stack = append(stack, '}')
		case ')', ']', '}':
			if k := len(stack); k > 0 && stack[k-1] == c {
				stack = stack[:k-1]
			} else if k == 0 {
				switch next := strings.TrimLeft(s[i+1:], " \t\n"); {
				case c != '}':
				case strings.HasPrefix(next, "else"):
					c = elseCloser
				case strings.HasPrefix(next, "catch"), strings.HasPrefix(next, "finally"):
					c = catchCloser
				}
				if len(d) < limits.HunkClosers {
					d, last = append(d, c), i
				}
			}
		case '"', '\'', '`':
			i = open.skip(s, i)
		case '/':
			switch {
			case !t.braces:
			case strings.HasPrefix(s[i:], "//"):
				i = lineEnd(s, i)
			case strings.HasPrefix(s[i:], "/*"):
				k := strings.Index(s[i+2:], "*/")
				if k < 0 {
					return string(d), string(append(stack, '*')), last
				}
				i += k + 3
			}
		case '#':
			if t.hash && (i == 0 || s[i-1] <= ' ') {
				i = lineEnd(s, i)
			}
		}
	}
	return string(d), string(stack), last
}

// unclosed holds, for each quote, how far no string is known to end with it.
type unclosed [256]int

// skip is skipString for the places of a text from left to right. A place that an
// earlier search has passed by was escaped there, so that a new one finds no more.
func (u *unclosed) skip(s string, i int) int {
	q := s[i]
	if i < u[q] {
		return i
	}
	end := skipString(s, i)
	if end == i {
		u[q] = lineEnd(s, i)
		if q == '`' {
			u[q] = len(s)
		}
	}
	return end
}

// skipString returns the index of the quote that ends a string, or where it
// stands when none does on its line: an apostrophe, or a string over lines.
func skipString(s string, i int) int {
	q := s[i]
	for j := i + 1; j < len(s); j++ {
		switch {
		case s[j] == '\\':
			j++
		case s[j] == q:
			return j
		case s[j] == '\n' && q != '`':
			return i
		}
	}
	return i
}

func lineEnd(s string, i int) int {
	if k := strings.IndexByte(s[i:], '\n'); k >= 0 {
		return i + k
	}
	return len(s)
}
