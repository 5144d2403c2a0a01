package phrase

import (
	"cmp"
	"slices"
	"strings"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
)

// AnnotationWord says what the language calls an annotation.
func AnnotationWord(n tree.Node) string {
	if n.Kind() == "decorator" {
		return "decorator"
	}
	return cmp.Or(n.Traits().Annotation, "annotation")
}

// outerAttributes lists the attributes before a declaration, as Rust has them: siblings of
// what they are about, and perhaps with comments in between.
func outerAttributes(n tree.Node) []tree.Node {
	if !n.Traits().OuterAttributes {
		return nil
	}
	var out []tree.Node
	for k, i := n.Prev(), 0; k.Is(syntax.Decorator, syntax.Comment) && i < tree.MaxClimb; i, k = i+1, k.Prev() {
		if k.Is(syntax.Decorator) {
			out = append(out, k)
		}
	}
	slices.Reverse(out)
	return out
}

// ClassWord says what a class is called in prose: "struct", "trait". Go has the keyword
// inside of the declaration, and Rust's `impl` is about a type declared elsewhere.
func ClassWord(n tree.Node) string {
	head := n
	if n.Kind() == "type_spec" { // Go
		head = n.Child("type")
	}
	for _, k := range head.Kids() { // the keyword says it best
		if t := k.Kind(); !k.Named() && slices.Contains(classWords, t) {
			return t
		}
	}
	return Either(head != n || n.Kind() == "impl_item", "type", "class")
}

// classWords are the keywords of declarations that say what they declare.
var classWords = []string{"struct", "union", "record", "object", "trait", "protocol", "extension", "interface", "enum", "given"}

// FunctionWord says what a function is called in prose: "method" where it has a class or a
// receiver.
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

// IsConstructor tells whether a function makes an object, by its kind or its
// name.
func IsConstructor(n tree.Node) bool {
	c := n.Traits().Constructor
	return n.Is(syntax.Constructor) && !strings.Contains(tree.NameOf(n), "~") || c != "" && n.Is(syntax.Function) && tree.NameOf(n) == c
}

// Marked tells whether a declaration has one of some modifiers or annotations: "private",
// "Override".
func Marked(n tree.Node, marks ...string) bool {
	words := Each(Decorators(n), func(d tree.Node) string { return tree.LastName(tree.NameOf(d)) })
	for _, m := range n.Kids() {
		if m.Is(syntax.Modifier) {
			words = append(words, strings.Fields(Modifiers(m))...)
		}
	}
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(marks, w) })
}

// ReceiverType names the type that a method is declared for outside of it: "Stack" for
// func (s *Stack[T]) Push.
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
	if !d.Ok() {
		return "the declaration"
	}
	return "the " + declaredNoun(d)
}

// OwnerOf returns the function that a parameter belongs to, or the class that takes it where
// that is declared with its constructor, and its name.
func OwnerOf(p tree.Node) (tree.Node, string) {
	l := p
	if !l.Is(syntax.Parameters) {
		l = p.Under(syntax.Parameters, syntax.Block)
	}
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
	for i := 0; i < len(s); i++ {
		if !tree.WordByte(s[i]) {
			return false
		}
	}
	return s != ""
}
