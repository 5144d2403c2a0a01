package rules

import (
	"strings"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
)

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
	if !t.Ok() || t.Size() > phrase.MaxCode {
		t = n.First(syntax.Variable).Child("type")
	}
	if !t.Ok() {
		return ""
	}
	return " of type " + typeText(t)
}

// fieldNames are the names that a field declares; Ruby does so by a call.
func fieldNames(n tree.Node) []string {
	if a := n.First(syntax.Arguments); n.Is(syntax.Field) && a.Ok() {
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
		s.Form, s.Object, s.New = "set", s.Object+" "+name, phrase.Say(val)
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
