package symbolic

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
)

// nameOf returns the name of a declaration, pair, argument or annotation as
// it is written, or "".
func nameOf(n item) string {
	for depth := 0; n.ok() && depth < 16; depth++ {
		if n.is(syntax.Decorator) {
			return decoratorName(n)
		}
		if name, ok := macroTest(n); ok {
			return name
		}
		c := n.child("name", "declarator", "left", "pattern", "property", "key")
		if !c.ok() {
			c = n.first(syntax.Declarator, syntax.Variable, syntax.Identifier)
		}
		if !c.ok() && n.is(syntax.Pair) {
			if k := n.namedKids(); len(k) > 1 && k[0].is(syntax.String, syntax.Member) {
				c = k[0]
			}
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
		if c.field() == "pattern" && !c.leaf() && n.traits().OuterAttributes {
			return oneLine(c.text())
		}
		if c.leaf() || c.is(syntax.Identifier, syntax.Member, syntax.Index, syntax.String, syntax.Type, syntax.Collection) {
			return strings.Trim(oneLine(c.text()), "\"'`")
		}
		n = c
	}
	return ""
}

// macroTest returns the name of a test that a macro stands in front of:
// TEST(Stack, Push) is "Stack.Push".
func macroTest(n item) (string, bool) {
	macros := n.traits().TestMacros
	if len(macros) == 0 || !n.is(syntax.Function) || !slices.Contains(macros, n.child("declarator").text()) {
		return "", false
	}
	var out []string
	for _, p := range n.child("parameters").namedKids() {
		out = append(out, oneLine(p.text()))
	}
	return strings.Join(out, "."), len(out) > 0
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
	return call.first(syntax.Arguments)
}

// seen takes off what stands for the beginning of a chain of calls that the
// hunk leaves out.
func seen(s string) string {
	if rest, ok := strings.CutPrefix(s, syntax.Unseen); ok {
		if t := strings.TrimLeft(rest, " ?"); strings.HasPrefix(t, ".") {
			return t[1:]
		}
	}
	return s
}

// maxCallee bounds how much of what stands before the arguments is read.
const maxCallee = 400

// callee returns what is called, as it is written before the arguments:
// "logger.warn", "os.path.join", "HashMap".
func callee(call item) string {
	if !call.ok() {
		return ""
	}
	end := call.end()
	if a := arguments(call); a.ok() {
		end = a.start()
	} else if b := call.first(syntax.Block); call.is(syntax.New) && b.ok() {
		end = b.start()
	} else if f := call.child("function", "constructor", "type", "name", "method"); f.ok() {
		end = f.end()
	}
	// Of a long chain only the end is wanted; reading all of it for each of its
	// calls would cost the square of its length.
	s := seen(strings.TrimPrefix(oneLine(string(call.src[max(call.start(), end-maxCallee):end])), "new "))
	s = strings.TrimSuffix(s, "?.")
	if strings.HasSuffix(s, ")") || strings.HasSuffix(s, "}") {
		return "" // what is called has no name
	}
	if call.traits().CallWord != "" {
		return strings.Trim(s, `"'`)
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
		out = append(out, code(shownName(l)))
	}
	return list(uniq(out))
}

// callNoun is "call to `a`" or "chain of calls to `a` and `b`".
func callNoun(call item) string {
	if len(chain(call)) > 1 {
		return "chain of calls to " + called(call)
	}
	return callTo(call) + " " + called(call)
}

// lastName returns the last part of a dotted name.
func lastName(s string) string {
	s = strings.TrimRight(s, " ?!")
	// Without its type arguments.
	for depth, k := 0, len(s)-1; k > 0 && strings.HasSuffix(s, ">"); k-- {
		switch s[k] {
		case '>':
			depth++
		case '<':
			if depth--; depth == 0 {
				s = strings.TrimRight(s[:k], ":")
			}
		}
	}
	k := len(s)
	for k > 0 && wordByte(s[k-1]) {
		k--
	}
	return s[k:]
}

// calledName is the last part of what is called.
func calledName(call item) string { return lastName(callee(call)) }

// made says what an expression makes: "new `T`", or of a type that has no name, such as
// the rows of a test's table in Go, what kind of thing it is.
func made(n item) string {
	if t := callee(n); t != "" {
		return "new `" + t + "`"
	}
	switch t, kids := n.child("type").text(), n.child("body").namedKids(); {
	case strings.HasPrefix(t, "["):
		return "list of " + plural(len(kids), "item")
	case strings.HasPrefix(t, "map["):
		return "map of " + plural(len(kids), "item")
	}
	return "new value of a type without a name"
}

// shownName is calledName as it is written, with the mark that a language lets a
// name end with.
func shownName(call item) string {
	if m := call.child("method"); call.traits().NameSuffixes != "" && m.is(syntax.Identifier) {
		return m.text()
	}
	return calledName(call)
}

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

// isPair tells whether a node is a pair of key and value. PHP's grammar has the
// same kind for an element without a key.
func isPair(n item) bool {
	if !n.is(syntax.Pair) {
		return false
	}
	k := n.namedKids()
	return len(k) > 1 || len(k) == 1 && k[0].size() < n.size()
}

// operator joins the tokens between the operands.
func operator(n item) string {
	var out []string
	for _, k := range n.kids() {
		if !k.named() || k.field() == "operator" || k.field() == "operators" {
			out = append(out, k.text())
		}
	}
	return strings.Join(slices.Compact(out), " ")
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
	t := strings.TrimSpace(n.text())
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
	if n.traits().ValueFirst {
		return []item{k[1], k[0], k[2]}
	}
	return k
}

// runsWhen says when the body of a branch runs; "unless" turns it round.
func runsWhen(n item, want bool) string {
	if strings.HasPrefix(n.kind(), "unless") || strings.HasPrefix(n.kind(), "guard") || n.kind() == "preproc_ifdef" && strings.HasPrefix(n.text(), "#ifndef") {
		want = !want
	}
	if c := failedCall(n); c.ok() && want {
		return called(c) + " returns an error"
	}
	if c := condition(n); n.kind() == "preproc_ifdef" {
		return code(c.text()) + map[bool]string{true: " is defined", false: " is not defined"}[want]
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

// appends tells whether an expression puts a value at the end of a list.
func appends(n item) bool {
	return n.is(syntax.Binary) && operator(n) == "<<" && n.traits().Raises
}

// body lists the statements of a compound statement or function.
func body(n item) []item {
	b := n.child("body", "consequence", "value")
	if !b.is(syntax.Block) {
		if c := n.first(syntax.Block); c.ok() {
			b = c
		}
	}
	if !b.ok() && n.is(syntax.Lambda) && !n.first(syntax.Case).ok() && strings.HasSuffix(n.kind(), "block") {
		return n.namedKids() // a block is handed over
	}
	if !b.ok() {
		return nil
	}
	var out []item
	if !b.is(syntax.Block) {
		// Some grammars list the statements without a block.
		for k := b; k.ok(); k = k.next() {
			if k.named() && k.field() == b.field() && !k.is(syntax.Comment) {
				out = append(out, k)
			}
		}
		return out
	}
	for _, k := range b.namedKids() {
		// Wrappers between a block and its statements.
		if k.is(syntax.Block) {
			out = append(out, k.namedKids()...)
			continue
		}
		if rethrows(k) {
			out = append(out, k.first(syntax.Block).namedKids()...)
			continue
		}
		out = append(out, k)
	}
	return out
}

// thrown returns the name of the exception and its message in quotes.
func thrown(n item) (name, msg string) {
	k := n.namedKids()
	if a := n.first(syntax.Arguments); a.ok() { // Ruby raises by a call
		k = a.namedKids()
		if len(k) > 1 && k[1].is(syntax.String) {
			msg = quote(unquoted(k[1].text()), 30)
		}
	} else if n.traits().DefaultError != "" {
		k = nil
	}
	if len(k) == 0 {
		return "", ""
	}
	e := strip(k[0])
	if d := n.traits().DefaultError; d != "" && e.is(syntax.String) {
		return d, quote(unquoted(e.text()), 30)
	}
	if e.is(syntax.Call, syntax.New) {
		name = callee(e)
		if s := arguments(e).find(1, nil, syntax.String); len(s) == 1 {
			msg = quote(unquoted(s[0].text()), 30)
		}
		return strings.TrimSuffix(name, ".new"), msg
	}
	return cut(oneLine(e.text()), maxCode), msg
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

// compound returns the operator of an assignment such as "x += 1", and "" for
// one that only sets a value. Some grammars do not tell the two apart.
func compound(n item) string {
	if !n.is(syntax.Assign, syntax.AugAssign) {
		return ""
	}
	for _, k := range n.kids() {
		if t := k.text(); len(t) > 1 && len(t) < 5 && strings.HasSuffix(t, "=") && t != ":=" {
			return t
		}
	}
	return ""
}

// valueOf returns the initial value of a declaration, or none.
func valueOf(n item) item {
	if k := n.namedKids(); n.is(syntax.Pair) && len(k) == 2 && !n.child("value", "right", "default_value").ok() {
		return strip(k[1])
	}
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
