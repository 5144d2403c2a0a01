package refmetrics

import (
	"context"
	"fmt"
	"math/bits"

	"crscore/internal/limits"
)

// rougeInfo is ROUGE-N, or ROUGE-L where n is 0.
func rougeInfo(name, about string, n int) Info {
	return Info{
		Name: name, About: about, Source: "Lin 2004; rouge_score of Google", Max: 1,
		build: func(o *options, needs Needs) (Metric, error) {
			m := &rouge{n: n, tokens: alnumTokens(), overlaps: newOverlaps()}
			if o.yes("stem", true) {
				m.tokens = newStems(4).tokens(m.tokens)
			}
			m.value = o.choice("value", "f", "p", "r")
			o.unseen(needs)
			return m, nil
		},
	}
}

// rouge scores against the best reference.
type rouge struct {
	n        int
	value    string
	tokens   tokenizer
	overlaps *overlaps
}

func (m *rouge) Score(ctx context.Context, hypothesis string, references []string) (float64, error) {
	return best(Info{}, references, func(reference string) (float64, error) {
		o := m.overlaps.get()
		defer m.overlaps.done(o)
		o.words(m.tokens, hypothesis, reference)
		var counts [2]int
		n := max(1, m.n)
		o.matches(counts[:n])
		shared := counts[n-1]
		if shared == 0 {
			return 0, nil
		}
		if m.n == 0 {
			var err error
			if shared, err = o.longest(ctx); err != nil {
				return 0, err
			}
		}
		p := float64(shared) / float64(o.count(0, n))
		r := float64(shared) / float64(o.count(1, n))
		switch m.value {
		case "p":
			return p, nil
		case "r":
			return r, nil
		}
		return 2 * p * r / (p + r), nil
	})
}

func (m *rouge) sees(_ context.Context, text string) (bool, error) {
	return len(m.tokens(nil, text)) > 0, nil
}

// longest is the length of the longest common subsequence of hypothesis and reference, whose
// shared words matches has found. It is the bit-parallel algorithm of Hyyrö 2004 ("Bit-parallel LCS-length computation
// revisited"), 64 tokens of the hypothesis at a time.
func (o *overlap) longest(ctx context.Context) (int, error) {
	hyp, ref := o.texts[0].grams, o.texts[1].grams
	if int64(len(hyp))*int64(len(ref)) > limits.CommonWords {
		return 0, fmt.Errorf("%d words of the review occur in the reference, and %d the other way:"+
			" the product may be at most %d", len(hyp), len(ref), int64(limits.CommonWords))
	}
	if len(o.masks) < len(o.slots) {
		o.masks = make([]uint64, len(o.slots))
	}
	masks := o.masks
	carries := make([]uint8, len(ref)) // from a block to the next, by row
	length := 0
	for start := 0; start < len(hyp); start += 64 {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		block := hyp[start:min(start+64, len(hyp))]
		for i, g := range block {
			masks[g.slot] |= 1 << i
		}
		ones := ^uint64(0) // a bit falls to 0 where the subsequence grows
		for i, g := range ref {
			mask := masks[g.slot]
			match := ones & mask
			sum, carry := bits.Add64(ones, match, uint64(carries[i]))
			ones = sum | ones&^mask
			carries[i] = uint8(carry)
		}
		length += bits.OnesCount64(^ones << (64 - len(block)))
		for _, g := range block {
			masks[g.slot] = 0
		}
	}
	return length, nil
}
