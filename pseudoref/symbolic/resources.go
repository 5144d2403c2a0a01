package symbolic

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
)

// closers are the methods that give back what was opened or taken.
var closers = []string{"close", "release", "unlock", "disconnect", "shutdown", "quit", "cleanup"}

// closedBefore finds the call, gone now, that closed what a new with statement
// closes, and names that.
func (w *writer) closedBefore(n item) string {
	var found item
	for x := range w.fresh {
		c := strip(unnested(x))
		if x.frag.Side == n.frag.Side || !c.is(syntax.Call) || !slices.Contains(closers, calledName(c)) || !receiver(c).is(syntax.Identifier) {
			continue
		}
		for _, k := range n.find(20, func(r syntax.Role) bool { return r == syntax.Block }, syntax.Identifier) {
			if k.text() == receiver(c).text() && (!found.ok() || c.i < found.i) {
				found = c
			}
		}
	}
	return receiver(found).text()
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
