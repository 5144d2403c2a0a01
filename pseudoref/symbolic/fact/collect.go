package fact

import (
	"cmp"
	"slices"
	"strings"

	"crscore/change"
	"crscore/internal/limits"
)

// Rules are rules by their IDs.
type Rules map[string]*Rule

// Table returns rules by their IDs.
func Table(all []Rule) Rules {
	out := make(Rules, len(all))
	for i := range all {
		out[all[i].ID] = &all[i]
	}
	return out
}

// Get looks an ID up. An unknown ID is a fault of the program, which TestCatalogue finds.
func (r Rules) Get(id string) *Rule {
	if r[id] == nil {
		panic("no rule " + id + " in the catalogue")
	}
	return r[id]
}

// Collector collects the facts of a file.
type Collector struct {
	// Path is the path of the file, Rules the catalogue.
	Path  string
	Rules Rules
	// Facts are what was found, in the order in which it was found.
	Facts []*Fact
}

// Full tells whether nothing more is collected.
func (c *Collector) Full() bool { return len(c.Facts) >= limits.FileFacts }

// Add adds a fact under a rule. It returns the fact even if the collector is full.
func (c *Collector) Add(id, place string, at Lines, s Slots, names ...string) *Fact {
	f := (&Fact{Place: place, Names: names, Path: c.Path, Lines: at}).As(c.Rules.Get(id), s)
	if !c.Full() {
		c.Facts = append(c.Facts, f)
	}
	return f
}

// Aside adds a fact that is said beside another one, about the same place: a review that
// speaks of the one need not speak of the other.
func (c *Collector) Aside(f *Fact, id string, s Slots) {
	g := *f
	g.As(c.Rules.Get(id), s).Weight = min(f.Weight, g.Weight)
	if !c.Full() && !f.Hold(Nothing) && !s.Hold(Nothing) {
		c.Facts = append(c.Facts, &g)
	}
}

// merged joins facts that have the same sentence, and of which the rest is the same, too.
func merged(facts []*Fact, rest func(*Fact) any, join func(into, f *Fact)) []*Fact {
	type key struct {
		rule  *Rule
		slots Slots
		path  string
		side  change.Side
		rest  any
	}
	var out []*Fact
	known := map[key]*Fact{}
	for _, f := range facts {
		k := key{f.Rule, f.Slots, f.Path, f.Side, rest(f)}
		g, ok := known[k]
		if !ok {
			known[k] = f
			out = append(out, f)
			continue
		}
		g.First, g.Last = min(g.First, f.First), max(g.Last, f.Last)
		join(g, f)
	}
	return out
}

// MergeNames joins facts that say the same of several names, and drops repetitions.
func MergeNames(facts []*Fact) []*Fact {
	within := func(f *Fact) any { return [2]any{f.Group, f.Place} }
	return merged(facts, within, func(into, f *Fact) {
		for _, n := range f.Names {
			if !slices.Contains(into.Names, n) {
				into.Names = append(into.Names, n)
			}
		}
	})
}

// mergePlaces says once what happens in several places.
func mergePlaces(facts []*Fact) []*Fact {
	placed := func(f *Fact) any {
		if f.Place == "" {
			return f // as no other
		}
		return strings.Join(f.Names, "\x00")
	}
	return merged(facts, placed, func(into, f *Fact) { into.Also = append(into.Also, f.Place) })
}

// Final returns the facts that are said: old states have facts of their own, and facts
// that say the same are one. Only facts of rules that are on are kept.
func Final(facts []*Fact, rules Rules, on func(*Rule) bool) []*Fact {
	var out []*Fact
	for _, f := range facts {
		was := f.before(rules)
		for _, f := range []*Fact{f, was} {
			if f != nil && on(f.Rule) {
				f.Slots = f.usedBy(f.Rule.Sentence(f.Form).Text)
				out = append(out, f)
			}
		}
	}
	return mergePlaces(MergeNames(out))
}

// Pick keeps the limit heaviest facts, in their order. Of those that weigh as much every path gives its first,
// then every path its second: else the first files of a large change would leave nothing for the others.
func Pick(facts []*Fact, limit int) []*Fact {
	if len(facts) <= limit {
		return facts
	}
	type group struct {
		path   string
		weight int
	}
	size := make(map[group]int)
	turn, light := make(map[*Fact]int, len(facts)), make(map[*Fact]bool)
	for _, f := range facts {
		g := group{f.Path, f.Weight}
		turn[f] = size[g]
		size[g]++
	}
	ranked := slices.Clone(facts)
	slices.SortStableFunc(ranked, func(a, b *Fact) int { return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(turn[a], turn[b])) })
	for _, f := range ranked[limit:] {
		light[f] = true
	}
	return slices.DeleteFunc(slices.Clone(facts), func(f *Fact) bool { return light[f] })
}
