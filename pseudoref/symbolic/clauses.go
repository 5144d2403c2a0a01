package symbolic

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// comparisons are the English of comparing operators, and of their opposites.
var comparisons = map[string][2]string{
	"==": {"equals", "differs from"}, "===": {"equals", "differs from"}, "=": {"equals", "differs from"},
	"!=": {"differs from", "equals"}, "!==": {"differs from", "equals"}, "<>": {"differs from", "equals"},
	"<": {"is less than", "is at least"}, ">=": {"is at least", "is less than"},
	">": {"is greater than", "is at most"}, "<=": {"is at most", "is greater than"},
	"in": {"is in", "is not in"}, "not in": {"is not in", "is in"}, "is": {"is", "is not"}, "is not": {"is not", "is"},
	"=~": {"matches", "does not match"}, "!~": {"does not match", "matches"}, "instanceof": {"is an instance of", "is no instance of"},
}

// logical is the English of an operator that joins conditions, "" for any other.
func logical(op string) string {
	switch op {
	case "&&", "and", ",": // a list of conditions
		return "and"
	case "||", "or":
		return "or"
	}
	return ""
}

// either is the first of two words where what is asked for is wanted to hold.
func either[T any](want bool, holds, fails T) T {
	if want {
		return holds
	}
	return fails
}

// holds says when a condition is true, as a clause: "`x` is null".
func holds(n tree.Node) string { return clause(n, true, 0) }

// clause says when a condition is true, or when it is not.
func clause(n tree.Node, want bool, depth int) string {
	n = tree.Strip(n)
	k, op := n.NamedKids(), tree.Operator(n)
	switch {
	case !n.Ok():
		return "it holds"
	case depth >= maxSay:
	case n.Is(syntax.Variable) && tree.ValueOf(n).Ok(): // holds when there is a value to bind
		return say(tree.ValueOf(n)) + either(want, " is not nil", " is nil")
	case n.Is(syntax.Binary):
		if s := binaryClause(n, want, depth); s != "" {
			return s
		}
	case n.Is(syntax.Unary) && len(k) == 1 && (op == "!" || op == "not"):
		return clause(k[0], !want, depth+1)
	case n.Is(syntax.Bool):
		return either(strings.EqualFold(n.Text(), "true") == want, "always", "never")
	}
	return plainClause(n, want)
}

// plainClause says when a value counts as true, or as false.
func plainClause(n tree.Node, want bool) string {
	text, k := n.Text(), n.NamedKids()
	if rest, ok := strings.CutPrefix(text, "!"); ok && n.Is(syntax.Member, syntax.Call) { // a grammar that binds it too tightly
		text, want = rest, !want
	}
	length, ofLength := strings.CutSuffix(text, ".length")
	switch args := tree.Arguments(n).NamedKids(); {
	case n.Kind() == "preproc_defined" && len(k) == 1:
		return code(k[0].Text()) + either(want, " is defined", " is not defined")
	case n.Is(syntax.Member) && n.Traits().LooseArguments && ofLength:
		return code(strings.TrimRight(length, "?")) + either(want, " is not empty", " is empty")
	case n.Is(syntax.Call, syntax.Pipeline) && n.Traits().CallWord != "": // of a shell
		return code(text) + either(want, " succeeds", " fails")
	case n.Is(syntax.Call) && len(text) > maxCode && tree.CalledName(n) != "":
		// Cut code would lose what it is asked with.
		with := ""
		if len(args) > 0 && len(args) < 3 {
			with = " with " + argumentList(n)
		}
		return "the result of " + code(tree.CalledName(n)) + with + either(want, " is true", " is false")
	case n.Is(syntax.Identifier, syntax.Member) && n.Traits().Dynamic:
		return code(text) + either(want, " is set", " is not set")
	}
	return code(text) + either(want, " is true", " is false")
}

// predicate tells whether a function's name asks a question.
func predicate(name string) bool {
	questions := []string{"is", "has", "can", "should", "contains", "exists", "equals", "starts", "ends", "matches"}
	return slices.ContainsFunc(questions, func(q string) bool { return strings.HasPrefix(strings.ToLower(name), q) })
}

// binaryClause says when a comparison is true, or a chain of conditions; "" where it
// has no words.
func binaryClause(n tree.Node, want bool, depth int) string {
	op, k := tree.Operator(n), slices.DeleteFunc(n.NamedKids(), func(x tree.Node) bool { return x.Field() == "operator" })
	verb, ok := comparisons[op]
	l := logical(op)
	switch p, v := n.Child("pattern"), n.Child("value"); {
	case p.Ok() && v.Ok(): // let Some(x) = y
		return say(v) + either(want, " matches ", " does not match ") + code(p.Text())
	case len(k) != 2:
		return ""
	case l != "":
		return chainClause(n, k, either(want, l, either(l == "or", "and", "or")), want, depth)
	case !ok, k[1].Is(syntax.Binary) && logical(tree.Operator(k[1])) != "": // a grammar that binds it too tightly
		return ""
	}
	said, other := either(want, verb[0], verb[1]), say(k[1])
	if k[1].Is(syntax.Null) || strings.EqualFold(k[1].Text(), "none") {
		said = strings.NewReplacer("equals", "is", "differs from", "is not").Replace(said)
		if other = code(k[1].Text()); k[1].Text() == "null" {
			other = "null"
		}
	}
	return say(k[0]) + " " + said + " " + other
}

// chainClause says when two conditions hold: of a long chain the first, and how many
// there are.
func chainClause(n tree.Node, k []tree.Node, word string, want bool, depth int) string {
	a, b := clause(k[0], want, depth+1), clause(k[1], want, depth+1)
	if len(a)+len(b) <= 2*maxCode+20 {
		return a + " " + word + " " + b
	}
	if depth > 0 {
		return ""
	}
	terms := treediff.Flatten(n, tree.Operator(n))
	said, more := clause(terms[0], want, depth+1)+" "+word+" ", len(terms) > 2
	rest := plural(len(terms)-1, "other condition")
	if word == "and" {
		return said + rest + either(more, " hold", " holds")
	}
	return said + either(more, "one of ", "") + rest + " holds"
}

// nullCheck returns the value that a condition compares with null, and
// whether it asks for null; or none.
func nullCheck(n tree.Node) (value tree.Node, isNull bool) {
	n = tree.Strip(n)
	k, verb := n.NamedKids(), comparisons[tree.Operator(n)][0]
	isNull = verb == "equals" || verb == "is"
	if !n.Is(syntax.Binary) || len(k) != 2 || !k[1].Is(syntax.Null) || !isNull && verb != "differs from" && verb != "is not" {
		return tree.Node{}, false
	}
	return k[0], isNull
}
