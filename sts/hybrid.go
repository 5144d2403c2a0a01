package sts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"crscore/sts/internal/limits"
)

// Hybrid is a similarity of two kinds of evidence: the cosine of two texts' vectors,
// and the rare words that both texts have. The cosine finds other words for the same
// thing. Shared rare words find the names that a change is about, which no model has
// seen before.
//
// Four corrections lower the similarity of texts that repeat a change's words without
// talking about it: names without prose (CRScore, appendix E.1, finds inline code in
// 45% of the overrated reviews), a text that states nothing, a statement of the
// opposite, and a statement about other parts of the code.
type Hybrid struct {
	dense   Cosine
	lexicon *Lexicon
	weights HybridWeights
	stop    StopWords
	words   func(string) string // TextCodeStems
}

var _ Similarity = (*Hybrid)(nil)

// HybridWeights combine the evidence of a pair into its similarity:
//
//	s = (Dense·cosine + (1-Dense)·(words + Names·names)) · stated
//	s · (1 - Opposed·(2s)² if opposed, not below 0) · (1 - Elsewhere if elsewhere)
//
// The terms are the fields of Evidence. Every weight is in [0,1].
type HybridWeights struct {
	// Dense is the weight of the cosine against the overlap of words.
	Dense float64
	// Names is the weight of a shared word that is code in the sentence; a shared word
	// of prose has the weight 1.
	Names float64
	// Opposed is the share that a pair of similarity 0.5 loses when one of its texts is
	// negated and the other is not. A more similar pair loses much more: except for the
	// negation both texts say the same, so they contradict each other. A less similar
	// pair loses little.
	Opposed float64
	// Elsewhere is the share that a pair loses when both texts name parts of the
	// code, but no part is named in both.
	Elsewhere float64
}

// DefaultHybridWeights are the weights of the default engine with the built-in encoder.
// The model's card (builtin/README.md) says how they were found.
func DefaultHybridWeights() HybridWeights {
	return HybridWeights{Dense: 0.3, Names: 0.5, Opposed: 0.5, Elsewhere: 0.7}
}

// Check returns an error for a weight outside [0,1].
func (w HybridWeights) Check() error {
	for _, v := range []struct {
		name  string
		value float64
	}{{"dense", w.Dense}, {"names", w.Names}, {"opposed", w.Opposed}, {"elsewhere", w.Elsewhere}} {
		if !(v.value >= 0 && v.value <= 1) {
			return fmt.Errorf("the weight %s of the hybrid similarity is %v, but must be from 0 to 1", v.name, v.value)
		}
	}
	return nil
}

// Evidence is what Hybrid measures of a pair of texts before it applies the weights.
type Evidence struct {
	// Dense is the cosine of the two vectors, clamped at 0.
	Dense float32
	// Words and Names are the idf of the words that both texts have, divided by the
	// geometric mean of the idf of each text's words (Ochiai's coefficient). Words
	// covers the words of the sentence's prose, Names the words that only its code has.
	// Their sum is at most 1, and 0 for a text without words.
	Words, Names float32
	// Stated is how much of a statement the sentence is, in [0,1]: a list of names
	// or pasted code is none. It does not depend on the reference.
	Stated float32
	// Opposed reports that exactly one of the two texts is negated.
	Opposed bool
	// Elsewhere reports that both texts name parts of the code, but no part in common.
	Elsewhere bool
}

// Weigh combines the evidence into one similarity in [0,1].
func (w HybridWeights) Weigh(e Evidence) float32 {
	s := w.Dense*float64(e.Dense) + (1-w.Dense)*(float64(e.Words)+w.Names*float64(e.Names))
	s *= float64(e.Stated)
	if e.Opposed {
		s *= max(0, 1-w.Opposed*4*s*s)
	}
	if e.Elsewhere {
		s *= 1 - w.Elsewhere
	}
	return float32(min(max(s, 0), 1))
}

// NewHybrid makes a hybrid similarity.
func NewHybrid(encoder Encoder, lexicon *Lexicon, weights HybridWeights) (*Hybrid, error) {
	if encoder == nil || lexicon == nil {
		return nil, errors.New("a hybrid similarity needs an encoder and a lexicon")
	}
	if err := weights.Check(); err != nil {
		return nil, err
	}
	words, err := TextPreparation(TextCodeStems)
	if err != nil {
		return nil, err
	}
	return &Hybrid{dense: Cosine{Encoder: encoder}, lexicon: lexicon, weights: weights, stop: NewStopWords(), words: words}, nil
}

// Encoder returns the encoder of the cosine.
func (h *Hybrid) Encoder() Encoder { return h.dense.Encoder }

// Matrix implements Similarity.
func (h *Hybrid) Matrix(ctx context.Context, sentences, refs []string) ([][]float32, error) {
	m, err := h.dense.Matrix(ctx, sentences, refs)
	if err != nil {
		return nil, err
	}
	err = h.compare(ctx, m, sentences, refs, func(i, j int, e Evidence) { m[i][j] = h.weights.Weigh(e) })
	return m, err
}

