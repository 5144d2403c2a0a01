package refmetrics

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// The metrics agree with programs in Python, and so must white space and lower case.

// isSpace reports whether Python's str.split splits at a character.
func isSpace(r rune) bool {
	if r < 0x80 {
		return r == ' ' || r >= '\t' && r <= '\r' || r >= 0x1c && r <= 0x1f
	}
	return unicode.IsSpace(r)
}

// isWord reports whether Python's \w matches a character.
func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_' }

// fields splits a text at white space.
func fields(text string) []string { return strings.FieldsFunc(text, isSpace) }

// lower puts a text into lower case. Two capital letters become other letters than
// strings.ToLower makes of them.
func lower(text string) string {
	if strings.Contains(text, "İ") || strings.Contains(text, "Σ") {
		return cases.Lower(language.Und).String(text)
	}
	return strings.ToLower(text)
}
