// Package spelling finds the name that a misspelt name was probably meant to be. It
// knows nothing of where the names come from.
package spelling

import "strings"

// Nearest returns the name that word is near to, the nearest first by spelling and then by
// order. It returns "" if no name is near.
func Nearest(word string, names []string) string {
	best, least := "", 0
	for _, name := range names {
		if d, ok := distance(strings.ToLower(word), strings.ToLower(name)); ok && (best == "" || d < least) {
			best, least = name, d
		}
	}
	return best
}

// Near reports whether two words differ by at most two letters, inserted, removed or
// replaced, and by at most a third of the second word.
func Near(a, b string) bool {
	_, ok := distance(a, b)
	return ok
}

// distance is the edit distance of two near words.
func distance(a, b string) (int, bool) {
	most := min(2, len(b)/3)
	if len(a) > len(b)+most || len(b) > len(a)+most {
		return 0, false
	}
	row := make([]int, len(b)+1) // distances of a's beginning to those of b
	for i := range row {
		row[i] = i
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)], row[len(b)] <= most
}

// Either returns one of two texts.
func Either(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
