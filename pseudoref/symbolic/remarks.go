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
