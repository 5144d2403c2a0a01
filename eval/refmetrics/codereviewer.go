package refmetrics

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"crscore/sts"
)

// codeReviewerInfo is the BLEU of the code-review literature. Its score of a corpus is the
// mean of the scores of the pairs.
func codeReviewerInfo() Info {
	return Info{
		Name: "codereviewer-bleu", About: "BLEU as papers on code review compute it",
		Source: "Li et al. 2022 (CodeReviewer), its evaluator's smoothed BLEU; Lin and Och 2004",
		Max:    100,
		build:  newCodeReviewer,
	}
}

type codeReviewer struct {
	tokens   tokenizer
	round    bool
	compat   bool
	overlaps *overlaps
}

// newCodeReviewer reads the options. The evaluator of CodeReviewer can drop 592 stop words.
// That list is not in this package, so a caller gives it in Needs.StopWords.
func newCodeReviewer(o *options, n Needs) (Metric, error) {
	m := &codeReviewer{compat: n.Compat, overlaps: newOverlaps()}
	var words []string
	switch o.choice("stop", "keep", "nltk", "given") {
	case "nltk":
		words = sts.NLTKEnglish()
	case "given":
		if words = slices.Compact(slices.Sorted(slices.Values(n.StopWords))); len(words) == 0 {
			return nil, errors.New("stop=given needs a list of stop words")
		}
		o.note("words", fmt.Sprintf("%d-%.4x", len(words), sha256.Sum256([]byte(strings.Join(words, "\n")))))
	}
	stop := map[string]bool{}
	for _, word := range words {
		stop[word] = true
	}
	m.tokens = wordTokens(stop)
	m.round = o.yes("round", true)
	if m.compat {
		o.note("compat", "literature")
	}
	return m, nil
}

// Score is the geometric mean of the precisions of n-grams, with 1 added to the matches and
// to the totals of the orders 2 to 4, times the brevity penalty exp(1−(ref+1)/(hyp+1)). The
// evaluator takes the shortest of several references. It adds the smallest normal float64
// to all counts, so that the logarithm of 0 is finite: an empty review gets exp(−ref)·100,
// and a review without a common word about 1e-77. Both are 0 here unless compat is set.
func (m *codeReviewer) Score(_ context.Context, hypothesis string, references []string) (float64, error) {
	o := m.overlaps.get()
	defer m.overlaps.done(o)
	o.words(m.tokens, hypothesis, references...)
	var matches [bleuOrder]int
	o.matches(matches[:])
	if matches[0] == 0 && !m.compat {
		return 0, nil
	}
	const smallest = 0x1p-1022
	var sum float64
	for n, count := range matches {
		add := smallest
		if n > 0 {
			add = 1
		}
		sum += math.Log(float64(count)+add) - math.Log(float64(o.count(0, n+1))+add)
	}
	brevity := min(0, 1-float64(o.refLength(func(a, b int) bool { return a < b })+1)/float64(o.count(0, 1)+1))
	score := 100 * math.Exp(sum/bleuOrder+brevity)
	if m.round {
		// Through decimals, since a product with 100 can fall on the other side of a half.
		return strconv.ParseFloat(strconv.FormatFloat(score, 'f', 2, 64), 64)
	}
	return score, nil
}
