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

// attributeOf names an attribute that says no more of a new declaration than its
// own claim does: that a test is one.
func attributeOf(n, d item) string {
	if name := nameOf(n); d.is(syntax.Function) && (name == "test" || strings.HasSuffix(name, "::test")) {
		return name
	}
	return ""
}

// cutName tells whether a hunk ends before the name of a declaration, of which it
// shows the attributes only.
func cutName(n item) bool {
	return n.is(syntax.Field, syntax.Variable) && n.frag.Beyond(n.node().end-1) && nameOf(n) == ""
}

// derived lists what an attribute such as #[derive(Debug, Clone)] names.
func derived(n item) []string {
	s := strings.TrimRight(strings.TrimLeft(oneLine(n.text()), "#![ "), "] ")
	s, ok := strings.CutPrefix(s, "derive(")
	if !ok {
		return nil
	}
	return splitList(strings.TrimSuffix(s, ")"))
}

// derives says what a type derives now, or no longer. It answers false for
// other attributes.
func (w *writer) derives(a, b item) bool {
	from, to := derived(a), derived(b)
	if len(from) == 0 && len(to) == 0 {
		return false
	}
	n := b
	if !n.ok() {
		n = a
	}
	d := attributed(n)
	if d.ok() && !a.ok() && w.fresh[d] {
		return true // said with the new type
	}
	what := declaredName(d)
	say := func(xs, ys []string, rule, does string) {
		var out []string
		for _, x := range xs {
			if !slices.Contains(ys, x) {
				out = append(out, code(x))
			}
		}
		if len(out) > 0 {
			w.names(n, wDeclare, rule, "", what+does+slot, what+does+slot, out...)
		}
	}
	say(to, from, "derive-added", " now derives ")
	say(from, to, "derive-removed", " no longer derives ")
	return true
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

// attributeText is an attribute in a sentence; of one that does not fit, its name
// and the text in it.
func attributeText(n item) string {
	if n.size() > maxCode {
		if s := n.find(2, nil, syntax.String); len(s) == 1 {
			if t := quote(unquoted(s[0].text()), 2*maxCode); t != "" {
				return code(nameOf(n)) + " saying " + t
			}
		}
	}
	return code(n.text())
}

func (w *writer) decorator(n item, added bool) {
	if a, b := n, (item{}); added && w.derives(b, a) || !added && w.derives(a, b) {
		return
	}
	v := verb(added)
	if x := attributed(n); x.ok() && (w.fresh[x] || w.done[x]) && len(attributeOf(n, x)) > 0 {
		return // said with the declaration
	}
	d := declaredName(declared(n))
	word := annotationWord(n)
	if nameOf(n) == "SuppressWarnings" && added {
		w.follows(n, "warnings-suppressed", "warnings are suppressed for "+strings.TrimPrefix(d, "the ")+", so problems there may stay hidden")
	}
	if o := declared(n); !o.ok() || cutName(o) {
		w.names(n, wDeclare, word+"-"+v, "", "the "+word+" "+slot+" was "+v, "the "+word+"s "+slot+" were "+v, attributeText(n))
		return
	}
	w.names(n, wDeclare, word+"-"+v, "", "the "+word+" "+slot+" was "+v+" "+toFrom(added)+" "+d, "the "+word+"s "+slot+" were "+v+" "+toFrom(added)+" "+d, attributeText(n))
}
