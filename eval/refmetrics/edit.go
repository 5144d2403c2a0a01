package refmetrics

import (
	"context"
	"fmt"
	"unicode/utf8"

	"crscore/internal/limits"
)

func editDistanceInfo() Info {
	return Info{
		Name: "edit-distance", About: "edits between the texts, by character, a share of the longer text",
		Source: "Levenshtein (1966), divided by the longer length; the NED of the literature",
		Max:    1, LowerIsBetter: true, unturned: true,
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
	if x*y > limits.EditCells {
		return 0, fmt.Errorf("edit distance of texts of %d and %d characters: their product may be at most %d",
			x, y, limits.EditCells)
	}
	return float64(editDistance([]rune(a), []rune(b))) / float64(max(x, y)), nil
}

// editDistance returns the number of insertions, deletions and replacements between two
// texts. It computes 64 rows of the table at a time, as differences between neighbours that
// are a bit each (Myers 1999; Hyyrö 2003 for hin and hout). This takes a tenth of the time of
// the plain algorithm.
func editDistance(a, b []rune) int {
	below := make([]int8, len(b)) // differences along the last row that is finished
	for j := range below {
		below[j] = 1
	}
	const ascii = 128
	distance := len(a)
	for len(a) > 0 {
		rows := a[:min(64, len(a))]
		a = a[len(rows):]
		var match [ascii]uint64
		others := map[rune]uint64{}
		for i, r := range rows {
			if r < ascii {
				match[r] |= 1 << i
			} else {
				others[r] |= 1 << i
			}
		}
		up, down := ^uint64(0), uint64(0) // differences along a column: +1 and -1
		last := len(rows) - 1
		for j, r := range b {
			var equal uint64
			if r < ascii {
				equal = match[r]
			} else if len(others) > 0 {
				equal = others[r]
			}
			rise, fall := uint64(0), uint64(0) // hin
			if below[j] > 0 {
				rise = 1
			} else if below[j] < 0 {
				fall = 1
			}
			vertical := equal | down
			equal |= fall
			horizontal := ((equal & up) + up) ^ up | equal
			plus, minus := down|^(horizontal|up), up&horizontal
			below[j] = int8(plus>>last&1) - int8(minus>>last&1) // hout
			plus, minus = plus<<1|rise, minus<<1|fall
			up, down = minus|^(vertical|plus), plus&vertical
		}
	}
	for _, d := range below {
		distance += int(d)
	}
	return distance
}
