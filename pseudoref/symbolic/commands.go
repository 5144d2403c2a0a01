package symbolic

import (
	"crscore/internal/syntax"
)

// The sentences of languages that call commands: pipelines, lists of commands,
// of which some run by the outcome of others.

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
