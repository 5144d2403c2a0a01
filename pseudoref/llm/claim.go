package llm

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	regexp "crscore/internal/lazyregexp"
)

// claim is a claim with the parts that the check needs.
type claim struct {
	text string
	// names are the texts in backticks or quotes, and words that look like names of code.
	names []name
	// frame is the text with every name replaced by its mark "‹3›".
	frame string
}

type name struct {
	text string
	code bool // in backticks, or looks like code; else only in quotes
}

var (
	backticked = regexp.MustCompile("``?([^`]{1,200})``?")
	// bare matches words that may be names of code.
	bare = regexp.MustCompile(`[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|->|#)[\p{L}_$][\p{L}\p{N}_$]*)*(?:\(\))?`)
	// mark matches the mark that replaces a name.
	mark = regexp.MustCompile(`‹(\d+)›`)
)

func readClaim(text string) *claim {
	c := &claim{text: text}
	c.frame = strings.Map(func(r rune) rune {
		if r == '‹' || r == '›' {
			return -1
		}
		return r
	}, text)
	c.frame = backticked.ReplaceAllStringFunc(c.frame, func(s string) string { return c.take(strings.Trim(s, "`"), true) })
	c.frame = c.takeQuoted(c.frame)
	c.frame = bare.ReplaceAllStringFunc(c.frame, func(s string) string {
		if looksLikeCode(s) {
			return c.take(s, true)
		}
		return s
	})
	return c
}

// take records a name and returns its mark.
func (c *claim) take(s string, code bool) string {
	s = strings.TrimRight(strings.TrimSpace(s), ".,;:")
	if call, ok := strings.CutSuffix(s, "()"); ok && call != "" {
		s = call
	}
	if strings.IndexFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0 {
		return s
	}
	c.names = append(c.names, name{s, code})
	return fmt.Sprintf("‹%d›", len(c.names)-1)
}

// takeQuoted records the texts in quotes. It tells quotes from apostrophes.
func (c *claim) takeQuoted(s string) string {
	var b strings.Builder
	prev := ' '
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		closing := map[rune]rune{'\'': '\'', '"': '"', '“': '”', '‘': '’'}[r]
		if closing != 0 && !unicode.IsLetter(prev) && !unicode.IsDigit(prev) {
			if end := quoteEnd(s[n:], closing); end > 0 {
				b.WriteString(c.take(s[n:n+end], false))
				s, prev = s[n+end+utf8.RuneLen(closing):], closing
				continue
			}
		}
		b.WriteString(s[:n])
		s, prev = s[n:], r
	}
	return b.String()
}

// quoteEnd returns the end of the quote at the start of s: before a closing mark without a
// letter behind it.
func quoteEnd(s string, closing rune) int {
	for i, r := range s {
		if i > 200 || r == '‹' {
			return -1
		}
		if r == closing {
			next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
			if next == utf8.RuneError || !unicode.IsLetter(next) && !unicode.IsDigit(next) {
				return i
			}
		}
	}
	return -1
}

// looksLikeCode reports whether a word is snake_case, camelCase, a call or a path of names.
func looksLikeCode(s string) bool {
	if strings.HasSuffix(s, "()") || strings.Contains(strings.Trim(s, "_"), "_") || strings.Contains(s, "::") || strings.Contains(s, "->") {
		return true
	}
	first, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLower(first) && strings.IndexFunc(s, unicode.IsUpper) > 0
}

// Subject is the code that a claim names, with what happened to it. Two claims of similar
// meaning and the same Subject repeat each other.
type Subject struct{ names, happens string }

// SubjectOf returns the Subject of a claim.
func SubjectOf(text string) Subject { return readClaim(text).subject() }

// Named reports whether the claim names any code.
func (s Subject) Named() bool { return s.names != "" }

func (c *claim) subject() Subject {
	set := make(map[string]bool)
	for _, n := range c.names {
		set[squeeze(n.text)] = true
	}
	p := Subject{names: strings.Join(slices.Sorted(maps.Keys(set)), "\n")}
	for i, v := range happens {
		if v.MatchString(c.frame) {
			p.happens += strconv.Itoa(i)
		}
	}
	return p
}

// happens matches the words for what happened to code, and for negation.
var happens = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(?:add(?:s|ed|ing|ition)?|introduc(?:es?|ed|ing|tion)|new)\b`),
	regexp.MustCompile(`(?i)\b(?:remov(?:es?|ed|ing|al)|delet(?:es?|ed|ing|ion)|drop(?:s|ped)?|no longer)\b`),
	regexp.MustCompile(`(?i)\b(?:not?|never|without|cannot|n't|fails?)\b`),
}

// contentWords are the words of a claim without filler.
func (c *claim) contentWords() map[string]bool {
	set := make(map[string]bool)
	for _, w := range word.FindAllString(c.text, -1) {
		if w = strings.ToLower(w); !filler[w] {
			set[w] = true
		}
	}
	return set
}

func words(s string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

var (
	// filler are words that do not change the statement.
	filler = words("a an the this that these those is are was were be been being has have had it its to of in on for by with and or now also which as at from into code change changes")
	// literals are values, types and errors that a claim may name although the change does
	// not have them.
	literals = words("0 1 2 null nil none undefined nan true false void int integer long float double str string strings bool boolean char byte bytes array list dict map set object number exception error errors nullpointerexception valueerror typeerror keyerror indexerror attributeerror nameerror importerror runtimeerror illegalargumentexception classcastexception indexoutofboundsexception referenceerror syntaxerror zerodivisionerror filenotfounderror oserror ioexception panic throw throws raise return returns self this super")
	// common are words of longer names or pieces of code that do not show whether the name
	// occurs.
	common = words("a an and as at be by for from if in into is it not of on or the then to with x y z i j k n s t o new old class function method get post put delete http https url json xml html css sql id key value type name todo fixme readme")
)