// Evidence returns the evidence of every pair, one row a sentence, for studies and for
// the choice of weights.
func (h *Hybrid) Evidence(ctx context.Context, sentences, refs []string) ([][]Evidence, error) {
	m, err := h.dense.Matrix(ctx, sentences, refs)
	if err != nil {
		return nil, err
	}
	out := make([][]Evidence, len(sentences))
	for i := range out {
		out[i] = make([]Evidence, len(refs))
	}
	err = h.compare(ctx, m, sentences, refs, func(i, j int, e Evidence) { out[i][j] = e })
	return out, err
}

// compare calls each for every pair. dense[i][j] is read before each(i, j).
func (h *Hybrid) compare(ctx context.Context, dense [][]float32, sentences, refs []string, each func(i, j int, e Evidence)) error {
	numbers := make(map[string]int32)
	columns := make([]wordSet, len(refs))
	for j, text := range refs {
		columns[j] = h.wordSet(text, numbers)
	}
	for i, text := range sentences {
		if err := ctx.Err(); err != nil {
			return err
		}
		row := h.wordSet(text, numbers)
		for j := range columns {
			each(i, j, row.evidence(&columns[j], dense[i][j]))
		}
	}
	return nil
}

// evidence compares a sentence with a reference, whose vectors have the cosine dense.
func (s *wordSet) evidence(ref *wordSet, dense float32) Evidence {
	e := Evidence{Dense: dense, Stated: s.stated, Opposed: s.negated != ref.negated}
	e.Words, e.Names = s.overlap(ref)
	e.Elsewhere = len(s.names) > 0 && len(ref.names) > 0 && !s.namesIn(ref) && !ref.namesIn(s)
	return e
}

// Signature implements Similarity.
func (h *Hybrid) Signature() Signature {
	return h.dense.Encoder.Signature().under(fmt.Sprintf("hybrid/1(dense=%v;names=%v;opposed=%v;elsewhere=%v;%s)",
		h.weights.Dense, h.weights.Names, h.weights.Opposed, h.weights.Elsewhere, h.lexicon.Signature()))
}

// Truncated counts the texts that the encoder has cut, where it counts them.
func (h *Hybrid) Truncated() uint64 { return h.dense.Truncated() }

// wordSet is the set of a text's words without stop words.
type wordSet struct {
	words   []weightedWord // by number
	order   []int32        // the numbers of all words, as the text has them
	total   float32        // sum of the weights
	names   [][]int32      // the pieces of code, as numbers of their words
	stated  float32        // see Evidence
	prose   float32        // stated, where a whole sentence may end with a comma or a semicolon
	negated bool
	denied  bool // negated, by other words than Python's None
}

type weightedWord struct {
	number int32 // of the word, in this call
	weight float32
	prose  bool // it stands in prose somewhere
}

// wordSet reads a text. Numbers are given to new words in order. Like the
// encoder, it does not read what lies beyond limits.TextBytes.
func (h *Hybrid) wordSet(text string, numbers map[string]int32) wordSet {
	text, _ = cutText(text, limits.TextBytes)
	var set wordSet
	var parts, prose, function int
	place := make(map[int32]int) // in set.words, by number
	for _, part := range codeParts(text) {
		words := strings.Fields(h.words(part.text))
		if len(words) == 0 && !part.code {
			continue
		}
		parts++
		if !part.code {
			prose++
		}
		hasStop := false
		var name []int32
		for _, word := range words {
			if !part.code && slices.Contains(negations, word) {
				set.negated = true
				set.denied = set.denied || word != "none"
			}
			if h.stop.Contains(word) {
				hasStop = true
				continue
			}
			n, ok := numbers[word]
			if !ok {
				n = int32(len(numbers))
				numbers[strings.Clone(word)] = n
			}
			name, set.order = append(name, n), append(set.order, n)
			at, ok := place[n]
			if !ok {
				at = len(set.words)
				place[n] = at
				set.words = append(set.words, weightedWord{number: n, weight: h.lexicon.IDF(word)})
				set.total += set.words[at].weight
			}
			set.words[at].prose = set.words[at].prose || !part.code
		}
		if hasStop && !part.code {
			function++
		}
		if part.code && len(name) > 0 && len(set.names) < limits.Names {
			set.names = append(set.names, name)
		}
	}
	slices.SortFunc(set.words, func(a, b weightedWord) int { return cmp.Compare(a.number, b.number) })
	set.prose = stated(parts, prose, function)
	if !endsLikeCode(text) {
		set.stated = set.prose
	} else if set.prose < 1 {
		set.prose = 0
	}
	return set
}

