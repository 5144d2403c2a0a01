package phrase

import (
	"crscore/pseudoref/symbolic/fact"
)

// Place names the places of a fact.
func PlacesOf(f *fact.Fact) string { return List(Uniq(append([]string{f.Place}, f.Also...))) }

// Tell renders a fact as a sentence of at most MaxWords words: with fewer names and then
// without its place, where it is longer.
func Tell(f *fact.Fact, place string) string {
	if place != "" {
		place = "in " + place + ", "
	}
	s := ""
	for _, limit := range []int{3, 2} {
		if s = place + clause(f, limit); CountWords(s) <= MaxWords {
			return Sentence(s)
		}
	}
	s = clause(f, 1)
	if CountWords(place+s) <= MaxWords || CountWords(s) > MaxWords {
		s = place + s
	}
	return Sentence(Fit(s))
}

// clause is a fact without its place, with at most limit names, or one more.
func clause(f *fact.Fact, limit int) string {
	return Fill(f.Rule.Sentence(f.Form).Text, f.Slots, ListOf(f.Names, limit, "and"), len(f.Names) > 1)
}
