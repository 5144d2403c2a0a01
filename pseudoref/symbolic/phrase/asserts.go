package phrase

import (
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
)

// Asserted is what an assertion takes to be true, as a clause: "`n` equals `3`".
// It is empty where the assertion is of no known form.
func Asserted(n tree.Node) string {
	n = tree.Strip(n)
	if k := n.NamedKids(); n.Is(syntax.Assert) && len(k) > 0 && n.Traits().CallWord == "" {
		return Holds(k[0])
	}
	name, args := tree.Callee(n), tree.Arguments(n).NamedKids()
	args = slices.DeleteFunc(args, func(k tree.Node) bool { return k.Is(syntax.KeywordArgument) })
	if s := expected(n); !n.Is(syntax.Call) || len(args) == 0 || s != "" {
		return s
	}
	short := strings.ToLower(strings.ReplaceAll(tree.LastName(name), "_", ""))
	if rest, ok := strings.CutPrefix(short, "assert"); ok && rest != "" {
		short = rest
	} else if !strings.HasPrefix(strings.ToLower(name), "assert.") && name != "assert" {
		return ""
	}
	takes := func(k int) bool { return len(args) == k || len(args) > k && n.Traits().Dynamic } // else a message may come first
	subject := bareArgument(args[0])
	switch short {
	case "assert", "true", "istrue", "ok":
		return Either(takes(1), Holds(subject), "")
	case "false", "isfalse":
		return Either(takes(1), Clause(subject, false, 0), "")
	}
	if matchers[short] == "" || !takes(2) {
		return ""
	}
	other, x := bareArgument(args[1]), tree.Strip(subject)
	constant := x.Is(syntax.String, syntax.Number, syntax.Bool, syntax.Null) ||
		x.Is(syntax.Collection) && !tree.Strip(other).Is(syntax.Collection)
	if slices.Contains(expectedFirst, short) || matchers[short] == "equals" && constant {
		subject, other = other, subject
	}
	return Say(subject) + " " + matchers[short] + " " + Say(other)
}

// AssertedOr is asserted, or else the assertion itself in short: "that `x` equals
// `3`", "`assertOpen` with `door`".
func AssertedOr(n tree.Node) string {
	if s := Asserted(n); s != "" {
		return "that " + s
	}
	c := tree.Strip(n)
	name, args := tree.CalledName(c), tree.Arguments(c).NamedKids()
	readable := len(tree.Chain(c)) == 1 && name != "" && len(name) <= MaxCode && len(args) > 0 && len(args) <= 3
	if c.Is(syntax.Call) && readable && strings.ContainsAny(c.Text(), " \n") && c.Traits().Dynamic {
		return Code(name) + " with " + ArgumentList(c)
	}
	return Code(strings.TrimPrefix(tree.OneLine(c.Text()), "assert "))
}

// bareArgument is an argument without what some grammars put around it.
func bareArgument(a tree.Node) tree.Node {
	if k := a.NamedKids(); a.Role() == syntax.Other && strings.Contains(a.Kind(), "argument") && len(k) == 1 {
		return k[0]
	}
	return a
}

// expected reads expect(x).not.toBe(y): "`x` is not to be `y`".
func expected(n tree.Node) string {
	args, root, name := tree.Arguments(n).NamedKids(), tree.Receiver(n), tree.CalledName(n)
	for k := root.NamedKids(); root.Is(syntax.Member) && len(k) == 2; k = root.NamedKids() {
		root, name = k[0], k[1].Text()+"_"+name
	}
	subject, words := tree.Arguments(root).NamedKids(), nameWords.FindAllString(name, -1)
	if !root.Is(syntax.Call) || tree.CalledName(root) != "expect" || tree.Receiver(root).Ok() || len(subject) != 1 {
		return ""
	}
	if len(words) == 0 || words[0] != "to" && words[0] != "not" || words[len(words)-1] == "to" {
		return ""
	}
	said := Say(subject[0]) + " is " + strings.ToLower(strings.Join(words, " "))
	if len(args) > 0 {
		said += " " + List(Each(args, Argument))
	}
	return said
}

// expectedFirst are the assertions whose first argument is what is expected.
var expectedFirst = []string{
	"instanceof", "greaterthan", "lessthan", "greaterthanorequal", "lessthanorequal", "count", "stringcontainsstring",
}

// matchers are the verbs between the two values of an assertion, by the names of
// assertions in lower case, without underscores and "assert".
var matchers = map[string]string{
	"equal": "equals", "equals": "equals", "eq": "equals", "same": "equals", "strictequal": "equals", "deepequal": "equals",
	"deepstrictequal": "equals", "listequal": "equals", "dictequal": "equals",
	"ne": "differs from", "notequal": "differs from", "notequals": "differs from",
	"is": "is", "in": "is in", "notin": "is not in", "contains": "contains", "stringcontainsstring": "contains",
	"count": "has the size", "length": "has the size", "match": "matches", "regex": "matches",
	"greater": "is greater than", "greaterthan": "is greater than", "less": "is less than", "lessthan": "is less than",
	"greaterequal": "is at least", "greaterthanorequal": "is at least", "lessequal": "is at most", "lessthanorequal": "is at most",
	"almostequal": "is close to", "isinstance": "is an instance of", "instanceof": "is an instance of",
}

// nameWords are the words of a name in either style.
var nameWords = regexp.MustCompile(`[A-Z]?[a-z0-9]+|[A-Z]+`)
