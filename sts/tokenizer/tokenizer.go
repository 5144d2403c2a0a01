// Package tokenizer turns texts into the token ids of a model by the model's
// tokenizer.json: WordPiece, BPE, Unigram and WordLevel with the normalizers and
// pre-tokenizers of sentence models. The time is linear in the text, times a logarithm
// in BPE.
//
// The reference is Hugging Face's tokenizers library. A part of the file that this
// package does not support is an error that names the part, never a guess. hugot's own
// tokenizer is not used, because it gives other ids than the models were trained with:
// its Unigram takes the longest piece instead of the likeliest pieces, its byte-level
// BPE does not split at punctuation, it ignores SentencePiece's character map and
// unknown parts of the file. Its cost is quadratic.
package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Token is one token of a text.
type Token struct {
	// ID is the number in the vocabulary.
	ID int
	// Text is the token's part of the normalized text, without marks of a word's start
	// or continuation. For byte-level tokens it may be a part of a character.
	Text string
	// Word is the index of the pre-tokenizer's piece that the token belongs to.
	Word int
}

// Tokenizer is a loaded tokenizer.json. It is safe for concurrent use.
type Tokenizer struct {
	kind       string
	normalizer normalizer
	split      preTokenizer
	model      model
	vocab      vocab
	names      map[int]string // but for those of a packed vocabulary
	raw, clean addedTokens    // found before and after normalizing
	marks      string         // characters of words that only mark their start
	prefix     []int
	suffix     []int
	post       *postDef
}

// file is a tokenizer.json.
type file struct {
	AddedTokens   []addedToken   `json:"added_tokens"`
	Normalizer    *normalizerDef `json:"normalizer"`
	PreTokenizer  *preDef        `json:"pre_tokenizer"`
	PostProcessor *postDef       `json:"post_processor"`
	Model         *modelDef      `json:"model"`
}

// New reads a tokenizer.json. Errors of its JSON wrap those of encoding/json.
func New(data []byte) (*Tokenizer, error) {
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, err
	}
	if f.Model == nil {
		return nil, errors.New("the file has no model")
	}
	return newTokenizer(f)
}

// newTokenizer makes a tokenizer of a file, which has a model.
func newTokenizer(f file) (*Tokenizer, error) {
	t := &Tokenizer{kind: f.Model.kind(), vocab: f.Model.Vocab, post: f.PostProcessor}
	var err error
	if t.normalizer, err = f.Normalizer.build(); err != nil {
		return nil, fmt.Errorf("normalizer: %w", err)
	}
	if t.split, err = f.PreTokenizer.build(); err != nil {
		return nil, fmt.Errorf("pre_tokenizer: %w", err)
	}
	if f.Model.byteLevel, t.marks, err = f.PreTokenizer.alphabet(); err != nil {
		return nil, fmt.Errorf("pre_tokenizer: %w", err)
	}
	if f.Model.byteLevel && t.kind != "BPE" {
		return nil, fmt.Errorf("model %s: with the pre_tokenizer ByteLevel it is not supported", t.kind)
	}
	if t.model, err = f.Model.build(); err != nil {
		return nil, fmt.Errorf("model %s: %w", t.kind, err)
	}
	for _, a := range f.AddedTokens {
		switch {
		case a.Content == "":
			return nil, fmt.Errorf("added token %d is empty", a.ID)
		case a.Normalized:
			// What stands in the text then is normalized, and so must this be.
			content := t.normalizer.apply(a.Content)
			if content != "" {
				t.clean.add(a, content)
			}
		default:
			t.raw.add(a, a.Content)
		}
	}
	t.raw.sort()
	t.clean.sort()
	if t.prefix, t.suffix, err = f.PostProcessor.build(); err != nil {
		return nil, fmt.Errorf("post_processor: %w", err)
	}
	t.names = make(map[int]string, len(t.vocab.ids)+len(f.AddedTokens))
	for name, id := range t.vocab.ids {
		if id < 0 {
			return nil, fmt.Errorf("token %q has the id %d", name, id)
		}
		t.names[id] = name
	}
	for _, a := range f.AddedTokens {
		if a.ID < 0 {
			return nil, fmt.Errorf("token %q has the id %d", a.Content, a.ID)
		}
		t.names[a.ID] = a.Content
	}
	return t, nil
}

// Kind is the type of the model: WordPiece, BPE, Unigram or WordLevel.
func (t *Tokenizer) Kind() string { return t.kind }

// Name is the vocabulary's name of the token with an id; "" for an unknown id.
func (t *Tokenizer) Name(id int) string {
	if name, ok := t.names[id]; ok || t.vocab.packed == nil {
		return name
	}
	return t.vocab.packed.name(id)
}

// ID returns the id of the token with a name.
func (t *Tokenizer) ID(name string) (int, bool) {
	for _, added := range []addedTokens{t.raw, t.clean} {
		for _, list := range added.byFirst {
			for _, a := range list {
				if a.name == name {
					return a.ID, true
				}
			}
		}
	}
	return t.vocab.find([]byte(name))
}

// MaxID is the largest id that Encode can return.
func (t *Tokenizer) MaxID() int {
	top := 0
	if p := t.vocab.packed; p != nil {
		top = p.size() - 1
	}
	for id := range t.names {
		top = max(top, id)
	}
	return max(top, slices.Max(append(t.prefix, 0)), slices.Max(append(t.suffix, 0)))
}

// Special returns the tokens that stand before and after every text, such as
// [CLS] and [SEP]. The slices must not be changed.
func (t *Tokenizer) Special() (prefix, suffix []int) { return t.prefix, t.suffix }

