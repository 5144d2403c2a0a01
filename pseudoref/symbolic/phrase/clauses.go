package phrase

import (
	"cmp"
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

// joins are the English of operators that join conditions. A comma does in a list of them.
var joins = map[string]string{"&&": "and", "and": "and", ",": "and", "||": "or", "or": "or"}

// Logical is the English of an operator that joins conditions, "" for any other.
func Logical(op string) string { return joins[op] }

// Either is the first of two words where what is asked for is wanted to hold.
func Either[T any](want bool, holds, fails T) T {
	if want {
		return holds
	}
	return fails
}

// Holds says when a condition is true, as a clause: "`x` is null".
func Holds(n tree.Node) string { return Clause(n, true) }

// Clause says when a condition is true, or when it is not: "`n` is at most `9`" for n > 9 that
// is not wanted. Each operator has its opposite, so that nothing is denied twice.
func Clause(n tree.Node, want bool) string { return clause(n, want, true) }

// clause is Clause for a condition that stands alone, or for one that is joined to others. One of these that
// is itself joined is quoted: in "`a` is set and `b` is set or `c` is set" nobody sees the brackets.
func clause(n tree.Node, want, alone bool) string {
	n = tree.Strip(n)
	k, word := n.NamedKids(), Logical(tree.Operator(n))
	switch {
	case n.Is(syntax.Variable) && tree.ValueOf(n).Ok(): // holds when there is a value to bind
		return Say(tree.ValueOf(n)) + Either(want, " is not nil", " is nil")
	case n.Is(syntax.Unary) && len(k) == 1 && denies(n):
		return clause(k[0], !want, alone)
	case alone && n.Is(syntax.Binary) && word != "" && len(k) == 2:
		return chainClause(n, Either(want, word, Either(word == "or", "and", "or")), want)
	}
	if s := comparison(n, want); s != "" {
		return s
	}
	// A value counts as true or as false.
	said, holds, fails := "", " is true", " is false"
	switch {
	case n.Kind() == "preproc_defined" && len(k) == 1:
		n, holds, fails = k[0], " is defined", " is not defined"
	case n.Is(syntax.Bool, syntax.Number):
		holds, fails = " holds", " does not hold"
	case n.Is(syntax.Call, syntax.Pipeline) && n.Traits().CallWord != "": // of a shell
		holds, fails = " succeeds", " fails"
	case n.Is(syntax.Identifier, syntax.Member) && n.Traits().Dynamic:
		holds, fails = " is set", " is not set"
	case n.Is(syntax.Call) && n.Size() > CodeRunes && tree.Callee(n) != "":
		said = result(n) // cut code would lose what it is asked with
	}
	return cmp.Or(said, Code(n.Text())) + Either(want, holds, fails)
}

// denies tells whether a node negates a condition, with `!` or `not`.
func denies(n tree.Node) bool { return slices.Contains([]string{"!", "not"}, tree.Operator(n)) }

// comparison says when a comparison is true; "" where it has no words.
func comparison(n tree.Node, want bool) string {
	k := slices.DeleteFunc(n.NamedKids(), func(x tree.Node) bool { return x.Field() == "operator" })
	verbs, known := comparisons[tree.Operator(n)]
	pattern, value := n.Child("pattern"), n.Child("value")
	switch {
	case !n.Is(syntax.Binary):
		return ""
	case pattern.Ok() && value.Ok(): // let Some(x) = y
		return Say(value) + Either(want, " matches ", " does not match ") + Code(pattern.Text())
	case len(k) != 2, !known, k[1].Is(syntax.Binary) && Logical(tree.Operator(k[1])) != "": // a grammar that binds it too tightly
		return ""
	}
	said, other := Either(want, verbs[0], verbs[1]), Say(k[1])
	if k[1].Is(syntax.Null) { // which nothing equals, it is
		said = Either(slices.Contains([]string{"equals", "is"}, said), "is", "is not")
		other = Either(k[1].Text() == "null", "null", other)
	}
	return Say(k[0]) + " " + said + " " + other
}

// saidChain is the length in characters of the longest chain of conditions that is said condition by condition.
const saidChain = 100

// chainClause says when conditions joined by a word hold, or do not: of a long chain the
// first, and that there are others. In short it quotes the chain.
func chainClause(n tree.Node, word string, want bool) string {
	terms := treediff.Flatten(n, tree.Operator(n))
	full, others := "", len(terms)-1
	if n.Size() <= saidChain {
		full = strings.Join(Each(terms, func(t tree.Node) string { return clause(t, want, false) }), " "+word+" ")
	}
	if full == "" || len(settle(full, fully)) > saidChain {
		one := others == 1 || word == "or"
		verb := Either(want, Either(one, " holds", " hold"), Either(one, " fails", " fail"))
		full = clause(terms[0], want, false) + " " + word + Either(word == "or" && others > 1, " one of ", " ") +
			Plural(others, "other condition") + verb
	}
	return Or(full, Code(n.Text())+Either(want, " is true", " is false"))
}
