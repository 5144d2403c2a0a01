package rules

import (
	"maps"
	"slices"
	"sort"

	"crscore/change"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
)

// reach says which other functions of the file a change reaches: those that call
// a function with changed lines. Only whole texts tell.
func (w *writer) reach(a, b *tree.Tree) {
	if a == nil || b == nil || !a.Frag.Whole || !b.Frag.Whole {
		return
	}
	was := w.touched(a, change.Old)
	for name, n := range w.touched(b, change.New) {
		was[name] = n
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		n := was[name]
		if len(name) < 3 || !phrase.SimpleName(name) || !w.behaves(n) {
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
	for k, f := range inner {
		if k > 0 && f == inner[k-1] {
			continue
		}
		if name := tree.NameOf(f); f.Ok() && !phrase.IsConstructor(f) && !phrase.IsTest(f, name) {
			out[name] = f
		}
	}
	return out
}

// maxPlaces bounds the places of a name that are looked at for calls.
const maxPlaces = 50

// callersOf names the functions that call a function of the file by its name alone
// or on the object itself (a method of that name of another object is another thing),
// and counts the functions of that name.
func callersOf(t *tree.Tree, name string) (callers []string, declared int) {
	places := t.PlacesOf(name, 0, len(t.Src))
	for _, at := range places[:min(len(places), maxPlaces)] {
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
		case caller != "" && end < len(t.Src) && t.Src[end] == '(' && own.Match(t.Src[max(0, at-len("parent::")-1):at]) && t.TextAt(at) == syntax.Other:
			callers = append(callers, phrase.Code(caller))
		}
	}
	return phrase.Uniq(callers), declared
}

// own finds what stands before a name that is called on nothing or on the object itself, so not `b.` or `"`.
var own = regexp.MustCompile(`(?:^|[^.:>"'])$|\bthis(?:\.|->)$|\b(?:self|cls|super)\.$|\b(?:self|Self|static|parent)::$`)

func reachRules() []fact.Rule {
	return []fact.Rule{fact.Implication("callers-affected", "{names} {calls|call} the changed {object}, and may be affected by the change")}
}
