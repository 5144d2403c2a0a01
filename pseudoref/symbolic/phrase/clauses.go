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

// Constant tells whether a condition holds always, as `true` and `1`, or never, as
// `x && false`, whatever the program does.
func Constant(n tree.Node, depth int) (holds, constant bool) {
	n = tree.Strip(n)
	switch word := Logical(tree.Operator(n)); {
	case n.Is(syntax.Bool):
		return strings.EqualFold(n.Text(), "true"), true
	case n.Is(syntax.Number):
		return n.Text() == "1", n.Text() == "0" || n.Text() == "1"
	case n.Is(syntax.Binary) && word != "" && depth < MaxSay:
		for _, k := range n.NamedKids() { // one part may settle it
			if holds, constant := Constant(k, depth+1); constant && holds == (word == "or") {
				return holds, true
			}
		}
	}
	return false, false
}

// Holds says when a condition is true, as a clause: "`x` is null".
func Holds(n tree.Node) string { return Clause(n, true, 0) }

// Clause says when a condition is true, or when it is not: "`n` is at most `9`" for n > 9 that
// is not wanted. Each operator has its opposite, so that nothing is denied twice.
func Clause(n tree.Node, want bool, depth int) string {
	n = tree.Strip(n)
	k, op := n.NamedKids(), tree.Operator(n)
	switch {
	case depth >= MaxSay:
	case n.Is(syntax.Variable) && tree.ValueOf(n).Ok(): // holds when there is a value to bind
		return Say(tree.ValueOf(n)) + Either(want, " is not nil", " is nil")
	case n.Is(syntax.Binary):
		if s := binaryClause(n, want, depth); s != "" {
			return s
		}
	case n.Is(syntax.Unary) && len(k) == 1 && (op == "!" || op == "not"):
		return Clause(k[0], !want, depth+1)
	}
	// A value counts as true or as false.
	holds, fails := " is true", " is false"
	switch {
	case n.Kind() == "preproc_defined" && len(k) == 1:
		n, holds, fails = k[0], " is defined", " is not defined"
	case n.Is(syntax.Bool, syntax.Number):
		holds, fails = " holds", " does not hold"
	case n.Is(syntax.Call, syntax.Pipeline) && n.Traits().CallWord != "": // of a shell
		holds, fails = " succeeds", " fails"
	case n.Is(syntax.Identifier, syntax.Member) && n.Traits().Dynamic:
		holds, fails = " is set", " is not set"
	}
	said := Code(n.Text())
	if n.Is(syntax.Call) && n.Size() > MaxCode && n.Traits().CallWord == "" && tree.CalledName(n) != "" {
		said = "the result of " + Code(tree.CalledName(n)) + with(n) // cut code would lose what it is asked with
	}
	return said + Either(want, holds, fails)
}

// binaryClause says when a comparison is true, or a chain of conditions; "" where it
// has no words.
func binaryClause(n tree.Node, want bool, depth int) string {
	op, k := tree.Operator(n), slices.DeleteFunc(n.NamedKids(), func(x tree.Node) bool { return x.Field() == "operator" })
	verbs, known := comparisons[op]
	word, pattern, value := Logical(op), n.Child("pattern"), n.Child("value")
	switch {
	case pattern.Ok() && value.Ok(): // let Some(x) = y
		return Say(value) + Either(want, " matches ", " does not match ") + Code(pattern.Text())
	case len(k) != 2:
		return ""
	case word != "":
		return chainClause(n, k, Either(want, word, Either(word == "or", "and", "or")), want, depth)
	case !known, k[1].Is(syntax.Binary) && Logical(tree.Operator(k[1])) != "": // a grammar that binds it too tightly
		return ""
	}
	said, other := Either(want, verbs[0], verbs[1]), Say(k[1])
	if k[1].Is(syntax.Null) { // which nothing equals, it is
		said = Either(slices.Contains([]string{"equals", "is"}, said), "is", "is not")
		other = Either(k[1].Text() == "null", "null", other)
	}
	return Say(k[0]) + " " + said + " " + other
}

// chainClause says when two conditions hold: of a long chain the first, and that there are
// others.
func chainClause(n tree.Node, k []tree.Node, word string, want bool, depth int) string {
	a, b := Clause(k[0], want, depth+1), Clause(k[1], want, depth+1)
	switch {
	case len(a)+len(b) <= 2*MaxCode+20:
		return a + " " + word + " " + b
	case depth > 0:
		return ""
	}
	terms := treediff.Flatten(n, tree.Operator(n))
	rest := Plural(len(terms)-1, "other condition") + Either(word == "and" && len(terms) > 2, " hold", " holds")
	return Clause(terms[0], want, depth+1) + " " + word + Either(word == "or" && len(terms) > 2, " one of ", " ") + rest
}
