package sts

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gomlx/go-huggingface/tokenizers/api"
	"github.com/gomlx/go-huggingface/tokenizers/hftokenizer"
)

// maxTextBytes is how much of a text is read at all: far more than the longest
// sequence of tokens needs, and a bound on the work that a text without tokens
// (a megabyte of control characters) can cause. What lies beyond counts as cut.
const maxTextBytes = 64 << 10

// maxChunkBytes is the most that the tokenizer gets at once. Its cost is
// quadratic in the length: 5 KB take 42 ms, 52 KB take 4 s.
const maxChunkBytes = 512

// continuation marks a token that goes on with the word of the one before it.
const continuation = "##"

// tokenReader turns texts into token ids and says which tokens are pooled.
type tokenReader struct {
	tokenizer *hftokenizer.Tokenizer
	maxTokens int
	// static says that a token's vector does not depend on the other tokens, so
	// that the model need not see the ones that are not pooled.
	static bool
	stop   StopWords
}

func newTokenReader(tokenizerJSON []byte, maxTokens int) (*tokenReader, error) {
	t, err := hftokenizer.NewFromContent(nil, tokenizerJSON)
	if err != nil {
		return nil, err
	}
	if kind := t.GetTokenizerType(); kind != "WordPiece" {
		return nil, fmt.Errorf("tokenizer of type %q is not supported (WordPiece is)", kind)
	}
	// With writes without a lock, so it is called here, once, and never while
	// texts are read.
	if err := t.With(api.EncodeOptions{AddSpecialTokens: true, IncludeSpecialTokensMask: true}); err != nil {
		return nil, err
	}
	return &tokenReader{tokenizer: t, maxTokens: maxTokens, stop: NewStopWords()}, nil
}

// maxID is the largest id that the tokenizer can give.
func (r *tokenReader) maxID() int {
	top := 0
	for _, id := range r.tokenizer.GetVocab() {
		top = max(top, id)
	}
	return top
}

// tokenized is a text as the model sees it.
type tokenized struct {
	ids    []int
	pooled []bool // for each id, whether its vector goes into the text's
	cut    bool   // the end of the text was not read
}

// read prepares a text, cuts it into tokens and marks the pooled ones. A text
// without any token has no ids.
func (r *tokenReader) read(prepare func(string) string, text string) tokenized {
	var out tokenized
	text, out.cut = cutText(text, maxTextBytes)
	text = prepare(validText(text))

	// The tokenizer knows no maximum length, and more ids than the model has
	// positions are an error, so the ids are cut here. Special tokens stand
	// before and after the text: they are kept, and the text is cut.
	var special []bool
	var suffix []int
	for len(text) > 0 {
		var chunk string
		chunk, text = nextChunk(text)
		if chunk == "" {
			break
		}
		enc := r.tokenizer.EncodeWithAnnotations(chunk)
		first, last := 0, len(enc.IDs)
		for first < last && enc.SpecialTokensMask[first] != 0 {
			first++
		}
		for last > first && enc.SpecialTokensMask[last-1] != 0 {
			last--
		}
		if first == last {
			continue // Nothing but special tokens.
		}
		if len(out.ids) == 0 {
			out.ids = append(out.ids, enc.IDs[:first]...)
			special = append(special, make([]bool, first)...)
			for i := range special {
				special[i] = true
			}
			suffix = enc.IDs[last:]
		}
		body := enc.IDs[first:last]
		if room := r.maxTokens - len(suffix) - len(out.ids); len(body) > room {
			out.cut = true
			body = body[:max(0, room)]
		}
		out.ids = append(out.ids, body...)
		special = append(special, make([]bool, len(body))...)
		if out.cut && len(out.ids)+len(suffix) >= r.maxTokens {
			break
		}
	}
	for range suffix {
		special = append(special, true)
	}
	out.ids = append(out.ids, suffix...)
	out.pooled = r.pooled(out.ids, special)
	if r.static {
		n := 0
		for i, id := range out.ids {
			if out.pooled[i] {
				out.ids[n], out.pooled[n] = id, true
				n++
			}
		}
		out.ids, out.pooled = out.ids[:n], out.pooled[:n]
	}
	return out
}

// pooled marks the tokens that are part of no stop word and not special. Tokens
// are put together to words by the continuation mark: the tokenizer's offsets
// are wrong for text outside ASCII, even out of range.
func (r *tokenReader) pooled(ids []int, special []bool) []bool {
	use := make([]bool, len(ids))
	any := false
	for i := 0; i < len(ids); {
		if special[i] {
			i++
			continue
		}
		word, _ := r.tokenizer.IDToToken(ids[i])
		end := i + 1
		for end < len(ids) && !special[end] {
			next, _ := r.tokenizer.IDToToken(ids[end])
			rest, found := strings.CutPrefix(next, continuation)
			if !found {
				break
			}
			word += rest
			end++
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
			use[i] = !special[i]
		}
	}
	return use
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

// validText replaces NULs and what is not UTF-8 by spaces.
func validText(text string) string {
	text = strings.ToValidUTF8(text, " ")
	return strings.ReplaceAll(text, "\x00", " ")
}

// nextChunk splits off the start of text: whole words, at most maxChunkBytes
// together; a longer word is cut. White space alone gives an empty chunk and an
// empty rest.
func nextChunk(text string) (chunk, rest string) {
	body := strings.TrimLeftFunc(text, unicode.IsSpace)
	if body == "" {
		return "", ""
	}
	if len(body) <= maxChunkBytes {
		return body, ""
	}
	chunk, _ = cutText(body, maxChunkBytes)
	if i := strings.LastIndexFunc(chunk, unicode.IsSpace); i > 0 {
		chunk = chunk[:i]
	}
	return chunk, body[len(chunk):]
}
