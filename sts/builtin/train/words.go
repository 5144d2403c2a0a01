package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// minSentences is the smallest number of sentences of a word in the table. Rarer words are
// slips of single authors, and as rare as an unseen word.
const minSentences = 3

// wordTable lists the number of sentences of each word without stop words, frequent words
// first, in the format of sts.ParseLexicon.
func (c *corpus) wordTable(repos []repository) []byte {
	counts := make([]int, len(c.words))
	last := make([]int, len(c.words)) // the last sentence that a word was counted in
	sentences := 0
	for _, repo := range repos {
		for _, commit := range repo.commits {
			for _, sentence := range commit.sentences {
				sentences++
				for _, w := range sentence {
					if last[w] != sentences {
						last[w] = sentences
						counts[w]++
					}
				}
			}
		}
	}
	var words []wordID
	for w, n := range counts {
		if n >= minSentences && !c.stop[w] {
			words = append(words, wordID(w))
		}
	}
	slices.SortFunc(words, func(a, b wordID) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(c.words[a], c.words[b]))
	})
	var out strings.Builder
	fmt.Fprintln(&out, sentences)
	for _, w := range words {
		fmt.Fprintf(&out, "%s\t%d\n", c.words[w], counts[w])
	}
	return []byte(out.String())
}
