// Package csvcell writes texts into the cells of a CSV table that a spreadsheet may open, and
// reads them back. It knows no columns.
package csvcell

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns a text for a cell. No two texts have the same cell.
//
// A text with control characters, or with characters that reorder the text around them, is
// quoted as in Go; so is a text that looks so. A text that a spreadsheet would take for a
// formula, or a CI system for a command, gets an apostrophe before it, which spreadsheets
// take for "this is text". So does what follows a semicolon: for some spreadsheets a cell
// begins there, whatever quotes are around it. Numbers stay as they are.
func Text(s string) string {
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return eachBegin(quote(s), func(s string) string {
		if computed(s) {
			return "'" + s
		}
		return s
	})
}

// Read returns the text of a cell.
func Read(s string) string {
	return unquote(eachBegin(s, func(s string) string {
		if rest, ok := strings.CutPrefix(s, "'"); ok && computed(rest) {
			return rest
		}
		return s
	}))
}

// eachBegin changes the parts of a text that semicolons end.
func eachBegin(s string, change func(string) string) string {
	parts := strings.SplitAfter(s, ";")
	for i, part := range parts {
		parts[i] = change(part)
	}
	return strings.Join(parts, "")
}

// computed reports whether a text begins as a formula or a command does, behind any
// apostrophes, quotes and spaces.
func computed(s string) bool {
	s = strings.TrimLeftFunc(s, func(r rune) bool { return r == '\'' || r == '"' || unicode.IsSpace(r) })
	return strings.IndexAny(s, "=+-@＝＋－＠") == 0 || strings.HasPrefix(s, "::") || strings.HasPrefix(s, "##")
}

func quote(s string) string {
	if _, ok := quoted(s); !ok && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
	}) {
		return s
	}
	return strconv.Quote(s)
}

// unquote returns the text that quote was given.
func unquote(s string) string {
	if text, ok := quoted(s); ok && quote(text) == s {
		return text
	}
	return s
}

// quoted returns the text between quotes as in Go.
func quoted(s string) (string, bool) {
	if !strings.HasPrefix(s, `"`) {
		return "", false
	}
	text, err := strconv.Unquote(s)
	return text, err == nil
}
