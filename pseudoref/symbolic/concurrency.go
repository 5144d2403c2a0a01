package symbolic

import (
	"bytes"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

// locks are the functions that take a lock, with those that release it.
var locks = map[string]string{
	"Lock": "Unlock", "RLock": "RUnlock", "lock": "unlock", "acquire": "release", "Acquire": "Release", "tryLock": "unlock", "TryLock": "Unlock",
}

// lock returns what a call locks and with which function, or "".
func lock(call item) (what, with string) {
	name := calledName(call)
	if a := arguments(call).namedKids(); strings.HasSuffix(name, "_lock") && len(a) == 1 && call.traits().SpreadTypes {
		return strings.TrimLeft(oneLine(a[0].text()), "&"), name
	}
	if locks[name] == "" {
		return "", ""
	}
	if r := receiver(call); r.ok() && r.is(syntax.Identifier, syntax.Member) {
		return oneLine(r.text()), name
	}
	return "", ""
}

// locked says that a lock is taken and how it is released. It answers false
// for any other call.
func (w *writer) locked(n, call item, at place, added bool) bool {
	what, with := lock(call)
	if what == "" {
		return false
	}
	released := ""
	for k, i := w.outermost(n).next(), 0; k.ok() && i < maxClimb && released == ""; k, i = k.next(), i+1 {
		c := task(strip(k))
		if lastName(callee(c)) != locks[with] || oneLine(receiver(c).text()) != what || !w.fresh[k] {
			continue
		}
		w.done[k], w.done[strip(k)] = true, true
		if k.is(syntax.Defer) {
			released = " and released when the function ends"
		} else {
			released = " and released again with " + code(locks[with])
		}
	}
	if added {
		mode := ""
		if with == "RLock" {
			mode = " for reading"
		} else if bytes.Contains(n.src, []byte(what+".RLock(")) {
			mode = " for writing"
		}
		w.say(n, wBehaviour, "lock-added", at.String(), "the lock "+code(what)+" is now taken"+mode+" with "+code(with)+released)
		if at.fn != "" {
			threads := n.traits().Threads
			if threads == "" {
				threads = "threads"
			}
			one := "several " + threads + " that call " + slot + " at once now wait for the lock " + code(what)
			if with == "RLock" {
				one = "several " + threads + " can be in " + slot + " at once, as long as none holds the lock " + code(what) + " for writing"
			}
			w.names(n, wFollows, "lock-effect", "", one, one, code(at.fn)).kind = implication
			w.handedOut(n, what, at)
		}
		return true
	}
	w.say(n, wBehaviour, "lock-removed", at.String(), "the lock "+code(what)+" is no longer taken with "+code(with))
	w.follows(n, "lock-removed-effect", "what "+code(what)+" guarded in "+at.subject()+" may now be used at the same time by several threads")
	return true
}

// handedOut says that a function returns a map or a list that a lock guards,
// so that callers use it without the lock.
func (w *writer) handedOut(n item, lock string, at place) {
	k := strings.LastIndexByte(lock, '.')
	f := n.under(syntax.Function)
	if k < 0 || !f.ok() {
		return
	}
	for _, r := range f.find(8, func(r syntax.Role) bool { return r == syntax.Lambda }, syntax.Return) {
		kids := r.namedKids()
		if len(kids) == 0 {
			continue
		}
		name, ok := strings.CutPrefix(strip(kids[0]).text(), lock[:k+1])
		if !ok || !simpleName(name) {
			continue
		}
		shared := regexp.MustCompile(`(?m)^\s*` + regexp.QuoteMeta(name) + `\s+(?:map\[|\[\])`)
		for _, fr := range w.file.Fragments(n.frag.Side) {
			if shared.Match(fr.Source) {
				w.follows(r, "guarded-returned", code(at.fn)+" returns "+code(lock[:k+1]+name)+" itself and no copy, so callers use it after the lock is released")
				return
			}
		}
	}
}

// outermost is n or the statement that consists of nothing but n.
func (w *writer) outermost(n item) item {
	for p := n.parent(); p.is(syntax.ExpressionStatement); p = n.parent() {
		n = p
	}
	return n
}

// task is what a deferred or spawned statement calls; n itself for any other.
func task(n item) item {
	if n.is(syntax.Defer, syntax.Spawn) {
		if k := n.namedKids(); len(k) > 0 {
			return strip(k[0])
		}
	}
	return n
}

// taskPhrase is "call to `close`" or "function that calls `close`".
func taskPhrase(n item) string {
	c := task(n)
	if f := strip(c.child("function")); f.is(syntax.Lambda) {
		return "function" + effectsTail(body(f))
	}
	if c.is(syntax.Call) {
		return callNoun(c)
	}
	return "block" + effectsTail(body(n))
}

// deferred says that something runs when the function ends.
func (w *writer) deferred(n item, at place, added bool) {
	for _, c := range n.find(20, nil, syntax.Call) {
		if callee(c) == "recover" {
			w.say(n, wBehaviour, "recover-"+verb(added), at.String(), "a panic is "+map[bool]string{true: "now", false: "no longer"}[added]+" recovered")
			return
		}
	}
	what := "a deferred " + taskPhrase(n) + " was " + verb(added)
	if added {
		what = "a " + taskPhrase(n) + " is now deferred to the end of the function"
		if in := w.inner(n); len(in) > 0 {
			what = noun(in[0], "the") + " is now deferred to the end of the function"
		}
	}
	w.say(n, wBehaviour, "defer-"+verb(added), at.String(), what)
}

// spawned says that something runs at the same time as what follows.
func (w *writer) spawned(n item, at place, added bool) {
	if in := w.inner(n); len(in) > 0 && added {
		w.say(n, wBehaviour, "goroutine-added", at.String(), noun(in[0], "the")+" now runs in a goroutine of its own")
		return
	}
	does := ""
	if callee(task(n)) != "" {
		does = " that calls " + called(task(n))
	}
	if f := strip(task(n).child("function")); f.is(syntax.Lambda) {
		does = effectsTail(body(f))
	}
	w.say(n, wBehaviour, "goroutine-"+verb(added), at.String(), "a goroutine"+does+map[bool]string{true: " is now started", false: " is no longer started"}[added])
}

// sent returns what is sent and on which channel.
func sent(n item) (value, channel string) {
	return say(n.child("value")), code(n.child("channel").text())
}
