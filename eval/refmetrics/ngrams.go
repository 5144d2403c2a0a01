package refmetrics

import (
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
)

// keptTable is the size of the largest table that is kept for the next pair. Longer texts than
// reviews are rare, and would hold their memory.
const keptTable = 1 << 15

// overlap finds the n-grams that a hypothesis shares with its references. It keeps its memory
// for the next pair.
type overlap struct {
	texts  []elements // the hypothesis, then the references
	slots  []gramSlot // a hash table with open addresses
	shift  int
	factor uint64       // odd, and drawn by chance, so that no text can be made to collide
	seed   maphash.Seed // of words, for the same reason
	known  []string     // the words of a pair that have a slot
	masks  []uint64     // memory of longest: zeros
}

// elements are a text: its characters, or numbers that stand for its words.
type elements struct {
	ids   []int32
	words []string
	grams []gram
}

// gram is the start of an n-gram in a text, and the n-gram's slot in the table.
type gram struct{ start, slot int32 }

// gramSlot counts one n-gram: in a reference, and in the reference that has it most often. A
// slot with key 0 is free. For a single word most is 1 + its place in known.
type gramSlot struct {
	key         uint64
	count, most int32
}

// shared is the count of an n-gram that the hypothesis and a reference have.
const shared = -1

// overlaps keeps the memory of pairs for the next pairs.
type overlaps struct{ pool sync.Pool }

func newOverlaps() *overlaps {
	return &overlaps{sync.Pool{New: func() any { return &overlap{factor: rand.Uint64() | 1, seed: maphash.MakeSeed()} }}}
}

// get returns an overlap, which the caller gives back with done.
func (p *overlaps) get() *overlap { return p.pool.Get().(*overlap) }

func (p *overlaps) done(o *overlap) {
	if cap(o.slots) <= keptTable {
		o.reset(0) // or the pool would hold the texts
		p.pool.Put(o)
	}
}

// reset forgets the words and makes room for n texts.
func (o *overlap) reset(n int) {
	for _, t := range o.texts {
		clear(t.words)
	}
	clear(o.known)
	o.known = o.known[:0]
	o.texts = slices.Grow(o.texts[:0], n)[:n]
}

// words takes the words of a pair.
func (o *overlap) words(cut tokenizer, hypothesis string, references ...string) {
	o.reset(1 + len(references))
	n := 0
	for i := range o.texts {
		t, text := &o.texts[i], hypothesis
		if i > 0 {
			text = references[i-1]
		}
		t.words = cut(t.words[:0], text)
		n += len(t.words)
	}
	o.clearSlots(n)
	for i := range o.texts {
		t := &o.texts[i]
		t.ids = t.ids[:0]
		for _, word := range t.words {
			t.ids = append(t.ids, o.id(word))
		}
	}
}

// id is a number that stands for a word: its slot, which it finds by its hash.
func (o *overlap) id(word string) int32 {
	key := maphash.String(o.seed, word) | 1
	i := key * o.factor >> o.shift
	for {
		switch s := &o.slots[i]; {
		case s.key == 0:
			o.known = append(o.known, word)
			*s = gramSlot{key: key, most: int32(len(o.known))}
			return int32(i)
		case s.key == key && o.known[s.most-1] == word:
			return int32(i)
		}
		i = (i + 1) & uint64(len(o.slots)-1)
	}
}

// chars takes the characters of two texts, but no white space.
func (o *overlap) chars(hypothesis, reference string) {
	o.reset(2)
	for i, text := range [...]string{hypothesis, reference} {
		ids := o.texts[i].ids[:0]
		for _, r := range text {
			if !isSpace(r) {
				ids = append(ids, r)
			}
		}
		o.texts[i].ids = ids
	}
}

// count is the number of n-grams of a text: 0 is the hypothesis, 1 the first reference.
func (o *overlap) count(text, n int) int { return max(0, len(o.texts[text].ids)-n+1) }

// refLength is the length of the reference for which before holds against all others.
func (o *overlap) refLength(before func(a, b int) bool) int {
	length := 0
	for i := 1; i < len(o.texts); i++ {
		if n := o.count(i, 1); i == 1 || before(n, length) {
			length = n
		}
	}
	return length
}

// matches counts the shared n-grams for each n from 1 to len(counts). An n-gram counts as
// often as the hypothesis has it, but not more often than one reference has it. The cost is
// linear: an n-gram is looked up only where another text has its first n-1 elements, and the
// slot of these stands for them.
func (o *overlap) matches(counts []int) {
	clear(counts)
	left := 0
	for i := range o.texts {
		t := &o.texts[i]
		t.grams = t.grams[:0]
		for at := range t.ids {
			t.grams = append(t.grams, gram{start: int32(at)})
		}
		left += len(t.grams)
	}
	for n := range counts {
		o.clearSlots(left)
		for i := 1; i < len(o.texts); i++ {
			for _, g := range o.lengthen(&o.texts[i], n) {
				s := &o.slots[g.slot]
				s.count++
				s.most = max(s.most, s.count)
			}
			if i < len(o.texts)-1 {
				for _, g := range o.texts[i].grams {
					o.slots[g.slot].count = 0
				}
			}
		}
		for _, g := range o.lengthen(&o.texts[0], n) {
			if s := &o.slots[g.slot]; s.most > 0 {
				s.most--
				s.count = shared
				counts[n]++
			}
		}
		left = 0
		for i := range o.texts {
			left += o.dropAlone(&o.texts[i])
		}
		if counts[n] == 0 {
			return
		}
	}
}

// lengthen adds the element at n to each n-gram that does not end with the text.
func (o *overlap) lengthen(t *elements, n int) []gram {
	kept := t.grams[:0]
	for _, g := range t.grams {
		if at := int(g.start) + n; at < len(t.ids) {
			kept = append(kept, gram{g.start, o.slot(uint64(g.slot+1)<<32 | uint64(uint32(t.ids[at])))})
		}
	}
	t.grams = kept
	return kept
}

// dropAlone drops the n-grams of a text that are not in both the hypothesis and a reference.
// It returns how many are left.
func (o *overlap) dropAlone(t *elements) int {
	kept := t.grams[:0]
	for _, g := range t.grams {
		if o.slots[g.slot].count == shared {
			kept = append(kept, g)
		}
	}
	t.grams = kept
	return len(kept)
}

// clearSlots empties the table and gives it room for n keys.
func (o *overlap) clearSlots(n int) {
	width := bits.Len(uint(2*n + 1))
	if cap(o.slots) < 1<<width {
		o.slots = make([]gramSlot, 1<<width)
	}
	o.slots, o.shift = o.slots[:1<<width], 64-width
	clear(o.slots)
}

// slot returns the slot of a key, which is not 0.
func (o *overlap) slot(key uint64) int32 {
	i := key * o.factor >> o.shift
	for o.slots[i].key != key && o.slots[i].key != 0 {
		i = (i + 1) & uint64(len(o.slots)-1)
	}
	o.slots[i].key = key
	return int32(i)
}
