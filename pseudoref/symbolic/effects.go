package symbolic

import (
	"strings"

	"crscore/internal/syntax"
)

// maxEffectText is the length in bytes that a list of effects may have.
const maxEffectText = 140

// maxEffects is the number of things said about what a block does.
const maxEffects = 3

// effects says what statements do: "calls `a`", "returns `b`". It ends where
// what follows may not happen, or would read as if it happened only under the
// condition named before it.
func effects(stmts []item) []string {
	var out []string
	for _, s := range stmts {
		if v := does(s, 0); v != "" {
			out = append(out, v)
		}
		if leaves(s) {
			break
		}
	}
	out = uniq(out)
	// Long phrases leave room for fewer of them. How a block ends matters more than
	// what it does in between.
	room, kept := maxEffectText, 0
	for kept < min(len(out), maxEffects) {
		if room -= len(out[kept]); room < 0 && kept > 0 {
			break
		}
		kept++
	}
	if kept < len(out) {
		out = append(out[:max(kept-1, 1):max(kept-1, 1)], out[len(out)-1])
	}
	return out
}

// leaves tells whether a statement asks for a condition or may leave the block.
func leaves(n item) bool {
	n = strip(n)
	exits := []syntax.Role{syntax.Return, syntax.Throw, syntax.Break, syntax.Continue, syntax.Goto}
	if n.is(syntax.If, syntax.Switch) || n.is(exits...) {
		return true
	}
	return len(n.find(1, func(r syntax.Role) bool { return r == syntax.Lambda || r.IsFunction() }, exits...)) > 0
}

// does is the verb phrase of a statement: "returns `x`"; "" when there is
// nothing worth saying.
func does(n item, depth int) string {
	n = strip(n)
	if !n.ok() || depth > maxSay || conditional(n) && n.is(syntax.If, syntax.Else, syntax.ElseIf) {
		return ""
	}
	if r := carrier(n); r.ok() && depth < maxSay {
		return does(r, depth+1)
	}
	switch n.role() {
	case syntax.Return, syntax.Yield, syntax.Throw, syntax.Break, syntax.Continue, syntax.Goto:
		return exitDoes(n)
	case syntax.Assign, syntax.AugAssign, syntax.Variable, syntax.Update:
		return sets(n)
	case syntax.Await:
		if k := n.namedKids(); len(k) > 0 {
			return strings.Replace(does(k[0], depth+1), "calls", "awaits", 1)
		}
	case syntax.Call:
		return callDoes(n)
	case syntax.New:
		return "creates a " + made(n)
	case syntax.If:
		if condition(n).ok() {
			return "checks whether " + runsWhen(n, true)
		}
	case syntax.Loop:
		return "loops " + loopOver(n)
	case syntax.Delete, syntax.Unary:
		for _, word := range []string{"del ", "delete "} {
			if rest, ok := strings.CutPrefix(oneLine(n.text()), word); ok {
				return "deletes " + code(rest)
			}
		}
	case syntax.Assert:
		return "asserts " + assertedOr(n)
	case syntax.Try:
		return "handles errors"
	case syntax.Defer:
		return "defers a " + taskPhrase(n)
	case syntax.Spawn:
		return "starts a goroutine with a " + taskPhrase(n)
	case syntax.Send:
		return "sends " + say(n.child("value")) + " on " + code(n.child("channel").text())
	case syntax.With:
		if e := expects(n); e != "" {
			return "expects " + code(e) + " to be raised"
		}
		if b := body(n); len(b) > 0 {
			return does(b[0], depth+1)
		}
	case syntax.Function:
		return "defines the function " + code(nameOf(n))
	case syntax.Pipeline:
		return "pipes " + list(commandsOf(n))
	}
	if k := n.namedKids(); appends(n) && len(k) == 2 {
		return "appends " + say(k[1]) + " to " + code(k[0].text())
	}
	return conditionalDoes(n, depth)
}

