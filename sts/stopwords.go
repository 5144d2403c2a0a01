package sts

import "strings"

// nltkEnglish is the NLTK English stop word list, 179 words, all in lower case.
// Its bytes are pinned by a test: another list is another metric.
const nltkEnglish = `
i me my myself we our ours ourselves you you're you've you'll you'd your yours yourself yourselves
he him his himself she she's her hers herself it it's its itself they them their theirs themselves
what which who whom this that that'll these those am is are was were be been being have has had
having do does did doing a an the and but if or because as until while of at by for with about
against between into through during before after above below to from up down in out on off over
under again further then once here there when where why how all any both each few more most other
some such no nor not only own same so than too very s t can will just don don't should should've now
d ll m o re ve y ain aren aren't couldn couldn't didn didn't doesn doesn't hadn hadn't hasn hasn't
haven haven't isn isn't ma mightn mightn't mustn mustn't needn needn't shan shan't shouldn shouldn't
wasn wasn't weren weren't won won't wouldn wouldn't
`

// StopWords is the set of tokens that pooling leaves out: the NLTK English stop
// words (179 words) and the tokens "." and ",", as in CRScore (Naik et al.,
// 2024, section 3.3). It is read-only and safe for concurrent use. The zero
// value is the empty set.
type StopWords struct {
	words map[string]struct{}
}

// NLTKEnglish returns the 179 stop words of NLTK for English.
func NLTKEnglish() []string { return strings.Fields(nltkEnglish) }

// NewStopWords returns the metric's stop words.
func NewStopWords() StopWords {
	list := append(NLTKEnglish(), ".", ",")
	words := make(map[string]struct{}, len(list))
	for _, w := range list {
		words[w] = struct{}{}
	}
	return StopWords{words: words}
}

// Contains reports whether word is a stop word. The comparison is exact and the
// list is in lower case, so a caller with cased tokens lowers them first. Words
// with an apostrophe ("don't") are listed whole, and so are the parts that
// tokenizers cut them into ("don", "t").
func (s StopWords) Contains(word string) bool {
	_, ok := s.words[word]
	return ok
}

// Len is the number of words in the set.
func (s StopWords) Len() int { return len(s.words) }
