package change

import "strings"

// withoutColours takes the colours off a diff that git wrote for a terminal, and
// reports whether it was such a diff. Escape sequences in any other diff belong
// to the text of its files and stay.
func withoutColours(diff string) (string, bool) {
	if !coloured(diff) {
		return diff, false
	}
	var b strings.Builder
	b.Grow(len(diff))
	for {
		i := strings.IndexByte(diff, '\x1b')
		if i < 0 {
			b.WriteString(diff)
			return b.String(), true
		}
		b.WriteString(diff[:i])
		n := colour(diff[i:])
		if n == 0 {
			n = 1
			b.WriteByte('\x1b')
		}
		diff = diff[i+n:]
	}
}

// coloured reports whether a file header or hunk header begins with a colour.
func coloured(diff string) bool {
	for diff != "" {
		if n := colour(diff); n > 0 {
			for _, head := range []string{"diff --", "@@ -", "--- "} {
				if strings.HasPrefix(diff[n:], head) {
					return true
				}
			}
		}
		i := strings.Index(diff, "\n\x1b[")
		if i < 0 {
			return false
		}
		diff = diff[i+1:]
	}
	return false
}

// colour returns the length of the sequence that s begins with and that sets the
// colour or, as some pagers do, clears the rest of the line; 0 if there is none.
func colour(s string) int {
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm' || c == 'K':
			return i + 1
		case c != ';' && (c < '0' || c > '9'):
			return 0
		}
	}
	return 0
}
