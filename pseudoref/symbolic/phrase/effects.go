package phrase

import (
	"strings"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
)

// maxEffectText is the length in bytes that a list of effects may have.
const maxEffectText = 140

// maxEffects is the number of things said about what a block does.
const maxEffects = 3

// Effects says what statements do: "calls `a`", "returns `b`". It ends where
// what follows may not happen, or would read as if it happened only under the
// condition named before it.
func Effects(stmts []tree.Node) []string {
	var out []string
	for _, s := range stmts {
		if v := Does(s, 0); v != "" {
			out = append(out, v)
		}
		if leaves(s) {
			break
		}
	}
	out = Uniq(out)
	// Long phrases leave room for fewer of them. How a block ends matters more than
	// what it does in between.
	room, kept := maxEffectText, 0
	for kept < min(len(out), maxEffects) {
		if room -= len(out[kept]); room < 0 && kept > 0 {
			break
		}
		kept++
	}
	if kept < len(out) {
		out = append(out[:max(kept-1, 1):max(kept-1, 1)], out[len(out)-1])
	}
	return out
}

// leaves tells whether a statement asks for a condition or may leave the block.
func leaves(n tree.Node) bool {
	n = tree.Strip(n)
	exits := []syntax.Role{syntax.Return, syntax.Throw, syntax.Break, syntax.Continue, syntax.Goto}
	if n.Is(syntax.If, syntax.Switch) || n.Is(exits...) {
		return true
	}
	return len(n.Find(1, func(r syntax.Role) bool { return r == syntax.Lambda || r.IsFunction() }, exits...)) > 0
}

// Does is the verb phrase of a statement: "returns `x`"; "" when there is
// nothing worth saying.
func Does(n tree.Node, depth int) string {
	n = tree.Strip(n)
	if depth > MaxSay || Conditional(n) && n.Is(syntax.If, syntax.Else, syntax.ElseIf) {
		return ""
	}
	if r := Carrier(n); r.Ok() && depth < MaxSay {
		return Does(r, depth+1)
	}
	switch k := n.NamedKids(); n.Role() {
	case syntax.Return, syntax.Yield, syntax.Throw, syntax.Break, syntax.Continue, syntax.Goto:
		return exitDoes(n)
	case syntax.Assign, syntax.AugAssign, syntax.Variable, syntax.Update:
		return sets(n)
	case syntax.Await:
		if len(k) > 0 {
			return Does(k[0], depth+1)
		}
	case syntax.Call, syntax.New:
		return callDoes(n)
	case syntax.If:
		if tree.Condition(n).Ok() {
			return "checks whether " + RunsWhen(n, true)
		}
	case syntax.Loop:
		return "loops " + LoopOver(n)
	case syntax.Assert:
		return "asserts " + AssertedOr(n)
	case syntax.With:
		if b := tree.Body(n); len(b) > 0 {
			return Does(b[0], depth+1)
		}
	case syntax.Function:
		return "defines the function " + Code(tree.NameOf(n))
	default:
		switch word, what, _ := strings.Cut(tree.OneLine(n.Text()), " "); {
		case n.Is(syntax.Delete, syntax.Unary) && (word == "del" || word == "delete"):
			return "deletes " + Code(what)
		case tree.Appends(n) && len(k) == 2:
			return "appends " + Say(k[1]) + " to " + Code(k[0].Text())
		}
	}
	return ""
}

// exitDoes is the verb phrase of a statement that leaves its block, or gives a value
// to whoever runs it.
func exitDoes(n tree.Node) string {
	switch n.Role() {
	case syntax.Return:
		word := map[bool]string{true: "exits", false: "returns"}[Exits(n)]
		if r := Returned(n); r.Ok() {
			return word + map[bool]string{true: " with ", false: " "}[Exits(n)] + Say(r)
		}
		return strings.Replace(word, "returns", "returns early", 1)
	case syntax.Yield:
		if k := n.NamedKids(); len(k) > 0 {
			return "yields " + Say(k[0])
		}
	case syntax.Throw:
		e, msg := thrown(n)
		if e == "" {
			return "raises the error again"
		}
		if msg != "" {
			msg = " with the message " + msg
		}
		return raises(n) + " `" + e + "`" + msg
	case syntax.Break:
		if n.Traits().BreakLeavesLoop || !n.Under(syntax.Switch, syntax.Case, syntax.Loop).Is(syntax.Switch, syntax.Case) {
			return "leaves the loop" // and does not only end a case
		}
	case syntax.Continue:
		return "skips to the next iteration"
	case syntax.Goto:
		return "jumps to " + Code(n.Child("label").Text())
	}
	return ""
}

// sets is the verb phrase of a statement that gives a variable a value.
func sets(n tree.Node) string {
	t, v := tree.Target(n), Assigned(n)
	switch {
	case n.Is(syntax.Update):
		return "updates " + Code(strings.Trim(n.Text(), "+-;"))
	case t == "":
		return ""
	case tree.Compound(n) != "":
		return "updates " + Code(t)
	case v.Ok():
		return "sets " + Code(t) + " to " + Say(v)
	}
	return Either(n.Is(syntax.Variable), "declares "+Code(t), "")
}

// raises is the verb of a language for an error that is raised.
func raises(n tree.Node) string {
	if n.Traits().Raises {
		return "raises"
	}
	return "throws"
}

// LoopOver says what a loop goes over or how long it runs: "over `xs`", "while
// `n` is less than `9`".
func LoopOver(n tree.Node) string {
	if c := n.Child("right", "value", "collection"); c.Ok() && !c.Is(syntax.Block) {
		if c.Field() == "value" && c.Next().Field() == "value" {
			return "over a list of words"
		}
		return "over " + Say(c)
	}
	if c := tree.Strip(n.Child("condition")); c.Ok() {
		return Either(c.Is(syntax.Bool), "without an end", "while "+Holds(c))
	}
	if r := n.Child("range"); r.Ok() {
		return "over " + Say(r.Child("right"))
	}
	if c := n.Child("clause").Child("condition"); c.Ok() {
		return "while " + Holds(c)
	}
	if len(n.NamedKids()) == 1 {
		return "without an end"
	}
	return "over its values"
}

// callDoes is the verb phrase of a call.
func callDoes(n tree.Node) string {
	level, logs := logging(n)
	switch {
	case printing(n):
		return "prints " + ArgumentList(n)
	case logs:
		what := "logs " + An(strings.TrimSpace(level+" message"))
		if t := tree.Arguments(n).Find(1, nil, syntax.String); len(t) == 1 {
			what += " " + Quote(tree.Unquoted(t[0].Text()), 30)
		}
		return what
	case Assertion(n):
		return "asserts " + AssertedOr(n)
	case n.Is(syntax.New):
		return "creates a " + Made(n)
	}
	return "calls " + Called(n)
}
