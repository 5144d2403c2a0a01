package rules

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// class says that a class came or went, and what a new one declares.
func (w *writer) class(n tree.Node, added bool) {
	name := phrase.Code(tree.NameOf(n))
	what := phrase.ClassWord(n) + " " + name
	if n.Kind() == "impl_item" { // of Rust
		what = "`impl` block for " + name
	}
	if !added {
		w.add(n, "class-removed", "", fact.Slots{Object: what})
		return
	}
	heritage := slices.DeleteFunc(phrase.Each(n.Kids(), heritageWords), func(words string) bool { return words == "" })
	w.documentedAs(w.add(n, "class-added", "", fact.Slots{Object: what, Detail: strings.Join(heritage, " and ")}), name, n)
	w.annotated(n, "the new "+what)
	w.classMembers(n, name)
}

// classMembers says what a new class declares and what its methods do.
func (w *writer) classMembers(n tree.Node, name string) {
	var fields, methods, declares []string
	var functions []tree.Node
	for _, k := range tree.Body(n) {
		m := tree.Unnested(k)
		switch {
		case m.Role().IsFunction():
			functions = append(functions, m)
			if !phrase.IsConstructor(m) { // its name is that of the class, or says nothing
				methods = append(methods, phrase.Code(tree.NameOf(m)))
			}
		case m.Is(syntax.Field, syntax.Variable, syntax.EnumMember, syntax.Assign):
			fields = append(fields, fieldNames(m)...)
		}
	}
	declare := func(word string, names []string) {
		if names = phrase.Uniq(names); len(names) > 0 && names[0] != fact.Nothing {
			declares = append(declares, "the "+phrase.Many(len(names), word)+" "+phrase.List(names))
		}
	}
	declare(phrase.Either(n.Is(syntax.Enum), "constant", "field"), fields)
	declare("method", methods)
	if len(declares) > 0 {
		w.add(n, "class-members", "", fact.Slots{Object: name, Detail: phrase.List(declares)})
	}
	for _, m := range functions {
		w.functionBody(m, called(m))
	}
}

// heritageWords is "extends `A`" for one clause of a class, in the words of its language.
// Where a list does not tell classes from interfaces, its types are base types. Python may
// leave brackets empty; then there are no words.
func heritageWords(k tree.Node) string {
	s := tree.OneLine(k.Text())
	word, rest, _ := strings.Cut(s, " ")
	if word != "extends" && word != "implements" {
		word, rest = "extends", strings.TrimLeft(s, ": ")
	}
	for base, words := range k.Frag.Table.Bases {
		if r, ok := strings.CutPrefix(s, base+" "); ok {
			word, rest = words, r
		}
	}
	if strings.HasPrefix(rest, "(") { // of Python: `class A(B):`
		rest = strings.Trim(rest, "()")
	}
	types := splitList(rest)
	switch {
	case len(types) == 0 || !k.Is(syntax.Heritage):
		return ""
	case k.Traits().MixedBases || k.Traits().CalledBases:
		word = "has the base " + phrase.Many(len(types), "type")
	}
	return word + " " + phrase.List(phrase.Each(types, phrase.Code))
}

// splitList splits a list at its commas, those inside brackets left alone.
func splitList(s string) []string {
	var out []string
	depth, from := 0, 0
	for i := 0; i <= len(s); i++ {
		switch {
		case i == len(s) || s[i] == ',' && depth == 0:
			if t := strings.Trim(s[from:i], " ;"); t != "" {
				out = append(out, t)
			}
			from = i + 1
		case strings.IndexByte("([{<", s[i]) >= 0:
			depth++ // `Map<K, V>` is one type
		case strings.IndexByte(")]}>", s[i]) >= 0:
			depth--
		}
	}
	return out
}

// classRules are the rules about classes and what they declare.
func classRules() []fact.Rule {
	return append(fact.Both("class", fact.Declare, "the {object}[ that {detail}] was {added}"),
		fact.Claim("class-members", fact.Detail, "{object} declares {detail}"))
}

// isFieldAssignment tells whether an assignment in the body of a class declares a field.
func isFieldAssignment(n tree.Node, at phrase.Place) bool {
	l, _ := tree.Sides(n)
	if p := n.Under(syntax.Block).Parent(); p.Ok() && !p.Role().IsClass() && strings.Contains(p.Kind(), "method") {
		return false // of a method that the hunk does not show
	}
	if s := l.Text(); n.Traits().LocalsInClasses && (s == "" || s[0] < 'A' || s[0] > 'Z') {
		return false
	}
	return n.Is(syntax.Assign) && l.Is(syntax.Identifier) && at.Class != "" && at.Fn == "" && !at.Ctor && at.Callback == ""
}

// perhapsLocal tells whether what looks like a field may be a variable of a
// function whose beginning the hunk leaves out.
func perhapsLocal(n tree.Node) bool {
	t := n.Traits()
	if n.Frag.Whole || t.FieldsApart || t.PlainFields || n.First(syntax.Modifier).Ok() || strings.HasPrefix(n.Text(), "static ") {
		return false
	}
	c := n.Under(syntax.Class, syntax.Interface, syntax.Enum)
	row, _ := c.Rows()
	functions := !t.SpreadTypes || !strings.HasPrefix(c.Kind(), "struct") // those of C have few
	return !c.Ok() || functions && row == 0 && n.Section != ""            // the heading
}

