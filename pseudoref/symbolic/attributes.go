package symbolic

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
)

// attributed returns the declaration that an attribute stands before, in a
// language where attributes do; or none.
func attributed(n item) item {
	if !n.traits().OuterAttributes {
		return item{}
	}
	k := n.next()
	for i := 0; i < maxClimb && k.is(syntax.Decorator, syntax.Comment); i++ {
		k = k.next()
	}
	if k = unnested(k); declares(k.role()) {
		return k
	}
	return n.under(syntax.EnumMember, syntax.Field)
}

// outerAttributes lists the attributes before a declaration.
func outerAttributes(n item) []item {
	if !n.traits().OuterAttributes {
		return nil
	}
	var out []item
	for k, i := n.prev(), 0; k.is(syntax.Decorator, syntax.Comment) && i < maxClimb; i, k = i+1, k.prev() {
		if k.is(syntax.Decorator) {
			out = append(out, k)
		}
	}
	slices.Reverse(out)
	return out
}

// cutName tells whether a hunk ends before the name of a declaration, of which it
// shows the attributes only.
func cutName(n item) bool {
	return n.is(syntax.Field, syntax.Variable) && n.frag.Beyond(n.end()-1) && nameOf(n) == ""
}

// annotationWord says what the language calls an annotation.
func annotationWord(n item) string {
	switch t := n.traits().Annotation; {
	case n.kind() == "decorator":
		return "decorator"
	case t != "":
		return t
	}
	return "annotation"
}

// annotated says which annotations a new declaration has.
func (w *writer) annotated(n item, what string) {
	if isTest(n, "") {
		return
	}
	for _, d := range decorators(n) {
		word := annotationWord(d)
		if s, ok := strings.CutPrefix(oneLine(d.text()), "#[derive("); ok {
			w.names(n, wDetail, "annotated", "", what+" derives "+slot, what+" derives "+slot, codes(splitList(strings.TrimRight(s, ")]")))...)
		} else if nameOf(d) != "Override" {
			w.names(n, wDetail, "annotated", "", what+" has the "+word+" "+slot, what+" has the "+word+"s "+slot, code(d.text()))
		}
	}
}

// decorator says that an annotation came or went.
func (w *writer) decorator(n item, added bool) {
	x := attributed(n)
	if (w.fresh[x] || w.done[x]) && (x.role().IsClass() || x.is(syntax.Function) && strings.HasSuffix("::"+nameOf(n), "::test")) {
		return // said with the declaration
	}
	v, word, d := verb(added), annotationWord(n), declared(n)
	to := ""
	if d.ok() && !cutName(d) {
		to = " " + toFrom(added) + " " + declaredName(d)
	}
	w.names(n, wDeclare, "annotation-"+v, "", "the "+word+" "+slot+" was "+v+to, "the "+word+"s "+slot+" were "+v+to, code(n.text()))
}

// tag says how the tag of a field changed; either side may be none.
func (w *writer) tag(a, b item) {
	n := b
	if !b.ok() {
		n = a
	}
	of := "the field " + code(nameOf(n.under(syntax.Field)))
	if c := placeOf(n).class; c != "" {
		of += " of " + code(c)
	}
	if a.ok() && b.ok() {
		x, y := apart(a.text(), b.text())
		w.say(n, wSignature, "tag-changed", "", "the tag of "+of+" was changed from "+x+" to "+y)
		return
	}
	w.say(n, wSignature, "tag-"+verb(b.ok()), "", "the tag "+code(n.text())+" was "+verb(b.ok())+" "+toFrom(b.ok())+" "+of)
}
