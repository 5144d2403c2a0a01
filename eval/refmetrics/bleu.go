package refmetrics

import (
	"context"
	"math"
)

// bleuOrder is the length of the longest n-grams of BLEU.
const bleuOrder = 4

// bleuInfo is BLEU with the tokenizers, the smoothing and the numbers of sacreBLEU.
func bleuInfo() Info {
	return Info{
		Name: "bleu", About: "n-grams of the review that a reference has, n from 1 to 4",
		Source: "Papineni et al. 2002, Post 2018; sacrebleu 2.6.0",
		Max:    100,
		build:  newBLEU,
	}
}

type bleu struct {
	tokens   tokenizer
	smooth   string
	value    float64 // of the smoothing floor or add-k
	order    string  // effective: yes, no, nltk
	overlaps *overlaps
}

func newBLEU(o *options, _ Needs) (Metric, error) {
	m := &bleu{overlaps: newOverlaps()}
	switch o.choice("tok", "13a", "intl", "none") {
	case "intl":
		m.tokens = tokensIntl()
	case "none":
		m.tokens = func(list []string, text string) []string { return append(list, fields(text)...) }
	default:
		m.tokens = tokens13a()
	}
	m.smooth = o.choice("smooth", "exp", "floor", "add-k", "none")
	switch m.smooth {
	case "floor":
		m.value = o.number("value", 0.1, 0, 1)
	case "add-k":
		m.value = o.number("value", 1, 0, 1000)
	}
	m.order = o.choice("eff", "yes", "no", "nltk")
	if o.choice("case", "mixed", "lc") == "lc" {
		cased := m.tokens
		m.tokens = func(list []string, text string) []string { return cased(list, lower(text)) }
	}
	return m, nil
}

func (m *bleu) Score(_ context.Context, hypothesis string, references []string) (float64, error) {
	s := bleuSums{metric: m}
	err := s.Add(hypothesis, references)
	return s.Score(), err
}

// NewCorpus implements CorpusMetric.
func (m *bleu) NewCorpus() Corpus { return &bleuSums{metric: m} }

// bleuSums has what BLEU sums over the pairs of a corpus, by the order of the n-grams.
type bleuSums struct {
	metric          *bleu
	matches, totals [bleuOrder]float64
	hyp, ref        int // tokens
}

func (s *bleuSums) Add(hypothesis string, references []string) error {
	o := s.metric.overlaps.get()
	defer s.metric.overlaps.done(o)
	o.words(s.metric.tokens, hypothesis, references...)
	var matches [bleuOrder]int
	o.matches(matches[:])
	for n, count := range matches {
		s.matches[n] += float64(count)
		s.totals[n] += float64(o.count(0, n+1))
	}
	length := o.count(0, 1)
	s.hyp += length
	// The closest length, and of two the shorter.
	s.ref += o.refLength(func(a, b int) bool {
		near, nearest := distance(a, length), distance(b, length)
		return near < nearest || near == nearest && a < b
	})
	return nil
}

func distance(a, b int) int { return max(a-b, b-a) }

// Score is BP·exp(Σ log pₙ/N) of Papineni et al. 2002, with the smoothing methods of
// Chen and Cherry 2014 as sacreBLEU has them. N is the highest order that the hypothesis
// reaches with the effective order, else 4. NLTK counts one n-gram, which does not match, of an
// order that the hypothesis does not reach.
func (s *bleuSums) Score() float64 {
	m := s.metric
	if s.matches == [bleuOrder]float64{} {
		return 0
	}
	var sum float64
	halves, reached := 1.0, 0
	for n := range bleuOrder {
		matches, total := s.matches[n], s.totals[n]
		if m.smooth == "add-k" && n > 0 {
			matches += m.value
			total += m.value
		}
		if total == 0 && m.order == "nltk" {
			total = 1
		}
		if total == 0 {
			break
		}
		reached++
		if matches == 0 {
			switch m.smooth {
			case "exp":
				halves *= 2
				matches = 1 / halves
			case "floor":
				matches = m.value
			}
		}
		sum += math.Log(matches / total) // -Inf without smoothing: the score is 0
	}
	if m.order == "no" && reached < bleuOrder {
		return 0
	}
	if s.hyp < s.ref {
		sum += float64(reached) * (1 - float64(s.ref)/float64(s.hyp))
	}
	return 100 * math.Exp(sum/float64(reached))
}
