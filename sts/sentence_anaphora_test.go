package sts

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIsAnaphoric(t *testing.T) {
	tests := []struct {
		text string
		want bool
	}{
		{"It is never closed.", true},
		{"It's never closed.", true},
		{"It’s never closed.", true},
		{"This will leak.", true},
		{"(That would be slower, though.)", true},
		{"Also, it leaks.", true},
		{"If so, add a test.", true},
		{"If not, remove it.", true},
		{"But if they are empty, it panics.", true},
		{"Without this the test fails.", true},
		{"Otherwise remove them.", true},
		{"So it is closed twice.", true},

		{"", false},
		{"...", false},
		{"The list is never closed.", false},
		{"Also, the list leaks.", false},
		{"Items are lost.", false},
		{"If the list is empty, it panics.", false},
		{"When in doubt, leave it out.", false},
		{"So slow.", false},
		{"Also and it leaks.", false},
		{"Is it closed?", false},
	}
	for _, tt := range tests {
		if got := isAnaphoric(tt.text); got != tt.want {
			t.Errorf("isAnaphoric(%q) = %v", tt.text, got)
		}
	}
}

// TestSplitBack holds where the mark may stand: never at the head of a block, and
// with the naive splitter nowhere.
func TestSplitBack(t *testing.T) {
	text := "It leaks. It does so twice.\nThis is bad.\n\nIt is late.\n\n- This is one.\n- It is two. That is three."
	want := "It leaks.|+It does so twice.|+This is bad.|It is late.|This is one.|It is two.|+That is three."
	if diff := cmp.Diff(want, marked(Markdown{}.Split(text))); diff != "" {
		t.Error(diff)
	}
	if got := marked(Paper{}.Split(text)); strings.Contains(got, "+") {
		t.Errorf("the paper's splitter marks: %s", got)
	}
}

func marked(sentences []Sentence) string {
	var parts []string
	for _, s := range sentences {
		if s.Anaphoric {
			s.Text = "+" + s.Text
		}
		parts = append(parts, s.Text)
	}
	return strings.Join(parts, "|")
}

func TestCarryAnaphora(t *testing.T) {
	sim := [][]float32{{0.5, 0, 1}, {0.1, 0.25, 0.9}, {0, 0, 0}, {0.2, 0, 0}}
	CarryAnaphora([]Sentence{{}, {Anaphoric: true}, {Anaphoric: true}, {}}, sim)
	want := [][]float32{{0.5, 0, 1}, {0.4, 0.25, 0.9}, {0.32, 0.2, 0.72}, {0.2, 0, 0}}
	if diff := cmp.Diff(want, sim, cmp.Comparer(func(a, b float32) bool { return max(a-b, b-a) < 1e-6 })); diff != "" {
		t.Error(diff)
	}
	CarryAnaphora(nil, nil)
}
