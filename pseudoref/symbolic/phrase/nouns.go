package phrase

import (
	"cmp"
	"slices"
	"strings"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
)

// ToFrom is the preposition for what something was added to, or removed from.
func ToFrom(added bool) string { return Either(added, "to", "from") }

// FirstWord is the first word of a piece of code: "if" for `if (a)`.
func FirstWord(s string) string {
	if k := strings.IndexAny(s, " _;\n("); k > 0 {
		s = s[:k]
	}
	return Cut(tree.OneLine(s), CodeRunes)
}

// Headline is a node's text as code, cut. The semicolon of a statement says nothing.
func Headline(n tree.Node) string { return Code(strings.TrimRight(n.Text(), ";")) }

// Noun names a statement or expression: "the call to `foo`", or "a call to `foo`". Code
// that has no other name stands for itself.
func Noun(n tree.Node, art string) string {
	n = tree.Strip(tree.Unnested(n))
	s, _ := named(n)
	if r := n.Role(); r.IsFunction() || r.IsClass() || n.Is(syntax.Variable, syntax.Declarator, syntax.Field, syntax.EnumMember) {
		s = declaredNoun(n)
	}
	if s == "" {
		return Either(art == "a", "", art+" code ") + Headline(n)
	}
	return Either(art == "a", An(s), art+" "+s)
}

// names are what statements are called by their roles: as a noun, and as what they do. "%s" stands for what tells
// them from others of their kind, such as the condition of a check.
var names = map[syntax.Role]struct{ noun, verb string }{
	syntax.Try: {"`try` block", ""}, syntax.Comment: {"comment", ""}, syntax.Continue: {"", "skips to the next iteration"},
	syntax.Assert: {"assertion", "asserts %s"}, syntax.Yield: {"`yield`", "yields %s"}, syntax.Return: {"return of %s", "returns %s"},
	syntax.Assign: {"assignment of %s", ""}, syntax.AugAssign: {"update of %s", ""}, syntax.Switch: {"`switch` over %s", ""},
	syntax.If: {"check whether %s", "checks whether %s"}, syntax.ElseIf: {"check whether %s", ""}, syntax.Loop: {"loop %s", "loops %s"},
	syntax.New: {"", "creates a %s"}, syntax.Goto: {"", "runs %s"}, syntax.Delete: {"", "runs %s"},
}

// named returns a noun without an article for a statement and a verb phrase for it: "loop over `xs`" and "loops
// over `xs`". Each is "" for code that has none.
func named(n tree.Node) (noun, verb string) {
	what, k := "", n.NamedKids()
	noun, verb = names[n.Role()].noun, names[n.Role()].verb
	switch n.Role() {
	case syntax.Call:
		noun, verb = CallNoun(n), "calls "+Called(n)
		if Assertion(n) { // what a test asserts says more than by which call
			asserted := Asserted(n)
			noun, verb = "assertion "+asserted, "asserts "+asserted
		}
		if name, test := tree.TestCall(n); test { // is named by its description
			noun = "test " + Quote(name, CodeRunes)
		}
		return noun, verb
	case syntax.Assign, syntax.AugAssign:
		l, _ := tree.Sides(n)
		what = Code(l.Text())
	case syntax.If, syntax.ElseIf:
		if !tree.Condition(n).Ok() || Conditional(n) {
			verb = ""
		}
		what = RunsWhen(n, true)
	case syntax.Loop:
		what = LoopOver(n)
	case syntax.Assert:
		what = Asserted(n)
	case syntax.New:
		what = Made(n)
	case syntax.Goto, syntax.Delete:
		what = Headline(n)
	case syntax.Yield:
		if len(k) == 0 {
			return noun, ""
		}
		what = Say(k[0])
	case syntax.Return:
		r := Returned(n)
		what = Say(r)
		switch {
		case Exits(n):
			noun, verb = "exit", Either(r.Ok(), "exits with %s", "exits")
		case !r.Ok():
			noun, verb = "early return", "returns early"
		}
	case syntax.Switch:
		c := n.Child("value", "condition", "subject")
		if !c.Ok() { // Go's `select`
			return Code(FirstWord(n.Text())) + " statement", ""
		}
		what = Say(c)
	}
	return strings.Replace(noun, "%s", what, 1), strings.Replace(verb, "%s", what, 1)
}

