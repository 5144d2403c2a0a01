package refmetrics

import (
	"context"
	"math"
)

func meteorInfo() Info {
	return Info{
		Name: "meteor-exact-stem", About: "words that the texts share, or their stems, and how they are ordered",
		Source: "METEOR: Lavie and Agarwal (2007), as nltk 3.8 has it, without synonyms", Max: 1,
		build: func(o *options, _ Needs) (Metric, error) {
			return &meteor{
				alpha:    o.number("alpha", .9, 0, 1),
				beta:     o.number("beta", 3, 0, 100),
				gamma:    o.number("gamma", .5, 0, 1),
				stems:    newStems(0),
				overlaps: newOverlaps(),
			}, nil
		},
	}
}

type meteor struct {
	alpha, beta, gamma float64
	stems              *stems
	overlaps           *overlaps
}

func (m *meteor) Score(_ context.Context, hypothesis string, references []string) (float64, error) {
	o := m.overlaps.get()
	defer m.overlaps.done(o)
	return best(Info{}, references, func(reference string) (float64, error) {
		o.words(treebankTokens, hypothesis, reference)
		return m.score(o), nil
	})
}

// score is F·(1-γ·(chunks/matches)^β) with F = P·R / (α·P+(1-α)·R). A chunk is a row of tokens
// that stand in the same order in both texts.
func (m *meteor) score(o *overlap) float64 {
	hyp, ref := o.texts[0].ids, o.texts[1].ids
	places := make([]int32, len(hyp))
	matches := o.match(places)
	o.clearSlots(len(hyp) + len(ref))
	for _, t := range o.texts {
		for i, id := range t.ids {
			if id != matched {
				t.ids[i] = o.id(m.stems.stem(t.words[i]))
			}
		}
	}
	matches += o.match(places)
	if matches == 0 {
		return 0
	}
	chunks, before := 0, int32(0)
	for _, at := range places {
		if at > 0 && (before == 0 || at != before+1) {
			chunks++
		}
		before = at
	}
	precision, recall := float64(matches)/float64(len(hyp)), float64(matches)/float64(len(ref))
	// The conversions prevent fused operations, whose results depend on the processor.
	f := precision * recall / (float64(m.alpha*precision) + float64((1-m.alpha)*recall))
	penalty := m.gamma * math.Pow(float64(chunks)/float64(matches), m.beta)
	return (1 - penalty) * f
}

// matched is what match makes of the ids of tokens that it matches.
const matched = -1

// match matches equal tokens, from the last token of the hypothesis to the first. Each takes
// the last token of the reference that is free. It sets places, by token of the hypothesis:
// 1 + the place in the reference. The slots of the ids must have the count 0 before.
func (o *overlap) match(places []int32) (matches int) {
	hyp, ref := o.texts[0].ids, o.texts[1].ids
	earlier := make([]int32, len(ref)) // by token: 1 + the place of the token before with the same id
	for i, id := range ref {
		if id != matched {
			last := &o.slots[id].count // 1 + the place of the last free token
			earlier[i], *last = *last, int32(i+1)
		}
	}
	for i := len(hyp) - 1; i >= 0; i-- {
		if id := hyp[i]; id != matched && o.slots[id].count > 0 {
			at := o.slots[id].count
			o.slots[id].count, places[i] = earlier[at-1], at
			hyp[i], ref[at-1] = matched, matched
			matches++
		}
	}
	return matches
}
