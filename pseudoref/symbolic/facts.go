package symbolic

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"crscore/pseudoref/symbolic/phrase"

	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"

	"crscore/change"
	"crscore/pseudoref"
)

// finding is a fact before it is merged with its like.
type finding struct {
	kind   pseudoref.Kind
	rule   string
	weight int
	where  string // "`push`"; the sentence gets "In `push`, " before it
	// what is the clause. With names, it is the clause for one name, and many
	// for several; both hold one slot for them.
	what, many  string
	names       []string
	group       tree.Node // names are merged only within it
	path        string
	side        change.Side
	first, last int
	order       int
	// def and slots are what a rule of the catalogue was filled with.
	def   *fact.Rule
	slots fact.Slots
}

// slot stands for the names in a clause. It is a control character, which
// quoted code never holds.
const slot = "\x01"

// merge joins facts that say the same of several names, drops repetitions, and
// says once what happens in several places.
func merge(facts []*finding) []*finding {
	var out []*finding
	type key struct {
		group                   tree.Node
		path, rule, where, what string
		side                    change.Side
	}
	byKey := map[key]*finding{}
	for _, f := range facts {
		key := key{f.group, f.path, f.rule, f.where, f.what, f.side}
		if g, ok := byKey[key]; ok {
			g.first, g.last = min(g.first, f.first), max(g.last, f.last)
			for _, n := range f.names {
				if !slices.Contains(g.names, n) {
					g.names = append(g.names, n)
				}
			}
			continue
		}
		byKey[key] = f
		out = append(out, f)
	}
	facts, out = out, nil
	first := map[string]*finding{}
	places := map[*finding][]string{}
	for _, f := range facts {
		key := strings.Join([]string{f.path, f.rule, f.what, strings.Join(f.names, "\x00"), f.side.String()}, "\x00")
		g, ok := first[key]
		if ok && f.where != "" && g.where != "" {
			places[g] = append(places[g], f.where)
			g.first, g.last = min(g.first, f.first), max(g.last, f.last)
			continue
		}
		if !ok {
			first[key], places[f] = f, []string{f.where}
		}
		out = append(out, f)
	}
	for f, in := range places {
		f.where = phrase.List(phrase.Uniq(in))
	}
	return out
}

// regrouped puts one fact in the place of imports that went and came with the
// same names: they only stand otherwise.
func (w *writer) regrouped(found []*finding) []*finding {
	var gone, come *finding
	for _, f := range found {
		switch f.rule {
		case "import-removed":
			gone = f
		case "import-added":
			come = f
		}
	}
	if gone == nil || come == nil || gone.path != come.path {
		return found
	}
	a, b := slices.Sorted(slices.Values(gone.names)), slices.Sorted(slices.Values(come.names))
	if !slices.Equal(a, b) || len(a) == 0 || gone.slots != come.slots {
		return found
	}
	come.fill(w.rule("imports-regrouped"), fact.Slots{})
	return slices.DeleteFunc(found, func(f *finding) bool { return f == gone })
}

// pick keeps the limit heaviest facts, in the order in which they were found. Of
// those that weigh as much every file gives its first, then every file its second:
// else the first files of a large change would leave nothing for the others.
func pick(facts []*finding, limit int) []*finding {
	type key struct {
		path   string
		weight int
	}
	seen := make(map[key]int)
	turn := make(map[*finding]int, len(facts))
	for i, f := range facts {
		f.order = i
		k := key{f.path, f.weight}
		turn[f] = seen[k]
		seen[k]++
	}
	if len(facts) > limit {
		facts = slices.Clone(facts)
		slices.SortStableFunc(facts, func(a, b *finding) int {
			return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(turn[a], turn[b]))
		})
		facts = facts[:limit]
		slices.SortFunc(facts, func(a, b *finding) int { return cmp.Compare(a.order, b.order) })
	}
	return facts
}

// refs renders facts, without those that come out the same. The place is said
// with the first claim about it and understood from then on, as in prose.
func refs(facts []*finding, lines pastes) []pseudoref.Ref {
	seen := map[string]bool{}
	said := map[string]bool{}
	out := make([]pseudoref.Ref, 0, len(facts))
	var weights []int
	for _, f := range facts {
		if f.where != "" {
			k := f.path + "\x00" + f.where
			if said[k] {
				f.where = ""
			}
			said[k] = true
		}
		t := lines.unpasted(f.text())
		key := f.path + "\x00" + t // the same about another file is another claim
		if t == "" || seen[key] {
			continue
		}
		seen[key] = true
		weights = append(weights, f.weight)
		out = append(out, pseudoref.Ref{
			Kind: f.kind, Text: t, Source: Source, Rule: f.rule, Path: f.path, Side: f.side.String(),
			StartLine: f.first, EndLine: f.last,
		})
	}
	return distinct(out, weights)
}

// text renders the fact as a sentence of at most maxWords words: with fewer
// names and then without its place, where it is longer.
func (f *finding) text() string {
	where := ""
	if f.where != "" {
		where = "in " + f.where + ", "
	}
	for limit := 3; limit > 1; limit-- {
		if s := where + f.clause(limit); phrase.CountWords(s) <= phrase.MaxWords {
			return phrase.Sentence(s)
		}
	}
	s := f.clause(1)
	if phrase.CountWords(where+s) <= phrase.MaxWords || phrase.CountWords(s) > phrase.MaxWords {
		s = where + s
	}
	return phrase.Sentence(phrase.Fit(s))
}

// clause is the fact without its place, with at most limit names.
func (f *finding) clause(limit int) string {
	if len(f.names) == 0 {
		return f.what
	}
	s := f.what
	if len(f.names) > 1 {
		s = f.many
	}
	all := phrase.List(f.names)
	if n := len(f.names); n > limit {
		all = strings.Join(f.names[:limit], ", ") + " and " + strconv.Itoa(n-limit) + " more"
	}
	return strings.Replace(s, slot, all, 1)
}
