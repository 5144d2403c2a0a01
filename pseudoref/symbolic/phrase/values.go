package phrase

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// Say names a value: a short piece of code as it is, a longer one by what it is, since a quotation that is
// cut loses what matters, which mostly stands at the end.
func Say(n tree.Node) string {
	n = tree.Strip(n)
	s, long := "", n.Size() > CodeRunes
	switch {
	case n.Is(syntax.String) && n.Kind() != "concatenated_string" && !strings.HasPrefix(n.Kind(), "char"):
		s = Quote(tree.Unquoted(n.Text()), CodeRunes)
	case n.Is(syntax.Element):
		s = "the element " + ElementName(n)
	case n.Is(syntax.Lambda) && (long || strings.Contains(n.Text(), "\n")):
		s = "a function"
		if e := Effects(tree.Body(n)); len(e) > 0 {
			s += Or(" that "+List(e[:min(len(e), 2)]), "")
		}
	case n.Is(syntax.Collection) && long: // by what is in it
		what, keys := Either(strings.Contains(n.Kind(), "dict"), "a dictionary", "an object"), Names(n.NamedKids())
		if len(keys) > 0 && (tree.IsPair(n.NamedKids()[0]) || n.Kind() == "object") {
			return what + Or(" with "+List(keys), "")
		}
		s = "a list of " + Plural(len(n.NamedKids()), "item")
	case long:
		s = sayLong(n)
	}
	if s == "" {
		s = Code(n.Text())
	}
	return s
}

// sayLong names a value that is too long to be quoted; "" where there is no way.
func sayLong(n tree.Node) string {
	op, k := tree.Operator(n), n.NamedKids()
	switch {
	case n.Is(syntax.Parens) && len(k) > 1: // a tuple
		return sayAll(k)
	case n.Is(syntax.Call) && tree.Callee(n) != "":
		return result(n)
	case n.Is(syntax.New):
		return "a " + Made(n)
	case n.Is(syntax.Conditional) && len(k) == 3:
		c := tree.Parts(n)
		return Say(c[1]) + " or " + Say(c[2])
	case Boolean(n):
		return "whether " + Holds(n)
	case n.Is(syntax.Binary) && len(k) == 2 && n.Traits().CallWord == "":
		terms := treediff.Flatten(n, op)
		if strings.Contains("+.%", op) && slices.ContainsFunc(terms, func(t tree.Node) bool { return tree.Strip(t).Is(syntax.String) }) {
			return "a text" + Or(" made of "+sayAll(terms), "")
		}
		nested := func(t tree.Node) bool {
			return t.Size() > CodeRunes && tree.Strip(t).Is(syntax.Binary, syntax.Conditional)
		}
		if len(terms) <= shownPhrases && !slices.ContainsFunc(terms, nested) {
			return strings.Join(Each(terms, Say), " "+op+" ")
		}
	}
	return ""
}

// result is what a call gives back, and what it is given: "the result of `f` with `a`".
func result(call tree.Node) string { return "the result of " + Called(call) + given(call) }

// given names the one short argument of a call, else the one text among several: ` with "no such key"`. Two of them would
// run into the list that the call may itself be in. The text in `parse(style("width"))` is given to another call, and
// that in `parse(d["width"])` only names what is given.
func given(call tree.Node) string {
	args, inner := tree.Arguments(call), func(r syntax.Role) bool { return r.Is(syntax.Call, syntax.New, syntax.Index, syntax.Lambda) }
	if k := args.NamedKids(); len(k) == 1 && k[0].Size() <= CodeRunes {
		return Or(" with "+Argument(k[0]), "")
	}
	if s := args.Find(2, inner, syntax.String); len(s) == 1 {
		return Or(" with "+Quote(tree.Unquoted(s[0].Text()), CodeRunes), "")
	}
	return ""
}

// sayAll lists values. Only those that are shown are put into words: a list may have
// thousands, and List counts the others.
func sayAll(ns []tree.Node) string {
	said := Each(ns[:min(len(ns), shownPhrases+1)], Say)
	return List(append(said, make([]string, len(ns)-len(said))...))
}

// ArgumentList names the arguments of a call.
func ArgumentList(call tree.Node) string {
	return List(Each(tree.Arguments(call).NamedKids(), Argument))
}

// Argument names one argument: "`limit` set to the result of `count`".
func Argument(a tree.Node) string {
	if v := tree.ValueOf(a); a.Is(syntax.KeywordArgument) && v.Ok() && a.Size() > CodeRunes {
		return Code(tree.NameOf(a)) + " set to " + Say(v)
	}
	return Say(bareArgument(a))
}

// Each applies a function to nodes or texts.
func Each[T, U any](xs []T, f func(T) U) []U {
	var out []U
	for _, x := range xs {
		out = append(out, f(x))
	}
	return out
}
