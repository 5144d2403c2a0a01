package sts

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence is one sentence of a review.
type Sentence struct {
	// Text is what gets encoded: valid UTF-8 on one line, never empty, without
	// control characters, with white space collapsed.
	Text string
	// Start and End are byte offsets into the original review. The spans of a
	// review's sentences are increasing, do not overlap and are never empty;
	// what lies between them (list markers, fenced code, blank lines) belongs to
	// no sentence. A span may contain bytes that Text does not: emphasis marks,
	// link targets, the quote marks of further lines.
	Start, End int
	// Anaphoric reports that the sentence begins with a word for something that the
	// sentence before it said ("It also leaks the handle."); see CarryAnaphora.
	Anaphoric bool
}

// Splitter cuts a review into sentences. Implementations are pure and safe for
// concurrent use, and their cost is linear in the length of the text.
type Splitter interface {
	// Split returns the sentences of text in order, none for an empty text. Any
	// bytes are accepted.
	Split(text string) []Sentence
	// Signature names the rules and their version, such as "markdown/3": another
	// version may give other sentences, and so other scores.
	Signature() string
}

// SplitContext is Split that ends with its context, where the splitter can: Markdown does within a
// text, any other before it. The error is ctx's own.
func SplitContext(ctx context.Context, s Splitter, text string) ([]Sentence, error) {
	if m, ok := s.(Markdown); ok {
		return m.splitContext(ctx, text)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.Split(text), nil
}

// RawSuffix ends the signature of a splitter that keeps machine-made parts.
const RawSuffix = "-raw"

// NewSplitter returns the splitter of that name, "markdown" or "paper"; raw is Markdown.Raw, and
// the splitter paper keeps everything anyhow. The error for any other name lists the choices.
func NewSplitter(name string, raw bool) (Splitter, error) {
	switch name {
	case "markdown":
		return Markdown{Raw: raw}, nil
	case "paper":
		return Paper{}, nil
	}
	return nil, fmt.Errorf("unknown sentence splitter %q: choose markdown or paper", name)
}

// Paper is the naive splitter of the code that was released with CRScore (Naik
// et al., 2024). It cuts at line breaks, at ". " and at "? ", and nowhere else:
// Markdown, code and abbreviations mean nothing to it, and the stop that it
// cuts at is not part of the sentence. Pieces are trimmed, and blank pieces are left out,
// so a blank text gives no sentence.
type Paper struct{}

// Signature implements Splitter.
func (Paper) Signature() string { return "paper/1" }

// Split implements Splitter.
func (Paper) Split(text string) []Sentence {
	var out []Sentence
	add := func(start, end int) {
		piece := text[start:end]
		start += len(piece) - len(strings.TrimLeftFunc(piece, unicode.IsSpace))
		end = start + len(strings.TrimSpace(piece))
		if clean := cleanText([]byte(text[start:end])); clean != "" {
			out = append(out, Sentence{Text: clean, Start: start, End: end})
		}
	}
	start := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			add(start, i)
			start = i + 1
		case (c == '.' || c == '?') && i+1 < len(text) && text[i+1] == ' ':
			add(start, i)
			start = i + 2
			i++
		}
	}
	add(start, len(text))
	return out
}

// cleanText collapses white space and control characters to single spaces,
// drops invisible format characters (they would cut a word in two for a
// tokenizer) and replaces invalid bytes by U+FFFD.
func cleanText(raw []byte) string {
	var b strings.Builder
	b.Grow(len(raw))
	space := false
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		raw = raw[size:]
		switch {
		case isSpace(r):
			space = b.Len() > 0
			continue
		case isInvisible(r):
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// isSpace counts control characters as white space: NUL or an escape sequence
// in a review separates words at best.
func isSpace(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// isInvisible is true for byte order marks, zero-width spaces, soft hyphens and
// direction marks, but not for the joiners that emoji and some scripts need.
func isInvisible(r rune) bool {
	return r >= 0xAD && unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d'
}
