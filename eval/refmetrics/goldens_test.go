package refmetrics

import (
	"math"
	"testing"
)

// goldenPair is a hypothesis with its only reference.
type goldenPair struct{ hypothesis, reference string }

// goldenPairs are the pairs whose scores are known from sacrebleu 2.6.0, rouge_score, nltk 3.8
// and the BLEU of CodeReviewer. The third pair has equal texts, and the fifth an empty hypothesis.
func goldenPairs() [8]goldenPair {
	return [8]goldenPair{
		{"Please rename the variable tmp to count.", "Rename tmp to count, please."},
		{"This can be null; check it before use.", "Check for null before you use it."},
		{"Why do we need this?", "Why do we need this?"},
		{"LGTM", "Missing test for the error path."},
		{"", "Add a test."},
		{"the the the the the", "the cat"},
		{"`foo.bar()` returns 1,000.5 – isn't that wrong?", "foo.bar() isn't supposed to return 1000.5"},
		{"Callers of push must pass hash.\n- update the tests\n- update the docs",
			"All callers of push() have to pass the new hash argument, and the tests need updating."},
	}
}

// checkGoldens compares the scores of the golden pairs with those wanted, which have four decimals.
func checkGoldens(t *testing.T, spec string, n Needs, want [8]float64) {
	t.Helper()
	m := newMetric(t, spec, n)
	for i, pair := range goldenPairs() {
		got, err := m.Score(t.Context(), pair.hypothesis, []string{pair.reference})
		if err != nil {
			t.Errorf("%s, pair %d: %v", spec, i+1, err)
		} else if !nearGolden(got, want[i]) {
			t.Errorf("%s, pair %d: score %.6f, want %.4f", spec, i+1, got, want[i])
		}
	}
}

// checkGoldenCorpus compares the score of the corpus of all golden pairs with the score wanted.
func checkGoldenCorpus(t *testing.T, spec string, n Needs, want float64) {
	t.Helper()
	m, ok := newMetric(t, spec, n).Metric.(CorpusMetric)
	if !ok {
		t.Fatalf("%s has no score of a corpus", spec)
	}
	corpus := m.NewCorpus()
	for i, pair := range goldenPairs() {
		if err := corpus.Add(pair.hypothesis, []string{pair.reference}); err != nil {
			t.Fatalf("%s, pair %d: %v", spec, i+1, err)
		}
	}
	if got := corpus.Score(); !nearGolden(got, want) {
		t.Errorf("%s, corpus: score %.6f, want %.4f", spec, got, want)
	}
}

// nearGolden reports whether a score rounds to the four decimals of a golden. Half of the last decimal
// is allowed, and a little for the rounding of the golden itself.
func nearGolden(got, want float64) bool { return math.Abs(got-want) < 0.5001e-4 }

// newMetric makes the metric of a spec.
func newMetric(t testing.TB, spec string, n Needs) Named {
	t.Helper()
	m, err := New(spec, n)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestGoldensOfExactMatch(t *testing.T) {
	checkGoldens(t, "exact", Needs{}, [8]float64{2: 1})
	checkGoldens(t, "exact:text=normalised", Needs{}, [8]float64{2: 1})
}

func TestGoldensOfLength(t *testing.T) {
	checkGoldens(t, "length", Needs{}, [8]float64{40, 38, 20, 4, 0, 19, 47, 68})
}