// exitDoes is the verb phrase of a statement that leaves its block, or gives a value
// to whoever runs it.
func exitDoes(n item) string {
	switch n.role() {
	case syntax.Return:
		word := map[bool]string{true: "exits", false: "returns"}[exits(n)]
		if r := returned(n); r.ok() {
			return word + map[bool]string{true: " with ", false: " "}[exits(n)] + say(r)
		}
		return strings.Replace(word, "returns", "returns early", 1)
	case syntax.Yield:
		if k := n.namedKids(); len(k) > 0 {
			return "yields " + say(k[0])
		}
	case syntax.Throw:
		e, msg := thrown(n)
		if e == "" {
			return "raises the error again"
		}
		if msg != "" {
			msg = " with the message " + msg
		}
		return raises(n) + " `" + e + "`" + msg
	case syntax.Break:
		if n.traits().BreakLeavesLoop || !n.under(syntax.Switch, syntax.Case, syntax.Loop).is(syntax.Switch, syntax.Case) {
			return "leaves the loop" // and does not only end a case
		}
	case syntax.Continue:
		return "skips to the next iteration"
	case syntax.Goto:
		return "jumps to " + code(n.child("label").text())
	}
	return ""
}

// sets is the verb phrase of a statement that gives a variable a value.
func sets(n item) string {
	switch t, v := target(n), assigned(n); {
	case n.is(syntax.Update):
		return "updates " + code(strings.Trim(n.text(), "+-;"))
	case t == "":
		return ""
	case compound(n) != "":
		return "updates " + code(t)
	case v.ok():
		return "sets " + code(t) + " to " + say(v)
	case n.is(syntax.Variable):
		return "declares " + code(t)
	}
	return ""
}

// expects names the error that a with statement of a test waits for.
func expects(n item) string {
	for _, c := range n.find(3, func(r syntax.Role) bool { return r == syntax.Block }, syntax.Call) {
		switch calledName(c) {
		case "raises", "assertRaises", "assertRaisesRegex":
			if k := arguments(c).namedKids(); len(k) > 0 {
				return k[0].text()
			}
		}
	}
	return ""
}

func raises(n item) string {
	if n.traits().Raises {
		return "raises"
	}
	return "throws"
}

// loopOver says what a loop goes over or how long it runs: "over `xs`", "while
// `n` is less than `9`".
func loopOver(n item) string {
	if c := n.child("right", "value", "collection"); c.ok() && !c.is(syntax.Block) {
		if k := c.next(); k.field() == "value" && c.field() == "value" { // a list of words
			var words []string
			for ; c.field() == "value"; c = c.next() {
				words = append(words, say(c))
			}
			return "over " + list(words)
		}
		return "over " + say(c)
	}
	if c := strip(n.child("condition")); c.ok() {
		if c.is(syntax.Bool) {
			return "while " + code(c.text())
		}
		return "while " + holds(c)
	}
	if r := n.child("range"); r.ok() {
		return "over " + say(r.child("right"))
	}
	if c := n.child("clause").child("condition"); c.ok() {
		return "while " + holds(c)
	}
	if len(n.namedKids()) == 1 {
		return "without an end"
	}
	return "over its values"
}

func callDoes(n item) string {
	if level, ok := logging(n); ok && !printing(n) {
		s := "logs"
		if level != "" {
			s += " " + an(level)
		}
		if t := arguments(n).find(1, nil, syntax.String); len(t) == 1 {
			return s + " message " + quote(unquoted(t[0].text()), 30)
		}
		return s + " message"
	}
	if printing(n) {
		return "prints " + argumentList(n)
	}
	if ends(n) || callee(n) == "bail!" {
		verb := map[bool]string{true: "panics", false: "returns an error"}[ends(n)]
		if t := arguments(n).find(1, nil, syntax.String); len(t) == 1 {
			return verb + " with the message " + quote(unquoted(t[0].text()), 30)
		}
		return verb
	}
	if assertion(n) {
		return "asserts " + assertedOr(n)
	}
	if t := strings.TrimSuffix(callee(n), ".__init__"); t == "super" || strings.HasPrefix(n.text(), "super") {
		return "calls the parent's " + map[bool]string{true: "constructor", false: "`" + calledName(n) + "`"}[calledName(n) == "super" || calledName(n) == "__init__"]
	}
	return calls(n) + " " + called(n)
}

// taskPhrase names what a deferred or spawned statement calls: "call to `close`" or
// "function that calls `close`".
func taskPhrase(n item) string {
	c := n
	if k := n.namedKids(); len(k) > 0 {
		c = strip(k[0])
	}
	if f := strip(c.child("function")); f.is(syntax.Lambda) {
		return "function" + effectsTail(body(f))
	}
	if c.is(syntax.Call) {
		return callNoun(c)
	}
	return "block" + effectsTail(body(n))
}
