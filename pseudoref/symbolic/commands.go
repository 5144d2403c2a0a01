package symbolic

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
)

// The sentences of languages that call commands: pipelines, lists of commands,
// redirections, quotes and the options of the shell.

// called in prose: "call to" or what the language has in its place.
func callTo(n item) string {
	if w := n.traits().CallWord; w != "" {
		return w
	}
	return "call to"
}

// calls is "calls", or "runs" for commands.
func calls(n item) string {
	if n.traits().CallWord != "" {
		return "runs"
	}
	return "calls"
}

// commandsOf names the commands of a pipeline or a list, in backticks.
func commandsOf(n item) []string {
	var out []string
	for _, c := range n.find(20, func(r syntax.Role) bool { return r.Is(syntax.Call, syntax.Block) }, syntax.Call) {
		if callee(c) != "" {
			out = append(out, "`"+callee(c)+"`")
		}
	}
	return uniq(out)
}

// conditionally returns the two parts of a list of commands of which the second
// runs depending on the first, and whether it runs when that one fails.
func conditionally(n item) (first, second item, fails, ok bool) {
	if n.traits().CallWord == "" || !n.is(syntax.Binary) {
		return item{}, item{}, false, false
	}
	l := logical(operator(n))
	k := n.namedKids()
	if l == "" || len(k) != 2 {
		return item{}, item{}, false, false
	}
	return k[0], k[1], l == "or", true
}

// conditionalDoes is the verb phrase of a list of commands: "runs `b` if `a`
// fails".
func conditionalDoes(n item, depth int) string {
	a, b, fails, ok := conditionally(n)
	if !ok {
		return ""
	}
	then := does(b, depth+1)
	if t := oneLine(b.text()); t == "true" || t == ":" {
		if x := does(a, depth+1); x != "" {
			return x + " and ignores its failure"
		}
	}
	if then == "" {
		return ""
	}
	if a.is(syntax.Parens) || a.is(syntax.Unary) {
		return then + " if " + clause(a, !fails, 0)
	}
	first := does(a, depth+1)
	if fails && first != "" {
		return first + " and, if that fails, " + then
	}
	if first != "" {
		return first + " and, if that succeeds, " + then
	}
	return then + " if " + clause(a, !fails, 0)
}

// quoted tells whether two pieces of code differ in their quotes only, and
// whether the second is the one with them.
func quoted(a, b item) (added, ok bool) {
	bare := func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, `"`, ""), "'", "") }
	x, y := a.text(), b.text()
	if a.traits().CallWord == "" || x == y || bare(x) != bare(y) || !strings.Contains(x, "$") {
		return false, false
	}
	return len(y) > len(x), len(x) != len(y)
}

// quoting says that an expansion got or lost its quotes.
func (w *writer) quoting(a, b item, where string) bool {
	added, ok := quoted(a, b)
	if !ok {
		return false
	}
	if added {
		w.names(b, wValue, "quotes-added", where, slot+" is now quoted", slot+" are now quoted", code(a.text()))
		w.follows(b, "quotes-split", "with quotes, spaces and wildcards in a value no longer split it into several words")
		return true
	}
	w.names(b, wValue, "quotes-removed", where, slot+" is no longer quoted", slot+" are no longer quoted", code(b.text()))
	w.follows(b, "quotes-split", "without quotes, spaces and wildcards in a value split it into several words")
	return true
}

// redirected says that the input or output of what stands before goes elsewhere.
func (w *writer) redirected(n item, e edit, where string, added bool) {
	what := "the output of "
	t := oneLine(n.text())
	in := e.newIn
	if added {
		in = e.oldIn
	}
	var other item
	for _, k := range in.kids() {
		if k.kind() == n.kind() && w.fresh[k] && t != "" && strings.HasPrefix(k.text(), t[:1]) {
			other = k
		}
	}
	if other.ok() && !added {
		return // said with the one that came
	}
	if strings.HasPrefix(t, "<") {
		what = "the input of "
	} else if strings.HasPrefix(t, "2>") {
		what = "the errors of "
	}
	c := n.prev()
	for c.kind() == n.kind() {
		c = c.prev()
	}
	if !c.ok() || w.fresh[c] {
		return // part of what came or went with it
	}
	of := noun(c, "the")
	if c.is(syntax.Loop) {
		of = "the loop"
	}
	switch {
	case other.ok():
		w.say(n, wBehaviour, "redirection-changed", where, what+of+" is now redirected by "+code(t)+" instead of "+code(other.text()))
	case added:
		w.say(n, wBehaviour, "redirection-added", where, what+of+" is now redirected by "+code(t))
	default:
		w.say(n, wBehaviour, "redirection-removed", where, what+of+" is no longer redirected by "+code(t))
	}
}

// shellOptions are what the options of the shell do.
var shellOptions = map[string]string{
	"e": "stops at the first command that fails", "errexit": "stops at the first command that fails",
	"u": "treats unset variables as errors", "nounset": "treats unset variables as errors",
	"x": "prints each command before it runs", "xtrace": "prints each command before it runs",
	"pipefail": "takes a pipeline for failed when any part of it fails",
	"f":        "does not expand wildcards", "noglob": "does not expand wildcards",
	"E": "inherits the traps of errors in functions", "n": "only reads the commands", "v": "prints the lines that it reads",
}

// optionsOf lists what a call of set switches on.
func optionsOf(call item) []string {
	var out []string
	if call.traits().CallWord == "" || calledName(call) != "set" {
		return nil
	}
	for _, a := range arguments(call).namedKids() {
		t := a.text()
		switch {
		case strings.HasPrefix(t, "+") || t == "--":
			return nil
		case strings.HasPrefix(t, "-"):
			for _, r := range t[1:] {
				if s := shellOptions[string(r)]; s != "" {
					out = append(out, s)
				} else if r != 'o' {
					return nil
				}
			}
		case shellOptions[t] != "":
			out = append(out, shellOptions[t])
		default:
			return nil
		}
	}
	return uniq(out)
}

// optionsChanged says what a changed call of set switches on or off.
func (w *writer) optionsChanged(a, b item) bool {
	x, y := optionsOf(a), optionsOf(b)
	if len(x)+len(y) == 0 {
		return false
	}
	lacks := func(xs, ys []string) []string {
		return slices.DeleteFunc(slices.Clone(ys), func(s string) bool { return slices.Contains(xs, s) })
	}
	n := b
	if !n.ok() {
		n = a
	}
	if on := lacks(x, y); len(on) > 0 {
		w.each(n, wBehaviour, "option-added", "", "the script now ", on)
	}
	if off := lacks(y, x); len(off) > 0 {
		w.each(n, wBehaviour, "option-removed", "", code(a.text())+" was removed there, with which the script ", off)
	}
	w.done[a], w.done[b] = true, true
	return true
}
