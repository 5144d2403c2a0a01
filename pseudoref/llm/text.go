package llm

import "unicode/utf8"

// cut shortens s to at most n bytes without breaking a rune.
func cut(s string, n int) string {
	if n >= len(s) {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
