package symbolic

import (
	"cmp"
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

var (
	locks      = map[string]string{"Lock": "Unlock", "RLock": "RUnlock", "lock": "unlock", "acquire": "release"} // and what releases them
	lockName   = regexp.MustCompile(`(?:\b(?:\w*_)?(?:rw|spin)?(?:lock|mutex|mtx|mu)|Lock|Mutex|MUTEX|LOCK|Mu)_?(?:\(\))?$`)
	sharedData = regexp.MustCompile(`(?m)^\s*(\w+)\s+(?:map\[|\[\])`) // a field of Go that is no copy where it is returned
)

// lock returns what a call takes or releases, or a block holds, and the name of what
// releases it, which is "" where nothing takes a lock.
func lock(n item) (what, release string) {
	name := calledName(n)
	if k := n.namedKids(); n.is(syntax.With) && len(k) > 0 {
		what, name = oneLine(strip(k[0]).text()), firstWord(n.text())
		return what, either(name == "lock" || name == "synchronized" || name == "with" && lockName.MatchString(what), "}", "")
	}
	if r := receiver(n); r.ok() {
		return oneLine(r.text()), locks[name]
	}
	if a := arguments(n).namedKids(); len(a) == 1 && n.traits().SpreadTypes { // a function of C
		stem, takes := strings.CutSuffix(name, "_lock")
		return strings.TrimLeft(oneLine(a[0].text()), "& "), either(takes, stem+"_unlock", "")
	}
	return "", ""
}

// locked says that a call takes a lock from now on and how that is released, or that it
// did until now. It answers false for other calls, and where both sides take the lock.
func (w *writer) locked(n item, at place, added bool) bool {
	what, release := lock(n)
	if release == "" || w.lockedBefore(n, what) {
		return false
	}
	with, released := calledName(n), ""
	for _, c := range cmp.Or(n.under(syntax.Function), n.root()).find(200, nil, syntax.Call) {
		if of, _ := lock(c); c.i > n.i && of == what && calledName(c) == release {
			s := cmp.Or(c.under(syntax.ExpressionStatement, syntax.Defer, syntax.Block), c)
			w.done[c], w.done[s] = w.fresh[c], w.fresh[s] && !s.is(syntax.Block)
			released = cmp.Or(released, either(s.is(syntax.Defer), " and released when the function ends", " and released again with "+code(release)))
		}
	}
	if released == "" && !lockName.MatchString(what) && !strings.HasSuffix(with, "_lock") {
		return false // it may be a door
	}
	mode := either(with == "RLock", " for reading", either(strings.Contains(string(n.src), what+".RLock("), " for writing", ""))
	w.say(n, wBehaviour, "lock-"+verb(added), at.String(), "the lock "+code(what)+" is "+now(added)+" taken"+mode+" with "+code(with)+either(added, released, ""))
	if added {
		w.waits(n, what, at)
	}
	return true
}

// lockedBefore tells whether the function takes a lock on the other side, too.
func (w *writer) lockedBefore(n item, what string) bool {
	in := w.same.partner(cmp.Or(n.under(syntax.Function), n.root()))
	return slices.ContainsFunc(in.find(200, nil, syntax.Call, syntax.With), func(c item) bool {
		of, release := lock(c)
		return of == what && release != ""
	})
}

// waits says what a new lock means for callers, and that a function gives out what it guards.
func (w *writer) waits(n item, what string, at place) {
	f := n.under(syntax.Function, syntax.Constructor, syntax.Lambda) // one that a hunk leaves out may have taken it before
	if !f.is(syntax.Function) || at.fn == "" || at.test || strings.Contains(w.same.partner(f).first(syntax.Modifier).text(), "synchronized") {
		return
	}
	several, which := "several "+cmp.Or(n.traits().Threads, "threads"), either(lockName.MatchString(what), "", "of ")+code(what)
	one := either(calledName(n) == "RLock", " can be in "+slot+" at once, as long as none holds the lock "+which+" for writing",
		" that call "+slot+" at once now wait for the lock "+which)
	w.names(n, wFollows, "lock-effect", "", several+one, several+one, code(at.fn)).kind = implication
	of, _, _ := cutLast(what, ".")
	for _, r := range f.find(8, func(r syntax.Role) bool { return r == syntax.Lambda }, syntax.Return) {
		name, ok := strings.CutPrefix(returned(r).text(), of+".")
		for _, fr := range w.file.Fragments(n.frag.Side) {
			if ok && slices.ContainsFunc(sharedData.FindAllStringSubmatch(string(fr.Source), -1), func(m []string) bool { return m[1] == name }) {
				w.follows(r, "guarded-returned", code(at.fn)+" returns "+code(of+"."+name)+" itself and no copy, so callers use it after the lock is released")
			}
		}
	}
}
