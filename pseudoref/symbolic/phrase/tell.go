// Package phrase puts code and facts into English: names of nodes, clauses for conditions,
// verb phrases for statements, quotations, articles, lists, the templates of rules and the
// limit of words. Other packages hold no English but templates and noun phrases.
//
// What decides whether a fact holds may not come in.
package phrase

import (
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/pseudoref/symbolic/fact"
)

// ClaimWords is the most words that a claim has.
const ClaimWords = 25

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

// Tell renders a fact as a sentence of at most ClaimWords words. Where it is longer, it names less, then leaves out its
// place, and then says phrases in short. It lets allowed choose between the forms of a phrase first.
func Tell(f *fact.Fact, place string, allowed func(full, short string) string) string {
	if place != "" {
		place = "in " + place + ", "
	}
	clause := func(limit int) string {
		return Fill(f.Rule.Sentence(f.Form).Text, f.Slots, ListOf(f.Names, limit, "and"), len(f.Names))
	}
	tell := func(s string) (said string, words int) {
		words = CountWords(s)
		said = settle(s, func(full, short string) string {
			pick := allowed(full, short)
			if words > ClaimWords {
				pick = short
			}
			words += CountWords(pick) - CountWords(full)
			return pick
		})
		return Sentence(said), words
	}
	forms := []string{place + clause(3), place + clause(2), place + clause(1), clause(1)}
	k := slices.IndexFunc(forms, func(s string) bool { return CountWords(s) <= ClaimWords })
	if k < 0 {
		k = 2 // a claim that is long without its place, too, is shortened where it is
	}
	said, words := tell(forms[k])
	if words > ClaimWords {
		said, _ = tell(forms[3])
	}
	return said
}

var (
	// optionalPart is a part of a template in square brackets, templateSlot a name in braces.
	optionalPart = regexp.MustCompile(`\[[^\[\]]*\]`)
	templateSlot = regexp.MustCompile(`\{[^{}]*\}`)
)

// Fill puts slots into the template of a rule. all is the text for {names}, and count how many of them there are:
// of several, {was|were} is "were". A part in square brackets is left out if a slot in it is empty. Brackets in
// slots stay as they are, since only the template is searched for them.
func Fill(template string, s fact.Slots, all string, count int) string {
	said := func(slot string) string {
		name := slot[1 : len(slot)-1]
		one, many, _ := strings.Cut(name, "|")
		switch found := s.Named(name); {
		case name == "objects":
			return Many(max(count, 1), s.Object)
		case name == "names":
			return all
		case found != nil:
			return *found
		}
		return Either(count > 1, many, one)
	}
	kept := optionalPart.ReplaceAllStringFunc(template, func(part string) string {
		if slices.ContainsFunc(templateSlot.FindAllString(part, -1), func(slot string) bool { return said(slot) == "" }) {
			return ""
		}
		return part[1 : len(part)-1]
	})
	return templateSlot.ReplaceAllStringFunc(kept, said)
}

// choice is a word for one name and a word for several in a template.
var choice = regexp.MustCompile(`\{([^{}|]*)\|[^{}]*\}`)

// Show returns a template as a sentence for the reader of the catalogue: with its slots and
// optional parts, and the words for one name.
func Show(template string) string {
	return Sentence(choice.ReplaceAllString(template, "$1"))
}
