package refmetrics

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"
)

func chrfInfo() Info {
	return Info{
		Name: "chrf", About: "n-grams of characters that the texts share",
		Source: "chrF2: Popović (2015), as sacrebleu 2.6.0 has it",
		Max:    100,
		build:  func(o *options, _ Needs) (Metric, error) { return newChrf(o, "0", "1", "2") },
	}
}

func chrfPlusPlusInfo() Info {
	return Info{
		Name: "chrf++", About: "n-grams of characters and of words that the texts share",
		Source: "chrF2++: Popović (2017), as sacrebleu 2.6.0 has it",
		Max:    100,
		build:  func(o *options, _ Needs) (Metric, error) { return newChrf(o, "2", "0", "1") },
	}
}

// The longest n-grams.
const (
	chrfChars = 6
	chrfWords = 2
)

type chrf struct {
	chars, words int
	beta         float64
	overlaps     *overlaps
}

func newChrf(o *options, words ...string) (Metric, error) {
	m := &chrf{overlaps: newOverlaps()}
	// The choices are digits, and a wrong choice is an error that the options keep.
	m.chars, _ = strconv.Atoi(o.choice("chars", "6", "1", "2", "3", "4", "5"))
	m.words, _ = strconv.Atoi(o.choice("words", words...))
	m.beta = o.number("beta", 2, 0, 10)
	return m, nil
}

func (m *chrf) Score(_ context.Context, hypothesis string, references []string) (float64, error) {
	stats := m.stats(hypothesis, references)
	return m.f(&stats), nil
}

// gramStats are the numbers of n-grams of one length: those of both texts, and those that the
// texts share.
type gramStats struct{ hyp, ref, match int }

// chrfStats are the counts of characters, from 1 to chrfChars at a time, then those of words.
type chrfStats [chrfChars + chrfWords]gramStats

// stats returns the counts of the reference with the best score, of the first such reference.
func (m *chrf) stats(hypothesis string, references []string) chrfStats {
	o := m.overlaps.get()
	defer m.overlaps.done(o)
	var out chrfStats
	high := -1.0
	for _, ref := range references {
		var s chrfStats
		o.chars(hypothesis, ref)
		gramStatsOf(o, s[:m.chars])
		if m.words > 0 {
			o.words(chrfTokens, hypothesis, ref)
			gramStatsOf(o, s[chrfChars:][:m.words])
		}
		if f := m.f(&s); f > high {
			out, high = s, f
		}
	}
	return out
}

// gramStatsOf counts the n-grams of a pair, for each n from 1 to len(stats). As in sacrebleu,
// those of a hypothesis do not count where the reference has none.
func gramStatsOf(o *overlap, stats []gramStats) {
	var matches [chrfChars]int
	o.matches(matches[:len(stats)])
	for i := range stats {
		if ref := o.count(1, i+1); ref > 0 {
			stats[i] = gramStats{o.count(0, i+1), ref, matches[i]}
		}
	}
}

// f is (1+β²)·P·R / (β²·P+R), in percent. P and R are the means of the precisions and the
// recalls over the lengths of n-grams that both texts have.
func (m *chrf) f(stats *chrfStats) float64 {
	var p, r, n float64
	for _, s := range stats {
		if s.hyp > 0 && s.ref > 0 {
			p += float64(s.match) / float64(s.hyp)
			r += float64(s.match) / float64(s.ref)
			n++
		}
	}
	if p == 0 {
		return 0
	}
	p, r = p/n, r/n
	b := m.beta * m.beta
	return 100 * ((1 + b) * p * r / (float64(b*p) + r)) // the conversion: no fused operation
}

func (m *chrf) NewCorpus() Corpus { return &chrfCorpus{chrf: m} }

type chrfCorpus struct {
	*chrf
	sum chrfStats
}

func (c *chrfCorpus) Add(hypothesis string, references []string) error {
	for i, s := range c.stats(hypothesis, references) {
		c.sum[i].hyp += s.hyp
		c.sum[i].ref += s.ref
		c.sum[i].match += s.match
	}
	return nil
}

func (c *chrfCorpus) Score() float64 { return c.f(&c.sum) }

// chrfTokens is a tokenizer: it splits a text at white space, and words as chrfSplit does.
func chrfTokens(list []string, text string) []string {
	for _, word := range fields(text) {
		for _, part := range chrfSplit(word) {
			if part != "" {
				list = append(list, part)
			}
		}
	}
	return list
}

// chrfSplit cuts a punctuation mark off the end of a word, else off its front: "(see," gives
// "(see" and ",".
func chrfSplit(word string) [2]string {
	const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
	last := len(word) - 1
	switch {
	case utf8.RuneCountInString(word) < 2:
	case strings.IndexByte(punctuation, word[last]) >= 0:
		return [2]string{word[:last], word[last:]}
	case strings.IndexByte(punctuation, word[0]) >= 0:
		return [2]string{word[:1], word[1:]}
	}
	return [2]string{word}
}
