package spelling

import (
	"cmp"
	"slices"
	"strings"
)

// Tally counts texts. The zero value is ready.
type Tally struct {
	names  []string // as they came
	counts map[string]int
}

// Add counts a text.
func (t *Tally) Add(name string) {
	if t.counts == nil {
		t.counts = make(map[string]int)
	}
	if t.counts[name]++; t.counts[name] == 1 {
		t.names = append(t.names, name)
	}
}

// Names are the texts in the order in which they came.
func (t *Tally) Names() []string { return t.names }

// Count is how often a text was added.
func (t *Tally) Count(name string) int { return t.counts[name] }

// MostFrequent are the texts, the most frequent first.
func (t *Tally) MostFrequent() []string {
	return slices.SortedStableFunc(slices.Values(t.names), func(a, b string) int { return cmp.Compare(t.counts[b], t.counts[a]) })
}

// Reviews is the only text, or all texts with the number of reviews that have each.
func (t *Tally) Reviews() string {
	if len(t.names) < 2 {
		return strings.Join(t.names, "")
	}
	parts := make([]string, len(t.names))
	for i, name := range t.names {
		parts[i] = Count("%s (%d reviews)", name, t.counts[name])
	}
	return strings.Join(parts, "; ")
}
