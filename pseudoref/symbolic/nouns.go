package symbolic

import (
	"cmp"
	"strings"

	"crscore/pseudoref/symbolic/tree"

	"crscore/internal/syntax"
)

func toFrom(added bool) string { return either(added, "to", "from") }

func firstWord(s string) string {
	k := strings.IndexFunc(s, func(r rune) bool { return r == ' ' || r == '_' || r == ';' || r == '\n' || r == '(' })
	if k > 0 {
		s = s[:k]
	}
	return cut(tree.OneLine(s), maxCode)
}

// headline is a node's text as code, cut.
func headline(n tree.Node) string { return code(strings.TrimRight(n.Text(), ";")) }

// noun names a statement or expression: "the call to `foo`".
func noun(n tree.Node, art string) string {
	n = tree.Strip(tree.Unnested(n))
	switch s := bareNoun(n); {
	case s == "" && art == "a":
		return headline(n)
	case s == "":
		return art + " code " + headline(n)
	case art == "a":
		return an(s)
	default:
		return art + " " + s
	}
}

// plainNouns are the nouns of what has no name.
var plainNouns = map[syntax.Role]string{syntax.Try: "`try` block", syntax.Comment: "comment", syntax.Assert: "assertion", syntax.Yield: "`yield`"}

// bareNoun is noun without an article, or "" for code that has no other name.
func bareNoun(n tree.Node) string {
	if word := plainNouns[n.Role()]; word != "" {
		return word
	}
	switch n.Role() {
	case syntax.Call:
		return calledNoun(n)
	case syntax.Assign, syntax.AugAssign:
		l, _ := tree.Sides(n)
		if tree.Compound(n) != "" {
			return "update of " + code(l.Text())
		}
		return "assignment of " + code(l.Text())
	case syntax.Variable, syntax.Declarator, syntax.Field, syntax.Function, syntax.Constructor,
		syntax.Class, syntax.Interface, syntax.Enum, syntax.EnumMember:
		return declaredNoun(n)
	case syntax.If, syntax.ElseIf:
		return "check whether " + runsWhen(n, true)
	case syntax.Loop:
		return "loop " + loopOver(n)
	case syntax.Return:
		if r := returned(n); r.Ok() && !exits(n) {
			return "return of " + say(r)
		}
		return either(exits(n), "exit", "early return")
	case syntax.Switch:
		word := firstWord(n.Text())
		for _, t := range []string{"switch", "match"} { // it may stand behind its value
			if n.KidOf(t) {
				word = t
			}
		}
		if c := n.Child("value", "condition", "subject"); c.Ok() {
			return code(word) + " over " + say(c)
		}
		return code(word) + " statement"
	}
	return ""
}

// calledNoun names a call.
func calledNoun(n tree.Node) string {
	level, logs := logging(n)
	name, test := tree.TestCall(n)
	switch {
	case test:
		return "test " + quote(name, maxCode)
	case printing(n):
		return "print statement"
	case logs:
		return strings.TrimSpace(level + " log message")
	case assertion(n):
		return "assertion " + assertedOr(n)
	}
	return callNoun(n)
}

// declaredNoun names what has a name.
func declaredNoun(n tree.Node) string {
	word := "variable"
	switch r := n.Role(); {
	case r.IsFunction() && isConstructor(n):
		return "constructor"
	case r == syntax.Field, n.Is(syntax.Variable, syntax.Declarator) && memberOnly(n):
		word = fieldWord(n)
	case r.IsFunction():
		word = functionWord(n)
	case n.Is(syntax.Class, syntax.Interface, syntax.Enum):
		word = classWord(n)
	case r == syntax.EnumMember:
		word = "member"
	}
	return word + " " + code(tree.NameOf(n))
}

// callNoun is "call to `a`" or "chain of calls to `a` and `b`".
func callNoun(call tree.Node) string {
	if len(tree.Chain(call)) > 1 {
		return "chain of calls to " + called(call)
	}
	return callTo(call) + " " + called(call)
}

// called names what a call calls, in backticks: all names of a chain.
func called(call tree.Node) string {
	links := tree.Chain(call)
	if len(links) < 2 {
		if tree.Callee(call) == "" {
			return "a function without a name"
		}
		return "`" + tree.Callee(call) + "`"
	}
	var out []string
	for _, l := range links {
		out = append(out, code(shownName(l)))
	}
	return list(uniq(out))
}

// made says what an expression makes: "new `T`". Rows of a test's table in Go have no type.
func made(n tree.Node) string {
	if t := cmp.Or(tree.Callee(n), n.Child("type").Text()); t != "" {
		return "new " + code(t)
	}
	return "new value of a type without a name"
}

// names lists the names of pairs, parameters or elements, in backticks.
func names(ns []tree.Node) []string {
	var out []string
	for _, n := range ns {
		if s := tree.NameOf(n); s != "" {
			out = append(out, code(s))
		} else if n.Is(syntax.Identifier, syntax.String, syntax.Type) {
			out = append(out, say(n))
		}
	}
	return uniq(out)
}

func elementName(n tree.Node) string {
	t := strings.TrimSpace(n.Text())
	if k := strings.IndexAny(t, " />\n\t"); k > 0 && k < maxCode {
		t = t[:k]
	}
	return code(strings.TrimRight(t, ">/") + ">")
}

// runsWhen says when the body of a branch runs; "unless" turns it round.
func runsWhen(n tree.Node, want bool) string {
	if strings.HasPrefix(n.Kind(), "unless") || strings.HasPrefix(n.Kind(), "guard") || n.Kind() == "preproc_ifdef" && strings.HasPrefix(n.Text(), "#ifndef") {
		want = !want
	}
	if c := failedCall(n); c.Ok() && want {
		return called(c) + " returns an error"
	}
	if c := tree.Condition(n); n.Kind() == "preproc_ifdef" {
		return code(c.Text()) + map[bool]string{true: " is defined", false: " is not defined"}[want]
	}
	return clause(tree.Condition(n), want, 0)
}

// thrown returns the name of the exception and its message in quotes.
func thrown(n tree.Node) (name, msg string) {
	k, a := n.NamedKids(), n.First(syntax.Arguments)
	if a.Ok() { // Ruby raises by a call
		k = a.NamedKids()
	}
	if len(k) == 0 {
		return "", ""
	}
	e := tree.Strip(k[0])
	if !a.Ok() {
		a = tree.Arguments(e)
	}
	if s := a.Find(1, nil, syntax.String); len(s) == 1 && s[0] != e {
		msg = quote(tree.Unquoted(s[0].Text()), 30)
	}
	if e.Is(syntax.Call, syntax.New) {
		return strings.TrimSuffix(tree.Callee(e), ".new"), msg
	}
	return cut(tree.OneLine(e.Text()), maxCode), msg
}

// shownName is calledName as it is written, with the mark that a language lets a
// name end with.
func shownName(call tree.Node) string {
	if m := call.Child("method"); call.Traits().NameSuffixes != "" && m.Is(syntax.Identifier) {
		return m.Text()
	}
	return tree.CalledName(call)
}
