package refmetrics

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"crscore/sts"
)

// bertscoreInfo is BERTScore. Its numbers are those of bert-score 0.3.13 for the same
// vectors. A token whose best cosine is negative counts 0: so it does there in each text
// that is padded, and F is in no range otherwise.
func bertscoreInfo() Info {
	return Info{
		Name: "bertscore", About: "how well each token matches a token of the other text, by vectors in context",
		Source: "Zhang et al. 2020, eq. 1-3, cosines below 0 as 0; with each reference by itself, the best",
		Max:    1, Encoder: true, build: newBERTScore,
		fits: func(e *sts.ModelEncoder) error {
			if e.Static() {
				return errors.New("bertscore needs a model that reads each token in its context, and the vectors of this one " +
					"are static: ask for greedy-matching, or name an ONNX model with --encoder")
			}
			return nil
		},
	}
}

func newBERTScore(o *options, n Needs) (Metric, error) {
	layer := sts.LastLayer
	if text := o.take("layer", "last", "last|N"); text != "last" {
		v, err := strconv.Atoi(text)
		if err != nil || v < 0 {
			return nil, fmt.Errorf("the option layer is %q: it must be last, or the number of a layer from 0", text)
		}
		layer = v
	}
	m := greedy{
		value:  o.choice("value", "f", "p", "r"),
		ignore: o.choice("specials", "match", "ignore") == "ignore",
	}
	// bert-score has it for RoBERTa, whose tokens of a first word are others without it.
	if o.yes("prefix-space", false) {
		m.prefix = " "
	}
	var err error
	if text := o.take("baseline", "no", "no|P/R/F"); text != "no" {
		if m.baseline, err = baseline(text, m.value); err != nil {
			return nil, err
		}
	}
	return m.with(o, n, layer)
}

// baseline reads P/R/F and returns the number for a value.
func baseline(text, value string) (float64, error) {
	parts := strings.Split(text, "/")
	numbers := make([]float64, len(parts))
	for i, part := range parts {
		b, err := strconv.ParseFloat(part, 64)
		if err != nil || !(b >= 0 && b < 1) || len(parts) != 3 {
			return 0, fmt.Errorf("the option baseline is %q: it must be no, or P/R/F, "+
				"each from 0 to below 1, such as .6666/.6666/.6662", text)
		}
		numbers[i] = b
	}
	return numbers[strings.Index("prf", value)], nil
}

// greedyInfo is greedy matching of words by static vectors.
func greedyInfo() Info {
	return Info{
		Name: "greedy-matching", About: "how well each word matches a word of the other text, by static vectors",
		Source: "Rus and Lintean 2012: the mean of both directions, cosines below 0 as 0; " +
			"with each reference by itself, the best",
		Max: 1, Encoder: true,
		fits: func(e *sts.ModelEncoder) error {
			if !e.Static() {
				return errors.New("greedy-matching needs static vectors, as the built-in encoder has: " +
					"with this encoder ask for bertscore")
			}
			return nil
		},
		build: func(o *options, n Needs) (Metric, error) {
			m := greedy{value: o.choice("value", "mean", "p", "r", "f")}
			return m.with(o, n, sts.LastLayer)
		},
	}
}

// greedy matches each token with the most similar token of the other text. An empty text scores 0. The cost of a pair is the product of the numbers of
// its tokens, of which sts reads at most 512 a text.
type greedy struct {
	tokens   tokenSource
	value    string
	ignore   bool    // special tokens are not matched
	prefix   string  // what is put before every text
	baseline float64 // scores are (x-b)/(1-b)
	idf      *idf    // nil: tokens weigh the same
}

// tokenSource is an *sts.TokenEncoder.
type tokenSource interface {
	Encode(ctx context.Context, texts []string) ([]sts.TokenVectors, error)
	IDs(text string) []int
}

// with is the metric with the tokens of a layer and the option idf. It is an Observer only
// where it needs to see the references.
func (m greedy) with(o *options, n Needs, layer int) (Metric, error) {
	tokens, err := n.Encoder.TokenEncoder(layer)
	if err != nil {
		return nil, err
	}
	m.tokens = tokens
	weighed := o.yes("idf", false)
	o.noteEncoder(tokens.Signature())
	o.unseen(n)
	if weighed {
		m.idf = &idf{df: map[int]int{}}
		return greedyIDF{m}, nil
	}
	return m, nil
}

func (m greedy) min() float64 { return m.rescale(0) }

func (m greedy) rescale(x float64) float64 { return (x - m.baseline) / (1 - m.baseline) }

