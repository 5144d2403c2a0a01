package spelling

import (
	"slices"
	"testing"
)

// TestTally counts texts, and keeps the order of those that are as frequent.
func TestTally(t *testing.T) {
	var tally Tally
	if tally.Reviews() != "" || len(tally.MostFrequent()) != 0 {
		t.Errorf("an empty tally has %q, %q", tally.Reviews(), tally.MostFrequent())
	}
	tally.Add("b")
	if got := tally.Reviews(); got != "b" {
		t.Errorf("one text is %q", got)
	}
	for _, name := range []string{"a", "c", "c"} {
		tally.Add(name)
	}
	if got, want := tally.Reviews(), "b (1 review); a (1 review); c (2 reviews)"; got != want {
		t.Errorf("texts are %q, want %q", got, want)
	}
	if got := tally.MostFrequent(); !slices.Equal(got, []string{"c", "b", "a"}) || !slices.Equal(tally.Names(), []string{"b", "a", "c"}) || tally.Count("c") != 2 {
		t.Errorf("%q, %q", got, tally.Names())
	}
}
