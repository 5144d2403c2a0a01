package sts

import (
	"strings"
	"unicode/utf8"

	"crscore/sts/tokenizer"
)

// tokenReader turns texts into token ids and says which tokens are pooled.
type tokenReader struct {
	tokenizer *tokenizer.Tokenizer
	maxTokens int
	// static says that a token's vector does not depend on the other tokens, so
	// that the model need not see the ones that are not pooled.
	static bool
	// all pools every token but the first skip ones, as models do by themselves;
	// else stop words and special tokens are left out.
	all  bool
	skip int
	stop StopWords
}

// tokenized is a text as the model sees it.
type tokenized struct {
	ids    []int
	types  []int  // for each id, its token type; nil for 0 everywhere
	pooled []bool // for each id, whether its vector goes into the text's
	cut    bool   // the end of the text was not read
}

// read cuts a prepared text into tokens and marks the pooled ones: those that mask
// marks, or the text's own where that is nil. A text without any token has no ids.
func (r *tokenReader) read(text string, mask []bool) tokenized {
	var out tokenized
	tokens, cut := r.encode(text)
	if out.cut = cut; len(tokens) == 0 {
		return out
	}
	prefix, suffix := r.tokenizer.Special()
	use := make([]bool, len(tokens))
	if mask != nil {
		copy(use, mask)
	} else {
		use = r.content(tokens)
	}
	if r.static && !r.all {
		out.ids, out.pooled = make([]int, 0, len(tokens)), use[:0]
		for i, t := range tokens {
			if use[i] {
				out.ids, out.pooled = append(out.ids, t.ID), append(out.pooled, true)
			}
		}
		return out
	}
	n := len(prefix) + len(tokens) + len(suffix)
	out.ids, out.pooled = make([]int, 0, n), make([]bool, n)
	out.ids = append(out.ids, prefix...)
	for _, t := range tokens {
		out.ids = append(out.ids, t.ID)
	}
	out.ids = append(out.ids, suffix...)
	if r.all {
		for i := min(r.skip, n); i < n; i++ {
			out.pooled[i] = true
		}
	} else {
		copy(out.pooled[len(prefix):], use)
	}
	return out
}

// encode cuts a prepared text into the tokens that are read. More ids than the model
// has positions are an error, so that there is room for the special tokens around.
func (r *tokenReader) encode(text string) (tokens []tokenizer.Token, cut bool) {
	tokens = r.tokenizer.Encode(text)
	prefix, suffix := r.tokenizer.Special()
	if room := max(0, r.maxTokens-len(prefix)-len(suffix)); len(tokens) > room {
		return tokens[:room], true
	}
	return tokens, false
}

// content marks the tokens that are part of no stop word, or all when there are
// no others. Tokens are put together to words by the pieces that the tokenizer
// cut first; a token of punctuation alone is a word of its own wherever it
// stands, because the tokenizers of some models leave it at the word: "the," is
// a stop word and a comma for all of them.
func (r *tokenReader) content(tokens []tokenizer.Token) []bool {
	use := make([]bool, len(tokens))
	any := false
	for i := 0; i < len(tokens); {
		word := tokens[i].Text
		end := i + 1
		if !punctuation(word) {
			for end < len(tokens) && tokens[end].Word == tokens[i].Word && !punctuation(tokens[end].Text) {
				word += tokens[end].Text
				end++
			}
		}
		// "'s" is one token for some.
		if bare := strings.TrimFunc(word, tokenizer.IsPunct); bare != "" {
			word = bare
		}
		if !r.stop.Contains(strings.ToLower(word)) {
			any = true
			for k := i; k < end; k++ {
				use[k] = true
			}
		}
		i = end
	}
	if !any {
		for i := range use {
			use[i] = true
		}
	}
	return use
}

// punctuation reports whether s is all punctuation.
func punctuation(s string) bool {
	return s != "" && strings.TrimLeftFunc(s, tokenizer.IsPunct) == ""
}

// cutText cuts text to at most limit bytes, between characters.
func cutText(text string, limit int) (head string, cut bool) {
	if len(text) <= limit {
		return text, false
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit], true
}

// validText replaces NULs and invalid UTF-8 by spaces.
func validText(text string) string {
	text = strings.ToValidUTF8(text, " ")
	return strings.ReplaceAll(text, "\x00", " ")
}
