package rules

import (
	"slices"
	"strings"

	"crscore/change"
	"crscore/internal/syntax"
	"crscore/pseudoref"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
)

// all tells whether something holds of all facts.
func (w *writer) all(ok func(*fact.Fact) bool) bool {
	return !slices.ContainsFunc(w.Facts, func(f *fact.Fact) bool { return !ok(f) })
}

// alone says that a change touches nothing but imports or tests, so that a reader need not look for a change of
// behaviour. Besides what follows from the edits, all is said of a test or in one.
func (w *writer) alone() {
	imports := func(f *fact.Fact) bool {
		id := f.Rule.ID
		return strings.HasPrefix(id, "import-") || strings.HasPrefix(id, "dependency-") || id == "wildcard-import"
	}
	follows := func(f *fact.Fact) bool { return f.Kind == pseudoref.Implication }
	tests := func(f *fact.Fact) bool { return follows(f) || f.Test && f.Place != "" && f.Kind == pseudoref.Claim }
	switch {
	case len(w.Facts) == 0 || w.file.Status != change.Modified:
	case syntax.TableOf(w.file.Lang) != nil && w.all(imports):
		w.throughout("imports-only", fact.Slots{})
	case w.all(tests) && !w.all(follows):
		w.throughout("tests-only", fact.Slots{})
	}
}

// layout says of a change that only moved white space which lines it moved: how many
// became how many, or how many empty ones came or went.
func (w *writer) layout() fact.Slots {
	var empty, text [2]int
	for i := range w.file.Hunks {
		for _, l := range w.file.Hunks[i].Lines {
			side := phrase.Either(l.Op == change.Delete, change.Old, change.New)
			switch {
			case l.Op == change.Context:
			case strings.TrimSpace(l.Text) == "":
				empty[side]++
			default:
				text[side]++
			}
		}
	}
	switch came := empty[change.New] - empty[change.Old]; {
	case text[change.Old] != text[change.New]:
		return fact.Slots{Form: "some", Detail: phrase.Plural(text[change.Old], "line") + " became " + phrase.Plural(text[change.New], "line")}
	case text[change.New] == 0 && came != 0:
		return fact.Slots{Form: "some", Detail: phrase.Plural(max(came, -came), "empty line") + " " + fact.Verb(came > 0)}
	}
	return fact.Slots{}
}

// levels are the beginnings of the names of calls that log, what matters least first.
var levels = []string{"trace", "debug", "info", "warn", "error"}

// means says what a well-known change of an expression means: `log.debug(m)` that becomes
// `log.warn(m)` shows where debug messages are left out, and `d[k]` in the place of Python's
// `d.get(k, 0)` raises an error where there is no such key.
func (w *writer) means(a, b tree.Node) {
	on, same := tree.Receiver(a).Text(), tree.Arguments(a).Hash() == tree.Arguments(b).Hash()
	level := func(n tree.Node) int {
		name := strings.ToLower(tree.CalledName(n))
		return slices.IndexFunc(levels, func(l string) bool { return strings.HasPrefix(name, l) })
	}
	i, j, k := level(a), level(b), b.NamedKids()
	switch {
	case on == "":
	case i >= 0 && j >= 0 && i != j && same && on == tree.Receiver(b).Text() && strings.Contains(strings.ToLower(on), "log"):
		message := "the message " + phrase.Say(tree.Arguments(b).First(syntax.String))
		w.add(b, "log-level", "", fact.Slots{Form: phrase.Either(i < j, "", "less"), Object: message, Old: levels[min(i, j)]})
	case b.Is(syntax.Index) && b.Traits().Docstrings && tree.CalledName(a) == "get" && len(k) > 0 && k[0].Text() == on:
		w.add(b, "missing-key", "", fact.Slots{Object: phrase.Code(b.Text())})
	}
}

func consequenceRules() []fact.Rule {
	return []fact.Rule{
		fact.Claim("formatting-only", fact.Format, "only white space and line breaks were changed").
			Or("some", "only white space was changed: {detail}").
			Or("order", "only the order or the formatting was changed, the content stays the same"),
		fact.Implication("log-level", "{object} is now also written where messages of the level {old} are left out").
			Or("less", "{object} is no longer written where messages of the level {old} are left out"),
		fact.Implication("missing-key", "{object} raises an error where the key is missing"),
		fact.Implication("imports-only", "only imports were changed, and none of the code below them"),
		fact.Implication("tests-only", "only tests were changed, so the code that they test stays the same"),
	}
}
