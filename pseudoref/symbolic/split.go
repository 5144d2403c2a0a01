package symbolic

import (
	"strings"

	definitions "crscore/pseudoref/symbolic/fact"
	english "crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"

	regexp "crscore/internal/lazyregexp"
)

// each adds a claim for each of several deeds, since a review may speak of one
// and not of another.
func (w *writer) each(n tree.Node, weight int, rule, where, prefix string, deeds []string) {
	for _, d := range deeds {
		w.say(n, weight, rule, where, prefix+d)
	}
}

// beside adds what a claim says beside its main point as a claim of its own: a review
// that speaks of the one need not speak of the other.
func (w *writer) beside(f *fact, rule, what string) {
	if len(w.facts) >= maxFacts || strings.Contains(f.what+what, nothing) {
		return
	}
	g := *f
	g.rule, g.weight, g.what = stem(f.rule)+"-"+rule, min(f.weight, wAside), what
	w.facts = append(w.facts, &g)
}

// stem is a rule without what it ends with where something changed.
func stem(rule string) string {
	return strings.TrimSuffix(strings.TrimSuffix(rule, "-changed"), "-added")
}

// swapped says what something does now, and what it did before.
func (w *writer) swapped(n tree.Node, weight int, rule, where, subject, verb, to, from string) {
	past := map[string]string{"passes": "passed", "uses": "used", "returns": "returned"}
	w.beside(w.say(n, weight, rule, where, subject+" now "+verb+" "+to), "before", subject+" previously "+past[verb]+" "+from)
}

// splitting finds clauses that say several things. Quotations are one rune each in
// them. The first part keeps the rule; the other gets its name with "before".
type splitting struct {
	clause *regexp.Regexp
	parts  []string // templates
}

// q is a quotation in a clause.
const q = "[\ue000-\uf8ff]"

var splittings = []splitting{
	{regexp.MustCompile(`^(.*[^,]) was changed from (.*` + q + `.*) to (.+)$`), []string{"${1} is now ${3}", "${1} previously was ${2}"}},
	{regexp.MustCompile(`^(.*[^,]) were changed from (.*` + q + `.*) to (.+)$`), []string{"${1} are now ${3}", "${1} previously were ${2}"}},
}

// masked takes the quotations out of a clause.
func masked(s string) (string, []string) {
	var quotes []string
	var b strings.Builder
	last := 0
	spans(s, func(i, j int) {
		if len(quotes) < 1000 {
			b.WriteString(s[last:i])
			b.WriteRune(rune(0xe000 + len(quotes)))
			quotes = append(quotes, s[i:j])
			last = j
		}
	})
	b.WriteString(s[last:])
	return b.String(), quotes
}

// unmasked puts them back.
func unmasked(s string, quotes []string) string {
	var b strings.Builder
	for _, r := range s {
		if k := int(r) - 0xe000; k >= 0 && k < len(quotes) {
			b.WriteString(quotes[k])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// split returns facts for each thing that a fact says.
func split(facts []*fact, rules map[string]*definitions.Rule) []*fact {
	var out []*fact
	for _, f := range facts {
		form := strings.TrimSpace(f.slots.Form + " " + definitions.Now)
		if d := f.def; d != nil && d.Before != "" && d.Has(form) && len(f.names) == 0 && hasQuote(f.slots.Old) {
			before := rules[d.Before]
			now, was := *f, *f
			now.what = english.Fill(d.Sentence(form).Text, f.slots, "", false)
			was.rule, was.weight, was.def = before.ID, min(f.weight, before.Weight), before
			was.what = english.Fill(before.Sentence(f.slots.Form).Text, f.slots, "", false)
			out = append(out, &now, &was)
			continue
		}
		parts := f.parts()
		for i, p := range parts {
			g := *f
			g.what = p
			if i > 0 {
				g.rule, g.weight = stem(f.rule)+"-before", min(f.weight, wAside)
			}
			out = append(out, &g)
		}
		if parts == nil {
			out = append(out, f)
		}
	}
	return out
}

// hasQuote reports whether a text quotes code or words.
func hasQuote(s string) bool {
	found := false
	spans(s, func(int, int) { found = true })
	return found
}

// parts are the clauses of a fact that says several things, or nil.
func (f *fact) parts() []string {
	if f.def != nil {
		return nil
	}
	if len(f.names) > 0 || strings.ContainsFunc(f.what, func(r rune) bool { return r >= 0xe000 && r <= 0xf8ff }) {
		return nil
	}
	s, quotes := masked(f.what)
	for _, p := range splittings {
		if m := p.clause.FindStringSubmatchIndex(s); m != nil {
			var parts []string
			for _, t := range p.parts {
				parts = append(parts, unmasked(string(p.clause.ExpandString(nil, t, s, m)), quotes))
			}
			return parts
		}
	}
	return nil
}
