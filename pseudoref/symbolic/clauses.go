package symbolic

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
)

// comparisons are the English of comparing operators.
var comparisons = map[string]string{
	"==": "equals", "===": "equals", "!=": "differs from", "!==": "differs from", "<>": "differs from",
	"<": "is less than", ">": "is greater than", "<=": "is at most", ">=": "is at least",
	"in": "is in", "not in": "is not in", "is": "is", "is not": "is not", "instanceof": "is an instance of",
	"=~": "matches", "!~": "does not match", "=": "equals", "-eq": "equals", "-ne": "differs from", "-lt": "is less than", "-gt": "is greater than",
	"-le": "is at most", "-ge": "is at least", "-nt": "is newer than", "-ot": "is older than",
}

// negated comparisons, to say when a condition does not hold.
var opposite = map[string]string{
	"==": "!=", "===": "!==", "!=": "==", "!==": "===", "<": ">=", ">": "<=", "<=": ">", ">=": "<", "in": "not in", "not in": "in",
	"is": "is not", "is not": "is", "=": "!=", "-eq": "-ne", "-ne": "-eq", "-lt": "-ge", "-ge": "-lt", "-gt": "-le", "-le": "-gt",
	"=~": "!~", "!~": "=~",
}

// tests are the English of operators that test one value, and of their opposites.
var tests = map[string][2]string{
	"-e": {"exists", "does not exist"}, "-f": {"is a file", "is not a file"}, "-d": {"is a directory", "is not a directory"},
	"-r": {"is readable", "is not readable"}, "-w": {"is writable", "is not writable"}, "-x": {"is executable", "is not executable"},
	"-s": {"is a file that is not empty", "is empty or missing"}, "-L": {"is a symbolic link", "is not a symbolic link"},
	"-h": {"is a symbolic link", "is not a symbolic link"}, "-z": {"is empty", "is not empty"}, "-n": {"is not empty", "is empty"},
	"-v": {"is set", "is not set"}, "-t": {"is a terminal", "is not a terminal"},
}

func logical(op string) string {
	switch op {
	case "&&", "and", ",": // a list of conditions
		return "and"
	case "||", "or":
		return "or"
	}
	return ""
}

// holds says when a condition is true, as a clause: "`x` is null".
func holds(n item) string { return clause(n, true, 0) }

func clause(n item, want bool, depth int) string {
	n = strip(n)
	if !n.ok() {
		return "it holds"
	}
	if depth < maxSay {
		switch n.role() {
		case syntax.Variable:
			// A condition that holds when there is a value to bind.
			v := valueOf(n)
			if !v.ok() {
				v = n.first(syntax.Identifier)
			}
			return say(v) + map[bool]string{true: " is not nil", false: " is nil"}[want]
		case syntax.Binary:
			if s := binaryClause(n, want, depth); s != "" {
				return s
			}
		case syntax.Unary:
			op := operator(n)
			k := n.namedKids()
			if len(k) == 1 && (op == "!" || op == "not") {
				return clause(k[0], !want, depth+1)
			}
			if t, ok := tests[op]; ok && len(k) == 2 {
				return say(k[1]) + " " + t[map[bool]int{true: 0, false: 1}[want]]
			}
		case syntax.Bool:
			if strings.EqualFold(n.text(), "true") == want {
				return "always"
			}
			return "never"
		}
	}
	text := n.text()
	if rest, ok := strings.CutPrefix(text, "!"); ok && n.is(syntax.Member, syntax.Call) { // a grammar that binds it too tightly
		text, want = rest, !want
	}
	if rest, ok := strings.CutPrefix(text, "(("); ok && n.traits().CallWord != "" { // arithmetic
		text = strings.TrimSpace(strings.TrimSuffix(rest, "))"))
		return code(text) + map[bool]string{true: " is true", false: " is false"}[want]
	}
	c := code(text)
	if n.kind() == "preproc_defined" {
		if k := n.namedKids(); len(k) == 1 {
			return code(k[0].text()) + map[bool]string{true: " is defined", false: " is not defined"}[want]
		}
	}
	switch {
	case n.is(syntax.Member) && n.traits().LooseArguments && strings.HasSuffix(text, ".length"):
		return code(strings.TrimRight(strings.TrimSuffix(text, ".length"), "?")) + map[bool]string{true: " is not empty", false: " is empty"}[want]
	case n.is(syntax.Call, syntax.Pipeline) && n.traits().CallWord != "" && want:
		return c + " succeeds"
	case n.is(syntax.Call, syntax.Pipeline) && n.traits().CallWord != "":
		return c + " fails"
	case n.is(syntax.Call) && len(text) > maxCode && calledName(n) != "" && n.traits().CallWord == "":
		// Cut code would lose what it is asked with.
		args := arguments(n).namedKids()
		c = "the result of " + code(calledName(n))
		if len(args) > 0 && len(args) < 3 {
			c += " with " + argumentList(n)
		}
		return c + map[bool]string{true: " is true", false: " is false"}[want]
	case n.is(syntax.Call) && want && predicate(calledName(n)):
		return c + " holds"
	case n.is(syntax.Identifier, syntax.Member) && n.traits().Dynamic && want:
		return c + " is set"
	case n.is(syntax.Identifier, syntax.Member) && n.traits().Dynamic:
		return c + " is not set"
	case want:
		return c + " is true"
	}
	return c + " is false"
}