// Properties of any English sentence: at least half of it is prose, at least three in ten
// of its words are stop words, and it has at least three words. A short sentence may lack
// one stop word and one word ("Missing null check"). The numbers are not fitted to labels.
const (
	proseShare     = 0.5
	functionShare  = 0.3
	statementWords = 4
)

// stated is the degree in [0,1] to which a text is a statement: of its parts, prose are
// prose, and function of these are stop words.
func stated(parts, prose, function int) float32 {
	if parts == 0 {
		return 1
	}
	n := float32(parts)
	return min(1, float32(prose)/(proseShare*n)) * min(1, float32(function+1)/(functionShare*n)) * min(1, (n+1)/statementWords)
}

// endsLikeCode reports whether a text ends like a line of code ("resave: false,").
func endsLikeCode(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && strings.IndexByte(",;{([=", text[len(text)-1]) >= 0
}

// has reports whether a text has a word, and returns it.
func (s *wordSet) has(number int32) (weightedWord, bool) {
	at, found := slices.BinarySearchFunc(s.words, number, func(w weightedWord, n int32) int { return cmp.Compare(w.number, n) })
	if !found {
		return weightedWord{}, false
	}
	return s.words[at], true
}

// namesIn reports whether the other text has all words of one of the names.
func (s *wordSet) namesIn(other *wordSet) bool {
	return slices.ContainsFunc(s.names, func(name []int32) bool {
		return !slices.ContainsFunc(name, func(n int32) bool {
			_, found := other.has(n)
			return !found
		})
	})
}

// common are the words that both texts have, as s has them.
func (s *wordSet) common(other *wordSet) iter.Seq[weightedWord] {
	return func(yield func(weightedWord) bool) {
		for i, j := 0, 0; i < len(s.words) && j < len(other.words); {
			switch a, b := s.words[i], other.words[j]; {
			case a.number < b.number:
				i++
			case a.number > b.number:
				j++
			default:
				if !yield(a) {
					return
				}
				i++
				j++
			}
		}
	}
}

// overlap compares a sentence with a reference (see Evidence).
func (s *wordSet) overlap(ref *wordSet) (words, names float32) {
	for w := range s.common(ref) {
		if w.prose {
			words += w.weight
		} else {
			names += w.weight
		}
	}
	if words+names == 0 {
		return 0, 0
	}
	mean := float32(math.Sqrt(float64(s.total) * float64(ref.total)))
	return words / mean, names / mean
}

// negations are the words that turn a sentence around, as CodeWords leaves them:
// "don't" is "don" and "t". A read-only table.
var negations = []string{
	"not", "no", "never", "without", "cannot", "cant", "none", "neither", "nor",
	"ain", "aren", "couldn", "didn", "doesn", "don", "hadn", "hasn", "haven", "isn", "mightn", "mustn", "needn",
	"shan", "shouldn", "wasn", "weren", "won", "wouldn",
}

// codePart is a piece of a text: all code or all prose.
type codePart struct {
	text string
	code bool
}

// codeParts cuts a text into code (text in backticks, and words that look like no English
// word) and prose. The Markdown splitter removes the backticks of a sentence, so a plain
// word in them is prose here. With the backticks kept, agreement with people was lower.
func codeParts(text string) []codePart {
	var parts []codePart
	for text != "" {
		if text[0] == '`' {
			ticks := len(text) - len(strings.TrimLeft(text, "`"))
			if end := strings.Index(text[ticks:], text[:ticks]); end >= 0 {
				parts = append(parts, codePart{text[ticks : ticks+end], true})
				text = text[ticks+end+ticks:]
				continue
			}
			text = text[ticks:] // Not closed: a quote mark like any other.
			continue
		}
		end := strings.IndexAny(text, " `\t\n\r")
		if end < 0 {
			end = len(text)
		}
		if end > 0 {
			parts = append(parts, codePart{text[:end], looksLikeCode(text[:end])})
		}
		text = strings.TrimLeft(text[end:], " \t\n\r")
	}
	return parts
}

// looksLikeCode reports whether a word is an identifier of several words, a qualified
// name, a call, or has an operator in it.
func looksLikeCode(word string) bool {
	if strings.HasSuffix(word, ");") { // The end of a call with a space in it.
		return true
	}
	word = strings.Trim(strings.TrimLeft(word, `"'([{<*`), `"'.,;:!?)]}>*`)
	if strings.ContainsAny(word, `_=(){}[];<>\|&+*%^~$#@`) || strings.Contains(word, "::") {
		return true
	}
	prev, at := separator, 0 // at counts characters
	for i, r := range word {
		kind := kindOf(r)
		if prev == lower && kind == upper {
			return true
		}
		// A stop within a word, but not that of "e.g.".
		if r == '.' && at > 1 && prev != separator && i+2 < len(word) && kindOf(rune(word[i+1])) != separator {
			return true
		}
		prev = kind
		at++
	}
	return false
}
