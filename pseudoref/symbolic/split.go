package symbolic

import (
	"strings"

	"crscore/pseudoref/symbolic/phrase"

	"crscore/pseudoref/symbolic/fact"
)

// split returns facts for each thing that a fact says.
func split(facts []*finding, rules map[string]*fact.Rule) []*finding {
	var out []*finding
	for _, f := range facts {
		form := strings.TrimSpace(f.slots.Form + " " + fact.Now)
		if d := f.def; d.Before != "" && d.Has(form) && len(f.names) == 0 && hasQuote(f.slots.Old) {
			before := rules[d.Before]
			now, was := *f, *f
			now.what = phrase.Fill(d.Sentence(form).Text, f.slots, "", false)
			was.rule, was.weight, was.def = before.ID, min(f.weight, before.Weight), before
			was.what = phrase.Fill(before.Sentence(f.slots.Form).Text, f.slots, "", false)
			out = append(out, &now, &was)
			continue
		}
		out = append(out, f)
	}
	return out
}

// hasQuote reports whether a text quotes code or words.
func hasQuote(s string) bool {
	found := false
	phrase.Spans(s, func(int, int) { found = true })
	return found
}
