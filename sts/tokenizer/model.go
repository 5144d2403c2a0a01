package tokenizer

import (
	"container/heap"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
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
	return json.Unmarshal(data, &v.ids)
}

// merges are pairs of tokens, the earlier the sooner put together; in files as
// "a b" or ["a", "b"].
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
	if len(d.Vocab.ids) == 0 {
		return nil, errors.New("the vocabulary is empty")
	}
	unk := -1
	if d.UnkToken != nil {
		id, ok := d.Vocab.ids[*d.UnkToken]
		if !ok {
			return nil, fmt.Errorf("unk_token %q is not in the vocabulary", *d.UnkToken)
		}
		unk = id
	}
	switch kind := d.kind(); kind {
	case "WordPiece":
		if unk < 0 {
			id, ok := d.Vocab.ids["[UNK]"]
			if !ok {
				return nil, errors.New("there is no unk_token")
			}
			unk = id
		}
		m := &wordPiece{ids: d.Vocab.ids, unk: unk, prefix: "##", maxChars: 100}
		if d.Prefix != nil {
			m.prefix = *d.Prefix
		}
		if d.MaxChars > 0 {
			m.maxChars = d.MaxChars
		}
		for token := range m.ids {
			m.maxBytes = max(m.maxBytes, len(token))
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

// wordPiece takes the longest token again and again; a word that cannot be cut
// up wholly is unknown wholly.
type wordPiece struct {
	ids                map[string]int
	unk                int
	prefix             string
	maxChars, maxBytes int // of a word, and of a token with its prefix
}

func (m *wordPiece) encode(word string, emit func(int, string)) {
	if len(word) > m.maxChars && utf8.RuneCountInString(word) > m.maxChars {
		emit(m.unk, word)
		return
	}
	if id, ok := m.ids[word]; ok {
		emit(id, word)
		return
	}
	type found struct{ id, from, to int }
	var stack [16]found
	tokens := stack[:0]
	var buf []byte
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
			if id, ok = m.ids[string(buf[:end])]; ok {
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

// bpe starts from characters, or bytes, and puts pairs together, the earliest
// in the list of merges first.
type bpe struct {
	ids          map[string]int
	ranks        map[[2]int]merge
	unk          int
	fuse         bool
	fallback     *[256]int // the ids of bytes, for characters that are not in the vocabulary
	bytes        *[256]int // byte-level: the ids of bytes
	whole        bool      // words that are in the vocabulary are not cut
	prefix, tail string
}

type merge struct{ rank, id int }

func newBPE(d *modelDef, unk int) (*bpe, error) {
	if d.Dropout != 0 {
		return nil, errors.New("dropout makes ids random and is not supported")
	}
	m := &bpe{ids: d.Vocab.ids, unk: unk, fuse: d.FuseUnk, whole: d.IgnoreMerges, ranks: make(map[[2]int]merge, len(d.Merges))}
	if d.Prefix != nil {
		m.prefix = *d.Prefix
	}
	if d.Suffix != nil {
		m.tail = *d.Suffix
	}
	for i, pair := range d.Merges {
		a, okA := m.ids[pair[0]]
		b, okB := m.ids[pair[1]]
		joined, okC := m.ids[pair[0]+strings.TrimPrefix(pair[1], m.prefix)]
		if !okA || !okB || !okC {
			return nil, fmt.Errorf("merge %q %q is not in the vocabulary", pair[0], pair[1])
		}
		m.ranks[[2]int{a, b}] = merge{i, joined}
	}
	if d.ByteFallback {
		m.fallback = new([256]int)
		for b := range m.fallback {
			id, ok := m.ids[fmt.Sprintf("<0x%02X>", b)]
			if !ok {
				m.fallback = nil
				break
			}
			m.fallback[b] = id
		}
	}
	if d.byteLevel {
		m.bytes = new([256]int)
		for b := range m.bytes {
			id, ok := m.ids[string(byteRune(byte(b)))]
			if !ok {
				id = -1
			}
			m.bytes[b] = id
		}
	}
	return m, nil
}

// byteRune is the character that stands for a byte in byte-level vocabularies:
// itself when it can be printed, else the next one from 256 on.
func byteRune(b byte) rune {
	switch r := rune(b); {
	case r <= ' ':
		return 256 + r
	case r >= 0x7F && r <= 0xA0:
		return 256 + r - 0x7F + 33
	case r == 0xAD:
		return 323
	default:
		return r
	}
}

// byteText is the word as it stands in a byte-level vocabulary.
func byteText(word string) string {
	out := make([]rune, len(word))
	for i := range len(word) {
		out[i] = byteRune(word[i])
	}
	return string(out)
}

// symbol is a token in the making; symbols are a list linked by next and prev.
type symbol struct {
	id, from, to int
	prev, next   int
}

func (m *bpe) encode(word string, emit func(int, string)) {
	if m.whole {
		key := word
		if m.bytes != nil {
			key = byteText(word)
		}
		if id, ok := m.ids[key]; ok {
			emit(id, word)
			return
		}
	}
	symbols := m.start(word)
	queue := make(candidates, 0, len(symbols))
	try := func(left int) {
		if right := symbols[left].next; right >= 0 {
			if r, ok := m.ranks[[2]int{symbols[left].id, symbols[right].id}]; ok {
				heap.Push(&queue, candidate{r.rank, left, symbols[left].id, symbols[right].id})
			}
		}
	}
	for i := range symbols {
		symbols[i].prev, symbols[i].next = i-1, i+1
		if i+1 == len(symbols) {
			symbols[i].next = -1
		}
	}
	for i := range symbols {
		try(i)
	}
	for len(queue) > 0 {
		c := heap.Pop(&queue).(candidate)
		left := &symbols[c.at]
		// It may have gone into another token since.
		if left.id != c.left || left.next < 0 || symbols[left.next].id != c.right {
			continue
		}
		right := &symbols[left.next]
		left.id, left.to, left.next = m.ranks[[2]int{c.left, c.right}].id, right.to, right.next
		right.id = gone
		if left.next >= 0 {
			symbols[left.next].prev = c.at
		}
		try(c.at)
		if left.prev >= 0 {
			try(left.prev)
		}
	}
	for i := range symbols {
		if s := symbols[i]; s.id != gone {
			emit(s.id, word[s.from:s.to])
		}
	}
}

// gone marks a symbol that was merged into the one before it.
const gone = -1

// start are the symbols before anything is merged.
func (m *bpe) start(word string) []symbol {
	symbols := make([]symbol, 0, len(word))
	unknown := func(from, to int) {
		if n := len(symbols); m.fuse && n > 0 && symbols[n-1].id == m.unk {
			symbols[n-1].to = to
			return
		}
		if m.unk >= 0 {
			symbols = append(symbols, symbol{id: m.unk, from: from, to: to})
		}
	}
	if m.bytes != nil {
		for i := range len(word) {
			if id := m.bytes[word[i]]; id >= 0 {
				symbols = append(symbols, symbol{id: id, from: i, to: i + 1})
			} else {
				unknown(i, i+1)
			}
		}
		return symbols
	}
	for from, r := range word {
		to := from + utf8.RuneLen(r)
		name := word[from:to]
		if from > 0 {
			name = m.prefix + name
		}
		if to == len(word) {
			name += m.tail
		}
		if id, ok := m.ids[name]; ok {
			symbols = append(symbols, symbol{id: id, from: from, to: to})
		} else if m.fallback != nil {
			for i := from; i < to; i++ {
				symbols = append(symbols, symbol{id: m.fallback[word[i]], from: i, to: i + 1})
			}
		} else {
			unknown(from, to)
		}
	}
	return symbols
}

// candidate is a pair that can be merged, and what it was when it was found.
type candidate struct{ rank, at, left, right int }

// candidates is a heap with the earliest merge, of equals the leftmost, on top.
type candidates []candidate

func (c candidates) Len() int      { return len(c) }
func (c candidates) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c candidates) Less(i, j int) bool {
	return c[i].rank < c[j].rank || c[i].rank == c[j].rank && c[i].at < c[j].at
}
func (c *candidates) Push(x any) { *c = append(*c, x.(candidate)) }
func (c *candidates) Pop() any {
	old := *c
	x := old[len(old)-1]
	*c = old[:len(old)-1]
	return x
}

// unigram finds the likeliest way to cut a word (Viterbi).
type unigram struct {
	pieces   []piece
	sorted   []int // indexes of pieces in the order of their texts
	first    [257]int
	unk      int
	unkScore float64
	fallback *[256]int
}

// unkPenalty is how much worse an unknown character is than the worst token.
const unkPenalty = 10

func newUnigram(d *modelDef) (*unigram, error) {
	m := &unigram{pieces: d.Vocab.pieces, unk: -1}
	if m.pieces == nil {
		return nil, errors.New("the vocabulary has no scores")
	}
	if d.UnkID != nil {
		if m.unk = *d.UnkID; m.unk < 0 || m.unk >= len(m.pieces) {
			return nil, fmt.Errorf("unk_id is %d, and there are %d tokens", m.unk, len(m.pieces))
		}
	}
	m.unkScore = math.Inf(1)
	for i, p := range m.pieces {
		m.unkScore = min(m.unkScore, p.score)
		if p.text != "" && d.Vocab.ids[p.text] == i {
			m.sorted = append(m.sorted, i)
		}
	}
	m.unkScore -= unkPenalty
	slices.SortFunc(m.sorted, func(a, b int) int { return strings.Compare(m.pieces[a].text, m.pieces[b].text) })
	at := 0
	for b := range 256 {
		m.first[b] = at
		for at < len(m.sorted) && m.pieces[m.sorted[at]].text[0] == byte(b) {
			at++
		}
	}
	m.first[256] = at
	if d.ByteFallback {
		m.fallback = new([256]int)
		for b := range m.fallback {
			id, ok := d.Vocab.ids[fmt.Sprintf("<0x%02X>", b)]
			if !ok {
				return nil, fmt.Errorf("byte_fallback needs the token <0x%02X>", b)
			}
			m.fallback[b] = id
		}
	}
	return m, nil
}

// prefixes calls found for every token that text starts with, the shortest
// first.
func (m *unigram) prefixes(text string, found func(id, length int)) {
	lo, hi := m.first[text[0]], m.first[int(text[0])+1]
	for depth := 1; lo < hi; depth++ {
		if p := m.sorted[lo]; len(m.pieces[p].text) == depth {
			found(p, depth)
			lo++
		}
		if depth == len(text) {
			return
		}
		// Among those that agree so far, the ones that agree on the next byte.
		c := text[depth]
		search := func(from int, above bool) int {
			lo, hi := from, hi
			for lo < hi {
				mid := int(uint(lo+hi) >> 1)
				if b := m.pieces[m.sorted[mid]].text[depth]; b < c || above && b == c {
					lo = mid + 1
				} else {
					hi = mid
				}
			}
			return lo
		}
		lo = search(lo, false)
		hi = search(lo, true)
	}
}

func (m *unigram) encode(word string, emit func(int, string)) {
	type node struct {
		id, from int
		score    float64
	}
	best := make([]node, len(word)+1)
	for i := range best {
		best[i].from = -1
	}
	for from, r := range word {
		size := utf8.RuneLen(r)
		here := best[from].score
		single := false
		m.prefixes(word[from:], func(id, length int) {
			to := &best[from+length]
			if score := m.pieces[id].score + here; to.from < 0 || score > to.score {
				*to = node{id, from, score}
			}
			single = single || length == size
		})
		if to := &best[from+size]; !single && (to.from < 0 || m.unkScore+here > to.score) {
			*to = node{-1, from, m.unkScore + here}
		}
	}
	type found struct{ id, from, to int }
	var tokens []found
	for to := len(word); to > 0; to = best[to].from {
		n := best[to]
		// What is unknown side by side is one token.
		if last := len(tokens) - 1; n.id < 0 && last >= 0 && tokens[last].id < 0 {
			tokens[last].from = n.from
			continue
		}
		tokens = append(tokens, found{n.id, n.from, to})
	}
	for _, t := range slices.Backward(tokens) {
		switch {
		case t.id >= 0:
			emit(t.id, word[t.from:t.to])
		case m.fallback != nil:
			for i := t.from; i < t.to; i++ {
				emit(m.fallback[word[i]], word[i:i+1])
			}
		case m.unk >= 0:
			emit(m.unk, word[t.from:t.to])
		}
	}
}
