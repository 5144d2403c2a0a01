package tokenizer

import (
	"container/heap"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// bpe starts from characters or bytes, and merges pairs in the order of the list of merges.
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

// byteRune is the character for a byte in byte-level vocabularies: the byte itself if it is
// printable, otherwise the next unused character from 256 on.
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

// byteText is the word in the characters of a byte-level vocabulary.
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
