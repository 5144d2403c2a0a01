package refmetrics

import (
	"math/bits"
	"math/rand/v2"
)

// gramStats are the numbers of n-grams of one length: those of both texts, and those that the
// texts share, where an n-gram counts as often as the text with fewer has it.
type gramStats struct{ hyp, ref, match int }

// gramCounter counts the n-grams of two texts. It keeps its memory for the next texts.
type gramCounter struct {
	hyp, ref     []int32          // the texts: characters, or numbers of words
	numbers      map[string]int32 // the numbers of words
	hypAt, refAt []gram
	slots        []gramSlot // a hash table with open addresses
	shift        int
	factor       uint64 // odd, and drawn by chance, so that no text can be made to collide
}

// gram is the start of an n-gram in a text, and the n-gram's slot in the table.
type gram struct{ start, slot int32 }

// gramSlot has the numbers of one n-gram in both texts. A slot with key 0 is free.
type gramSlot struct {
	key      uint64
	hyp, ref int32
}

func newGramCounter() *gramCounter {
	return &gramCounter{numbers: map[string]int32{}, factor: rand.Uint64() | 1}
}

// count fills stats: its first element counts single elements of c.hyp and c.ref, the second
// pairs, and so on. The cost is linear: an n-gram is looked up only where the other text has
// its first n-1 elements, and the slot of these stands for them.
func (c *gramCounter) count(stats []gramStats) {
	c.hypAt, c.refAt = starts(c.hypAt[:0], len(c.hyp)), starts(c.refAt[:0], len(c.ref))
	for n := range stats {
		s := &stats[n]
		if s.ref = max(len(c.ref)-n, 0); s.ref == 0 {
			return // as sacrebleu: the n-grams of a hypothesis do not count where the reference has none
		}
		s.hyp = max(len(c.hyp)-n, 0)
		c.reset(len(c.hypAt) + len(c.refAt))
		c.refAt = c.extend(c.refAt, c.ref, n)
		for _, g := range c.refAt {
			c.slots[g.slot].ref++
		}
		c.hypAt = c.extend(c.hypAt, c.hyp, n)
		for _, g := range c.hypAt {
			slot := &c.slots[g.slot]
			if slot.hyp++; slot.hyp <= slot.ref {
				s.match++
			}
		}
		c.hypAt, c.refAt = c.shared(c.hypAt), c.shared(c.refAt)
	}
}

func starts(to []gram, n int) []gram {
	for i := range n {
		to = append(to, gram{start: int32(i)})
	}
	return to
}

// extend adds an element to each n-gram that does not end with the text.
func (c *gramCounter) extend(grams []gram, text []int32, n int) []gram {
	kept := grams[:0]
	for _, g := range grams {
		if at := int(g.start) + n; at < len(text) {
			kept = append(kept, gram{g.start, c.slot(uint64(g.slot+1)<<32 | uint64(uint32(text[at])))})
		}
	}
	return kept
}

// shared keeps the n-grams that both texts have.
func (c *gramCounter) shared(grams []gram) []gram {
	kept := grams[:0]
	for _, g := range grams {
		if s := &c.slots[g.slot]; s.hyp > 0 && s.ref > 0 {
			kept = append(kept, g)
		}
	}
	return kept
}

// reset empties the table and gives it room for n keys.
func (c *gramCounter) reset(n int) {
	width := bits.Len(uint(2*n + 1))
	if cap(c.slots) < 1<<width {
		c.slots = make([]gramSlot, 1<<width)
	}
	c.slots, c.shift = c.slots[:1<<width], 64-width
	clear(c.slots)
}

// slot returns the slot of a key, which is not 0.
func (c *gramCounter) slot(key uint64) int32 {
	i := key * c.factor >> c.shift
	for c.slots[i].key != key && c.slots[i].key != 0 {
		i = (i + 1) & uint64(len(c.slots)-1)
	}
	c.slots[i].key = key
	return int32(i)
}
