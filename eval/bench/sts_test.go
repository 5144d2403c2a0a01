package bench

import (
	"reflect"
	"strings"
	"testing"

	"crscore/sts"
)

// builtin is the matcher as the command makes it.
func builtin(t testing.TB) STS {
	t.Helper()
	e, err := sts.NewBuiltin(t.Context(), sts.EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	similarity, err := sts.NewSimilarity(sts.SimilarityHybrid, e)
	if err != nil {
		t.Fatal(err)
	}
	return STS{Similarity: similarity, Splitter: sts.Markdown{}, Theta: DefaultTheta}
}

// TestSTS judges pairs, each of which has the same verdict alone and among others.
func TestSTS(t *testing.T) {
	const leak = "The connection is never closed when `query` fails. Close it in a finally block."
	pairs := []Pair{
		{"If query fails, the connection stays open: close the connection in a finally block.", leak},
		{"Nice work, thank you!", leak},
		{"The name of this variable is too long.", leak},
		{leak, leak},
		{"Nice work, thank you!", "Thank you, nice work!"},
		{"🎉", leak},
		{"close(), open();", "close(), open();"},
		{"", ""},
	}
	m := builtin(t)
	got, err := m.Match(t.Context(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, false, false, true, true, false, true, false} {
		if got[i].Same != want || !(got[i].Score >= 0 && got[i].Score <= 1) {
			t.Errorf("%q: %+v, want %v", pairs[i], got[i], want)
		}
		alone, err := m.Match(t.Context(), pairs[i:i+1])
		if err != nil || alone[0] != got[i] {
			t.Errorf("%q: %+v alone, %+v among others, %v", pairs[i], alone, got[i], err)
		}
	}
	if s := m.Signature(); !strings.HasPrefix(s, "matcher=sts/1 theta=0.3 similarity=hybrid") {
		t.Error(s)
	}
}

func TestConnected(t *testing.T) {
	got := connected([]Pair{{"a", "x"}, {"b", "y"}, {"c", "x"}, {"b", "z"}, {"c", "z"}, {"d", "d"}, {"x", "d"}})
	if want := [][]int{{0, 1, 2, 3, 4}, {5, 6}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
