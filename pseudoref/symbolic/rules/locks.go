package rules

import (
	"cmp"
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
)

var (
	locks      = map[string]string{"Lock": "Unlock", "RLock": "RUnlock", "lock": "unlock", "acquire": "release"} // and what releases them
	lockName   = regexp.MustCompile(`(?:\b(?:\w*_)?(?:rw|spin)?(?:lock|mutex|mtx|mu)|Lock|Mutex|MUTEX|LOCK|Mu)_?(?:\(\))?$`)
	sharedData = regexp.MustCompile(`(?m)^\s*(\w+)\s+(?:map\[|\[\])`) // a field of Go that is no copy where it is returned
)

// lock returns what a call takes or releases, or a block holds, and what releases it: "" where no lock is taken.
func lock(n tree.Node) (what, release string) {
	name := tree.CalledName(n)
	if k := n.NamedKids(); n.Is(syntax.With) && len(k) > 0 {
		what, name = tree.OneLine(tree.Strip(k[0]).Text()), phrase.FirstWord(n.Text())
		return what, phrase.Either(name == "lock" || name == "synchronized" || name == "with" && lockName.MatchString(what), "}", "")
	}
	if r := tree.Receiver(n); r.Ok() {
		return tree.OneLine(r.Text()), locks[name]
	}
	if a := tree.Arguments(n).NamedKids(); len(a) == 1 && n.Traits().SpreadTypes { // a function of C
		stem, takes := strings.CutSuffix(name, "_lock")
		return strings.TrimLeft(tree.OneLine(a[0].Text()), "& "), phrase.Either(takes, stem+"_unlock", "")
	}
	return "", ""
}

func lockRules() []fact.Rule {
	return append(fact.Both("lock", fact.Behaviour, "the lock {object} is {now} taken{new}{detail}"),
		fact.Implication("lock-effect", "{object} that call {names} at once now wait for the lock {of}").
			Or("reading", "{object} can be in {names} at once, as long as none holds the lock {of} for writing"),
		fact.Implication("guarded-returned", "{object} returns {new} itself and no copy, so callers use it after the lock is released"),
	)
}

// locked says that a call takes a lock from now on and how that is released, or that it
// did until now. It answers false for other calls, and where both sides take the lock.
func (w *writer) locked(n tree.Node, at phrase.Place, added bool) bool {
	what, release := lock(n)
	if release == "" || w.lockedBefore(n, what) {
		return false
	}
	with, released := tree.CalledName(n), ""
	for _, c := range cmp.Or(n.Under(syntax.Function), n.Root()).Find(200, nil, syntax.Call) {
		if of, _ := lock(c); c.I > n.I && of == what && tree.CalledName(c) == release {
			s := cmp.Or(c.Under(syntax.ExpressionStatement, syntax.Defer, syntax.Block), c)
			w.done[c], w.done[s] = w.fresh[c], w.fresh[s] && !s.Is(syntax.Block)
			again := " and released again with " + phrase.Code(release)
			released = cmp.Or(released, phrase.Either(s.Is(syntax.Defer), " and released when the function ends", again))
		}
	}
	if released == "" && !lockName.MatchString(what) && !strings.HasSuffix(with, "_lock") {
		return false // it may be a door
	}
	mode := phrase.Either(with == "RLock", " for reading", phrase.Either(strings.Contains(string(n.Src), what+".RLock("), " for writing", ""))
	s := fact.Slots{Object: phrase.Code(what), New: mode + " with " + phrase.Code(with), Detail: phrase.Either(added, released, "")}
	w.add(n, "lock-"+fact.Verb(added), at.String(), s)
	if added {
		w.waits(n, what, at)
	}
	return true
}

// lockedBefore tells whether the function takes a lock on the other side, too.
func (w *writer) lockedBefore(n tree.Node, what string) bool {
	in := w.same.Partner(cmp.Or(n.Under(syntax.Function), n.Root()))
	return slices.ContainsFunc(in.Find(200, nil, syntax.Call, syntax.With), func(c tree.Node) bool {
		of, release := lock(c)
		return of == what && release != ""
	})
}

// waits says what a new lock means for callers, and that a function gives out what it guards.
func (w *writer) waits(n tree.Node, what string, at phrase.Place) {
	f := n.Under(syntax.Function, syntax.Constructor, syntax.Lambda) // one that a hunk leaves out may have taken it before
	if !f.Is(syntax.Function) || at.Fn == "" || at.Test || strings.Contains(w.same.Partner(f).First(syntax.Modifier).Text(), "synchronized") {
		return
	}
	several, which := "several "+cmp.Or(n.Traits().Threads, "threads"), phrase.Either(lockName.MatchString(what), "", "of ")+phrase.Code(what)
	form := phrase.Either(tree.CalledName(n) == "RLock", "reading", "")
	w.add(n, "lock-effect", "", fact.Slots{Form: form, Object: several, Of: which}, phrase.Code(at.Fn))
	of, _, _ := phrase.CutLast(what, ".")
	for _, r := range f.Find(8, func(r syntax.Role) bool { return r == syntax.Lambda }, syntax.Return) {
		name, ok := strings.CutPrefix(phrase.Returned(r).Text(), of+".")
		for _, fr := range w.file.Fragments(n.Frag.Side) {
			if ok && slices.ContainsFunc(sharedData.FindAllStringSubmatch(string(fr.Source), -1), func(m []string) bool { return m[1] == name }) {
				w.add(r, "guarded-returned", "", fact.Slots{Object: phrase.Code(at.Fn), New: phrase.Code(of + "." + name)})
			}
		}
	}
}
