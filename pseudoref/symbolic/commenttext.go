package symbolic

import (
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
)

var (
	commentOpens  = regexp.MustCompile(`^(?:/\*+!?|/{2,}!?(?:\s*/{2,})*|<!--+|\*+/|\*+(?:\s|$)|#+(?:\s|$)|#+[:!]?|--+\s|;+\s|%+\s|"{3}|'{3})`)
	commentCloses = regexp.MustCompile(`\s*(?:\*+/|-->|"{3}|'{3})$`)
)

// commentLines are the lines of a comment without its signs; empty ones are kept.
func commentLines(s string) []string {
	lines := strings.Split(s[:min(len(s), maxComment)], "\n")
	for i, l := range lines {
		l = strings.TrimSpace(l)
		l = strings.TrimSpace(l[len(commentOpens.FindString(l)):])
		lines[i] = strings.TrimSpace(commentCloses.ReplaceAllString(l, ""))
	}
	return lines
}

// commentText is the text of a comment without its signs, on one line.
func commentText(s string) string {
	lines := slices.DeleteFunc(commentLines(s), underlined.MatchString)
	return plainDoc(strings.Join(lines, " "))
}

var (
	// referred are tags that stand for a name.
	referred = regexp.MustCompile(`<\w+ (?:cref|name|langword)="([^"<>\n]*)"\s*/>`)
	// markup are the tags in documentation.
	markup     = regexp.MustCompile(`</?[A-Za-z][^<>\n]*>`)
	inlineTags = regexp.MustCompile(`(?i)</?(?:b|i|em|strong|code|tt|a)(?: [^<>]*)?/?>`)
	plainTags  = regexp.MustCompile(`(?i)</?(?:p|br|li|ul|ol|pre|code|b|i|em|strong|tt|a|table|tr|td|h\d)(?: [^<>]*)?/?>`)
	inlineTag  = regexp.MustCompile(`\{@(?:link|linkplain|code|literal|value|linkcode|see)\s+([^{}|]*?)(?:\|[^{}]*)?\}`)
)

// entities are those of documentation, and the marks of reStructuredText around code.
var entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&", "``", "`")

// plainDoc takes the markup of documentation out of a text.
func plainDoc(s string) string {
	s = inlineTag.ReplaceAllString(s, "$1")
	s = inlineTags.ReplaceAllString(referred.ReplaceAllString(s, "$1"), "")
	if strings.Contains(s, "</") {
		s = markup.ReplaceAllString(s, " ")
	}
	s = entities.Replace(plainTags.ReplaceAllString(s, " "))
	return strings.Join(strings.Fields(s), " ")
}
