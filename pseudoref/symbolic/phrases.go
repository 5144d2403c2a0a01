package symbolic

import (
	"strings"

	"crscore/internal/syntax"
)

// maxSay bounds how deep a phrase looks into nested expressions.
const maxSay = 5

// unquoted is the text of a string literal without its quotes.
func unquoted(s string) string {
	s = strings.TrimSpace(s)
	if t := strings.TrimLeft(s, "rRbBuUfFsS@$"); t != "" && strings.IndexByte("\"'`", t[0]) >= 0 {
		s = t
	}
	for _, q := range []string{`"""`, "'''", `"`, "'", "`"} {
		if len(s) >= 2*len(q) && strings.HasPrefix(s, q) && strings.HasSuffix(s, q) {
			return s[len(q) : len(s)-len(q)]
		}
	}
	return s
}

// say names a value: a short piece of code as it is, a longer one by what it
// is.
func say(n item) string {
	n = strip(n)
	if !n.ok() {
		return "nothing"
	}
	if msg := madeError(n); msg != "" {
		return "an error saying " + quote(msg, maxCode)
	}
	if t, ok := joined(n); ok {
		return quote(t, maxCode)
	}
	s, short := "", n.size() <= maxCode
	switch {
	case n.is(syntax.String) && n.kind() != "concatenated_string" && !strings.HasPrefix(n.kind(), "char"):
		if s = filled(n); s == "" {
			s = quote(unquoted(n.text()), maxCode)
		}
	case n.is(syntax.Lambda):
		s = sayFunction(n, short)
	case n.is(syntax.Collection) && (!short || len(n.namedKids()) == 0):
		s = sayCollection(n)
	case n.is(syntax.Element):
		s = "the element " + elementName(n)
	case !short:
		s = sayLong(n)
	}
	if s == "" && !short {
		s = phrase(n)
	}
	if s == "" {
		s = code(n.text())
	}
	return s
}

// sayFunction says what a function without a name does.
func sayFunction(n item, short bool) string {
	e := effects(body(n))
	switch {
	case len(e) == 1 && n.size() > maxCode/2 && strings.HasPrefix(e[0], "calls "):
		return "a function that " + e[0]
	case short && !strings.Contains(n.text(), "\n"):
		return code(n.text())
	case len(e) > 0:
		return "a function that " + list(e[:min(len(e), 2)])
	}
	return "a function"
}

// sayCollection says what is in a list or an object.
func sayCollection(n item) string {
	what, kids := "list", n.namedKids()
	switch {
	case strings.Contains(n.kind(), "dict"):
		what = "dictionary"
	case n.kind() == "hash":
		what = "hash"
	case n.kind() == "object" || len(kids) > 0 && isPair(kids[0]):
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
func sayLong(n item) string {
	k := n.namedKids()
	switch {
	case n.is(syntax.Parens) && len(k) > 1 && len(k) <= 4:
		var out []string
		for _, v := range k {
			out = append(out, say(v))
		}
		return list(out)
	case n.is(syntax.Call) && callee(n) != "":
		return "the result of " + called(n)
	case n.is(syntax.New) && strings.HasSuffix(n.first(syntax.Block).kind(), "_body"):
		return "an anonymous `" + callee(n) + "`"
	case n.is(syntax.New):
		return "a " + made(n)
	case n.is(syntax.Switch):
		return "the result of " + noun(n, "a")
	case n.is(syntax.Comprehension):
		return comprehension(n)
	case n.is(syntax.If) && condition(n).ok():
		return "a value that depends on whether " + runsWhen(n, true)
	case n.is(syntax.Loop): // Scala's yield values
		return "the values of a loop " + loopOver(n)
	case n.is(syntax.Unary) && handsOn(n).ok():
		return say(handsOn(n))
	case n.is(syntax.Unary) && len(k) == 1 && k[0].is(syntax.New):
		return say(k[0])
	case n.is(syntax.Await) && len(k) == 1:
		return "the awaited " + strings.TrimPrefix(say(k[0]), "the ")
	case n.is(syntax.Conditional) && len(k) == 3:
		c := parts(n)
		return say(c[1]) + " or " + say(c[2])
	}
	return ""
}

// comprehension says what a comprehension collects: "a list of `f(x)` for each
// of `xs` when `x` is set".
func comprehension(n item) string {
	what := ""
	for word, name := range map[string]string{"list": "a list", "set": "a set", "dictionary": "a dictionary", "generator": "the values"} {
		if strings.HasPrefix(n.kind(), word) {
			what = name
		}
	}
	b := n.child("body")
	var in, when []string
	for _, k := range n.namedKids() {
		switch k.kind() {
		case "for_in_clause":
			in = append(in, "each of "+say(k.child("right")))
		case "if_clause":
			if c := k.namedKids(); len(c) == 1 {
				when = append(when, holds(c[0]))
			}
		}
	}
	if what == "" || !b.ok() || len(in) != 1 {
		return ""
	}
	s := what + " of " + code(b.text()) + " for " + in[0]
	if len(when) > 0 {
		s += " when " + list(when)
	}
	return s
}

// joined is the text of a sum of string literals.
func joined(n item) (string, bool) {
	if !n.is(syntax.Binary) || operator(n) != "+" {
		return "", false
	}
	var b strings.Builder
	for _, t := range flatten(n, "+") {
		if !t.is(syntax.String) {
			return "", false
		}
		b.WriteString(unquoted(t.text()))
	}
	return b.String(), true
}

// argumentList names the arguments of a call.
func argumentList(call item) string {
	out := phrases(arguments(call).namedKids())
	if len(out) == 0 {
		return "nothing"
	}
	return list(out)
}

// argument names one argument.
func argument(a item) string {
	if a.is(syntax.KeywordArgument) {
		if v := valueOf(a); v.ok() && a.size() > maxCode && nameOf(a) != "" {
			return code(nameOf(a)) + " set to " + say(v)
		}
		return code(a.text())
	}
	if a.role() == syntax.Other && strings.Contains(a.kind(), "argument") {
		if k := a.namedKids(); len(k) == 1 {
			return say(k[0])
		}
	}
	return say(a)
}
