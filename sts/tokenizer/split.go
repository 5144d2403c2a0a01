package tokenizer

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// preTokenizer cuts a text into words, in steps. Byte-level words stay text
// here; the model knows that it works on bytes.
type preTokenizer []step

// step cuts a piece of the text; first says that it is the text's start.
type step func(text string, first bool) []string

func (p preTokenizer) apply(text string, first bool) []string {
	words := []string{text}
	for _, f := range p {
		var next []string
		for i, w := range words {
			next = append(next, f(w, first && i == 0)...)
		}
		words = next
	}
	return words
}

// preDef is a pre_tokenizer, or one of a sequence.
type preDef struct {
	Type             string     `json:"type"`
	PreTokenizers    []*preDef  `json:"pretokenizers"`
	AddPrefixSpace   *bool      `json:"add_prefix_space"`
	UseRegex         *bool      `json:"use_regex"`
	Replacement      string     `json:"replacement"`
	PrependScheme    string     `json:"prepend_scheme"`
	Split            *bool      `json:"split"`
	Pattern          patternDef `json:"pattern"`
	Behavior         string     `json:"behavior"`
	Invert           bool       `json:"invert"`
	IndividualDigits bool       `json:"individual_digits"`
}

func (d *preDef) build() (preTokenizer, error) {
	if d == nil {
		return nil, nil
	}
	switch d.Type {
	case "Sequence":
		var all preTokenizer
		for _, child := range d.PreTokenizers {
			p, err := child.build()
			if err != nil {
				return nil, err
			}
			all = append(all, p...)
		}
		return all, nil
	case "BertPreTokenizer":
		return preTokenizer{cutAt(bertKind)}, nil
	case "WhitespaceSplit":
		return preTokenizer{func(s string, _ bool) []string { return strings.FieldsFunc(s, isSpace) }}, nil
	case "Whitespace":
		return preTokenizer{cutAt(whitespaceKind)}, nil
	case "Punctuation":
		b, err := behavior(d.Behavior, "Isolated")
		if err != nil {
			return nil, err
		}
		return preTokenizer{func(s string, _ bool) []string { return b(s, runesAt(s, IsPunct)) }}, nil
	case "Digits":
		return preTokenizer{cutAt(digitKind(d.IndividualDigits))}, nil
	case "ByteLevel":
		return preTokenizer{d.byteLevel()}, nil
	case "Metaspace":
		return d.metaspace()
	case "Split":
		p, err := d.split()
		if err != nil {
			return nil, fmt.Errorf("type Split: %w", err)
		}
		return p, nil
	}
	return nil, unsupported(d.Type)
}

// cutAt cuts a text where the kind of its characters changes.
func cutAt(kind func(rune) int) step {
	return func(s string, _ bool) []string { return cut(s, kind) }
}

// bertKind has BERT's words: spaces fall away, and each punctuation mark stands alone.
func bertKind(r rune) int {
	switch {
	case isSpace(r):
		return dropped
	case IsPunct(r):
		return alone
	}
	return 0
}

// whitespaceKind has words, and runs of other characters. Spaces fall away.
func whitespaceKind(r rune) int {
	switch {
	case isSpace(r):
		return dropped
	case isWord(r):
		return 0
	}
	return 1
}

// digitKind has numbers, or each of their digits, and texts between them.
func digitKind(individual bool) func(rune) int {
	return func(r rune) int {
		switch {
		case !unicode.IsNumber(r):
			return 0
		case individual:
			return alone
		}
		return 1
	}
}

// byteLevel has the words of GPT-2, or the whole text, with a space in front by default.
func (d *preDef) byteLevel() step {
	prefix := d.AddPrefixSpace == nil || *d.AddPrefixSpace
	regex := d.UseRegex == nil || *d.UseRegex
	return func(s string, _ bool) []string {
		if prefix && !strings.HasPrefix(s, " ") {
			s = " " + s
		}
		if !regex {
			return []string{s}
		}
		return gpt2Words(s)
	}
}

// split cuts at the matches of a pattern, or between them.
func (d *preDef) split() (preTokenizer, error) {
	re, err := d.Pattern.compile()
	if err != nil {
		return nil, err
	}
	b, err := behavior(d.Behavior, "")
	if err != nil {
		return nil, err
	}
	return preTokenizer{func(s string, _ bool) []string {
		found := re.FindAllStringIndex(s, -1)
		if d.Invert {
			found = between(found, len(s))
		}
		return b(s, found)
	}}, nil
}

// metaspace puts a mark where a space was and cuts before every mark.
func (d *preDef) metaspace() (preTokenizer, error) {
	mark := d.Replacement
	if mark == "" {
		mark = "▁"
	}
	scheme := d.PrependScheme
	if scheme == "" {
		scheme = "always"
		if d.AddPrefixSpace != nil && !*d.AddPrefixSpace {
			scheme = "never"
		}
	}
	if scheme != "always" && scheme != "first" && scheme != "never" {
		return nil, fmt.Errorf("prepend_scheme %q is not supported", scheme)
	}
	split := d.Split == nil || *d.Split
	return preTokenizer{func(s string, first bool) []string {
		s = strings.ReplaceAll(s, " ", mark)
		if (scheme == "always" || scheme == "first" && first) && !strings.HasPrefix(s, mark) {
			s = mark + s
		}
		if !split {
			return []string{s}
		}
		var words []string
		for s != "" {
			end := len(s)
			if i := strings.Index(s[min(len(mark), len(s)):], mark); strings.HasPrefix(s, mark) && i >= 0 {
				end = len(mark) + i
			} else if i := strings.Index(s, mark); i > 0 {
				end = i
			}
			words = append(words, s[:end])
			s = s[end:]
		}
		return words
	}}, nil
}