// declaredNoun names what has a name: "variable `x`".
func declaredNoun(n tree.Node) string {
	word := "declaration"
	switch r := n.Role(); {
	case r == syntax.Field, n.Is(syntax.Variable, syntax.Declarator) && MemberOnly(n):
		word = FieldWord(n)
	case n.Is(syntax.Variable, syntax.Declarator):
		word = "variable"
	case r.IsFunction():
		word = FunctionWord(n)
	case r.IsClass():
		word = ClassWord(n)
	case r == syntax.EnumMember:
		word = "member"
	case r == syntax.Parameter:
		return "parameter " + Code(tree.ParameterName(n))
	}
	return word + " " + Code(tree.NameOf(n))
}

// CallNoun is "call to `a`", and of a chain "call to `a().b`".
func CallNoun(call tree.Node) string { return callTo(call) + " " + Called(call) }

// callTo is "call to", or what a language that runs commands has in its place.
func callTo(n tree.Node) string { return cmp.Or(n.Traits().CallWord, "call to") }

// Called names what a call calls, in backticks: all names of a chain. What has no name, such as
// the `partial(f)` of `partial(f)(x)`, is quoted; of a `print x` without brackets the word is.
func Called(call tree.Node) string {
	var out []string
	for _, l := range tree.Chain(call) {
		if name := ShownName(l); name != "" {
			out = append(out, name)
		}
	}
	if len(tree.Chain(call)) < 2 || len(out) == 0 {
		before := string(call.Src[call.Start():max(call.Start(), tree.Arguments(call).Start())])
		return Code(cmp.Or(tree.Callee(call), before, FirstWord(call.Text())))
	}
	return Code(strings.Join(Uniq(out), "()."))
}

// Made says what an expression makes: "new `T`". Rows of a test's table in Go have no type.
func Made(n tree.Node) string {
	if t := cmp.Or(tree.Callee(n), n.Child("type").Text()); t != "" {
		return "new " + Code(t)
	}
	return "new value of a type without a name"
}

// Names lists the names of pairs, parameters or elements, in backticks.
func Names(ns []tree.Node) []string {
	return Uniq(Each(ns, func(n tree.Node) string {
		if n.Is(syntax.Spread) { // `...defaults` is not the key `defaults`
			return Code(n.Text())
		}
		if s := tree.NameOf(n); s != "" || !n.Is(syntax.Identifier, syntax.String, syntax.Type) {
			return Either(s == "", "", Code(s))
		}
		return Say(n)
	}))
}

// ElementName is the tag of an element of markup, in backticks: "`<div>`" for `<div class="x">`.
func ElementName(n tree.Node) string {
	t := strings.TrimSpace(n.Text())
	if k := strings.IndexAny(t, " />\n\t"); k > 0 && k < CodeRunes {
		t = t[:k]
	}
	return Code(strings.TrimRight(t, ">/") + ">")
}

// RunsWhen says when the body of a branch runs, or when it does not: "`x` is null". Ruby's
// `unless`, Swift's `guard` and `#ifndef` turn it round.
func RunsWhen(n tree.Node, want bool) string {
	ifdef := n.Kind() == "preproc_ifdef"
	if strings.HasPrefix(n.Kind(), "unless") || strings.HasPrefix(n.Kind(), "guard") || ifdef && strings.HasPrefix(n.Text(), "#ifndef") {
		want = !want
	}
	if ifdef {
		return Code(tree.Condition(n).Text()) + Either(want, " is defined", " is not defined")
	}
	return Clause(tree.Condition(n), want)
}

// ShownName is tree.CalledName with the mark that may end a name, such as Ruby's `?`.
func ShownName(call tree.Node) string {
	if m := call.Child("method"); call.Traits().NameSuffixes != "" && m.Is(syntax.Identifier) {
		return m.Text()
	}
	return tree.CalledName(call)
}

// AnnotationWord says what the language calls an annotation.
func AnnotationWord(n tree.Node) string {
	return Either(n.Kind() == "decorator", "decorator", cmp.Or(n.Traits().Annotation, "annotation"))
}

