package tree

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"crscore/internal/limits"
	"crscore/internal/syntax"
)

// NameOf returns the name of a declaration, pair, argument or annotation as it is written, or "".
func NameOf(n Node) string {
	for depth := 0; n.Ok() && depth < 16; depth++ {
		if n.Is(syntax.Decorator) {
			s := strings.TrimLeft(OneLine(n.Text()), "@#![ ") + " "
			return s[:strings.IndexAny(s, "(] ")]
		}
		if name, ok := MacroTest(n); ok {
			return name
		}
		c := nameIn(n)
		switch {
		case !c.Ok() && (n.Is(syntax.Identifier, syntax.Type) || n.Leaf() && n.Named()):
			return OneLine(n.Text())
		case c.Field() == "pattern" && !c.Leaf() && n.Traits().OuterAttributes:
			return OneLine(c.Text()) // `(a, b)` in Rust's `let (a, b) = f()`
		case c.Ok() && (c.Leaf() || c.Is(syntax.Identifier, syntax.Member, syntax.Index, syntax.String, syntax.Type, syntax.Collection)):
			return strings.Trim(OneLine(c.Text()), "\"'`")
		}
		n = c
	}
	return ""
}

// nameIn is the child of a declaration that names it or has its name in it.
func nameIn(n Node) Node {
	if c := n.Child("name", "declarator", "left", "pattern", "property", "key"); c.Ok() {
		return c
	}
	if c := n.First(syntax.Declarator, syntax.Variable, syntax.Identifier); c.Ok() {
		return c
	}
	switch {
	case n.Is(syntax.Pair): // Ruby and PHP
		return n.First(syntax.String, syntax.Member)
	// Of Kotlin: in `class User` the name is a type.
	case n.Is(syntax.Class, syntax.Interface, syntax.Enum, syntax.Parameter, syntax.TypeAlias):
		return n.First(syntax.Type)
	}
	return Node{}
}

// MacroTest returns the name of a test that a macro stands in front of: TEST(Stack, Push) is "Stack.Push".
func MacroTest(n Node) (string, bool) {
	if !n.Is(syntax.Function) || !slices.Contains(n.Traits().TestMacros, n.Child("declarator").Text()) {
		return "", false
	}
	name := strings.Trim(OneLine(n.Child("parameters").Text()), "() ")
	return strings.ReplaceAll(name, ", ", "."), name != ""
}

// Arguments returns the list of arguments of a call, or none.
func Arguments(call Node) Node { return call.First(syntax.Arguments) }

// Seen takes off what stands for the beginning of a chain of calls that the hunk leaves out.
func Seen(s string) string {
	if rest, ok := strings.CutPrefix(s, syntax.Unseen); ok {
		if t := strings.TrimLeft(rest, " ?"); strings.HasPrefix(t, ".") {
			return t[1:]
		}
	}
	return s
}

// wholeName is the length in bytes above which only the last part of a name counts.
const wholeName = 40

// Callee returns what is called, as it is written before the arguments: "logger.warn", "os.path.join", "HashMap".
func Callee(call Node) string {
	if !call.Ok() {
		return ""
	}
	end := call.End()
	if a := Arguments(call); a.Ok() {
		end = a.Start()
	} else if f := call.Child("function", "constructor", "type", "name", "method"); f.Ok() {
		end = f.End()
	}
	// Of a long chain only the end is wanted; reading all of it for each of its calls would cost the square of its
	// length.
	s := Seen(strings.TrimPrefix(OneLine(string(call.Src[max(call.Start(), end-limits.CalleeBytes):end])), "new "))
	s = strings.TrimSuffix(s, "?.")   // of `listener?.(e)`
	if call.Traits().CallWord != "" { // a command, such as `"ls" -l`
		return strings.Trim(s, `"'`)
	}
	if len(s) > wholeName || strings.ContainsAny(s, "(){}\"'`") {
		s = LastName(s)
	}
	return s
}

// Receiver returns what a method is called on, or none.
func Receiver(call Node) Node {
	if r := call.Child("object", "receiver"); r.Ok() {
		return r
	}
	f := cmp.Or(call.Child("function"), call.First(syntax.Member))
	if k := f.NamedKids(); f.Is(syntax.Member) && len(k) > 0 {
		return k[0]
	}
	return Node{}
}

// Chain lists the calls of a chain such as a().b().c(), the first one first.
func Chain(call Node) []Node {
	var out []Node
	for i := 0; call.Is(syntax.Call) && i <= limits.CallChain; i++ {
		out = append(out, call)
		call = Receiver(call)
	}
	slices.Reverse(out)
	return out
}

// LastName returns the last part of a dotted name, without type arguments: "of" for `List.of<T>`.
func LastName(s string) string {
	s = strings.TrimRight(s, " ?!")
	for k := len(s) - 1; k > 0 && strings.HasSuffix(s, ">"); k-- {
		if s[k] == '<' && strings.Count(s[k:], "<") == strings.Count(s[k:], ">") {
			s = strings.TrimRight(s[:k], ":")
			break
		}
	}
	k := len(s)
	for k > 0 && WordByte(s[k-1]) {
		k--
	}
	return s[k:]
}

