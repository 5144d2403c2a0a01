package report

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Markdown is a text on one line as GitHub's and GitLab's Markdown show it literally, in a
// paragraph, a list, a heading or a table. Its code spans become <code>. It escapes only
// characters that would mean something there: HTML, links, images, mentions, numbers of issues,
// emphasis, math, and whatever starts a block.
func Markdown(s string) string {
	s = strings.TrimSpace(Plain(s))
	var b strings.Builder
	text := s
	if mark := blockStart(text); mark > 0 {
		b.WriteString(text[:mark-1] + `\` + text[mark-1:mark])
		text = text[mark:]
	}
	before := lastRune(b.String())
	for text != "" {
		if code, n := codeSpan(text); n > 0 {
			b.WriteString("<code>")
			escape(&b, code, utf8.RuneError, true)
			b.WriteString("</code>")
			text, before = text[n:], '`'
			continue
		}
		n := len(text) - len(strings.TrimLeft(text, "`")) // a run without its end
		if n == 0 {
			if n = strings.IndexByte(text, '`'); n < 0 {
				n = len(text)
			}
		}
		escape(&b, text[:n], before, false)
		before, text = lastRune(text[:n]), text[n:]
	}
	return b.String()
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// blockStart is the length of what starts a block at the beginning of a text, up to the
// character to escape: a list, a heading, a quotation, a rule or a task's box; 0 for none.
func blockStart(text string) int {
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if digits == len(text) {
		return 0
	}
	first, rest := text[digits], text[digits+1:]
	ends := rest == "" || rest[0] == ' '
	switch {
	case digits > 0 && strings.IndexByte(".)", first) >= 0 && ends:
		return digits + 1
	case digits > 0:
	case strings.IndexByte("#+-=", first) >= 0 && (ends || rest[0] == first),
		first == '>', first == '[' && len(rest) > 1 && rest[1] == ']':
		return 1
	}
	return 0
}

// codeSpan is the code that a text begins with, and its length with the backticks; 0 for
// none.
func codeSpan(text string) (code string, n int) {
	ticks := len(text) - len(strings.TrimLeft(text, "`"))
	for i := ticks; ticks > 0 && i < len(text); {
		start := strings.IndexByte(text[i:], '`')
		if start < 0 {
			return "", 0
		}
		i += start
		end := i
		for end < len(text) && text[end] == '`' {
			end++
		}
		if end-i == ticks {
			if code = strings.TrimSpace(text[ticks:i]); code == "" {
				return "", 0
			}
			return code, end
		}
		i = end
	}
	return "", 0
}

// escape writes a text so that nothing in it works in a line of Markdown. start is the
// character before the text. References to people and issues do not work in code anyway.
func escape(b *strings.Builder, s string, start rune, code bool) {
	before := start
	for i, r := range s {
		after, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
		switch {
		case r == '`' || r == '|',
			(r == '*' || r == '~') && !(before == ' ' && after == ' '),
			r == '_' && !insideWord(s, i, start), // snake_case is no emphasis
			r == '\\' && (after == utf8.RuneError || after < utf8.RuneSelf && (unicode.IsPunct(after) || unicode.IsSymbol(after))),
			r == ']' && strings.ContainsRune("([:", after), // a link, an image, a definition
			r == '[' && after == '^':                       // a footnote
			b.WriteString(`\` + string(r))
		case r == '<' && (strings.ContainsRune("/!?", after) || after < utf8.RuneSelf && unicode.IsLetter(after)):
			b.WriteString("&lt;")
		case r == '&' && isEntity(s[i:]):
			b.WriteString("&amp;")
		case r == '$':
			b.WriteString("&#36;") // GitHub's math has no escape
		case r == ':' && strings.HasPrefix(s[i:], "://"):
			b.WriteString("&#58;")
		case r == '.' && i >= 3 && strings.EqualFold(s[i-3:i], "www"):
			b.WriteString("&#46;")
		case r == '@' && isWord(after) && !code, (r == '#' || r == '!') && unicode.IsDigit(after) && !code,
			r == '-' && unicode.IsDigit(after) && i >= 2 && strings.EqualFold(s[i-2:i], "gh") && !code, // an issue
			!isWord(before) && isCommit(s[i:]) && !code:
			b.WriteString(string(r) + "&#8203;")
		default:
			b.WriteRune(r)
		}
		before = r
	}
}

// isCommit reports whether a text begins with the name of a commit, which GitHub makes a link.
func isCommit(s string) bool {
	n := len(s) - len(strings.TrimLeft(s, "0123456789abcdefABCDEF"))
	after, _ := utf8.DecodeRuneInString(s[n:])
	return n == 40 && !isWord(after)
}

// insideWord reports whether a run of underscores, with one at i, stands within a word.
func insideWord(s string, i int, start rune) bool {
	left := start
	if head := strings.TrimRight(s[:i], "_"); head != "" {
		left = lastRune(head)
	}
	right, _ := utf8.DecodeRuneInString(strings.TrimLeft(s[i:], "_"))
	return isWord(left) && isWord(right)
}

// isEntity reports whether a text begins with a character reference.
func isEntity(s string) bool {
	name, _, ok := strings.Cut(s[1:], ";")
	name = strings.TrimPrefix(name, "#")
	return ok && name != "" && strings.IndexFunc(name, func(r rune) bool { return r >= utf8.RuneSelf || !isWord(r) }) < 0
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
