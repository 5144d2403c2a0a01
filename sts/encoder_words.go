package sts

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"

	"crscore/sts/internal/limits"
)

// Names of the rules that prepare a text for the tokenizer, as a model's config.json and
// the signature have them. Changed rules get a new number, because a model must be served
// with the rules that it was trained with.
const (
	// TextPlain does nothing.
	TextPlain = "plain"
	// TextCodeWords is CodeWords without stems.
	TextCodeWords = "code-words/1"
	// TextCodeStems is CodeWords with stems.
	TextCodeStems = "code-stems/1"
)

// TextPreparation returns the function that a Text constant names. The function is safe
// for concurrent use. It caches stems, which saves most of the time.
func TextPreparation(name string) (func(string) string, error) {
	switch name {
	case TextPlain:
		return func(s string) string { return s }, nil
	case TextCodeWords:
		return func(s string) string { return CodeWords(s, false) }, nil
	case TextCodeStems:
		cache := stemCache{}
		return func(s string) string { return codeWords(s, cache.stem) }, nil
	}
	return nil, fmt.Errorf("unknown text preparation %q (known: %s, %s, %s)", name, TextPlain, TextCodeWords, TextCodeStems)
}

// CodeWords turns English text with code in it, or code alone, into lower-case
// words with one space between them: identifiers are split at underscores,
// digits and changes of case ("parseHTTPHeader_v2" gives "parse http header v
// 2"), and everything that is neither letter nor digit separates. With stem, each
// word that is not a stop word is replaced by its English stem (Snowball), so
// that a review's "parsing" meets a diff's "parse". Stop words stay; pooling leaves them
// out.
//
// The program that trains the built-in model and the encoder that serves it both call this
// function, so that they agree on words. The cost is linear in the length of text. Invalid
// UTF-8 separates words.
func CodeWords(text string, stem bool) string {
	if stem {
		return codeWords(text, stemWord)
	}
	return codeWords(text, nil)
}

// codeWords puts the words through stem, if there is one.
func codeWords(text string, stem func(string) string) string {
	var out strings.Builder
	out.Grow(len(text) + len(text)/8)
	for i := 0; i < len(text); {
		end, next := codeWord(text[i:])
		if end > 0 {
			if out.Len() > 0 {
				out.WriteByte(' ')
			}
			word := strings.ToLower(text[i : i+end])
			if stem != nil {
				word = stem(word)
			}
			out.WriteString(word)
		}
		i += next
	}
	return out.String()
}

// unstemmed are the words that stemWord leaves as they are; a read-only table.
var unstemmed = NewStopWords()

// stemWord is the English stem of a lower-case word.
func stemWord(w string) string {
	if len(w) > limits.StemmedBytes || len(w) < 3 || unstemmed.Contains(w) {
		return w
	}
	for i := range len(w) {
		// The stemmer knows English letters only.
		if w[i] < 'a' || w[i] > 'z' {
			return w
		}
	}
	return english.Stem(w, false)
}

// stemCache holds at most keptStems stems, which bounds its memory and covers the words of
// English and of most code.
type stemCache struct {
	stems sync.Map // string to string
	size  atomic.Int64
}

const keptStems = 1 << 15

func (c *stemCache) stem(word string) string {
	if stem, ok := c.stems.Load(word); ok {
		return stem.(string)
	}
	stem := stemWord(word)
	if len(word) <= limits.StemmedBytes && c.size.Load() < keptStems {
		// A copy, because the word may be a part of a large text.
		if _, old := c.stems.LoadOrStore(strings.Clone(word), strings.Clone(stem)); !old {
			c.size.Add(1)
		}
	}
	return stem
}

// Kinds of characters that codeWord tells apart.
const (
	separator = iota
	lower
	upper
	digit
)

func kindOf(r rune) int {
	switch {
	case 'a' <= r && r <= 'z':
		return lower
	case 'A' <= r && r <= 'Z':
		return upper
	case '0' <= r && r <= '9':
		return digit
	case r < utf8.RuneSelf || r == utf8.RuneError:
		return separator
	case unicode.IsUpper(r):
		return upper
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return lower
	case unicode.IsDigit(r):
		return digit
	}
	return separator
}

// codeWord finds the word at the start of s: s[:end] is the word, empty when s
// starts with a separator, and s[next:] is where to go on.
func codeWord(s string) (end, next int) {
	r, size := utf8.DecodeRuneInString(s)
	kind := kindOf(r)
	if kind == separator {
		return 0, size
	}
	prev, prevStart := kind, 0
	for i := size; i < len(s); i += size {
		r, size = utf8.DecodeRuneInString(s[i:])
		kind = kindOf(r)
		switch {
		case kind == prev:
		case kind == lower && prev == upper:
			// "HTTPHeader": the last capital belongs to the word that follows.
			if prevStart > 0 {
				return prevStart, prevStart
			}
		default:
			return i, i
		}
		prev, prevStart = kind, i
	}
	return len(s), len(s)
}
