package judge

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"crscore/eval/resample"
)

// Bias collects how much the order of reviews matters to a judge, over the changes of protocol
// Criteria.
type Bias struct {
	changed, slope, weight, shift []float64 // a number for each change
}

// BiasReport says how much the order matters.
type BiasReport struct {
	// Changes is the number of changes that were judged in two orders.
	Changes int `json:"changes"`
	// WinnerChanged is the share of changes whose best review, or reviews, differ between the
	// orders.
	WinnerChanged resample.Estimate `json:"winner_changed"`
	// RanksPerPlace is what a place further down the list is worth in ranks: the slope of the
	// difference of a review's ranks on the difference of its places. Above 0, early reviews
	// are preferred; 0 means that the order does not matter.
	RanksPerPlace resample.Estimate `json:"ranks_per_place"`
	// FirstToLast is the mean rank of the two reviews at the ends of the list when they are
	// last, less their mean rank when they are first.
	FirstToLast resample.Estimate `json:"first_to_last"`
}

// Add adds a change with the places of its different reviews in the two orders. Reviews at
// the same places count once. A change with one review, or without two orders, adds nothing.
func (b *Bias) Add(reviews [][]Place) {
	reviews = slices.Clone(reviews)
	reviews = slices.DeleteFunc(reviews, func(p []Place) bool { return len(p) != 2 })
	slices.SortStableFunc(reviews, func(x, y []Place) int { return x[0].Place - y[0].Place })
	reviews = slices.CompactFunc(reviews, func(x, y []Place) bool { return x[0].Place == y[0].Place })
	if len(reviews) < 2 {
		return
	}
	var best [2]float64
	for o := range best {
		best[o] = slices.MinFunc(reviews, func(x, y []Place) int { return int(2*x[o].Rank - 2*y[o].Rank) })[o].Rank
	}
	changed, slope, weight := 0.0, 0.0, 0.0
	for _, p := range reviews {
		if (p[0].Rank == best[0]) != (p[1].Rank == best[1]) {
			changed = 1
		}
		moved := float64(p[1].Place - p[0].Place)
		slope += moved * (p[1].Rank - p[0].Rank)
		weight += moved * moved
	}
	first, last := reviews[0], reviews[len(reviews)-1] // of the first order
	shift := (first[1].Rank - first[0].Rank + last[0].Rank - last[1].Rank) / 2
	b.changed, b.slope = append(b.changed, changed), append(b.slope, slope)
	b.weight, b.shift = append(b.weight, weight), append(b.shift, shift)
}

// Report computes the numbers, with intervals by drawing changes. The error is of ctx or of
// the options.
func (b *Bias) Report(ctx context.Context, draws resample.Bootstrap) (BiasReport, error) {
	n := len(b.changed)
	e, err := draws.Estimates(ctx, n, 3, func() func([]int32, []float64) { return b.statistics },
		func(int) string { return "no change was judged in two orders" })
	if err != nil {
		return BiasReport{Changes: n}, err
	}
	return BiasReport{Changes: n, WinnerChanged: e[0], RanksPerPlace: e[1], FirstToLast: e[2]}, nil
}

func (b *Bias) statistics(drawn []int32, out []float64) {
	var changed, slope, weight, shift, n float64
	for i, times := range drawn {
		t := float64(times)
		changed, slope, weight, shift, n = changed+t*b.changed[i], slope+t*b.slope[i], weight+t*b.weight[i], shift+t*b.shift[i], n+t
	}
	out[0], out[1], out[2] = changed/n, slope/weight, shift/n
}

// Resemble reports whether the names of a system and of a model share a name of a family, so
// that the model may prefer its own words: gpt3.5 and openai:gpt-4o, codellama and
// ollama:llama3.
func Resemble(system, model string) bool {
	for _, s := range family(system) {
		for _, m := range family(model) {
			if strings.Contains(s, m) || strings.Contains(m, s) {
				return true
			}
		}
	}
	return false
}

// family returns the words of a name that can name a family of models.
func family(name string) (words []string) {
	for _, w := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(w) >= 3 && !slices.Contains(commonWords(), w) {
			words = append(words, w)
		}
	}
	return words
}

// commonWords are words of names that many models share.
func commonWords() []string {
	return []string{"ollama", "openai", "library", "latest", "instruct", "chat", "code", "coder", "codereviewer", "model", "base",
		"review", "reviewer", "bot", "human", "msg", "mini", "small", "large", "max", "pro", "gguf", "the", "llm", "text", "preview", "turbo", "fast"}
}
