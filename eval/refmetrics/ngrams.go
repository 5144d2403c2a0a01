package refmetrics

import "sync"

// maxKept is the number of tokens of a pair whose memory is kept for the next pair: to clear
// larger tables takes longer than to score a review.
const maxKept = 1 << 13

// none stands for an n-gram that hypothesis and references do not share.
const none = -1

// overlap finds the n-grams that a hypothesis shares with its references. Tokens and n-grams
// are numbers, and an (n+1)-gram is the pair of the two n-grams in it.
type overlap struct {
	hypothesis, references []string // the tokens; the references one behind the other
	spans                  []span   // of the references

	words        map[string]int32
	grams        map[uint64]int32
	hyp, ref     []int32 // the n-gram that starts at a token
	have         []int32 // by n-gram: how often it is in the hypothesis
	most, inThis []int32 // and in the reference that has it most often, and in a reference
}

// span is a reference among the tokens of all.
type span struct{ start, end int }

// overlaps keeps the memory of pairs for the next pairs.
type overlaps struct{ pool sync.Pool }

func newOverlaps() *overlaps {
	return &overlaps{sync.Pool{New: func() any {
		return &overlap{words: map[string]int32{}, grams: map[uint64]int32{}}
	}}}
}

// cut returns a pair as tokens. The caller gives it back with done.
func (p *overlaps) cut(tokens tokenizer, hypothesis string, references ...string) *overlap {
	o := p.pool.Get().(*overlap)
	o.hypothesis = tokens(o.hypothesis[:0], hypothesis)
	o.references, o.spans = o.references[:0], o.spans[:0]
	for _, ref := range references {
		start := len(o.references)
		o.references = tokens(o.references, ref)
		o.spans = append(o.spans, span{start, len(o.references)})
	}
	return o
}

func (p *overlaps) done(o *overlap) {
	if len(o.hypothesis)+len(o.references) > maxKept {
		return
	}
	clear(o.hypothesis) // or the pool would hold the texts
	clear(o.references)
	clear(o.words)
	p.pool.Put(o)
}

// refLength is the length of the reference for which before holds against all others.
func (o *overlap) refLength(before func(a, b int) bool) int {
	var length int
	for i, s := range o.spans {
		if n := s.end - s.start; i == 0 || before(n, length) {
			length = n
		}
	}
	return length
}

// matches counts the shared n-grams for each n from 1 to len(counts). An n-gram counts as
// often as the hypothesis has it, but not more often than one reference has it.
func (o *overlap) matches(counts []int) {
	clear(counts)
	for n := range counts {
		if n == 0 {
			o.number()
		} else {
			o.lengthen(n)
		}
		if counts[n] = o.clip(n); counts[n] == 0 {
			return
		}
	}
}

// number makes numbers of the tokens.
func (o *overlap) number() {
	o.hyp, o.ref, o.have = o.hyp[:0], o.ref[:0], o.have[:0]
	for _, word := range o.hypothesis {
		id, ok := o.words[word]
		if !ok {
			id = int32(len(o.words))
			o.words[word] = id
			o.have = append(o.have, 0)
		}
		o.have[id]++
		o.hyp = append(o.hyp, id)
	}
	for _, word := range o.references {
		id, ok := o.words[word]
		if !ok {
			id = none
		}
		o.ref = append(o.ref, id)
	}
}

// lengthen makes (n+1)-grams of the n-grams.
func (o *overlap) lengthen(n int) {
	clear(o.grams)
	o.have = o.have[:0]
	for i := range max(0, len(o.hyp)-n) {
		o.hyp[i] = o.pair(o.hyp[i], o.hyp[i+1], true)
	}
	for _, s := range o.spans {
		for i := s.start; i < s.end-n; i++ {
			o.ref[i] = o.pair(o.ref[i], o.ref[i+1], false)
		}
	}
}

// pair is the number of the n-gram that two shorter ones make, and counts it for the hypothesis.
func (o *overlap) pair(a, b int32, hypothesis bool) int32 {
	if a == none || b == none {
		return none
	}
	key := uint64(a)<<32 | uint64(b)
	id, ok := o.grams[key]
	switch {
	case !ok && !hypothesis:
		return none
	case !ok:
		id = int32(len(o.grams))
		o.grams[key] = id
		o.have = append(o.have, 0)
	}
	if hypothesis {
		o.have[id]++
	}
	return id
}

// clip counts the shared (n+1)-grams, and drops those of the hypothesis that are not shared.
func (o *overlap) clip(n int) int {
	o.most = append(o.most[:0], make([]int32, len(o.have))...)
	o.inThis = append(o.inThis[:0], make([]int32, len(o.have))...)
	for _, s := range o.spans {
		ids := o.ref[s.start:max(s.start, s.end-n)]
		for _, id := range ids {
			if id != none {
				o.inThis[id]++
				o.most[id] = max(o.most[id], o.inThis[id])
			}
		}
		for _, id := range ids {
			if id != none {
				o.inThis[id] = 0
			}
		}
	}
	sum := 0
	for id, have := range o.have {
		sum += int(min(have, o.most[id]))
	}
	for i := range max(0, len(o.hyp)-n) {
		if id := o.hyp[i]; id != none && o.most[id] == 0 {
			o.hyp[i] = none
		}
	}
	return sum
}
