package phrase

import (
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
)

// Asserted is what an assertion takes to be true, as a clause: "`n` equals `3`" for
// assertEquals(3, n) and for assert n == 3. It is empty where the assertion is of no known
// form.
func Asserted(n tree.Node) string {
	n = tree.Strip(n)
	if k := n.NamedKids(); n.Is(syntax.Assert) && len(k) > 0 && n.Traits().CallWord == "" {
		return Holds(k[0])
	}
	if s := expected(n); s != "" {
		return s
	}
	name := strings.ToLower(tree.Callee(n))
	short, asserts := strings.CutPrefix(strings.ReplaceAll(tree.LastName(name), "_", ""), "assert")
	if !n.Is(syntax.Call) || !asserts && !strings.HasPrefix(name, "assert.") {
		return ""
	}
	keyword := func(k tree.Node) bool { return k.Is(syntax.KeywordArgument) }
	args := Each(slices.DeleteFunc(tree.Arguments(n).NamedKids(), keyword), bareArgument)
	takes := func(k int) bool { return len(args) == k || len(args) > k && n.Traits().Dynamic } // else a message may come first
	switch {
	case (short == "" || short == "true") && takes(1):
		return Holds(args[0])
	case short == "false" && takes(1):
		return Clause(args[0], false, 0)
	case matchers[short] == "" || !takes(2):
		return ""
	case matchers[short] == "equals" && tree.Strip(args[0]).Is(syntax.String, syntax.Number, syntax.Bool, syntax.Null):
		slices.Reverse(args[:2]) // what is expected may come first
	}
	return Say(args[0]) + " " + matchers[short] + " " + Say(args[1])
}

// AssertedOr is asserted, or else the assertion itself, as it is where it is short: "that `x`
// equals `3`", "`assertOpen(door)`".
func AssertedOr(n tree.Node) string {
	if s := Asserted(n); s != "" {
		return "that " + s
	}
	c := tree.Strip(n)
	if c.Is(syntax.Call) && c.Size() > MaxCode && len(tree.Chain(c)) == 1 && len(tree.Arguments(c).NamedKids()) > 0 {
		return Code(tree.CalledName(c)) + " with " + ArgumentList(c)
	}
	return CodeTo(strings.TrimPrefix(tree.OneLine(c.Text()), "assert "), MaxProse)
}

// expected reads expect(x).not.toBe(y): "`x` is not to be `y`".
func expected(n tree.Node) string {
	root, name := tree.Receiver(n), tree.CalledName(n)
	for k := root.NamedKids(); root.Is(syntax.Member) && len(k) == 2; k = root.NamedKids() {
		root, name = k[0], k[1].Text()+"_"+name
	}
	words := nameWords.FindAllString(name, -1)
	if tree.CalledName(root) != "expect" || len(words) == 0 || words[0] != "to" && words[0] != "not" || words[len(words)-1] == "to" {
		return ""
	}
	return strings.TrimSpace(ArgumentList(root) + " is " + strings.ToLower(strings.Join(words, " ")) + " " + ArgumentList(n))
}

// nameWords are the words of a name in either style.
var nameWords = regexp.MustCompile(`[A-Z]?[a-z0-9]+|[A-Z]+`)

// bareArgument is an argument without what some grammars put around it.
func bareArgument(a tree.Node) tree.Node {
	if k := a.NamedKids(); a.Role() == syntax.Other && strings.Contains(a.Kind(), "argument") && len(k) == 1 {
		return k[0]
	}
	return a
}

// matchers are the verbs between the two values of an assertion, by the names of
// assertions in lower case, without underscores and "assert".
var matchers = map[string]string{
	"equal": "equals", "equals": "equals", "eq": "equals", "same": "equals", "strictequal": "equals", "deepequal": "equals",
	"notequal": "differs from", "notequals": "differs from", "is": "is", "in": "is in", "notin": "is not in",
	"contains": "contains", "isinstance": "is an instance of",
}
