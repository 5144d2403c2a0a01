package symbolic

import (
	"slices"
	"strings"

	"crscore/internal/lang"
	"crscore/internal/syntax"
)

// maxSay bounds how deep a phrase looks into nested expressions.
const maxSay = 5

// nameOf returns the name of a declaration, pair, argument or annotation as
// it is written, or "".
func nameOf(n item) string {
	for depth := 0; n.ok() && depth < 16; depth++ {
		if n.is(syntax.Decorator) {
			return decoratorName(n)
		}
		c := n.child("name", "declarator", "left", "pattern", "property", "key")
		if !c.ok() {
			c = n.first(syntax.Declarator, syntax.Variable, syntax.Identifier)
		}
		if !c.ok() && n.is(syntax.Class, syntax.Interface, syntax.Enum, syntax.Parameter, syntax.TypeAlias) {
			c = n.first(syntax.Type)
		}
		if !c.ok() {
			if n.is(syntax.Identifier, syntax.Type) || n.leaf() && n.named() {
				return oneLine(n.text())
			}
			return ""
		}
		if c.leaf() || c.is(syntax.Identifier, syntax.Member, syntax.Index, syntax.String, syntax.Type) {
			return strings.Trim(oneLine(c.text()), `"'`)
		}
		n = c
	}
	return ""
}

func decoratorName(n item) string {
	s := strings.TrimLeft(oneLine(n.text()), "@#![ ")
	if k := strings.IndexAny(s, "(] "); k >= 0 {
		s = s[:k]
	}
	return s
}

// arguments returns the list of arguments of a call, or none.
func arguments(call item) item {
	if a := call.first(syntax.Arguments); a.ok() {
		return a
	}
	// Kotlin and Swift put the list one node deeper.
	for _, k := range call.namedKids() {
		if k.kind() == "call_suffix" {
			return k.first(syntax.Arguments)
		}
	}
	return item{}
}

// callee returns what is called, as it is written before the arguments:
// "logger.warn", "os.path.join", "HashMap".
func callee(call item) string {
	nd := call.node()
	end := nd.end
	if a := arguments(call); a.ok() {
		end = a.node().start
	} else if f := call.child("function", "constructor", "type", "name"); f.ok() {
		end = f.node().end
	}
	s := strings.TrimPrefix(oneLine(string(call.src[nd.start:end])), "new ")
	if strings.HasSuffix(s, ")") || strings.HasSuffix(s, "}") {
		return "" // what is called has no name
	}
	if len(s) > maxCode || strings.ContainsAny(s, "(){}\"'`") {
		s = lastName(s)
	}
	return s
}

// receiver returns what a method is called on, or none.
func receiver(call item) item {
	if r := call.child("object", "receiver"); r.ok() {
		return r
	}
	f := call.child("function")
	if !f.ok() {
		f = call.first(syntax.Member)
	}
	if !f.is(syntax.Member) {
		return item{}
	}
	if k := f.namedKids(); len(k) > 0 {
		return k[0]
	}
	return item{}
}

// chain lists the calls of a chain such as a().b().c(), the first one first.
func chain(call item) []item {
	var out []item
	for i := 0; call.is(syntax.Call) && i <= maxChain; i++ {
		out = append(out, call)
		call = receiver(call)
	}
	slices.Reverse(out)
	return out
}

// called names what a call calls, in backticks: all names of a chain.
func called(call item) string {
	links := chain(call)
	if len(links) < 2 {
		if callee(call) == "" {
			return "a function without a name"
		}
		return "`" + callee(call) + "`"
	}
	var out []string
	for _, l := range links {
		out = append(out, code(calledName(l)))
	}
	return list(uniq(out))
}

// callNoun is "call to `a`" or "calls to `a` and `b`".
func callNoun(call item) string {
	if len(chain(call)) > 1 {
		return "calls to " + called(call)
	}
	return "call to " + called(call)
}

// lastName returns the last part of a dotted name.
func lastName(s string) string {
	s = strings.TrimRight(s, " ?!")
	if k := strings.IndexByte(s, '<'); k > 0 {
		s = s[:k]
	}
	k := len(s)
	for k > 0 && wordByte(s[k-1]) {
		k--
	}
	return s[k:]
}

