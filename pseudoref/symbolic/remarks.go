package symbolic

import (
	"strings"

	regexp "crscore/internal/lazyregexp"
)

// What a comment is when it is not just prose: a licence, something to be done,
// code that was switched off.

// licenceNames are the words by which a licence is known.
var licenceNames = []struct{ words, name string }{
	{"APACHE LICENSE", "the Apache Licence"}, {"LESSER GENERAL PUBLIC", "the GNU LGPL"}, {"AFFERO GENERAL PUBLIC", "the GNU AGPL"}, {"GENERAL PUBLIC LICENSE", "the GNU GPL"},
	{"MOZILLA PUBLIC", "the Mozilla Public Licence"}, {"ECLIPSE PUBLIC", "the Eclipse Public Licence"}, {"MIT LICENSE", "the MIT Licence"}, {"BSD", "a BSD licence"},
}

var (
	copyrightLine = regexp.MustCompile(`(?i)\bcopyright\b(?: *\(c\)| *©)? *((?:\d{4}(?: *[-,–] *(?:\d{4}|present))*,?)?)(?: +(?:by +)?([\pL\d][^.<>@|]{1,60}?))?(?:[.<,(|]|All rights|Licen[sc]ed|This|Permission|SPDX|$)`)
	licensed      = regexp.MustCompile(`(?i)\blicen[sc]ed under\b|spdx-licen[sc]e-identifier|redistribution and use in source|permission is hereby granted|governed by a .{0,30}licen[sc]e|-style license\b`)
)

// licenceOf says what a licence header grants, and to whom the text belongs; it
// is empty for other comments.
func licenceOf(text string) string {
	m := copyrightLine.FindStringSubmatch(text)
	if m == nil && !licensed.MatchString(text) || m != nil && m[1] == "" && !licensed.MatchString(text) {
		return ""
	}
	upper := strings.ToUpper(text)
	var said []string
	for _, l := range licenceNames {
		if strings.Contains(upper, l.words) {
			said = append(said, l.name)
			break
		}
	}
	if _, id, ok := strings.Cut(text, "SPDX-License-Identifier:"); ok && len(strings.Fields(id)) > 0 {
		said = []string{"the licence " + code(strings.Fields(id)[0])}
	}
	if m != nil {
		if s := strings.TrimSpace(strings.TrimRight(m[1], ", ") + " " + strings.TrimSpace(m[2])); s != "" {
			said = append(said, "the copyright of "+s)
		}
	}
	if len(said) == 0 {
		return quoteText(firstPassage(text, wordsSaid))
	}
	return strings.Join(said, ", ")
}

var todoMark = regexp.MustCompile(`^@?(?i:todo|fixme)\b(?:\s*\(([^()]*)\))?[\s:,-]*`)

// todoOf is what a comment says that is to be done.
func todoOf(text string) (string, bool) {
	if m := todoMark.FindStringSubmatchIndex(text); m != nil {
		rest := text[m[1]:]
		if m[2] >= 0 && m[3] > m[2] {
			rest += " (" + text[m[2]:m[3]] + ")"
		}
		return strings.TrimSpace(rest), true
	}
	if k := max(strings.Index(text, "TODO"), strings.Index(text, "FIXME")); k >= 0 {
		return text, true
	}
	return "", false
}

var (
	callLine   = regexp.MustCompile(`^(?:return |await |new )*([A-Za-z_$@][\w.$:>-]*)\(`)
	assignLine = regexp.MustCompile(`^(?:(?:const|let|var|final|auto|[A-Za-z_][\w<>\[\],.*& ]*)\s+)?([A-Za-z_$@][\w.$>\[\]-]*)\s*:?[-+*/|&]?=[^=]`)
	headLine   = regexp.MustCompile(`^(?:}\s*)?(if|for|while|switch|try|else|elif|import|from|return|throw|raise|#include|using|require)\b`)
)

// deedOfLine says what a line of code does, as far as it is plain.
func deedOfLine(s string) string {
	if m := headLine.FindStringSubmatch(s); m != nil {
		switch m[1] {
		case "import", "from", "#include", "using", "require":
			return "an import"
		case "for", "while":
			return "a loop"
		case "return":
			return "a `return`"
		case "throw", "raise":
			return "an exception that is thrown"
		case "if", "else", "elif", "switch":
			return "a condition"
		}
		return ""
	}
	if m := callLine.FindStringSubmatch(s); m != nil {
		return "a call to " + code(m[1])
	}
	if m := assignLine.FindStringSubmatch(s); m != nil {
		return "an assignment to " + code(m[1])
	}
	return ""
}

// looksLikeCode tells whether a comment is code that was switched off.
func looksLikeCode(s string) bool {
	s = strings.TrimSpace(s)
	if f := strings.Fields(s); len(f) > 12 {
		return false
	}
	if rest, ok := strings.CutPrefix(s, "return "); ok && strings.ContainsAny(rest, "(=+_[") && !strings.HasSuffix(s, ".") {
		return true
	}
	return strings.HasSuffix(s, ";") || strings.HasSuffix(s, "{") || strings.HasSuffix(s, "}") ||
		strings.HasSuffix(s, ")") && strings.Contains(s, "(") && strings.Count(s, " ") < 3 || strings.Contains(s, " = ") && strings.Count(s, " ") < 5
}
