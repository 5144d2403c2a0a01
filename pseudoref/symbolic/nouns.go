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
	if k := n.namedKids(); n.is(syntax.Await) && len(k) == 1 {
		return noun(k[0], art)
	}
	if first, _, _, ok := conditionally(n); ok && first.is(syntax.Call, syntax.Pipeline) {
		return noun(first, art)
	}
	if art == "a" {
		return an(bareNoun(n))
	}
	return art + " " + bareNoun(n)
}

// plainNouns are the nouns of what has no name.
var plainNouns = map[syntax.Role]string{syntax.Try: "`try` block", syntax.Comment: "comment", syntax.Assert: "assertion", syntax.Yield: "`yield`"}

// bareNoun is noun without an article.
func bareNoun(n item) string {
	if word := plainNouns[n.role()]; word != "" {
		return word
	}
	switch n.role() {
	case syntax.Call:
		return calledNoun(n)
	case syntax.New:
		return made(n)
	case syntax.Assign, syntax.AugAssign:
		l, _ := sides(n)
		if compound(n) != "" {
			return "update of " + code(l.text())
		}
		return "assignment of " + code(l.text())
	case syntax.Variable, syntax.Declarator, syntax.Field, syntax.Function, syntax.Constructor, syntax.Class, syntax.Interface, syntax.Enum, syntax.EnumMember:
		return declaredNoun(n)
	case syntax.If, syntax.ElseIf:
		return "check whether " + runsWhen(n, true)
	case syntax.Loop:
		return "loop " + loopOver(n)
	case syntax.Return:
		if r := returned(n); r.ok() && !exits(n) {
			return "return of " + say(r)
		}
		return map[bool]string{true: "exit", false: "early return"}[exits(n)]
	case syntax.Throw:
		e, _ := thrown(n)
		return "throwing of " + code(e)
	case syntax.Case:
		return "case for " + caseLabel(n)
	case syntax.Defer:
		return "deferred " + taskPhrase(n)
	case syntax.Spawn:
		return "goroutine with a " + taskPhrase(n)
	case syntax.Send:
		return "sending of " + say(n.child("value")) + " on " + code(n.child("channel").text())
	case syntax.Switch:
		word := firstWord(n.text())
		for _, k := range n.kids() { // where it stands behind its value
			if t := k.kind(); t == "switch" || t == "match" {
				word = t
			}
		}
		if c := switched(n); c != "" {
			return "`" + word + "` over " + c
		}
		return "`" + word + "` statement"
	}
	if n.is(syntax.Pipeline) {
		return "pipeline of " + list(commandsOf(n))
	}
	return "code " + headline(n)
}

// calledNoun names a call.
func calledNoun(n item) string {
	level, logs := logging(n)
	name, test := testCall(n)
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
func declaredNoun(n item) string {
	word := "variable"
	switch r := n.role(); {
	case r.IsFunction() && isConstructor(n):
		return "constructor"
	case r == syntax.Field, n.is(syntax.Variable, syntax.Declarator) && memberOnly(n):
		word = fieldWord(n)
	case n.kind() == "preproc_def":
		word = "macro"
	case r.IsFunction():
		word = functionWord(n)
	case n.is(syntax.Class, syntax.Interface, syntax.Enum):
		word = classWord(n)
	case r == syntax.EnumMember:
		word = memberWord(n)
	}
	return word + " " + code(nameOf(n))
}
