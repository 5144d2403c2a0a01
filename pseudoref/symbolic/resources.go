package symbolic

import (
	"slices"
	"strings"

	"crscore/change"
	"crscore/internal/syntax"
)

// closers are the methods that give back what was opened or taken.
var closers = []string{"close", "release", "unlock", "disconnect", "shutdown", "quit", "cleanup"}

// closedBefore finds the call, gone now, that closed what a new with statement
// closes, and names that.
func (w *writer) closedBefore(n item) string {
	if w.freshClosed == nil {
		w.freshClosed = map[closing]int{}
		for x := range w.fresh {
			c := strip(unnested(x))
			if !c.is(syntax.Call) || !slices.Contains(closers, calledName(c)) || !receiver(c).is(syntax.Identifier) {
				continue
			}
			k := closing{x.frag.Side, receiver(c).text()}
			if first, ok := w.freshClosed[k]; !ok || c.i < first {
				w.freshClosed[k] = c.i
			}
		}
	}
	found, at := "", -1
	for _, k := range n.find(20, func(r syntax.Role) bool { return r == syntax.Block }, syntax.Identifier) {
		if first, ok := w.freshClosed[closing{1 - n.frag.Side, k.text()}]; ok && (at < 0 || first < at) {
			found, at = k.text(), first
		}
	}
	return found
}

// closing is a name on a side that something was closed by.
type closing struct {
	side change.Side
	name string
}

func (w *writer) with(n item, at place, added bool) {
	v := verb(added)
	if added {
		if name := w.closedBefore(n); name != "" {
			w.follows(n, "closed-always", code(name)+" is now also closed when an error occurs in between")
		}
	}
	word := firstWord(n.text())
	if rest, ok := strings.CutPrefix(oneLine(n.text()), "async "); ok {
		word = "async " + firstWord(rest)
	}
	what := an("`" + word + "` block")
	if k := n.namedKids(); len(k) > 0 && !k[0].is(syntax.Block) {
		what = an("`"+word+"` statement on ") + say(k[0])
	}
	if in := w.inner(n); len(in) > 0 && added {
		wrapped, several := together(in)
		w.say(n, wBehaviour, "with-"+v, at.String(), wrapped+" now "+runs(several)+" inside "+what)
		return
	}
	w.say(n, wBehaviour, "with-"+v, at.String(), what+effectsTail(body(n))+" was "+v)
}
