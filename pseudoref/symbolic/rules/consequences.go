package rules

import (
	"maps"
	"slices"
	"sort"
	"strings"

	"crscore/change"
	regexp "crscore/internal/lazyregexp"
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
	case syntax.TableOf(w.file.Lang) != nil && w.all(imports): // not of a list of dependencies, which is no code
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

// means says what a well-known change means: `log.debug(m)` that becomes `log.warn(m)` shows where debug messages are
// left out, and `d[k]` in the place of Python's `d.get(k, 0)` raises an error where there is no such key.
func (w *writer) means(a, b tree.Node) {
	on, args := tree.Receiver(a).Text(), tree.Arguments(b)
	level := func(n tree.Node) int {
		name := strings.ToLower(tree.CalledName(n))
		return slices.IndexFunc(levels, func(l string) bool { return strings.HasPrefix(name, l) })
	}
	same := tree.Arguments(a).Hash() == args.Hash() && on == tree.Receiver(b).Text()
	if i, j := level(a), level(b); same && i >= 0 && j >= 0 && i != j && strings.Contains(strings.ToLower(on), "log") {
		message := "the message " + phrase.Say(args.First(syntax.String))
		w.add(b, "log-level", "", fact.Slots{Form: phrase.Either(i < j, "", "less"), Object: message, Old: levels[min(i, j)]})
	}
	k := b.NamedKids()
	if b.Is(syntax.Index) && b.Traits().Docstrings && tree.CalledName(a) == "get" && len(k) > 0 && on != "" && k[0].Text() == on {
		w.add(b, "missing-key", "", fact.Slots{Object: phrase.Code(b.Text())})
	}
}

// reach says which other functions of the file a change reaches: those that call
// a function with changed lines. Only whole texts tell.
func (w *writer) reach(a, b *tree.Tree) {
	if a == nil || b == nil || !a.Frag.Whole || !b.Frag.Whole {
		return
	}
	was := w.touched(a, change.Old)
	maps.Copy(was, w.touched(b, change.New)) // where a function has lines on both sides, the new ones tell
	for _, name := range slices.Sorted(maps.Keys(was)) {
		n := was[name]
		if len(name) < 3 || !phrase.SimpleName(name) || !w.behaves(n) { // too many things share a short name
			continue
		}
		// It must be there before and after, and once: of several of one name the
		// call may mean another.
		_, before := callersOf(a, name)
		callers, after := callersOf(b, name)
		if before == 1 && after == 1 && len(callers) > 0 {
			w.add(n, "callers-affected", "", fact.Slots{Object: phrase.Code(name)}, callers...)
		}
	}
}

// behaves tells whether something was said of what a function does or gives. What it prints, and the default of a
// parameter that its callers may give, change nothing for them.
func (w *writer) behaves(f tree.Node) bool {
	first, last := f.LineRange()
	return slices.ContainsFunc(w.Facts, func(x *fact.Fact) bool {
		return x.Weight >= fact.Value && !inward.MatchString(x.Object) && (x.Side != f.Frag.Side || x.First <= last && x.Last >= first)
	})
}

// inward are words for what callers see nothing of: "a call to `log.Printf`".
var inward = regexp.MustCompile("(?i)^the default of |call to `(?:[^`]*\\b)?(?:_?log(?:ger|ging)?|console|debug|echo|puts|print\\w*)\\b")

// touched returns the functions of a side with changed lines of their own, by
// name; no tests and no constructors.
func (w *writer) touched(t *tree.Tree, side change.Side) map[string]tree.Node {
	lines := w.changedLines(side)
	inner := make([]tree.Node, len(lines)) // the function around each
	for i := range t.Len() {               // in preorder: the last one is the innermost
		f := t.At(i)
		if !f.Role().IsFunction() || w.fresh[f] {
			continue
		}
		first, last := f.LineRange()
		for k := sort.SearchInts(lines, first); k < len(lines) && lines[k] <= last; k++ {
			inner[k] = f
		}
	}
	out := map[string]tree.Node{}
	for _, f := range inner {
		if name := tree.NameOf(f); f.Ok() && !phrase.IsConstructor(f) && !phrase.IsTest(f, name) {
			out[name] = f
		}
	}
	return out
}

// callersOf names the functions that call a function of the file by its name alone
// or on the object itself (a method of that name of another object is another thing),
// and counts the functions of that name.
func callersOf(t *tree.Tree, name string) (callers []string, declared int) {
	places := t.PlacesOf(name, 0, len(t.Src))
	for _, at := range places[:min(len(places), 50)] { // a bound of the work: who calls it in more places, many know
		f := t.Frag.Enclosing(t.Frag.Nodes.NamedAt(at), syntax.Role.IsFunction)
		if f == nil {
			continue
		}
		caller, end := t.Frag.Name(f), at+len(name)
		switch {
		case caller == name:
			if slices.Index(t.PlacesOf(name, int(f.StartByte()), int(f.EndByte())), at) == 0 {
				declared++
			}
		case caller != "" && end < len(t.Src) && t.Src[end] == '(' && t.TextAt(at) == syntax.Other &&
			own.Match(t.Src[max(0, at-len("parent::")-1):at]):
			callers = append(callers, phrase.Code(caller))
		}
	}
	return phrase.Uniq(callers), declared
}

// own finds what stands before a name that is called on nothing or on the object itself, so not `b.` or `"`.
var own = regexp.MustCompile(`(?:^|[^.:>"'])$|\bthis(?:\.|->)$|\b(?:self|cls|super)\.$|\b(?:self|Self|static|parent)::$`)

func consequenceRules() []fact.Rule {
	return []fact.Rule{
		fact.Implication("callers-affected", "{names} {calls|call} the changed {object}"),
		fact.Claim("formatting-only", fact.Format, "only white space and line breaks were changed").
			Or("some", "only white space was changed: {detail}").
			Or("order", "only the order or the formatting was changed, the content stays the same"),
		fact.Implication("missing-key", "{object} raises an error where the key is missing"),
		fact.Implication("log-level", "{object} is now also written where messages of the level {old} are left out").
			Or("less", "{object} is no longer written where messages of the level {old} are left out"),
		fact.Implication("imports-only", "only imports were changed, and none of the code below them"),
		fact.Implication("tests-only", "only tests were changed, so the code that they test stays the same"),
	}
}
