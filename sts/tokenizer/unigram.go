package tokenizer

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

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
