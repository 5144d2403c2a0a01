package viewer

import (
	"iter"
	"strings"

	"crscore/internal/dataset"
	"crscore/internal/limits"
)

// grams tell which changes cannot have a text: each change has a set of the threes of bytes that
// follow each other in its texts, in lower case. A set is a few bits of a hash, so that it may have
// others, too: what it has is to be looked for in the texts.
type grams struct {
	bits []uint64
	ends []int32 // of the sets of the changes in bits
}

// add adds the set of the next change, of two bits a byte.
func (g *grams) add(rec *dataset.Record) {
	size := 0
	for text := range searched(rec) {
		size += len(text)
	}
	if size = min(size/32+1, limits.ChangeGrams); len(g.bits)+size <= limits.Grams {
		from := len(g.bits)
		g.bits = append(g.bits, make([]uint64, size)...)
		set := g.bits[from:]
		for text := range searched(rec) {
			for at := range gramsOf(strings.ToLower(text), len(set)) {
				set[at/64] |= 1 << (at % 64)
			}
		}
	}
	g.ends = append(g.ends, int32(len(g.bits)))
}

// may reports whether the texts of a change may have a text in lower case.
func (g *grams) may(change int, text string) bool {
	from := int32(0)
	if change > 0 {
		from = g.ends[change-1]
	}
	set := g.bits[from:g.ends[change]]
	if len(set) == 0 {
		return true
	}
	for at := range gramsOf(text, len(set)) {
		if set[at/64]&(1<<(at%64)) == 0 {
			return false
		}
	}
	return true
}

// gramsOf are the places of a text's threes in a set of so many words. A text of one or two bytes
// has none.
func gramsOf(text string, words int) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for i := 2; i < len(text); i++ {
			hash := (uint32(text[i-2])<<16 | uint32(text[i-1])<<8 | uint32(text[i])) * 0x9e3779b1
			if !yield(uint64(hash) * uint64(words*64) >> 32) {
				return
			}
		}
	}
}

// searched are the texts of a change that a search looks at: id, paths and reviews.
func searched(rec *dataset.Record) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield(rec.ID) || !yield(rec.Path) {
			return
		}
		for i := range rec.Reviews {
			if !yield(rec.Reviews[i].Text) {
				return
			}
		}
		for line := range strings.Lines(rec.Diff) {
			for _, head := range []string{"diff --git ", "--- ", "+++ ", "rename "} {
				if path, ok := strings.CutPrefix(line, head); ok && !yield(path) {
					return
				}
			}
		}
	}
}
