package texts

import (
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
)

var (
	commentOpens  = regexp.MustCompile(`^(?:/\*+!?|/{2,}!?(?:\s*/{2,})*|<!--+|\*+/|\*+(?:\s|$)|#+(?:\s|$)|#+[:!]?|--+\s|;+\s|%+\s|"{3}|'{3})`)
	commentCloses = regexp.MustCompile(`\s*(?:\*+/|-->|"{3}|'{3})$`)
)

// commentLines are the lines of a comment without its signs; empty ones are kept.
func commentLines(s string) []string {
	lines := strings.Split(s[:min(len(s), limits.CodeCommentBytes)], "\n")
	for i, l := range lines {
		l = strings.TrimSpace(l)
		l = strings.TrimSpace(l[len(commentOpens.FindString(l)):])
		lines[i] = strings.TrimSpace(commentCloses.ReplaceAllString(l, ""))
	}
	return lines
}

// Plain is the text of a comment without its signs, on one line.
func Plain(s string) string {
	lines := slices.DeleteFunc(commentLines(s), underlined.MatchString)
	return plainDoc(strings.Join(lines, " "))
}

var (
	// referred are tags that stand for a name.
	referred   = regexp.MustCompile(`<\w+ (?:cref|name|langword)="([^"<>\n]*)"\s*/>`)
	inlineTags = regexp.MustCompile(`(?i)</?(?:b|i|u|em|strong|code|tt|a)(?: [^<>]*)?/?>`)
	plainTags  = regexp.MustCompile(`(?i)</\w+/?>|<(?:p|br|li|ul|ol|pre|table|tr|td|h\d|summary|remarks|para|returns|list|item)(?: [^<>]*)?/?>`)
	inlineTag  = regexp.MustCompile(`\{@(?:link|linkplain|code|literal|value|linkcode|see)\s+([^{}|]*?)(?:\|[^{}]*)?\}`)
)

// entities are those of documentation, and the marks of reStructuredText around code.
var entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&", "``", "`")

// plainDoc takes the markup of documentation out of a text.
func plainDoc(s string) string {
	s = inlineTag.ReplaceAllString(s, "$1")
	s = inlineTags.ReplaceAllString(referred.ReplaceAllString(s, "$1"), "")
	s = entities.Replace(plainTags.ReplaceAllString(s, " "))
	return strings.Join(strings.Fields(s), " ")
}

// DocMark is the sign of documentation at the beginning of a comment.
func DocMark(s string) string {
	for _, m := range []string{"/**", "///", "//!", "/*!"} {
		if strings.HasPrefix(s, m) && !strings.HasPrefix(s, "////") && s != "/**/" {
			return m
		}
	}
	return ""
}

// IsCode tells whether a comment is code that was switched off.
func IsCode(s string) bool {
	// Prose can end in a bracket or hold a sign, too, but then has more words.
	spaces := strings.Count(s, " ")
	code := spaces < 12 && strings.TrimRight(s, ";{}") != s || spaces < 5 && strings.Contains(s, " = ") ||
		spaces < 3 && called.MatchString(s)
	return code && tagOf(s).thing == "" // `@see Lid.open(x)` belongs to the prose above it
}

var (
	// called is a call, not a remark as in "the width (in cm)".
	called = regexp.MustCompile(`[\w\])]\(.*\)$`)
	// proseWords are more words in a row than code has outside of texts.
	proseWords = regexp.MustCompile(`\b[a-z]+(?: [a-z]+){4}`)
)

// holdsCode tells whether a comment is code that was switched off: most of its lines are.
func holdsCode(s string) bool {
	lines := slices.DeleteFunc(commentLines(s), func(l string) bool { return l == "" })
	code := 0
	for _, l := range lines {
		if IsCode(l) && !proseWords.MatchString(l) {
			code++
		}
	}
	return 2*code > len(lines)
}

// Comment tells of a comment that came or went. of is the name of what it documents, or "".
func Comment(text, of string, added bool) []fact.Slots {
	switch plain := Plain(text); {
	case plain == "":
		return nil
	case IsDoc(text):
		return Docs(text, "documentation", of, added)
	case IsCode(plain), holdsCode(text):
		return []fact.Slots{{Form: "code"}}
	case added:
		// Of the header of a licence, the beginning is enough.
		return GoesOn(fact.Slots{}, "the new comment", plain, phrase.Either(strings.Contains(strings.ToLower(plain), "copyright"), 1, 3))
	default:
		return []fact.Slots{{Old: Quoted(plain)}}
	}
}

// CommentChanged compares the texts of a comment.
func CommentChanged(before, after, of string) []fact.Slots {
	of = phrase.Either(of == "", "", " of "+of)
	from, to, what := Plain(before), Plain(after), "the comment"+of
	switch {
	case from == to:
		return []fact.Slots{{Form: "layout", Object: what, Detail: "markup"}}
	case IsDoc(after):
		return DocsChanged("the documentation", of, ReadDoc(before), ReadDoc(after))
	}
	return Retold(what, from, to, BesideWords)
}
