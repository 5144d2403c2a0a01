package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	regexp "crscore/internal/lazyregexp"
	"crscore/pseudoref"
)

// Limits of an answer; one beyond them is an error.
const (
	maxAnswerBytes = 256 << 10
	maxAnswerItems = 200
)

// readAnswer reads the raw answer of a model. An answer that is not whole is an
// error that wraps ErrIncomplete; one without any claim is not an error.
func readAnswer(text string, f Format) ([]pseudoref.Ref, error) {
	if len(text) > maxAnswerBytes {
		return nil, fmt.Errorf("the answer has %d bytes, more than the limit of %d KiB", len(text), maxAnswerBytes>>10)
	}
	text = strings.ToValidUTF8(text, "\ufffd")
	text = text[len(thoughts.FindString(text)):]
	if thinking.MatchString(text) {
		return nil, fmt.Errorf("%w: it ends in the model's thoughts: %q", ErrIncomplete, excerptEnd(text))
	}
	var refs []pseudoref.Ref
	var err error
	switch {
	case f == JSON:
		refs, err = readJSON(text)
	case json.Valid([]byte(text)): // which would be one paragraph
		err = fmt.Errorf("the answer is JSON, not prose: %q", excerpt(text))
	default:
		if refs = readProse(text); len(refs) == 0 && strings.TrimSpace(text) != "" {
			err = fmt.Errorf("the answer has no list of claims: %q", excerpt(text))
		}
	}
	if err == nil && len(refs) > maxAnswerItems {
		err = fmt.Errorf("the answer has %d claims, more than the limit of %d", len(refs), maxAnswerItems)
	}
	if err != nil {
		return nil, err
	}
	return refs, nil
}

// What models write before they answer, where their server does not take it out.
// The template may have begun it.
var (
	thoughts = regexp.MustCompile(`(?is)^(?:\s*<think(?:ing)?>.*?|.*?\n)\s*</think(?:ing)?>`)
	thinking = regexp.MustCompile(`(?i)^\s*<think(?:ing)?>`)
)

// readJSON reads an answer after the schema. Servers without schemas let models
// put it into a fenced block or words around it, which do not matter.
func readJSON(text string) ([]pseudoref.Ref, error) {
	start := strings.IndexByte(text, '{')
	if start < 0 {
		if strings.TrimSpace(text) == "" {
			return nil, fmt.Errorf("%w: it is empty", ErrIncomplete)
		}
		return nil, fmt.Errorf("the answer is not JSON: %q", excerpt(text))
	}
	dec := json.NewDecoder(strings.NewReader(text[start:]))
	var a struct {
		Summary, Implications *[]string
	}
	var raw map[string]json.RawMessage
	err := dec.Decode(&raw)
	if err == nil {
		// Keys count as they are written; encoding/json would take others for them.
		for _, l := range []struct {
			key string
			dst **[]string
		}{{"summary", &a.Summary}, {"implications", &a.Implications}} {
			if v, ok := raw[l.key]; ok && err == nil {
				err = json.Unmarshal(v, l.dst)
			}
		}
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("%w: its JSON breaks off: %q", ErrIncomplete, excerptEnd(text))
	case err != nil:
		return nil, fmt.Errorf("the answer is not JSON after the schema: %w: %q", err, excerpt(text))
	case a.Summary == nil || a.Implications == nil:
		return nil, fmt.Errorf("the answer lacks the list \"summary\" or \"implications\": %q", excerpt(text))
	}
	if bytes.ContainsRune([]byte(text[start+int(dec.InputOffset()):]), '{') {
		return nil, fmt.Errorf("the answer is more than one JSON object: %q", excerpt(text))
	}
	var refs []pseudoref.Ref
	refs = appendClaims(refs, pseudoref.Claim, *a.Summary)
	return appendClaims(refs, pseudoref.Implication, *a.Implications), nil
}

