package refmetrics

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A tokenizer appends the tokens of a text to a list.
type tokenizer func(list []string, text string) []string

// kind is what a tokenizer takes a character for.
type kind uint8

const (
	part   kind = iota // of a token
	gap                // between tokens
	digit              // part of a token
	symbol             // a token
	mark               // a token, but not between digits
	dash               // a token after a digit, else part of a token
)

// kinds cuts texts by the kinds of their characters.
type kinds struct {
	ascii [utf8.RuneSelf]kind
	of    func(rune) kind
	edge  kind // what stands before and behind a text
}

func newKinds(edge kind, of func(rune) kind) *kinds {
	k := &kinds{of: of, edge: edge}
	for r := range k.ascii {
		k.ascii[r] = of(rune(r))
	}
	return k
}

// at returns the kind and the size of the character at the byte i.
func (k *kinds) at(text string, i int) (kind, int) {
	if i == len(text) {
		return k.edge, 0
	}
	if text[i] < utf8.RuneSelf {
		return k.ascii[text[i]], 1
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	return k.of(r), size
}

// tokens is a tokenizer. It cuts "a.b, 1.5" to "a . b , 1.5" where dots and commas are marks.
//
// The tokenizers of mteval are substitutions by regular expressions, and a substitution
// consumes what it matches: of "a..5" the second dot stays with the digit. So a mark is not
// cut off for what is before it where that is a mark which was.
func (k *kinds) tokens(list []string, text string) []string {
	start, cut, before := -1, false, k.edge
	for i, size := 0, 0; i <= len(text); i += max(1, size) {
		// Most characters go on with a word: this is the short way for them.
		for start >= 0 && i < len(text) && text[i] < utf8.RuneSelf && k.ascii[text[i]] == part {
			before, cut = part, false
			i++
		}
		var now kind
		now, size = k.at(text, i)
		wasCut := cut
		cut = now == mark && before != digit && !wasCut
		switch {
		case i == len(text):
			now = gap
		case now == mark:
			after, _ := k.at(text, i+size)
			now = part
			if cut || after != digit {
				now = symbol
			}
		case now == dash && before == digit:
			now = symbol
		}
		if start < 0 && now != gap {
			start = i
		}
		if start >= 0 && (now == gap || now == symbol) {
			if start < i {
				list = append(list, text[start:i])
			}
			if now == symbol {
				list = append(list, text[i:i+size])
			}
			start = -1
		}
		before = now
	}
	return list
}

// tokens13a is mteval-v13a as sacreBLEU has it.
func tokens13a() tokenizer {
	entities := [...][2]string{{"&quot;", `"`}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}}
	k := newKinds(gap, func(r rune) kind {
		switch {
		case isSpace(r):
			return gap
		case r >= '0' && r <= '9':
			return digit
		case r == '.' || r == ',':
			return mark
		case r == '-':
			return dash
		case r < utf8.RuneSelf && r != '\'' && (unicode.IsPunct(r) || unicode.IsSymbol(r)):
			return symbol
		}
		return part
	})
	return func(list []string, text string) []string {
		text = strings.TrimRightFunc(text, isSpace)
		text = strings.ReplaceAll(text, "<skipped>", "")
		text = strings.ReplaceAll(text, "-\n", "")
		if strings.Contains(text, "&") {
			for _, entity := range entities {
				text = strings.ReplaceAll(text, entity[0], entity[1])
			}
		}
		return k.tokens(list, text)
	}
}

// tokensIntl is the international tokenizer of mteval-v14 as sacreBLEU has it: it cuts off
// all punctuation and symbols of Unicode.
func tokensIntl() tokenizer {
	k := newKinds(digit, func(r rune) kind {
		switch {
		case isSpace(r):
			return gap
		case unicode.IsNumber(r):
			return digit
		case unicode.IsPunct(r):
			return mark
		case unicode.IsSymbol(r):
			return symbol
		}
		return part
	})
	return func(list []string, text string) []string {
		return k.tokens(list, strings.TrimRightFunc(text, isSpace))
	}
}

// wordTokens makes the tokens of CodeReviewer's BLEU: words in lower case, and each other
// character alone. The stop words, if there are any, are left out first, in the case of the text.
func wordTokens(stop map[string]bool) tokenizer {
	k := newKinds(gap, func(r rune) kind {
		switch {
		case isSpace(r):
			return gap
		case r == '_' || !isWord(r):
			return symbol
		}
		return part
	})
	return func(list []string, text string) []string {
		if len(stop) > 0 {
			text = without(stop, text)
		}
		return k.tokens(list, lower(text))
	}
}

// without leaves out the stop words among the words and the runs of other characters.
func without(stop map[string]bool, text string) string {
	out := make([]byte, 0, len(text)+len(text)/2)
	for len(text) > 0 {
		first, _ := utf8.DecodeRuneInString(text)
		word, space := isWord(first), isSpace(first)
		end := strings.IndexFunc(text, func(r rune) bool { return isWord(r) != word || isSpace(r) != space })
		if end < 0 {
			end = len(text)
		}
		if !space && !stop[text[:end]] {
			out = append(append(out, text[:end]...), ' ')
		}
		text = text[end:]
	}
	return string(out)
}

// alnumTokens makes the tokens of ROUGE: runs of ASCII letters and digits in lower case.
func alnumTokens() tokenizer {
	k := newKinds(gap, func(r rune) kind {
		if r < utf8.RuneSelf && r != '_' && isWord(r) {
			return part
		}
		return gap
	})
	return func(list []string, text string) []string { return k.tokens(list, lower(text)) }
}
