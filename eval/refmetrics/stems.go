package refmetrics

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
)

// stemSlots is the number of stems that are remembered. Reviews repeat their words.
const stemSlots = 1 << 14

// stemBytes is the length in bytes of the longest word whose stem is remembered. Longer words
// are seldom repeated.
const stemBytes = 64

// stems finds the stems of words as porter does. It may be used by many
// goroutines at once.
type stems struct {
	shortest int
	seed     maphash.Seed
	slots    []atomic.Pointer[stemmed]
}

type stemmed struct{ word, stem string }

// newStems makes a stemmer that leaves words of fewer bytes than shortest as they are.
func newStems(shortest int) *stems {
	return &stems{shortest, maphash.MakeSeed(), make([]atomic.Pointer[stemmed], stemSlots)}
}

// stem returns the stem of a word in lower case.
func (s *stems) stem(word string) string {
	switch {
	case len(word) < s.shortest:
		return word
	case len(word) > stemBytes:
		return porter(word)
	}
	slot := &s.slots[maphash.String(s.seed, word)%stemSlots]
	if known := slot.Load(); known != nil && known.word == word {
		return known.stem
	}
	word = strings.Clone(word) // a part of a text would keep the text
	known := &stemmed{word, porter(word)}
	slot.Store(known)
	return known.stem
}

// tokens makes a tokenizer that stems the tokens of another.
func (s *stems) tokens(cut tokenizer) tokenizer {
	return func(list []string, text string) []string {
		old := len(list)
		list = cut(list, text)
		for i, word := range list[old:] {
			list[old+i] = s.stem(word)
		}
		return list
	}
}
