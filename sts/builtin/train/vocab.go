package main

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// vocabulary maps words to tokens: whole words, and with pieces also the ends of
// rare words, as "##" tokens.
type vocabulary struct {
	tokens []string  // by token id
	idf    []float32 // by token id, about 1 in the mean
	byWord [][]int32 // by wordID; nil for a word that is unknown
}

// maxWordChars is the length, in bytes, from which the tokenizer calls a word
// unknown (max_input_chars_per_word).
const maxWordChars = 100

// newVocabulary takes the size most frequent words of the repositories, pieces of
// them being continuations. Frequency is the number of commits with the word, and
// a token in fewer than minCommits says nothing.
func newVocabulary(c *corpus, repos []repository, size, pieces, minCommits int) *vocabulary {
	counts := make([]int, len(c.words))
	commits := 0
	seen := make([]int, len(c.words))
	for _, repo := range repos {
		for _, commit := range repo.commits {
			commits++
			for _, text := range append(slices.Clone(commit.sentences), commit.diff) {
				for _, w := range text {
					if seen[w] != commits {
						seen[w] = commits
						counts[w]++
					}
				}
			}
		}
	}
	order := make([]wordID, 0, len(c.words))
	for w, n := range counts {
		if n >= minCommits && len(c.words[w]) <= maxWordChars {
			order = append(order, wordID(w))
		}
	}
	slices.SortFunc(order, func(a, b wordID) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(c.words[a], c.words[b]))
	})

	v := &vocabulary{tokens: []string{padToken, unkToken}}
	whole := order[:min(len(order), size-pieces-len(v.tokens))]
	ids := map[string]int32{}
	add := func(token string) {
		if _, ok := ids[token]; !ok {
			ids[token] = int32(len(v.tokens))
			v.tokens = append(v.tokens, token)
		}
	}
	for _, w := range whole {
		add(c.words[w])
	}
	if pieces > 0 {
		for _, p := range continuations(c, counts, ids, pieces-2*len(alphabet)) {
			add(p)
		}
		// Single characters, so that no ASCII word is unknown.
		for _, ch := range alphabet {
			add(string(ch))
			add("##" + string(ch))
		}
	}

	v.byWord = make([][]int32, len(c.words))
	tokenCounts := make([]int, len(v.tokens))
	for w, word := range c.words {
		v.byWord[w] = wordPieces(word, ids)
		for _, t := range v.byWord[w] {
			tokenCounts[t] += counts[w]
		}
	}
	v.idf = make([]float32, len(v.tokens))
	var sum float64
	for t := range v.tokens {
		idf := math.Log(float64(commits+1) / float64(min(tokenCounts[t], commits)+1))
		v.idf[t] = float32(max(idf, 0.1))
		sum += float64(v.idf[t])
	}
	for t := range v.idf {
		v.idf[t] *= float32(float64(len(v.idf)) / sum)
	}
	return v
}

const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789"

// continuations are the n most frequent ends, of at most 8 bytes, that rare words
// have after a prefix that is a word. Every end counts, not only the one after
// the longest prefix, so that related words share pieces.
func continuations(c *corpus, counts []int, words map[string]int32, n int) []string {
	ends := map[string]int{}
	for w, word := range c.words {
		if _, known := words[word]; known || counts[w] == 0 || len(word) > maxWordChars {
			continue
		}
		for i := len(word) - 1; i >= 2 && len(word)-i <= 8; i-- {
			if !utf8.RuneStart(word[i]) {
				continue
			}
			if _, ok := words[word[:i]]; ok {
				ends["##"+word[i:]] += counts[w]
			}
		}
	}
	list := make([]string, 0, len(ends))
	for e := range ends {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b string) int {
		return cmp.Or(cmp.Compare(ends[b], ends[a]), strings.Compare(a, b))
	})
	return list[:min(len(list), max(0, n))]
}

// wordPieces cuts a word greedily into the longest tokens, as the exported
// tokenizer does; nil when that fails, which makes the word unknown. A test
// compares the two.
func wordPieces(word string, ids map[string]int32) []int32 {
	if len(word) > maxWordChars {
		return nil
	}
	var out []int32
	for start := 0; start < len(word); {
		end := len(word)
		for end > start {
			piece := word[start:end]
			if start > 0 {
				piece = "##" + piece
			}
			if id, ok := ids[piece]; ok {
				out = append(out, id)
				break
			}
			end--
			for end > start && !utf8.RuneStart(word[end]) {
				end--
			}
		}
		if end == start {
			return nil
		}
		start = end
	}
	return out
}

// tokensOf are the tokens of a text that are pooled: those of its known words
// without the stop words, or with them when there is nothing else.
func (v *vocabulary) tokensOf(c *corpus, words []wordID) []int32 {
	var out []int32
	for _, withStop := range []bool{false, true} {
		for _, w := range words {
			if !c.stop[w] || withStop {
				out = append(out, v.byWord[w]...)
			}
		}
		if len(out) > 0 || c.content(words) > 0 {
			break
		}
	}
	return out
}
