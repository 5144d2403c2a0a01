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
	if msg, wraps, ok := madeError(n); ok && msg != "" {
		if wraps {
			return "a wrapped error saying " + quote(msg, maxCode)
		}
		return "an error saying " + quote(msg, maxCode)
	}
	if k := n.namedKids(); n.is(syntax.Parens) && len(k) > 1 && len(k) <= 4 {
		var out []string
		told := false
		for _, v := range k {
			_, _, made := madeError(v)
			told = told || made
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
		return quote(unquoted(n.text()), maxCode)
	case syntax.Assign:
		if k := n.namedKids(); n.kind() == "named_expression" && len(k) == 2 {
			return code(k[0].text()) + ", set to " + say(k[1]) + ","
		}
	case syntax.Lambda:
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
			return "a new `" + callee(n) + "`"
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
	case n.is(syntax.Call, syntax.Pipeline) && n.traits().CallWord != "" && want:
		return c + " succeeds"
	case n.is(syntax.Call, syntax.Pipeline) && n.traits().CallWord != "":
		return c + " fails"
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
	// Long phrases leave room for fewer of them.
	for room, i := maxEffectText, 0; i < len(out); i++ {
		if room -= len(out[i]); room < 0 && i > 0 {
			out = append(out[:i:i], out[len(out)-1])
			if i > 1 {
				out = append(out[:i-1:i-1], out[len(out)-1])
			}
			break
		}
	}
	if len(out) > maxEffects {
		// How a block ends matters more than what it does in between.
		out = append(out[:maxEffects-1:maxEffects-1], out[len(out)-1])
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
	if t, text, ok := stream(n); ok {
		return strings.TrimSpace("writes " + an(streamNoun(t)) + " " + text)
	}
	switch n.role() {
	case syntax.Return:
		r := returned(n)
		switch {
		case exits(n) && r.ok():
			return "exits with " + say(r)
		case exits(n):
			return "exits"
		case r.ok():
			return "returns " + say(r)
		}
		return "returns early"
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
			return raises(n) + " `" + e + "` with the message " + msg
		}
		return raises(n) + " `" + e + "`"
	case syntax.Break:
		if !n.traits().BreakLeavesLoop && n.under(syntax.Switch, syntax.Case, syntax.Loop).is(syntax.Switch, syntax.Case) {
			return "" // it only ends a case
		}
		return "leaves the loop"
	case syntax.Goto:
		return "jumps to " + code(n.child("label").text())
	case syntax.Continue:
		return "skips to the next iteration"
	case syntax.Assign, syntax.AugAssign:
		l, r := sides(n)
		if l.ok() && r.ok() {
			if compound(n) != "" {
				return "updates " + code(l.text())
			}
			return "sets " + code(l.text()) + " to " + say(r)
		}
	case syntax.Update:
		return "updates " + code(strings.Trim(n.text(), "+-;"))
	case syntax.Variable:
		if name := nameOf(n); name != "" {
			if v := valueOf(n); v.ok() {
				return "sets " + code(name) + " to " + say(v)
			}
			return "declares " + code(name)
		}
	case syntax.Await:
		if k := n.namedKids(); len(k) > 0 {
			return strings.Replace(does(k[0], depth+1), "calls", "awaits", 1)
		}
	case syntax.Call:
		return callDoes(n)
	case syntax.New:
		return "creates a new `" + callee(n) + "`"
	case syntax.If:
		if c := condition(n); c.ok() {
			return "checks whether " + runsWhen(n, true)
		}
	case syntax.Loop:
		return "loops " + loopOver(n)
	case syntax.Unary:
		if rest, ok := strings.CutPrefix(oneLine(n.text()), "delete "); ok {
			return "deletes " + code(rest)
		}
	case syntax.Assert:
		return "asserts " + code(strings.TrimPrefix(oneLine(n.text()), "assert "))
	case syntax.Delete:
		return "deletes " + code(strings.TrimPrefix(strings.TrimPrefix(oneLine(n.text()), "del "), "delete "))
	case syntax.Try:
		return "handles errors"
	case syntax.Defer:
		return "defers a " + taskPhrase(n)
	case syntax.Spawn:
		if f := strip(task(n).child("function")); f.is(syntax.Lambda) {
			return "starts a goroutine" + effectsTail(body(f))
		}
		return "calls " + called(task(n)) + " in a goroutine"
	case syntax.Send:
		value, channel := sent(n)
		return "sends " + value + " on " + channel
	case syntax.With:
		if e := expects(n); e != "" {
			return "expects " + code(e) + " to be raised"
		}
		if b := body(n); len(b) > 0 {
			return does(b[0], depth+1)
		}
	case syntax.Function:
		return "defines the function " + code(nameOf(n))
	}
	if s := conditionalDoes(n, depth); s != "" {
		return s
	}
	if n.is(syntax.Pipeline) {
		return "pipes " + list(commandsOf(n))
	}
	if !appends(n) {
		return ""
	}
	if k := n.namedKids(); len(k) == 2 {
		return "appends " + say(k[1]) + " to " + code(k[0].text())
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

// levels are the names by which logging calls are known.
var levels = map[string]string{
	"trace": "trace", "debug": "debug", "info": "info", "warn": "warning", "warning": "warning", "error": "error", "exception": "error",
	"information": "info", "verbose": "debug", "loginformation": "info", "logwarning": "warning", "logerror": "error", "logdebug": "debug",
	"logtrace": "trace", "logcritical": "error", "fatal": "fatal", "critical": "critical", "severe": "error", "fine": "debug", "notice": "notice", "log": "",
}

// logging returns the level of a logging call.
func logging(call item) (level string, ok bool) {
	c := callee(call)
	name := lastName(c)
	name = strings.ToLower(name)
	for _, suffix := range []string{"f", "ln", "w", "context"} { // Errorf, Println, Infow, ErrorContext
		if _, ok := levels[strings.TrimSuffix(name, suffix)]; ok {
			name = strings.TrimSuffix(name, suffix)
		}
	}
	level, ok = levels[name]
	if !ok {
		return "", false
	}
	if strings.HasSuffix(c, "!") { // a macro
		return level, true
	}
	recv := strings.ToLower(c[:len(c)-len(lastName(c))])
	for _, w := range []string{"log", "console", "slog", "tracing"} {
		if strings.Contains(recv, w) {
			return level, true
		}
	}
	return "", false
}

// printing tells whether a call writes to the standard output.
func printing(call item) bool {
	switch c := callee(call); c {
	case "print", "console.log", "System.out.println", "System.out.print", "fmt.Println", "fmt.Printf", "puts", "printf", "println", "println!", "print!", "eprintln!", "eprint!", "dbg!", "var_dump", "e.printStackTrace", "Console.WriteLine", "Console.Write",
		"Console.Error.WriteLine", "System.err.println", "NSLog", "debugPrint":
		return true
	}
	return false
}

// assertion tells whether a call checks something in a test.
func assertion(call item) bool {
	c := callee(call)
	name := strings.ToLower(lastName(c))
	if c == strings.ToUpper(c) && (c == "CHECK" || c == "REQUIRE" || strings.HasPrefix(c, "CHECK_") || strings.HasPrefix(c, "REQUIRE_")) {
		return true
	}
	return strings.HasPrefix(name, "assert") || strings.HasPrefix(name, "xctassert") || strings.HasPrefix(strings.ToLower(c), "assert.") ||
		slices.ContainsFunc(chain(call), func(l item) bool { return slices.Contains([]string{"Should", "assertThat", "expect"}, calledName(l)) }) ||
		strings.HasPrefix(name, "expect_") || name == "expect" || strings.HasPrefix(c, "expect(") ||
		strings.HasPrefix(call.text(), "expect(") || name == "verify" || strings.HasPrefix(name, "assertthat")
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
		return "asserts " + code(n.text())
	}
	if t := strings.TrimSuffix(callee(n), ".__init__"); t == "super" || strings.HasPrefix(n.text(), "super") {
		return "calls the parent's " + map[bool]string{true: "constructor", false: "`" + calledName(n) + "`"}[calledName(n) == "super" || calledName(n) == "__init__"]
	}
	return calls(n) + " " + called(n)
}

// argumentList names the arguments of a call.
func argumentList(call item) string {
	var out []string
	for _, a := range arguments(call).namedKids() {
		out = append(out, argument(a))
	}
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
