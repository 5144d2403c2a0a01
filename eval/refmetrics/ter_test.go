package refmetrics

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"crscore/internal/limits"
)

func TestGoldensOfTER(t *testing.T) {
	checkGoldens(t, "ter", Needs{}, [8]float64{100, 114.2857, 0, 100, 100, 200, 116.6667, 75})
	checkGoldenCorpus(t, "ter", Needs{}, 90)
}

func TestTER(t *testing.T) {
	for _, c := range []struct {
		hypothesis string
		references []string
		want       float64
	}{
		{"check the cache before writing", []string{"before writing check the cache"}, 20},
		{"Check\tTHE\x1ccache", []string{"check the cache"}, 0},
		{"a b c d", []string{"d a b c"}, 25},
		{"a b c d", []string{"b a d c"}, 50},
		{"", []string{""}, 0},
		{"a b", []string{""}, 100},
		{"a b", []string{"", "a b c d"}, 100},           // 2 edits, whichever reference, over a mean length of 2
		{"a b c", []string{"a b c d e", "x"}, 200. / 3}, // 2 edits over a mean length of 3
	} {
		got, err := newMetric(t, "ter", Needs{}).Score(t.Context(), c.hypothesis, c.references)
		if err != nil || !nearGolden(got, c.want) {
			t.Errorf("%q and %q: %v, %v; want %v", c.hypothesis, c.references, got, err, c.want)
		}
	}
}

func TestTERNamesItsLimitAndStops(t *testing.T) {
	m := newMetric(t, "ter", Needs{})
	_, err := m.Score(t.Context(), "a", []string{strings.Repeat("a ", 1_001)})
	if err == nil || !strings.Contains(err.Error(), "a text has 1001 words: the limit is 1000") {
		t.Errorf("too long: error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Score(ctx, "a", []string{"b"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

// A long row of words that are all in other places must end.
func TestTEROfLongTexts(t *testing.T) {
	var there, back []string
	for i := range limits.TERWords {
		there, back = append(there, fmt.Sprint(i*7%limits.TERWords%90)), append(back, fmt.Sprint(i*11%limits.TERWords%90))
	}
	m := newMetric(t, "ter", Needs{})
	got, err := m.Score(t.Context(), strings.Join(there, " "), []string{strings.Join(back, " ")})
	if err != nil || got <= 0 || got > 100 {
		t.Errorf("score %v, %v", got, err)
	}
}

func FuzzTER(f *testing.F) {
	for _, p := range goldenPairs() {
		f.Add(p.hypothesis, p.reference)
	}
	f.Add("a b c d e f g h a b c", "d e f a b c \xff g h")
	m := newMetric(f, "ter", Needs{})
	f.Fuzz(func(t *testing.T, a, b string) {
		words, other := fields(lower(a)), fields(lower(b))
		if len(words) > 20 || len(other) > 20 { // else the beam may miss the best way
			t.Skip()
		}
		got := checkScore(t, m, a, b)
		if same := checkScore(t, m, a, a); same != 0 {
			t.Errorf("%q and itself: %v", a, same)
		}
		// Shifts only help, and words that one text lacks cost at least an edit each.
		if plain := wordDistance(words, other); len(other) > 0 && got > 100*float64(plain)/float64(len(other))+1e-9 {
			t.Errorf("%q and %q: %v, but %d edits without shifts", a, b, got, plain)
		}
		if least := max(len(words)-len(other), len(other)-len(words)); len(other) > 0 &&
			got < 100*float64(least)/float64(len(other))-1e-9 {
			t.Errorf("%q and %q: %v, but the lengths differ by %d", a, b, got, least)
		}
	})
}

// wordDistance is the edit distance of two lists of words, by its definition.
func wordDistance(a, b []string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, word := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, other := range b {
			way := diagonal
			if word != other {
				way++
			}
			diagonal, row[j+1] = row[j+1], min(way, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
