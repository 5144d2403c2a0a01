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

// claim is a claim as the check reads it.
type claim struct {
	text string
	// names are what stands in backticks or quotes, or looks like a name of code.
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
	// bare are names that no word of English looks like.
	bare = regexp.MustCompile(`[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|->|#)[\p{L}_$][\p{L}\p{N}_$]*)*(?:\(\))?`)
	// mark is what replaces a name.
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

// take notes a name and returns its mark.
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

// takeQuoted finds what stands between quotes; an apostrophe is none.
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

// quoteEnd is where the quote ends that starts s: before a closing mark that no
// letter follows.
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

// looksLikeCode tells names of code from words: snake_case, camelCase, a call, a
// path of names.
func looksLikeCode(s string) bool {
	if strings.HasSuffix(s, "()") || strings.Contains(strings.Trim(s, "_"), "_") || strings.Contains(s, "::") || strings.Contains(s, "->") {
		return true
	}
	first, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLower(first) && strings.IndexFunc(s, unicode.IsUpper) > 0
}

// Point is what a claim names and what it says happened. Equal points of claims
// that are alike in meaning are one point.
type Point struct{ names, happens string }

// PointOf reads a claim's point.
func PointOf(text string) Point { return readClaim(text).point() }

// Named tells whether the claim names any part of the code.
func (p Point) Named() bool { return p.names != "" }

func (c *claim) point() Point {
	set := make(map[string]bool)
	for _, n := range c.names {
		set[squeeze(n.text)] = true
	}
	p := Point{names: strings.Join(slices.Sorted(maps.Keys(set)), "\n")}
	for i, v := range happens {
		if v.MatchString(c.frame) {
			p.happens += strconv.Itoa(i)
		}
	}
	return p
}

// happens are the things that can happen to code, and that they do not.
var happens = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(?:add(?:s|ed|ing|ition)?|introduc(?:es?|ed|ing|tion)|new)\b`),
	regexp.MustCompile(`(?i)\b(?:remov(?:es?|ed|ing|al)|delet(?:es?|ed|ing|ion)|drop(?:s|ped)?|no longer)\b`),
	regexp.MustCompile(`(?i)\b(?:not?|never|without|cannot|n't|fails?)\b`),
}

// contentWords are the words of a claim that carry what it says.
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
	// filler are words that make no other statement.
	filler = words("a an the this that these those is are was were be been being has have had it its to of in on for by with and or now also which as at from into code change changes")
	// literals are values, types and errors that a claim may give without the change
	// doing so: what languages call nothing, truth, numbers and texts.
	literals = words("0 1 2 null nil none undefined nan true false void int integer long float double str string strings bool boolean char byte bytes array list dict map set object number exception error errors nullpointerexception valueerror typeerror keyerror indexerror attributeerror nameerror importerror runtimeerror illegalargumentexception classcastexception indexoutofboundsexception referenceerror syntaxerror zerodivisionerror filenotfounderror oserror ioexception panic throw throws raise return returns self this super")
	// common are words between those of a longer name or piece of code, which say
	// nothing of whether it occurs.
	common = words("a an and as at be by for from if in into is it not of on or the then to with x y z i j k n s t o new old class function method get post put delete http https url json xml html css sql id key value type name todo fixme readme")
)
