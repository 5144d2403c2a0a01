package bench

import (
	"context"
	"fmt"

	"crscore/sts"
)

// DefaultTheta is the threshold of STS. Of 448 pairs of different comments of AACR-Bench within one
// line of each other it takes 14% for the same; .25 takes 29%, .35 takes 5%.
const DefaultTheta = 0.3

// UnplacedTheta is the threshold of STS for pairs whose places were not compared: of pairs that
// judges labelled it has the highest κ, in steps of .05.
const UnplacedTheta = 0.25

// STS is the matcher by textual similarity, without a model of its own:
//
//	s(g, r) = ½ · max over sentences of g: sim(sentence, r) + ½ · max over sentences of r: sim(sentence, g)
//
// Both are the same where s ≥ Theta. A text without sentences has the score 0, and equal texts with
// sentences have 1.
type STS struct {
	// Similarity compares a sentence with a whole text, in [0,1].
	Similarity sts.Similarity
	// Splitter finds the sentences.
	Splitter sts.Splitter
	// Theta is in [0,1].
	Theta float64
}

// Signature implements Matcher.
func (m STS) Signature() string {
	return fmt.Sprintf("matcher=sts/1 theta=%v %s splitter=%s", m.Theta, m.Similarity.Signature(), m.Splitter.Signature())
}

// Match implements Matcher. Texts that meet each other, directly or through others, are compared
// in one matrix, so that each is encoded once.
func (m STS) Match(ctx context.Context, pairs []Pair) ([]Verdict, error) {
	out := make([]Verdict, len(pairs))
	for _, group := range connected(pairs) {
		generated, references := newTexts(m.Splitter), newTexts(m.Splitter)
		for _, i := range group {
			generated.add(pairs[i].Generated)
			references.add(pairs[i].Reference)
		}
		there, err := m.Similarity.Matrix(ctx, generated.sentences, references.whole)
		if err != nil {
			return nil, fmt.Errorf("comparing comments with references: %w", err)
		}
		back, err := m.Similarity.Matrix(ctx, references.sentences, generated.whole)
		if err != nil {
			return nil, fmt.Errorf("comparing references with comments: %w", err)
		}
		for _, i := range group {
			g, r := generated.at[pairs[i].Generated], references.at[pairs[i].Reference]
			if pairs[i].Generated == pairs[i].Reference && references.spans[r][0] < references.spans[r][1] {
				out[i] = Verdict{Score: 1, Same: true}
				continue
			}
			s := (best(there, generated.spans[g], r) + best(back, references.spans[r], g)) / 2
			out[i] = Verdict{Score: s, Same: s >= m.Theta}
		}
	}
	return out, nil
}

// best is the largest similarity of some sentences to a text.
func best(matrix [][]float32, sentences [2]int, text int) (s float64) {
	for _, row := range matrix[sentences[0]:sentences[1]] {
		s = max(s, float64(row[text]))
	}
	return s
}

// texts are distinct texts and their sentences.
type texts struct {
	splitter  sts.Splitter
	at        map[string]int
	whole     []string
	sentences []string
	spans     [][2]int // of each text's sentences
}

func newTexts(splitter sts.Splitter) *texts { return &texts{splitter: splitter, at: map[string]int{}} }

func (t *texts) add(text string) {
	if _, known := t.at[text]; known {
		return
	}
	t.at[text] = len(t.whole)
	t.whole = append(t.whole, text)
	from := len(t.sentences)
	for _, s := range t.splitter.Split(text) {
		t.sentences = append(t.sentences, s.Text)
	}
	t.spans = append(t.spans, [2]int{from, len(t.sentences)})
}

// connected parts pairs into groups that share no text, in the order of their first pairs.
func connected(pairs []Pair) [][]int {
	parent := make([]int, len(pairs))
	root := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	first := [2]map[string]int{{}, {}}
	for i, p := range pairs {
		parent[i] = i
		for side, text := range [2]string{p.Generated, p.Reference} {
			if j, ok := first[side][text]; ok {
				a, b := root(i), root(j)
				parent[max(a, b)] = min(a, b)
			} else {
				first[side][text] = i
			}
		}
	}
	var out [][]int
	place := map[int]int{}
	for i := range pairs {
		r := root(i)
		k, ok := place[r]
		if !ok {
			k = len(out)
			place[r], out = k, append(out, nil)
		}
		out[k] = append(out[k], i)
	}
	return out
}
