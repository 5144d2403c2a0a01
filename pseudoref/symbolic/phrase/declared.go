package phrase

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
)

// AnnotationWord says what the language calls an annotation.
func AnnotationWord(n tree.Node) string {
	switch t := n.Traits().Annotation; {
	case n.Kind() == "decorator":
		return "decorator"
	case t != "":
		return t
	}
	return "annotation"
}

// outerAttributes lists the attributes before a declaration.
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

// ClassWord says what a class is called in prose.
func ClassWord(n tree.Node) string {
	head := n
	if n.Kind() == "type_spec" { // Go
		head = n.Child("type")
	}
	// The keyword says it best.
	for _, k := range head.Kids() {
		if t := k.Kind(); !k.Named() && slices.Contains(classWords, t) {
			return t
		}
	}
	switch {
	case head != n, n.Kind() == "impl_item":
		return "type"
	case n.Is(syntax.Interface):
		return "interface"
	}
	return "class"
}

// classWords are the keywords of declarations that say what they declare.
var classWords = []string{"struct", "union", "record", "object", "trait", "protocol", "extension", "interface", "enum", "given"}

// FunctionWord says what a function is called in prose.
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

// Marked tells whether a declaration has one of some modifiers or annotations.
func Marked(n tree.Node, marks ...string) bool {
	for _, d := range Decorators(n) {
		if slices.Contains(marks, tree.LastName(tree.NameOf(d))) {
			return true
		}
	}
	for _, m := range n.Kids() {
		for _, word := range strings.Fields(Modifiers(m)) {
			if m.Is(syntax.Modifier) && slices.Contains(marks, word) {
				return true
			}
		}
	}
	return false
}

// ReceiverType names the type that a method is declared for outside of it.
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

// DeclaredName names a declaration with its kind of thing.
func DeclaredName(d tree.Node) string {
	switch {
	case !d.Ok():
		return "the declaration"
	case d.Is(syntax.Parameter):
		return "the parameter " + Code(tree.ParameterName(d))
	case d.Kind() == "accessor_declaration":
		return "an accessor of " + Code(tree.NameOf(d.Under(syntax.Field)))
	case d.Role().IsFunction(), d.Role().IsClass(), d.Is(syntax.Field, syntax.Variable, syntax.EnumMember):
		return "the " + declaredNoun(d)
	}
	return "the declaration " + Code(tree.NameOf(d))
}

// OwnerOf returns the function that a parameter belongs to, and its name.
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
		if pl := PlaceOf(p); pl.Callback != "" {
			return f, "the callback of " + Code(pl.Callback)
		}
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