// CalledName is the last part of what is called.
func CalledName(call Node) string { return LastName(Callee(call)) }

// Strip takes off parentheses and statement wrappers.
func Strip(n Node) Node {
	for i := 0; n.Ok() && i < limits.Climb && n.Is(syntax.Parens, syntax.ExpressionStatement); i++ {
		k := n.NamedKids()
		if len(k) != 1 {
			break
		}
		n = k[0]
	}
	return n
}

// IsPair tells whether a node is a pair of key and value. PHP's grammar has the same kind for an element without a
// key.
func IsPair(n Node) bool {
	if !n.Is(syntax.Pair) {
		return false
	}
	k := n.NamedKids()
	return len(k) > 1 || len(k) == 1 && k[0].Size() < n.Size()
}

// Operator joins the tokens between the operands.
func Operator(n Node) string {
	var out []string
	for _, k := range n.Kids() {
		if !k.Named() || k.Field() == "operator" || k.Field() == "operators" {
			out = append(out, k.Text())
		}
	}
	return strings.Join(slices.Compact(out), " ")
}

// Parts returns condition, value if true and value if false of a conditional expression.
func Parts(n Node) []Node {
	k := n.NamedKids()
	if len(k) != 3 {
		return nil
	}
	if n.Traits().ValueFirst { // a if b else c
		return []Node{k[1], k[0], k[2]}
	}
	return k
}

// Condition returns the condition of an if, a loop or a branch.
func Condition(n Node) Node {
	if c := n.Child("condition"); c.Ok() {
		return Strip(c)
	}
	for _, k := range n.NamedKids() {
		if !Statement(k) {
			return Strip(k)
		}
	}
	return Node{}
}

// Statement tells whether a node is a statement, a declaration or a block: what stands on lines of its own.
func Statement(n Node) bool {
	r := n.Role()
	return r >= syntax.Function && r <= syntax.Interface && r != syntax.Lambda || r >= syntax.Block && r <= syntax.Label ||
		r.Is(syntax.Field, syntax.Variable, syntax.Import, syntax.Package, syntax.Export, syntax.TypeAlias, syntax.Enum,
			syntax.EnumMember, syntax.Comment, syntax.Namespace)
}

// Appends tells whether an expression puts a value at the end of a list.
func Appends(n Node) bool { return n.Is(syntax.Binary) && Operator(n) == "<<" && n.Traits().Raises }

// Body lists the statements of a compound statement or function.
func Body(n Node) []Node {
	b := n.Child("body", "consequence", "value")
	if c := n.First(syntax.Block); c.Ok() && !b.Is(syntax.Block) {
		b = c
	}
	var out []Node
	if !b.Is(syntax.Block) { // some grammars list the statements without one
		for k := b; k.Ok(); k = k.Next() {
			if k.Named() && k.Field() == b.Field() && !k.Is(syntax.Comment) {
				out = append(out, k)
			}
		}
		return out
	}
	for _, k := range b.NamedKids() {
		if Rethrows(k) {
			k = k.First(syntax.Block)
		}
		if k.Is(syntax.Block) { // between a block and its statements
			out = append(out, k.NamedKids()...)
		} else {
			out = append(out, k)
		}
	}
	return out
}

// Sides returns the target and the value of an assignment.
func Sides(n Node) (left, right Node) {
	left, right = n.Child("left", "name"), n.Child("right", "value")
	if k := n.NamedKids(); len(k) >= 2 && !(left.Ok() && right.Ok()) {
		return k[0], k[len(k)-1]
	}
	return left, right
}

// Compound returns the operator of an assignment such as "x += 1", and "" for one that only sets a value. Some
// grammars do not tell the two apart.
func Compound(n Node) string {
	op := n.kid(func(k *node) bool {
		t := n.Src[k.start:k.end]
		return n.Is(syntax.Assign, syntax.AugAssign) && len(t) > 1 && len(t) < 5 && t[len(t)-1] == '=' && t[0] != ':'
	})
	return op.Text()
}

// ValueOf returns the initial value of a declaration, or none.
func ValueOf(n Node) Node {
	for depth := 0; n.Ok() && depth < 6; depth++ {
		if v := n.Child("value", "right", "default_value"); v.Ok() {
			return v
		}
		if k := n.NamedKids(); n.Is(syntax.Pair) && len(k) == 2 { // `"key" => 1`
			return Strip(k[1])
		}
		n = n.First(syntax.Declarator, syntax.Variable, syntax.Assign)
	}
	return Node{}
}

