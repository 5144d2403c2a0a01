// Package findings holds what analyzers say about files: the one shape in which
// the adapters to external tools, and the files that such tools write, are read.
//
// What a finding is worth for a change, and how it is worded, is the business of
// smells; running tools is that of analyzers.
package findings

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Severity is how bad a tool thinks a finding is, on one scale for all tools.
type Severity string

// The severities, from the worst.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Finding is one thing that a tool found at one place.
type Finding struct {
	Tool string // "" when a file of findings does not say
	Path string // as the tool has it; "" when it is about no file
	// Line, Column and EndLine count from 1; 0 means that the tool did not say.
	// Columns are the tool's own: some count bytes, some characters.
	Line, Column, EndLine int
	Rule                  string // the tool's own name for what it looked for
	Message               string
	Severity              Severity
}

// Text makes a tool's text fit to be shown and compared: one line without
// control characters, valid UTF-8, cut after max characters.
func Text(s string, max int) string {
	if cut := max * utf8.UTFMax * 2; len(s) > cut {
		s = s[:cut] // so that a text of megabytes is not worked through
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == utf8.RuneError:
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) > max {
		s = strings.TrimRight(string([]rune(s)[:max-1]), " ") + "…"
	}
	return s
}
