package refmetrics

import (
	"context"
	"math"
	"sync"
)

func meteorInfo() Info {
	return Info{
		Name: "meteor-exact-stem", About: "words that the texts share, or their stems, and how they are ordered",
		Source: "METEOR: Lavie and Agarwal (2007), as nltk 3.8 has it, without synonyms", Max: 1,
		build: func(o *options, _ Needs) (Metric, error) {
			return &meteor{
				alpha: o.number("alpha", .9, 0, 1),
				beta:  o.number("beta", 3, 0, 100),
				gamma: o.number("gamma", .5, 0, 1),
				stems: newStems(0),
				pairs: sync.Pool{New: func() any { return &meteorPair{last: map[string]int32{}} }},
			}, nil
		},
	}
}

type meteor struct {
	alpha, beta, gamma float64
	stems              *stems
	pairs              sync.Pool // of *meteorPair
}

// meteorPair is a pair and the memory for it.
type meteorPair struct {
	hyp, ref []string // the tokens; those that are matched become ""
	at       []int32  // by token of the hypothesis: 1 + its place in the reference, or 0
	last     map[string]int32
	earlier  []int32 // by token of the reference: 1 + the place of the token before with the same text, or 0
}

func (m *meteor) Score(_ context.Context, hypothesis string, references []string) (float64, error) {
	p := m.pairs.Get().(*meteorPair)
	defer func() {
		if cap(p.hyp)+cap(p.ref) <= maxKept {
			m.pairs.Put(p)
		}
	}()
	return best(Info{}, references, func(reference string) (float64, error) {
		p.hyp, p.ref = treebankTokens(p.hyp[:0], hypothesis), treebankTokens(p.ref[:0], reference)
		return m.score(p), nil
	})
}

// score is F·(1-γ·(chunks/matches)^β) with F = P·R / (α·P+(1-α)·R). A chunk is a row of tokens
// that stand in the same order in both texts.
func (m *meteor) score(p *meteorPair) float64 {
	p.at = append(p.at[:0], make([]int32, len(p.hyp))...)
	matches := p.match()
	for _, tokens := range [][]string{p.hyp, p.ref} {
		for i, token := range tokens {
			if token != "" {
				tokens[i] = m.stems.stem(token)
			}
		}
	}
	matches += p.match()
	if matches == 0 {
		return 0
	}
	chunks, before := 0, int32(0)
	for _, at := range p.at {
		if at > 0 && (before == 0 || at != before+1) {
			chunks++
		}
		before = at
	}
	precision, recall := float64(matches)/float64(len(p.hyp)), float64(matches)/float64(len(p.ref))
	// The conversions prevent fused operations, whose results depend on the processor.
	f := precision * recall / (float64(m.alpha*precision) + float64((1-m.alpha)*recall))
	penalty := m.gamma * math.Pow(float64(chunks)/float64(matches), m.beta)
	return (1 - penalty) * f
}

// match matches equal tokens, from the last token of the hypothesis to the first. Each takes
// the last token of the reference that is free.
func (p *meteorPair) match() (matches int) {
	clear(p.last)
	p.earlier = p.earlier[:0]
	for i, token := range p.ref {
		p.earlier = append(p.earlier, p.last[token])
		p.last[token] = int32(i + 1)
	}
	for i := len(p.hyp) - 1; i >= 0; i-- {
		token := p.hyp[i]
		if at := p.last[token]; at > 0 && token != "" {
			p.last[token] = p.earlier[at-1]
			p.at[i] = at
			p.hyp[i], p.ref[at-1] = "", ""
			matches++
		}
	}
	return matches
}
