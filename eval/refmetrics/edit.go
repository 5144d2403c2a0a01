package refmetrics

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// editCells limits the product of the lengths of two texts, in characters: the cost of the
// edit distance grows with the product. 10,000 against 10,000 characters take a quarter of a second.
const editCells = 100_000_000

func editDistanceInfo() Info {
	return Info{
		Name: "edit-distance", About: "edits between the texts, by character, a share of the longer text",
		Source: "Levenshtein (1966), divided by the longer length; the NED of the literature",
		Max:    1, LowerIsBetter: true,
		build: func(*options, Needs) (Metric, error) { return edit{}, nil },
	}
}

func editSimilarityInfo() Info {
	return Info{
		Name: "edit-similarity", About: "1 less the edit distance", Source: "1 - NED; Levenshtein (1966)", Max: 1,
		build: func(*options, Needs) (Metric, error) { return edit{similarity: true}, nil },
	}
}

type edit struct{ similarity bool }

func (m edit) Score(_ context.Context, hypothesis string, references []string) (float64, error) {
	ned, err := best(editDistanceInfo(), references, func(ref string) (float64, error) {
		return normalisedDistance(hypothesis, ref)
	})
	if err == nil && m.similarity {
		return 1 - ned, nil
	}
	return ned, err
}

// normalisedDistance returns the edit distance of two texts, a share of the longer text; 0 for
// two empty texts. Each invalid byte counts as the character U+FFFD.
func normalisedDistance(a, b string) (float64, error) {
	if a == b {
		return 0, nil
	}
	x, y := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
	if x*y > editCells {
		return 0, fmt.Errorf("edit distance of texts of %d and %d characters: their product may be at most %d",
			x, y, editCells)
	}
	return float64(levenshtein.ComputeDistance(a, b)) / float64(max(x, y)), nil
}