func appendClaims(refs []pseudoref.Ref, kind pseudoref.Kind, texts []string) []pseudoref.Ref {
	for _, t := range texts {
		if t = strings.Join(strings.Fields(t), " "); t != "" {
			refs = append(refs, pseudoref.Ref{Kind: kind, Text: t})
		}
	}
	return refs
}

var (
	newline = regexp.MustCompile(`\r\n?|[\n\x{2028}\x{2029}]`)
	// item is a line that starts a claim: "1. ", "2) ", "(3) ", "1.2. ", "a) ", "- ",
	// "* ", "• ". Behind "1.2 " a small letter rather goes on with a sentence.
	item = regexp.MustCompile(`^\s{0,12}(?:\(?(?:\d{1,3}(?:\.\d{1,3}){0,3}|[a-z])[.):]\s+(\S.*)|\d{1,3}(?:\.\d{1,3}){1,3}\s+([^\s\p{Ll}].*)|[-*•+]\s+(\S.*))$`)
	// heading is a line that says what the claims below it are.
	heading = regexp.MustCompile(`(?i)^[\s#*_>]*(?:(?:low[- ]level|high[- ]level|potential|possible|code|key|main|list of)\s+)*(summary|changes?|claims?|implications?|consequences?|effects?)(?:\s+of\s+(?:the\s+)?(?:code\s+)?changes?)?[\s*_]*:?[\s*_]*$`)
	// follows tells the headings of implications from those of the summary.
	follows = regexp.MustCompile(`(?i)^(?:impl|conseq|effect)`)
	// supposes are the words of a sentence about what follows.
	supposes = regexp.MustCompile(`(?i)\b(?:could|might|may|would|can|potentially|possibly|impl(?:y|ies)|suggests?|means?|affects?|likely|therefore|must now|need(?:s)? to|ensur(?:es?|ing)|improv(?:es?|ing))\b`)
)

// readProse reads numbered or marked lists; a line that starts no claim goes on
// with the one before. Without any list, every paragraph is a claim. A claim is
// an implication below a heading that says so, and by its words where there is
// no heading.
func readProse(text string) []pseudoref.Ref {
	var refs []pseudoref.Ref
	var kind pseudoref.Kind
	add := func(t string) {
		k := kind
		if k == "" {
			k = pseudoref.Claim
			if supposes.MatchString(t) {
				k = pseudoref.Implication
			}
		}
		refs = append(refs, pseudoref.Ref{Kind: k, Text: t})
	}
	lines := newline.Split(text, -1)
	marked := slices.ContainsFunc(lines, item.MatchString)
	open := false // the last claim may go on
	for _, l := range lines {
		m := item.FindStringSubmatch(l)
		body := strings.Join(strings.Fields(l), " ")
		if m != nil {
			body = strings.Join(strings.Fields(m[1]+m[2]+m[3]), " ")
		}
		h := heading.FindStringSubmatch(body)
		switch {
		case h != nil:
			kind, open = pseudoref.Claim, false
			if follows.MatchString(h[1]) {
				kind = pseudoref.Implication
			}
		case strings.HasPrefix(body, "```"), !hasLetter(body):
			open = false // a blank line, a rule or a fence
		case m != nil, !marked:
			add(body)
			open = marked
		case open:
			refs[len(refs)-1].Text += " " + body
		}
	}
	return refs
}

func hasLetter(s string) bool { return strings.IndexFunc(s, unicode.IsLetter) >= 0 }

// excerpt is the start of an answer, for messages.
func excerpt(s string) string {
	const n = 80
	if s = strings.TrimSpace(s); len(s) > n {
		return cut(s, n) + "…"
	}
	return s
}

// excerptEnd is the end of an answer, for messages.
func excerptEnd(s string) string {
	const n = 80
	s = strings.TrimSpace(s)
	if len(s) <= n {
		return s
	}
	for i := len(s) - n; ; i++ {
		if utf8.RuneStart(s[i]) {
			return "…" + s[i:]
		}
	}
}
