package sts

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
)

// The list shapes every vector, so it is pinned: the hash is that of the sorted
// words, one a line.
func TestStopWordsArePinned(t *testing.T) {
	stop := NewStopWords()
	words := make([]string, 0, stop.Len())
	for w := range stop.words {
		words = append(words, w)
	}
	slices.Sort(words)
	if got, want := len(words), 179+2; got != want {
		t.Errorf("%d stop words, want %d (NLTK English and two stops)", got, want)
	}
	sum := sha256.Sum256([]byte(strings.Join(words, "\n") + "\n"))
	const want = "c84c83ab287c59c245f677a1195b2e18a0d0b00e396267157494ca617a2d50c6"
	if got := hex.EncodeToString(sum[:]); got != want {
		t.Errorf("SHA-256 of the stop words is %s, want %s", got, want)
	}
}

func TestStopWordsContains(t *testing.T) {
	stop := NewStopWords()
	for word, want := range map[string]bool{
		"the": true, "don't": true, "don": true, "t": true, ".": true, ",": true,
		"The": false, "": false, "?": false, "hash": false, "the ": false,
	} {
		if got := stop.Contains(word); got != want {
			t.Errorf("Contains(%q) = %v, want %v", word, got, want)
		}
	}
	if (StopWords{}).Contains("the") {
		t.Error("the zero value contains a word")
	}
}
