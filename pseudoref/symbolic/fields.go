package symbolic

import (
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/tree"

	"crscore/internal/syntax"
)

// memberWord is what a member of an enum is called.
func memberWord(n tree.Node) string {
	if strings.Contains(n.Kind(), "variant") {
		return "variant"
	}
	return "constant"
}

func isFieldAssignment(n tree.Node, at place) bool {
	l, _ := tree.Sides(n)
	if p := n.Under(syntax.Block).Parent(); p.Ok() && !p.Role().IsClass() && strings.Contains(p.Kind(), "method") {
		return false // of a method that the hunk does not show
	}
	if s := l.Text(); n.Traits().LocalsInClasses && (s == "" || s[0] < 'A' || s[0] > 'Z') {
		return false
	}
	return n.Is(syntax.Assign) && l.Is(syntax.Identifier) && at.class != "" && at.fn == "" && !at.ctor && at.callback == ""
}

// perhapsLocal tells whether what looks like a field may be a variable of a
// function whose beginning the hunk leaves out.
func perhapsLocal(n tree.Node) bool {
	t := n.Traits()
	if n.Frag.Whole || t.FieldsApart || t.PlainFields || n.First(syntax.Modifier).Ok() || strings.HasPrefix(n.Text(), "static ") {
		return false
	}
	c := n.Under(syntax.Class, syntax.Interface, syntax.Enum)
	if t.SpreadTypes && strings.HasPrefix(c.Kind(), "struct") {
		return false // functions in them are few
	}
	row, _ := c.Rows()
	return !c.Ok() || row == 0 && n.Section != "" // the heading
}

// memberOnly tells whether what looks like a local variable must be a field of a
// class that the hunk leaves out: only members have a visibility.
func memberOnly(n tree.Node) bool {
	return slices.ContainsFunc(n.Kids(), func(m tree.Node) bool {
		return m.Is(syntax.Modifier) && slices.ContainsFunc(strings.Fields(modifiers(m)), func(s string) bool {
			return slices.Contains([]string{"private", "protected", "internal", "public"}, s)
		})
	})
}

// fieldWord says what a field is called in prose.
func fieldWord(n tree.Node) string {
	switch {
	case strings.HasPrefix(n.Kind(), "const"):
		return "constant" // the language lets nobody change it
	case strings.HasPrefix(n.Kind(), "event_"):
		return "event"
	case strings.Contains(n.Kind(), "property"):
		return "property"
	}
	return "field"
}

// fieldType is " of type `int`", or "" for a field that names none.
func fieldType(n tree.Node) string {
	t := n.Child("type")
	if !t.Ok() || t.Size() > maxCode {
		t = n.First(syntax.Variable).Child("type")
	}
	if !t.Ok() {
		return ""
	}
	return " of type " + typeText(t)
}

// fieldModifiers are the words before a field, with a space behind them.
func fieldModifiers(n tree.Node) string {
	out := ""
	for _, m := range n.Kids() {
		if t := modifiers(m); m.Is(syntax.Modifier) && t != "" && len(t) < 30 {
			out += t + " "
		}
	}
	if out == "" && strings.HasPrefix(n.Text(), "static ") {
		return "static "
	}
	return out
}

// field says that a field came or went.
func (w *writer) field(n tree.Node, at place, added bool) {
	v, of := verb(added), ""
	if at.class != "" {
		of = at.member(added)
	}
	if t := n.Child("type"); n.Traits().LiteralFields && t.Ok() && !n.Child("name").Ok() {
		w.listed(n, wDeclare, "field", "", "embedded type", of, added, code(t.Text()))
		return
	}
	if a := n.First(syntax.Arguments); n.Is(syntax.Field) && a.Ok() { // Ruby declares attributes by a call
		for _, k := range a.NamedKids() {
			one := "the `" + tree.Callee(n) + "` for " + slot + " was " + v + of
			w.names(n, wDeclare, "field-"+v, "", one, one, code(strings.TrimLeft(k.Text(), ":")))
		}
		return
	}
	word, mods, ofType, name, val := fieldWord(n), fieldModifiers(n), fieldType(n), code(tree.NameOf(n)), tree.ValueOf(n)
	switch {
	case val.Is(syntax.Return) && added: // C#
		w.say(n, wDeclare, "field-added", "", "a new "+mods+word+" "+name+ofType+" was added"+of+" that "+does(val, 0))
	case val.Is(syntax.Lambda):
		w.say(n, wDeclare, "function-"+v, "", "the method "+name+" was "+v+of)
		w.functionDetails(val, tree.NameOf(n), added)
	case val.Ok() && added:
		w.say(n, wDeclare, "field-added", "", "a new "+mods+word+" "+name+ofType+" was added"+of+" and set to "+say(val))
		w.details(val, "the new "+word+" "+name)
	default:
		w.names(n, wDeclare, "field-"+v, "", "the "+mods+word+" "+slot+ofType+" was "+v+of, "the "+mods+many(2, word)+" "+slot+ofType+" were "+v+of, name)
	}
	if !added {
		return
	}
	w.annotated(n, "the new "+word+" "+name)
	if strings.HasPrefix(tree.NameOf(n), "_") || !n.Traits().Dynamic || strings.Contains(mods, "private") { // else others may use it
		w.unused(n, tree.NameOf(n))
	}
}
