package phrase

import (
	"strings"

	"crscore/pseudoref/symbolic/fact"
)

// MaxWords is the most words that a claim has.
const MaxWords = 25

// The marks around a phrase that can be said in full or in short, and between the two. No
// text of a change has them, since tree.OneLine leaves control characters out.
const (
	choiceOpens = "\x01"
	choiceShort = "\x02"
	choiceEnds  = "\x03"
)

// Or is a phrase in full and in short. Only Tell knows how long the claim is that the phrase
// will stand in, so only Tell chooses: "the result of `f` with "a text"", else "the result of `f`".
func Or(full, short string) string {
	if short = settle(short, shortly); short == full {
		return full
	}
	return choiceOpens + full + choiceShort + short + choiceEnds
}

// settle lets pick choose for each phrase that has two forms, the last and innermost ones
// first: what stands in another phrase is chosen before that one, and is its full form.
func settle(s string, pick func(full, short string) string) string {
	for i := strings.LastIndex(s, choiceOpens); i >= 0; i = strings.LastIndex(s, choiceOpens) {
		full, rest, _ := strings.Cut(s[i+1:], choiceShort)
		short, rest, _ := strings.Cut(rest, choiceEnds)
		s = s[:i] + pick(full, short) + rest
	}
	return s
}

func fully(full, _ string) string    { return full }
func shortly(_, short string) string { return short }

// CountWords counts the words of a phrase in full.
func CountWords(s string) int { return len(strings.Fields(settle(s, fully))) }

// PlacesOf names the places of a fact.
func PlacesOf(f *fact.Fact) string { return List(Uniq(append([]string{f.Place}, f.Also...))) }

// Tell renders a fact as a sentence of at most MaxWords words. Where it is longer, it names
// less, then leaves out its place, and then says phrases in short. It lets allowed choose
// between the forms of a phrase first.
func Tell(f *fact.Fact, place string, allowed func(full, short string) string) string {
	if place != "" {
		place = "in " + place + ", "
	}
	clause := func(limit int) string {
		return Fill(f.Rule.Sentence(f.Form).Text, f.Slots, ListOf(f.Names, limit, "and"), len(f.Names) > 1)
	}
	short := clause(1)
	for _, s := range []string{place + clause(3), place + clause(2), place + short, short} {
		if CountWords(s) <= MaxWords {
			return Sentence(settle(s, allowed))
		}
	}
	said := ""
	for _, said = range []string{place + short, short} {
		words := CountWords(said)
		said = settle(said, func(full, short string) string {
			pick := allowed(full, short)
			if words > MaxWords {
				pick = short
			}
			words += CountWords(pick) - CountWords(full)
			return pick
		})
		if words <= MaxWords {
			break
		}
	}
	return Sentence(said)
}
