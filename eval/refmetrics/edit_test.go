package refmetrics

import (
	"strings"
	"testing"

	"github.com/agnivade/levenshtein"
)

func TestGoldensOfEditDistance(t *testing.T) {
	ned := [8]float64{.7250, .6579, 0, 1, 1, .7368, .7021, .5581}
	checkGoldens(t, "edit-distance", Needs{}, ned)
	for i := range ned {
		ned[i] = 1 - ned[i]
	}
	checkGoldens(t, "edit-similarity", Needs{}, ned)
}

func TestEditDistanceTakesTheNearestReference(t *testing.T) {
	for spec, want := range map[string]float64{"edit-distance": .25, "edit-similarity": .75} {
		got, err := newMetric(t, spec, Needs{}).Score(t.Context(), "abcd", []string{"xyz", "abce", "a"})
		if err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", spec, got, err, want)
		}
	}
}

func TestEditDistanceNamesItsLimit(t *testing.T) {
	m := newMetric(t, "edit-distance", Needs{})
	long := strings.Repeat("ab", 1<<16)
	if _, err := m.Score(t.Context(), long+"c", []string{long}); err == nil ||
		!strings.Contains(err.Error(), "texts of 131073 and 131072 characters: their product may be at most 17179869184") {
		t.Errorf("too long: error %v", err)
	}
	huge := strings.Repeat("é", 500_000)
	if got, err := m.Score(t.Context(), huge, []string{huge}); err != nil || got != 0 {
		t.Errorf("equal texts of 1 MB: %v, %v; want 0", got, err)
	}
}

func FuzzEditDistance(f *testing.F) {
	for _, p := range goldenPairs() {
		f.Add(p.hypothesis, p.reference)
	}
	f.Add("\xff\xfe", "\xfe")
	distance, similarity := newMetric(f, "edit-distance", Needs{}), newMetric(f, "edit-similarity", Needs{})
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a) > 1_000 || len(b) > 1_000 {
			t.Skip()
		}
		d := checkScore(t, distance, a, b)
		if plain := levenshtein.ComputeDistance(a, b); editDistance([]rune(a), []rune(b)) != plain {
			t.Fatalf("%q to %q: %d edits, want %d", a, b, editDistance([]rune(a), []rune(b)), plain)
		}
		if back := checkScore(t, distance, b, a); back != d {
			t.Errorf("%q to %q: %v, back %v", a, b, d, back)
		}
		if s := checkScore(t, similarity, a, b); s != 1-d {
			t.Errorf("similarity %v, distance %v", s, d)
		}
		if same := checkScore(t, distance, a, a); same != 0 {
			t.Errorf("%q to itself: %v", a, same)
		}
	})
}
