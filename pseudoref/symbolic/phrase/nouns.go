package phrase

import (
	"cmp"
	"strings"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
)

// ToFrom is the preposition for what something was added to, or removed from.
func ToFrom(added bool) string { return Either(added, "to", "from") }

// FirstWord is the first word of a piece of code, on one line.
func FirstWord(s string) string {
	k := strings.IndexFunc(s, func(r rune) bool { return r == ' ' || r == '_' || r == ';' || r == '\n' || r == '(' })
	if k > 0 {
		s = s[:k]
	}
	return Cut(tree.OneLine(s), MaxCode)
}

// Headline is a node's text as code, cut. The semicolon of a statement says nothing.
func Headline(n tree.Node) string { return Code(strings.TrimRight(n.Text(), ";")) }

// Noun names a statement or expression: "the call to `foo`".
func Noun(n tree.Node, art string) string {
	n = tree.Strip(tree.Unnested(n))
	switch s := bareNoun(n); {
	case s == "" && art == "a":
		return Headline(n)
	case s == "":
		return art + " code " + Headline(n)
	case art == "a":
		return An(s)
	default:
		return art + " " + s
	}
}

// nouns are the nouns of statements by their roles; "%s" stands for what tells them from others
// of their kind, such as the condition of a check.
var nouns = map[syntax.Role]string{
	syntax.Try: "`try` block", syntax.Comment: "comment", syntax.Assert: "assertion", syntax.Yield: "`yield`",
	syntax.Assign: "assignment of %s", syntax.AugAssign: "update of %s", syntax.Loop: "loop %s", syntax.Switch: "`switch` over %s",
	syntax.If: "check whether %s", syntax.ElseIf: "check whether %s", syntax.Return: "return of %s", syntax.Call: "%s",
}

// bareNoun is Noun without an article: "loop over `xs`". It is "" for code that has no other
// name; then the code itself stands for it.
func bareNoun(n tree.Node) string {
	if r := n.Role(); r.IsFunction() || r.IsClass() || n.Is(syntax.Variable, syntax.Declarator, syntax.Field, syntax.EnumMember) {
		return declaredNoun(n)
	}
	what := ""
	switch n.Role() {
	case syntax.Call:
		what = calledNoun(n)
	case syntax.Assign, syntax.AugAssign:
		l, _ := tree.Sides(n)
		what = Code(l.Text())
	case syntax.If, syntax.ElseIf:
		what = RunsWhen(n, true)
	case syntax.Loop:
		what = LoopOver(n)
	case syntax.Return:
		if r := Returned(n); r.Ok() && !Exits(n) {
			what = Say(r)
			break
		}
		return Either(Exits(n), "exit", "early return")
	case syntax.Switch:
		c := n.Child("value", "condition", "subject")
		if !c.Ok() {
			return Code(FirstWord(n.Text())) + " statement"
		}
		what = Say(c)
	}
	return strings.Replace(nouns[n.Role()], "%s", what, 1)
}

// calledNoun names a call: "call to `a`", "assertion that `x` equals `3`". What describes a
// test is named by its description.
func calledNoun(n tree.Node) string {
	name, test := tree.TestCall(n)
	switch {
	case test:
		return "test " + Quote(name, MaxCode)
	case Assertion(n):
		return "assertion " + Asserted(n)
	}
	return CallNoun(n)
}

// declaredNoun names what has a name: "variable `x`".
func declaredNoun(n tree.Node) string {
	word := "declaration"
	switch r := n.Role(); {
	case r == syntax.Field, n.Is(syntax.Variable, syntax.Declarator) && MemberOnly(n):
		word = FieldWord(n)
	case n.Is(syntax.Variable, syntax.Declarator):
		word = "variable"
	case r.IsFunction():
		word = FunctionWord(n)
	case r.IsClass():
		word = ClassWord(n)
	case r == syntax.EnumMember:
		word = "member"
	case r == syntax.Parameter:
		return "parameter " + Code(tree.ParameterName(n))
	}
	return word + " " + Code(tree.NameOf(n))
}

// CallNoun is "call to `a`" or "chain of calls to `a` and `b`".
func CallNoun(call tree.Node) string {
	if len(tree.Chain(call)) > 1 {
		return "chain of calls to " + Called(call)
	}
	return callTo(call) + " " + Called(call)
}

// Called names what a call calls, in backticks: all names of a chain.
func Called(call tree.Node) string {
	links := tree.Chain(call)
	if len(links) < 2 {
		if tree.Callee(call) == "" {
			return "a function without a name"
		}
		return "`" + tree.Callee(call) + "`"
	}
	var out []string
	for _, l := range links {
		out = append(out, Code(ShownName(l)))
	}
	return List(Uniq(out))
}

// Made says what an expression makes: "new `T`". Rows of a test's table in Go have no type.
func Made(n tree.Node) string {
	if t := cmp.Or(tree.Callee(n), n.Child("type").Text()); t != "" {
		return "new " + Code(t)
	}
	return "new value of a type without a name"
}

// Names lists the names of pairs, parameters or elements, in backticks.
func Names(ns []tree.Node) []string {
	var out []string
	for _, n := range ns {
		if s := tree.NameOf(n); s != "" {
			out = append(out, Code(s))
		} else if n.Is(syntax.Identifier, syntax.String, syntax.Type) {
			out = append(out, Say(n))
		}
	}
	return Uniq(out)
}

// ElementName is the tag of an element of markup, in backticks: "`<div>`" for
// `<div class="x">`.
func ElementName(n tree.Node) string {
	t := strings.TrimSpace(n.Text())
	if k := strings.IndexAny(t, " />\n\t"); k > 0 && k < MaxCode {
		t = t[:k]
	}
	return Code(strings.TrimRight(t, ">/") + ">")
}

// RunsWhen says when the body of a branch runs, or when it does not: "`x` is null". Ruby's
// `unless`, Swift's `guard` and `#ifndef` turn it round.
func RunsWhen(n tree.Node, want bool) string {
	ifdef := n.Kind() == "preproc_ifdef"
	if strings.HasPrefix(n.Kind(), "unless") || strings.HasPrefix(n.Kind(), "guard") || ifdef && strings.HasPrefix(n.Text(), "#ifndef") {
		want = !want
	}
	if ifdef {
		return Code(tree.Condition(n).Text()) + Either(want, " is defined", " is not defined")
	}
	return Clause(tree.Condition(n), want)
}

// ShownName is calledName as it is written, with the mark that a language lets a
// name end with.
func ShownName(call tree.Node) string {
	if m := call.Child("method"); call.Traits().NameSuffixes != "" && m.Is(syntax.Identifier) {
		return m.Text()
	}
	return tree.CalledName(call)
}
