package revision

import (
	"cmp"
	"math"
	"strings"
)

// otherWeight is the weight of a token that is no keyword; a keyword has 1.
const otherWeight = 0.2

// CodeBLEU is the mean of four numbers from 0 to 1 that compare an answer with the target
// (Ren et al. 2020, arXiv 2009.10297). A number that the target has nothing for is nil, and the
// mean is over the others.
type CodeBLEU struct {
	// Score is the mean.
	Score float64 `json:"score"`
	// NGram is BLEU-4 of the tokens (Papineni et al. 2002), smoothed by method 1 of Chen and Cherry
	// 2014: a count of 0.1 in the place of 0.
	NGram float64 `json:"ngram"`
	// Weighted is the same by recall: for n = 1 the sum of the weights of the target's tokens that the
	// answer has, over the sum of all, where a keyword weighs 1 and another token 0.2; for n from 2
	// to 4 the share of the target's n-grams.
	Weighted float64 `json:"weighted"`
	// Syntax is the share of the target's subtrees, without names and literals, that occur in the
	// answer.
	Syntax *float64 `json:"syntax"`
	// DataFlow is the share of the target's data flow that the answer has, with variables
	// numbered in their order.
	DataFlow *float64 `json:"data_flow"`
}

// codeBLEU compares an answer with a target. With zero, what the target has nothing for counts as 0.
func (s *Scorer) codeBLEU(answer, target *code, zero bool) (out CodeBLEU, err error) {
	if out.NGram, err = s.bleu4(spaced(answer), spaced(target)); err != nil {
		return out, err
	}
	out.Weighted = weighted(answer, target)
	found := counts(answer.trees)
	out.Syntax = share(target.trees, func(tree form) bool { return found[tree] > 0 })
	left := counts(answer.flow)
	out.DataFlow = share(target.flow, func(item string) bool { left[item]--; return left[item] >= 0 })
	sum, parts := out.NGram+out.Weighted, 2
	for _, part := range []*float64{out.Syntax, out.DataFlow} {
		if part != nil {
			sum += *part
		}
		if part != nil || zero {
			parts++
		}
	}
	out.Score = sum / float64(parts)
	return out, nil
}

// share is the share of the items that are found, nil of none.
func share[T any](items []T, found func(T) bool) *float64 {
	if len(items) == 0 {
		return nil
	}
	var n float64
	for _, item := range items {
		if found(item) {
			n++
		}
	}
	n /= float64(len(items))
	return &n
}

// counts counts items.
func counts[T comparable](items []T) map[T]int {
	out := make(map[T]int, len(items))
	for _, item := range items {
		out[item]++
	}
	return out
}

// spaced are the tokens of a text with a space between them, and none in them.
func spaced(c *code) string {
	words := make([]string, len(c.tokens))
	for i, token := range c.tokens {
		words[i] = strings.Join(strings.Fields(token), "␣")
	}
	return strings.Join(words, " ")
}

// weighted is CodeBLEU.Weighted.
func weighted(answer, target *code) float64 {
	var sum float64
	for n := 1; n <= 4; n++ {
		left := counts(ngrams(answer.tokens, n))
		var found, all float64
		for i, gram := range ngrams(target.tokens, n) {
			weight := 1.
			if n == 1 && !target.keywords[i] {
				weight = otherWeight
			}
			all += weight
			if left[gram]--; left[gram] >= 0 {
				found += weight
			}
		}
		if n == 1 && found == 0 {
			return 0
		}
		sum += math.Log(cmp.Or(found, smoothing) / cmp.Or(all, 1))
	}
	return math.Exp(sum/4 + min(0, 1-float64(len(target.tokens))/float64(len(answer.tokens))))
}

// ngrams are the runs of n words, as texts.
func ngrams(words []string, n int) (out []string) {
	for i := 0; i+n <= len(words); i++ {
		out = append(out, strings.Join(words[i:i+n], tokenMark))
	}
	return out
}
