package refmetrics

import (
	"context"
	"strconv"
	"strings"
	"sync"
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
	counters     sync.Pool // of *gramCounter
}

func newChrf(o *options, words ...string) (Metric, error) {
	m := &chrf{counters: sync.Pool{New: func() any { return newGramCounter() }}}
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

// chrfStats are the counts of characters, from 1 to chrfChars at a time, then those of words.
type chrfStats [chrfChars + chrfWords]gramStats

// stats returns the counts of the reference with the best score, of the first such reference.
func (m *chrf) stats(hypothesis string, references []string) chrfStats {
	c := m.counters.Get().(*gramCounter)
	var out chrfStats
	high := -1.0
	for _, ref := range references {
		var s chrfStats
		c.hyp, c.ref = appendChars(c.hyp[:0], hypothesis), appendChars(c.ref[:0], ref)
		c.count(s[:m.chars])
		if m.words > 0 {
			c.setWords(hypothesis, ref)
			c.count(s[chrfChars:][:m.words])
		}
		if f := m.f(&s); f > high {
			out, high = s, f
		}
	}
	if cap(c.slots) <= 1<<16 { // else texts after a very long text would pay for its memory
		m.counters.Put(c)
	}
	return out
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

// appendChars appends the characters of a text that are no white space.
func appendChars(to []int32, text string) []int32 {
	for _, r := range text {
		if !isSpace(r) {
			to = append(to, r)
		}
	}
	return to
}

// setWords numbers the words of two texts. Equal words have equal numbers.
func (c *gramCounter) setWords(hypothesis, ref string) {
	clear(c.numbers)
	c.hyp, c.ref = c.appendWords(c.hyp[:0], hypothesis), c.appendWords(c.ref[:0], ref)
}

func (c *gramCounter) appendWords(to []int32, text string) []int32 {
	for _, word := range fields(text) {
		for _, part := range chrfSplit(word) {
			if part == "" {
				continue
			}
			n, ok := c.numbers[part]
			if !ok {
				n = int32(len(c.numbers))
				c.numbers[part] = n
			}
			to = append(to, n)
		}
	}
	return to
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
