package refmetrics

import (
	"slices"
	"strings"
	"testing"
)

func TestGoldensOfChrf(t *testing.T) {
	checkGoldens(t, "chrf", Needs{}, [8]float64{59.1308, 32.0029, 100, 1.1161, 0, 16.3601, 44.4030, 37.0451})
	checkGoldenCorpus(t, "chrf", Needs{}, 39.2843)
	checkGoldens(t, "chrf++", Needs{}, [8]float64{55.4186, 31.4488, 100, .8929, 0, 17.0830, 34.9951, 33.3186})
	checkGoldenCorpus(t, "chrf++", Needs{}, 36.5261)
	checkGoldens(t, "chrf:words=2", Needs{}, [8]float64{55.4186, 31.4488, 100, .8929, 0, 17.0830, 34.9951, 33.3186})
}

// With one character at a time and β = 1 the score is easy to compute by hand.
func TestChrfByHand(t *testing.T) {
	m := newMetric(t, "chrf:chars=1:beta=1", Needs{})
	if m.Signature != "chrf|chars:1|words:0|beta:1" {
		t.Errorf("signature %s", m.Signature)
	}
	for _, c := range []struct {
		hypothesis string
		references []string
		want       float64
	}{
		{"a b\u00a0c\x1cd", []string{"abcd"}, 100},
		{"aab", []string{"abb"}, 100 * 2. / 3},             // an a and a b
		{"aaaa", []string{"ab"}, 100. / 3},                 // P 1/4, R 1/2
		{"aab", []string{"xyz", "a", "abb", ""}, 200. / 3}, // the best reference
		{"\xff", []string{"\xfe"}, 100},                    // both are U+FFFD
	} {
		got, err := m.Score(t.Context(), c.hypothesis, c.references)
		if err != nil || !nearGolden(got, c.want) {
			t.Errorf("%q and %q: %v, %v; want %v", c.hypothesis, c.references, got, err, c.want)
		}
	}
}

// The corpus adds up the counts of the best reference only: 2 of 3 and 1 of 4 give P 3/7, and 2 of 3
// and 1 of 2 give R 3/5.
func TestChrfOfCorpus(t *testing.T) {
	corpus := newMetric(t, "chrf:chars=1:beta=1", Needs{}).Metric.(CorpusMetric).NewCorpus()
	for hypothesis, references := range map[string][]string{"aab": {"xyz", "abb"}, "aaaa": {"ab", "b"}} {
		if err := corpus.Add(hypothesis, references); err != nil {
			t.Fatal(err)
		}
	}
	if got := corpus.Score(); !nearGolden(got, 50) {
		t.Errorf("score %v, want 50", got)
	}
}

func TestWordsOfChrf(t *testing.T) {
	if got := chrfTokens(nil, "(see, «it») é. ? .NET !! don't"); !slices.Equal(got,
		strings.Fields("(see , «it» ) é . ? . NET ! ! don't")) {
		t.Errorf("words %q", got)
	}
}

func TestChrfOfLongTexts(t *testing.T) {
	long := strings.Repeat("häufig ", 150_000) // 1.2 MB
	for _, spec := range []string{"chrf", "chrf++"} {
		m := newMetric(t, spec, Needs{})
		for reference, want := range map[string]float64{long: 100, strings.ToUpper(long): 0} {
			if got, err := m.Score(t.Context(), long, []string{reference}); err != nil || got != want {
				t.Errorf("%s of a long text and %.9s...: %v, %v; want %v", spec, reference, got, err, want)
			}
		}
	}
}

func FuzzChrf(f *testing.F) {
	for _, p := range goldenPairs() {
		f.Add(p.hypothesis, p.reference)
	}
	f.Add("\xff\xfe \x00", "\xfe\x00.")
	chars, words := newMetric(f, "chrf", Needs{}), newMetric(f, "chrf++", Needs{})
	even := newMetric(f, "chrf++:beta=1", Needs{})
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a) > 10_000 || len(b) > 10_000 {
			t.Skip()
		}
		for _, m := range []Named{chars, words} {
			checkScore(t, m, a, b)
			if got := checkScore(t, m, a, a); got != 100 && len(fields(a)) > 0 {
				t.Errorf("%s of %q and itself: %v", m.Spec, a, got)
			}
		}
		if there, back := checkScore(t, even, a, b), checkScore(t, even, b, a); there != back {
			t.Errorf("%q and %q with β = 1: %v, the other way %v", a, b, there, back)
		}
	})
}
