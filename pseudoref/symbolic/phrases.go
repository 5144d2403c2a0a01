package symbolic

import (
	"slices"
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
	short := n.size() <= maxCode
	if msg := madeError(n); msg != "" {
		return "an error saying " + quote(msg, maxCode)
	}
	if k := n.namedKids(); n.is(syntax.Parens) && len(k) > 1 && len(k) <= 4 {
		var out []string
		told := false
		for _, v := range k {
			told = told || madeError(v) != ""
			out = append(out, say(v))
		}
		if told || !short {
			return list(out)
		}
	}
	if t, ok := joined(n); ok {
		return quote(t, maxCode)
	}
	switch n.role() {
	case syntax.String:
		if n.kind() == "concatenated_string" || strings.HasPrefix(n.kind(), "char") {
			return code(n.text())
		}
		if s := filled(n); s != "" {
			return s
		}
		return quote(unquoted(n.text()), maxCode)
	case syntax.Assign:
		if k := n.namedKids(); n.kind() == "named_expression" && len(k) == 2 {
			return code(k[0].text()) + ", set to " + say(k[1]) + ","
		}
	case syntax.Lambda:
		if e := effects(body(n)); len(e) == 1 && n.size() > maxCode/2 && strings.HasPrefix(e[0], "calls ") {
			return "a function that " + e[0]
		}
		if short && !strings.Contains(n.text(), "\n") {
			return code(n.text())
		}
		if c := n.first(syntax.Case); c.ok() {
			return "a function with a case for " + caseLabel(c)
		}
		if e := effects(body(n)); len(e) > 0 {
			return "a function that " + list(e[:min(len(e), 2)])
		}
		return "a function"
	case syntax.Collection:
		kids := n.namedKids()
		what, object := "list", "object"
		switch {
		case strings.Contains(n.kind(), "dict"):
			object = "dictionary"
		case n.kind() == "hash":
			object = "hash"
		}
		if strings.Contains(n.kind(), "dict") || n.kind() == "object" || n.kind() == "hash" || len(kids) > 0 && isPair(kids[0]) {
			what = object
		}
		switch {
		case len(kids) == 0:
			return "an empty " + what
		case short:
			return code(n.text())
		case what == object && len(names(kids)) > 0:
			// Of a row in a table, the first text tells which it is.
			first := ""
			for _, k := range kids[:min(len(kids), 2)] {
				if v := valueOf(k); v.is(syntax.String) && v.size() <= maxCode && first == "" {
					first = code(nameOf(k)) + " set to " + say(v)
					kids = slices.DeleteFunc(slices.Clone(kids), func(o item) bool { return o == k })
				}
			}
			if first != "" {
				return an(object) + " with " + list(append([]string{first}, names(kids)...))
			}
			return an(object) + " with " + list(names(kids))
		}
		return "a list of " + plural(len(kids), "item")
	case syntax.Call:
		if !short && callee(n) != "" {
			return "the result of " + called(n)
		}
	case syntax.New:
		if !short && strings.HasSuffix(n.first(syntax.Block).kind(), "_body") {
			return "an anonymous `" + callee(n) + "`"
		}
		if !short {
			return "a " + made(n)
		}
	case syntax.Switch:
		if !short {
			return "the result of " + noun(n, "a")
		}
	case syntax.Comprehension:
		if s := comprehension(n); s != "" && !short {
			return s
		}
	case syntax.If:
		if c := condition(n); c.ok() && !short {
			return "a value that depends on whether " + runsWhen(n, true)
		}
	case syntax.Loop: // Scala's yield values
		if !short {
			return "the values of a loop " + loopOver(n)
		}
	case syntax.Element:
		return "the element " + elementName(n)
	case syntax.Unary:
		if x := handsOn(n); x.ok() && !short {
			return say(x)
		}
		if k := n.namedKids(); len(k) == 1 && !short && (k[0].is(syntax.New) || operator(n) == "<-") {
			if operator(n) == "<-" {
				return "a value from " + say(k[0])
			}
			return say(k[0])
		}
	case syntax.Await:
		if k := n.namedKids(); len(k) == 1 && !short {
			return "the awaited " + strings.TrimPrefix(say(k[0]), "the ")
		}
	case syntax.Conditional:
		if c := parts(n); len(c) == 3 && !short {
			return say(c[1]) + " or " + say(c[2])
		}
	}
	if !short {
		if s := phrase(n); s != "" {
			return s
		}
	}
	return code(n.text())
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
