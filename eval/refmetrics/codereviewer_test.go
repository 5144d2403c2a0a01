package refmetrics

import (
	"fmt"
	"strings"
	"testing"
)

// stopWordsOfGoldens are words of the golden pairs that agree with the goldens without stop
// words. They stand in for the list of CodeReviewer's evaluator.
const stopWordsOfGoldens = "the to this can be it before use for you do we that of must have and all"

func TestGoldensOfCodeReviewerBLEU(t *testing.T) {
	keep := [8]float64{34.02, 16.99, 100, 0, 0, 24.03, 30.60, 14.98}
	drop := [8]float64{34.33, 31.62, 100, 0, 0, 0, 32.28, 14.19}
	checkGoldens(t, "codereviewer-bleu", Needs{}, keep)
	given := Needs{StopWords: strings.Fields(stopWordsOfGoldens)}
	checkGoldens(t, "codereviewer-bleu:stop=given", given, drop)

	// The code of the literature gives points to reviews without a token.
	keep[4], drop[4], drop[5] = 1.83, 1.83, 36.79
	checkGoldens(t, "codereviewer-bleu", Needs{Compat: true}, keep)
	given.Compat = true
	checkGoldens(t, "codereviewer-bleu:stop=given", given, drop)
}

// TestCorpusOfCodeReviewerBLEU: its score of all pairs is the mean of the pairs.
func TestCorpusOfCodeReviewerBLEU(t *testing.T) {
	n := Needs{Compat: true, StopWords: strings.Fields(stopWordsOfGoldens)}
	set := Set{Metrics: []Named{newMetric(t, "codereviewer-bleu", n), newMetric(t, "codereviewer-bleu:stop=given", n)}, Corpus: true}
	sums := make([]float64, len(set.Metrics))
	pairs := goldenPairs()
	for _, golden := range pairs {
		pair := Pair{Hypothesis: golden.hypothesis, References: []string{golden.reference}}
		if err := set.Score(t.Context(), &pair); err != nil {
			t.Fatal(err)
		}
		for i, v := range pair.Values {
			sums[i] += v.Score
		}
	}
	for i, want := range []string{"27.81", "31.38"} {
		_, corpus := set.Whole(i)
		if got := fmt.Sprintf("%.2f", sums[i]/float64(len(pairs))); corpus || got != want {
			t.Errorf("%s: %s, want the mean %s", set.Metrics[i].Spec, got, want)
		}
	}
}
