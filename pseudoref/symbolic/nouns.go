package symbolic

import (
	"strings"

	"crscore/internal/syntax"
)

func namespaceWord(n item) string {
	if strings.HasPrefix(n.kind(), "mod") {
		return "module"
	}
	return "namespace"
}

func toFrom(added bool) string {
	if added {
		return "to"
	}
	return "from"
}

func firstWord(s string) string {
	k := strings.IndexFunc(s, func(r rune) bool { return r == ' ' || r == '_' || r == ';' || r == '\n' || r == '(' })
	if k > 0 {
		s = s[:k]
	}
	return cut(oneLine(s), maxCode)
}

// headline is a node's text as code, cut.
func headline(n item) string { return code(strings.TrimRight(n.text(), ";")) }

// noun names a statement or expression: "the call to `foo`".
func noun(n item, art string) string {
	n = strip(unnested(n))
	a := func(s string) string {
		if art == "a" {
			return an(s)
		}
		return art + " " + s
	}
	switch n.role() {
	case syntax.Call:
		if name, ok := testCall(n); ok {
			return a("test ") + quote(name, maxCode)
		}
		if level, ok := logging(n); ok && !printing(n) {
			return a(strings.TrimSpace(level + " log message"))
		}
		if printing(n) {
			return a("print statement")
		}
		if assertion(n) {
			return a("assertion ") + assertedOr(n)
		}
		return a(callNoun(n))
	case syntax.New:
		return a(made(n))
	case syntax.Await:
		if k := n.namedKids(); len(k) == 1 {
			return noun(k[0], art)
		}
	case syntax.Assign, syntax.AugAssign:
		l, _ := sides(n)
		if compound(n) != "" {
			return a("update of ") + code(l.text())
		}
		return a("assignment of ") + code(l.text())
	case syntax.Variable, syntax.Declarator:
		if memberOnly(n) {
			return a(fieldWord(n)+" ") + code(nameOf(n))
		}
		if n.kind() == "preproc_def" {
			return a("macro ") + code(nameOf(n))
		}
		return a("variable ") + code(nameOf(n))
	case syntax.Field:
		return a(fieldWord(n)+" ") + code(nameOf(n))
	case syntax.If, syntax.ElseIf:
		return a("check whether ") + runsWhen(n, true)
	case syntax.Loop:
		return a("loop ") + loopOver(n)
	case syntax.Return:
		if exits(n) {
			return a("exit")
		}
		if r := returned(n); r.ok() {
			return a("return of ") + say(r)
		}
		return a("early return")
	case syntax.Throw:
		e, _ := thrown(n)
		return a("throwing of ") + code(e)
	case syntax.Function, syntax.Constructor:
		if isConstructor(n) {
			return a("constructor")
		}
		return a(functionWord(n)) + " " + code(nameOf(n))
	case syntax.Class, syntax.Interface, syntax.Enum:
		return a(classWord(n)) + " " + code(nameOf(n))
	case syntax.Try:
		return a("`try` block")
	case syntax.Case:
		return a("case for ") + caseLabel(n)
	case syntax.EnumMember:
		return a(memberWord(n)) + " " + code(nameOf(n))
	case syntax.Comment:
		return a("comment")
	case syntax.Assert:
		return a("assertion")
	case syntax.Yield:
		return a("`yield`")
	case syntax.Defer:
		return a("deferred ") + taskPhrase(n)
	case syntax.Spawn:
		return a("goroutine with a ") + taskPhrase(n)
	case syntax.Send:
		return a("sending of ") + say(n.child("value")) + " on " + code(n.child("channel").text())
	case syntax.Switch:
		word := firstWord(n.text())
		for _, k := range n.kids() { // where it stands behind its value
			if t := k.kind(); t == "switch" || t == "match" {
				word = t
			}
		}
		if c := switched(n); c != "" {
			return a("`"+word+"` over ") + c
		}
		return a("`" + word + "` statement")
	}
	if n.is(syntax.Pipeline) {
		return a("pipeline of ") + list(commandsOf(n))
	}
	if first, _, _, ok := conditionally(n); ok && first.is(syntax.Call, syntax.Pipeline) {
		return noun(first, art)
	}
	return a("code ") + headline(n)
}
