package symbolic

import (
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
)

// The sentences of languages that call commands: pipelines, lists of commands,
// of which some run by the outcome of others.

// called in prose: "call to" or what the language has in its place.
func callTo(n tree.Node) string {
	if w := n.Traits().CallWord; w != "" {
		return w
	}
	return "call to"
}

// calls is "calls", or "runs" for commands.
func calls(n tree.Node) string {
	if n.Traits().CallWord != "" {
		return "runs"
	}
	return "calls"
}

// commandsOf names the commands of a pipeline or a list, in backticks.
func commandsOf(n tree.Node) []string {
	var out []string
	for _, c := range n.Find(20, func(r syntax.Role) bool { return r.Is(syntax.Call, syntax.Block) }, syntax.Call) {
		if tree.Callee(c) != "" {
			out = append(out, "`"+tree.Callee(c)+"`")
		}
	}
	return uniq(out)
}

// conditionally returns the two parts of a list of commands of which the second
// runs depending on the first, and whether it runs when that one fails.
func conditionally(n tree.Node) (first, second tree.Node, fails, ok bool) {
	if n.Traits().CallWord == "" || !n.Is(syntax.Binary) {
		return tree.Node{}, tree.Node{}, false, false
	}
	l := logical(tree.Operator(n))
	k := n.NamedKids()
	if l == "" || len(k) != 2 {
		return tree.Node{}, tree.Node{}, false, false
	}
	return k[0], k[1], l == "or", true
}

// conditionalDoes is the verb phrase of a list of commands: "runs `b` if `a`
// fails".
func conditionalDoes(n tree.Node, depth int) string {
	a, b, fails, ok := conditionally(n)
	if !ok {
		return ""
	}
	then := does(b, depth+1)
	if t := tree.OneLine(b.Text()); t == "true" || t == ":" {
		if x := does(a, depth+1); x != "" {
			return x + " and ignores its failure"
		}
	}
	if then == "" {
		return ""
	}
	if a.Is(syntax.Parens) || a.Is(syntax.Unary) {
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
