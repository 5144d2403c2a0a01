package phrase

import (
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/treediff"

	"crscore/pseudoref/symbolic/tree"

	"crscore/internal/syntax"
)

// MaxSay bounds how deep a phrase looks into nested expressions.
const MaxSay = 5

// Say names a value: a short piece of code as it is, a longer one by what it
// is, since a quotation that is cut loses what matters, which mostly stands at the
// end.
func Say(n tree.Node) string {
	n = tree.Strip(n)
	if !n.Ok() {
		return "nothing"
	}
	if msg := madeError(n); msg != "" {
		return "an error saying " + Quote(msg, MaxCode)
	}
	s, short := "", n.Size() <= MaxCode
	switch {
	case n.Is(syntax.String) && n.Kind() != "concatenated_string" && !strings.HasPrefix(n.Kind(), "char"):
		s = Quote(tree.Unquoted(n.Text()), MaxCode)
	case n.Is(syntax.Element):
		s = "the element " + ElementName(n)
	case n.Is(syntax.Lambda):
		s = sayFunction(n)
	case n.Is(syntax.Collection) && (!short || len(n.NamedKids()) == 0):
		s = sayCollection(n)
	case !short:
		s = sayLong(n)
	}
	if s == "" {
		s = Code(n.Text())
	}
	return s
}

// sayFunction says what a function without a name does.
func sayFunction(n tree.Node) string {
	switch e := Effects(tree.Body(n)); {
	case n.Size() <= MaxCode && !strings.Contains(n.Text(), "\n"):
		return Code(n.Text())
	case len(e) > 0:
		return "a function that " + List(e[:min(len(e), 2)])
	}
	return "a function"
}

// sayCollection says what is in a list or an object.
func sayCollection(n tree.Node) string {
	what, kids := "list", n.NamedKids()
	switch {
	case strings.Contains(n.Kind(), "dict"):
		what = "dictionary"
	case n.Kind() == "object" || len(kids) > 0 && tree.IsPair(kids[0]):
		what = "object"
	}
	switch keys := Names(kids); {
	case len(kids) == 0:
		return "an empty " + what
	case what != "list" && len(keys) > 0:
		return An(what) + " with " + List(keys)
	}
	return "a list of " + Plural(len(kids), "item")
}

// fallbacks are the operators whose right side is used where the left is missing.
var fallbacks = map[string]bool{"||": true, "??": true, "?:": true, "or": true}

// sayLong names a value that is too long to be quoted; "" where there is no way.
func sayLong(n tree.Node) string {
	op := tree.Operator(n)
	switch {
	case n.Is(syntax.Parens) && len(n.NamedKids()) > 1:
		return sayAll(n.NamedKids())
	case n.Is(syntax.Call) && tree.Callee(n) != "":
		return "the result of " + Called(n)
	case n.Is(syntax.New):
		return "a " + Made(n)
	case n.Is(syntax.Conditional) && len(n.NamedKids()) == 3:
		c := tree.Parts(n)
		return Say(c[1]) + " or " + Say(c[2])
	case n.Is(syntax.Binary, syntax.Unary) && Boolean(n, 0):
		return "whether " + Holds(n)
	case n.Is(syntax.Binary) && len(n.NamedKids()) == 2 && fallbacks[op] && n.Traits().CallWord == "":
		return strings.Join(Each(treediff.Flatten(n, op), Say), " or, failing that, ")
	case n.Is(syntax.Binary) && len(n.NamedKids()) == 2 && (op == "+" || op == "."):
		terms := treediff.Flatten(n, op)
		if slices.ContainsFunc(terms, func(t tree.Node) bool { return tree.Strip(t).Is(syntax.String) }) {
			return "a text made of " + sayAll(terms)
		}
	}
	return ""
}

// sayAll lists values. Only those that are shown are put into words: a list may have
// thousands.
func sayAll(ns []tree.Node) string {
	said := make([]string, len(ns))
	for i := range ns {
		if len(ns) > maxShown+1 && i >= maxShown {
			break
		}
		said[i] = Say(ns[i])
	}
	return List(said)
}

// ArgumentList names the arguments of a call.
func ArgumentList(call tree.Node) string {
	if out := Each(tree.Arguments(call).NamedKids(), Argument); len(out) > 0 {
		return List(out)
	}
	return "nothing"
}

// Argument names one argument.
func Argument(a tree.Node) string {
	if a.Is(syntax.KeywordArgument) {
		if v := tree.ValueOf(a); v.Ok() && a.Size() > MaxCode && tree.NameOf(a) != "" {
			return Code(tree.NameOf(a)) + " set to " + Say(v)
		}
		return Code(a.Text())
	}
	return Say(bareArgument(a))
}

// Each applies a function to nodes or texts.
func Each[T any](xs []T, f func(T) string) []string {
	var out []string
	for _, x := range xs {
		out = append(out, f(x))
	}
	return out
}
