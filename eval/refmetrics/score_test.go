package refmetrics

import (
	"math"
	"testing"
)

// checkScore scores a pair and checks what holds for every metric: the score is a number from 0 to the
// maximum, a second call gives the same score, and a reference that is given twice changes nothing.
func checkScore(t *testing.T, m Named, hypothesis, reference string) float64 {
	t.Helper()
	got, err := m.Score(t.Context(), hypothesis, []string{reference})
	if err != nil {
		t.Fatalf("%s of %q and %q: %v", m.Spec, hypothesis, reference, err)
	}
	if math.IsNaN(got) || math.IsInf(got, 0) || got < 0 || got > m.Info.Max {
		t.Errorf("%s of %q and %q: %v is not from 0 to %v", m.Spec, hypothesis, reference, got, m.Info.Max)
	}
	again, err := m.Score(t.Context(), hypothesis, []string{reference, reference})
	if err != nil || again != got {
		t.Errorf("%s of %q and twice %q: %v, %v; want %v", m.Spec, hypothesis, reference, again, err, got)
	}
	if c, ok := m.Metric.(CorpusMetric); ok {
		corpus := c.NewCorpus()
		if err := corpus.Add(hypothesis, []string{reference}); err != nil || corpus.Score() != got {
			t.Errorf("%s, corpus of %q and %q: %v, %v; want %v", m.Spec, hypothesis, reference, corpus.Score(), err, got)
		}
	}
	return got
}
