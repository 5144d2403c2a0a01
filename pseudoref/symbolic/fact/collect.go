package fact

import (
	"cmp"
	"slices"
	"strings"

	"crscore/change"
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

// maxFacts bounds what is collected for a file before ranking.
const maxFacts = 2000

// Full tells whether nothing more is collected.
func (c *Collector) Full() bool { return len(c.Facts) >= maxFacts }

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

// MergeNames joins facts that say the same of several names, and drops repetitions.
func MergeNames(facts []*Fact) []*Fact {
	type key struct {
		group       any
		rule        *Rule
		path, place string
		slots       Slots
		side        change.Side
	}
	var out []*Fact
	known := map[key]*Fact{}
	for _, f := range facts {
		k := key{f.Group, f.Rule, f.Path, f.Place, f.Slots, f.Side}
		g, ok := known[k]
		if !ok {
			known[k] = f
			out = append(out, f)
			continue
		}
		g.widen(f)
		for _, n := range f.Names {
			if !slices.Contains(g.Names, n) {
				g.Names = append(g.Names, n)
			}
		}
	}
	return out
}

// mergePlaces says once what happens in several places.
func mergePlaces(facts []*Fact) []*Fact {
	type key struct {
		rule        *Rule
		path, names string
		slots       Slots
		side        change.Side
	}
	var out []*Fact
	first := map[key]*Fact{}
	for _, f := range facts {
		k := key{f.Rule, f.Path, strings.Join(f.Names, "\x00"), f.Slots, f.Side}
		g, ok := first[k]
		if ok && f.Place != "" && g.Place != "" {
			g.Also = append(g.Also, f.Place)
			g.widen(f)
			continue
		}
		if !ok {
			first[k] = f
		}
		out = append(out, f)
	}
	return out
}

// widen takes the lines of another fact in.
func (f *Fact) widen(g *Fact) { f.First, f.Last = min(f.First, g.First), max(f.Last, g.Last) }

// Final returns the facts that are said: old states have facts of their own, and facts
// that say the same are one. Only facts of rules that are on are kept.
func Final(facts []*Fact, rules Rules, on func(*Rule) bool) []*Fact {
	var out []*Fact
	for _, f := range facts {
		was := f.before(rules)
		for _, f := range []*Fact{f, was} {
			if f != nil && on(f.Rule) {
				f.usedBy(f.Rule.Sentence(f.Form).Text)
				out = append(out, f)
			}
		}
	}
	return mergePlaces(MergeNames(out))
}

// Pick keeps the limit heaviest facts, in their order. Of those that weigh as much every
// path gives its first, then every path its second: else the first files of a large change
// would leave nothing for the others.
func Pick(facts []*Fact, limit int) []*Fact {
	if len(facts) <= limit {
		return facts
	}
	type key struct {
		path   string
		weight int
	}
	seen := make(map[key]int)
	turn, order := make(map[*Fact]int, len(facts)), make(map[*Fact]int, len(facts))
	for i, f := range facts {
		k := key{f.Path, f.Weight}
		turn[f], order[f] = seen[k], i
		seen[k]++
	}
	out := slices.Clone(facts)
	slices.SortStableFunc(out, func(a, b *Fact) int { return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(turn[a], turn[b])) })
	out = out[:limit]
	slices.SortFunc(out, func(a, b *Fact) int { return cmp.Compare(order[a], order[b]) })
	return out
}
