package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// minSentences is how many sentences a word of the table is in at least: what is
// rarer counts as unseen, and a single author's slip is not a word.
const minSentences = 3

// wordTable counts in how many sentences each word occurs, stop words left out,
// in the format that sts.ParseLexicon reads, frequent words first.
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