// Score implements Metric.
func (m greedy) Score(ctx context.Context, hypothesis string, references []string) (float64, error) {
	texts := []string{m.tidy(hypothesis)}
	for _, ref := range references {
		texts = append(texts, m.tidy(ref))
	}
	vectors, err := m.tokens.Encode(ctx, texts)
	if err != nil {
		return 0, err
	}
	sides := make([]side, len(vectors))
	for i, v := range vectors {
		if sides[i], err = m.side(v); err != nil {
			return 0, err
		}
	}
	i := 0
	return best(Info{}, references, func(string) (float64, error) {
		i++
		p, r, err := match(sides[0], sides[i])
		return m.rescale(combine(m.value, p, r)), err
	})
}

func (m greedy) sees(ctx context.Context, text string) (bool, error) {
	vectors, err := m.tokens.Encode(ctx, []string{m.tidy(text)})
	if err != nil {
		return false, err
	}
	s, err := m.side(vectors[0])
	return len(s.vectors) > 0, err
}

// tidy trims a text as bert-score does.
func (m greedy) tidy(text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return m.prefix + text
}

// combine is a value of P and R: one of them, their mean or their harmonic mean.
func combine(value string, p, r float64) float64 {
	switch {
	case value == "p":
		return p
	case value == "r":
		return r
	case value == "mean":
		return (p + r) / 2
	case p+r == 0:
		return 0
	}
	return 2 * p * r / (p + r)
}

// side is a text for matching: vectors with what they weigh in the mean.
type side struct {
	vectors [][]float32
	lengths []float64 // squares
	weights []float64
}

// side weighs the tokens of a text. A vector of zeros stands for an unknown word, which is
// left out.
func (m greedy) side(v sts.TokenVectors) (side, error) {
	var s side
	words, weighed := false, false
	for i, vector := range v.Vectors {
		length := float64(sts.Dot(vector, vector))
		if length == 0 || v.Special[i] && m.ignore {
			continue
		}
		weight := 1.0
		if m.idf != nil {
			weight = m.idf.weight(v.IDs[i])
		}
		if v.Special[i] {
			weight = 0
		} else {
			words, weighed = true, weighed || weight > 0
		}
		s.vectors, s.lengths, s.weights = append(s.vectors, vector), append(s.lengths, length), append(s.weights, weight)
	}
	if !words {
		return side{}, nil
	}
	if !weighed {
		return side{}, fmt.Errorf("every token of a text has the idf 0, by %d references: there is nothing to weigh", m.idf.n)
	}
	return s, nil
}

// match is BERTScore's P and R (Zhang et al. 2020, eq. 1-3): the weighted means over h of
// the best cosine in r, and over r in h. Without vectors on a side both are 0.
func match(h, r side) (p, rec float64, err error) {
	bestH, bestR := make([]float64, len(h.vectors)), make([]float64, len(r.vectors))
	for i, a := range h.vectors {
		for j, b := range r.vectors {
			// With the lengths by the same sums, equal vectors have the cosine 1 exactly.
			c := min(float64(sts.Dot(a, b))/math.Sqrt(h.lengths[i]*r.lengths[j]), 1)
			bestH[i], bestR[j] = max(bestH[i], c), max(bestR[j], c)
		}
	}
	p, rec = mean(bestH, h.weights), mean(bestR, r.weights)
	if math.IsNaN(p) || math.IsNaN(rec) {
		return 0, 0, errors.New("a vector of a token is not finite (NaN or infinite)")
	}
	return p, rec, nil
}

// mean is weighted; of nothing it is 0.
func mean(values, weights []float64) float64 {
	var sum, total float64
	for i, v := range values {
		if weights[i] > 0 {
			sum += weights[i] * v
			total += weights[i]
		}
	}
	if total == 0 {
		return 0
	}
	return sum / total
}

// greedyIDF is greedy with weights of tokens from the references.
type greedyIDF struct{ greedy }

// Observe implements Observer.
func (m greedyIDF) Observe(references []string) {
	for _, ref := range references {
		m.idf.n++
		ids := m.tokens.IDs(m.tidy(ref))
		slices.Sort(ids)
		for _, id := range slices.Compact(ids) {
			m.idf.df[id]++
		}
	}
}

// idf counts the references that have a token. It grows to the size of the vocabulary.
type idf struct {
	n  int
	df map[int]int
}

// weight is ln((N+1)/(df+1)), as in bert-score (Zhang et al. 2020, section 3, with plus-one
// smoothing).
func (d *idf) weight(id int) float64 {
	return math.Log(float64(d.n+1) / float64(d.df[id]+1))
}
