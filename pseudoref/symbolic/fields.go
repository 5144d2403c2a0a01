package symbolic

import (
	"slices"
	"strings"

	"crscore/internal/lang"
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
	if n.frag.Whole || n.traits().FieldsApart || n.first(syntax.Modifier).ok() || strings.HasPrefix(n.text(), "static ") {
		return false
	}
	if n.traits().PlainFields {
		return false
	}
	c := n.under(syntax.Class, syntax.Interface, syntax.Enum)
	if !c.ok() {
		return true
	}
	if n.traits().SpreadTypes && strings.HasPrefix(c.kind(), "struct") {
		return false // functions in them are few
	}
	row, _ := c.rows()
	return row == 0 && n.section != "" // the heading
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

func (w *writer) field(n item, at place, added bool) {
	if t := n.child("type"); n.traits().LiteralFields && t.ok() && !n.child("name").ok() {
		embeds := code(at.class) + map[bool]string{true: " now embeds ", false: " no longer embeds "}[added] + slot
		w.names(n, wDeclare, "embedded-"+verb(added), "", embeds, embeds, code(t.text()))
		return
	}
	name, v := code(nameOf(n)), verb(added)
	of := ""
	if at.class != "" {
		of = at.member(added)
	}
	ofType := ""
	if t := n.child("type"); t.ok() && t.size() <= maxCode {
		ofType = " of type " + code(strings.TrimLeft(t.text(), ": "))
	} else if d := n.first(syntax.Variable); d.ok() && d.child("type").ok() {
		ofType = " of type " + code(d.child("type").text())
	}
	mods := ""
	for _, m := range n.kids() {
		if m.is(syntax.Modifier) && len(modifiers(m)) < 30 {
			mods += modifiers(m) + " "
		}
	}
	mods = strings.TrimLeft(mods, " ")
	if !n.first(syntax.Modifier).ok() && strings.HasPrefix(n.text(), "static ") {
		mods = "static "
	}
	val := valueOf(n)
	if n.is(syntax.Field) && n.first(syntax.Arguments).ok() { // Ruby declares attributes by a call
		for _, a := range n.first(syntax.Arguments).namedKids() {
			one := "`" + callee(n) + "` for " + slot + " was " + v + of
			w.names(n, wDeclare, "field-"+v, "", "the "+one, "the "+one, code(strings.TrimLeft(a.text(), ":")))
		}
		return
	}
	word := fieldWord(n)
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
	if added && strings.Contains(mods, "public") && !strings.Contains(mods, "final") && n.frag.Lang == lang.Java {
		w.follows(n, "public-field", "the public field "+name+" is not final, so any code can change it")
	}
	if added {
		w.annotated(n, "the new "+word+" "+name)
		if strings.HasPrefix(nameOf(n), "_") || !n.traits().Dynamic || strings.Contains(mods, "private") { // else others may use it
			w.unused(n, nameOf(n))
		}
	}
}
