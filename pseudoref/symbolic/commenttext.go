package symbolic

import (
	"strings"

	regexp "crscore/internal/lazyregexp"
)

// commentLine is a line of a comment without its signs.
type commentLine struct {
	indent int
	text   string
}

var (
	commentOpens  = regexp.MustCompile(`^(?:/\*+!?|/{2,}!?(?:\s*/{2,})*|<!--+|\*+/|\*+(?:\s|$)|#+(?:\s|$)|#+[:!]?|--+\s|;+\s|%+\s|"{3}|'{3})`)
	commentCloses = regexp.MustCompile(`\s*(?:\*+/|-->|"{3}|'{3})$`)
	ruler         = regexp.MustCompile(`^[-=*#~/_+ ]{4,}$`)
)

// commentLines are the lines of a comment; empty ones are kept.
func commentLines(s string) []commentLine {
	if len(s) > maxComment {
		s = s[:maxComment]
	}
	lines := strings.Split(s, "\n")
	out := make([]commentLine, 0, len(lines))
	for _, l := range lines {
		t := strings.TrimRight(strings.ReplaceAll(l, "\t", "    "), " \r")
		lead := len(t) - len(strings.TrimLeft(t, " "))
		t = t[lead:]
		if m := commentOpens.FindString(t); m != "" {
			t = t[len(m):]
			lead = len(t) - len(strings.TrimLeft(t, " "))
		}
		t = strings.TrimSpace(commentCloses.ReplaceAllString(strings.TrimSpace(t), ""))
		if ruler.MatchString(t) && !underlined.MatchString(t) {
			t = ""
		}
		out = append(out, commentLine{lead, strings.Trim(t, "\t ")})
	}
	return out
}

// commentText is the text of a comment without its signs, on one line.
func commentText(s string) string {
	var out []string
	for _, l := range commentLines(s) {
		if l.text != "" && !underlined.MatchString(l.text) {
			out = append(out, l.text)
		}
	}
	return plainDoc(strings.Join(out, " "))
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
