package commentcheck

import (
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
	"crscore/sts"
)

// comment is a comment as the checks read it.
type comment struct {
	sentences []string
}

var (
	fences   = regexp.MustCompile("(?s)```.*?(?:```|$)")
	sentence = regexp.MustCompile(`[.?!]\s+`)
	span     = regexp.MustCompile("`([^`\n]+)`")
	mention  = regexp.MustCompile(`\b[A-Za-z_][\w.]*\w\b(?:\(\))?`)
	shaped   = regexp.MustCompile(`[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]`)
)

// read parts a comment into sentences, without machine-made parts, blocks of code and quotations.
func read(body string) *comment {
	if len(body) > limits.CommentWhole {
		body = strings.ToValidUTF8(body[:limits.CommentWhole], "")
	}
	body = sts.Written(body)
	if len(body) > limits.CommentBytes {
		body = strings.ToValidUTF8(body[:limits.CommentBytes], "")
	}
	var c comment
	for line := range strings.Lines(fences.ReplaceAllString(body, "\n")) {
		if strings.HasPrefix(strings.TrimSpace(line), ">") {
			continue
		}
		from, code := 0, codeAt(line)
		for _, at := range sentence.FindAllStringIndex(line, -1) {
			if !code(at[0]) {
				c.sentences = append(c.sentences, line[from:at[1]])
				from = at[1]
			}
		}
		c.sentences = append(c.sentences, line[from:])
	}
	return &c
}

// codeAt returns a function that tells whether a byte of a line stands between backticks. It is
// called with ascending places.
func codeAt(line string) func(at int) bool {
	from, inside := 0, false
	return func(at int) bool {
		inside = inside != (strings.Count(line[from:at], "`")%2 == 1)
		from = at
		return inside
	}
}

// place is a name in a sentence, with the words before and behind it.
type place struct{ name, before, after string }

// names are the pieces of code in backticks, and the words that look like names of code.
func names(s string) (out []place) {
	for _, at := range span.FindAllStringSubmatchIndex(s, -1) {
		out = append(out, place{s[at[2]:at[3]], s[:at[0]], s[at[1]:]})
	}
	code := codeAt(s)
	for _, at := range mention.FindAllStringIndex(s, -1) {
		if n := s[at[0]:at[1]]; !code(at[0]) && shaped.MatchString(n) {
			out = append(out, place{n, s[:at[0]], s[at[1]:]})
		}
	}
	return out
}
