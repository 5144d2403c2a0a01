package revision

import (
	"math"
	"strconv"
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

// codeBLEU compares an answer with a target. With compat, what the target has nothing for counts as 0.
func (s *Scorer) codeBLEU(answer, target *code) (CodeBLEU, error) {
	ngram, err := s.bleu4(spaced(answer), spaced(target))
	if err != nil {
		return CodeBLEU{}, err
	}
	out := CodeBLEU{NGram: ngram, Weighted: weighted(answer, target)}
	kinds := map[string]int{}
	found := map[int]bool{}
	for _, tree := range subtrees(answer.root, kinds) {
		found[tree] = true
	}
	trees, same := subtrees(target.root, kinds), 0
	for _, tree := range trees {
		if found[tree] {
			same++
		}
	}
	out.Syntax = share(same, len(trees))
	items := dataFlow(target.root)
	out.DataFlow = share(common(counts(dataFlow(answer.root)), counts(items)), len(items))
	sum, parts := out.NGram+out.Weighted, 2
	for _, part := range []*float64{out.Syntax, out.DataFlow} {
		if part != nil {
			sum += *part
		}
		if part != nil || s.compat != nil {
			parts++
		}
	}
	out.Score = sum / float64(parts)
	return out, nil
}

func share(part, all int) *float64 {
	if all == 0 {
		return nil
	}
	v := float64(part) / float64(all)
	return &v
}

// spaced are the tokens of a text with a space between them, and none in them.
func spaced(c *code) string {
	words := make([]string, len(c.tokens))
	for i, token := range c.tokens {
		words[i] = strings.Join(strings.Fields(token), "␣")
	}
	return strings.Join(words, " ")
}

// counts counts texts.
func counts(texts []string) map[string]int {
	out := make(map[string]int, len(texts))
	for _, s := range texts {
		out[s]++
	}
	return out
}

// common is the number of texts that both have.
func common(a, b map[string]int) (n int) {
	for s, count := range a {
		n += min(count, b[s])
	}
	return n
}

// weighted is CodeBLEU.Weighted.
func weighted(answer, target *code) float64 {
	left := counts(answer.tokens)
	var found, all float64
	for i, token := range target.tokens {
		weight := otherWeight
		if target.keywords[i] {
			weight = 1
		}
		all += weight
		if left[token]--; left[token] >= 0 {
			found += weight
		}
	}
	if found == 0 {
		return 0
	}
	sum := math.Log(found / all)
	for n := 2; n <= 4; n++ {
		of := ngrams(target.tokens, n)
		same := float64(common(counts(ngrams(answer.tokens, n)), counts(of)))
		if same == 0 {
			same = smoothing
		}
		sum += math.Log(same / float64(max(1, len(of))))
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

// subtrees numbers the nodes with children by their form: the kinds of the named nodes in them. kinds has
// the numbers that are known.
func subtrees(n *node, kinds map[string]int) (out []int) {
	var number func(n *node) int
	number = func(n *node) int {
		var key strings.Builder
		key.WriteString(n.kind)
		for _, k := range n.kids {
			if k.named {
				key.WriteString(" " + strconv.Itoa(number(k)))
			}
		}
		at, ok := kinds[key.String()]
		if !ok {
			at = len(kinds)
			kinds[key.String()] = at
		}
		if len(n.kids) > 0 {
			out = append(out, at)
		}
		return at
	}
	for _, k := range n.kids {
		number(k)
	}
	return out
}