// Encode cuts text, which must be valid UTF-8, into tokens, without the special
// tokens around it.
func (t *Tokenizer) Encode(text string) []Token {
	var out []Token
	words := 0
	emit := func(id int, text string) {
		out = append(out, Token{ID: id, Text: strings.Trim(text, t.marks), Word: words})
	}
	first := true
	t.raw.walk(text, func(a *added) {
		emit(a.ID, a.name)
		words++
		first = false
	}, func(part string) {
		t.clean.walk(t.normalizer.apply(part), func(a *added) {
			emit(a.ID, a.name)
			words++
			first = false
		}, func(part string) {
			for _, word := range t.split.apply(part, first) {
				if word != "" {
					t.model.encode(word, emit)
					words++
				}
			}
			first = false
		})
	})
	return out
}

// addedToken is a token that is looked for in the text before it is cut.
type addedToken struct {
	ID         int    `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"`
	LStrip     bool   `json:"lstrip"`
	RStrip     bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"`
}

// UnmarshalJSON knows the default: a token that does not say so is normalized
// unless it is special.
func (a *addedToken) UnmarshalJSON(data []byte) error {
	type plain addedToken
	v := struct {
		*plain
		Normalized *bool `json:"normalized"`
		Special    bool  `json:"special"`
	}{plain: (*plain)(a)}
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	a.Normalized = !v.Special
	if v.Normalized != nil {
		a.Normalized = *v.Normalized
	}
	return nil
}

// added is an added token with the text that it stands for.
type added struct {
	addedToken
	name, text string
}

// addedTokens finds tokens, the longest first, by their first byte.
type addedTokens struct {
	byFirst map[byte][]added
}

func (a *addedTokens) add(t addedToken, text string) {
	if a.byFirst == nil {
		a.byFirst = map[byte][]added{}
	}
	a.byFirst[text[0]] = append(a.byFirst[text[0]], added{t, t.Content, text})
}

func (a *addedTokens) sort() {
	for _, list := range a.byFirst {
		slices.SortStableFunc(list, func(x, y added) int { return len(y.text) - len(x.text) })
	}
}

// walk calls found for every token in text and rest for what lies between.
func (a *addedTokens) walk(text string, found func(*added), rest func(string)) {
	from := 0
	if len(a.byFirst) > 0 {
	next:
		for i := 0; i < len(text); {
			list := a.byFirst[text[i]]
			for k := range list {
				t := &list[k]
				if !strings.HasPrefix(text[i:], t.text) {
					continue
				}
				start, end := i, i+len(t.text)
				if t.SingleWord && (wordBefore(text[:start]) || wordAfter(text[end:])) {
					continue
				}
				if t.LStrip {
					start = max(from, len(strings.TrimRightFunc(text[:start], unicode.IsSpace)))
				}
				if t.RStrip {
					end = len(text) - len(strings.TrimLeftFunc(text[end:], unicode.IsSpace))
				}
				if from < start {
					rest(text[from:start])
				}
				found(t)
				i, from = end, end
				continue next
			}
			i++
		}
	}
	if from < len(text) {
		rest(text[from:])
	}
}

func wordBefore(s string) bool {
	r, n := utf8.DecodeLastRuneInString(s)
	return n > 0 && isWord(r)
}

func wordAfter(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return n > 0 && isWord(r)
}

// postDef is a post_processor.
type postDef struct {
	Type       string          `json:"type"`
	Single     json.RawMessage `json:"single"`
	Pair       json.RawMessage `json:"pair"`
	Special    map[string]ids  `json:"special_tokens"`
	Sep        named           `json:"sep"`
	Cls        named           `json:"cls"`
	Processors []*postDef      `json:"processors"`
}

type ids struct {
	IDs []int `json:"ids"`
}

// named is a token as ["[CLS]", 101].
type named struct{ id int }

func (n *named) UnmarshalJSON(data []byte) error {
	var name string
	return json.Unmarshal(data, &[2]any{&name, &n.id})
}

// build returns the special tokens around a text.
func (p *postDef) build() (prefix, suffix []int, err error) {
	if p == nil {
		return nil, nil, nil
	}
	switch p.Type {
	case "ByteLevel":
		// It moves offsets only.
	case "BertProcessing", "RobertaProcessing":
		return []int{p.Cls.id}, []int{p.Sep.id}, nil
	case "Sequence":
		for _, child := range p.Processors {
			if child == nil {
				continue
			}
			before, after, err := child.build()
			if err != nil {
				return nil, nil, err
			}
			prefix, suffix = append(before, prefix...), append(suffix, after...)
		}
	case "TemplateProcessing":
		return p.template()
	default:
		return nil, nil, unsupported(p.Type)
	}
	return prefix, suffix, nil
}

func (p *postDef) template() (prefix, suffix []int, err error) {
	var items []map[string]struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(p.Single, &items); err != nil {
		return nil, nil, fmt.Errorf("template: %w", err)
	}
	texts := 0
	for _, item := range items {
		if s, ok := item["SpecialToken"]; ok {
			token, ok := p.Special[s.ID]
			if !ok {
				return nil, nil, fmt.Errorf("template: special token %q is not defined", s.ID)
			}
			if texts == 0 {
				prefix = append(prefix, token.IDs...)
			} else {
				suffix = append(suffix, token.IDs...)
			}
			continue
		}
		texts++
	}
	if texts != 1 {
		return nil, nil, fmt.Errorf("template has %d places for the text, want one", texts)
	}
	return prefix, suffix, nil
}

// unsupported names a part of the file that this package does not know.
func unsupported(kind string) error { return fmt.Errorf("type %q is not supported", kind) }