// predicate tells whether a function's name asks a question.
func predicate(name string) bool {
	for _, p := range []string{"is", "has", "can", "should", "contains", "exists", "equals", "starts", "ends", "matches"} {
		if strings.HasPrefix(strings.ToLower(name), p) {
			return true
		}
	}
	return false
}

func binaryClause(n item, want bool, depth int) string {
	if p, v := matched(n); p.ok() {
		return say(v) + map[bool]string{true: " matches ", false: " does not match "}[want] + code(p.text())
	}
	op := operator(n)
	k := slices.DeleteFunc(n.namedKids(), func(x item) bool { return x.field() == "operator" })
	if len(k) != 2 {
		return ""
	}
	if l := logical(op); l != "" {
		if !want {
			l = map[string]string{"and": "or", "or": "and"}[l]
		}
		a, b := clause(k[0], want, depth+1), clause(k[1], want, depth+1)
		if len(a)+len(b) <= 2*maxCode+20 {
			return a + " " + l + " " + b
		}
		if depth > 0 {
			return ""
		}
		// The first of a long chain, and how many there are.
		terms := flatten(n, op)
		first := clause(terms[0], want, depth+1)
		rest := plural(len(terms)-1, "other condition")
		if l == "and" {
			return first + " and " + rest + map[bool]string{true: " hold", false: " holds"}[len(terms) > 2]
		}
		return first + " or " + map[bool]string{true: "one of ", false: ""}[len(terms) > 2] + rest + " holds"
	}
	if k[1].is(syntax.Binary) && logical(operator(k[1])) != "" {
		return "" // a grammar that binds it too tightly
	}
	if !want {
		var ok bool
		if op, ok = opposite[op]; !ok {
			return ""
		}
	}
	if k[1].is(syntax.Null) || strings.EqualFold(k[1].text(), "none") {
		switch op {
		case "==", "===", "is":
			return say(k[0]) + " is " + nullWord(k[1])
		case "!=", "!==", "is not":
			return say(k[0]) + " is not " + nullWord(k[1])
		}
	}
	verb, ok := comparisons[op]
	if !ok {
		return ""
	}
	return say(k[0]) + " " + verb + " " + say(k[1])
}

func nullWord(n item) string {
	if t := n.text(); t != "null" {
		return "`" + t + "`"
	}
	return "null"
}

// nullCheck returns the value that a condition compares with null, and
// whether it asks for null; or none.
func nullCheck(n item) (value item, isNull bool) {
	n = strip(n)
	if !n.is(syntax.Binary) {
		return item{}, false
	}
	k := n.namedKids()
	if len(k) != 2 {
		return item{}, false
	}
	if !k[1].is(syntax.Null) {
		return item{}, false
	}
	switch operator(n) {
	case "==", "===", "is":
		return k[0], true
	case "!=", "!==", "is not":
		return k[0], false
	}
	return item{}, false
}

// matched returns pattern and value of a condition such as `let Some(x) = y`.
func matched(n item) (pattern, value item) {
	if !n.is(syntax.Binary) {
		return item{}, item{}
	}
	pattern, value = n.child("pattern"), n.child("value")
	if !pattern.ok() || !value.ok() {
		return item{}, item{}
	}
	return pattern, value
}

// handsOn returns the expression whose error an operator hands to the caller.
func handsOn(n item) item {
	n = strip(n)
	if n.is(syntax.Unary) && operator(n) == "?" {
		if k := n.namedKids(); len(k) == 1 {
			return strip(k[0])
		}
	}
	return item{}
}

// ends tells whether a call ends the program.
func ends(n item) bool {
	return n.is(syntax.Call) && slices.Contains(n.traits().Panics, callee(n))
}
