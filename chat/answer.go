package chat

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"crscore/chat/prompt"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

// Said returns what a model said after its thoughts, which some models write first. The text
// is valid UTF-8. A text that is or ends in thoughts is an error that wraps ErrIncomplete; an answer
// among the thoughts (Thought) must be JSON from end to end. A text of more than 256 KiB is an error.
func Said(text string) (string, error) {
	if len(text) > limits.SaidBytes {
		return "", fmt.Errorf("the answer has %d bytes, more than the limit of %d KiB", len(text), limits.SaidBytes>>10)
	}
	answer, thought := strings.CutPrefix(strings.ToValidUTF8(text, "\ufffd"), thoughtMark)
	answer = answer[len(thoughts.FindString(answer)):]
	if thinking.MatchString(answer) || thought && !whole.MatchString(answer) {
		return "", fmt.Errorf("%w: it ends in the model's thoughts: %q", ErrIncomplete, excerptEnd(answer))
	}
	return answer, nil
}

// thinks are the names of the tags around thoughts.
const thinks = `(?:think(?:ing)?|thought|reasoning)`

// Some servers do not remove a model's thoughts. The template may have written the beginning.
var (
	thoughts = regexp.MustCompile(`(?is)^(?:(?:\s*<` + thinks + `>.*?</` + thinks + `>)+|.*?\n\s*</` + thinks + `>)`)
	thinking = regexp.MustCompile(`(?i)^\s*<` + thinks + `>`)
	whole    = regexp.MustCompile("(?s)^\\s*(?:```\\w*\\s*)?\\{.*\\}\\s*(?:```\\s*)?$")
)

// Thought reports whether a raw answer stood among the model's thoughts: some servers put it there,
// and leave its place empty.
func Thought(text string) bool { return strings.HasPrefix(text, thoughtMark) }

// The raw form of an answer that stood among the thoughts.
const thoughtMark = "<reasoning_content>\n"

// said is the raw form of an answer, or of the thoughts where the answer is empty.
func said(answer, thought string) string {
	if strings.TrimSpace(answer[len(thoughts.FindString(answer)):]) == "" && strings.TrimSpace(thought) != "" {
		return thoughtMark + thought
	}
	return answer
}

// Object returns the members of the one JSON object in an answer that follows the schema. On servers
// without schemas, models put the object into a fenced block or between other words, in which there
// may be braces; Object skips them, and objects that have no member of the schema. Equal objects are
// one. Names of members are exact: encoding/json would also accept other spellings in a struct. An
// object that breaks off is an error that wraps ErrIncomplete. An object with two members of one name
// is an error: one of them would win in silence.
func Object(text string, schema json.RawMessage) (map[string]json.RawMessage, error) {
	wanted := fields(fields(schema)["properties"])
	var answer, other candidate
	var broken error
	for at, next := 0, 0; ; at = next {
		n := strings.IndexByte(text[at:], '{')
		if n < 0 {
			break
		}
		at += n
		dec := jsontext.NewDecoder(strings.NewReader(text[at:]), jsontext.AllowInvalidUTF8(true))
		value, err := dec.ReadValue()
		var syntax *jsontext.SyntacticError
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			return nil, fmt.Errorf("%w: its JSON breaks off: %q", ErrIncomplete, excerptEnd(text))
		case errors.Is(err, jsontext.ErrDuplicateName):
			return nil, fmt.Errorf("the answer has a member twice: %q", Excerpt(text[at:]))
		case errors.As(err, &syntax): // whatever it has is a part of it, and no answer
			broken, next = cmp.Or(broken, err), at+max(int(syntax.ByteOffset), 1)
			continue
		case err != nil:
			return nil, fmt.Errorf("reading the answer: %w", err)
		}
		next = at + int(dec.InputOffset())
		c := &other
		for name := range fields(json.RawMessage(value)) {
			if wanted[name] != nil {
				c = &answer
			}
		}
		c.add(value)
	}
	if answer.first == nil {
		answer = other
	}
	switch {
	case answer.differ:
		return nil, fmt.Errorf("the answer is more than one JSON object: %q", Excerpt(text))
	case answer.first != nil:
		return fields(json.RawMessage(answer.first)), nil
	case broken != nil:
		return nil, fmt.Errorf("the answer is not JSON after the schema: %w: %q", broken, Excerpt(text))
	case strings.TrimSpace(text) == "":
		return nil, fmt.Errorf("%w: it is empty", ErrIncomplete)
	}
	return nil, fmt.Errorf("the answer is not JSON: %q", Excerpt(text))
}

// candidate is an object that may be the answer, and whether there is another that differs.
type candidate struct {
	first, canonical jsontext.Value
	differ           bool
}

func (c *candidate) add(v jsontext.Value) {
	same := v.Clone()
	_ = same.Canonicalize(jsontext.AllowInvalidUTF8(true)) // else bytes are compared
	if c.first == nil {
		c.first, c.canonical = v.Clone(), same
	}
	c.differ = c.differ || !bytes.Equal(c.canonical, same)
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