// Unnested takes off wrappers until the node is what one would talk about: exports, decorators, the parentheses
// around an expression.
func Unnested(n Node) Node {
	for i := 0; i < 8; i++ {
		inner, k := Node{}, n.NamedKids
		switch kind := n.Kind(); {
		case n.Is(syntax.Export):
			inner = n.Child("declaration", "value")
		case kind == "decorated_definition" || kind == "template_declaration":
			if k := k(); len(k) > 0 {
				inner = k[len(k)-1]
			}
		case n.Is(syntax.ExpressionStatement, syntax.Parens) || kind == "type_declaration":
			if k := k(); len(k) == 1 {
				inner = k[0]
			}
		}
		if !inner.Ok() {
			break
		}
		n = inner
	}
	return n
}

// Target is the text of what a statement sets: the left side of an assignment, or the name that is declared.
func Target(n Node) string {
	if n.Is(syntax.Assign, syntax.AugAssign) {
		l, _ := Sides(n)
		return l.Text()
	}
	return NameOf(n)
}

// ParameterName is the name of a parameter, or its text where it has none.
func ParameterName(p Node) string {
	s := NameOf(p)
	if p.Traits().SpreadTypes && p.Is(syntax.Parameter) && !NameNode(p).Ok() {
		s = "" // a declarator of C without a name, such as `int` or `T&&... args`
	} else if k := p.Find(1, nil, syntax.Identifier); (s == "" || p.Kind() == "typed_parameter") && len(k) == 1 {
		s = k[0].Text()
	}
	return cmp.Or(s, OneLine(p.Text()))
}

// OneLine folds white space and leaves out control characters.
func OneLine(s string) string {
	if len(s) > 1<<14 {
		s = s[:1<<14]
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), r == utf8.RuneError:
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// Unquoted is the text of a string literal without its quotes.
func Unquoted(s string) string {
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

// LambdaName returns the name under which a nameless function is known, or else what it is handed to.
func LambdaName(n Node, callback string) (name string, test bool, handedTo string) {
	p := n.Parent()
	for i := 0; p.Ok() && i < 4; i, p = i+1, p.Parent() {
		switch {
		case p.Is(syntax.Declarator, syntax.Variable, syntax.Pair, syntax.Field):
			return NameOf(p), false, callback
		case p.Is(syntax.Assign):
			l, _ := Sides(p)
			return LastName(l.Text()), false, callback
		case p.Is(syntax.Call):
			name, test = TestCall(p)
			return name, test, cmp.Or(callback, CalledName(p))
		case !p.Is(syntax.Arguments, syntax.Parens, syntax.New, syntax.Other):
			return "", false, callback
		}
	}
	return "", false, callback
}

// TestCall returns the description of a test in the style of it("does x").
func TestCall(call Node) (string, bool) {
	switch f := Callee(call); strings.TrimSuffix(strings.TrimSuffix(f, ".only"), ".skip") {
	case "it", "test", "describe", "specify", "context", "suite", "QUnit.test":
		if a := Arguments(call).NamedKids(); len(a) > 0 && a[0].Is(syntax.String) {
			return OneLine(Unquoted(a[0].Text())), true
		}
	}
	return "", false
}

// RequireName returns the module of a declaration such as const fs = require("fs"), or "".
func RequireName(n Node) string {
	if !n.Is(syntax.Variable, syntax.Declarator) {
		return ""
	}
	v := ValueOf(n)
	if s := Arguments(v).Find(1, nil, syntax.String); v.Is(syntax.Call) && Callee(v) == "require" && len(s) == 1 {
		return Unquoted(s[0].Text())
	}
	return ""
}

// Rethrows tells whether a `try` does nothing but throw again what its one handler catches.
func Rethrows(n Node) bool {
	c := n.First(syntax.Catch)
	if !n.Is(syntax.Try) || !c.Ok() || c.Next().Is(syntax.Catch) || n.First(syntax.Finally, syntax.Else).Ok() || n.Child("resources").Ok() {
		return false
	}
	b := Body(c)
	if len(b) != 1 || !Strip(b[0]).Is(syntax.Throw) {
		return false
	}
	k := Strip(b[0]).NamedKids() // none after Python's `raise`
	return len(k) == 0 || len(k) == 1 && k[0].Is(syntax.Identifier) && len(c.LeavesOf(k[0].Text())) > 1
}

// NameNode is the child of a declaration that names what it declares.
func NameNode(d Node) Node { return d.Child("declarator", "name") }

// Pattern tells whether a node takes a value apart.
func Pattern(n Node) bool { return strings.HasSuffix(n.Kind(), "_pattern") && n.Is(syntax.Collection) }

// CaseLabels returns the labels of a case and the token that ends them, or none where the grammar puts neither side
// by side.
func CaseLabels(n Node) (labels []Node, arrow Node) {
	for _, k := range n.Kids() {
		switch k.Kind() {
		case "->", "=>", ":", "then":
			return labels, k
		}
		if k.Named() && !k.Is(syntax.Comment) {
			labels = append(labels, k)
		}
	}
	return nil, Node{}
}

// Compares reports whether an operator compares its two sides.
func Compares(op string) bool {
	switch op {
	case "==", "===", "=", "!=", "!==", "<>", "<", "<=", ">", ">=", "=~", "!~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge",
		"in", "not in", "is", "is not", "instanceof":
		return true
	}
	return false
}
