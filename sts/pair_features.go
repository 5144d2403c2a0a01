package sts

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"crscore/sts/internal/limits"
)

// The features of a pair. In what follows a word is a stem that is no stop word, its weight
// is its idf, and a name is a piece of code in a text. A word is distinctive by
// ln(1 + references / references with the word).
const (
	// Of the two texts.
	featureCosine    = iota // cosine of the vectors
	featureNames            // Evidence.Names
	featureShared           // square root of the weight of the shared words
	featureElsewhere        // 1 for Evidence.Elsewhere
	featureActions          // number of kinds of actions that both texts speak of
	// Of the two texts and the other references.
	featureNearest  // softmax, over the references, of 12 x hybrid similarity
	featureBeside   // hybrid similarity, divided by the largest of the references
	featureDistinct // distinctive weight of the shared words, as a share of the reference's
	// Of the sentence and the diff.
	featureUnknownNames // share of the sentence's names that the diff does not have
	featureAddedWords   // share of its words that stand in added lines, by weight
	featureNewWords     // share of its words that the diff does not have, by weight
	featurePasted       // share of its pairs of adjacent words that are adjacent in a line, too

	pairFeatures
	firstOfDiff = featureUnknownNames
)

// PairFeatureNames are the names of the features, in the order of PairEvidence.Features.
// Those from "unknown-names" on need a diff.
func PairFeatureNames() []string {
	names := [pairFeatures]string{
		featureCosine: "cosine", featureNames: "names", featureShared: "shared", featureElsewhere: "elsewhere",
		featureActions: "actions", featureNearest: "nearest", featureBeside: "beside", featureDistinct: "distinct",
		featureUnknownNames: "unknown-names", featureAddedWords: "added-words", featureNewWords: "new-words", featurePasted: "pasted",
	}
	return names[:]
}

// PairTextFeatures are the names of the features that need no diff, the first of PairFeatureNames.
func PairTextFeatures() []string { return PairFeatureNames()[:firstOfDiff] }

// PairEvidence is what Pair measures of a pair before its models weigh it.
type PairEvidence struct {
	// Features are the features by PairFeatureNames. Without a diff its features are 0.
	Features [pairFeatures]float64
	// Factor is in [0,1]: see Pair.
	Factor float64
}

// Places of a word in a diff.
const (
	inAdded uint8 = 1 << iota
	inOther
)

// pairReader has the texts of one change as words. It does not change after newPairReader.
type pairReader struct {
	*Pair
	texts           []string    // of the sentences
	dense           [][]float32 // the cosines, a row a sentence
	sentences, refs []wordSet
	numbers         map[string]int32
	kinds           []uint32  // by number of the word: its kinds of actions
	distinct        []float32 // by number: how few references have the word
	refDistinct     []float32 // by reference: the sum of its distinctive weights
	refKinds        []uint32  // by reference
	code            bool
	places          []uint8           // by number: where in the diff
	adjacent        map[[2]int32]bool // pairs of words in a line of the diff
}

func newPairReader(ctx context.Context, p *Pair, code *Code, sentences, refs []string) (*pairReader, error) {
	dense, err := p.hybrid.dense.Matrix(ctx, sentences, refs)
	if err != nil {
		return nil, err
	}
	r := &pairReader{
		Pair: p, dense: dense, numbers: make(map[string]int32), code: code != nil, texts: sentences,
		sentences: make([]wordSet, len(sentences)), refs: make([]wordSet, len(refs)),
	}
	for j, text := range refs {
		r.refs[j] = p.hybrid.wordSet(text, r.numbers)
	}
	for i, text := range sentences {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.sentences[i] = p.hybrid.wordSet(text, r.numbers)
	}
	r.kinds = make([]uint32, len(r.numbers))
	for word, n := range r.numbers {
		r.kinds[n] = p.actions[word]
	}
	for j := range r.refs {
		r.refKinds = append(r.refKinds, r.kindsIn(&r.refs[j]))
	}
	r.findDistinct()
	if code != nil {
		r.readCode(code)
	}
	return r, nil
}

// kindsIn are the kinds of actions that a text speaks of.
func (r *pairReader) kindsIn(text *wordSet) (kinds uint32) {
	for _, w := range text.words {
		kinds |= r.kinds[w.number]
	}
	return kinds
}

