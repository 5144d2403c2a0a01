// Package findings reads the findings of analyzers, from the files that they write: SARIF,
// checkstyle's XML, rdjson and rdjsonl. All of them, and the adapters to external tools,
// give the same type, Finding.
//
// The package smells decides what a finding means for a change and how it is worded. The
// package analyzers runs tools.
package findings

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Severity is the severity of a finding, on one scale for all tools.
type Severity string

// The severities, from the worst.
const (
	Error   Severity = "error"   // a bug
	Warning Severity = "warning" // a likely bug or bad style
	Info    Severity = "info"    // a remark
)

// Finding is a result of a tool at one place.
type Finding struct {
	Tool string // name of the tool; "" if a file of findings does not say
	Path string // as the tool writes it; "" for a finding about no file
	// Line, Column and EndLine count from 1; 0 means unknown. Some tools count columns in
	// bytes, some in characters.
	Line, Column, EndLine int
	Rule                  string   // name of the rule, as the tool calls it
	Message               string   // for a person
	Severity              Severity // of the finding
}

// Text prepares a tool's text for display and comparison: one line of valid UTF-8 without
// control characters, cut after max characters.
func Text(s string, max int) string {
	if cut := max * utf8.UTFMax * 2; len(s) > cut {
		s = s[:cut] // bounds the time for a text of megabytes
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
