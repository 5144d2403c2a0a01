package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"crscore/chat/prompt"
	regexp "crscore/internal/lazyregexp"
)

// Said returns what a model said after its thoughts, which some models write first. The text
// is valid UTF-8. A text that ends in the thoughts is an error that wraps ErrIncomplete.
func Said(text string) (string, error) {
	text = strings.ToValidUTF8(text, "\ufffd")
	text = text[len(thoughts.FindString(text)):]
	if thinking.MatchString(text) {
		return "", fmt.Errorf("%w: it ends in the model's thoughts: %q", ErrIncomplete, excerptEnd(text))
	}
	return text, nil
}

// Some servers do not remove a model's thoughts. The template may have written the beginning.
var (
	thoughts = regexp.MustCompile(`(?is)^(?:\s*<think(?:ing)?>.*?|.*?\n)\s*</think(?:ing)?>`)
	thinking = regexp.MustCompile(`(?i)^\s*<think(?:ing)?>`)
)

// Object returns the members of the one JSON object in an answer. On servers without schemas,
// models put the object into a fenced block or between other words; Object skips both. Names
// of members are exact: encoding/json would also accept other spellings in a struct. Broken
// JSON is an error that wraps ErrIncomplete where it is the begin of an object. An object with two members
// of one name is an error: one of them would win in silence.
func Object(text string) (map[string]json.RawMessage, error) {
	start := strings.IndexByte(text, '{')
	if start < 0 {
		if strings.TrimSpace(text) == "" {
			return nil, fmt.Errorf("%w: it is empty", ErrIncomplete)
		}
		return nil, fmt.Errorf("the answer is not JSON: %q", Excerpt(text))
	}
	dec := json.NewDecoder(strings.NewReader(text[start:]))
	var members map[string]json.RawMessage
	err := dec.Decode(&members)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("%w: its JSON breaks off: %q", ErrIncomplete, excerptEnd(text))
	case err != nil:
		return nil, fmt.Errorf("the answer is not JSON after the schema: %w: %q", err, Excerpt(text))
	}
	object := text[start : start+int(dec.InputOffset())]
	if _, err := jsontext.NewDecoder(strings.NewReader(object), jsontext.AllowInvalidUTF8(true)).ReadValue(); errors.Is(err, jsontext.ErrDuplicateName) {
		return nil, fmt.Errorf("the answer has a member twice: %q", Excerpt(object))
	}
	if strings.ContainsRune(text[start+int(dec.InputOffset()):], '{') {
		return nil, fmt.Errorf("the answer is more than one JSON object: %q", Excerpt(text))
	}
	return members, nil
}

// excerptBytes is the length of the part of an answer in a message.
const excerptBytes = 80

// Excerpt returns the start of an answer, for messages.
func Excerpt(s string) string {
	if s = strings.TrimSpace(s); len(s) > excerptBytes {
		return prompt.Cut(s, excerptBytes) + "…"
	}
	return s
}

// excerptEnd returns the end of an answer, for messages.
func excerptEnd(s string) string {
	s = strings.TrimSpace(s)
	if len(s) <= excerptBytes {
		return s
	}
	at := len(s) - excerptBytes
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return "…" + s[at:]
}