// findDistinct computes how few references have a word.
func (r *pairReader) findDistinct() {
	having := make([]int, len(r.numbers))
	for j := range r.refs {
		for _, w := range r.refs[j].words {
			having[w.number]++
		}
	}
	r.distinct = make([]float32, len(having))
	for n, k := range having {
		if k > 0 {
			r.distinct[n] = float32(math.Log(1 + float64(len(r.refs))/float64(k)))
		}
	}
	r.refDistinct = make([]float32, len(r.refs))
	for j := range r.refs {
		for _, w := range r.refs[j].words {
			r.refDistinct[j] += float32(w.weight * r.distinct[w.number])
		}
	}
}

// readCode finds the words of the texts in the diff.
func (r *pairReader) readCode(code *Code) {
	r.places, r.adjacent = make([]uint8, len(r.numbers)), make(map[[2]int32]bool)
	left := limits.CodeBytes
	for _, part := range []struct {
		lines []string
		place uint8
	}{{code.Added, inAdded}, {code.Removed, inOther}, {code.Kept, inOther}} {
		for _, line := range part.lines {
			line, _ = cutText(line, limits.CodeLine)
			if left -= len(line); left < 0 {
				return
			}
			last := int32(-1)
			for word := range strings.FieldsSeq(r.hybrid.words(line)) {
				if r.hybrid.stop.Contains(word) {
					continue
				}
				n, known := r.numbers[word]
				if !known {
					last = -1
					continue
				}
				r.places[n] |= part.place
				if last >= 0 {
					r.adjacent[[2]int32{last, n}] = true
				}
				last = n
			}
		}
	}
}

// row measures sentence i against every reference.
func (r *pairReader) row(i int, out []PairEvidence) {
	s := &r.sentences[i]
	var own PairEvidence
	if r.code {
		r.inDiff(s, &own)
	}
	scope := r.isScopeRemark(i)
	kinds := r.kindsIn(s)
	hybrid := make([]float64, len(r.refs))
	best, sum := 0.0, 0.0
	for j := range r.refs {
		out[j] = own
		ref, f := &r.refs[j], &out[j].Features
		e := s.evidence(ref, r.dense[i][j])
		hybrid[j] = float64(r.hybrid.weights.Weigh(e))
		best = max(best, hybrid[j])
		sum += math.Exp(nearestScale * hybrid[j])

		shared, distinct := s.shared(ref, r.distinct)
		f[featureCosine], f[featureNames] = float64(e.Dense), float64(e.Names)
		f[featureShared], f[featureElsewhere] = math.Sqrt(float64(shared)), oneIf(e.Elsewhere)
		f[featureActions] = float64(bits.OnesCount32(kinds & r.refKinds[j]))
		f[featureDistinct] = ratio(float64(distinct), float64(r.refDistinct[j]))

		out[j].Factor = float64(s.prose)
		if s.denied && !ref.negated {
			ofRef, ofSentence := ratio(float64(shared), float64(ref.total)), ratio(float64(shared), float64(s.total))
			out[j].Factor *= 1 - float64(opposition*ofRef*ofSentence)
		}
		if scope {
			out[j].Factor = 0
		}
	}
	for j := range r.refs {
		out[j].Features[featureNearest] = math.Exp(nearestScale*hybrid[j]) / sum
		out[j].Features[featureBeside] = ratio(hybrid[j], best)
	}
}

// isScopeRemark reports whether sentence i is about the scope of the change.
func (r *pairReader) isScopeRemark(i int) bool { return r.scope.has(r.texts[i]) }

// opposition is the share that a pair loses where the sentence is the reference with a negation.
// Not all of it: "was added without need" does not contradict "was added". A reference with a
// negation mostly has a condition ("if x is not set"), and a sentence without one may mean it.
const opposition = 0.8

// nearestScale is the scale of the softmax over the references.
const nearestScale = 12

// inDiff measures a sentence against the diff.
func (r *pairReader) inDiff(s *wordSet, out *PairEvidence) {
	f := &out.Features
	for _, name := range s.names {
		if slices.ContainsFunc(name, func(n int32) bool { return r.places[n] == 0 }) {
			f[featureUnknownNames]++
		}
	}
	f[featureUnknownNames] = ratio(f[featureUnknownNames], float64(len(s.names)))
	for _, w := range s.words {
		switch p := r.places[w.number]; {
		case p&inAdded != 0:
			f[featureAddedWords] += float64(w.weight)
		case p == 0:
			f[featureNewWords] += float64(w.weight)
		}
	}
	for _, k := range []int{featureAddedWords, featureNewWords} {
		f[k] = min(1, ratio(f[k], float64(s.total)))
	}
	for k := 1; k < len(s.order); k++ {
		f[featurePasted] += oneIf(r.adjacent[[2]int32{s.order[k-1], s.order[k]}])
	}
	f[featurePasted] = ratio(f[featurePasted], float64(len(s.order)-1))
}