// calledName is the last part of what is called.
func calledName(call item) string { return lastName(callee(call)) }

// strip takes off parentheses and statement wrappers.
func strip(n item) item {
	for i := 0; n.ok() && i < maxClimb && n.is(syntax.Parens, syntax.ExpressionStatement); i++ {
		k := n.namedKids()
		if len(k) != 1 {
			break
		}
		n = k[0]
	}
	return n
}

// operator joins the tokens between the operands.
func operator(n item) string {
	var out []string
	for _, k := range n.kids() {
		if !k.named() || k.field() == "operator" || k.field() == "operators" {
			out = append(out, k.text())
		}
	}
	return strings.Join(out, " ")
}

// unquoted is the text of a string literal without its quotes.
func unquoted(s string) string {
	s = strings.TrimSpace(s)
	s = strings.TrimLeft(s, "rRbBuUfF@$")
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
	if t, ok := joined(n); ok {
		return quote(t, maxCode)
	}
	switch n.role() {
	case syntax.String:
		if n.kind() == "concatenated_string" {
			return quote(strings.ReplaceAll(strings.ReplaceAll(n.text(), `"`, ""), "'", ""), maxCode)
		}
		return quote(unquoted(n.text()), maxCode)
	case syntax.Lambda:
		if e := effects(body(n)); len(e) > 0 && !short {
			return "a function that " + e[0]
		} else if len(e) == 0 && short {
			return code(n.text())
		}
		return "a function"
	case syntax.Collection:
		kids := n.namedKids()
		what := "list"
		if strings.Contains(n.kind(), "dict") || n.is(syntax.Collection) && (n.kind() == "object" || n.kind() == "hash") {
			what = "object"
		}
		switch {
		case len(kids) == 0:
			return "an empty " + what
		case short:
			return code(n.text())
		case what == "object":
			return "an object with " + list(names(kids))
		}
		return "a list of " + plural(len(kids), "item")
	case syntax.Call:
		if !short {
			return "the result of " + called(n)
		}
	case syntax.New:
		if !short {
			return "a new `" + callee(n) + "`"
		}
	case syntax.Element:
		return "the element " + elementName(n)
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

// names lists the names of pairs, parameters or elements, in backticks.
func names(ns []item) []string {
	var out []string
	for _, n := range ns {
		if s := nameOf(n); s != "" {
			out = append(out, code(s))
		} else if n.is(syntax.Identifier, syntax.String, syntax.Type) {
			out = append(out, say(n))
		}
	}
	return uniq(out)
}

func elementName(n item) string {
	t := n.text()
	if k := strings.IndexAny(t, " />\n\t"); k > 0 && k < maxCode {
		t = t[:k]
	}
	return code(strings.TrimRight(t, ">/") + ">")
}

// parts returns condition, value if true and value if false of a conditional
// expression.
func parts(n item) []item {
	k := n.namedKids()
	if len(k) != 3 {
		return nil
	}
	if n.lang() == lang.Python {
		return []item{k[1], k[0], k[2]}
	}
	return k
}

// comparisons are the English of comparing operators.
var comparisons = map[string]string{
	"==": "equals", "===": "equals", "!=": "differs from", "!==": "differs from", "<>": "differs from",
	"<": "is less than", ">": "is greater than", "<=": "is at most", ">=": "is at least",
	"in": "is in", "not in": "is not in", "is": "is", "is not": "is not", "instanceof": "is an instance of",
	"=~": "matches",
}

// negated comparisons, to say when a condition does not hold.
var opposite = map[string]string{
	"==": "!=", "===": "!==", "!=": "==", "!==": "===", "<": ">=", ">": "<=", "<=": ">", ">=": "<", "in": "not in", "not in": "in",
	"is": "is not", "is not": "is",
}

func logical(op string) string {
	switch op {
	case "&&", "and":
		return "and"
	case "||", "or":
		return "or"
	}
	return ""
}

// holds says when a condition is true, as a clause: "`x` is null".
func holds(n item) string { return clause(n, true, 0) }

// fails says when it is false.
func fails(n item) string { return clause(n, false, 0) }

func clause(n item, want bool, depth int) string {
	n = strip(n)
	if !n.ok() {
		return "it holds"
	}
	if depth < maxSay {
		switch n.role() {
		case syntax.Binary:
			if s := binaryClause(n, want, depth); s != "" {
				return s
			}
		case syntax.Unary:
			op := operator(n)
			if k := n.namedKids(); len(k) == 1 && (op == "!" || op == "not") {
				return clause(k[0], !want, depth+1)
			}
		case syntax.Bool:
			if strings.EqualFold(n.text(), "true") == want {
				return "always"
			}
			return "never"
		}
	}
	c := code(n.text())
	switch {
	case n.is(syntax.Call) && want && predicate(calledName(n)):
		return c + " holds"
	case n.is(syntax.Identifier, syntax.Member) && dynamic(n.lang()) && want:
		return c + " is set"
	case n.is(syntax.Identifier, syntax.Member) && dynamic(n.lang()):
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

// dynamic tells whether values of any type are conditions in a language.
func dynamic(l lang.Name) bool {
	switch l {
	case lang.C, lang.Cpp, lang.Python, lang.JavaScript, lang.TypeScript, lang.TSX, lang.Ruby, lang.PHP:
		return true
	}
	return false
}

func binaryClause(n item, want bool, depth int) string {
	op := operator(n)
	k := n.namedKids()
	if len(k) != 2 {
		return ""
	}
	if l := logical(op); l != "" {
		if !want {
			l = map[string]string{"and": "or", "or": "and"}[l]
		}
		a, b := clause(k[0], want, depth+1), clause(k[1], want, depth+1)
		if len(a)+len(b) > 2*maxCode+20 {
			return ""
		}
		return a + " " + l + " " + b
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

// runsWhen says when the body of a branch runs; "unless" turns it round.
func runsWhen(n item, want bool) string {
	if strings.HasPrefix(n.kind(), "unless") {
		want = !want
	}
	return clause(condition(n), want, 0)
}

// condition returns the condition of an if, a loop or a branch.
func condition(n item) item {
	if c := n.child("condition"); c.ok() {
		return strip(c)
	}
	for _, k := range n.namedKids() {
		if !statement(k) {
			return strip(k)
		}
	}
	return item{}
}

// statement tells whether a node is a statement, a declaration or a block:
// what stands on lines of its own.
func statement(n item) bool {
	r := n.role()
	return r >= syntax.Function && r <= syntax.Interface && r != syntax.Lambda || r >= syntax.Block && r <= syntax.Label || r.Is(syntax.Field, syntax.Variable, syntax.Import, syntax.Package, syntax.Export, syntax.TypeAlias, syntax.Enum, syntax.EnumMember, syntax.Comment, syntax.Namespace) ||
		r == syntax.Other && (strings.HasSuffix(n.kind(), "_statement") || strings.HasSuffix(n.kind(), "_definition"))
}

// body lists the statements of a compound statement or function.
func body(n item) []item {
	b := n.child("body", "consequence", "value")
	if !b.is(syntax.Block) {
		if c := n.first(syntax.Block); c.ok() {
			b = c
		}
	}
	if !b.ok() {
		return nil
	}
	if !b.is(syntax.Block) {
		return []item{b}
	}
	var out []item
	for _, k := range b.namedKids() {
		// Wrappers between a block and its statements.
		if k.is(syntax.Block) {
			out = append(out, k.namedKids()...)
			continue
		}
		out = append(out, k)
	}
	return out
}

// maxEffectText is the length in bytes that a list of effects may have.
const maxEffectText = 140

// maxEffects is the number of things said about what a block does.
const maxEffects = 3

// effects says what statements do: "calls `a`", "returns `b`".
func effects(stmts []item) []string {
	var out []string
	for _, s := range stmts {
		if v := does(s, 0); v != "" {
			out = append(out, v)
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

// does is the verb phrase of a statement: "returns `x`"; "" when there is
// nothing worth saying.
func does(n item, depth int) string {
	n = strip(n)
	if !n.ok() || depth > maxSay {
		return ""
	}
	switch n.role() {
	case syntax.Return:
		if k := n.namedKids(); len(k) > 0 {
			return "returns " + say(k[0])
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
		return "leaves the loop"
	case syntax.Continue:
		return "skips to the next iteration"
	case syntax.Assign, syntax.AugAssign:
		l, r := sides(n)
		if l.ok() && r.ok() {
			if n.is(syntax.AugAssign) {
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
		return "loops over " + loopOver(n)
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
	case syntax.With:
		return ""
	}
	return ""
}

func raises(n item) string {
	switch n.lang() {
	case lang.Python, lang.Ruby:
		return "raises"
	}
	return "throws"
}

// thrown returns the name of the exception and its message in quotes.
func thrown(n item) (name, msg string) {
	k := n.namedKids()
	if len(k) == 0 {
		return "", ""
	}
	e := strip(k[0])
	if e.is(syntax.Call, syntax.New) {
		name = callee(e)
		if s := arguments(e).find(1, nil, syntax.String); len(s) == 1 {
			msg = quote(unquoted(s[0].text()), 30)
		}
		return name, msg
	}
	return cut(oneLine(e.text()), maxCode), ""
}

// sides returns the target and the value of an assignment.
func sides(n item) (left, right item) {
	left, right = n.child("left", "name"), n.child("right", "value")
	if !left.ok() || !right.ok() {
		if k := n.namedKids(); len(k) >= 2 {
			left, right = k[0], k[len(k)-1]
		}
	}
	return left, right
}

// valueOf returns the initial value of a declaration, or none.
func valueOf(n item) item {
	for depth := 0; n.ok() && depth < 6; depth++ {
		if v := n.child("value", "right", "default_value"); v.ok() {
			return v
		}
		c := n.first(syntax.Declarator, syntax.Variable, syntax.Assign)
		if !c.ok() {
			// "= value" without a field.
			kids := n.kids()
			for i, k := range kids {
				if k.kind() == "=" && i+1 < len(kids) {
					return kids[i+1]
				}
			}
			return item{}
		}
		n = c
	}
	return item{}
}

func loopOver(n item) string {
	if c := n.child("right", "value", "collection"); c.ok() && !c.is(syntax.Block) {
		return say(c)
	}
	if c := n.child("condition"); c.ok() {
		return "values while " + holds(c)
	}
	for _, k := range n.namedKids() {
		if k.kind() == "range_clause" {
			return say(k.child("right"))
		}
	}
	return "its values"
}

// levels are the names by which logging calls are known.
var levels = map[string]string{
	"trace": "trace", "debug": "debug", "info": "info", "warn": "warning", "warning": "warning", "error": "error", "exception": "error",
	"fatal": "fatal", "critical": "critical", "severe": "error", "fine": "debug", "notice": "notice", "log": "",
}

// logging returns the level of a logging call.
func logging(call item) (level string, ok bool) {
	c := callee(call)
	name := lastName(c)
	level, ok = levels[strings.ToLower(name)]
	if !ok {
		return "", false
	}
	recv := strings.ToLower(strings.TrimSuffix(c, name))
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
	case "print", "console.log", "System.out.println", "System.out.print", "fmt.Println", "fmt.Printf", "puts", "printf", "println", "println!", "var_dump", "e.printStackTrace":
		return true
	}
	return false
}

// assertion tells whether a call checks something in a test.
func assertion(call item) bool {
	c := callee(call)
	name := strings.ToLower(lastName(c))
	return strings.HasPrefix(name, "assert") || strings.HasPrefix(c, "assert.") || name == "expect" || strings.HasPrefix(c, "expect(") ||
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
	if assertion(n) {
		return "asserts " + code(n.text())
	}
	if t := strings.TrimSuffix(callee(n), ".__init__"); t == "super" || strings.HasPrefix(n.text(), "super") {
		return "calls the parent's " + map[bool]string{true: "constructor", false: "`" + calledName(n) + "`"}[calledName(n) == "super" || calledName(n) == "__init__"]
	}
	return "calls " + called(n)
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
		return code(a.text())
	}
	if a.role() == syntax.Other {
		if k := a.namedKids(); len(k) == 1 {
			return say(k[0])
		}
	}
	return say(a)
}
