package sts

import "strings"

// anaphoraShare is the share of a similarity that an anaphoric sentence takes over from
// the sentence before it. Between 0.5 and 1 it hardly matters (the built-in model's
// card has the figures). The splitter's version in signatures covers it, so another
// share needs another version.
const anaphoraShare = 0.8

// CarryAnaphora raises the similarities of anaphoric sentences: "It is never closed."
// is about the subject of the sentence before it, but shares no word with a reference.
// Its similarity to each reference becomes at least 0.8 of the previous sentence's
// similarity; along a chain the share shrinks. sim[i][j] is the similarity of sentence
// i of one review to reference j, and is changed in place.
func CarryAnaphora(sentences []Sentence, sim [][]float32) {
	for i := 1; i < len(sentences); i++ {
		if !sentences[i].Anaphoric {
			continue
		}
		for j, before := range sim[i-1] {
			sim[i][j] = max(sim[i][j], anaphoraShare*before)
		}
	}
}

// Carried reports whether CarryAnaphora raised sim[i][j].
func Carried(sentences []Sentence, sim [][]float32, i, j int) bool {
	return i > 0 && sentences[i].Anaphoric && sim[i-1][j] > 0 && sim[i][j] == anaphoraShare*sim[i-1][j]
}

// isAnaphoric reports whether a sentence begins with a word for something that was said
// before: a pronoun, alone or after a word that connects sentences.
func isAnaphoric(text string) bool {
	tied, bound := false, false
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ' ' || r == ',' || r == '(' || r == '"' || r == '*' }) {
		switch strings.ReplaceAll(strings.ToLower(strings.TrimRight(word, ".:;!?)")), "’", "'") {
		case "it", "its", "it's", "it'll", "they", "they're", "their", "them", "this", "these", "those",
			"that", "that's", "that'll", "otherwise":
			return true
		case "so", "not":
			if bound { // "if not"; a bare "so" ties
				return true
			}
			tied = true
		case "also", "additionally", "and", "but", "or", "because", "however", "then", "therefore", "instead", "moreover", "furthermore", "overall":
			if tied || bound {
				return false
			}
			tied = true
		case "if", "when", "while", "since", "as", "in", "on", "with", "without", "for", "from", "by", "to", "after", "before":
			if bound {
				return false
			}
			bound = true
		default:
			return false
		}
	}
	return false
}