// alphabet returns whether the model's words are bytes, and the characters that only mark
// the start of a word. ByteLevel must be the last step, because a later step would have to
// know the alphabet of bytes.
func (d *preDef) alphabet() (bytes bool, marks string, err error) {
	if d == nil {
		return false, "", nil
	}
	switch d.Type {
	case "ByteLevel":
		return true, " ", nil
	case "Metaspace":
		if d.Replacement == "" {
			return false, "▁", nil
		}
		return false, d.Replacement, nil
	case "Sequence":
		for i, child := range d.PreTokenizers {
			b, m, err := child.alphabet()
			if err != nil {
				return false, "", err
			}
			if b && i < len(d.PreTokenizers)-1 {
				return false, "", errors.New("ByteLevel is supported as the last of a sequence only")
			}
			bytes, marks = bytes || b, marks+m
		}
	}
	return bytes, marks, nil
}

// Kinds of characters for cut; others are any number.
const (
	dropped = -1 // separates and is left out
	alone   = -2 // is a word by itself
)

// cut cuts s where the kind of its characters changes.
func cut(s string, kind func(rune) int) []string {
	words := make([]string, 0, len(s)/5+1)
	start, prev := 0, dropped
	for i, r := range s {
		k := kind(r)
		if k == prev && k != alone {
			continue
		}
		if prev != dropped && i > start {
			words = append(words, s[start:i])
		}
		start, prev = i, k
	}
	if prev != dropped && start < len(s) {
		words = append(words, s[start:])
	}
	return words
}

func runesAt(s string, is func(rune) bool) (at [][]int) {
	for i, r := range s {
		if is(r) {
			at = append(at, []int{i, i + utf8.RuneLen(r)})
		}
	}
	return at
}

// between returns the stretches between those of at.
func between(at [][]int, size int) (rest [][]int) {
	from := 0
	for _, m := range at {
		if from < m[0] {
			rest = append(rest, []int{from, m[0]})
		}
		from = m[1]
	}
	if from < size {
		rest = append(rest, []int{from, size})
	}
	return rest
}

// behavior is the treatment of the separators.
func behavior(name, def string) (func(s string, found [][]int) []string, error) {
	if name == "" {
		name = def
	}
	switch name {
	case "Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous":
	default:
		return nil, fmt.Errorf("behavior %q is not supported", name)
	}
	return func(s string, found [][]int) []string {
		type part struct {
			from, to int
			match    bool
		}
		var parts []part
		from := 0
		for _, m := range found {
			if m[0] == m[1] {
				continue
			}
			if from < m[0] {
				parts = append(parts, part{from, m[0], false})
			}
			parts = append(parts, part{m[0], m[1], true})
			from = m[1]
		}
		if from < len(s) {
			parts = append(parts, part{from, len(s), false})
		}
		var words []string
		for i := 0; i < len(parts); i++ {
			p := parts[i]
			switch {
			case name == "Removed" && p.match:
				continue
			case name == "Contiguous":
				for i+1 < len(parts) && p.match && parts[i+1].match {
					i++
					p.to = parts[i].to
				}
			case name == "MergedWithPrevious" && !p.match && i+1 < len(parts) && parts[i+1].match,
				name == "MergedWithNext" && p.match && i+1 < len(parts) && !parts[i+1].match:
				i++
				p.to = parts[i].to
			}
			words = append(words, s[p.from:p.to])
		}
		return words
	}, nil
}

// gpt2Words cuts s as GPT-2's expression does, which Go's regexp cannot say:
//
//	's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
func gpt2Words(s string) []string {
	words := make([]string, 0, len(s)/4+1)
	for s != "" {
		n := gpt2Word(s)
		words = append(words, s[:n])
		s = s[n:]
	}
	return words
}

// contractions come as words of their own after anything.
var contractions = []string{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}

func gpt2Word(s string) int {
	for _, c := range contractions {
		if strings.HasPrefix(s, c) {
			return len(c)
		}
	}
	start := 0
	if s[0] == ' ' {
		start = 1
	}
	if r, size := utf8.DecodeRuneInString(s[start:]); size > 0 && !isSpace(r) {
		kind := gpt2Kind(r)
		end := start + size
		for end < len(s) {
			r, size = utf8.DecodeRuneInString(s[end:])
			if isSpace(r) || gpt2Kind(r) != kind {
				break
			}
			end += size
		}
		return end
	}
	// White space: all of it at the end of the text, else all but the last.
	end, last := 0, 0
	for end < len(s) {
		r, size := utf8.DecodeRuneInString(s[end:])
		if !isSpace(r) {
			break
		}
		last, end = end, end+size
	}
	if end < len(s) && last > 0 {
		return last
	}
	return end
}

func gpt2Kind(r rune) int {
	switch {
	case unicode.IsLetter(r):
		return 0
	case unicode.IsNumber(r):
		return 1
	}
	return 2
}