// fieldType is " of type `int`", or "" for a field that names none.
func fieldType(n tree.Node) string {
	t := n.Child("type")
	if !t.Ok() {
		return ""
	}
	return " of type " + typeText(t)
}

// fieldNames are the names that a field declares; Ruby does so by a call.
func fieldNames(n tree.Node) []string {
	if a := n.First(syntax.Arguments); n.Is(syntax.Field) && a.Ok() { // `attr_reader :a, :b`
		return phrase.Names(a.NamedKids())
	}
	return []string{phrase.Code(tree.NameOf(n))}
}

// field says that a field came or went: `private final int size = 3;`.
func (w *writer) field(n tree.Node, at phrase.Place, added bool) {
	s, name, val := fact.Slots{Detail: fieldType(n)}, phrase.Code(tree.NameOf(n)), tree.ValueOf(n)
	if at.Class != "" {
		s.Of = at.Member(added)
	}
	for _, m := range n.Kids() {
		if t := phrase.Modifiers(m); m.Is(syntax.Modifier) && t != "" {
			s.Object += t + " "
		}
	}
	word := phrase.FieldWord(n)
	if s.Object += word; !added || !val.Ok() || val.Is(syntax.Return) {
		w.add(n, "field-"+fact.Verb(added), "", s, fieldNames(n)...)
	} else {
		s.Form, s.Object, s.New = "set", s.Object+" "+name, phrase.Say(val) // with its value, it is the only one of its claim
		w.add(n, "field-added", "", s)
	}
	if added {
		w.annotated(n, "the new "+word+" "+name)
		if strings.HasPrefix(tree.NameOf(n), "_") || !n.Traits().Dynamic || phrase.Marked(n, "private") { // else others may use it
			w.unused(n, tree.NameOf(n))
		}
	}
}

// fieldRules are the rules about fields and properties.
func fieldRules() []fact.Rule {
	both := fact.Both("field", fact.Declare, "the {objects} {names}{detail} {was|were} {added}{of}")
	both[0] = both[0].Or("set", "a new {object}{detail} was added{of} and set to {new}")
	return both
}

// attributed returns the declaration that an attribute stands before, in a
// language where attributes do; or none.
func attributed(n tree.Node) tree.Node {
	if !n.Traits().OuterAttributes {
		return tree.Node{}
	}
	k := n.Next()
	for k.Is(syntax.Decorator, syntax.Comment) {
		k = k.Next()
	}
	if k = tree.Unnested(k); treediff.Declares(k.Role()) {
		return k
	}
	return n.Under(syntax.EnumMember, syntax.Field)
}

// declared returns the declaration that an annotation or modifier belongs to.
func declared(n tree.Node) tree.Node {
	if d := attributed(n); n.Is(syntax.Decorator) && d.Ok() {
		return d
	}
	return tree.Unnested(n.Up(func(p tree.Node) bool {
		return modifiable(p) || p.Kind() == "decorated_definition" || p.Kind() == "accessor_declaration"
	}))
}

// modifiable tells whether a node is a declaration that takes modifiers.
func modifiable(p tree.Node) bool {
	return p.Role().IsFunction() || p.Role().IsClass() || p.Is(syntax.Field, syntax.Variable, syntax.Parameter)
}

// cutName tells whether a hunk ends before the name of a declaration, of which it
// shows the attributes only.
func cutName(n tree.Node) bool {
	return n.Is(syntax.Field, syntax.Variable) && n.Frag.Beyond(n.End()-1) && tree.NameOf(n) == ""
}

// annotated says which annotations a new declaration has.
func (w *writer) annotated(n tree.Node, what string) {
	for _, d := range phrase.Decorators(n) {
		if tree.NameOf(d) != "Override" && !phrase.IsTest(n, "") {
			w.add(n, "annotated", "", fact.Slots{Object: phrase.AnnotationWord(d), Of: what}, phrase.Code(d.Text()))
		}
	}
}

// decorator says that an annotation came or went. What stands before a declaration that
// came or went, as `#[test]` of Rust, is said with that.
func (w *writer) decorator(n tree.Node, added bool) {
	x := attributed(n)
	if w.fresh[x] && (x.Role().IsClass() || x.Is(syntax.Function) && strings.HasSuffix("::"+tree.NameOf(n), "::test")) {
		return
	}
	d, of := declared(n), ""
	if d.Ok() && slices.ContainsFunc(phrase.Decorators(tree.Unnested(w.same.Partner(d))),
		func(k tree.Node) bool { return k.Text() == n.Text() }) {
		return // the annotation is that of a neighbour, read as this one's
	}
	if d.Ok() && !cutName(d) {
		of = phrase.DeclaredName(d)
	}
	w.add(n, "annotation-"+fact.Verb(added), "", fact.Slots{Object: phrase.AnnotationWord(n), Of: of}, phrase.Code(n.Text()))
}

func annotationRules() []fact.Rule {
	return append(fact.Both("annotation", fact.Declare, "the {objects} {names} {was|were} {added}[ {to} {of}]"),
		fact.Claim("annotated", fact.Detail, "{of} has the {objects} {names}"))
}
