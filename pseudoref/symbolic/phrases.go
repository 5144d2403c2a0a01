package symbolic

import (
	"strings"

	"crscore/pseudoref/symbolic/treediff"

	"crscore/pseudoref/symbolic/tree"

	"crscore/internal/syntax"
)

// maxSay bounds how deep a phrase looks into nested expressions.
const maxSay = 5

// say names a value: a short piece of code as it is, a longer one by what it
// is.
func say(n tree.Node) string {
	n = tree.Strip(n)
	if !n.Ok() {
		return "nothing"
	}
	if msg := madeError(n); msg != "" {
		return "an error saying " + quote(msg, maxCode)
	}
	if t, ok := joined(n); ok {
		return quote(t, maxCode)
	}
	s, short := "", n.Size() <= maxCode
	switch {
	case n.Is(syntax.String) && n.Kind() != "concatenated_string" && !strings.HasPrefix(n.Kind(), "char"):
		if s = filled(n); s == "" {
			s = quote(tree.Unquoted(n.Text()), maxCode)
		}
	case n.Is(syntax.Lambda):
		s = sayFunction(n, short)
	case n.Is(syntax.Collection) && (!short || len(n.NamedKids()) == 0):
		s = sayCollection(n)
	case n.Is(syntax.Element):
		s = "the element " + elementName(n)
	case !short:
		s = sayLong(n)
	}
	if s == "" && !short {
		s = phrase(n)
	}
	if s == "" {
		s = code(n.Text())
	}
	return s
}

// sayFunction says what a function without a name does.
func sayFunction(n tree.Node, short bool) string {
	e := effects(tree.Body(n))
	switch {
	case len(e) == 1 && n.Size() > maxCode/2 && strings.HasPrefix(e[0], "calls "):
		return "a function that " + e[0]
	case short && !strings.Contains(n.Text(), "\n"):
		return code(n.Text())
	case len(e) > 0:
		return "a function that " + list(e[:min(len(e), 2)])
	}
	return "a function"
}

// sayCollection says what is in a list or an object.
func sayCollection(n tree.Node) string {
	what, kids := "list", n.NamedKids()
	switch {
	case strings.Contains(n.Kind(), "dict"):
		what = "dictionary"
	case n.Kind() == "hash":
		what = "hash"
	case n.Kind() == "object" || len(kids) > 0 && tree.IsPair(kids[0]):
		what = "object"
	}
	switch keys := names(kids); {
	case len(kids) == 0:
		return "an empty " + what
	case what != "list" && len(keys) > 0:
		return an(what) + " with " + list(keys)
	}
	return "a list of " + plural(len(kids), "item")
}

// sayLong names a value that is too long to be quoted; "" where there is no way.
func sayLong(n tree.Node) string {
	k := n.NamedKids()
	switch {
	case n.Is(syntax.Parens) && len(k) > 1 && len(k) <= 4:
		var out []string
		for _, v := range k {
			out = append(out, say(v))
		}
		return list(out)
	case n.Is(syntax.Call) && tree.Callee(n) != "":
		return "the result of " + called(n)
	case n.Is(syntax.New) && strings.HasSuffix(n.First(syntax.Block).Kind(), "_body"):
		return "an anonymous `" + tree.Callee(n) + "`"
	case n.Is(syntax.New):
		return "a " + made(n)
	case n.Is(syntax.Switch):
		return "the result of " + noun(n, "a")
	case n.Is(syntax.Comprehension):
		return comprehension(n)
	case n.Is(syntax.If) && tree.Condition(n).Ok():
		return "a value that depends on whether " + runsWhen(n, true)
	case n.Is(syntax.Loop): // Scala's yield values
		return "the values of a loop " + loopOver(n)
	case n.Is(syntax.Unary) && handsOn(n).Ok():
		return say(handsOn(n))
	case n.Is(syntax.Unary) && len(k) == 1 && k[0].Is(syntax.New):
		return say(k[0])
	case n.Is(syntax.Await) && len(k) == 1:
		return "the awaited " + strings.TrimPrefix(say(k[0]), "the ")
	case n.Is(syntax.Conditional) && len(k) == 3:
		c := tree.Parts(n)
		return say(c[1]) + " or " + say(c[2])
	}
	return ""
}

// comprehension says what a comprehension collects: "a list of `f(x)` for each
// of `xs` when `x` is set".
func comprehension(n tree.Node) string {
	what := ""
	for word, name := range map[string]string{"list": "a list", "set": "a set", "dictionary": "a dictionary", "generator": "the values"} {
		if strings.HasPrefix(n.Kind(), word) {
			what = name
		}
	}
	b := n.Child("body")
	var in, when []string
	for _, k := range n.NamedKids() {
		switch k.Kind() {
		case "for_in_clause":
			in = append(in, "each of "+say(k.Child("right")))
		case "if_clause":
			if c := k.NamedKids(); len(c) == 1 {
				when = append(when, holds(c[0]))
			}
		}
	}
	if what == "" || !b.Ok() || len(in) != 1 {
		return ""
	}
	s := what + " of " + code(b.Text()) + " for " + in[0]
	if len(when) > 0 {
		s += " when " + list(when)
	}
	return s
}

// joined is the text of a sum of string literals.
func joined(n tree.Node) (string, bool) {
	if !n.Is(syntax.Binary) || tree.Operator(n) != "+" {
		return "", false
	}
	var b strings.Builder
	for _, t := range treediff.Flatten(n, "+") {
		if !t.Is(syntax.String) {
			return "", false
		}
		b.WriteString(tree.Unquoted(t.Text()))
	}
	return b.String(), true
}

// argumentList names the arguments of a call.
func argumentList(call tree.Node) string {
	out := phrases(tree.Arguments(call).NamedKids())
	if len(out) == 0 {
		return "nothing"
	}
	return list(out)
}

// argument names one argument.
func argument(a tree.Node) string {
	if a.Is(syntax.KeywordArgument) {
		if v := tree.ValueOf(a); v.Ok() && a.Size() > maxCode && tree.NameOf(a) != "" {
			return code(tree.NameOf(a)) + " set to " + say(v)
		}
		return code(a.Text())
	}
	if a.Role() == syntax.Other && strings.Contains(a.Kind(), "argument") {
		if k := a.NamedKids(); len(k) == 1 {
			return say(k[0])
		}
	}
	return say(a)
}