// shared is the weight of the words that both have, and their distinctive weight.
func (s *wordSet) shared(ref *wordSet, distinct []float32) (sum, distinctive float32) {
	for w := range s.common(ref) {
		sum += w.weight
		distinctive += float32(w.weight * distinct[w.number]) // rounded: never fused
	}
	return sum, distinctive
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// ratio is a/b, and 0 where b is 0 or below.
func ratio(a, b float64) float64 {
	if b <= 0 {
		return 0
	}
	return a / b
}

// explain says which evidence shaped the similarity of sentence i and reference j.
func (m *pairModel) explain(r *pairReader, i, j int, row []PairEvidence) string {
	e, s := &row[j], &r.sentences[i]
	switch {
	case r.isScopeRemark(i):
		return "a remark about the scope of the change, which counts as off topic"
	case s.prose == 0:
		return "no statement: a list of names, code, or a line that ends like code"
	}
	raised, lowered := m.strongest(e, r.groups(i, j, row))
	var parts []string
	if len(raised) > 0 {
		parts = append(parts, "for it: "+strings.Join(raised, ", "))
	}
	if len(lowered) > 0 {
		parts = append(parts, "against it: "+strings.Join(lowered, ", "))
	}
	if s.prose < 1 {
		parts = append(parts, fmt.Sprintf("times %.2f, since it has few words of prose", s.prose))
	}
	if factor := e.Factor / float64(s.prose); factor < 0.9 {
		parts = append(parts, fmt.Sprintf("times %.2f, since it negates the reference", factor))
	}
	if len(parts) == 0 {
		return "like the average pair"
	}
	return strings.Join(parts, "; ")
}

// groups are the kinds of evidence of a pair with words for what they are here. Evidence
// without a word is left out.
func (r *pairReader) groups(i, j int, row []PairEvidence) []evidenceGroup {
	f := &row[j].Features
	words := r.sharedWords(i, j)
	inCommon, nearest, farther, changed := "few words in common", "", "nearer to another reference", ""
	switch {
	case len(words) > 0 && f[featureNames] > 0:
		inCommon = "names in common, without prose around them"
	case len(words) > 0:
		inCommon = "frequent words in common"
	}
	sharing := ""
	if len(words) > 0 {
		sharing = "words in common (" + strings.Join(words, ", ") + ")"
	}
	first := true
	for k := range row {
		first = first && (k == j || row[k].Features[featureNearest] < f[featureNearest])
	}
	if first {
		farther = "other references nearly as near"
		if len(row) > 1 {
			nearest = fmt.Sprintf("nearest of %d references", len(row))
		}
	}
	switch {
	case f[featureAddedWords] > 0:
		changed = "words of added lines"
	case f[featureNewWords] > 0:
		changed = "words that are not in the code"
	}
	return []evidenceGroup{
		{[]int{featureCosine}, "a similar meaning", "another meaning"},
		{[]int{featureNames, featureShared}, sharing, inCommon},
		{[]int{featureElsewhere}, "", "names of other parts of the code"},
		{[]int{featureActions}, "the same action", "no action in common"},
		{[]int{featureNearest, featureBeside}, nearest, farther},
		{[]int{featureDistinct}, "words that other references lack", "no words that set the reference apart"},
		{[]int{featureUnknownNames}, "", "names that the diff does not have"},
		{[]int{featureAddedWords, featureNewWords}, changed, "words of unchanged or removed lines"},
		{[]int{featurePasted}, "", "words in the order of the code"},
	}
}

// sharedWords are up to three words of sentence i that reference j has, the rarest first, as
// the sentence writes them.
func (r *pairReader) sharedWords(i, j int) []string {
	type shared struct {
		text   string
		weight float32
	}
	var all []shared
	seen := make(map[int32]bool)
	for _, part := range codeParts(r.texts[i]) {
		for word := range strings.FieldsSeq(r.hybrid.words(part.text)) {
			n, ok := r.numbers[word]
			if !ok || seen[n] {
				continue
			}
			seen[n] = true
			if w, found := r.refs[j].has(n); found {
				all = append(all, shared{strings.Trim(part.text, "`\"'.,;:!?()"), w.weight})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b shared) int { return cmp.Compare(b.weight, a.weight) })
	var out []string
	for _, s := range all {
		if !slices.Contains(out, s.text) && len(out) < 3 {
			out = append(out, s.text)
		}
	}
	return out
}