// ClassWord says what a class is called in prose: "struct", "trait". Go has the keyword
// inside of the declaration, and Rust's `impl` is about a type declared elsewhere.
func ClassWord(n tree.Node) string {
	head := Either(n.Kind() == "type_spec", n.Child("type"), n) // of Go
	for _, k := range head.Kids() {                             // the keyword says it best
		if t := k.Kind(); !k.Named() && slices.Contains(classWords, t) {
			return t
		}
	}
	return Either(head != n || n.Kind() == "impl_item", "type", "class")
}

// classWords are the keywords of declarations that say what they declare.
var classWords = []string{"struct", "union", "record", "object", "trait", "protocol", "extension", "interface", "enum", "given"}

// FunctionWord says what a function is called in prose: "method" where it has a class or a receiver.
func FunctionWord(n tree.Node) string {
	switch {
	case n.Kind() == "preproc_function_def" || n.Kind() == "macro_definition":
		return "macro"
	case IsConstructor(n):
		return "constructor"
	case IsTest(n, tree.NameOf(n)):
		return "test"
	case PlaceOf(n).Class != "" || ReceiverType(n) != "" || n.Kind() == "method_declaration":
		return "method"
	}
	return "function"
}

// IsConstructor tells whether a function makes an object, by its kind or its name.
func IsConstructor(n tree.Node) bool {
	c := n.Traits().Constructor
	return n.Is(syntax.Constructor) && !strings.Contains(tree.NameOf(n), "~") || c != "" && n.Is(syntax.Function) && tree.NameOf(n) == c
}

// Marked tells whether a declaration has one of some modifiers or annotations: "private", "Override".
func Marked(n tree.Node, marks ...string) bool {
	words := Each(Decorators(n), func(d tree.Node) string { return tree.LastName(tree.NameOf(d)) })
	for _, m := range n.Kids() {
		if m.Is(syntax.Modifier) {
			words = append(words, strings.Fields(Modifiers(m))...)
		}
	}
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(marks, w) })
}

// ReceiverType names the type that a method is declared for outside of it: "Stack" for func (s *Stack[T]) Push.
func ReceiverType(n tree.Node) string {
	types := n.First(syntax.Receiver).Find(1, nil, syntax.Type)
	if len(types) == 0 {
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimLeft(tree.OneLine(types[0].Text()), "*"), "[")
	return name
}

// FieldWord says what a field is called in prose.
func FieldWord(n tree.Node) string {
	return Either(strings.Contains(n.Kind(), "property"), "property", "field")
}

// MemberOnly tells whether what looks like a local variable must be a field of a
// class that the hunk leaves out: only members have a visibility.
func MemberOnly(n tree.Node) bool { return Marked(n, "private", "protected", "internal", "public") }

// DeclaredName names a declaration with its kind of thing: "the field `size`".
func DeclaredName(d tree.Node) string {
	return Either(d.Ok(), "the "+declaredNoun(d), "the declaration")
}

// OwnerOf returns the function that a parameter belongs to, or the class that takes it where
// that is declared with its constructor, and its name.
func OwnerOf(p tree.Node) (tree.Node, string) {
	l := Either(p.Is(syntax.Parameters), p, p.Under(syntax.Parameters, syntax.Block))
	if c := l.Parent(); l.Is(syntax.Parameters) && c.Role().IsClass() {
		return c, "the constructor of " + Code(tree.NameOf(c))
	}
	f := p.Under(syntax.Function, syntax.Constructor, syntax.Lambda)
	if f.Is(syntax.Lambda) || !f.Ok() { // a callback, a type or a prototype
		return f, "the function"
	}
	if c := PlaceOf(f).Class; IsConstructor(f) && c != "" {
		return f, "the constructor of " + Code(c)
	}
	return f, DeclaredName(f)
}

// Modifiers returns the words of a node with modifiers, without annotations.
func Modifiers(n tree.Node) string {
	text := n.Text()
	for _, k := range n.Kids() {
		if k.Is(syntax.Decorator) {
			text = strings.Replace(text, k.Text(), "", 1)
		}
	}
	return tree.OneLine(text)
}

// SimpleName tells whether a text is one name: letters, digits and underscores.
func SimpleName(s string) bool {
	return s != "" && !slices.ContainsFunc([]byte(s), func(c byte) bool { return !tree.WordByte(c) })
}
