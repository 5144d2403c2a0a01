package llm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"crscore/chat"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
	"crscore/pseudoref"
)

// readAnswer reads the raw answer of a model. An incomplete answer is an error that wraps
// ErrIncomplete. An answer without claims is no error.
func readAnswer(text string, f Format) ([]pseudoref.Ref, error) {
	text, err := chat.Said(text)
	if err != nil {
		return nil, err
	}
	var refs []pseudoref.Ref
	switch {
	case f == JSON:
		refs, err = readJSON(text)
	case json.Valid([]byte(text)): // readProse would read it as one paragraph
		err = fmt.Errorf("the answer is JSON, not prose: %q", chat.Excerpt(text))
	default:
		if refs = readProse(text); len(refs) == 0 && strings.TrimSpace(text) != "" {
			err = fmt.Errorf("the answer has no list of claims: %q", chat.Excerpt(text))
		}
	}
	if err == nil && len(refs) > limits.AnswerItems {
		err = fmt.Errorf("the answer has %d claims, more than the limit of %d", len(refs), limits.AnswerItems)
	}
	if err != nil {
		return nil, err
	}
	return refs, nil
}

// readJSON reads an answer that follows the schema.
func readJSON(text string) ([]pseudoref.Ref, error) {
	raw, err := chat.Object(text, schema)
	if err != nil {
		return nil, err
	}
	var refs []pseudoref.Ref
	for _, l := range []struct {
		key  string
		kind pseudoref.Kind
	}{{"summary", pseudoref.Claim}, {"implications", pseudoref.Implication}} {
		var texts *[]string
		if v, ok := raw[l.key]; ok {
			if err := json.Unmarshal(v, &texts); err != nil {
				return nil, fmt.Errorf("the answer is not JSON after the schema: %w: %q", err, chat.Excerpt(text))
			}
		}
		if texts == nil {
			return nil, fmt.Errorf("the answer lacks the list %q: %q", l.key, chat.Excerpt(text))
		}
		refs = appendClaims(refs, l.kind, *texts)
	}
	return refs, nil
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
	// item matches a line that starts a claim: "1. ", "2) ", "(3) ", "1.2. ", "a) ", "- ",
	// "* ", "• ". After "1.2 " a small letter usually continues a sentence.
	item = regexp.MustCompile(`^\s{0,12}(?:\(?(?:\d{1,3}(?:\.\d{1,3}){0,3}|[a-z])[.):]\s+(\S.*)|\d{1,3}(?:\.\d{1,3}){1,3}\s+([^\s\p{Ll}].*)|[-*•+]\s+(\S.*))$`)
	// heading matches a line that names the kind of the claims below it.
	heading = regexp.MustCompile(`(?i)^[\s#*_>]*(?:(?:low[- ]level|high[- ]level|potential|possible|code|key|main|list of)\s+)*(summary|changes?|claims?|implications?|consequences?|effects?)(?:\s+of\s+(?:the\s+)?(?:code\s+)?changes?)?[\s*_]*:?[\s*_]*$`)
	// follows distinguishes headings of implications from headings of the summary.
	follows = regexp.MustCompile(`(?i)^(?:impl|conseq|effect)`)
	// supposes matches the words of a sentence about consequences.
	supposes = regexp.MustCompile(`(?i)\b(?:could|might|may|would|can|potentially|possibly|impl(?:y|ies)|suggests?|means?|affects?|likely|therefore|must now|need(?:s)? to|ensur(?:es?|ing)|improv(?:es?|ing))\b`)
)

// readProse reads numbered or marked lists. A line that starts no claim continues the claim
// before it. Without a list, every paragraph is a claim. Below a heading the heading
// decides whether a claim is an implication; elsewhere the words of the claim decide.
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
	open := false // the next line may continue the last claim
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
