package sts

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"crscore/sts/internal/limits"
)

// Lexicon says how rare words are: in how many sentences of a large collection each word
// occurs. Words are stems, as CodeWords returns them. A Lexicon is read-only and safe for
// concurrent use.
type Lexicon struct {
	idf    map[string]float32
	unseen float32
	sum    string // first digits of the table's SHA-256
}

// ParseLexicon reads a table of words: the number of sentences on the first line,
// then a word, a tab and the number of sentences with the word on each line. The error
// names the broken line.
func ParseLexicon(table []byte) (*Lexicon, error) {
	first, rest, _ := bytes.Cut(table, []byte("\n"))
	sentences, err := strconv.Atoi(string(first))
	if err != nil || sentences < 1 || sentences > math.MaxInt32 {
		return nil, fmt.Errorf("line 1: %q is not the number of sentences", first)
	}
	// The table's text stays as one string, of which the words are parts.
	lines := string(rest)
	n := strings.Count(lines, "\n")
	if n > limits.LexiconWords {
		return nil, fmt.Errorf("%d words are more than the limit of %d", n, limits.LexiconWords)
	}
	l := &Lexicon{idf: make(map[string]float32, n), unseen: idf(sentences, 0), sum: fmt.Sprintf("%x", sha256.Sum256(table))[:12]}
	before, value := 0, float32(0) // many words in a row have one number
	for line := 2; lines != ""; line++ {
		var row string
		row, lines, _ = strings.Cut(lines, "\n")
		word, count, ok := strings.Cut(row, "\t")
		with, err := strconv.Atoi(count)
		if !ok || word == "" || err != nil || with < 1 || with > sentences {
			return nil, fmt.Errorf("line %d: %q is not a word, a tab and a number from 1 to %d", line, row, sentences)
		}
		if with != before {
			before, value = with, idf(sentences, with)
		}
		if l.idf[word] = value; len(l.idf) != line-1 {
			return nil, fmt.Errorf("line %d: the word %q occurs twice", line, word)
		}
	}
	if len(l.idf) == 0 {
		return nil, errors.New("the table has no words")
	}
	return l, nil
}

// minIDF is the idf of the most frequent words, which would be 0 or negative.
const minIDF = 0.1

func idf(sentences, with int) float32 {
	return float32(max(math.Log(float64(sentences+1)/float64(with+1)), minIDF))
}

// IDF is the word's inverse document frequency, ln((N+1)/(n+1)) for n of N
// sentences, and at least 0.1; a word that is not in the table counts as n = 0.
func (l *Lexicon) IDF(word string) float32 {
	if v, ok := l.idf[word]; ok {
		return v
	}
	return l.unseen
}

// Signature names the table by its checksum.
func (l *Lexicon) Signature() string { return "idf@sha256:" + l.sum }
