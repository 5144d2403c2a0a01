package phrase

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
)

// failedCall is the call whose error an `if` asks for, or none. Where errors are
// values, each call is followed by such an `if`, and what is said of it names the
// call.
func failedCall(n tree.Node) tree.Node {
	if !n.Is(syntax.If) || !n.Traits().ErrorValues {
		return tree.Node{}
	}
	x, isNull := nullCheck(tree.Condition(n))
	if !x.Is(syntax.Identifier) || isNull || !strings.HasPrefix(x.Text(), "err") && !strings.HasSuffix(strings.ToLower(x.Text()), "err") {
		return tree.Node{}
	}
	from := n.Child("initializer")
	if !from.Ok() {
		from = Neighbour(n, false)
	}
	v := tree.Strip(Assigned(from))
	if !Mentions(from.Child("left", "name"), x.Text()) || !v.Is(syntax.Call) || tree.Callee(v) == "" {
		return tree.Node{}
	}
	return v
}

// madeError returns the message of a call that makes an error, "" for anything else.
func madeError(call tree.Node) string {
	_, makes := call.Traits().ErrorMakers[tree.Callee(call)]
	if s := tree.Arguments(call).Find(1, nil, syntax.String); call.Is(syntax.Call) && makes && len(s) == 1 {
		return tree.Unquoted(s[0].Text())
	}
	return ""
}

// Mentions tells whether a name stands in a node.
func Mentions(n tree.Node, name string) bool {
	return slices.ContainsFunc(n.LeavesOf(name), func(x tree.Node) bool { return x.Is(syntax.Identifier) })
}
