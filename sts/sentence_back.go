package sts

import "strings"

// backShare is the share of a similarity that a sentence takes over from the one
// that it points back to. Between 0.5 and 1 it hardly matters (the built-in model's
// card has the figures). Signatures have it as the splitter's version, so another
// share is another version.
const backShare = 0.8

// CarryBack gives the sentences that point back their part in what they point to:
// "It is never closed." is about what the sentence before it is about, and shares
// no word with a reference. The similarity to each reference is at least four
// fifths of that of the sentence before; along a chain it fades. sim[i][j] is the similarity of
// sentence i of one review and reference j, and is changed in place.
func CarryBack(sentences []Sentence, sim [][]float32) {
	for i := 1; i < len(sentences); i++ {
		if !sentences[i].Back {
			continue
		}
		for j, before := range sim[i-1] {
			sim[i][j] = max(sim[i][j], backShare*before)
		}
	}
}

// pointsBack tells whether a sentence that follows another begins with what
// stands for something said before: a pronoun, by itself or after a word that
// ties sentences together.
func pointsBack(text string) bool {
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
