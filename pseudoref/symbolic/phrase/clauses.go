package phrase

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

// Logical is the English of an operator that joins conditions, "" for any other.
func Logical(op string) string {
	switch op {
	case "&&", "and", ",": // a list of conditions
		return "and"
	case "||", "or":
		return "or"
	}
	return ""
}

// Either is the first of two words where what is asked for is wanted to hold.
func Either[T any](want bool, holds, fails T) T {
	if want {
		return holds
	}
	return fails
}

// Holds says when a condition is true, as a clause: "`x` is null".
func Holds(n tree.Node) string { return Clause(n, true, 0) }

// Clause says when a condition is true, or when it is not.
func Clause(n tree.Node, want bool, depth int) string {
	n = tree.Strip(n)
	k, op := n.NamedKids(), tree.Operator(n)
	switch {
	case !n.Ok():
		return "it holds"
	case depth >= MaxSay:
	case n.Is(syntax.Variable) && tree.ValueOf(n).Ok(): // holds when there is a value to bind
		return Say(tree.ValueOf(n)) + Either(want, " is not nil", " is nil")
	case n.Is(syntax.Binary):
		if s := binaryClause(n, want, depth); s != "" {
			return s
		}
	case n.Is(syntax.Unary) && len(k) == 1 && (op == "!" || op == "not"):
		return Clause(k[0], !want, depth+1)
	case n.Is(syntax.Bool):
		return Either(strings.EqualFold(n.Text(), "true") == want, "always", "never")
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
		return Code(k[0].Text()) + Either(want, " is defined", " is not defined")
	case n.Is(syntax.Member) && n.Traits().LooseArguments && ofLength:
		return Code(strings.TrimRight(length, "?")) + Either(want, " is not empty", " is empty")
	case n.Is(syntax.Call, syntax.Pipeline) && n.Traits().CallWord != "": // of a shell
		return Code(text) + Either(want, " succeeds", " fails")
	case n.Is(syntax.Call) && len(text) > MaxCode && tree.CalledName(n) != "":
		// Cut code would lose what it is asked with.
		with := ""
		if len(args) > 0 && len(args) < 3 {
			with = " with " + ArgumentList(n)
		}
		return "the result of " + Code(tree.CalledName(n)) + with + Either(want, " is true", " is false")
	case n.Is(syntax.Identifier, syntax.Member) && n.Traits().Dynamic:
		return Code(text) + Either(want, " is set", " is not set")
	}
	return Code(text) + Either(want, " is true", " is false")
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
	l := Logical(op)
	switch p, v := n.Child("pattern"), n.Child("value"); {
	case p.Ok() && v.Ok(): // let Some(x) = y
		return Say(v) + Either(want, " matches ", " does not match ") + Code(p.Text())
	case len(k) != 2:
		return ""
	case l != "":
		return chainClause(n, k, Either(want, l, Either(l == "or", "and", "or")), want, depth)
	case !ok, k[1].Is(syntax.Binary) && Logical(tree.Operator(k[1])) != "": // a grammar that binds it too tightly
		return ""
	}
	said, other := Either(want, verb[0], verb[1]), Say(k[1])
	if k[1].Is(syntax.Null) || strings.EqualFold(k[1].Text(), "none") {
		said = strings.NewReplacer("equals", "is", "differs from", "is not").Replace(said)
		if other = Code(k[1].Text()); k[1].Text() == "null" {
			other = "null"
		}
	}
	return Say(k[0]) + " " + said + " " + other
}

// chainClause says when two conditions hold: of a long chain the first, and how many
// there are.
func chainClause(n tree.Node, k []tree.Node, word string, want bool, depth int) string {
	a, b := Clause(k[0], want, depth+1), Clause(k[1], want, depth+1)
	if len(a)+len(b) <= 2*MaxCode+20 {
		return a + " " + word + " " + b
	}
	if depth > 0 {
		return ""
	}
	terms := treediff.Flatten(n, tree.Operator(n))
	said, more := Clause(terms[0], want, depth+1)+" "+word+" ", len(terms) > 2
	rest := Plural(len(terms)-1, "other condition")
	if word == "and" {
		return said + rest + Either(more, " hold", " holds")
	}
	return said + Either(more, "one of ", "") + rest + " holds"
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
