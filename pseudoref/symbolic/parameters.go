package symbolic

import (
	"strings"

	"crscore/internal/syntax"
)

// parameterChanged says what became of a parameter that keeps its name: its
// type, its default, or the property that it declares. It answers false where
// something else changed.
func (w *writer) parameterChanged(a, b item) bool {
	name := code(parameterName(b))
	if parameterName(a) != parameterName(b) || a.traits().SpreadTypes {
		return false
	}
	_, owner := ownerOf(b)
	said := false
	ta, tb := typeOfParameter(a), typeOfParameter(b)
	switch {
	case ta == tb:
	case ta == "":
		w.names(b, wSignature, "type-added", "", "the parameter "+slot+" of "+owner+" was given a type", "the parameters "+slot+" of "+owner+" were given types", name+" ("+code(tb)+")")
		said = true
	case tb == "":
		w.names(b, wSignature, "type-removed", "", "the parameter "+slot+" of "+owner+" no longer has a type", "the parameters "+slot+" of "+owner+" no longer have types", name)
		said = true
	default:
		w.parameterType(b, owner, name, code(ta), code(tb))
		said = true
	}
	da, db := parameterDefault(a), parameterDefault(b)
	switch {
	case da.text() == db.text():
	case !da.ok():
		w.say(b, wSignature, "default-added", "", "the parameter "+name+" of "+owner+" is now optional, with the default "+say(db))
		said = true
	case !db.ok():
		w.say(b, wSignature, "default-removed", "", "the parameter "+name+" of "+owner+" is no longer optional: its default "+say(da)+" was removed")
		w.follows(b, "default-removed-callers", "callers of "+owner+" must now always pass "+name)
		said = true
	default:
		w.say(b, wSignature, "default-changed", "", "the default of the parameter "+name+" of "+owner+" was changed from "+say(da)+" to "+say(db))
		said = true
	}
	if m := parameterModifiers(b); m != "" && parameterModifiers(a) == "" {
		w.names(b, wSignature, "parameter-promoted", "", "the parameter "+slot+" of "+owner+" now also declares a `"+m+"` property", "the parameters "+slot+" of "+owner+" now also declare `"+m+"` properties", name)
		said = true
	}
	return said
}

func typeOfParameter(p item) string {
	if !p.is(syntax.Parameter) {
		return ""
	}
	return strings.TrimLeft(oneLine(p.child("type").text()), ": ")
}

func parameterDefault(p item) item {
	if !p.is(syntax.Parameter) {
		return item{}
	}
	return p.child("value", "default_value")
}

// parameterModifiers are the words that make a parameter declare a property.
func parameterModifiers(p item) string {
	var out []string
	for _, k := range p.kids() {
		if k.is(syntax.Modifier) {
			out = append(out, oneLine(k.text()))
		}
	}
	return strings.Join(out, " ")
}
