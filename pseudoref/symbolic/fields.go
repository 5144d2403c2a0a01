package symbolic

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
)

// memberWord is what a member of an enum is called.
func memberWord(n item) string {
	if strings.Contains(n.kind(), "variant") {
		return "variant"
	}
	return "constant"
}

func isFieldAssignment(n item, at place) bool {
	l, _ := sides(n)
	if p := n.under(syntax.Block).parent(); p.ok() && !p.role().IsClass() && strings.Contains(p.kind(), "method") {
		return false // of a method that the hunk does not show
	}
	if s := l.text(); n.traits().LocalsInClasses && (s == "" || s[0] < 'A' || s[0] > 'Z') {
		return false
	}
	return n.is(syntax.Assign) && l.is(syntax.Identifier) && at.class != "" && at.fn == "" && !at.ctor && at.callback == ""
}

// perhapsLocal tells whether what looks like a field may be a variable of a
// function whose beginning the hunk leaves out.
func perhapsLocal(n item) bool {
	t := n.traits()
	if n.frag.Whole || t.FieldsApart || t.PlainFields || n.first(syntax.Modifier).ok() || strings.HasPrefix(n.text(), "static ") {
		return false
	}
	c := n.under(syntax.Class, syntax.Interface, syntax.Enum)
	if t.SpreadTypes && strings.HasPrefix(c.kind(), "struct") {
		return false // functions in them are few
	}
	row, _ := c.rows()
	return !c.ok() || row == 0 && n.section != "" // the heading
}

// memberOnly tells whether what looks like a local variable must be a field of a
// class that the hunk leaves out: only members have a visibility.
func memberOnly(n item) bool {
	return slices.ContainsFunc(n.kids(), func(m item) bool {
		return m.is(syntax.Modifier) && slices.ContainsFunc(strings.Fields(modifiers(m)), func(s string) bool {
			return slices.Contains([]string{"private", "protected", "internal", "public"}, s)
		})
	})
}

// fieldWord says what a field is called in prose.
func fieldWord(n item) string {
	switch {
	case strings.HasPrefix(n.kind(), "const"):
		return "constant" // the language lets nobody change it
	case strings.HasPrefix(n.kind(), "event_"):
		return "event"
	case strings.Contains(n.kind(), "property"):
		return "property"
	}
	return "field"
}

// fieldType is " of type `int`", or "" for a field that names none.
func fieldType(n item) string {
	t := n.child("type")
	if !t.ok() || t.size() > maxCode {
		t = n.first(syntax.Variable).child("type")
	}
	if !t.ok() {
		return ""
	}
	return " of type " + typeText(t)
}

// fieldModifiers are the words before a field, with a space behind them.
func fieldModifiers(n item) string {
	out := ""
	for _, m := range n.kids() {
		if t := modifiers(m); m.is(syntax.Modifier) && t != "" && len(t) < 30 {
			out += t + " "
		}
	}
	if out == "" && strings.HasPrefix(n.text(), "static ") {
		return "static "
	}
	return out
}

// field says that a field came or went.
func (w *writer) field(n item, at place, added bool) {
	v, of := verb(added), ""
	if at.class != "" {
		of = at.member(added)
	}
	if t := n.child("type"); n.traits().LiteralFields && t.ok() && !n.child("name").ok() {
		w.listed(n, wDeclare, "field", "", "embedded type", of, added, code(t.text()))
		return
	}
	if a := n.first(syntax.Arguments); n.is(syntax.Field) && a.ok() { // Ruby declares attributes by a call
		for _, k := range a.namedKids() {
			one := "the `" + callee(n) + "` for " + slot + " was " + v + of
			w.names(n, wDeclare, "field-"+v, "", one, one, code(strings.TrimLeft(k.text(), ":")))
		}
		return
	}
	word, mods, ofType, name, val := fieldWord(n), fieldModifiers(n), fieldType(n), code(nameOf(n)), valueOf(n)
	switch {
	case val.is(syntax.Return) && added: // C#
		w.say(n, wDeclare, "field-added", "", "a new "+mods+word+" "+name+ofType+" was added"+of+" that "+does(val, 0))
	case val.is(syntax.Lambda):
		w.say(n, wDeclare, "function-"+v, "", "the method "+name+" was "+v+of)
		w.functionDetails(val, nameOf(n), added)
	case val.ok() && added:
		w.say(n, wDeclare, "field-added", "", "a new "+mods+word+" "+name+ofType+" was added"+of+" and set to "+say(val))
		w.details(val, "the new "+word+" "+name)
	default:
		w.names(n, wDeclare, "field-"+v, "", "the "+mods+word+" "+slot+ofType+" was "+v+of, "the "+mods+many(2, word)+" "+slot+ofType+" were "+v+of, name)
	}
	if !added {
		return
	}
	w.annotated(n, "the new "+word+" "+name)
	if strings.HasPrefix(nameOf(n), "_") || !n.traits().Dynamic || strings.Contains(mods, "private") { // else others may use it
		w.unused(n, nameOf(n))
	}
}
