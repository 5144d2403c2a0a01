package tokenizer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// model cuts one word into tokens.
type model interface {
	encode(word string, emit func(id int, text string))
}

// modelDef is a tokenizer's model.
type modelDef struct {
	Type         string  `json:"type"`
	Vocab        vocab   `json:"vocab"`
	Merges       merges  `json:"merges"`
	UnkToken     *string `json:"unk_token"`
	UnkID        *int    `json:"unk_id"`
	Prefix       *string `json:"continuing_subword_prefix"`
	Suffix       *string `json:"end_of_word_suffix"`
	MaxChars     int     `json:"max_input_chars_per_word"`
	FuseUnk      bool    `json:"fuse_unk"`
	ByteFallback bool    `json:"byte_fallback"`
	IgnoreMerges bool    `json:"ignore_merges"`
	Dropout      float64 `json:"dropout"`

	byteLevel bool // words are bytes: set from the pre-tokenizer
}

// vocab are the tokens with their ids, or for Unigram a list with their scores.
type vocab struct {
	ids    map[string]int
	pieces []piece
	packed *packedNames // in place of ids; for WordPiece only
}

func (v vocab) find(name []byte) (id int, ok bool) {
	if v.packed != nil {
		return v.packed.find(name)
	}
	id, ok = v.ids[string(name)]
	return id, ok
}

// longest is the number of bytes of the longest token.
func (v vocab) longest() (n int) {
	for token := range v.ids {
		n = max(n, len(token))
	}
	if v.packed != nil {
		for id := range v.packed.size() {
			n = max(n, len(v.packed.name(id)))
		}
	}
	return n
}

type piece struct {
	text  string
	score float64
}

func (p *piece) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[2]any{&p.text, &p.score})
}

func (v *vocab) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '[' {
		if err := json.Unmarshal(data, &v.pieces); err != nil {
			return err
		}
		v.ids = make(map[string]int, len(v.pieces))
		for i, p := range v.pieces {
			v.ids[p.text] = i
		}
		return nil
	}
	if ids, ok := plainIDs(data); ok && v.ids == nil {
		v.ids = ids
		return nil
	}
	return json.Unmarshal(data, &v.ids)
}

// plainIDs reads a JSON object of names without escapes and small numbers, the usual form
// of a vocabulary, and returns false for any other. encoding/json takes long for tens of
// thousands of tokens at every start.
func plainIDs(data []byte) (map[string]int, bool) {
	if !utf8.Valid(data) || bytes.IndexByte(data, '\\') >= 0 {
		return nil, false
	}
	text := strings.TrimSpace(string(data)) // which the names are parts of
	if len(text) < 2 || text[0] != '{' || text[len(text)-1] != '}' {
		return nil, false
	}
	ids := make(map[string]int, strings.Count(text, ","))
	for rest, more := text[1:len(text)-1], true; more; {
		_, after, ok := strings.Cut(rest, `"`)
		name, after, ok2 := strings.Cut(after, `"`)
		_, after, ok3 := strings.Cut(after, ":")
		if !ok || !ok2 || !ok3 {
			return nil, false // as an empty object is
		}
		var number string
		number, rest, more = strings.Cut(after, ",")
		id, err := strconv.ParseUint(strings.TrimSpace(number), 10, 31)
		if err != nil {
			return nil, false
		}
		ids[name] = int(id)
	}
	return ids, true
}

// merges are pairs of tokens in the order of merging; a file has "a b" or ["a", "b"].
type merges [][2]string

func (m *merges) UnmarshalJSON(data []byte) error {
	var lines []string
	if json.Unmarshal(data, &lines) != nil {
		return json.Unmarshal(data, (*[][2]string)(m))
	}
	*m = make(merges, 0, len(lines))
	for _, l := range lines {
		a, b, ok := strings.Cut(l, " ")
		if !ok {
			return fmt.Errorf("merge %q is no pair", l)
		}
		*m = append(*m, [2]string{a, b})
	}
	return nil
}

// kind is the model's type, which old files leave out.
func (d *modelDef) kind() string {
	switch {
	case d.Type != "":
		return d.Type
	case len(d.Vocab.pieces) > 0:
		return "Unigram"
	case d.Merges != nil:
		return "BPE"
	}
	return "WordPiece"
}

func (d *modelDef) build() (model, error) {
	if len(d.Vocab.ids) == 0 && d.Vocab.packed == nil {
		return nil, errors.New("the vocabulary is empty")
	}
	unk := -1
	if d.UnkToken != nil {
		id, ok := d.Vocab.find([]byte(*d.UnkToken))
		if !ok {
			return nil, fmt.Errorf("unk_token %q is not in the vocabulary", *d.UnkToken)
		}
		unk = id
	}
	switch kind := d.kind(); kind {
	case "WordPiece":
		if unk < 0 {
			id, ok := d.Vocab.find([]byte("[UNK]"))
			if !ok {
				return nil, errors.New("there is no unk_token")
			}
			unk = id
		}
		m := &wordPiece{vocab: d.Vocab, unk: unk, prefix: "##", maxChars: 100, maxBytes: d.Vocab.longest()}
		if d.Prefix != nil {
			m.prefix = *d.Prefix
		}
		if d.MaxChars > 0 {
			m.maxChars = d.MaxChars
		}
		return m, nil
	case "WordLevel":
		if unk < 0 {
			return nil, errors.New("there is no unk_token")
		}
		return &wordLevel{d.Vocab.ids, unk}, nil
	case "BPE":
		return newBPE(d, unk)
	case "Unigram":
		return newUnigram(d)
	default:
		return nil, unsupported(kind)
	}
}

// wordLevel looks words up.
type wordLevel struct {
	ids map[string]int
	unk int
}

func (m *wordLevel) encode(word string, emit func(int, string)) {
	id, ok := m.ids[word]
	if !ok {
		id = m.unk
	}
	emit(id, word)
}

// wordPiece takes the longest token again and again. A word with a part that no token fits
// is unknown as a whole.
type wordPiece struct {
	vocab              vocab
	unk                int
	prefix             string
	maxChars, maxBytes int // of a word, and of a token with its prefix
}

func (m *wordPiece) encode(word string, emit func(int, string)) {
	if len(word) > m.maxChars && utf8.RuneCountInString(word) > m.maxChars {
		emit(m.unk, word)
		return
	}
	var space [64]byte // more than most words have
	buf := append(space[:0], word...)
	if id, ok := m.vocab.find(buf); ok {
		emit(id, word)
		return
	}
	type found struct{ id, from, to int }
	var stack [16]found
	tokens := stack[:0]
	for from := 0; from < len(word); {
		buf = buf[:0]
		if from > 0 {
			buf = append(buf, m.prefix...)
		}
		head := len(buf)
		buf = append(buf, word[from:]...)
		end := min(len(buf), m.maxBytes)
		id, ok := 0, false
		for ; end > head; end-- {
			if end < len(buf) && !utf8.RuneStart(buf[end]) {
				continue
			}
			if id, ok = m.vocab.find(buf[:end]); ok {
				break
			}
		}
		if !ok {
			emit(m.unk, word)
			return
		}
		to := from + end - head
		tokens = append(tokens, found{id, from, to})
		from = to
	}
	for _, t := range tokens {
		emit(t.id, word[t.from:t.to])
	}
}
